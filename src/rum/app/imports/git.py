"""A repository's history into memories: which commits are meant, and are not here yet."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Annotated, Any

from msgspec import Meta, field

from rum.app.caller import Caller
from rum.app.imports.commits import Commits
from rum.app.imports.import_batch import BATCH, Imported, Progress, Tally, count, import_pieces
from rum.app.project import Project
from rum.capture.git.history import Entry, Ledger
from rum.capture.git.ids import is_memory_of
from rum.capture.git.noise import Noise
from rum.model.errors import InvalidQuery
from rum.model.fields import Time, seconds
from rum.model.memory import Memory
from rum.model.memory_layers import Layer
from rum.model.parse import parse
from rum.repo import history
from rum.repo.files import relative_path
from rum.repo.git import GitRepository, find_git
from rum.repo.location import find_location


class GitImport(Imported, frozen=True, kw_only=True):
    """What an import did, in commits.

    `updated` are memories of earlier imports that a revert changed, `failures` those that now say that
    they were reverted, `rewritten` those that took the place of what a rebase left behind, `cut` those
    with more files than are kept. After a dry run, `added`, `skipped` and `forgotten` are what would be.
    """

    failures: int = 0
    rewritten: int = 0
    cut: int = 0
    dry_run: bool = False
    notes: list[str] = field(default_factory=list[str])


class Chosen(Layer, frozen=True):
    """Which commits are taken: all, or those since a time, the newest, or those that touched paths."""

    since: Time | None = None
    max_commits: Annotated[int, Meta(ge=1)] | None = None
    paths: str | tuple[str, ...] = ()
    dry_run: bool = False


def import_git(
    caller: Caller, path: str | os.PathLike[str] | None, given: dict[str, Any], progress: Progress
) -> GitImport:
    """Keep every commit that HEAD stands on, is chosen, and is not here yet, as a memory."""
    tally, chosen = Tally(), parse(given, Chosen, "import_git")
    place = _repository(caller, path)
    here = {sha: one for one, sha in caller.project.store.memories.at_commits() if is_memory_of(one, sha)}
    ledger = Ledger(history.commits(place), here, partial(history.commits_merged_by, place))
    asked = _asked(caller, place, chosen.paths)
    wanted = _wanted(place, ledger, chosen.since, asked)
    unmet = [] if wanted or not ledger.entries else _unmet(asked, chosen.since)
    new, skipped = _new(ledger, wanted, here, history.shallow_boundary(place), chosen.max_commits)
    tally.counts["unchanged"] = sum(entry.sha in here for entry in wanted)
    tally.skipped += skipped
    if new:
        lines = not chosen.dry_run and history.has_contents(place)
        changed = history.commits_with_changes(place, [entry.sha for entry in new], lines=lines)
        lost, elsewhere = _not_below(caller.project, place, ledger, here)
        source = Commits(caller, ledger, changed, len(new), () if chosen.dry_run else lost, elsewhere)
        deal_with = count if chosen.dry_run else import_pieces
        deal_with(caller, source, tally, progress)
    return tally.answer(GitImport, dry_run=chosen.dry_run, notes=[*_notes(place, ledger), *unmet])


def _repository(caller: Caller, path: str | os.PathLike[str] | None) -> GitRepository:
    folder = os.path.abspath(path) if path is not None else caller.project.location.root or caller.cwd
    place = find_git(folder) if os.path.isdir(folder) else None
    if place is None:
        raise InvalidQuery(
            f"{folder} is not in a git repository; go to one, or give its folder.", field="path"
        )
    return place


def _asked(caller: Caller, place: GitRepository, paths: str | Sequence[str]) -> list[str]:
    """The paths that history is asked about: those given, or the sub-project's own folder."""
    if paths:
        return [_inside(caller, place, path) for path in ([paths] if isinstance(paths, str) else paths)]
    settings = caller.project.settings
    subproject = find_location(caller.cwd, settings.home, settings.subprojects).subproject
    is_own = any(key.endswith(f"#{subproject}") for key in caller.project.location.keys)
    return [subproject] if subproject and is_own else []


def _inside(caller: Caller, place: GitRepository, path: str) -> str:
    inside = relative_path(path, place.root, caller.cwd)
    if inside.startswith(("/", "~", "..")) or os.path.isabs(inside):
        raise InvalidQuery(f"{path} is not in the repository {place.root}.", field="paths")
    return inside


def _wanted(place: GitRepository, ledger: Ledger, since: float | None, paths: Sequence[str]) -> list[Entry]:
    touching = history.commits_touching(place, paths) if paths and ledger.entries else None
    return [
        entry
        for entry in ledger.entries.values()
        if entry.at >= seconds(since or 0) and (touching is None or entry.sha in touching)
    ]


def _new(
    ledger: Ledger, wanted: Sequence[Entry], here: dict[str, str], cut_off: frozenset[str], most: int | None
) -> tuple[list[Entry], Counter[str]]:
    """What is to be read, oldest first, and why others of that time are not."""
    skipped = Counter[str]()
    told: list[Entry] = []
    for entry in reversed(wanted):
        if len(told) == most:
            break
        # What a bot did counts once somebody had to take it back.
        kept = entry.noise is None or (entry.noise is not Noise.MERGE and entry.sha in ledger.undone)
        if entry.sha in cut_off:
            skipped[Noise.CUT_OFF.value] += 1
        elif not kept:
            skipped[(entry.noise or Noise.MERGE).value] += 1
        else:
            told.append(entry)
    return [entry for entry in reversed(told) if entry.sha not in here], skipped


def _not_below(
    project: Project, place: GitRepository, ledger: Ledger, here: dict[str, str]
) -> tuple[Iterator[Memory], Iterator[Memory]]:
    """The memories of commits below HEAD no more: those that no branch holds, and those on other branches."""
    away = here.keys() - ledger.entries.keys()
    held = away & history.reachable_commits(place) if away else set[str]()
    return _read(project, (here[sha] for sha in away - held)), _read(project, (here[sha] for sha in held))


def _read(project: Project, ids: Iterable[str]) -> Iterator[Memory]:
    waiting = iter(sorted(ids))
    while batch := list(islice(waiting, BATCH)):
        yield from project.store.memories.get(batch)


def _unmet(paths: Sequence[str], since: float | None) -> list[str]:
    """What to say where no commit was chosen, and that is perhaps for a path that is not there."""
    when = "" if since is None else " since then"
    return [f"No commit{when} touches {' or '.join(paths)}."] if paths else []


def _notes(place: GitRepository, ledger: Ledger) -> list[str]:
    """What the user should know about this clone."""
    notes: list[str] = []
    if not ledger.entries:
        notes.append("There are no commits here yet.")
    if history.shallow_boundary(place):
        notes.append(
            "This clone is shallow: older history is missing. Run `git fetch --unshallow`, then import again."
        )
    if not history.has_contents(place):
        notes.append("This clone has no file contents, so memories name files without lines.")
    return notes
