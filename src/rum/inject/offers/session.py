"""Offers at the start of a session: unfinished work, recent learnings, new commits.

After compaction: the work of the session itself. Also a problem of capture, once.
"""

from __future__ import annotations

import os

from rum.capture.events import problems, spool
from rum.inject.offers.context import day
from rum.repo.files import blob_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import MemoryRow

KIND = "session"
_OPTIONAL = "Optional: "  # Before a follow-up that need not be done
_MAX_MEMORIES = 40  # The newest memories, which are examined
_MAX_AGE = 30 * 86_400  # Seconds; older work and learnings are not offered
# Maximum number of learnings, of commits and of files in an offer.
_MAX_LEARNINGS, _MAX_COMMITS, _MAX_FILES = 2, 3, 6


def offers(context: OfferContext) -> list[Offer]:
    """The offers at the start of a session, most urgent first."""
    if context.event["kind"] != "start":
        return []
    source = context.event.get("source", "startup")
    offers_found = [_problem(context), _question(context)]
    if source == "compact":
        offers_found.append(_before_compaction(context))
    elif source != "resume":
        rows = list(context.store.newest_memories(_MAX_MEMORIES))
        unfinished = _unfinished(context, rows)
        shown = unfinished.memory_ids if unfinished else ()
        others = [memory for memory in rows if memory.id not in shown]
        offers_found += [unfinished, _learned(context, others), _changed(context, rows)]
    return [offer for offer in offers_found if offer is not None]


def _problem(context: OfferContext) -> Offer | None:
    home = os.path.dirname(os.path.dirname(context.folder))
    # Events of an unknown project may belong to this one.
    spool_folders = (*context.spool_folders, *spool.unclaimed_folders(home))
    problem = problems.report_once(spool_folders, context.event["at"])
    return context.offer("trouble", (), "{0}.", (problem,)) if problem else None


def _question(context: OfferContext) -> Offer | None:
    """Which other project this may be, if nobody was told yet; only a person can join them."""
    from rum.repo.project import take_question  # noqa: PLC0415 (once a session)

    question = take_question(context.folder)
    return context.offer("trouble", (), "{0}.", (question,)) if question else None


def _unfinished(context: OfferContext, rows: list[MemoryRow]) -> Offer | None:
    """The newest work that failed or has a follow-up, unless later work settled it or has the same goal.

    Work whose files were changed with success since may be settled, and so may a follow-up about such a file:
    in doubt nothing is said.
    """
    done: set[str] = set()
    changed = context.store.changed_files(memory.id for memory in rows)
    changed_since: set[str] = set()
    for memory in rows:
        follow_up, goal = _first(memory, "follow_up_needed", (_OPTIONAL,)), memory.goal
        is_unfinished = not memory.success or memory.is_partial
        own_files = changed.get(memory.id, {})
        if is_unfinished:
            is_open = not (memory.is_settled or memory.reverted_by or own_files.keys() & changed_since)
            is_open = is_open and not _is_changed(context, own_files)
        else:
            is_open = bool(follow_up) and not any(
                path.rpartition("/")[2] in str(follow_up) for path in changed_since
            )
            changed_since |= own_files.keys()
        is_own = memory.imported_at is None and goal.casefold() not in done
        if is_open and is_own and _is_recent_and_new(context, memory.id, memory.created_at):
            why = "" if memory.success else memory.outcome.get("failure_reason") or ""
            # What was taken back on purpose, with nothing left to do, need not be done any more.
            is_undone = "changes were undone by" in why.lower() and not follow_up
            what = "Tried and taken back" if is_undone else "Left unfinished"
            text = f"{what} on {day(memory.created_at)}: {{0}}." + (" Why: {1}." if why else "")
            text += " To do: {2}." if follow_up else ""
            if not is_unfinished:
                text = f"Left to do on {day(memory.created_at)}: {{2}}. It is from: {{0}}."
            return context.offer(KIND, [memory.id], text, (goal, why, follow_up or ""))
        if memory.success:
            done.add(goal.casefold())
    return None


def _first(memory: MemoryRow, field: str, but: Sequence[str] = ()) -> str | None:
    """The first text of a list in an outcome, without those that quote one of `but`."""
    texts = (str(text) for text in memory.outcome.get(field) or ())
    return next((text for text in texts if not any(one in text for one in but)), None)


def _is_changed(context: OfferContext, files: dict[str, str | None]) -> bool:
    """Whether somebody has changed one of these files since."""
    root = context.root
    return bool(root) and any(
        known and blob_id(os.path.join(str(root), path)) != known for path, known in files.items()
    )


def _learned(context: OfferContext, rows: list[MemoryRow]) -> Offer | None:
    """The first learning of each of the newest memories that have one."""
    # What the user said is told as such.
    said = [row.text for row in context.store.users_words(_MAX_MEMORIES)]
    learned = [(memory, _first(memory, "learnings", said)) for memory in rows]
    found = [
        (memory.id, str(text))
        for memory, text in learned
        if text and _is_recent_and_new(context, memory.id, memory.created_at)
    ]
    if not found:
        return None
    found = found[:_MAX_LEARNINGS]
    if len(found) > 1:  # of a single one the offer says it
        remarks = context.code_remarks([memory_id for memory_id, _ in found])
        found = [
            (one, f"{text.rstrip('.')} ({remarks[one]})" if remarks.get(one) else text) for one, text in found
        ]
    text = "Learned lately: " + "; ".join(f"{{{at}}}" for at in range(len(found))) + "."
    parts = [learning for _, learning in found]
    return context.offer(KIND, [memory_id for memory_id, _ in found], text, parts)


def _changed(context: OfferContext, rows: list[MemoryRow]) -> Offer | None:
    """The commits made in the checkout after its newest memory."""
    last = next((memory.commit for memory in rows if memory.commit and memory.imported_at is None), None)
    subjects = list(_commit_subjects_since(context.root, last)) if last and context.root else []
    if not last or not subjects:
        return None
    shown = subjects[-_MAX_COMMITS:]
    placeholders = "; ".join(f"{{{at}}}" for at in range(len(shown)))
    text = f"Commits since RUM last saw work here ({last[:9]}): {len(subjects)}, the last {placeholders}."
    return context.offer(KIND, (), text, shown)


def _commit_subjects_since(root: str, commit: str) -> Iterator[str]:
    """The subjects of the commits in HEAD's reflog after `commit`, oldest first; none if it is not there."""
    from rum.repo.git import find_git  # noqa: PLC0415

    repository = find_git(root)
    if repository is None:
        return
    try:
        with open(os.path.join(repository.git_dir, "logs", "HEAD"), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - 64 * 1024))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return
    at = max((n for n, line in enumerate(lines) if line[41:81].startswith(commit)), default=None)
    for line in lines[at + 1 :] if at is not None else ():
        operation, _, subject = line.partition("\t")[2].partition(": ")
        if operation.startswith(("commit", "merge", "pull", "cherry-pick", "am")) and subject:
            yield subject


def _before_compaction(context: OfferContext) -> Offer | None:
    """The last prompt of this session, the files it changed, and its last memory."""
    prompt, files = "", dict[str, None]()
    for event in context.session_events():
        if event["kind"] == "prompt":
            prompt = event.get("text") or prompt
        else:
            paths = (context.path_of(file) for file in event.get("files", []) if file["operation"] != "read")
            files.update((path, None) for path in paths if path)
    if not prompt and not files:
        return None
    memory_id = context.store.last_of_session(context.event["session"])
    text = (
        "Before compaction" + (": asked “{0}”" if prompt else "") + ("; changed {1}" if files else "") + "."
    )
    parts = (prompt, ", ".join(list(files)[-_MAX_FILES:]))
    return context.offer(KIND, [memory_id] if memory_id else [], text, parts)


def _is_recent_and_new(context: OfferContext, memory_id: str, at: int) -> bool:
    return context.event["at"] - at < _MAX_AGE and not context.was_offered(memory_id)
