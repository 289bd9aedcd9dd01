"""Change what belongs to a project at the user's word: join, split, rename, remove, unite."""

from __future__ import annotations

import os

from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.repo.git import open_source
from rum.repo.identity import directory_key, identify
from rum.repo.joining import BEFORE, JOINED, location_identity, location_keys, record
from rum.repo.location import find_location
from rum.repo.project import ProjectLocation, question_text, to_project_location
from rum.repo.registry import Entry, Registry, directory, path_without_subproject, read, update

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.settings.load import Settings

_REMOVING = ".removing-"  # Start of the name of a folder that is being deleted


def describe(project_id: str, home: str) -> dict[str, Any]:
    """A project with its aliases, how and when each came, its places, and the open question if any."""
    registry = read(home)
    entry = _entry(registry, project_id)
    aliases = [_alias(entry, key) for key in entry.keys]
    aliases += [{"key": key, "how": "another project's"} for key in entry.claims]
    places = [path for path, known in registry.locations.items() if known.project == entry.id]
    found: dict[str, Any] = {
        "id": entry.id,
        "name": entry.name,
        "root": entry.root,
        "directory": directory(home, entry.id),
        "store": entry.store,
        "aliases": aliases,
        "places": sorted(places),
        "question": question_text(registry, entry),
    }
    return {name: value for name, value in found.items() if value is not None}


def _alias(entry: Entry, key: str) -> dict[str, Any]:
    how = entry.how.get(key)
    return {"key": key, "how": how[0], "at": how[1]} if how else {"key": key, "how": BEFORE}


def resolve(name: str, home: str) -> str:
    """The id of a project given by its id or its only name."""
    registry = read(home)
    if name in registry.projects:
        return name
    found = sorted(entry.id for entry in registry.projects.values() if entry.name == name)
    if len(found) > 1:
        raise InvalidQuery(
            f"{len(found)} projects are named `{name}`. Use an id: {', '.join(found)}.", candidates=found
        )
    return found[0] if found else _entry(registry, name).id


def join(project_id: str, cwd: str, settings: Settings, current: ProjectLocation) -> ProjectLocation:
    """Make the directory `cwd`, which belongs to the project `current`, part of another project.

    A project that was here and has no memories is removed, with its keys given to the other one. One that
    has memories or other folders stays, and can be named by its id.
    """
    location = find_location(cwd, settings.home, settings.subprojects)
    identity = location_identity(location)

    def change(registry: Registry) -> ProjectLocation:
        target = _entry(registry, project_id)
        source = registry.projects.get(current.id)
        _forget_missing_root(registry, target)
        if source and source is not target and _is_empty(registry, source, location.root):
            _give_keys(registry, source, target)
        registry.add_keys(target, location_keys(location, identity), JOINED)
        for entry in filter(None, (source, target)):
            entry.possible_duplicate = None
            if entry.id in registry.projects:
                registry.mark_changed(entry)
        target.root = location.root
        record(registry, location, target, identity)
        return to_project_location(settings.home, target, location.root)

    return update(settings.home, change, patience=settings.busy_timeout, required=True)


def split(key: str, settings: Settings, project_id: str | None = None) -> dict[str, Any]:
    """Take an alias or a folder out of its project; what has that alias becomes a project of its own.

    Nothing is deleted: the memories stay where they are.
    """

    def change(registry: Registry) -> dict[str, Any]:
        entry = _owner(registry, key, project_id)
        places = [
            path
            for path, known in registry.locations.items()
            if known.project == entry.id and _has_key(path, key)
        ]
        for path in places:
            del registry.locations[path]
        entry.keys = [one for one in entry.keys if one != key]
        entry.claims = [one for one in entry.claims if one != key]
        registry.mark_changed(entry)
        return {"id": entry.id, "name": entry.name, "key": key, "places": places}

    return update(settings.home, change, patience=settings.busy_timeout, required=True)


def _owner(registry: Registry, key: str, project_id: str | None) -> Entry:
    entries = [
        entry
        for entry in registry.projects.values()
        if (project_id is None or entry.id == project_id)
        and (key in entry.keys or key in entry.claims or _is_place(registry, key, entry))
    ]
    if len(entries) > 1:
        ids = sorted(entry.id for entry in entries)
        raise InvalidQuery(
            f"{len(ids)} projects have `{key}`. Choose one with --project: {', '.join(ids)}.", candidates=ids
        )
    if not entries:
        raise NotFound(f"No project has `{key}`. `rum projects show` lists aliases and places.", key=key)
    return entries[0]


def _is_place(registry: Registry, path: str, entry: Entry) -> bool:
    known = registry.locations.get(path)
    return known is not None and known.project == entry.id


def _has_key(path: str, key: str) -> bool:
    """Whether the repository or directory at a recorded place has this key today."""
    folder, _, subproject = path.partition("//#")
    if key in (path, directory_key(folder)) or key.startswith(f"{directory_key(folder)}@"):
        return True
    source = open_source(os.path.dirname(folder) if os.path.basename(folder) == ".git" else folder)
    if source is None or source.common_dir != folder:
        return False
    identity = identify(source)
    suffix = f"#{subproject}" if subproject else ""
    return key in [f"{one}{suffix}" for one in (*identity.remotes, identity.root)]


def rename(project_id: str, name: str, settings: Settings) -> ProjectLocation:
    """Give a project another name; its id and folder stay."""
    name = " ".join(name.split())
    if not name or len(name) > 80:
        raise InvalidQuery("A project's name has 1 to 80 characters.", field="name")

    def change(registry: Registry) -> ProjectLocation:
        entry = _entry(registry, project_id)
        for other in registry.projects.values():
            if other is not entry and (other.name == name or f"name:{name}" in other.keys):
                raise InvalidQuery(f"Project {other.id} is named `{name}` already.", field="name")
        entry.name = name
        registry.mark_changed(entry)
        return to_project_location(settings.home, entry, entry.root)

    return update(settings.home, change, patience=settings.busy_timeout, required=True)


def set_store(project_id: str, store: str | None, settings: Settings) -> None:
    """Record which database has a project's memories; None is the one of the setting `store`."""

    def change(registry: Registry) -> None:
        entry = _entry(registry, project_id)
        entry.store = store
        registry.mark_changed(entry)

    update(settings.home, change, patience=settings.busy_timeout, required=True)


def remove(project_id: str, settings: Settings) -> None:
    """Delete a project with everything stored for it; a removal that was interrupted is finished."""
    import shutil  # noqa: PLC0415 (only here)

    folder, removing = directory(settings.home, project_id), _removing(settings.home, project_id)
    if not os.path.isdir(removing):
        _entry(read(settings.home), project_id)

    def change(registry: Registry) -> None:
        entry = registry.projects.get(project_id)
        # Out of the way first: a folder without an entry would come back when the registry is rebuilt.
        if os.path.isdir(folder):
            if os.path.isdir(removing):
                shutil.rmtree(removing)
            os.rename(folder, removing)
        if entry:
            registry.remove(entry)
            registry.locations = {
                path: known for path, known in registry.locations.items() if known.project != project_id
            }

    update(settings.home, change, patience=settings.busy_timeout, required=True)
    try:
        shutil.rmtree(removing)
    except FileNotFoundError:
        pass
    except OSError as error:
        raise StorageError(
            f"{removing}: {error.strerror or error}. Run the command again to delete the rest."
        ) from error


def is_half_removed(project_id: str, home: str) -> bool:
    """Whether a removal was interrupted when only the deletion of files was left."""
    return project_id not in read(home).projects and os.path.isdir(_removing(home, project_id))


def _removing(home: str, project_id: str) -> str:
    return directory(home, f"{_REMOVING}{os.path.basename(project_id)}")


def unite(source_id: str, target_id: str, settings: Settings) -> None:
    """Give all aliases and places of one project to another, whose memory holds everything by now."""

    def change(registry: Registry) -> None:
        source, target = _entry(registry, source_id), _entry(registry, target_id)
        _give_keys(registry, source, target)
        registry.mark_changed(target)

    update(settings.home, change, patience=settings.busy_timeout, required=True)


def _give_keys(registry: Registry, source: Entry, target: Entry) -> None:
    keys, source.keys = source.keys, []
    for key in keys:
        target.add_key(key, JOINED)
    target.claims = [key for key in dict.fromkeys((*target.claims, *source.claims)) if key not in target.keys]
    for path, known in list(registry.locations.items()):
        if known.project == source.id:
            known.project = target.id
            registry.record_location(path, known)
    for entry in registry.projects.values():
        if entry.possible_duplicate == source.id:
            entry.possible_duplicate = target.id if entry is not target else None
            registry.mark_changed(entry)
    registry.mark_changed(source)
    if not os.path.exists(os.path.join(directory(registry.home, source.id), "rum.db")):
        registry.remove(source)


def _is_empty(registry: Registry, entry: Entry, root: str) -> bool:
    """Whether nothing is stored for a project, and it has no folder but this one."""
    if os.path.exists(os.path.join(directory(registry.home, entry.id), "rum.db")):
        return False
    places = [path for path, known in registry.locations.items() if known.project == entry.id]
    folders = map(path_without_subproject, places)
    return all(folder == root or folder.startswith(os.path.join(root, "")) for folder in folders)


def _forget_missing_root(registry: Registry, target: Entry) -> None:
    """A directory created later where this project was is another project."""
    if target.root and not os.path.lexists(target.root):
        target.keys = [key for key in target.keys if key != directory_key(target.root or "")]
        registry.locations.pop(target.root, None)


def _entry(registry: Registry, project_id: str) -> Entry:
    entry = registry.projects.get(project_id)
    if entry is None:
        raise NotFound(f"No project {project_id}. `rum projects` lists all projects.", project=project_id)
    return entry
