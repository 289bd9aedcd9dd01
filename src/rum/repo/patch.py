"""What a commit changed, from the two forms in which git prints it: a list of files, then a patch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_FILE = b"diff --git "
_HUNK = b"@@ "
_TELLING = (_HUNK, _FILE)
_NUMBERS = re.compile(rb"@@ -(?:\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)")
_REGULAR = (b"100644", b"100755")
_SUBMODULE = b"160000"
_SHA1 = 40


class Change(NamedTuple):
    """What happened to one file.

    `status` is git's letter: A added, M modified, D deleted, R renamed (from `before`), T another type.
    `blob` is git's id of the new content, where that is a plain file's. `lines` are the ranges of the
    new file that were written or stand where something was removed; `inside` are the lines git
    names for them, such as a function's head. Both are empty when the lines are not known.
    """

    path: str
    status: str
    before: str | None = None
    blob: str | None = None
    submodule: bool = False
    added: int = 0
    removed: int = 0
    lines: tuple[tuple[int, int], ...] = ()
    inside: tuple[str, ...] = ()


class _Hunks:
    """The hunks of one file, added up."""

    def __init__(self) -> None:
        self.added = self.removed = 0
        self.lines: list[tuple[int, int]] = []
        self.inside: dict[str, None] = {}

    def add(self, line: bytes) -> None:
        found = _NUMBERS.match(line)
        if not found:
            return
        removed, start, added, inside = found.groups()
        count = 1 if added is None else int(added)
        self.removed += 1 if removed is None else int(removed)
        self.added += count
        first = max(1, int(start))
        self.lines.append((first, first + max(0, count - 1)))
        if inside:
            self.inside[text(inside)] = None


def changes_of(printed: bytes) -> list[Change]:
    """The changes of one commit, from all that git prints after its message."""
    found, start = _list(printed, 0)
    blocks = list(_blocks(printed[start:]))
    # Git prints another type as two blocks: the old thing goes, the new one comes.
    if len(blocks) != sum(2 if change.status == "T" else 1 for change in found):
        return found
    rest = iter(blocks)
    return [_with_lines(change, rest) for change in found]


def _list(printed: bytes, at: int) -> tuple[list[Change], int]:
    """The files that are listed from there on, and where the patch begins; ValueError if it breaks off."""
    found: list[Change] = []
    at = _past(printed, at)
    while printed.startswith(b":", at):
        change, at = _listed(printed, at)
        found.append(change)
    return found, _past(printed, at)


def _past(printed: bytes, at: int) -> int:
    """Where what stands between two parts ends."""
    while printed[at : at + 1] in (b"\0", b"\n"):
        at += 1
    return at


def _listed(fields: bytes, at: int) -> tuple[Change, int]:
    """One entry `:modes ids status NUL path NUL`, and where the next begins."""
    end = fields.index(b"\0", at)
    _, mode, _, blob, status = fields[at + 1 : end].split(b" ")
    letter = status[:1].decode()
    names: list[bytes] = []
    for _ in range(2 if letter in "RC" else 1):
        start, end = end + 1, fields.index(b"\0", end + 1)
        names.append(fields[start:end])
    is_blob = mode in _REGULAR and len(blob) == _SHA1
    change = Change(
        path=text(names[-1]),
        status=letter,
        before=text(names[0]) if len(names) > 1 else None,
        blob=blob.decode() if is_blob else None,
        submodule=mode == _SUBMODULE,
    )
    return change, end + 1


def _blocks(patch: bytes) -> Iterator[_Hunks]:
    hunks: _Hunks | None = None
    for line in _telling(patch):
        if line.startswith(_FILE):
            if hunks:
                yield hunks
            hunks = _Hunks()
        elif hunks:
            hunks.add(line)
    if hunks:
        yield hunks


def _with_lines(change: Change, blocks: Iterator[_Hunks]) -> Change:
    hunks = next(blocks)
    if change.status == "T":
        hunks = next(blocks)
    if change.submodule:
        return change
    gone = change.status == "D"
    return change._replace(
        added=hunks.added,
        removed=hunks.removed,
        lines=() if gone else tuple(hunks.lines),
        inside=() if gone else tuple(hunks.inside),
    )


def thinned(record: bytes, after: int) -> bytes:
    """A commit that is still being printed, without the lines of its patch that tell nothing.

    `after` is where its message ends: what people wrote before that may look like a patch.
    """
    try:
        _, start = _list(record, after)
    except ValueError:  # the list of files is not all there yet
        return record
    end = record.rfind(b"\n") + 1
    if end <= start:
        return record
    kept = b"\n".join(_telling(record[start:end]))
    return record[:start] + kept + b"\n" + record[end:]


def _telling(patch: bytes) -> list[bytes]:
    # Lines of the files themselves begin with a sign: nothing in them can pass for a header.
    return [line for line in patch.split(b"\n") if line.startswith(_TELLING)]


def text(raw: bytes) -> str:
    """Bytes as text: UTF-8, or else what Western Europe used before it."""
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")
