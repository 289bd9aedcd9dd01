"""A warning before a failed attempt is repeated: what it was, why it failed, what worked instead."""

from __future__ import annotations

from rum.inject.offers.context import day
from rum.store.attempt_fingerprint import command_tried, edit_marks, shared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import AttemptRow

KIND = "warning"
_MAX_ATTEMPTS = 200  # The newest attempts with the same key, which are compared
# Minimum similarity (the share of common marks) at which two edits are considered the same.
SAME = 0.55
SAME_COMMAND = 0.9  # The same for commands: one added word may be the solution
# Edits with at most `SMALL` marks may be similar by chance, so they need a higher share.
SMALL, SAME_SMALL = 12, 0.75
# A failed edit of at least `LARGE` marks is also repeated if this share of it is part of a larger edit.
LARGE, WITHIN = 16, 0.9


def offers(context: OfferContext) -> list[Offer]:
    """At most one warning; none if the same thing worked later or if the failure is from this session."""
    event = context.event
    if event["kind"] not in ("before", "after", "failed") or event.get("exit") == 0:
        return []
    for key, marks, is_command in _attempts_in_event(context):
        rows = context.store.attempts(key, _MAX_ATTEMPTS)
        found = repeated_failure(marks, rows, event["session"], is_command=is_command)
        if found is not None and not context.was_offered(found.memory_id, KIND):
            return [_offer(context, found, "" if is_command else key)]
    return []


def _attempts_in_event(context: OfferContext) -> Iterable[tuple[str, frozenset[int], bool]]:
    event = context.event
    if event.get("tool") == "run":
        tried = command_tried(event.get("command", ""))
        if tried is not None:
            yield tried.key, tried.marks, True
    for file in event.get("files", []):
        if file["operation"] != "read":
            marks = edit_marks(file.get("added", ""), file.get("removed", ""))
            path = context.path_of(file) if marks else None
            if marks and path:
                yield path, marks, False


def repeated_failure(
    marks: frozenset[int], rows: Sequence[AttemptRow], session: str, *, is_command: bool = False
) -> AttemptRow | None:
    """The failed attempt that is being repeated, or None; `rows` are sorted from newest to oldest.

    There is none if the same thing worked later, or if a later success is more similar than the failure.
    A command that worked before must have failed in two memories: a single failure may be a coincidence.
    """
    worked, found, failures = 0.0, None, set[str]()
    for row in rows:
        similarity = _similarity(marks, row.marks, row.size)
        if row.worked and found is None:
            worked = max(worked, similarity)
        if not is_alike(marks, row.marks, row.size, is_command=is_command):
            continue
        if row.worked and found is not None:
            return found if len(failures) > 1 else None
        if not row.worked:
            if found is None and (similarity <= worked or row.session_id == session):
                return None
            found = found or row
            if not is_command:
                return found
            failures.add(row.memory_id)
    return found


def is_alike(marks: frozenset[int], sample: bytes, size: int, *, is_command: bool) -> bool:
    """Whether an attempt is the same as another, of which a sample and the number of marks are known."""
    similarity = _similarity(marks, sample, size)
    if is_command:
        return similarity >= SAME_COMMAND
    if similarity >= (SAME_SMALL if min(len(marks), size) <= SMALL else SAME):
        return True
    return size >= LARGE and shared(sample, size, marks) >= WITHIN * size


def _similarity(marks: frozenset[int], sample: bytes, size: int) -> float:
    """The number of common marks divided by the number of all marks of both."""
    both = shared(sample, size, marks)
    return both / max(1.0, size + len(marks) - both)


def _offer(context: OfferContext, row: AttemptRow, path: str) -> Offer:
    start, rest = "Tried before and failed" + (" in {1}" if path else ""), ": `{0}`"
    rest += (" ({2})." if row.why else ".") + (" Worked instead: `{3}`." if row.instead else "")
    text = f"{start} on {day(row.at)}{rest}"
    parts = (row.tried, path, row.why, row.instead)
    # Keep most of what worked: without it the agent knows only what not to do.
    return context.offer(KIND, [row.memory_id], text, parts, shorter=start + rest, important_part=3)
