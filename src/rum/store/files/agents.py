"""The YAML files of agents: only their settings for background knowledge are read."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any, cast

from rum.model.errors import RumError
from rum.model.notes import Broken
from rum.settings.table import AGENT_SETTINGS
from rum.store.files import yaml
from rum.store.files.atomic_write import inside, read

LIMIT = 256 * 1024
MOST_FILES = 200
_ENDINGS = (".yaml", ".yml")
# The name of each setting in YAML, under `memory`.
_NAMES = {"max_injected": "maxInjected", "min_importance": "minImportance", "specialties": "specialties"}


def agent_file(folder: str, agent: str) -> tuple[dict[str, Any], list[Broken]]:
    """The settings for an agent in a YAML file of the folder, and the problems of the files.

    The file has the agent's name, or a field `name` with it.
    """
    broken: list[Broken] = []
    for file in _files(folder, agent):
        try:
            fields = _fields(folder, file)
            if str(fields.get("name", os.path.splitext(file)[0])).casefold() == agent.casefold():
                return _settings(fields, file, broken), broken
        except RumError as error:
            broken.append(Broken(file, error.message))
    return {}, broken


def broken_files(folder: str) -> list[Broken]:
    """The problems of all files."""
    broken: list[Broken] = []
    for file in _files(folder, ""):
        try:
            _settings(_fields(folder, file), file, broken)
        except RumError as error:
            broken.append(Broken(file, error.message))
    return broken


def _files(folder: str, agent: str) -> list[str]:
    """The files that may be an agent's, the one with its name first."""
    try:
        found = [name for name in os.listdir(folder) if name.lower().endswith(_ENDINGS)]
    except OSError:
        return []
    found.sort(key=lambda name: (os.path.splitext(name)[0].casefold() != agent.casefold(), name))
    return found[:MOST_FILES]


def _fields(folder: str, file: str) -> dict[str, Any]:
    path = os.path.join(folder, file)
    data = read(inside(folder, path), LIMIT) or b""
    fields = _loaded(data.decode("utf-8-sig", errors="replace"), path)
    return cast("dict[str, Any]", fields) if isinstance(fields, dict) else {}


@lru_cache(maxsize=64)
def _loaded(text: str, where: str) -> object:
    return yaml.load(text, where)


def _settings(fields: dict[str, Any], file: str, broken: list[Broken]) -> dict[str, Any]:
    memory = fields.get("memory")
    if memory is not None and not isinstance(memory, dict):
        broken.append(Broken(file, "`memory` must be a map of settings. It is ignored."))
    given = cast("dict[str, Any]", memory) if isinstance(memory, dict) else {}
    found: dict[str, Any] = {}
    for setting in AGENT_SETTINGS:
        name = _NAMES[setting.name]
        try:
            if given.get(name) is not None:
                found[setting.name] = setting.kind.check(given[name])
        except ValueError:
            problem = f"`memory.{name}` must be {setting.kind.allowed}. It is ignored."
            broken.append(Broken(file, problem))
    return found
