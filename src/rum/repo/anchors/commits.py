"""Which commits are known to be part of the checkout, without asking git.

Code that changed or is gone can only be spoken of if it was once part of the checkout. That is known of the
commit that is checked out, of those that git's log of HEAD leads back to, and of those that git was asked
about when the checkout was at one of them. Of others nothing is said. Hooks load this module.
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
    from typing import Any

    from rum.model.anchors import Anchor, Freshness
    from rum.repo.git import GitRepository

KEPT_PREFIX = "branches-"  # Of the names of the files with what git said, one for each checkout
MAX_KEPT = 16 * 1024 * 1024  # Bytes of such a file
SHORT = 12  # Characters of a commit in it
_MAX_LOG = 256 * 1024  # Bytes at the end of git's log of HEAD that are read: some 1,500 steps
# A step after which HEAD has everything that it had before. An amended commit's work is in the new one.
_STEP = re.compile(
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
        self._found: tuple[frozenset[str], str] | None = None

    def can_tell(self, anchor: Anchor, now: Freshness) -> bool:
        """Whether it can be said what became of code: if it differs, it must have been in the checkout."""
        return now.state not in (CHANGED, GONE) or self.has(anchor.commit)

    def has(self, commit: str) -> bool:
        """Whether a commit is known to be part of the checkout; so is work that was done before any."""
        if not commit or self._repository is None:
            return True
        if self._found is None:
            self._found = self._find(self._repository)
        reached, inside = self._found
        return commit in reached or (len(commit) > SHORT and commit[:SHORT] in inside)

    def _find(self, repository: GitRepository) -> tuple[frozenset[str], str]:
        at = head(repository)[0]
        if at is None:
            return frozenset(), ""
        kept = read_kept(self._folder, repository)
        inside = kept.get("inside")
        reached = log_of(repository)[0]
        found, left = {at}, [at]
        while left:
            new = reached.get(left.pop(), set()) - found
            found |= new
            left += new
        return frozenset(found), inside if isinstance(inside, str) and kept.get("head") in found else ""


def log_of(repository: GitRepository) -> tuple[dict[str, set[str]], dict[str, str]]:
    """By git's log of HEAD: the commits that each one contains, and what commits were amended to."""
    path = os.path.join(repository.git_dir, "logs", "HEAD")
    try:
        info = os.stat(path)
    except OSError:
        return {}, {}
    return _log(path, info.st_ino, info.st_mtime_ns, info.st_size)


@lru_cache(maxsize=4)
def _log(path: str, *_version: int) -> tuple[dict[str, set[str]], dict[str, str]]:
    reached: dict[str, set[str]] = {}
    amended: dict[str, str] = {}
    try:
        with open(path, "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _MAX_LOG))
            lines = file.read(_MAX_LOG).split(b"\n")
    except OSError:
        return {}, {}
    for line in lines:
        if step := _STEP.match(line):
            old, new = step[1].decode(), step[2].decode()
            reached.setdefault(new, set()).add(old)
            if step["amend"]:
                amended[old] = new
    return reached, amended


def kept_path(folder: str, repository: GitRepository) -> str:
    """The file with what git said of a checkout."""
    import hashlib  # noqa: PLC0415 (loads OpenSSL, which most hooks do not need)

    root = os.path.realpath(repository.root).encode("utf-8", "surrogateescape")
    return os.path.join(folder, f"{KEPT_PREFIX}{hashlib.sha256(root).hexdigest()[:12]}.json")


def read_kept(folder: str, repository: GitRepository) -> dict[str, Any]:
    """What git said of a checkout; nothing if the file is missing or damaged."""
    path = kept_path(folder, repository)
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
