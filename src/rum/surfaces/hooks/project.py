"""Where what a hook is told belongs: the project of the folder that the client works in."""

from __future__ import annotations

import os

from rum.capture.events.spool import folders, unclaimed_folders
from rum.settings.home import find_home
from rum.surfaces.hooks.project_cache import Found, settle, settled

_STARTED_IN = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR")
"""Variables in which clients tell their hooks in which folder they were started."""
_MARKS = (".git", ".rum")


def find_place(cwd: str) -> Found | None:
    """The project that a folder belongs to; None where no project can be."""
    folder = _existing(cwd)
    home = find_home({}, os.environ, folder)
    # Whoever was started in the home directory works in the folder gone to.
    for one in dict.fromkeys((_begun_in(folder), folder)):
        if found := settled(home, one) or _found_out(home, one):
            return found
    return None


def spool_folders(found: Found) -> tuple[str, ...]:
    """Where to keep what was told, best first."""
    if found.project is None:
        return unclaimed_folders(found.home)
    return folders(found.home, found.project, found.directory)


def _found_out(home: str, folder: str) -> Found | None:
    # Finding it out takes longer than all else that most hooks do.
    from rum.model.errors import InvalidQuery, RumError  # noqa: PLC0415
    from rum.repo.git import find_git  # noqa: PLC0415
    from rum.repo.location import find_root  # noqa: PLC0415
    from rum.repo.project import open_project  # noqa: PLC0415

    try:
        settings, project = open_project(folder)
    except Exception as error:  # noqa: BLE001 (a registry or settings damaged in whatever way)
        if isinstance(error, InvalidQuery) and find_root(folder, home) is None:
            return None
        # The words of other errors may hold what must not be kept.
        why = error.message if isinstance(error, RumError) else type(error).__name__
        return Found(home, trouble=f"The project could not be told: {why}")
    place = find_git(folder)
    redact = (settings.redact_extra, settings.redact_allow)
    found = Found(settings.home, project.id, project.directory, project.root, *redact)
    settle(folder, found, place.common_dir if place else None)
    return found


def _existing(path: str) -> str:
    """The folder, or the nearest one above it where it was removed meanwhile."""
    folder = path if os.path.isabs(path) else os.getcwd()
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def _begun_in(folder: str) -> str:
    """Where no checkout says what belongs together, the folder above in which the client was started.

    A session goes into folders below it, and is still the same work.
    """
    started = next(filter(None, map(os.environ.get, _STARTED_IN)), "")
    if not folder.startswith(os.path.join(started, "")) or not os.path.isabs(started):
        return folder
    above = folder
    while not any(os.path.lexists(os.path.join(above, mark)) for mark in _MARKS):
        if os.path.dirname(above) == above:
            return started
        above = os.path.dirname(above)
    return folder
