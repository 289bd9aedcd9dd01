"""The files of a work tree, each read once as long as it does not change, and where renamed ones are now."""

from __future__ import annotations

import os

from rum.model.anchors import BLOB_LENGTH, FRESH, GONE, MOVED, NO_ANSWER, Freshness
from rum.repo.anchors.check import check_anchor
from rum.repo.anchors.make import make_anchors
from rum.repo.anchors.source_file import SourceFile, blob_of, is_binary
from rum.repo.files import BLOB_LIMIT
from rum.settings.home import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rum.model.anchors import Anchor
    from rum.repo.anchors.make import Span

    LaterNames = Callable[[list[str]], Mapping[str, list[str]]]

_MAX_FILES = 64  # Files kept in memory
_MAX_KEPT = 32 * 1024 * 1024  # Bytes of the files kept in memory
_INDEX_LIMIT = 64 * 1024 * 1024
_INDEX_HEADER = b"DIRC\0\0\0"
_ENTRY_START, _ID_OFFSET, _ID_LENGTH = 12, 40, 20  # Of git's index: bytes
_EXTENDED, _SKIP_WORKTREE, _NAME_LENGTH = 0x4000, 0x4000, 0xFFF
_MAX_RENAMES = 5  # Names that a file is followed through

Stamp = tuple[int, int, int]


class _File:
    """One file that was read."""

    __slots__ = ("blob", "data", "is_binary", "path", "source", "stamp")

    def __init__(self, path: str, data: bytes, stamp: Stamp) -> None:
        self.path = path
        self.stamp = stamp
        self.blob = blob_of(data)
        self.is_binary = is_binary(data)
        self.data = data
        self.source: SourceFile | None = None

    def lines(self) -> SourceFile:
        if self.source is None:
            self.source = SourceFile(self.data, self.path)
        return self.source


class Checkout:
    """A work tree with its files as anchors need them."""

    def __init__(self, root: str, git_dir: str | None) -> None:
        """`git_dir` is None outside a git repository."""
        self.root = root
        self._git_dir = git_dir
        self._files: dict[str, _File] = {}
        self._index: tuple[Stamp, bytes] | None = None

    def anchors(self, path: str, spans: Sequence[Span], commit: str = "") -> list[Anchor]:
        """Anchors of spans of a file as it is now; none if it cannot be read."""
        file = self._read(path)
        return make_anchors(file.data, path, spans, commit) if file else []

    def content(self, path: str) -> bytes | None:
        """A file as it is now; None if it cannot be read, or is too large."""
        file = self._read(path)
        return file.data if file else None

    def check(self, anchors: Iterable[Anchor], later_names: LaterNames | None = None) -> list[Freshness]:
        """What each anchor's code is now.

        `later_names` returns the names that files got later; it is asked only for missing files.
        """
        return [self._check(anchor, later_names) for anchor in anchors]

    def _check(self, anchor: Anchor, later_names: LaterNames | None) -> Freshness:
        file = self._read(anchor.path)
        if file is not None:
            return _compared(anchor, file, anchor.path)
        if not is_inside(anchor.path) or not self._is_missing(anchor.path):
            return NO_ANSWER
        for path in self._renamed(anchor, later_names):
            file = self._read(path)
            if file is not None:
                return _compared(anchor, file, path)
        return Freshness(GONE, anchor.path, anchor.start, anchor.end, 1.0)

    def _renamed(self, anchor: Anchor, later_names: LaterNames | None) -> Iterable[str]:
        if same := self._path_of_blob(anchor.blob):
            yield same
        names, seen = [anchor.path], {anchor.path}
        for _ in range(_MAX_RENAMES if later_names else 0):
            assert later_names
            found = later_names(names)
            names = [name for old in names for name in found.get(old, ()) if name not in seen]
            seen.update(names)
            if not names:
                return
            yield from names

    def _read(self, path: str) -> _File | None:
        """A file as it is now; None if it is missing, not a regular file, too large or outside the root."""
        if not is_inside(path):
            return None
        whole = os.path.join(self.root, path)
        known = self._files.get(path)
        try:
            if known is not None and known.stamp == _stamp(os.stat(whole)):
                return known
            data, state = read_bounded(whole, BLOB_LIMIT)
        except (OSError, ValueError):
            return None
        self._drop_some(len(data))
        file = self._files[path] = _File(path, data, _stamp(state))
        return file

    def _drop_some(self, more: int) -> None:
        """Make room for a file, the oldest ones first."""
        kept = sum(len(file.data) for file in self._files.values())
        while self._files and (len(self._files) >= _MAX_FILES or kept + more > _MAX_KEPT):
            kept -= len(self._files.pop(next(iter(self._files))).data)

    def _is_missing(self, path: str) -> bool:
        """Whether there is no such file, not even one that is too large or outside a sparse checkout."""
        if not os.path.isdir(self.root) or os.path.lexists(os.path.join(self.root, path)):
            return False
        index = self._read_index()
        at = index.find(os.fsencode(path) + b"\0") if index else -1
        name_length = min(len(os.fsencode(path)), _NAME_LENGTH)
        flags = _number(index, at - 4)
        is_extended = at > 0 and flags & _EXTENDED and flags & _NAME_LENGTH == name_length
        return not (is_extended and _number(index, at - 2) & _SKIP_WORKTREE)

    def _path_of_blob(self, blob: str) -> str | None:
        """The file that has exactly this content by git's index."""
        index = self._read_index()
        wanted = bytes.fromhex(blob) if len(blob) == BLOB_LENGTH else b""
        at = index.find(wanted) if wanted else -1
        while at >= 0:
            if (at - _ENTRY_START - _ID_OFFSET) % 8 == 0:
                name = at + _ID_LENGTH + 2
                name += 2 if _number(index, name - 2) & _EXTENDED else 0
                return os.fsdecode(index[name : index.find(b"\0", name)])
            at = index.find(wanted, at + 1)
        return None

    def _read_index(self) -> bytes:
        """Git's list of files; empty if there is none, or its paths are compressed."""
        if self._git_dir is None:
            return b""
        path = os.path.join(self._git_dir, "index")
        try:
            stamp = _stamp(os.stat(path))
            if self._index is None or self._index[0] != stamp:
                data, state = read_bounded(path, _INDEX_LIMIT)
                is_plain = data.startswith(_INDEX_HEADER) and data[7:8] in (b"\2", b"\3")
                self._index = _stamp(state), data if is_plain else b""
        except (OSError, ValueError):
            return b""
        return self._index[1]


def _compared(anchor: Anchor, file: _File, path: str) -> Freshness:
    if file.blob == anchor.blob:
        return Freshness(FRESH if path == anchor.path else MOVED, path, anchor.start, anchor.end)
    return NO_ANSWER if file.is_binary else check_anchor(anchor, file.lines(), path)


def is_inside(path: str) -> bool:
    """Whether a path stays below the root of a work tree."""
    if not path or "\0" in path or os.path.isabs(path) or path.startswith("~"):
        return False
    return ".." not in path.replace("\\", "/").split("/")


def _stamp(state: os.stat_result) -> Stamp:
    return state.st_mtime_ns, state.st_size, state.st_ino


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big") if at >= 0 else 0
