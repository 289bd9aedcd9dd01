"""Looking after a project's memory: doctor, reindex, backup."""

from __future__ import annotations

import os
import platform
import shutil
import stat
from collections.abc import Callable
from contextlib import suppress

from rum._version import __version__
from rum.app.project import Context
from rum.model.answers import Diagnosis, Problem
from rum.model.errors import InvalidQuery, StorageError

LITTLE_SPACE = 100 * 1024 * 1024
MOST_REMARKS = 50


def doctor(context: Context) -> Diagnosis:
    """Everything that can be checked: the files, the index, permissions, space, settings."""
    from rum.app.upkeep import hook_checks, journal_checks  # noqa: PLC0415 (they load YAML)

    problems = [Problem(*found) for found in context.store.upkeep.problems()]
    home = context.settings.home if os.path.isdir(context.settings.home) else None
    problems += _home_problems(home) if home else []
    problems += [Problem(warning, "See `rum config`.") for warning in context.settings.warnings]
    problems += _embedder_problems(context)
    notes, broken, odd = _notes(context)
    journals, unreadable = journal_checks.journals(context)
    problems += [*broken, *unreadable, *journal_checks.agents(context), *hook_checks.troubles(context)]
    free = shutil.disk_usage(home).free if home else None
    if free is not None and free < LITTLE_SPACE:
        problems.append(Problem(f"Only {free // 1024 // 1024} MB are free.", "Free some disk space."))
    facts = {
        "rum": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(terse=True),
        "project": context.project.id,
        "directory": context.project.directory,
        "free_bytes": free,
        **context.store.upkeep.facts(),
        "vectors": _vectors(context),
        "notes": notes,
        "journals": journals,
        **hook_checks.pauses(context),
    }
    return Diagnosis(healthy=not problems, problems=problems, facts=facts, remarks=_remarks(context, odd))


def _vectors(context: Context) -> dict[str, object]:
    """How far the embedder in force has come."""
    model = context.meaning.model
    if model is None:
        return {"model": "none"}
    try:
        with context.store.errors():
            done, pending = context.meaning.counts()
            refused = context.store.vectors.refused(model)
    except StorageError:  # what is damaged stands among the problems
        return {"model": model}
    return {"model": model, "done": done, "pending": pending, **({"refused": refused} if refused else {})}


def _embedder_problems(context: Context) -> list[Problem]:
    trouble = context.meaning.trouble
    advice = "Recall goes by words meanwhile; `rum tidy` asks it again."
    return [Problem(f"The embedder failed last time: {trouble}", advice)] if trouble else []


def _notes(context: Context) -> tuple[int, list[Problem], list[str]]:
    """How many notes there are, what is wrong with their files, and what is odd in them."""
    try:
        heads, broken = context.shelf.heads()
    except StorageError as error:
        return 0, [Problem(error.message, "See the setting `notes_dir`.")], []
    advice = "It is left out until somebody mends it."
    odd = [
        f"{context.relative(context.shelf.folder.file(head.slug))}, {remark}"
        for head in heads.values()
        for remark in head.remarks
    ]
    return len(heads), [Problem(one.problem, advice) for one in broken], odd


def _remarks(context: Context, notes: list[str]) -> list[str]:
    """What is odd in notes and rules: the first of it, and how much more there is."""
    from rum.app.layers import rules  # noqa: PLC0415 (nothing else here needs that layer)

    found = list(notes)
    with suppress(StorageError), context.store.errors():  # what is damaged stands among the problems
        found += rules.remarks(context)
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
    context: Context,
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
    context.store.upkeep.mend_index()
    context.store.archive.reindex(left_out)
    for batch in context.store.memories.in_time_order(200):
        with context.store.transaction():
            done += sum([context.store.memories.reindex(memory) for memory in batch])
        progress(done)
    context.store.knowledge.reindex()
    context.store.upkeep.stamp_index()
    (context.store.vectors.drop_all if vectors else context.store.vectors.mend)()
    context.shelf.rebuild()
    return done


def backup(context: Context, path: str) -> int:
    """Copy the canonical database while others go on; the size of the copy."""
    if os.path.exists(path):
        raise InvalidQuery(
            f"{path} exists already; a backup never overwrites. Choose another name.", field="file"
        )
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.isdir(folder):
        raise InvalidQuery(f"There is no folder {folder}.", field="file")
    context.store.upkeep.backup(path)
    return os.path.getsize(path)
