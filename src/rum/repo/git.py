"""Where a git repository lies and what it has checked out, read from its files without running git."""

from __future__ import annotations

import os
import re
import stat
from collections import namedtuple

from rum.repo.git_process import run_git
from rum.settings.home import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    class GitPlace(NamedTuple):
        """A checkout: its root (of a bare repository its own folder), its git dir, and the one all share."""

        root: str
        git_dir: str
        common_dir: str

else:
    # `typing` is slow to load.
    GitPlace = namedtuple("GitPlace", ("root", "git_dir", "common_dir"))

COMMIT = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"

_LINK_LIMIT = 8192
_PACKED_LIMIT = 64 * 1024 * 1024
_REF = r"refs/(?!.*(?:\.\.|//))[^\x00-\x20\x7f~^:?*\[\\]+"
_SYMBOLIC_STEPS = 5
_REFTABLE = "refs/heads/.invalid"
"""What HEAD names in a repository whose refs are in tables, not files."""


def find_git(cwd: str, environ: Mapping[str, str] = os.environ) -> GitPlace | None:
    """The repository a directory belongs to: the one `GIT_DIR` names for it, else the nearest above."""
    folder = os.path.realpath(cwd)
    if environ.get("GIT_DIR"):
        place = _named_by_environment(folder, environ)
        if place:
            return place
    while True:
        place = open_git(folder)
        parent = os.path.dirname(folder)
        if place or parent == folder:
            return place
        folder = parent


def open_git(folder: str) -> GitPlace | None:
    """The repository whose checkout, git dir or bare folder is exactly here."""
    dot_git = os.path.join(folder, ".git")
    try:
        mode = os.stat(dot_git).st_mode
    except (OSError, ValueError):
        mode = 0
    if stat.S_ISREG(mode):
        link = read_small(dot_git) or ""
        if link.startswith("gitdir:"):
            return _place(folder, os.path.join(folder, link[len("gitdir:") :].strip()))
    elif stat.S_ISDIR(mode) and (place := _place(folder, dot_git)):
        return place
    root = os.path.dirname(folder) if os.path.basename(folder) == ".git" else folder
    return _place(root, folder)


def _named_by_environment(cwd: str, environ: Mapping[str, str]) -> GitPlace | None:
    """Git runs hooks with `GIT_DIR` set; it says nothing about a directory outside its work tree."""
    git_dir = os.path.realpath(os.path.join(cwd, environ["GIT_DIR"]))
    tree = environ.get("GIT_WORK_TREE")
    root = os.path.realpath(os.path.join(cwd, tree)) if tree else _work_tree(git_dir) or cwd
    if root != cwd and not cwd.startswith(os.path.join(root, "")):
        return None
    return _place(root, git_dir)


def _work_tree(git_dir: str) -> str | None:
    if os.path.basename(git_dir) == ".git":
        return os.path.dirname(git_dir)
    link = read_small(os.path.join(git_dir, "gitdir"))
    return os.path.dirname(os.path.realpath(link.strip())) if link else None


def _place(root: str, git_dir: str) -> GitPlace | None:
    """The place, if the git dir is one by git's own test: a HEAD, objects and refs."""
    if not os.path.lexists(os.path.join(git_dir, "HEAD")):
        return None
    common = git_dir
    if link := read_small(os.path.join(git_dir, "commondir")):
        common = os.path.join(git_dir, link.strip())
    if not all(os.path.isdir(os.path.join(common, part)) for part in ("objects", "refs")):
        return None
    return GitPlace(os.path.realpath(root), os.path.realpath(git_dir), os.path.realpath(common))


def head(place: GitPlace) -> tuple[str | None, str | None]:
    """The commit and branch checked out; no commit before the first one, no branch when detached."""
    text = (read_small(os.path.join(place.git_dir, "HEAD")) or "").strip()
    if re.fullmatch(COMMIT, text):
        return text, None
    ref = _symbolic(text)
    if ref == _REFTABLE:
        return _ask_git(place)
    branch = ref.removeprefix("refs/heads/") if ref else None
    return (_resolve(place, ref) if ref else None), branch


def is_shallow(place: GitPlace) -> bool:
    """Whether history was cut off, so that its first commit is not the repository's."""
    try:
        return os.path.getsize(os.path.join(place.common_dir, "shallow")) > 0
    except OSError:
        return False


def _ask_git(place: GitPlace) -> tuple[str | None, str | None]:
    commit = run_git(place.git_dir, "rev-parse", "--verify", "--quiet", "HEAD")
    branch = run_git(place.git_dir, "symbolic-ref", "--quiet", "--short", "HEAD")
    return (commit or "").strip() or None, (branch or "").strip() or None


def _symbolic(text: str) -> str | None:
    """The ref that `ref: ...` names, unless it would lead out of the git dir."""
    if not text.startswith("ref:"):
        return None
    ref = text[len("ref:") :].strip()
    return ref if re.fullmatch(_REF, ref) else None


def _resolve(place: GitPlace, ref: str) -> str | None:
    for _ in range(_SYMBOLIC_STEPS):
        for folder in dict.fromkeys((place.git_dir, place.common_dir)):
            text = (read_small(os.path.join(folder, ref)) or "").strip()
            if text:
                break
        else:
            return _packed(place.common_dir, ref)
        if re.fullmatch(COMMIT, text):
            return text
        following = _symbolic(text)
        if not following:
            return None
        ref = following
    return None


def _packed(common_dir: str, ref: str) -> str | None:
    packed = _read(os.path.join(common_dir, "packed-refs"), _PACKED_LIMIT) or b""
    found = re.search(rb"^([0-9a-f]{40,64}) " + re.escape(ref.encode()) + rb"$", packed, re.MULTILINE)
    return found[1].decode() if found else None


def read_small(path: str) -> str | None:
    """The text of one of git's small files; None when it is missing, too large or no file."""
    raw = _read(path, _LINK_LIMIT)
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def _read(path: str, limit: int) -> bytes | None:
    try:
        return read_bounded(path, limit)[0]
    except (OSError, ValueError):
        return None
