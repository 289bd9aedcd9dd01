"""What a session should know when it begins: work left undone, what was learned lately, what changed since.

After compaction: what the session itself had done. And once, that capture had trouble.
"""

from __future__ import annotations

import os

from rum.inject.offers.text import day, offer, recall_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rum.inject.offers.offer import Offer
    from rum.inject.offers.situation import Moment
    from rum.store.sqlite.readonly import MemoryRow

KIND = "session"
_LATELY = 40
_RECENT = 30 * 86_400
"""Seconds after which what was left undone or learned is no news."""
_COMMITS, _FILES = 3, 6
"""So many commits, and files, are named."""


def offers(moment: Moment) -> list[Offer]:
    """What to say at the start of a session, the most urgent first."""
    if moment.event["kind"] != "start":
        return []
    source = moment.event.get("source", "startup")
    found = [_trouble(moment)]
    if source == "compact":
        found.append(_had(moment))
    elif source != "resume":
        rows = list(moment.store.newest_memories(_LATELY))
        found += [_unfinished(moment, rows), _learned(moment, rows), _changed(moment, rows)]
    return [one for one in found if one is not None]


def _trouble(moment: Moment) -> Offer | None:
    from rum.capture.events import problems, spool  # noqa: PLC0415 (only where a session begins)

    home = os.path.dirname(os.path.dirname(moment.folder))
    # Where a project could not be told, it may have been this one.
    places = (*moment.places, *spool.unclaimed_folders(home))
    told = problems.report_once(places, moment.event["at"])
    return offer("trouble", (), "{0}", (told,)) if told else None


def _unfinished(moment: Moment, rows: list[MemoryRow]) -> Offer | None:
    """The newest work that failed or left something to do, unless the same was done since."""
    done: set[str] = set()
    for one in rows:
        left, goal = _first(one, "follow_up_needed"), one.goal
        is_open = not one.success or one.is_partial or left
        if (
            is_open
            and one.imported_at is None
            and goal.casefold() not in done
            and _is_news(moment, one.id, one.created_at)
        ):
            why = "" if one.success else one.outcome.get("failure_reason") or ""
            said = f"Left unfinished on {day(one.created_at)}: {{0}}." + (" Why: {1}." if why else "")
            said += " To do: {2}." if left else ""
            parts = [text.rstrip(".") for text in (goal, why, left or "")]
            return offer(KIND, [one.id], said, parts, recall_of(one.id))
        if one.success:
            done.add(goal.casefold())
    return None


def _first(memory: MemoryRow, field: str) -> str | None:
    return next(iter(memory.outcome.get(field) or ()), None)


def _learned(moment: Moment, rows: list[MemoryRow]) -> Offer | None:
    """What the newest memories that learned anything learned first."""
    learned = [(one, _first(one, "learnings")) for one in rows]
    found = [
        (one.id, str(text)) for one, text in learned if text and _is_news(moment, one.id, one.created_at)
    ]
    if not found:
        return None
    said = "Learned lately: {0}" + ("; {1}" if len(found) > 1 else "") + "."
    parts = [text.rstrip(".") for _, text in found]
    return offer(KIND, [memory_id for memory_id, _ in found], said, parts, recall_of(found[0][0]))


def _changed(moment: Moment, rows: list[MemoryRow]) -> Offer | None:
    """The commits that the checkout got since the newest memory of its work."""
    last = next((one.commit for one in rows if one.commit and one.imported_at is None), None)
    subjects = list(_since(moment.root, last)) if last and moment.root else []
    if not last or not subjects:
        return None
    named = subjects[-_COMMITS:]
    places = "; ".join(f"{{{at}}}" for at in range(len(named)))
    said = f"Commits since RUM last saw work here ({last[:9]}): {len(subjects)}, the last {places}."
    return offer(KIND, (), said, named)


def _since(root: str, commit: str) -> Iterator[str]:
    """What git noted of each commit that HEAD came to after one, oldest first; nothing if it is not noted."""
    from rum.repo.git import find_git  # noqa: PLC0415

    place = find_git(root)
    if place is None:
        return
    try:
        with open(os.path.join(place.git_dir, "logs", "HEAD"), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 64 * 1024))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return
    at = max((n for n, line in enumerate(lines) if line[41:81].startswith(commit)), default=None)
    for line in lines[at + 1 :] if at is not None else ():
        what, _, subject = line.partition("\t")[2].partition(": ")
        if what.startswith(("commit", "merge", "pull", "cherry-pick", "am")) and subject:
            yield subject


def _had(moment: Moment) -> Offer | None:
    """What this session was asked for and changed, and the memories that were made of it."""
    asked, files = "", dict[str, None]()
    for event in moment.session_events():
        if event["kind"] == "prompt":
            asked = event.get("text") or asked
        else:
            paths = (moment.path_of(one) for one in event.get("files", []) if one["operation"] != "read")
            files.update((path, None) for path in paths if path)
    if not asked and not files:
        return None
    made = moment.store.last_of_session(moment.event["session"])
    said = "Before compaction" + (": asked “{0}”" if asked else "") + ("; changed {1}" if files else "") + "."
    call = recall_of(made) if made else ""
    return offer(KIND, [made] if made else [], said, (asked, ", ".join(list(files)[-_FILES:])), call)


def _is_news(moment: Moment, memory_id: str, at: int) -> bool:
    return moment.event["at"] - at < _RECENT and not moment.was_offered(memory_id)
