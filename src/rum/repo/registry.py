"""The projects registered on this machine, with all keys that identify them and their locations."""

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
    from collections.abc import Callable, Iterable
    from typing import Any, TypeVar

    T = TypeVar("T")

VERSION = 1
PROJECTS = "projects"

_REGISTRY_FILE = "projects.json"
_PROJECT_FILE = "project.json"
_ID_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_MAX_LOCATIONS = 500


class Entry:
    """One project: its id, name, keys (aliases) and root."""

    __slots__ = (
        "claims",
        "created",
        "how",
        "id",
        "keys",
        "name",
        "possible_duplicate",
        "root",
        "store",
        "told",
        "why",
    )

    def __init__(self, id: str, name: str, keys: list[str], root: str | None = None) -> None:
        self.id = id
        self.name = name
        self.keys = keys
        self.root = root
        self.how: dict[str, tuple[str, int]] = {}
        """How and when each key came; keys that an older RUM recorded have none."""
        self.claims: list[str] = []
        """Remotes of its repositories that were another project's key already."""
        self.possible_duplicate: str | None = None
        """The id of a project that this may be."""
        self.why = ""
        self.told = False
        """Whether somebody has been told of the possible duplicate."""
        self.store: str | None = None
        """The name of the database that has its memories; None for the one of the setting `store`."""
        self.created = int(time.time())

    def add_key(self, key: str, how: str) -> None:
        """Add a key, with how it came and today's date."""
        if key not in self.keys:
            self.keys.append(key)
            self.how[key] = (how, int(time.time()))

    def to_json(self) -> dict[str, object]:
        """The entry as stored in `projects.json`."""
        return {
            "id": self.id,
            "name": self.name,
            "keys": self.keys,
            "how": {key: self.how[key] for key in self.keys if key in self.how},
            "claims": self.claims,
            "root": self.root,
            "maybe": self.possible_duplicate,
            "why": self.why,
            "told": self.told,
            "store": self.store,
            "created": self.created,
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Entry:
        """Parse a stored entry; ValueError, KeyError or TypeError if it is invalid."""
        entry = cls(str(data["id"]), str(data["name"]), [str(key) for key in data["keys"]])
        if not _is_project_id(entry.id) or isinstance(data["keys"], str):
            raise ValueError("not a project")
        entry.root = None if data.get("root") is None else str(data["root"])
        entry.how = {key: (str(how), int(when)) for key, (how, when) in data.get("how", {}).items()}
        entry.claims = [str(key) for key in data.get("claims", [])]
        entry.possible_duplicate = None if data.get("maybe") is None else str(data["maybe"])
        entry.why = str(data.get("why", ""))
        entry.told = bool(data.get("told", False))
        entry.store = None if data.get("store") is None else str(data["store"])
        entry.created = int(data.get("created", 0))
        return entry


class KnownLocation:
    """The project and fingerprints recorded for a directory or git dir, and the state of its history."""

    __slots__ = ("fingerprints", "history", "project")

    def __init__(self, project: str, fingerprints: list[list[int]], history: str) -> None:
        self.project = project
        self.fingerprints = fingerprints
        self.history = history


class Registry:
    """The content of `projects.json`; `save` writes the changes back."""

    def __init__(self, home: str) -> None:
        self.home = home
        self.projects: dict[str, Entry] = {}
        self.locations: dict[str, KnownLocation] = {}
        self.roots: dict[str, str] = {}
        """The work tree of each git dir that lies elsewhere and does not name it."""
        self.note: str | None = None
        self._changed: set[str] = set()
        self._dirty = False

    def owner(self, key: str) -> Entry | None:
        """The project with this key."""
        return next((entry for entry in self.projects.values() if key in entry.keys), None)

    def add_keys(self, entry: Entry, keys: Iterable[str], how: str) -> None:
        """Add keys to a project; a remote that is another project's key is kept as a claim only.

        Several projects may have the same first commit: they are forks of one another.
        """
        for key in keys:
            if key in entry.keys or key in entry.claims:
                continue
            owner = None if key.startswith("root:") else self.owner(key)
            if owner is None:
                entry.add_key(key, how)
            elif key.startswith("remote:"):
                entry.claims.append(key)
            self.mark_changed(entry)

    def create(self, name: str, keys: tuple[str, ...], root: str | None) -> Entry:
        """Create a project; its id derives from its first key, so it is stable even if it cannot be saved."""
        number = crc32(keys[0].encode("utf-8", "surrogateescape"))
        while self._is_taken(project_id := f"{slug(name)}-{number:08x}"):
            number = (number + 1) % 2**32
        entry = Entry(project_id, name, [], root)
        self.projects[project_id] = entry
        self.add_keys(entry, keys, "created")
        self.mark_changed(entry)
        return entry

    def _is_taken(self, project_id: str) -> bool:
        """Whether a project has this id; a folder that only has captured events may be its own."""
        entry = self.projects.get(project_id)
        has_memory = os.path.exists(os.path.join(directory(self.home, project_id), "rum.db"))
        return entry is not None and (bool(entry.keys) or has_memory)

    def record_location(self, path: str, location: KnownLocation) -> None:
        """Record which project is at a path, so that it is found quickly next time."""
        self.locations[path] = location
        self._dirty = True

    def mark_changed(self, entry: Entry) -> None:
        """Have the project's own file written by the next `save`."""
        self._changed.add(entry.id)
        self._dirty = True

    def remove(self, entry: Entry) -> None:
        """Remove a project that has no memories."""
        del self.projects[entry.id]
        self._changed.discard(entry.id)
        self._dirty = True
        folder = directory(self.home, entry.id)
        with suppress(OSError):
            os.unlink(os.path.join(folder, _PROJECT_FILE))
            os.rmdir(folder)

    def save(self) -> None:
        """Write the changes; each project's own file first, from which the registry can be rebuilt."""
        if not self._dirty:
            return
        for project_id in sorted(self._changed):
            folder = directory(self.home, project_id)
            ensure_private_dir(folder)
            _write(os.path.join(folder, _PROJECT_FILE), self.projects[project_id].to_json())
        if len(self.locations) > _MAX_LOCATIONS:
            self.locations = {
                path: known
                for path, known in self.locations.items()
                if os.path.exists(path_without_subproject(path))
            }
        locations = {
            path: [known.project, known.fingerprints, known.history] for path, known in self.locations.items()
        }
        projects = [entry.to_json() for entry in self.projects.values()]
        roots = {path: root for path, root in self.roots.items() if path in self.locations}
        data = {"version": VERSION, "projects": projects, "places": locations, "roots": roots}
        _write(registry_path(self.home), data)


def directory(home: str, project_id: str) -> str:
    """The folder with a project's memories."""
    return os.path.join(home, PROJECTS, project_id)


def path_without_subproject(path: str) -> str:
    """The path of a recorded location without its sub-project (`path//#name`)."""
    return path.split("//#", 1)[0]


def slug(name: str) -> str:
    """A name reduced to characters that are safe in folder names on every system."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40].strip("-") or "project"


def _is_project_id(text: str) -> bool:
    """Whether this can be the name of a project's folder; it must not lead outside."""
    return 9 < len(text) <= 80 and set(text) <= _ID_LETTERS


def read(home: str) -> Registry:
    """Load the registry without writing anything; a damaged one is rebuilt in memory."""
    try:
        return _load(home)
    except NotADirectoryError as error:
        raise StorageError(f"RUM_HOME is {home}, which is not a folder. Set it to another path.") from error
    except (FileNotFoundError, ValueError):
        return _rebuild(home)


def update(home: str, change: Callable[[Registry], T], *, patience: float, required: bool = False) -> T:
    """Run `change` on the registry under a lock, save it, and return the result.

    If nothing can be written the result is returned all the same, unless the change is `required`.
    `patience` is how many seconds to wait for the lock.
    """
    try:
        ensure_private_dir(home)
        with file_lock(f"{registry_path(home)}.lock", patience):
            registry = _load_or_repair(home)
            answer = change(registry)
            registry.save()
            return answer
    except OSError as error:
        if required:
            raise StorageError(
                f"{registry_path(home)}: {error.strerror or error}. Nothing was changed."
            ) from error
        return change(read(home))


def registry_path(home: str) -> str:
    """The file with all projects of this machine."""
    return os.path.join(home, _REGISTRY_FILE)


def _write(path: str, data: object) -> None:
    # ASCII, because a file name may not be valid Unicode.
    write_private(path, json.dumps(data, indent=1).encode())


def _load(home: str) -> Registry:
    """The registry; ValueError if it is damaged, FileNotFoundError if there is none."""
    registry = Registry(home)
    try:
        with open(registry_path(home), encoding="utf-8") as file:
            data = json.load(file)
        if data["version"] > VERSION:
            raise StorageError(f"{registry_path(home)} was written by a newer RUM. Upgrade RUM.")
        for item in data["projects"]:
            entry = Entry.from_json(item)
            registry.projects[entry.id] = entry
        for path, (project, fingerprints, history) in data["places"].items():
            registry.locations[path] = KnownLocation(project, fingerprints, history)
        registry.roots = dict(data.get("roots", {}))
    except (KeyError, TypeError, AttributeError, RecursionError, IsADirectoryError) as error:
        raise ValueError(f"{registry_path(home)} is damaged") from error
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise StorageError(f"{registry_path(home)}: {error.strerror or error}. Check its owner.") from error
    return registry


def _load_or_repair(home: str) -> Registry:
    try:
        return _load(home)
    except FileNotFoundError:
        return _rebuild(home)
    except ValueError:
        backup = _rename_damaged(registry_path(home))
        registry = _rebuild(home)
        registry.note = (
            f"{registry_path(home)} was damaged. A backup was saved as {os.path.basename(backup)}; "
            f"{len(registry.projects)} projects were restored from {os.path.join(home, PROJECTS)}."
        )
        return registry


def _rename_damaged(path: str) -> str:
    number = 1
    while os.path.lexists(f"{path}.corrupt-{number}"):
        number += 1
    os.rename(path, f"{path}.corrupt-{number}")
    return f"{path}.corrupt-{number}"


def _rebuild(home: str) -> Registry:
    """Rebuild the registry from each project's own file; a folder without one gets an entry without keys."""
    registry = Registry(home)
    try:
        folders = sorted(os.listdir(os.path.join(home, PROJECTS)))
    except OSError:
        return registry
    for project_id in filter(_is_project_id, folders):
        try:
            with open(os.path.join(directory(home, project_id), _PROJECT_FILE), encoding="utf-8") as file:
                entry = Entry.from_json(json.load(file))
            if entry.id != project_id:
                raise ValueError("the file of another project")
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if _is_unfinished(directory(home, project_id)):
                continue
            entry = Entry(project_id, project_id.rpartition("-")[0], [])
            registry.mark_changed(entry)
        registry.projects[project_id] = entry
    return registry


def _is_unfinished(folder: str) -> bool:
    """Whether a process was stopped after creating this folder and before writing the project's file."""
    try:
        return all(name.startswith(f".{_PROJECT_FILE}.") for name in os.listdir(folder))
    except OSError:
        return False
