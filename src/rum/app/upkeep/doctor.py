"""Looking after a project's memory: doctor, reindex, backup."""

from __future__ import annotations

import os
import platform
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress

from rum._version import __version__
from rum.app.project import Project
from rum.model.answers import Diagnosis, Problem
from rum.model.errors import InvalidQuery, StorageError

LITTLE_SPACE = 100 * 1024 * 1024
MOST_REMARKS = 50


def doctor(project: Project) -> Diagnosis:
    """Everything that can be checked: the files, the index, permissions, space, settings."""
    from rum.app.upkeep import hook_checks, journal_checks  # noqa: PLC0415 (they load YAML)

    problems = [Problem(*found) for found in project.store.upkeep.problems()]
    home = project.settings.home if os.path.isdir(project.settings.home) else None
    problems += _home_problems(home) if home else []
    problems += [Problem(warning, "See `rum config`.") for warning in project.settings.warnings]
    problems += _embedder_problems(project)
    notes, broken, odd = _notes(project)
    journals, unreadable = journal_checks.journals(project)
    problems += [*broken, *unreadable, *journal_checks.agents(project), *hook_checks.troubles(project)]
    free = shutil.disk_usage(home).free if home else None
    if free is not None and free < LITTLE_SPACE:
        problems.append(Problem(f"Only {free // 1024 // 1024} MB are free.", "Free some disk space."))
    facts = {
        "rum": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "project": project.location.id,
        "directory": project.location.directory,
        "free_bytes": free,
        **project.store.upkeep.facts(),
        "vectors": _vectors(project),
        "notes": notes,
        "journals": journals,
        **hook_checks.pauses(project),
    }
    return Diagnosis(healthy=not problems, problems=problems, facts=facts, remarks=_remarks(project, odd))


def _vectors(project: Project) -> dict[str, object]:
    """How far the embedder in force has come."""
    model = project.semantic.model
    if model is None:
        return {"model": "none"}
    try:
        with project.store.errors():
            done, pending, refused = project.semantic.counts()
    except StorageError:  # what is damaged stands among the problems
        return {"model": model}
    return {"model": model, "done": done, "pending": pending, **({"refused": refused} if refused else {})}


def _embedder_problems(project: Project) -> list[Problem]:
    trouble = project.semantic.trouble
    advice = "Recall goes by words meanwhile; `rum tidy` asks it again."
    return [Problem(f"The embedder failed last time: {trouble}", advice)] if trouble else []


def _notes(project: Project) -> tuple[int, list[Problem], list[str]]:
    """How many notes there are, what is wrong with their files, and what is odd in them."""
    try:
        heads, broken = project.note_store.heads()
    except StorageError as error:
        return 0, [Problem(error.message, "See the setting `notes_dir`.")], []
    advice = "It is left out until somebody mends it."
    odd = [
        f"{project.relative(project.note_store.folder.file(head.slug))}, {remark}"
        for head in heads.values()
        for remark in head.remarks
    ]
    return len(heads), [Problem(one.problem, advice) for one in broken], odd


def _remarks(project: Project, notes: list[str]) -> list[str]:
    """What is odd in notes and rules: the first of it, and how much more there is."""
    from rum.app.layers import rules  # noqa: PLC0415 (nothing else here needs that layer)

    found = list(notes)
    with suppress(StorageError), project.store.errors():  # what is damaged stands among the problems
        found += rules.remarks(project)
    more = [f"{len(found) - MOST_REMARKS} more; `rum note list` has those of notes."]
    return found if len(found) <= MOST_REMARKS else found[:MOST_REMARKS] + more


def _home_problems(home: str) -> list[Problem]:
    if os.name != "posix":
        return []
    mode = stat.S_IMODE(os.stat(home).st_mode)
    if not mode & 0o077:
        return []
    return [Problem(f"{home} can be entered by others (mode {mode:o}).", f"Run `chmod 700 {home}`.")]


def reindex(
    project: Project,
    progress: Callable[[int], None],
    left_out: Callable[[str], None],
    *,
    vectors: bool = False,
) -> int:
    """Build everything derived anew, a batch at a time so that writers get their turn; how many memories.

    Vectors take much longer than words: they are kept, or else dropped and made again when there is time.
    `left_out` is told of each memory that is damaged. Whoever is killed leaves everything to be found.
    """
    done = 0
    project.store.upkeep.mend_index()
    project.store.archive.reindex(left_out)
    for batch in project.store.memories.in_time_order(200):
        with project.store.transaction():
            done += sum([project.store.memories.reindex(memory) for memory in batch])
        progress(done)
    project.store.knowledge.reindex()
    project.store.upkeep.stamp_index()
    project.store.vectors.requeue(drop=vectors)
    project.note_store.rebuild()
    return done


def backup(project: Project, path: str) -> int:
    """Copy the canonical database while others go on; the size of the copy."""
    if os.path.exists(path):
        raise InvalidQuery(
            f"{path} exists already; a backup never overwrites. Choose another name.", field="file"
        )
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InvalidQuery(f"There is no folder {folder}.", field="file")
    project.store.upkeep.backup(path)
    return os.path.getsize(path)
