"""What a session should know when it begins: work left undone, what was learned lately, what changed since.

After compaction: what the session itself had done. And once, that capture had trouble.
"""

from __future__ import annotations

import os

from rum.capture.events import problems, spool
from rum.inject.offers.situation import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from rum.inject.offers.situation import Moment
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import MemoryRow

KIND = "session"
_LATELY = 40
_RECENT = 30 * 86_400  # Seconds after which what was left undone or learned is no news
_COMMITS, _FILES = 3, 6  # So many commits, and files, are named


def offers(moment: Moment) -> list[Offer]:
    """What to say at the start of a session, the most urgent first."""
    if moment.event["kind"] != "start":
        return []
    source = moment.event.get("source", "startup")
    found = [_problem(moment)]
    if source == "compact":
        found.append(_before_compaction(moment))
    elif source != "resume":
        rows = list(moment.store.newest_memories(_LATELY))
        found += [_unfinished(moment, rows), _learned(moment, rows), _changed(moment, rows)]
    return [one for one in found if one is not None]


def _problem(moment: Moment) -> Offer | None:
    home = os.path.dirname(os.path.dirname(moment.folder))
    # Where a project could not be told, it may have been this one.
    places = (*moment.places, *spool.unclaimed_folders(home))
    problem = problems.report_once(places, moment.event["at"])
    return moment.offer("trouble", (), "{0}", (problem,)) if problem else None


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
            text = f"Left unfinished on {day(one.created_at)}: {{0}}." + (" Why: {1}." if why else "")
            text += " To do: {2}." if left else ""
            parts = [part.rstrip(".") for part in (goal, why, left or "")]
            return moment.offer(KIND, [one.id], text, parts)
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
    text = "Learned lately: {0}" + ("; {1}" if len(found) > 1 else "") + "."
    parts = [learning.rstrip(".") for _, learning in found]
    return moment.offer(KIND, [memory_id for memory_id, _ in found], text, parts)


def _changed(moment: Moment, rows: list[MemoryRow]) -> Offer | None:
    """The commits that the checkout got since the newest memory of its work."""
    last = next((one.commit for one in rows if one.commit and one.imported_at is None), None)
    subjects = list(_since(moment.root, last)) if last and moment.root else []
    if not last or not subjects:
        return None
    named = subjects[-_COMMITS:]
    places = "; ".join(f"{{{at}}}" for at in range(len(named)))
    text = f"Commits since RUM last saw work here ({last[:9]}): {len(subjects)}, the last {places}."
    return moment.offer(KIND, (), text, named)


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


def _before_compaction(moment: Moment) -> Offer | None:
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
    text = "Before compaction" + (": asked “{0}”" if asked else "") + ("; changed {1}" if files else "") + "."
    parts = (asked, ", ".join(list(files)[-_FILES:]))
    return moment.offer(KIND, [made] if made else [], text, parts)


def _is_news(moment: Moment, memory_id: str, at: int) -> bool:
    return moment.event["at"] - at < _RECENT and not moment.was_offered(memory_id)
