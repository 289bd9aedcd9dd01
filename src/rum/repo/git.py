"""Find a git repository and its HEAD by reading its files; git is run only if refs are in a reftable."""

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

    class GitRepository(NamedTuple):
        """A repository: its root (if bare, its git dir), its git dir, and the one shared by all worktrees."""

        root: str
        git_dir: str
        common_dir: str

else:
    # `typing` is slow to load.
    GitRepository = namedtuple("GitRepository", ("root", "git_dir", "common_dir"))

COMMIT_PATTERN = r"[0-9a-f]{40}(?:[0-9a-f]{24})?"

_SMALL_FILE_LIMIT = 8192
_PACKED_REFS_LIMIT = 64 * 1024 * 1024
_REF_PATTERN = r"refs/(?!.*(?:\.\.|//))[^\x00-\x20\x7f~^:?*\[\\]+"
_MAX_SYMBOLIC_REFS = 5
# The ref in HEAD when a repository stores its refs in tables (reftable), not in files.
_REFTABLE = "refs/heads/.invalid"


def find_git(cwd: str, environ: Mapping[str, str] = os.environ) -> GitRepository | None:
    """The repository of a directory: the one in `GIT_DIR` if it covers `cwd`, else the nearest above."""
    folder = os.path.realpath(cwd)
    if environ.get("GIT_DIR"):
        repository = _repository_from_environment(folder, environ)
        if repository:
            return repository
    while True:
        repository = open_git(folder)
        parent = os.path.dirname(folder)
        if repository or parent == folder:
            return repository
        folder = parent


def open_git(folder: str) -> GitRepository | None:
    """The repository whose checkout, git dir or bare folder is exactly `folder`."""
    dot_git = os.path.join(folder, ".git")
    try:
        mode = os.stat(dot_git).st_mode
    except (OSError, ValueError):
        mode = 0
    if stat.S_ISREG(mode):
        link = read_small_file(dot_git) or ""
        if link.startswith("gitdir:"):
            return _open_git_dir(folder, os.path.join(folder, link[len("gitdir:") :].strip()))
    elif stat.S_ISDIR(mode) and (repository := _open_git_dir(folder, dot_git)):
        return repository
    root = os.path.dirname(folder) if os.path.basename(folder) == ".git" else folder
    return _open_git_dir(root, folder)


def _repository_from_environment(cwd: str, environ: Mapping[str, str]) -> GitRepository | None:
    """Git runs hooks with `GIT_DIR` set; it does not apply to a directory outside its work tree."""
    git_dir = os.path.realpath(os.path.join(cwd, environ["GIT_DIR"]))
    tree = environ.get("GIT_WORK_TREE")
    root = os.path.realpath(os.path.join(cwd, tree)) if tree else _work_tree(git_dir) or cwd
    if root != cwd and not cwd.startswith(os.path.join(root, "")):
        return None
    return _open_git_dir(root, git_dir)


def _work_tree(git_dir: str) -> str | None:
    if os.path.basename(git_dir) == ".git":
        return os.path.dirname(git_dir)
    link = read_small_file(os.path.join(git_dir, "gitdir"))
    return os.path.dirname(os.path.realpath(link.strip())) if link else None


def _open_git_dir(root: str, git_dir: str) -> GitRepository | None:
    """The repository, if the git dir passes git's own test: it has HEAD, objects and refs."""
    if not os.path.lexists(os.path.join(git_dir, "HEAD")):
        return None
    common = git_dir
    if link := read_small_file(os.path.join(git_dir, "commondir")):
        common = os.path.join(git_dir, link.strip())
    if not all(os.path.isdir(os.path.join(common, part)) for part in ("objects", "refs")):
        return None
    return GitRepository(os.path.realpath(root), os.path.realpath(git_dir), os.path.realpath(common))


def head(repository: GitRepository) -> tuple[str | None, str | None]:
    """The commit and branch checked out; no commit in an empty repository, no branch when detached."""
    text = (read_small_file(os.path.join(repository.git_dir, "HEAD")) or "").strip()
    if re.fullmatch(COMMIT_PATTERN, text):
        return text, None
    ref = _symbolic_target(text)
    if ref == _REFTABLE:
        return _head_from_git(repository)
    branch = ref.removeprefix("refs/heads/") if ref else None
    return (_resolve_ref(repository, ref) if ref else None), branch


def is_shallow(repository: GitRepository) -> bool:
    """Whether this is a shallow clone, whose oldest commit is not the repository's first."""
    try:
        return os.path.getsize(os.path.join(repository.common_dir, "shallow")) > 0
    except OSError:
        return False


def _head_from_git(repository: GitRepository) -> tuple[str | None, str | None]:
    commit = run_git(repository.git_dir, "rev-parse", "--verify", "--quiet", "HEAD")
    branch = run_git(repository.git_dir, "symbolic-ref", "--quiet", "--short", "HEAD")
    return (commit or "").strip() or None, (branch or "").strip() or None


def _symbolic_target(text: str) -> str | None:
    """The ref in `ref: ...`, unless it would lead out of the git dir."""
    if not text.startswith("ref:"):
        return None
    ref = text[len("ref:") :].strip()
    return ref if re.fullmatch(_REF_PATTERN, ref) else None


def _resolve_ref(repository: GitRepository, ref: str) -> str | None:
    for _ in range(_MAX_SYMBOLIC_REFS):
        for folder in dict.fromkeys((repository.git_dir, repository.common_dir)):
            text = (read_small_file(os.path.join(folder, ref)) or "").strip()
            if text:
                break
        else:
            return _find_packed_ref(repository.common_dir, ref)
        if re.fullmatch(COMMIT_PATTERN, text):
            return text
        target = _symbolic_target(text)
        if not target:
            return None
        ref = target
    return None


def _find_packed_ref(common_dir: str, ref: str) -> str | None:
    packed = _read(os.path.join(common_dir, "packed-refs"), _PACKED_REFS_LIMIT) or b""
    found = re.search(rb"^([0-9a-f]{40,64}) " + re.escape(ref.encode()) + rb"$", packed, re.MULTILINE)
    return found[1].decode() if found else None


def read_small_file(path: str) -> str | None:
    """The text of one of git's small files; None if it is missing, too large or not a regular file."""
    raw = _read(path, _SMALL_FILE_LIMIT)
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def _read(path: str, limit: int) -> bytes | None:
    try:
        return read_bounded(path, limit)[0]
    except (OSError, ValueError):
        return None
