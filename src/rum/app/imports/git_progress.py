"""How far earlier imports of a git history read, so that the next one reads only what is new."""

from __future__ import annotations

import os

import msgspec
from msgspec import Struct

from rum.app.project import Project
from rum.repo.git import head, open_source

_NAME = "git history"  # The name under which the store remembers it


class ReadBefore(Struct, frozen=True):
    """The repository and paths of the last import, its HEAD, and what was read to its end.

    `tips` are the newest commits that were read with all before them, by what was selected.
    """

    folder: str = ""
    paths: list[str] = []
    head: str | None = None
    tips: dict[str, list[str]] = {}


def read_before(project: Project) -> ReadBefore:
    """What earlier imports of this project read."""
    try:
        return msgspec.json.decode(project.store.upkeep.remembered(_NAME) or "{}", type=ReadBefore)
    except msgspec.MsgspecError:
        return ReadBefore()


def remember_read(project: Project, read: ReadBefore) -> None:
    """Keep it for the next import."""
    project.store.upkeep.remember(_NAME, msgspec.json.encode(read).decode())


def unread_history(project: Project) -> tuple[str, list[str]] | None:
    """The repository and paths that were imported before, if HEAD is at another commit since."""
    before = read_before(project) if project.settings.import_git == "auto" else ReadBefore()
    place = open_source(before.folder) if before.folder else None
    tip = head(place)[0] if place else None
    if not tip or tip == before.head:
        return None
    return before.folder, [os.path.join(before.folder, path) for path in before.paths]
