"""Decide which existing project a repository belongs to: only by what nobody can forge.

A repository joins by its recorded place, as a worktree, after it was moved, as a local clone, or if it has
one of the project's remotes and holds a commit that the project knows. All else is a question for the user.
"""

from __future__ import annotations

import os
import re
from collections import namedtuple

from rum.repo.git import COMMIT_PATTERN, is_claimed
from rum.repo.git_process import ask_git, run_git
from rum.repo.identity import (
    KNOWN,
    SHALLOW,
    Identity,
    any_fingerprint_matches,
    directory_fingerprints,
    directory_key,
    identify,
    source_repositories,
)
from rum.repo.location import Location, fingerprints_at, is_home_or_root, registered_path
from rum.repo.registry import KnownLocation, directory, path_without_subproject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import NamedTuple

    from rum.repo.git import GitRepository
    from rum.repo.registry import Entry, Registry

    # The commits that the memory in a project's folder knows.
    KnownCommits = Callable[[str], Iterable[str]]

    class Question(NamedTuple):
        """A project that a repository may belong to, and what speaks for it."""

        entry: Entry
        why: str

else:
    # `typing` is slow to load.
    Question = namedtuple("Question", ("entry", "why"))


_MAX_SOURCES = 8  # Clones of clones that are followed
CREATED, REMOTE_ADDED, CLONE, JOINED = "created", "remote added", "clone", "joined by you"
FIRST_COMMIT, SAME_COMMITS, MOVED, BEFORE = "first commit", "same remote and commits", "moved", "before 0.2"


def no_commits(_: str) -> Iterable[str]:
    """Known commits where the memory cannot be asked: only the first commits in the registry count."""
    return ()


def location_identity(location: Location) -> Identity:
    """What identifies a location; a directory without git is its path."""
    if location.repository:
        return identify(location.repository)
    return Identity((), None, directory_key(location.root), (), KNOWN, has_remotes=False)


def location_keys(location: Location, identity: Identity) -> tuple[str, ...]:
    """The keys of a location, strongest first; those of a sub-project end in its name."""
    keys = (*identity.remotes, *filter(None, (identity.root, identity.path_key)))
    if not keys and location.repository:
        keys = (directory_key(location.repository.common_dir),)
    return tuple(_with_subproject(location, key) for key in keys)


class Joining:
    """Finds or creates the project of one location in a registry."""

    def __init__(self, registry: Registry, commits: KnownCommits) -> None:
        self._registry = registry
        self._commits = commits
        self._seen: set[str] = set()

    def find_or_create(self, location: Location, identity: Identity) -> Entry:
        """The project of a location, which is recorded in the registry with its keys."""
        registry, keys = self._registry, location_keys(location, identity)
        entry, how = self._find(location, identity)
        if entry is None:
            question = None if location.subproject else self._question(location, identity)
            entry, how = registry.create(project_name(location, keys), keys, location.root), CREATED
            if question:
                entry.possible_duplicate, entry.why = question.entry.id, question.why
        if how == REMOTE_ADDED:
            registry.add_keys(entry, [key for key in keys if not key.startswith("remote:")], FIRST_COMMIT)
        registry.add_keys(entry, keys, how)
        if not entry.root or not os.path.isdir(entry.root):
            entry.root = location.root
            registry.mark_changed(entry)
        record(registry, location, entry, identity)
        return entry

    def _find(self, location: Location, identity: Identity) -> tuple[Entry | None, str]:
        registry = self._registry
        known = registry.locations.get(registered_path(location))
        if (
            known
            and known.project in registry.projects
            and any_fingerprint_matches(fingerprints_at(location), known.fingerprints)
        ):
            return registry.projects[known.project], REMOTE_ADDED
        if not location.repository:
            return registry.owner(directory_key(location.root)), CREATED
        self._seen.add(location.repository.common_dir)
        if entry := self._moved(location) or self._at_its_root(location, identity):
            return entry, MOVED
        proven = self._proven(location, identity)
        if len(proven) == 1:
            return proven[0], SAME_COMMITS
        if not proven and (entry := self._of_source(location, identity)):
            return entry, CLONE
        return self._before_git_init(location, identity), REMOTE_ADDED

    def _moved(self, location: Location) -> Entry | None:
        """The project of a repository that was recorded at a path where nothing is any more."""
        now = fingerprints_at(location)
        for path, known in self._registry.locations.items():
            folder, _, subproject = path.partition("//#")
            if (
                subproject == location.subproject
                and any_fingerprint_matches(now, known.fingerprints)
                and not os.path.isdir(folder)
            ):
                return self._registry.projects.get(known.project)
        return None

    def _at_its_root(self, location: Location, identity: Identity) -> Entry | None:
        """The project whose checkout was here, with the same first commit, when its place was not recorded.

        A registry that was rebuilt has no places. A repository with a remote is found by that.
        """
        if identity.has_remotes:
            return None
        keys = location_keys(location, identity)
        found = (entry for entry in self._registry.projects.values() if entry.root == location.root)
        return next((entry for entry in found if any(key in entry.keys for key in keys)), None)

    def _proven(self, location: Location, identity: Identity) -> list[Entry]:
        """The projects with one of these remotes that know a commit which this repository holds."""
        repository = location.repository
        if repository is None or not is_claimed(repository):
            return []
        named = self._with_remote(location, identity)
        proven = [entry for entry in named if holds_any(repository, self._known_commits(entry))]
        remotes = {_with_subproject(location, remote) for remote in identity.remotes}
        # A remote that was another project's first is weaker than a key.
        return [entry for entry in proven if not remotes.isdisjoint(entry.keys)] or proven

    def _with_remote(self, location: Location, identity: Identity) -> list[Entry]:
        remotes = {_with_subproject(location, remote) for remote in identity.remotes}
        entries = self._registry.projects.values()
        return [entry for entry in entries if not remotes.isdisjoint((*entry.keys, *entry.claims))]

    def _known_commits(self, entry: Entry) -> list[str]:
        first = [key[len("root:") :].partition("#")[0] for key in entry.keys if key.startswith("root:")]
        return [*first, *self._commits(directory(self._registry.home, entry.id))]

    def _of_source(self, location: Location, identity: Identity) -> Entry | None:
        """The project of the repository on this machine that this one was cloned from."""
        repository = location.repository
        if repository is None or not is_claimed(repository) or len(self._seen) > _MAX_SOURCES:
            return None
        for source in source_repositories(identity):
            if source.common_dir in self._seen or is_home_or_root(source.root):
                continue
            source_identity = identify(source)
            first = [source_identity.root.removeprefix("root:")] if source_identity.root else []
            if holds_any(repository, [*first, *newest_commits(source)]):
                there = Location(source.root, source, location.subproject, has_marker=True)
                return self.find_or_create(there, source_identity)
        return None

    def _before_git_init(self, location: Location, identity: Identity) -> Entry | None:
        """The project of the plain directory that `git init` turned into a repository.

        A clone put in its place is another project; it has a remote.
        """
        plain = self._registry.locations.get(location.root)
        if location.subproject or identity.has_remotes or not plain:
            return None
        same = any_fingerprint_matches(directory_fingerprints(location.root), plain.fingerprints)
        return self._registry.projects.get(plain.project) if same else None

    def _question(self, location: Location, identity: Identity) -> Question | None:
        """The project that a new location may belong to, most likely first."""
        for entry in self._with_remote(location, identity):
            return Question(entry, self._doubt(location, identity, entry))
        for entry in self._registry.projects.values():
            if identity.root and identity.root in entry.keys:
                return Question(entry, "they have the same first commit, but not the same remote")
        for source in source_repositories(identity):
            known = self._registry.locations.get(source.common_dir)
            if known and (entry := self._registry.projects.get(known.project)):
                return Question(entry, f"its remote is {source.root}, but it holds no commit of that itself")
        return self._predecessor(location)

    def _doubt(self, location: Location, identity: Identity, entry: Entry) -> str:
        remote = next(iter(identity.remotes)).removeprefix("remote:")
        if location.repository and not is_claimed(location.repository):
            return f"the remote {remote} is the same, but its git directory does not name this folder"
        if location.repository and holds_any(location.repository, self._known_commits(entry)):
            return f"the remote {remote} and some commits are the same, but not for this project alone"
        clone = "this shallow clone holds" if identity.history == SHALLOW else "this repository holds"
        return f"the remote {remote} is the same, but {clone} no commit that it knows"

    def _predecessor(self, location: Location) -> Question | None:
        """The project, known only by its path, that this may be: it was here before git, or moved here."""
        if location.repository and (plain := self._registry.owner(directory_key(location.root))):
            return Question(plain, f"it was at {plain.root}")
        missing = [
            entry
            for entry in self._registry.projects.values()
            if entry.root
            and os.path.basename(entry.root) == os.path.basename(location.root)
            and not os.path.lexists(entry.root)
            and entry.keys
            and all(key.startswith("dir:") for key in entry.keys)
        ]
        if len(missing) != 1:
            return None
        return Question(missing[0], f"it was at {missing[0].root}, which no longer exists")


def record(registry: Registry, location: Location, entry: Entry, identity: Identity) -> None:
    """Record which project a location belongs to, and how to recognise it."""
    path = registered_path(location)
    registry.record_location(path, KnownLocation(entry.id, fingerprints_at(location), identity.history))
    if location.repository and not is_claimed(location.repository):
        registry.roots[path_without_subproject(path)] = location.root


def project_name(location: Location, keys: tuple[str, ...]) -> str:
    """A readable name: the last part of the remote, else of the folder."""
    import re  # noqa: PLC0415 (only for a new project)

    remote = next((key for key in keys if key.startswith("remote:")), "")
    remote = remote.removesuffix(f"#{location.subproject}") if location.subproject else remote
    folder = location.repository.common_dir if location.repository else location.root
    if location.repository and os.path.basename(folder).startswith("."):
        folder = os.path.dirname(folder)
    name = remote.rpartition("/")[2] or os.path.basename(folder).removesuffix(".git")
    name = re.sub(r"[^\w. /@+-]", "_", f"{name}/{location.subproject}" if location.subproject else name)
    return name[:80] or "project"


def _with_subproject(location: Location, key: str) -> str:
    return f"{key}#{location.subproject}" if location.subproject else key


MAX_COMMITS = 400  # Maximum number of commits that are looked up in a repository
_MAX_CHECKED = 3  # Of those found, how many are read to check them


def holds_any(repository: GitRepository, commits: Iterable[str]) -> bool:
    """Whether the repository's own object store holds one of these commits.

    Objects borrowed through `alternates` or symbolic links do not count: a folder that somebody else made
    could name any repository on this machine. The content of a commit is checked against its id.
    """
    wanted = [sha for sha in dict.fromkeys(commits) if re.fullmatch(COMMIT_PATTERN, sha)][:MAX_COMMITS]
    objects = os.path.join(repository.common_dir, "objects")
    if not wanted or _has_links(objects):
        return False
    wanted = [sha for sha in wanted if not os.path.islink(os.path.join(objects, sha[:2], sha[2:]))]
    if not os.path.lexists(os.path.join(objects, "info", "alternates")):
        return _holds_any(repository, wanted, None)
    import tempfile  # noqa: PLC0415 (rarely needed)

    try:
        with tempfile.TemporaryDirectory() as folder:
            for name in {"pack", *(sha[:2] for sha in wanted)}:
                if os.path.isdir(os.path.join(objects, name)):
                    os.symlink(os.path.join(objects, name), os.path.join(folder, name))
            return _holds_any(repository, wanted, folder)
    except OSError:
        return False


def newest_commits(repository: GitRepository) -> list[str]:
    """The newest commits on all branches."""
    printed = run_git(repository.git_dir, "rev-list", "--all", f"--max-count={MAX_COMMITS - 1}", "--")
    return (printed or "").split()


def _has_links(objects: str) -> bool:
    """Whether the store, its folders or its packs are symbolic links."""
    if os.path.islink(objects):
        return True
    try:
        folders = (objects, os.path.join(objects, "pack"), os.path.join(objects, "info"))
        return any(_any_link(folder) for folder in folders if os.path.isdir(folder))
    except OSError:
        return True


def _any_link(folder: str) -> bool:
    with os.scandir(folder) as entries:
        return any(entry.is_symlink() for entry in entries)


def _holds_any(repository: GitRepository, commits: list[str], objects: str | None) -> bool:
    form = "--batch-check=%(objectname) %(objecttype)"
    question = "".join(f"{sha}\n" for sha in commits).encode()
    printed = ask_git(repository.git_dir, "cat-file", form, question=question, objects=objects) or b""
    found = [line[: -len(b" commit")] for line in printed.split(b"\n") if line.endswith(b" commit")]
    if not found:
        return False
    question = b"".join(sha + b"\n" for sha in found[:_MAX_CHECKED])
    content = ask_git(repository.git_dir, "cat-file", "--batch", question=question, objects=objects)
    return any(_is_genuine(sha, data) for sha, data in _objects(content or b""))


def _objects(printed: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield (id, content) of the objects in the output of `git cat-file --batch`."""
    at = 0
    while header := re.compile(rb"([0-9a-f]+) commit (\d+)\n").match(printed, at):
        end = header.end() + int(header[2])
        yield header[1].decode(), printed[header.end() : end]
        at = end + 1


def _is_genuine(sha: str, content: bytes) -> bool:
    """Whether the id is the hash of the content: anyone can name a file after a commit."""
    import hashlib  # noqa: PLC0415 (loads OpenSSL, which a known repository does not need)

    make = hashlib.sha1 if len(sha) == 40 else hashlib.sha256
    return make(b"commit %d\0" % len(content) + content, usedforsecurity=False).hexdigest() == sha
