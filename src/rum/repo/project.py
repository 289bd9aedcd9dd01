"""Which project a directory belongs to, whatever checkout, clone or worktree of it that is."""

from __future__ import annotations

import os
import re
from collections import namedtuple

from rum.model.errors import InvalidQuery, NotFound
from rum.repo.identity_marks import directory_traces, is_same
from rum.repo.keys import KNOWN, directory_key, repository_keys
from rum.repo.location import Spot, find_root, find_spot, is_unchanged, place_name, traces_at
from rum.repo.registry import Entry, Place, Registry, directory, read, update
from rum.settings.home import find_home, tighten
from rum.settings.load import Settings, load
from rum.settings.table import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NamedTuple

    class ProjectLocation(NamedTuple):
        """A project and where it is: `root` is None for one named without a directory.

        `keys` are all it was ever known by; `note` is a sentence the user should read once.
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
    """The settings and the project for work done in `cwd`: those of the project's own root."""
    root = find_root(cwd, find_home(flags or {}, environ, cwd), environ)
    settings = load(root, flags=flags, environ=environ, cwd=cwd)
    project = find_project(cwd, settings, environ)
    if project.root and project.root != settings.root:
        settings = load(project.root, flags=flags, environ=environ, cwd=cwd)
    return settings, project


def find_project(cwd: str, settings: Settings, environ: Mapping[str, str] = os.environ) -> ProjectLocation:
    """The project that is named in the settings, else the one `cwd` is in; a new one is registered."""
    named = settings.project
    if not named:
        return _project_at(find_spot(cwd, settings.home, settings.subprojects, environ), settings)
    entry = read(settings.home).projects.get(named)
    if entry:
        return _as_project(settings.home, entry, _root_for(entry, cwd, settings))
    if is_path(named):
        return _project_of_directory(named, settings)
    return _project_by_name(named, cwd, settings)


def all_projects(home: str) -> list[ProjectLocation]:
    """Every project this machine knows, by name; `root` is where it was last seen."""
    entries = sorted(read(home).projects.values(), key=lambda entry: (entry.name, entry.id))
    return [_as_project(home, entry, entry.root) for entry in entries]


def adopt(project_id: str, cwd: str, settings: Settings) -> ProjectLocation:
    """Make what is in `cwd` part of a known project, as after moving a directory that has no git.

    All keys of the project found here so far go over. If it had memories of its own it stays, and its
    id still names it; nothing is lost, and adopting it here takes the keys back.
    """
    spot = find_spot(cwd, settings.home, settings.subprojects)
    present = _project_at(spot, settings)

    def join(registry: Registry) -> ProjectLocation:
        target = registry.projects.get(project_id)
        if target is None:
            raise NotFound(
                f"There is no project {project_id}; `rum projects` lists them.", project=project_id
            )
        source = registry.projects[present.id]
        if source is not target:
            _move_keys(registry, source, target, spot.root)
        return _as_project(settings.home, target, spot.root)

    return update(settings.home, join, patience=settings.busy_timeout, required=True)


def _move_keys(registry: Registry, source: Entry, target: Entry, root: str) -> None:
    if target.root and not os.path.lexists(target.root):
        # Whatever comes to lie there next is something else.
        target.keys = [key for key in target.keys if key != directory_key(target.root or "")]
        registry.places.pop(target.root, None)
    target.keys += source.keys
    target.root = root
    source.keys = []
    source.maybe = target.maybe = None
    for path, place in list(registry.places.items()):
        if place.project == source.id:
            place.project = target.id
            registry.remember(path, place)
    registry.touch(source)
    registry.touch(target)
    if not os.path.exists(os.path.join(directory(registry.home, source.id), "rum.db")):
        registry.remove(source)


def _project_at(spot: Spot, settings: Settings) -> ProjectLocation:
    registry = read(settings.home)
    known = registry.places.get(place_name(spot))
    entry = registry.projects.get(known.project) if known and is_unchanged(spot, known) else None
    if entry:
        tighten(settings.home)
        return _as_project(settings.home, entry, spot.root, registry)
    keys, history, has_remotes = _keys_of(spot)

    def settle(registry: Registry) -> ProjectLocation:
        entry = _match(registry, spot, keys, has_remotes) or _create(registry, spot, keys)
        registry.add_keys(entry, keys)
        if not entry.root or not os.path.isdir(entry.root):
            entry.root = spot.root
            registry.touch(entry)
        registry.remember(place_name(spot), Place(entry.id, traces_at(spot), history))
        return _as_project(settings.home, entry, spot.root, registry)

    return update(settings.home, settle, patience=settings.busy_timeout)


def _keys_of(spot: Spot) -> tuple[tuple[str, ...], str, bool]:
    if not spot.place:
        return (directory_key(spot.root),), KNOWN, False
    keys, history, has_remotes = repository_keys(spot.place)
    return tuple(f"{key}#{spot.sub}" if spot.sub else key for key in keys), history, has_remotes


def _match(registry: Registry, spot: Spot, keys: tuple[str, ...], has_remotes: bool) -> Entry | None:
    """The project this is: the one that lay here before, if it is still the same thing; else by its keys."""
    before = registry.places.get(place_name(spot))
    if before and before.project in registry.projects and is_same(traces_at(spot), before.traces):
        return registry.projects[before.project]
    owners = (registry.owner(key) for key in keys)
    return next((owner for owner in owners if owner), None) or _before_git(registry, spot, has_remotes)


def _before_git(registry: Registry, spot: Spot, has_remotes: bool) -> Entry | None:
    """The plain directory that `git init` made a repository of; a clone put in its place has a remote."""
    plain = registry.places.get(spot.root)
    if not spot.place or spot.sub or has_remotes or not plain:
        return None
    same = is_same(directory_traces(spot.root), plain.traces)
    return registry.projects.get(plain.project) if same else None


def _create(registry: Registry, spot: Spot, keys: tuple[str, ...]) -> Entry:
    maybe = None if spot.sub else _moved_from(registry, spot)
    entry = registry.create(_name(spot, keys), keys, spot.root)
    entry.maybe = maybe.id if maybe else None
    return entry


def _moved_from(registry: Registry, spot: Spot) -> Entry | None:
    """The one project known only by a path that may have been this: here before git, or moved."""
    if spot.place and (plain := registry.owner(directory_key(spot.root))):
        return plain
    gone = [
        entry
        for entry in registry.projects.values()
        if entry.root
        and os.path.basename(entry.root) == os.path.basename(spot.root)
        and not os.path.lexists(entry.root)
        and entry.keys
        and all(key.startswith("dir:") for key in entry.keys)
    ]
    return gone[0] if len(gone) == 1 else None


def _name(spot: Spot, keys: tuple[str, ...]) -> str:
    remote = next((key for key in keys if key.startswith("remote:")), "")
    remote = remote.removesuffix(f"#{spot.sub}") if spot.sub else remote
    folder = spot.place.common_dir if spot.place else spot.root
    if spot.place and os.path.basename(folder).startswith("."):
        folder = os.path.dirname(folder)
    name = remote.rpartition("/")[2] or os.path.basename(folder).removesuffix(".git")
    name = re.sub(r"[^\w. /@+-]", "_", f"{name}/{spot.sub}" if spot.sub else name)
    return name[:80] or "project"


def _as_project(
    home: str, entry: Entry, root: str | None, registry: Registry | None = None
) -> ProjectLocation:
    notes = [registry.note, _maybe_note(registry, entry)] if registry else []
    note = " ".join(filter(None, notes)) or None
    return ProjectLocation(entry.id, entry.name, root, directory(home, entry.id), tuple(entry.keys), note)


def _maybe_note(registry: Registry, entry: Entry) -> str | None:
    other = registry.projects.get(entry.maybe or "")
    if other is None:
        return None
    gone = "" if other.root and os.path.lexists(other.root) else ", which is gone"
    return (
        f"Project {other.id} was at {other.root}{gone}. If this is the same project, run "
        f"`rum projects adopt {other.id}` here."
    )


def _root_for(entry: Entry, cwd: str, settings: Settings) -> str | None:
    """Where a project named by its id is: here if this is it, else where it was last seen."""
    spot = _spot_or_none(cwd, settings)
    place = read(settings.home).places.get(place_name(spot)) if spot else None
    if spot and spot.marked and all(key.startswith("name:") for key in entry.keys):
        return spot.root
    if spot and place and place.project == entry.id:
        return spot.root
    return entry.root if entry.root and os.path.isdir(entry.root) else None


def _spot_or_none(cwd: str, settings: Settings) -> Spot | None:
    try:
        return find_spot(cwd, settings.home, settings.subprojects)
    except InvalidQuery:
        return None


def _project_of_directory(path: str, settings: Settings) -> ProjectLocation:
    """The project of a directory that is named; its own trusted config may name another, once."""
    flags = {"home": settings.home}
    theirs = load(find_root(path, settings.home, {}), flags=flags, environ={}, cwd=path)
    spot = find_spot(path, settings.home, theirs.subprojects, {})
    named = theirs.project
    if not named or theirs.origin("project") != os.path.join(spot.root, ".rum", "config.toml"):
        return _project_at(spot, settings)
    if is_path(named):
        return _project_at(find_spot(named, settings.home, (), {}), settings)
    return find_project(path, theirs)


def _project_by_name(name: str, cwd: str, settings: Settings) -> ProjectLocation:
    """The one project that is called so, or was before it became part of another; else a new one."""
    entry = _called(read(settings.home), name)
    if entry:
        return _as_project(settings.home, entry, _root_for(entry, cwd, settings))

    def settle(registry: Registry) -> ProjectLocation:
        entry = _called(registry, name)
        if entry:
            return _as_project(settings.home, entry, _root_for(entry, cwd, settings), registry)
        entry = registry.create(name, (f"name:{name}",), None)
        project = _as_project(settings.home, entry, _root_for(entry, cwd, settings), registry)
        new = f"There was no project `{name}`; this is a new one. `rum projects` lists those there are."
        return project._replace(note=" ".join(filter(None, (project.note, new))))

    return update(settings.home, settle, patience=settings.busy_timeout)


def _called(registry: Registry, name: str) -> Entry | None:
    found = [
        entry for entry in registry.projects.values() if entry.name == name or f"name:{name}" in entry.keys
    ]
    if len(found) > 1:
        ids = sorted(entry.id for entry in found)
        raise InvalidQuery(
            f"{len(found)} projects are called `{name}`; name one by its id: {', '.join(ids)}.",
            field="project",
            candidates=ids,
        )
    return found[0] if found else None
