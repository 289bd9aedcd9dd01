"""A warning before something is tried that failed before: what it was, why it failed, what worked instead."""

from __future__ import annotations

from rum.inject.offers.situation import day
from rum.store.attempt_fingerprint import command_tried, edit_marks, shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from rum.inject.offers.situation import Moment
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import AttemptRow

KIND = "warning"
_LOOKED_AT = 200  # Attempts of one key that are compared, the newest
# The share of all their marks that an edit and a failed one have in common when they are the same.
SAME = 0.55
SAME_COMMAND = 0.9  # The same for commands: one more word may be what was missing
SMALL, SAME_SMALL = 12, 0.75  # An edit of so few marks may be alike by chance; it must share more
# A failed edit of so many marks is tried again where such a share of it stands within a larger edit.
LARGE, WITHIN = 16, 0.9


def offers(moment: Moment) -> list[Offer]:
    """A warning, or nothing: also where the same thing worked since, or this session tried it itself."""
    event = moment.event
    if event["kind"] not in ("before", "after", "failed") or event.get("exit") == 0:
        return []
    for key, marks, is_command in _tries(moment):
        rows = moment.store.attempts(key, _LOOKED_AT)
        found = repeated(marks, rows, event["session"], is_command=is_command)
        if found is not None and not moment.was_offered(found.memory_id, KIND):
            return [_offer(moment, found, "" if is_command else key)]
    return []


def _tries(moment: Moment) -> Iterable[tuple[str, frozenset[int], bool]]:
    event = moment.event
    if event.get("tool") == "run":
        tried = command_tried(event.get("command", ""))
        if tried is not None:
            yield tried.key, tried.marks, True
    for file in event.get("files", []):
        marks = edit_marks(file.get("added", ""), file.get("removed", "")) if _changes(file) else None
        path = moment.path_of(file) if marks else None
        if marks and path:
            yield path, marks, False


def _changes(file: Any) -> bool:
    return file["operation"] != "read"


def repeated(
    marks: frozenset[int], rows: Sequence[AttemptRow], session: str, *, is_command: bool = False
) -> AttemptRow | None:
    """The failed attempt that is being repeated, of attempts from newest to oldest; None where there is none.

    What worked since decides, and so does what worked and is more like what is tried now than what failed.
    A command that had worked before must have failed in two memories: once tells of that day, not of it.
    """
    worked, found, failures = 0.0, None, set[str]()
    for row in rows:
        likeness = _likeness(marks, row.marks, row.size)
        if row.worked and found is None:
            worked = max(worked, likeness)
        if not is_alike(marks, row.marks, row.size, is_command=is_command):
            continue
        if row.worked and found is not None:
            return found if len(failures) > 1 else None
        if not row.worked:
            if found is None and (likeness <= worked or row.session_id == session):
                return None
            found = found or row
            if not is_command:
                return found
            failures.add(row.memory_id)
    return found


def is_alike(marks: frozenset[int], sample: bytes, size: int, *, is_command: bool) -> bool:
    """Whether what has these marks is the same as something of that size, of whose marks this is a sample."""
    likeness = _likeness(marks, sample, size)
    if is_command:
        return likeness >= SAME_COMMAND
    if likeness >= (SAME_SMALL if min(len(marks), size) <= SMALL else SAME):
        return True
    return size >= LARGE and shared(sample, size, marks) >= WITHIN * size


def _likeness(marks: frozenset[int], sample: bytes, size: int) -> float:
    """The share of the marks of both that both have."""
    both = shared(sample, size, marks)
    return both / max(1.0, size + len(marks) - both)


def _offer(moment: Moment, row: AttemptRow, path: str) -> Offer:
    start, rest = "Tried before and failed" + (" in {1}" if path else ""), ": `{0}`"
    rest += (" ({2})." if row.why else ".") + (" Worked instead: `{3}`." if row.instead else "")
    text = f"{start} on {day(row.at)}{rest}"
    parts = (row.tried, path, row.why, row.instead)
    # What worked is worth the most: without it the agent knows only what not to do.
    return moment.offer(KIND, [row.memory_id], text, parts, shorter=start + rest, dear=3)
