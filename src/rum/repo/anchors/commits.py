"""Which commits are known to be part of the checkout, without asking git.

Code that changed or is gone can only be spoken of if it was once part of the checkout. That is known of the
commit that is checked out, of those that git's logs of HEAD lead back to, and of those that git was asked
about when the checkout was at one of them. Of others nothing is said. Memories are often made just before
their work is committed, so the commits that followed count as well. Hooks load this module.
"""

from __future__ import annotations

import json
import os
import re
from functools import lru_cache

from rum.model.anchors import CHANGED, GONE
from rum.repo.git import head
from rum.settings.home import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from rum.model.anchors import Anchor, Freshness
    from rum.repo.git import GitRepository

# Of the names of the files with what git said, one for each checkout.
KEPT_PREFIX, CHANGES_PREFIX = "branches-", "changes-"
MAX_KEPT = 16 * 1024 * 1024  # Bytes of such a file
SHORT = 12  # Characters of a commit in it
_MAX_LOG = 256 * 1024  # Bytes at the end of a log of HEAD that are read: some 1,500 steps
_LATEST = 10**11  # Unix seconds; the time of a commit may be anything
_MAX_WORKTREES = 20  # Each has a log of its own
# A step after which HEAD has everything that it had before. An amended commit's work is in the new one.
# It is compiled when it is needed, as hooks load this module.
_STEP = (
    rb"([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [^\t\n]*\t"
    rb"(?:commit(?: \((?P<amend>amend)\)| \([a-z-]+\))?|cherry-pick|revert|am|"
    rb"(?:merge|pull)\b[^\n:]*(?=: (?:Fast-forward|Merge made by)\b)): "
)


class KnownCommits:
    """The commits that are known to be part of a checkout; its files are read when they are needed."""

    def __init__(self, repository: GitRepository | None, folder: str) -> None:
        """`folder` is the project's, with what git said; outside of a repository there are no branches."""
        self._repository = repository
        self._folder = folder
        self._found: tuple[frozenset[str], str, frozenset[str]] | None = None
        self._changes: Any = None

    def can_tell(self, anchor: Anchor, now: Freshness) -> bool:
        """Whether it can be said what became of code: if it differs, it must have been in the checkout."""
        return now.state not in (CHANGED, GONE) or self.has(anchor.commit)

    def has(self, commit: str) -> bool:
        """Whether a commit is known to be part of the checkout; so is work that was done before any."""
        if not commit or self._repository is None:
            return True
        if self._found is None:
            self._found = self._find(self._repository)
        return all(map(self._is_inside, (commit, *log_of(self._repository).later.get(commit, ()))))

    def change_of(self, anchor: Anchor) -> Sequence[Any] | None:
        """The fields of the `Change` that git named for an anchor; None if it was not asked."""
        if self._changes is None:
            kept: dict[str, Any] = {}
            if self._repository is not None:
                kept = read_kept(kept_path(self._folder, self._repository, CHANGES_PREFIX))
            found = kept.get("changes") if self.has(str(kept.get("head"))) else None
            self._changes = found if isinstance(found, dict) else {}
        change: Any = self._changes.get(anchor_key(anchor))
        return change if _is_change(change) else None

    def _is_inside(self, commit: str) -> bool:
        reached, inside, later = self._found or (frozenset[str](), "", frozenset[str]())
        short = commit[:SHORT]
        return commit in reached or (len(commit) > SHORT and short in inside and short not in later)

    def _find(self, repository: GitRepository) -> tuple[frozenset[str], str, frozenset[str]]:
        """The commits that logs lead back to, those that git named, and those of them that are reset."""
        at = head(repository)[0]
        if at is None:
            return frozenset(), "", frozenset()
        kept = read_kept(kept_path(self._folder, repository))
        earlier = log_of(repository).earlier
        found, left = {at}, [at]
        while left:
            new = earlier.get(left.pop(), set()) - found
            found |= new
            left += new
        position = position_in(kept, found)
        if position is None:
            return frozenset(found), "", frozenset()
        later = (sha for sha, since in kept["since"].items() if since < position)
        return frozenset(found), kept["inside"], frozenset(later)


def _is_change(value: Any) -> bool:
    """Whether a value of the file has the types of a `Change`."""
    kinds = [*map(type, value)] if hasattr(value, "__iter__") else []
    return kinds == [str, int, str, str] and abs(value[1]) < _LATEST


def position_in(kept: Mapping[str, Any], commits: Iterable[str]) -> int | None:
    """How far before the commit that git was asked about the nearest of some commits is; None if none is."""
    chain, inside, since = kept.get("chain"), kept.get("inside"), kept.get("since")
    if type(chain) is not str or type(inside) is not str or type(since) is not dict:
        return None
    wanted = {commit[:SHORT] for commit in commits}
    return next((at for at, one in enumerate(chain.split()) if one in wanted), None)


class Log:
    """Steps after which HEAD had everything that it had before, by git's logs of HEAD."""

    __slots__ = ("amended", "earlier", "later")

    def __init__(self) -> None:
        self.earlier: dict[str, set[str]] = {}
        """The commits before each commit."""
        self.later: dict[str, set[str]] = {}
        """The commits that followed each commit."""
        self.amended: dict[str, str] = {}
        """What commits were amended to."""


def log_of(repository: GitRepository) -> Log:
    """The steps of all checkouts of a repository."""
    folder = os.path.join(repository.common_dir, "worktrees")
    try:
        names = sorted(os.listdir(folder))[:_MAX_WORKTREES]
    except OSError:
        names = []
    checkouts = (repository.git_dir, repository.common_dir, *(os.path.join(folder, name) for name in names))
    versions: list[tuple[str, int, int, int]] = []
    for one in dict.fromkeys(checkouts):
        path = os.path.join(one, "logs", "HEAD")
        try:
            info = os.stat(path)
        except OSError:
            continue
        versions.append((path, info.st_ino, info.st_mtime_ns, info.st_size))
    return _read_logs(tuple(versions))


@lru_cache(maxsize=4)
def _read_logs(versions: tuple[tuple[str, int, int, int], ...]) -> Log:
    log, pattern = Log(), re.compile(_STEP)
    for path, *_ in versions:
        try:
            with open(path, "rb") as file:
                file.seek(max(0, os.fstat(file.fileno()).st_size - _MAX_LOG))
                lines = file.read(_MAX_LOG).split(b"\n")
        except OSError:
            continue
        for step in filter(None, map(pattern.match, lines)):
            old, new = step[1].decode(), step[2].decode()
            log.earlier.setdefault(new, set()).add(old)
            log.later.setdefault(old, set()).add(new)
            if step["amend"]:
                log.amended[old] = new
    return log


def anchor_key(anchor: Anchor) -> str:
    """What tells an anchor from others in the file of changes."""
    return f"{anchor.commit[:SHORT]} {anchor.text_hash.hex()} {anchor.path}:{anchor.start}"


def kept_path(folder: str, repository: GitRepository, prefix: str = KEPT_PREFIX) -> str:
    """The file with what git said of a checkout."""
    import hashlib  # noqa: PLC0415 (loads OpenSSL, which most hooks do not need)

    root = os.path.realpath(repository.root).encode("utf-8", "surrogateescape")
    return os.path.join(folder, f"{prefix}{hashlib.sha256(root).hexdigest()[:12]}.json")


def read_kept(path: str) -> dict[str, Any]:
    """What git said of a checkout; nothing if the file is missing or damaged."""
    try:
        info = os.stat(path)
    except OSError:
        return {}
    return _parsed(path, info.st_ino, info.st_mtime_ns, info.st_size)


@lru_cache(maxsize=4)
def _parsed(path: str, *_version: int) -> dict[str, Any]:
    """The content of a file, read once for each version of it; nobody changes what is returned."""
    try:
        data, _ = read_bounded(path, MAX_KEPT)
        kept: dict[str, Any] = json.loads(data)
    except (OSError, ValueError, RecursionError):
        return {}
    return kept if type(kept) is dict else {}
