"""Which project a hook's event belongs to: that of the folder the client works in.

The answer is cached per folder; an entry is valid while all files that decide it are unchanged.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from zlib import crc32

from rum.capture.events.spool import folders, unclaimed_folders
from rum.settings.home import ensure_private_dir, find_home, read_bounded, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Stamp = list[int] | None

_START_FOLDER_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")
"""Variables with the folder in which the client was started."""
_FOLDER = "hooks"
_LIMIT = 256 * 1024
_MOST = 500
"""Maximum number of cached folders."""
_HOME_FILES = ("config.toml", "projects.json", "trust.json")
"""The files of RUM's home that decide which project a folder belongs to, and what is a secret there."""
_ROOT_MARKERS = (".git", ".rum", "HEAD")
"""What marks a folder as a project's root: a checkout, RUM's own folder, a git directory."""
_GIT_FILES = ("config", "description", "shallow", "refs/heads")
"""What tells a repository from others, and whether it has commits."""


class HookProject:
    """RUM's home and the project, or the `problem` why it is unknown; and the user's redaction settings."""

    __slots__ = ("directory", "home", "problem", "project", "redact_allow", "redact_extra", "root")

    def __init__(
        self,
        home: str,
        project: str | None = None,
        directory: str = "",
        root: str | None = None,
        redact_extra: tuple[str, ...] = (),
        redact_allow: tuple[str, ...] = (),
        problem: str = "",
    ) -> None:
        self.home = home
        self.project = project
        """Its id."""
        self.directory = directory
        """Where RUM keeps it."""
        self.root = root
        self.redact_extra = redact_extra
        self.redact_allow = redact_allow
        self.problem = problem


def find_project(cwd: str) -> HookProject | None:
    """The project of a folder; None where no project can be (the home directory, `/`)."""
    folder = _existing_folder(cwd)
    home = find_home({}, os.environ, folder)
    # A client started in the home directory works in the folder it changed to.
    for one in dict.fromkeys((_start_folder(folder), folder)):
        if found := cached_project(home, one) or _look_up(home, one):
            return found
    return None


def spool_folders(found: HookProject) -> tuple[str, ...]:
    """Spool folders to try, best first."""
    if found.project is None:
        return unclaimed_folders(found.home)
    return folders(found.home, found.project, found.directory)


def _look_up(home: str, folder: str) -> HookProject | None:
    # Slow to load, and needed only when the cache has no answer.
    from rum.model.errors import InvalidQuery, RumError  # noqa: PLC0415
    from rum.repo.git import find_git  # noqa: PLC0415
    from rum.repo.location import find_root  # noqa: PLC0415
    from rum.repo.project import open_project  # noqa: PLC0415

    try:
        settings, project = open_project(folder)
    except Exception as error:  # noqa: BLE001 (a damaged registry or settings file)
        if isinstance(error, InvalidQuery) and find_root(folder, home) is None:
            return None
        # Other messages may hold secrets.
        why = error.message if isinstance(error, RumError) else type(error).__name__
        return HookProject(home, problem=f"The project could not be determined: {why}")
    place = find_git(folder)
    redact = (settings.redact_extra, settings.redact_allow)
    found = HookProject(settings.home, project.id, project.directory, project.root, *redact)
    cache_project(folder, found, place.common_dir if place else None)
    return found


def _existing_folder(path: str) -> str:
    """The folder, or the nearest existing one above it."""
    folder = path if os.path.isabs(path) else os.getcwd()
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def _start_folder(folder: str) -> str:
    """Outside a checkout, the folder above `folder` in which the client was started, if any.

    A session that changes into folders below it is still the same work.
    """
    started = next(filter(None, map(os.environ.get, _START_FOLDER_VARIABLES)), "")
    if not folder.startswith(os.path.join(started, "")) or not os.path.isabs(started):
        return folder
    above = folder
    while not any(os.path.lexists(os.path.join(above, mark)) for mark in _ROOT_MARKERS[:2]):
        if os.path.dirname(above) == above:
            return started
        above = os.path.dirname(above)
    return folder


def cached_project(home: str, folder: str) -> HookProject | None:
    """The cached project of a folder, if all files that decide it are unchanged."""
    try:
        known = json.loads(read_bounded(_file(home, folder), _LIMIT)[0])
        as_before = known["folder"] == folder and known["environment"] == _environment_hash()
        if not as_before or any(_stamp(path) != stamp for path, stamp in known["stamps"].items()):
            return None
        extra, allow = tuple(known["redact_extra"]), tuple(known["redact_allow"])
        return HookProject(home, known["project"], known["directory"], known["root"], extra, allow)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # missing or damaged: looked up again


def cache_project(folder: str, found: HookProject, common_dir: str | None) -> None:
    """Cache the project of a folder; where nothing can be written it is looked up each time."""
    known = {
        "folder": folder,
        "environment": _environment_hash(),
        "stamps": {path: _stamp(path) for path in _decisive_files(folder, found, common_dir)},
        "project": found.project,
        "directory": found.directory,
        "root": found.root,
        "redact_extra": found.redact_extra,
        "redact_allow": found.redact_allow,
    }
    path = _file(found.home, folder)
    with suppress(OSError):
        ensure_private_dir(os.path.dirname(path))
        _evict_oldest(os.path.dirname(path))
        write_private(path, json.dumps(known).encode())


def _evict_oldest(kept: str) -> None:
    """Remove the oldest half of a full cache: many folders are temporary."""
    paths = [os.path.join(kept, name) for name in os.listdir(kept)]
    if len(paths) >= _MOST:
        for path in sorted(paths, key=lambda path: os.stat(path).st_mtime)[: _MOST // 2]:
            os.unlink(path)


def _decisive_files(folder: str, found: HookProject, common_dir: str | None) -> Iterator[str]:
    """The paths that decide which project the folder belongs to; not all of them exist."""
    yield from (os.path.join(found.home, name) for name in _HOME_FILES)
    if found.root:
        yield found.root
        yield os.path.join(found.root, ".rum", "config.toml")
    if common_dir:
        yield from (os.path.join(common_dir, name) for name in _GIT_FILES)
    above = os.path.realpath(folder)
    while True:
        yield from (os.path.join(above, name) for name in _ROOT_MARKERS)
        if os.path.dirname(above) == above:
            return
        above = os.path.dirname(above)


def _stamp(path: str) -> Stamp:
    """Identity of a file's content; of a folder only its inode, except git's list of branches."""
    try:
        state = os.stat(path)
    except OSError:
        return None
    if stat.S_ISDIR(state.st_mode) and not path.endswith("heads"):
        return [state.st_ino]
    return [state.st_ino, state.st_mtime_ns, state.st_size]


def _environment_hash() -> int:
    """A hash of the variables that settings, home and git depend on. Hashed, as tokens are among them."""
    homes = ("HOME", "USERPROFILE")
    names = sorted(name for name in os.environ if name in homes or name[:4] in ("RUM_", "GIT_"))
    return crc32(repr([(name, os.environ[name]) for name in names]).encode("utf-8", "surrogateescape"))


def _file(home: str, folder: str) -> str:
    return os.path.join(home, _FOLDER, f"{crc32(os.fsencode(folder)):08x}.json")
