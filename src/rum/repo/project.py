"""Find the project of a directory; all checkouts, clones and worktrees belong to the same project."""

from __future__ import annotations

import os
import re
from collections import namedtuple

from rum.model.errors import InvalidQuery, NotFound
from rum.repo.identity import (
    KNOWN,
    any_fingerprint_matches,
    directory_fingerprints,
    directory_key,
    repository_keys,
)
from rum.repo.location import (
    Location,
    find_location,
    find_root,
    fingerprints_at,
    is_location_unchanged,
    registered_path,
)
from rum.repo.registry import Entry, KnownLocation, Registry, directory, read, update
from rum.settings.home import find_home, tighten
from rum.settings.load import Settings, load
from rum.settings.table import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    class ProjectLocation(NamedTuple):
        """A project and its folders: `root` is the checkout, None for a project named without a directory.

        `directory` holds its memories; `keys` are all that ever identified it; `note` is a message to show
        to the user.
        """

        id: str
        name: str
        root: str | None
        directory: str
        keys: tuple[str, ...]
        note: str | None = None

else:
    # `typing` is slow to load.
    ProjectLocation = namedtuple(
        "ProjectLocation", ("id", "name", "root", "directory", "keys", "note"), defaults=(None,)
    )


def open_project(
    cwd: str, *, flags: Mapping[str, object] | None = None, environ: Mapping[str, str] = os.environ
) -> tuple[Settings, ProjectLocation]:
    """The project of `cwd`, and the settings that apply at the project's root."""
    root = find_root(cwd, find_home(flags or {}, environ, cwd), environ)
    settings = load(root, flags=flags, environ=environ, cwd=cwd)
    project = find_project(cwd, settings, environ)
    if project.root and project.root != settings.root:
        settings = load(project.root, flags=flags, environ=environ, cwd=cwd)
    return settings, project


def find_project(cwd: str, settings: Settings, environ: Mapping[str, str] = os.environ) -> ProjectLocation:
    """The project named in the settings, else the one that contains `cwd`; registered if it is new."""
    project_setting = settings.project
    if not project_setting:
        return _project_at_location(
            find_location(cwd, settings.home, settings.subprojects, environ), settings
        )
    entry = read(settings.home).projects.get(project_setting)
    if entry:
        return _to_project_location(settings.home, entry, _root_for(entry, cwd, settings))
    if is_path(project_setting):
        return _project_of_directory(project_setting, settings)
    return _project_by_name(project_setting, cwd, settings)


def all_projects(home: str) -> list[ProjectLocation]:
    """All projects registered on this machine, sorted by name; `root` is the last known folder."""
    entries = sorted(read(home).projects.values(), key=lambda entry: (entry.name, entry.id))
    return [_to_project_location(home, entry, entry.root) for entry in entries]


def adopt(project_id: str, cwd: str, settings: Settings) -> ProjectLocation:
    """Assign the directory `cwd` to an existing project, for example after moving a directory without git.

    That project gets all keys of the one found here so far. If the latter has memories it is kept, and can
    still be named by its id; adopting it here gives its keys back.
    """
    location = find_location(cwd, settings.home, settings.subprojects)
    current = _project_at_location(location, settings)

    def join(registry: Registry) -> ProjectLocation:
        target = registry.projects.get(project_id)
        if target is None:
            raise NotFound(f"No project {project_id}. `rum projects` lists all projects.", project=project_id)
        source = registry.projects[current.id]
        if source is not target:
            _transfer_keys(registry, source, target, location.root)
        return _to_project_location(settings.home, target, location.root)

    return update(settings.home, join, patience=settings.busy_timeout, required=True)


def _transfer_keys(registry: Registry, source: Entry, target: Entry, root: str) -> None:
    if target.root and not os.path.lexists(target.root):
        # A directory created there later is another project.
        target.keys = [key for key in target.keys if key != directory_key(target.root or "")]
        registry.locations.pop(target.root, None)
    target.keys += source.keys
    target.root = root
    source.keys = []
    source.possible_duplicate = target.possible_duplicate = None
    for path, known in list(registry.locations.items()):
        if known.project == source.id:
            known.project = target.id
            registry.record_location(path, known)
    registry.mark_changed(source)
    registry.mark_changed(target)
    if not os.path.exists(os.path.join(directory(registry.home, source.id), "rum.db")):
        registry.remove(source)


def _project_at_location(location: Location, settings: Settings) -> ProjectLocation:
    registry = read(settings.home)
    known = registry.locations.get(registered_path(location))
    entry = registry.projects.get(known.project) if known and is_location_unchanged(location, known) else None
    if entry:
        tighten(settings.home)
        return _to_project_location(settings.home, entry, location.root, registry)
    keys, history, has_remotes = _location_keys(location)

    def find_or_create(registry: Registry) -> ProjectLocation:
        entry = _find_existing(registry, location, keys, has_remotes) or _create(registry, location, keys)
        registry.add_keys(entry, keys)
        if not entry.root or not os.path.isdir(entry.root):
            entry.root = location.root
            registry.mark_changed(entry)
        registry.record_location(
            registered_path(location), KnownLocation(entry.id, fingerprints_at(location), history)
        )
        return _to_project_location(settings.home, entry, location.root, registry)

    return update(settings.home, find_or_create, patience=settings.busy_timeout)


def _location_keys(location: Location) -> tuple[tuple[str, ...], str, bool]:
    if not location.repository:
        return (directory_key(location.root),), KNOWN, False
    keys, history, has_remotes = repository_keys(location.repository)
    return (
        tuple(f"{key}#{location.subproject}" if location.subproject else key for key in keys),
        history,
        has_remotes,
    )


def _find_existing(
    registry: Registry, location: Location, keys: tuple[str, ...], has_remotes: bool
) -> Entry | None:
    """The project recorded at this location if nothing was replaced there, else the one with these keys."""
    before = registry.locations.get(registered_path(location))
    if (
        before
        and before.project in registry.projects
        and any_fingerprint_matches(fingerprints_at(location), before.fingerprints)
    ):
        return registry.projects[before.project]
    owners = (registry.owner(key) for key in keys)
    return next((owner for owner in owners if owner), None) or _project_before_git_init(
        registry, location, has_remotes
    )


def _project_before_git_init(registry: Registry, location: Location, has_remotes: bool) -> Entry | None:
    """The project of the plain directory that `git init` turned into a repository.

    A clone put in its place is another project; it has a remote.
    """
    plain = registry.locations.get(location.root)
    if not location.repository or location.subproject or has_remotes or not plain:
        return None
    same = any_fingerprint_matches(directory_fingerprints(location.root), plain.fingerprints)
    return registry.projects.get(plain.project) if same else None


def _create(registry: Registry, location: Location, keys: tuple[str, ...]) -> Entry:
    predecessor = None if location.subproject else _possible_predecessor(registry, location)
    entry = registry.create(_name(location, keys), keys, location.root)
    entry.possible_duplicate = predecessor.id if predecessor else None
    return entry


def _possible_predecessor(registry: Registry, location: Location) -> Entry | None:
    """The project, known only by its path, that this may be: it was here before git, or was moved here."""
    if location.repository and (plain := registry.owner(directory_key(location.root))):
        return plain
    missing = [
        entry
        for entry in registry.projects.values()
        if entry.root
        and os.path.basename(entry.root) == os.path.basename(location.root)
        and not os.path.lexists(entry.root)
        and entry.keys
        and all(key.startswith("dir:") for key in entry.keys)
    ]
    return missing[0] if len(missing) == 1 else None


def _name(location: Location, keys: tuple[str, ...]) -> str:
    remote = next((key for key in keys if key.startswith("remote:")), "")
    remote = remote.removesuffix(f"#{location.subproject}") if location.subproject else remote
    folder = location.repository.common_dir if location.repository else location.root
    if location.repository and os.path.basename(folder).startswith("."):
        folder = os.path.dirname(folder)
    name = remote.rpartition("/")[2] or os.path.basename(folder).removesuffix(".git")
    name = re.sub(r"[^\w. /@+-]", "_", f"{name}/{location.subproject}" if location.subproject else name)
    return name[:80] or "project"


def _to_project_location(
    home: str, entry: Entry, root: str | None, registry: Registry | None = None
) -> ProjectLocation:
    notes = [registry.note, _duplicate_note(registry, entry)] if registry else []
    note = " ".join(filter(None, notes)) or None
    return ProjectLocation(entry.id, entry.name, root, directory(home, entry.id), tuple(entry.keys), note)


def _duplicate_note(registry: Registry, entry: Entry) -> str | None:
    other = registry.projects.get(entry.possible_duplicate or "")
    if other is None:
        return None
    missing = "" if other.root and os.path.lexists(other.root) else ", which no longer exists"
    return (
        f"Project {other.id} was at {other.root}{missing}. If this is the same project, run "
        f"`rum projects adopt {other.id}` here."
    )


def _root_for(entry: Entry, cwd: str, settings: Settings) -> str | None:
    """The root of a project named by its id: this location if it belongs to it, else the last known one."""
    location = _location_or_none(cwd, settings)
    known = read(settings.home).locations.get(registered_path(location)) if location else None
    if location and location.has_marker and all(key.startswith("name:") for key in entry.keys):
        return location.root
    if location and known and known.project == entry.id:
        return location.root
    return entry.root if entry.root and os.path.isdir(entry.root) else None


def _location_or_none(cwd: str, settings: Settings) -> Location | None:
    try:
        return find_location(cwd, settings.home, settings.subprojects)
    except InvalidQuery:
        return None


def _project_of_directory(path: str, settings: Settings) -> ProjectLocation:
    """The project of a directory named in the settings.

    That directory's trusted config may name another project; this is followed once.
    """
    flags = {"home": settings.home}
    directory_settings = load(find_root(path, settings.home, {}), flags=flags, environ={}, cwd=path)
    location = find_location(path, settings.home, directory_settings.subprojects, {})
    project_setting = directory_settings.project
    if not project_setting or directory_settings.origin("project") != os.path.join(
        location.root, ".rum", "config.toml"
    ):
        return _project_at_location(location, settings)
    if is_path(project_setting):
        return _project_at_location(find_location(project_setting, settings.home, (), {}), settings)
    return find_project(path, directory_settings)


def _project_by_name(name: str, cwd: str, settings: Settings) -> ProjectLocation:
    """The project with this name (also a former one, kept as a `name:` key); else a new project."""
    entry = _find_by_name(read(settings.home), name)
    if entry:
        return _to_project_location(settings.home, entry, _root_for(entry, cwd, settings))

    def find_or_create(registry: Registry) -> ProjectLocation:
        entry = _find_by_name(registry, name)
        if entry:
            return _to_project_location(settings.home, entry, _root_for(entry, cwd, settings), registry)
        entry = registry.create(name, (f"name:{name}",), None)
        project = _to_project_location(settings.home, entry, _root_for(entry, cwd, settings), registry)
        created = (
            f"Project `{name}` did not exist, so a new one was created. `rum projects` lists all projects."
        )
        return project._replace(note=" ".join(filter(None, (project.note, created))))

    return update(settings.home, find_or_create, patience=settings.busy_timeout)


def _find_by_name(registry: Registry, name: str) -> Entry | None:
    found = [
        entry for entry in registry.projects.values() if entry.name == name or f"name:{name}" in entry.keys
    ]
    if len(found) > 1:
        ids = sorted(entry.id for entry in found)
        raise InvalidQuery(
            f"{len(found)} projects are named `{name}`. Use an id instead: {', '.join(ids)}.",
            field="project",
            candidates=ids,
        )
    return found[0] if found else None
