"""A warning before a failed attempt is repeated: what it was, why it failed, what worked instead."""

from __future__ import annotations

from rum.inject.offers.context import day
from rum.store.attempt_fingerprint import (
    REJECTED_BY_USER,
    command_tried,
    edit_marks,
    sampled,
    shared,
    started_by,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rum.capture.events.event import Event
    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import AttemptRow

KIND = "warning"
_MAX_ATTEMPTS = 200  # The newest attempts with the same key, which are compared
# Minimum similarity (the share of common marks) at which two edits are considered the same.
SAME = 0.45
SAME_COMMAND = 0.9  # The same for commands: one added word may be the solution
# Edits with at most `SMALL` marks may be similar by chance, so they need a higher share.
SMALL, SAME_SMALL = 12, 0.75
_RELATED = 0.5  # The share of marks in common from which an edit that worked competes with one that failed
# An edit that failed is also repeated within a larger edit or a longer line. Of one with at least `LARGE`
# marks the share `WITHIN` must be there; of one with at least `MEDIUM` all but the mark of a whole line; one
# with fewer than `LEAST` may be there by chance.
WITHIN, LARGE, MEDIUM, LEAST = 0.9, 16, 5, 3
_PART = 0.4  # An edit within a line has at least this share of the line that failed
# Of two longer lines, that failed and that worked, only some characters before their difference are quoted.
_LONG, _BEFORE = 50, 8
# A condition that a failed edit lacked may be what it needed.
_GUARD = r"\s*(?:\}\s*)?(?:else )?(?:if|elif|elsif|unless|guard|try|with|when|while)\b"
# Errors of a command that could not be started; another way to start it may work.
_NOT_STARTED = r"(?i)not found|no module named|not recogni[sz]ed as|no such file|enoent|not installed"


def offers(context: OfferContext) -> list[Offer]:
    """At most one warning; none if the same thing worked later or if the failure is from this session."""
    event = context.event
    if event["kind"] not in ("before", "after", "failed") or event.get("exit") == 0:
        return []
    for key, marks, is_command in _attempts_in_event(context):
        rows = context.store.attempts(key, _MAX_ATTEMPTS)
        if is_command:
            found = _repeated_command(marks, rows, event["session"], started_by(event.get("command", "")))
        else:
            found = _repeated_edit(marks, rows, event, key)
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


def _repeated_edit(
    marks: frozenset[int], rows: Sequence[AttemptRow], event: Event, path: str
) -> AttemptRow | None:
    """The failed edit that is being repeated; none if the same thing worked later."""
    worked: list[AttemptRow] = []
    for row in rows:
        if row.worked:
            worked.append(row)
        elif is_alike(marks, row.marks, row.size, is_command=False) or _is_wrong_part(marks, row, worked):
            if row.session_id == event["session"]:
                return None
            is_other = any(_worked_since(marks, row, later) for later in worked) or _is_guarded(
                event, row, path
            )
            if not is_other:
                return row
    return None


def _is_wrong_part(marks: frozenset[int], failed: AttemptRow, worked: Sequence[AttemptRow]) -> bool:
    """Whether an edit within a line puts back just what tells a failed line from one that worked later."""
    bad = set(sampled(failed.marks))
    if len(marks) < LEAST or len(marks & bad) < len(marks) - 1:
        return False
    for row in worked:
        good = set(sampled(row.marks))
        only_bad = bad - good
        if len(bad & good) >= _RELATED * len(bad) and len(only_bad & marks) >= _RELATED * len(only_bad) > 0:
            return True
    return False


def _is_guarded(event: Event, row: AttemptRow, path: str) -> bool:
    """Whether an edit adds a condition to what failed, which is only a part of it."""
    import re  # noqa: PLC0415 (few edits are like a failed one)

    known = frozenset(sampled(row.marks))
    for file in event.get("files", []):
        added = file.get("added", "")
        if (
            path.endswith(file["path"].replace("\\", "/").rpartition("/")[2])
            and len(edit_marks(added)) > row.size
        ):
            lines = (edit_marks(line) for line in added.splitlines() if re.match(_GUARD, line))
            if any(line and not line & known for line in lines):
                return True
    return False


def _repeated_command(
    marks: frozenset[int], rows: Sequence[AttemptRow], session: str, start: str
) -> AttemptRow | None:
    """The failed command that is being repeated.

    There is none if the same command worked later. One that worked before must have failed in two memories: a
    single failure may be a coincidence. A program that could not be started may work if started otherwise.
    """
    found, failures, worked = None, set[str](), set[str]()
    for row in rows:
        if not is_alike(marks, row.marks, row.size, is_command=True):
            continue
        if row.worked:
            if found is not None and (not _is_not_started(found) or row.tried == start):
                return found if len(failures) > 1 else None
            worked.add(row.tried)
            continue
        if _is_not_started(row) and started_by(row.tried) != start:
            continue
        if found is None and (
            row.session_id == session or (start in worked if _is_not_started(row) else worked)
        ):
            return None
        found = found or row
        failures.add(row.memory_id)
    return found


def _is_not_started(row: AttemptRow) -> bool:
    import re  # noqa: PLC0415 (most hooks compare no command that failed)

    return re.search(_NOT_STARTED, row.why) is not None


def _worked_since(marks: frozenset[int], failed: AttemptRow, worked: AttemptRow) -> bool:
    """Whether an edit is rather what worked later than what failed, by the marks that tell the two apart."""
    bad, good = set(sampled(failed.marks)), set(sampled(worked.marks))
    if len(bad & good) < _RELATED * len(bad):
        return False
    if only_bad := bad - good:
        return len(only_bad & marks) < _RELATED * len(only_bad)
    only_good = good - bad
    return len(only_good & marks) >= _RELATED * len(only_good)


def is_alike(marks: frozenset[int], sample: bytes, size: int, *, is_command: bool) -> bool:
    """Whether an attempt is the same as another, of which a sample and the number of marks are known."""
    similarity = _similarity(marks, sample, size)
    if is_command:
        return similarity >= SAME_COMMAND
    if similarity >= (SAME_SMALL if min(len(marks), size) <= SMALL else SAME):
        return True
    both = shared(sample, size, marks)
    if size >= LARGE and both >= WITHIN * size:
        return True
    # Of a line within a longer line only the mark of the whole line is missing.
    if LEAST <= size < LARGE and both >= size - (size >= MEDIUM):
        return True
    return len(marks) > MEDIUM and both >= len(marks) - 1 and both >= _PART * size


def _similarity(marks: frozenset[int], sample: bytes, size: int) -> float:
    """The number of common marks divided by the number of all marks of both."""
    both = shared(sample, size, marks)
    return both / max(1.0, size + len(marks) - both)


def _offer(context: OfferContext, row: AttemptRow, path: str) -> Offer:
    is_rejected = row.why.startswith(REJECTED_BY_USER)
    start = f"Tried before and {REJECTED_BY_USER if is_rejected else 'failed'}" + (" in {1}" if path else "")
    why = row.why.removeprefix(REJECTED_BY_USER).lstrip(": ") if is_rejected else row.why
    rest = ": `{0}`" + (" ({2})." if why else ".") + (" Worked instead: `{3}`." if row.instead else "")
    text = f"{start} on {day(row.at)}{rest}"
    tried, instead = _without_common_start(row.tried, row.instead)
    parts = (tried, path, why, instead)
    # Keep most of what worked: without it the agent knows only what not to do.
    return context.offer(KIND, [row.memory_id], text, parts, shorter=start + rest, important_part=3)


def _without_common_start(tried: str, instead: str) -> tuple[str, str]:
    """Long lines without their common beginning: cut at the end they would look the same."""
    if min(len(tried), len(instead)) <= _LONG:
        return tried, instead
    at = next((at for at, (one, other) in enumerate(zip(tried, instead, strict=False)) if one != other), 0)
    start = tried.rfind(" ", 0, max(0, at - _BEFORE)) + 1
    return (tried, instead) if start <= _BEFORE else (f"…{tried[start:]}", f"…{instead[start:]}")
