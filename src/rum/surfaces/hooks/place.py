"""Where what a hook is told belongs: the project of the folder that the client works in."""

from __future__ import annotations

import os

from rum.capture.spool import folders, unclaimed_folders
from rum.model.errors import InvalidQuery, RumError
from rum.repo.project import Project, open_project
from rum.repo.spot import find_root
from rum.settings import Settings, find_home


class Found:
    """RUM's home, the project with its settings unless they cannot be told, and then why."""

    __slots__ = ("home", "project", "settings", "trouble")

    def __init__(
        self, home: str, project: Project | None, settings: Settings | None, trouble: str = ""
    ) -> None:
        self.home = home
        self.project = project
        self.settings = settings
        self.trouble = trouble


def find_place(cwd: str) -> Found | None:
    """The project that a folder belongs to; None where no project can be."""
    folder = _existing(cwd)
    home = find_home({}, os.environ, folder)
    try:
        settings, project = open_project(folder)
    except Exception as error:  # noqa: BLE001 (a registry or settings damaged in whatever way)
        if isinstance(error, InvalidQuery) and find_root(folder, home) is None:
            return None
        # The words of other errors may hold what must not be kept.
        why = error.message if isinstance(error, RumError) else type(error).__name__
        return Found(home, None, None, f"The project could not be told: {why}")
    return Found(settings.home, project, settings)


def spool_folders(found: Found) -> tuple[str, ...]:
    """Where to keep what was told, best first."""
    if found.project is None:
        return unclaimed_folders(found.home)
    return folders(found.home, found.project.id, found.project.directory)


def _existing(path: str) -> str:
    """The folder, or the nearest one above it where it was removed meanwhile."""
    folder = path if os.path.isabs(path) else os.getcwd()
    while not os.path.isdir(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder
