"""A warning before a failed attempt is repeated: what it was, why it failed, what worked instead."""

from __future__ import annotations

import os

from rum.inject.offers.context import day, has_line
from rum.store.attempt_fingerprint import (
    REJECTED_BY_USER,
    REPLACED_FOR_USER,
    command_tried,
    edit_marks,
    edit_shapes,
    misused_words,
    sampled,
    shared,
    started_by,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rum.capture.events.event import FileAccess
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
_MAX_NAMES = 5  # Files in a command line that it may edit
_FILE = r"[\w./-]*\w\.\w{1,8}(?![\w(])"
_SUBSTITUTED = r"\bs([/|#])(.+?)\1(.*?)\1"
_REPLACED = r"""replace\(\s*(["'])(.*?)\1,\s*(["'])(.*?)\3"""
_PART = 0.4  # An edit within a line has at least this share of the line that failed
# Of two longer lines, that failed and that worked, only some characters before their difference are quoted.
_LONG, _BEFORE = 50, 8
# A condition that a failed edit lacked may be what it needed.
_GUARD = r"\s*(?:\}\s*)?(?:else )?(?:if|elif|elsif|unless|guard|try|with|when|while)\b"
# Errors of a command that could not be started; another way to start it may work.
_NO_PROGRAM = r"(?i)command not found|not recogni[sz]ed as"
_NOT_STARTED = r"(?i)not found|no module named|not recogni[sz]ed as|no such file|enoent|not installed"


# What became of an attempt that did not fail, by how its reason begins.
_RESULTS = {REJECTED_BY_USER: REJECTED_BY_USER, REPLACED_FOR_USER: "replaced", "undone by": "taken back"}


def offers(context: OfferContext) -> list[Offer]:
    """At most one warning; none if the same thing worked later or if the failure is from this session."""
    for key, found in _repeated(context):
        if found is not None and not context.was_offered(found.memory_id, KIND):
            return [_offer(context, found, key)]
    return []


def _repeated(context: OfferContext) -> Iterable[tuple[str, AttemptRow | None]]:
    """What the event repeats: the path, empty for a command, and the attempt that failed, if any."""
    event, store = context.event, context.store
    if event.get("tool") == "run" and (tried := command_tried(event.get("command", ""))) is not None:
        rows, start = store.attempts(tried.key, _MAX_ATTEMPTS), started_by(event.get("command", ""))
        yield "", _repeated_command(tried.marks, rows, event["session"], start)
    for file in (*event.get("files", []), *_edits_by_command(event.get("command", ""))):
        path = context.path_of(file) if file["operation"] != "read" else None
        if path and (rows := store.attempts(path, _MAX_ATTEMPTS)):
            added, removed, rest = _whole_lines(context, file)
            for one in dict.fromkeys((added, _with_joined_lines(added))):
                found = _repeated_edit(one, removed, rows, event["session"])
                # Where what worked instead stays, the edit is about another place in the file; where what
                # failed is, the code has come to live with it.
                is_there = found is not None and (_is_elsewhere(found, rest) or has_line(rest, found.tried))
                yield path, None if is_there else found


def _is_elsewhere(row: AttemptRow, rest: str) -> bool:
    """Whether the rest of the file has what worked in place of an edit: another version of the same lines."""
    if not row.instead or row.instead not in rest:
        return False
    import re  # noqa: PLC0415 (few edits are like a failed one)

    return not set(re.findall(r"\w+", row.tried)).isdisjoint(re.findall(r"\w+", row.instead))


def _edits_by_command(command: str) -> Iterable[FileAccess]:
    """The edits that a command line makes: by a here document, `sed -i`, or a script that replaces a text."""
    if not any(sign in command for sign in ("<<", "-i", ".replace(")):
        return
    import re  # noqa: PLC0415 (few commands edit files)

    body = command.partition("<<")[2].partition("\n")[2]
    replaced = [(old, new) for _, old, new in re.findall(_SUBSTITUTED, command)]
    replaced += [(old, new) for _, old, _, new in re.findall(_REPLACED, command)]
    for name in list(dict.fromkeys(re.findall(_FILE, command)))[:_MAX_NAMES]:
        for old, new in replaced or ([("", body)] if body else []):
            yield {"path": name, "operation": "edit", "added": new, "removed": old}


def _with_joined_lines(code: str) -> str:
    """Code with each statement on one line that a formatter has broken at its brackets."""
    lines: list[str] = []
    depth = 0
    for line in code.splitlines():
        if depth > 0 and lines:
            lines[-1] = lines[-1].rstrip() + (" " if lines[-1].rstrip().endswith(",") else "") + line.strip()
        else:
            lines.append(line)
        depth = (
            max(0, depth) + sum(line.count(sign) for sign in "([") - sum(line.count(sign) for sign in ")]")
        )
    return "\n".join(line.replace(", )", ")").replace(",)", ")").replace(", ]", "]") for line in lines)


def _whole_lines(context: OfferContext, file: FileAccess) -> tuple[str, str, str]:
    """What an edit adds and removes, and the rest of the file.

    Of an edit within a line, which is yet to be made, it is whole lines; the rest is empty if it is unknown.
    A file that is written as a whole replaces what it has.
    """
    new, old = file.get("added", ""), file.get("removed", "")
    if context.event["kind"] != "before":
        return new, old, ""
    text = context.text_of(os.path.join(context.event["cwd"], file["path"]))
    if text is None:
        return new, old, ""
    if not old:
        return new, text, ""
    at = text.find(old)
    if at < 0:
        return new, old, ""
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at + len(old))
    end = len(text) if end < 0 else end
    head, tail = text[start:at], text[at + len(old) : end]
    return head + new + tail, head + old + tail, text[:start] + text[end:]


def _repeated_edit(added: str, removed: str, rows: Sequence[AttemptRow], session: str) -> AttemptRow | None:
    """The failed edit that is being repeated; none if the same thing worked later."""
    marks = edit_marks(added, removed)
    worked: list[AttemptRow] = []
    for row in rows if marks else ():
        if row.worked:
            worked.append(row)
        elif is_alike(marks, row.marks, row.size, is_command=False) or _puts_back(added, removed, row):
            if row.session_id == session:
                return None
            if not any(_worked_since(marks, row, later) for later in worked) and not _is_guarded(added, row):
                return row
    return None


def _puts_back(added: str, removed: str, row: AttemptRow) -> bool:
    """Whether an edit replaces what worked by what failed, maybe with other names for the same values."""
    if not row.instead or not row.tried:
        return False
    new, old = edit_shapes(added), edit_shapes(removed)
    failed, worked = edit_shapes(row.tried), edit_shapes(row.instead)
    return bool(failed) and failed <= new - old and bool(worked & old) and not worked & new


def _is_guarded(added: str, row: AttemptRow) -> bool:
    """Whether an edit adds a condition to what failed, which is only a part of it."""
    import re  # noqa: PLC0415 (few edits are like a failed one)

    if len(edit_marks(added)) <= row.size:
        return False
    known = frozenset(sampled(row.marks))
    lines = (edit_marks(line) for line in added.splitlines() if re.match(_GUARD, line))
    return any(line and not line & known for line in lines)


def _repeated_command(
    marks: frozenset[int], rows: Sequence[AttemptRow], session: str, start: str
) -> AttemptRow | None:
    """The failed command that is being repeated.

    There is none if the same command worked later. One that worked before must have failed in two memories: a
    single failure may be a coincidence. A program that could not be started may work if started otherwise.
    """
    if (misused := _repeated_misuse(marks, rows)) is not None:
        return None if misused.session_id == session else misused
    variables = _variables(start)
    found, failures, worked = None, set[str](), set[str]()
    within = [row for row in rows if _is_part(marks, row)]
    # With other words added it may work, but not if it has failed in two memories and never worked so.
    has_failed_often = len({row.memory_id for row in within}) > 1 and not any(row.worked for row in within)
    has_run = False
    for row in rows:
        is_same = is_alike(marks, row.marks, row.size, is_command=True) or (
            has_failed_often and row in within
        )
        # A variable that was set may be what a command needed.
        if is_same and _variables(row.tried if row.worked else started_by(row.tried)) != variables:
            continue
        if not is_same:
            has_run = has_run or (bool(row.worked) and row.tried == start)
            # A program that is missing is missing whatever it is to do.
            if has_run or not _is_missing(row):
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


def _repeated_misuse(marks: frozenset[int], rows: Sequence[AttemptRow]) -> AttemptRow | None:
    """The newest failure whose error names an option of the new command that has never worked since."""
    for at, row in enumerate(rows):
        named = misused_words(row.tried, row.why) if not row.worked else None
        if named and named <= marks:
            since = (set(sampled(one.marks)) for one in rows[:at] if one.worked)
            return None if any(named <= one for one in since) else row
    return None


def _variables(start: str) -> frozenset[str]:
    """The names of the variables that are set for a command."""
    return frozenset(word.partition("=")[0] for word in start.split() if "=" in word)


def _is_part(marks: frozenset[int], row: AttemptRow) -> bool:
    """Whether a command has all words of an earlier one."""
    return row.size > 1 and shared(row.marks, row.size, marks) >= row.size


def _is_missing(row: AttemptRow) -> bool:
    import re  # noqa: PLC0415 (as below)

    return not row.worked and re.search(_NO_PROGRAM, row.why) is not None


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
    result = next((said for start, said in _RESULTS.items() if row.why.startswith(start)), "failed")
    start = f"Tried before and {result}" + (" in {1}" if path else "")
    why = row.why.removeprefix(REJECTED_BY_USER).removeprefix("replaced after ").lstrip(": ")
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
