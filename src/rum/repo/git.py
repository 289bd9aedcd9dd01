"""Find a git repository and its HEAD by reading its files; git is run only if refs are in a reftable."""

from __future__ import annotations

import os
import re
import stat
from collections import namedtuple

from rum.repo.git_config import is_listed, is_own, read_setting
from rum.repo.git_process import run_git
from rum.settings.home import read_bounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    class GitRepository(NamedTuple):
        """A repository: its work tree (if bare, its git dir), its git dir, and the one worktrees share."""

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
_OTHER_OWNER = (
    "it belongs to another user. If you trust it, run `git config --global --add safe.directory {}`"
)
# The ref in HEAD when a repository stores its refs in tables (reftable), not in files.
_REFTABLE = "refs/heads/.invalid"


class Refusal:
    """A folder with a `.git` that is not taken as a repository, and why.

    `repository` is set if it is refused only because it belongs to another user.
    """

    __slots__ = ("folder", "reason", "repository")

    def __init__(self, folder: str, reason: str, repository: GitRepository | None = None) -> None:
        self.folder = folder
        self.reason = reason
        self.repository = repository


def find_git(cwd: str, environ: Mapping[str, str] = os.environ) -> GitRepository | None:
    """The repository of a directory: the one in `GIT_DIR` if it covers `cwd`, else the nearest above."""
    return discover(cwd, environ)[0]


def discover(
    cwd: str, environ: Mapping[str, str] = os.environ
) -> tuple[GitRepository | None, Refusal | None]:
    """The repository of a directory, or the reason why the nearest one is not taken.

    As git does with `safe.bareRepository=explicit`: a folder that only looks like a bare repository is none,
    so nothing that is committed can pose as one.
    """
    folder = os.path.realpath(cwd)
    if environ.get("GIT_DIR"):
        repository = _repository_from_environment(folder, environ)
        if repository:
            return repository, None
    ceilings = [os.path.realpath(path) for path in _ceilings(environ)]
    while True:
        found = open_checkout(folder, environ)
        if isinstance(found, Refusal):
            return None, found
        parent = os.path.dirname(folder)
        if found or parent == folder or parent in ceilings or _is_mount(folder, parent, environ):
            return found, None
        folder = parent


def _ceilings(environ: Mapping[str, str]) -> list[str]:
    listed = environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    return [path for path in listed if os.path.isabs(path)]


def _is_mount(folder: str, parent: str, environ: Mapping[str, str]) -> bool:
    """Whether the parent is on another file system, where git stops unless it is told to go on."""
    if environ.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "0").lower() not in ("", "0", "false", "no", "off"):
        return False
    try:
        return os.stat(folder).st_dev != os.stat(parent).st_dev
    except OSError:
        return False


def open_checkout(folder: str, environ: Mapping[str, str] = os.environ) -> GitRepository | Refusal | None:
    """The repository whose work tree is exactly `folder` (a real path)."""
    dot_git = os.path.join(folder, ".git")
    try:
        mode = os.lstat(dot_git).st_mode
        is_file = stat.S_ISREG(os.stat(dot_git).st_mode)
    except (OSError, ValueError):
        return None
    if is_file:
        link = read_small_file(dot_git) or ""
        if not link.startswith("gitdir:"):
            return None
        found = _open_linked(folder, os.path.join(folder, link[len("gitdir:") :].strip()), environ)
    elif stat.S_ISLNK(mode):
        # A link may lead only where a `.git` file may.
        found = _open_linked(folder, dot_git, environ)
    else:
        found = _open_own(folder, dot_git)
    if not isinstance(found, GitRepository):
        return found
    return found if _is_safe(found, environ) else Refusal(folder, _OTHER_OWNER.format(found.root), found)


def open_source(path: str, environ: Mapping[str, str] = os.environ) -> GitRepository | None:
    """The repository at a path that a remote names: a checkout, or a bare repository."""
    folder = os.path.realpath(path)
    found = open_checkout(folder, environ)
    if found is None and not os.path.lexists(os.path.join(folder, "commondir")) and _is_git_dir(folder):
        bare = GitRepository(folder, folder, folder)
        return bare if _is_safe(bare, environ) else None
    return found if isinstance(found, GitRepository) else None


def is_claimed(repository: GitRepository) -> bool:
    """Whether more than a `.git` file connects the git dir with its work tree.

    Only `git init --separate-git-dir` makes one that is not: any other folder could name it, too.
    """
    inside = os.path.join(repository.root, "")
    if repository.git_dir != repository.common_dir or os.path.join(repository.git_dir, "").startswith(inside):
        return True
    return _configured_work_tree(repository.git_dir) == repository.root


def names_git_dir(folder: str, git_dir: str) -> bool:
    """Whether the `.git` of a folder leads to a git dir, whoever it belongs to."""
    found = open_checkout(os.path.realpath(folder))
    repository = found.repository if isinstance(found, Refusal) else found
    return repository is not None and repository.git_dir == git_dir


def _is_safe(repository: GitRepository, environ: Mapping[str, str]) -> bool:
    dot_git = os.path.join(repository.root, ".git")
    paths = dict.fromkeys((repository.root, repository.git_dir, repository.common_dir))
    linked = (dot_git,) if os.path.lexists(dot_git) else ()
    return is_own((*paths, *linked), environ) or is_listed(repository.root, environ)


def _open_own(folder: str, git_dir: str) -> GitRepository | Refusal | None:
    """A `.git` directory; git itself never makes one whose `commondir` leads elsewhere."""
    if os.path.lexists(os.path.join(git_dir, "commondir")):
        return Refusal(folder, "its .git directory has a `commondir`, which only worktrees have")
    return GitRepository(folder, git_dir, git_dir) if _is_git_dir(git_dir) else None


def _open_linked(folder: str, link: str, environ: Mapping[str, str]) -> GitRepository | Refusal | None:
    """The repository that a `.git` file or link names, if its git dir names this folder, too."""
    if "\0" in link:
        return None
    git_dir = os.path.realpath(link)
    if common_link := read_small_file(os.path.join(git_dir, "commondir")):
        return _open_worktree(folder, git_dir, os.path.realpath(os.path.join(git_dir, common_link.strip())))
    if not _is_git_dir(git_dir):
        return None
    repository = GitRepository(folder, git_dir, git_dir)
    if git_dir.startswith(os.path.join(folder, "")):
        return repository
    work_tree = _configured_work_tree(git_dir)
    if work_tree not in (None, folder):
        return Refusal(folder, f"its .git leads to {git_dir}, which is the repository of {work_tree}")
    if (above := _superproject(git_dir)) and not _is_below(folder, above, environ):
        return Refusal(folder, f"its .git leads to {git_dir}, which is a submodule of another repository")
    if work_tree is None and os.path.basename(git_dir) == ".git":
        owner = os.path.dirname(git_dir)
        return Refusal(folder, f"its .git leads to {git_dir}, which is the repository of {owner}")
    if work_tree is None and _is_bare(git_dir):
        return Refusal(folder, f"its .git leads to {git_dir}, which is a bare repository")
    return repository


def _open_worktree(folder: str, git_dir: str, common_dir: str) -> GitRepository | Refusal | None:
    if not _is_git_dir(git_dir, common_dir):
        return None
    if os.path.dirname(git_dir) != os.path.join(common_dir, "worktrees"):
        return Refusal(folder, f"its .git leads to {git_dir}, which is not a worktree of {common_dir}")
    back = (read_small_file(os.path.join(git_dir, "gitdir")) or "").strip()
    back_folder, name = os.path.split(os.path.join(git_dir, back))
    if name != ".git" or os.path.realpath(back_folder) != folder:
        return Refusal(
            folder,
            f"its .git leads to {git_dir}, which is the worktree of another folder. If you moved it, run "
            "`git worktree repair` here",
        )
    return GitRepository(folder, git_dir, common_dir)


def _superproject(git_dir: str) -> str | None:
    """The git dir of which this is a submodule's, if it lies in a `modules` folder of one."""
    above, below = os.path.dirname(git_dir), git_dir
    while above != below:
        if os.path.basename(above) == "modules" and os.path.lexists(os.path.join(above, "..", "HEAD")):
            return os.path.dirname(above)
        above, below = os.path.dirname(above), above
    return None


def _is_below(folder: str, git_dir: str, environ: Mapping[str, str]) -> bool:
    """Whether the folder lies in the work tree of this git dir."""
    unset = {name: value for name, value in environ.items() if name != "GIT_DIR"}
    around, refused = discover(os.path.dirname(folder), unset)
    repository = around or (refused.repository if refused else None)
    return repository is not None and repository.git_dir == git_dir


def _configured_work_tree(git_dir: str) -> str | None:
    value = read_setting(os.path.join(git_dir, "config"), "core", "worktree")
    return os.path.realpath(os.path.join(git_dir, value)) if value and "\0" not in value else None


def _is_bare(git_dir: str) -> bool:
    value = read_setting(os.path.join(git_dir, "config"), "core", "bare")
    return (value or "false").lower() in ("true", "yes", "on", "1")


def _repository_from_environment(cwd: str, environ: Mapping[str, str]) -> GitRepository | None:
    """Git runs hooks with `GIT_DIR` set; it does not apply to a directory outside its work tree."""
    git_dir = os.path.realpath(os.path.join(cwd, environ["GIT_DIR"]))
    tree = environ.get("GIT_WORK_TREE")
    root = os.path.realpath(os.path.join(cwd, tree)) if tree else _work_tree(git_dir) or cwd
    if root != cwd and not cwd.startswith(os.path.join(root, "")):
        return None
    common = git_dir
    if link := read_small_file(os.path.join(git_dir, "commondir")):
        common = os.path.realpath(os.path.join(git_dir, link.strip()))
        if os.path.dirname(git_dir) != os.path.join(common, "worktrees"):
            return None
    return GitRepository(root, git_dir, common) if _is_git_dir(git_dir, common) else None


def _work_tree(git_dir: str) -> str | None:
    if os.path.basename(git_dir) == ".git":
        return os.path.dirname(git_dir)
    link = read_small_file(os.path.join(git_dir, "gitdir"))
    return os.path.dirname(os.path.realpath(os.path.join(git_dir, link.strip()))) if link else None


def _is_git_dir(git_dir: str, common_dir: str | None = None) -> bool:
    """Git's own test: it has HEAD, and it or its common dir has objects and refs."""
    if not os.path.lexists(os.path.join(git_dir, "HEAD")):
        return False
    return all(os.path.isdir(os.path.join(common_dir or git_dir, part)) for part in ("objects", "refs"))


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
