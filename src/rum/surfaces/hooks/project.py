"""Which project a hook's event belongs to: that of the folder the client works in."""

from __future__ import annotations

import os

from rum.capture.events.spool import folders, unclaimed_folders
from rum.settings.home import find_home
from rum.surfaces.hooks.project_cache import HookProject, cache_project, cached_project

_START_FOLDER_VARIABLES = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")
"""Variables with the folder in which the client was started."""
_ROOT_MARKERS = (".git", ".rum")


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
    while not any(os.path.lexists(os.path.join(above, mark)) for mark in _ROOT_MARKERS):
        if os.path.dirname(above) == above:
            return started
        above = os.path.dirname(above)
    return folder
