"""Find the project of a directory; checkouts, worktrees and clones of a repository share one."""

from __future__ import annotations

import os
from collections import namedtuple

from rum.model.errors import InvalidQuery, StorageError
from rum.repo.joining import Joining, location_identity, no_commits
from rum.repo.location import Location, find_location, find_root, is_location_unchanged, registered_path
from rum.repo.registry import Entry, Registry, directory, read, update
from rum.settings.home import find_home, tighten
from rum.settings.load import Settings, load
from rum.settings.table import is_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NamedTuple

    from rum.repo.joining import KnownCommits

    class ProjectLocation(NamedTuple):
        """A project and its folders: `root` is the checkout, None for a project named without a directory.

        `directory` holds its memories; `keys` are its aliases; `note` is a message to show to the user.
        `exists` is False for one that was only looked for and that nothing is stored for. `question` asks
        whether this is the project `maybe`, until somebody was told. `store` names the database of its
        memories, unless that is the one of the setting `store`.
        """

        id: str
        name: str
        root: str | None
        directory: str
        keys: tuple[str, ...]
        note: str | None = None
        exists: bool = True
        question: str | None = None
        maybe: str | None = None
        store: str | None = None

else:
    # `typing` is slow to load.
    ProjectLocation = namedtuple(
        "ProjectLocation",
        ("id", "name", "root", "directory", "keys", "note", "exists", "question", "maybe", "store"),
        defaults=(None, True, None, None, None),
    )


def open_project(
    cwd: str,
    *,
    flags: Mapping[str, object] | None = None,
    environ: Mapping[str, str] = os.environ,
    create: bool = True,
    commits: KnownCommits = no_commits,
) -> tuple[Settings, ProjectLocation]:
    """The project of `cwd`, and the settings that apply at the project's root.

    Without `create` nothing is registered for a directory or name that has no project yet. `commits` returns
    the commits that the memory in a project's folder knows.
    """
    root = find_root(cwd, find_home(flags or {}, environ, cwd), environ)
    settings = load(root, flags=flags, environ=environ, cwd=cwd)
    project = find_project(cwd, settings, environ, create=create, commits=commits)
    if project.root and project.root != settings.root:
        settings = load(project.root, flags=flags, environ=environ, cwd=cwd)
    return settings, project


def find_project(
    cwd: str,
    settings: Settings,
    environ: Mapping[str, str] = os.environ,
    *,
    create: bool = True,
    commits: KnownCommits = no_commits,
) -> ProjectLocation:
    """The project named in the settings, else the one that contains `cwd`; as for `open_project`."""
    project_setting = settings.project
    finder = _Finder(settings, create, commits)
    if not project_setting:
        return finder.at_location(find_location(cwd, settings.home, settings.subprojects, environ))
    entry = read(settings.home).projects.get(project_setting)
    if entry:
        return to_project_location(settings.home, entry, _root_for(entry, cwd, settings))
    if is_path(project_setting):
        return finder.of_directory(project_setting)
    return finder.by_name(project_setting, cwd)


def all_projects(home: str) -> list[ProjectLocation]:
    """All projects registered on this machine, sorted by name; `root` is the last known folder."""
    entries = sorted(read(home).projects.values(), key=lambda entry: (entry.name, entry.id))
    return [to_project_location(home, entry, entry.root) for entry in entries]


def take_question(folder: str) -> str | None:
    """The question about the project with this folder, unless somebody was told; it is asked once."""
    home, project_id = os.path.dirname(os.path.dirname(folder)), os.path.basename(folder)
    try:
        registry = read(home)
        entry = registry.projects.get(project_id)
        question = question_text(registry, entry) if entry and not entry.told else None
        if question:
            record_question_shown(home, project_id, patience=1.0)
    except StorageError:
        return None
    return question


def record_question_shown(home: str, project_id: str, patience: float) -> None:
    """Record that somebody has seen the question whether this is another project: it is asked once."""

    def change(registry: Registry) -> None:
        entry = registry.projects.get(project_id)
        if entry and entry.possible_duplicate and not entry.told:
            entry.told = True
            registry.mark_changed(entry)

    entry = read(home).projects.get(project_id)
    if entry and entry.possible_duplicate and not entry.told:
        update(home, change, patience=patience)


def to_project_location(
    home: str, entry: Entry, root: str | None, registry: Registry | None = None, note: str | None = None
) -> ProjectLocation:
    """A registered project as its callers know it."""
    text = " ".join(filter(None, [registry.note if registry else None, note])) or None
    question = question_text(registry, entry) if registry and not entry.told else None
    folder = directory(home, entry.id)
    maybe = entry.possible_duplicate if question else None
    keys = tuple(entry.keys)
    return ProjectLocation(entry.id, entry.name, root, folder, keys, text, True, question, maybe, entry.store)


def question_text(registry: Registry, entry: Entry) -> str | None:
    """Which project this may be, why, and what to do; None if there is no such question."""
    other = registry.projects.get(entry.possible_duplicate or "")
    if other is None:
        return None
    why = entry.why or f"it was at {other.root}"
    return (
        f"This may be project {other.name}: {why}. If it is the same, run `rum projects join {other.id}` "
        "here; until then it has a memory of its own."
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


class _Finder:
    """Finds a project in the registry, and registers it if it is new and `create` is set."""

    def __init__(self, settings: Settings, create: bool, commits: KnownCommits) -> None:
        self._settings = settings
        self._home = settings.home
        self._create = create
        self._commits = commits

    def at_location(self, location: Location) -> ProjectLocation:
        """The project of a checkout or directory."""
        registry = read(self._home)
        known = registry.locations.get(registered_path(location))
        unchanged = known is not None and is_location_unchanged(location, known)
        entry = registry.projects.get(known.project) if known and unchanged else None
        if entry:
            tighten(self._home)
            return to_project_location(self._home, entry, location.root, registry, location.refusal)
        identity = location_identity(location)

        def find_or_create(registry: Registry) -> ProjectLocation:
            entry = Joining(registry, self._commits).find_or_create(location, identity)
            return to_project_location(self._home, entry, location.root, registry, location.refusal)

        return self._apply(find_or_create)

    def of_directory(self, path: str) -> ProjectLocation:
        """The project of a directory named in the settings.

        That directory's trusted config may name another project; this is followed once.
        """
        home = self._home
        settings = load(find_root(path, home, {}), flags={"home": home}, environ={}, cwd=path)
        location = find_location(path, home, settings.subprojects, {})
        named = settings.project
        own = settings.origin("project") == os.path.join(location.root, ".rum", "config.toml")
        if not named or not own:
            return self.at_location(location)
        if is_path(named):
            return self.at_location(find_location(named, home, (), {}))
        return find_project(path, settings, create=self._create, commits=self._commits)

    def by_name(self, name: str, cwd: str) -> ProjectLocation:
        """The project with this name (also a former one, kept as a `name:` key); else a new project."""
        entry = _find_by_name(read(self._home), name)
        if entry:
            return to_project_location(self._home, entry, _root_for(entry, cwd, self._settings))

        def find_or_create(registry: Registry) -> ProjectLocation:
            entry, note = _find_by_name(registry, name), None
            if entry is None:
                entry = registry.create(name, (f"name:{name}",), None)
                note = f"Project `{name}` did not exist, so a new one was created. `rum projects` lists all."
            root = _root_for(entry, cwd, self._settings)
            return to_project_location(self._home, entry, root, registry, note if self._create else None)

        return self._apply(find_or_create)

    def _apply(self, find_or_create: Callable[[Registry], ProjectLocation]) -> ProjectLocation:
        if not self._create:
            registry = read(self._home)
            before = set(registry.projects)
            project = find_or_create(registry)
            if project.id not in before:
                _check_home(self._home)
                return project._replace(exists=False)
        return update(self._home, find_or_create, patience=self._settings.busy_timeout)


def _check_home(home: str) -> None:
    """Refuse a home that cannot be used: an empty answer would look as if nothing were stored."""
    above = home
    while not os.path.lexists(above) and os.path.dirname(above) != above:
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        raise StorageError(f"RUM_HOME is {home}, but {above} is not a folder. Set it to another path.")
    if above == home and not os.access(home, os.R_OK | os.X_OK):
        raise StorageError(f"RUM_HOME is {home}, which cannot be read. Check its owner and permissions.")
    if above != home and not os.access(above, os.W_OK | os.X_OK):
        raise StorageError(
            f"RUM_HOME is {home}, which does not exist and cannot be created. Set it to another path."
        )


def _find_by_name(registry: Registry, name: str) -> Entry | None:
    entries = registry.projects.values()
    # A present name comes before a former one: an interrupted merge leaves both.
    found = [entry for entry in entries if entry.name == name] or [
        entry for entry in entries if f"name:{name}" in entry.keys
    ]
    if len(found) > 1:
        ids = sorted(entry.id for entry in found)
        raise InvalidQuery(
            f"{len(found)} projects are named `{name}`. Use an id instead: {', '.join(ids)}.",
            field="project",
            candidates=ids,
        )
    return found[0] if found else None
