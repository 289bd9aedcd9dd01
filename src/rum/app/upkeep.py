"""Looking after a project's memory: doctor, reindex, backup."""

from __future__ import annotations

import os
import platform
import shutil
import stat
import time
from collections.abc import Callable

from rum._version import __version__
from rum.app.context import Context
from rum.capture import pausing, spool, trouble
from rum.model.answers import Diagnosis, Problem
from rum.model.errors import InvalidQuery, StorageError

LITTLE_SPACE = 100 * 1024 * 1024


def doctor(context: Context) -> Diagnosis:
    """Everything that can be checked: the files, the index, permissions, space, settings."""
    problems = [Problem(*found) for found in context.store.upkeep.problems()]
    home = context.settings.home if os.path.isdir(context.settings.home) else None
    problems += _home_problems(home) if home else []
    problems += [Problem(warning, "See `rum config`.") for warning in context.settings.warnings]
    problems += _embedder_problems(context)
    problems += _hook_problems(context)
    notes, broken = _notes(context)
    problems += broken
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
        **_paused(context),
    }
    return Diagnosis(healthy=not problems, problems=problems, facts=facts)


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


def _hook_problems(context: Context) -> list[Problem]:
    """What hooks had to keep to themselves, as nothing they print may trouble an agent."""
    home, project = context.settings.home, context.project
    places = (*spool.folders(home, project.id, project.directory), *spool.unclaimed_folders(home))
    found = trouble.noted(places, context.now())
    return [
        Problem(
            f"Capture had trouble, {one.times} × until {_when(one.last)}: {one.what}.",
            "What was kept is taken in by `rum tidy`; this note goes a week after the last time.",
        )
        for one in found
    ]


def _paused(context: Context) -> dict[str, str]:
    """Whether hooks keep nothing here, and until when."""
    held = pausing.pauses_now(context.settings.home, context.project.id, context.now())
    ends = [one["until"] for one in held]
    if not ends:
        return {}
    last = None if None in ends else max(filter(None, ends))
    return {"paused": "until `rum resume`" if last is None else f"until {_when(last)}"}


def _when(seconds: int) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


def _notes(context: Context) -> tuple[int, list[Problem]]:
    """How many notes there are, and what is wrong with their files."""
    try:
        heads, broken = context.shelf.heads()
    except StorageError as error:
        return 0, [Problem(error.message, "See the setting `notes_dir`.")]
    return len(heads), [Problem(one.problem, "It is left out until somebody mends it.") for one in broken]


def _home_problems(home: str) -> list[Problem]:
    if os.name != "posix":
        return []
    mode = stat.S_IMODE(os.stat(home).st_mode)
    if not mode & 0o077:
        return []
    return [Problem(f"{home} can be entered by others (mode {mode:o}).", f"Run `chmod 700 {home}`.")]


def reindex(
    context: Context, progress: Callable[[int], None] = lambda _: None, *, vectors: bool = False
) -> int:
    """Build everything derived anew, a batch at a time so that writers get their turn; how many memories.

    Vectors take much longer than words: they are kept, or else dropped and made again when there is time.
    """
    done = 0
    context.store.upkeep.mend_index()
    for batch in context.store.memories.in_time_order(200):
        with context.store.transaction():
            for memory in batch:
                context.store.memories.reindex(memory)
        done += len(batch)
        progress(done)
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
