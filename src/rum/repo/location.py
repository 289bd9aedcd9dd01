"""The checkout or directory that a working directory belongs to."""

from __future__ import annotations

import os
import sys
from collections import namedtuple
from contextlib import suppress
from functools import lru_cache

from rum.model.errors import InvalidQuery
from rum.repo.git import GitRepository, Refusal, discover, head, is_claimed, is_shallow, names_git_dir
from rum.repo.identity import (
    EMPTY,
    SHALLOW,
    any_fingerprint_matches,
    directory_fingerprints,
    is_config_unchanged,
    repository_fingerprints,
)
from rum.repo.registry import KnownLocation, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    class Location(NamedTuple):
        """A checkout or a directory; `has_marker`: it is a checkout, or a directory with a `.rum`.

        `refusal` says why a repository here was not taken as one.
        """

        root: str
        repository: GitRepository | None
        subproject: str
        has_marker: bool
        refusal: str | None = None

else:
    # `typing` is slow to load.
    Location = namedtuple(
        "Location", ("root", "repository", "subproject", "has_marker", "refusal"), defaults=(None,)
    )


def find_root(cwd: str, home: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The root whose settings apply to a directory; None for the home directory, `/` and RUM's own folder."""
    root = _locate(cwd, home, environ).root
    is_own = os.path.realpath(root) == os.path.realpath(home)  # a server works there, for all projects
    return None if is_own or is_home_or_root(root) else root


def find_location(
    cwd: str, home: str, subprojects: tuple[str, ...] = (), environ: Mapping[str, str] = os.environ
) -> Location:
    """The location of `cwd`; InvalidQuery in the home directory and `/`, which are no projects."""
    if not os.path.isdir(cwd):
        raise InvalidQuery(f"There is no directory {cwd}.", field="project")
    location = _locate(cwd, home, environ)
    if is_home_or_root(location.root):
        raise InvalidQuery(
            f"{location.root} is not a project: it contains everything else. Change to a project's "
            "folder, or name a project with --project NAME or RUM_PROJECT.",
            field="project",
        )
    if not subprojects:
        return location
    return location._replace(subproject=_innermost_subproject(cwd, location, subprojects))


def registered_path(location: Location) -> str:
    """The path under which the registry records this location; worktrees share it, sub-projects do not."""
    path = location.repository.common_dir if location.repository else location.root
    return f"{path}//#{location.subproject}" if location.subproject else path


def fingerprints_at(location: Location) -> list[list[int]]:
    """The fingerprints that show later whether the repository or directory was replaced."""
    if location.repository:
        return repository_fingerprints(location.repository.common_dir)
    return directory_fingerprints(location.root)


def is_location_unchanged(location: Location, known: KnownLocation) -> bool:
    """Whether the location is as recorded, so that its keys need not be determined again."""
    if not location.repository:
        return True
    if not is_config_unchanged(fingerprints_at(location), known.fingerprints):
        return False
    if known.history == EMPTY:
        return head(location.repository)[0] is None
    return known.history != SHALLOW or is_shallow(location.repository)


def _locate(cwd: str, home: str, environ: Mapping[str, str]) -> Location:
    repository, refused = _find_repository(cwd, home, environ)
    # A home directory under version control (dotfiles) is still no project.
    if repository and not is_home_or_root(repository.root):
        return Location(repository.root, repository, "", has_marker=True)
    folder = os.path.realpath(cwd)
    marked = _find_marked_folder(folder, os.path.realpath(home))
    if refused is None or is_home_or_root(refused.folder):
        return Location(marked or folder, None, "", has_marker=marked is not None)
    # All of a checkout that is refused is one project, unless someone else put the `.git` above `folder`.
    paths = (folder, refused.folder, os.path.join(refused.folder, ".git"))
    whole = len({os.lstat(path).st_uid for path in paths}) == 1
    refusal = f"{refused.folder} is not taken as a git repository: {refused.reason}."
    return Location(marked or (refused.folder if whole else folder), None, "", whole, refusal)


def _find_repository(
    cwd: str, home: str, environ: Mapping[str, str]
) -> tuple[GitRepository | None, Refusal | None]:
    """The repository of a directory; what was recorded before it was refused stays."""
    repository, refused = discover(cwd, environ)
    if refused and refused.repository and _is_recorded(home, refused.repository):
        return refused.repository, None
    if repository is None or is_claimed(repository):
        return repository, refused
    other = _other_work_tree(home, repository)
    if other is None:
        return repository, None
    reason = f"its .git leads to {repository.git_dir}, which is the repository of {other}"
    return None, Refusal(repository.root, reason)


def _is_recorded(home: str, repository: GitRepository) -> bool:
    known = read(home).locations.get(repository.common_dir)
    now = repository_fingerprints(repository.common_dir)
    return known is not None and any_fingerprint_matches(now, known.fingerprints)


def _other_work_tree(home: str, repository: GitRepository) -> str | None:
    """The folder that was recorded as the work tree of this git dir, and still is."""
    registry = read(home)
    known = registry.locations.get(repository.common_dir)
    entry = registry.projects.get(known.project) if known else None
    root = registry.roots.get(repository.common_dir) or (entry.root if entry else None)
    if not root or root == repository.root or not names_git_dir(root, repository.git_dir):
        return None
    return root


def _find_marked_folder(folder: str, home: str) -> str | None:
    """The nearest directory with a `.rum` of the same owner, as another user may write to a shared folder."""
    owner = os.stat(folder).st_uid if os.path.isdir(folder) else None
    while not is_home_or_root(folder):
        mark = os.path.join(folder, ".rum")
        if os.path.isdir(mark) and os.path.realpath(mark) != home and os.stat(mark).st_uid == owner:
            return folder
        folder = os.path.dirname(folder)
    return None


def is_home_or_root(path: str) -> bool:
    """Whether this is the user's home directory or the root of the file system: never a project."""
    return os.path.dirname(path) == path or path in _home_directories(os.path.expanduser("~"))


@lru_cache(maxsize=1)
def _home_directories(user: str) -> frozenset[str]:
    """The home directory according to the environment, and the account's."""
    homes = [user]
    if sys.platform != "win32":
        import pwd  # noqa: PLC0415 (does not exist on Windows)

        # In containers the user often has no account.
        with suppress(KeyError):
            homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    return frozenset(map(os.path.realpath, homes))


def _innermost_subproject(cwd: str, location: Location, subprojects: tuple[str, ...]) -> str:
    """The innermost sub-project that contains `cwd`, or an empty string."""
    if not location.repository:
        return ""
    below = os.path.relpath(os.path.realpath(cwd), location.root).replace(os.sep, "/")
    around = [name for name in subprojects if f"{below}/".startswith(f"{name}/")]
    return max(around, key=len, default="")
