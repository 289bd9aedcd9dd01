"""Where we stand: the checkout or directory that a working directory belongs to."""

from __future__ import annotations

import os
import sys
from collections import namedtuple
from contextlib import suppress
from functools import lru_cache

from rum.model.errors import InvalidQuery
from rum.repo.git import GitPlace, find_git, head, is_shallow
from rum.repo.identity_marks import directory_traces, is_untouched, repository_traces
from rum.repo.keys import EMPTY, SHALLOW
from rum.repo.registry import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    class Spot(NamedTuple):
        """A checkout or a directory; `sub` is the sub-project in it, `marked` says that it has a `.rum`."""

        root: str
        place: GitPlace | None
        sub: str
        marked: bool

else:
    # `typing` is slow to load.
    Spot = namedtuple("Spot", ("root", "place", "sub", "marked"))


def find_root(cwd: str, home: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """The root whose settings hold in a directory; None in the home directory and `/`."""
    root = _look(cwd, home, environ).root
    return None if _belongs_to_no_project(root) else root


def find_spot(
    cwd: str, home: str, subprojects: tuple[str, ...] = (), environ: Mapping[str, str] = os.environ
) -> Spot:
    """Where `cwd` is; InvalidQuery where no project can be."""
    if not os.path.isdir(cwd):
        raise InvalidQuery(f"There is no directory {cwd}.", field="project")
    spot = _look(cwd, home, environ)
    if _belongs_to_no_project(spot.root):
        raise InvalidQuery(
            f"{spot.root} is not a project, as everything lies in it. Go to the folder of a project, or name "
            "one with --project NAME or RUM_PROJECT.",
            field="project",
        )
    return spot._replace(sub=_subproject(cwd, spot, subprojects)) if subprojects else spot


def place_name(spot: Spot) -> str:
    """What the registry remembers this spot under: worktrees share it, sub-projects do not."""
    path = spot.place.common_dir if spot.place else spot.root
    return f"{path}//#{spot.sub}" if spot.sub else path


def traces_at(spot: Spot) -> list[list[int]]:
    """What shows later whether the same thing still lies here."""
    return repository_traces(spot.place.common_dir) if spot.place else directory_traces(spot.root)


def is_unchanged(spot: Spot, known: Place) -> bool:
    """Whether what lies here is still what was looked at, with no key to be learnt."""
    if not spot.place:
        return True
    if not is_untouched(traces_at(spot), known.traces):
        return False
    if known.history == EMPTY:
        return head(spot.place)[0] is None
    return known.history != SHALLOW or is_shallow(spot.place)


def _look(cwd: str, home: str, environ: Mapping[str, str]) -> Spot:
    place = find_git(cwd, environ)
    # Files kept under version control right in the home directory make it no project.
    if place and not _belongs_to_no_project(place.root):
        return Spot(place.root, place, "", marked=True)
    folder = os.path.realpath(cwd)
    marked = _marked_above(folder, os.path.realpath(home))
    return Spot(marked or folder, None, "", marked=marked is not None)


def _marked_above(folder: str, home: str) -> str | None:
    """The nearest directory with a `.rum` of the same owner: a stranger's, in a shared folder, is no mark."""
    owner = os.stat(folder).st_uid if os.path.isdir(folder) else None
    while not _belongs_to_no_project(folder):
        mark = os.path.join(folder, ".rum")
        if os.path.isdir(mark) and os.path.realpath(mark) != home and os.stat(mark).st_uid == owner:
            return folder
        folder = os.path.dirname(folder)
    return None


def _belongs_to_no_project(path: str) -> bool:
    return os.path.dirname(path) == path or path in _home_directories(os.path.expanduser("~"))


@lru_cache(maxsize=1)
def _home_directories(user: str) -> frozenset[str]:
    """The home directory as the environment gives it, and that of the account."""
    homes = [user]
    if sys.platform != "win32":
        import pwd  # noqa: PLC0415 (does not exist on Windows)

        # In containers the user often has no account.
        with suppress(KeyError):
            homes.append(pwd.getpwuid(os.getuid()).pw_dir)
    return frozenset(map(os.path.realpath, homes))


def _subproject(cwd: str, spot: Spot, subprojects: tuple[str, ...]) -> str:
    """The innermost of the sub-projects that `cwd` is in."""
    if not spot.place:
        return ""
    below = os.path.relpath(os.path.realpath(cwd), spot.root).replace(os.sep, "/")
    around = [name for name in subprojects if f"{below}/".startswith(f"{name}/")]
    return max(around, key=len, default="")
