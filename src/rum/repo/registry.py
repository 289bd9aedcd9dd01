"""The projects this machine knows: every key ever seen for each, and the places where they lie."""

from __future__ import annotations

import json
import os
import re
import time
import unicodedata
from contextlib import suppress
from zlib import crc32

from rum.model.errors import StorageError
from rum.settings.home import ensure_private_dir, file_lock, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")

VERSION = 1
PROJECTS = "projects"

_FILE = "projects.json"
_COPY = "project.json"
_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_MOST_PLACES = 500


class Entry:
    """One project: its name, its keys, where it was first seen, and which other project it may be."""

    __slots__ = ("created", "id", "keys", "maybe", "name", "root")

    def __init__(self, id: str, name: str, keys: list[str], root: str | None = None) -> None:
        self.id = id
        self.name = name
        self.keys = keys
        self.root = root
        self.maybe: str | None = None
        self.created = int(time.time())

    def to_json(self) -> dict[str, object]:
        """The entry as it is written."""
        return {name: getattr(self, name) for name in ("id", "name", "keys", "root", "maybe", "created")}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Entry:
        """The entry as it was written; ValueError, KeyError or TypeError when it is none."""
        entry = cls(str(data["id"]), str(data["name"]), [str(key) for key in data["keys"]])
        if not _is_id(entry.id) or isinstance(data["keys"], str):
            raise ValueError("not a project")
        entry.root = None if data.get("root") is None else str(data["root"])
        entry.maybe = None if data.get("maybe") is None else str(data["maybe"])
        entry.created = int(data.get("created", 0))
        return entry


class Place:
    """What a directory or git dir held when it was last looked at closely."""

    __slots__ = ("history", "project", "traces")

    def __init__(self, project: str, traces: list[list[int]], history: str) -> None:
        self.project = project
        self.traces = traces
        self.history = history


class Registry:
    """`projects.json` in memory."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.projects: dict[str, Entry] = {}
        self.places: dict[str, Place] = {}
        self.note: str | None = None
        self._changed: set[str] = set()
        self._dirty = False

    def owner(self, key: str) -> Entry | None:
        """The project that has this key."""
        return next((entry for entry in self.projects.values() if key in entry.keys), None)

    def add_keys(self, entry: Entry, keys: tuple[str, ...]) -> None:
        """Give a project the keys that no project has yet."""
        new = [key for key in keys if not self.owner(key)]
        if new:
            entry.keys += new
            self.touch(entry)

    def create(self, name: str, keys: tuple[str, ...], root: str | None) -> Entry:
        """A new project; its id follows from its first key, so that even an unwritten one is stable."""
        number = crc32(keys[0].encode("utf-8", "surrogateescape"))
        while (project_id := f"{slug(name)}-{number:08x}") in self.projects:
            number = (number + 1) % 2**32
        entry = Entry(project_id, name, [key for key in keys if not self.owner(key)], root)
        self.projects[project_id] = entry
        self.touch(entry)
        return entry

    def remember(self, path: str, place: Place) -> None:
        """Note what lies at a path, so that the next look is quick."""
        self.places[path] = place
        self._dirty = True

    def touch(self, entry: Entry) -> None:
        """Mark a project as changed, to be written."""
        self._changed.add(entry.id)
        self._dirty = True

    def remove(self, entry: Entry) -> None:
        """Take a project that holds nothing off the list."""
        del self.projects[entry.id]
        self._changed.discard(entry.id)
        self._dirty = True
        folder = directory(self.home, entry.id)
        with suppress(OSError):
            os.unlink(os.path.join(folder, _COPY))
            os.rmdir(folder)

    def save(self) -> None:
        """Write what changed: first the project's own copy, from which the list can be rebuilt."""
        if not self._dirty:
            return
        for project_id in sorted(self._changed):
            folder = directory(self.home, project_id)
            ensure_private_dir(folder)
            _write(os.path.join(folder, _COPY), self.projects[project_id].to_json())
        if len(self.places) > _MOST_PLACES:
            self.places = {
                path: place for path, place in self.places.items() if os.path.exists(place_path(path))
            }
        places = {path: [at.project, at.traces, at.history] for path, at in self.places.items()}
        projects = [entry.to_json() for entry in self.projects.values()]
        _write(_path(self.home), {"version": VERSION, "projects": projects, "places": places})


def directory(home: str, project_id: str) -> str:
    """Where a project's memory is kept."""
    return os.path.join(home, PROJECTS, project_id)


def place_path(place: str) -> str:
    """The path of a place, without the sub-project that follows it."""
    return place.split("//#", 1)[0]


def slug(name: str) -> str:
    """A name as part of a folder's name on every system."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "project"


def _is_id(text: str) -> bool:
    """Whether this can be the name of a project's folder, and of nothing outside."""
    return 9 < len(text) <= 80 and set(text) <= _ID_LETTERS


def read(home: str) -> Registry:
    """The projects as they are now, without changing anything, even if the list is damaged."""
    try:
        return _load(home)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return _rebuilt(home)


def update(home: str, change: Callable[[Registry], T], *, patience: float, required: bool = False) -> T:
    """Let `change` work on the list while nobody else does, and write it.

    Where nothing can be written its answer stands all the same, unless the change is `required`.
    """
    try:
        ensure_private_dir(home)
        with file_lock(f"{_path(home)}.lock", patience):
            registry = _load_or_repair(home)
            answer = change(registry)
            registry.save()
            return answer
    except OSError as error:
        if required:
            raise StorageError(f"{_path(home)}: {error.strerror or error}. Nothing was changed.") from error
        return change(read(home))


def _path(home: str) -> str:
    return os.path.join(home, _FILE)


def _write(path: str, data: object) -> None:
    # ASCII, because the name of a file need not be valid Unicode.
    write_private(path, json.dumps(data, indent=1).encode())


def _load(home: str) -> Registry:
    """The list; ValueError when it is damaged, FileNotFoundError when there is none."""
    registry = Registry(home)
    try:
        with open(_path(home), encoding="utf-8") as file:
            data = json.load(file)
        if data["version"] > VERSION:
            raise StorageError(f"{_path(home)} was written by a newer RUM; upgrade this one.")
        for item in data["projects"]:
            entry = Entry.from_json(item)
            registry.projects[entry.id] = entry
        for path, (project, traces, history) in data["places"].items():
            registry.places[path] = Place(project, traces, history)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{_path(home)} is damaged") from error
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise StorageError(f"{_path(home)}: {error.strerror or error}. Check its owner.") from error
    return registry


def _load_or_repair(home: str) -> Registry:
    try:
        return _load(home)
    except FileNotFoundError:
        return _rebuilt(home)
    except ValueError:
        aside = _set_aside(_path(home))
        registry = _rebuilt(home)
        registry.note = (
            f"{_path(home)} was damaged. It is kept as {os.path.basename(aside)}; "
            f"{len(registry.projects)} projects were found again in {os.path.join(home, PROJECTS)}."
        )
        return registry


def _set_aside(path: str) -> str:
    number = 1
    while os.path.lexists(f"{path}.corrupt-{number}"):
        number += 1
    os.rename(path, f"{path}.corrupt-{number}")
    return f"{path}.corrupt-{number}"


def _rebuilt(home: str) -> Registry:
    """The list made anew from each project's own copy; a folder without one keeps its name and no key."""
    registry = Registry(home)
    try:
        folders = sorted(os.listdir(os.path.join(home, PROJECTS)))
    except OSError:
        return registry
    for project_id in filter(_is_id, folders):
        try:
            with open(os.path.join(directory(home, project_id), _COPY), encoding="utf-8") as file:
                entry = Entry.from_json(json.load(file))
            if entry.id != project_id:
                raise ValueError("the copy of another project")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if _is_bare(directory(home, project_id)):
                continue
            entry = Entry(project_id, project_id.rpartition("-")[0], [])
            registry.touch(entry)
        registry.projects[project_id] = entry
    return registry


def _is_bare(folder: str) -> bool:
    """Whether a folder was only just made, by somebody who was stopped before its copy was written."""
    try:
        return all(name.startswith(f".{_COPY}.") for name in os.listdir(folder))
    except OSError:
        return False
