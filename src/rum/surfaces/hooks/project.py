"""Find the project of a hook's event: that of the folder in which the client works.

The answer is cached per folder; an entry is valid while all files that decide it are unchanged.
"""

from __future__ import annotations

import json
import os
import stat
from contextlib import suppress
from zlib import crc32

from rum.capture.events.spool import folders, unclaimed_folders
from rum.model.errors import InvalidQuery, RumError
from rum.settings.home import ensure_private_dir, find_home, read_bounded, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Stamp = list[int] | None

# Variables with the folder in which the client was started.
_START_FOLDER_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")
_FOLDER = "hooks"
_MAX_BYTES = 256 * 1024  # Maximum size of an entry
_MAX_ENTRIES = 500  # Maximum number of cached folders
# The files of RUM's home that decide which project a folder belongs to, and what is a secret there.
_HOME_FILES = ("config.toml", "projects.json", "trust.json")
# Names that mark a project's root: of a checkout, of RUM's own folder, of a git directory.
_ROOT_MARKERS = (".git", ".rum", "HEAD")
# The files that identify a repository and show whether it has commits.
_GIT_FILES = ("config", "description", "shallow", "refs/heads")


class HookProject:
    """RUM's home, the project or the `problem` why it is unknown, and the redaction settings."""

    def __init__(
        self,
        home: str,
        project: str | None = None,
        directory: str = "",
        root: str | None = None,
        redact_extra: tuple[str, ...] = (),
        redact_allow: tuple[str, ...] = (),
        capture_by_agent: str = "off",
        offer_limits: tuple[Any, ...] = (),
        problem: str = "",
    ) -> None:
        self.home = home
        self.project = project
        """The id."""
        self.directory = directory
        """RUM's folder for the project."""
        self.root = root
        self.redact_extra = redact_extra
        self.redact_allow = redact_allow
        self.capture_by_agent = capture_by_agent
        self.offer_limits = offer_limits
        """The fields of `OfferLimits`."""
        self.problem = problem


def find_project(cwd: str) -> HookProject | None:
    """Return the project of a folder; None if it cannot be one (the home directory, `/`)."""
    folder = cwd if os.path.isabs(cwd) else os.getcwd()
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)  # the nearest existing one
    home = find_home({}, os.environ, folder)
    # A client started in the home directory works in the folder it changed to.
    for candidate in dict.fromkeys((_start_folder(folder), folder)):
        if hook_project := cached_project(home, candidate) or _look_up(home, candidate):
            return hook_project
    return None


def spool_folders(hook_project: HookProject) -> tuple[str, ...]:
    """Spool folders to try, best first."""
    if hook_project.project is None:
        return unclaimed_folders(hook_project.home)
    return folders(hook_project.home, hook_project.project, hook_project.directory)


def _look_up(home: str, folder: str) -> HookProject | None:
    # Slow to load, and needed only if the project is not in the cache.
    from rum.inject.offers import offer_limits  # noqa: PLC0415
    from rum.repo import git, project  # noqa: PLC0415
    from rum.store.sqlite.readonly import known_commits  # noqa: PLC0415

    try:
        settings, opened = project.open_project(folder, commits=known_commits)
    except Exception as error:  # noqa: BLE001 (a damaged registry or settings file)
        if isinstance(error, InvalidQuery) and project.find_root(folder, home) is None:
            return None
        # Other messages may hold secrets.
        reason = error.message if isinstance(error, RumError) else type(error).__name__
        return HookProject(home, problem=f"The project could not be determined: {reason}")
    repository = git.find_git(folder)
    limits = tuple(vars(offer_limits(settings)).values())
    values = (settings.redact_extra, settings.redact_allow, settings.capture_by_agent, limits)
    hook_project = HookProject(settings.home, opened.id, opened.directory, opened.root, *values)
    cache_project(folder, hook_project, repository.common_dir if repository else None)
    return hook_project


def _start_folder(folder: str) -> str:
    """Return the folder above `folder` in which the client was started, if there is no checkout in between.

    A session that changes into a folder below still works on the same project.
    """
    start = next(filter(None, map(os.environ.get, _START_FOLDER_VARIABLES)), "")
    if not folder.startswith(os.path.join(start, "")) or not os.path.isabs(start):
        return folder
    above = folder
    while not any(os.path.lexists(os.path.join(above, mark)) for mark in _ROOT_MARKERS[:2]):
        if os.path.dirname(above) == above:
            return start
        above = os.path.dirname(above)
    return folder


def cached_project(home: str, folder: str) -> HookProject | None:
    """Return the cached project of a folder if all files that decide it are unchanged."""
    try:
        entry = json.loads(read_bounded(_file(home, folder), _MAX_BYTES)[0])
        is_current = entry["folder"] == folder and entry["environment"] == _environment_hash()
        if not is_current or any(_stamp(path) != stamp for path, stamp in entry["stamps"].items()):
            return None
        extra, allow = tuple(entry["redact_extra"]), tuple(entry["redact_allow"])
        place = (entry["project"], entry["directory"], entry["root"])
        asks, (kinds, *limits) = entry["capture_by_agent"], entry["offer_limits"]
        return HookProject(home, *place, extra, allow, asks, (tuple(kinds), *limits))
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # missing or damaged: looked up again


def cache_project(folder: str, hook_project: HookProject, common_dir: str | None) -> None:
    """Cache the project of a folder; if nothing can be written it is looked up each time."""
    entry = {
        "folder": folder,
        "environment": _environment_hash(),
        "stamps": {path: _stamp(path) for path in _decisive_files(folder, hook_project, common_dir)},
        "project": hook_project.project,
        "directory": hook_project.directory,
        "root": hook_project.root,
        "redact_extra": hook_project.redact_extra,
        "redact_allow": hook_project.redact_allow,
        "capture_by_agent": hook_project.capture_by_agent,
        "offer_limits": hook_project.offer_limits,
    }
    path = _file(hook_project.home, folder)
    with suppress(OSError):
        cache = os.path.dirname(path)
        ensure_private_dir(cache)
        entries = [os.path.join(cache, name) for name in os.listdir(cache)]
        if len(entries) >= _MAX_ENTRIES:
            # The oldest half goes: many folders are temporary.
            for old in sorted(entries, key=lambda path: os.stat(path).st_mtime)[: _MAX_ENTRIES // 2]:
                os.unlink(old)
        write_private(path, json.dumps(entry).encode())


def _decisive_files(folder: str, hook_project: HookProject, common_dir: str | None) -> Iterator[str]:
    """Yield the paths that decide which project the folder belongs to; not all of them exist."""
    yield from (os.path.join(hook_project.home, name) for name in _HOME_FILES)
    if hook_project.root:
        yield hook_project.root
        yield os.path.join(hook_project.root, ".rum", "config.toml")
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
    # hashlib is slow to load; a collision is noticed, as an entry holds its folder.
    return os.path.join(home, _FOLDER, f"{crc32(os.fsencode(folder)):08x}.json")
