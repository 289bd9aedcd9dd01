"""The files of a work tree, each read once as long as it does not change, and where renamed ones are now."""

from __future__ import annotations

import os
from time import localtime, strftime

from rum.model.anchors import (
    BLOB_LENGTH,
    CHANGED,
    FRESH,
    GONE,
    MOVED,
    NO_ANSWER,
    Freshness,
    combine,
    decode,
    remark,
)
from rum.repo.anchors.check import check_anchor
from rum.repo.anchors.commits import KnownCommits
from rum.repo.anchors.make import make_anchors
from rum.repo.anchors.source_file import SourceFile
from rum.repo.files import BLOB_LIMIT
from rum.repo.git import find_git
from rum.settings.home import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from rum.model.anchors import Anchor
    from rum.repo.anchors.make import Span

    LaterNames = Callable[[list[str]], Mapping[str, list[str]]]

_MAX_FILES = 64  # Files kept in memory
_MAX_KEPT = 32 * 1024 * 1024  # Bytes of the files kept in memory
_MAX_ANSWERS = 500  # Of a file, kept as long as it does not change
_INDEX_LIMIT = 64 * 1024 * 1024
_INDEX_HEADER = b"DIRC\0\0\0"
_ENTRY_START, _ID_OFFSET, _ID_LENGTH = 12, 40, 20  # Of git's index: bytes
_EXTENDED, _SKIP_WORKTREE, _NAME_LENGTH = 0x4000, 0x4000, 0xFFF
_MAX_RENAMES = 5  # Names that a file is followed through

Stamp = tuple[int, int, int]


class Checkout:
    """A work tree with its files as anchors need them."""

    def __init__(self, root: str, git_dir: str | None) -> None:
        """`git_dir` is None outside a git repository."""
        self.root = root
        self._git_dir = git_dir
        self._files: dict[str, tuple[Stamp, SourceFile]] = {}
        self._kept = 0  # Bytes of `_files`
        self._index: tuple[Stamp, bytes] | None = None

    def anchors(self, path: str, spans: Sequence[Span], commit: str = "") -> list[Anchor]:
        """Anchors of spans of a file as it is now; none if it cannot be read."""
        file = self.file(path)
        return make_anchors(file, spans, commit) if file else []

    def content(self, path: str) -> bytes | None:
        """The content of a file as it is now; None if it cannot be read, or is too large."""
        file = self.file(path)
        return file.data if file else None

    def check(self, anchors: Iterable[Anchor], later_names: LaterNames | None = None) -> list[Freshness]:
        """What each anchor's code is now.

        `later_names` returns the names that files got later; it is asked only for missing files.
        """
        return [self._check(anchor, later_names) for anchor in anchors]

    def _check(self, anchor: Anchor, later_names: LaterNames | None) -> Freshness:
        file = self.file(anchor.path)
        if file is not None:
            return _compared(anchor, file, anchor.path)
        if not is_inside(anchor.path) or not self._is_missing(anchor.path):
            return NO_ANSWER
        for path in self._renamed(anchor, later_names):
            file = self.file(path)
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

    def file(self, path: str, *, anew: bool = False) -> SourceFile | None:
        """A file as it is now; None if it is missing, not a regular file, too large or outside the root.

        With `anew` it is read even if its stamp says that it is unchanged.
        """
        if not is_inside(path):
            return None
        whole = os.path.join(self.root, path)
        known = self._files.get(path)
        try:
            if known is not None and not anew and known[0] == _stamp(os.stat(whole)):
                return known[1]
            data, state = read_bounded(whole, BLOB_LIMIT)
        except (OSError, ValueError):
            return None
        self._drop(path)
        self._kept += len(data)
        while self._files and (len(self._files) >= _MAX_FILES or self._kept > _MAX_KEPT):
            self._drop(next(iter(self._files)))  # the oldest
        file = SourceFile(data, path)
        self._files[path] = _stamp(state), file
        return file

    def _drop(self, path: str) -> None:
        if dropped := self._files.pop(path, None):
            self._kept -= len(dropped[1].data)

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


def _compared(anchor: Anchor, file: SourceFile, path: str) -> Freshness:
    if file.blob == anchor.blob:
        return Freshness(FRESH if path == anchor.path else MOVED, path, anchor.start, anchor.end)
    if file.is_binary:
        return NO_ANSWER
    if anchor not in file.answers:
        if len(file.answers) >= _MAX_ANSWERS:
            file.answers.clear()
        file.answers[anchor] = check_anchor(anchor, file, path)
    return file.answers[anchor]


def known_state(anchor: Anchor, now: Freshness, commits: KnownCommits, checkout: Checkout) -> Freshness:
    """What can be said of an anchor's code: also to which other file a commit moved it, or which changed it.

    Nothing is said of code that may never have been part of the checkout, such as that of other branches.
    """
    if not commits.can_tell(anchor, now):
        return NO_ANSWER
    change = commits.change_of(anchor) if now.state in (CHANGED, GONE) else None
    if change is None:
        return now
    commit, at, subject, moved_to = change
    if moved_to and (file := checkout.file(moved_to)):
        found = _compared(anchor, file, moved_to)
        if found.state == MOVED:
            return found
    return now._replace(since=f"{commit[:10]} {strftime('%Y-%m-%d', localtime(at))} {subject}")


def is_inside(path: str) -> bool:
    """Whether a path stays below the root of a work tree."""
    if not path or "\0" in path or os.path.isabs(path) or path.startswith("~"):
        return False
    return ".." not in path.replace("\\", "/").split("/")


def _stamp(state: os.stat_result) -> Stamp:
    return state.st_mtime_ns, state.st_size, state.st_ino


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big") if at >= 0 else 0


def remarks(encoded: Mapping[str, bytes], root: str, folder: str, later_names: LaterNames) -> dict[str, str]:
    """What must be said of memories whose code is not what it was, in a few words, by their anchors.

    `root` is the checkout's and `folder` the project's.
    """
    repository = find_git(root)
    checkout = Checkout(root, repository.git_dir if repository else None)
    commits = KnownCommits(repository, folder)
    found: dict[str, str] = {}
    for memory_id, data in encoded.items():
        anchors = decode(data)
        pairs = zip(anchors, checkout.check(anchors, later_names), strict=True)
        known = ((anchor, known_state(anchor, now, commits, checkout)) for anchor, now in pairs)
        found[memory_id] = remark(combine(known).state)
    return found
