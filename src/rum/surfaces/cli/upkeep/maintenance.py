"""Maintain a project's memory: `rum doctor`, `tidy`, `archive`, `reindex`, `backup` and `tokens`."""

from __future__ import annotations

import math
import os
import platform
import time
from typing import Any, cast

import click
from click.exceptions import Exit

from rum._version import __version__
from rum.app.project import damage
from rum.app.rum import Rum
from rum.app.upkeep.archive import Archived, Restored
from rum.app.upkeep.tidy import DEFAULT_SECONDS, MAX_IDLE_SECONDS, LockHolder, TidyResult
from rum.capture.events import problems
from rum.model.answers import Diagnosis, Problem
from rum.model.errors import RumError, StorageError
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, check_usage, command, given_options
from rum.surfaces.cli.output import note, print_result, progress
from rum.surfaces.cli.views import (
    Field,
    Fields,
    TextLine,
    TextPart,
    View,
    count_of,
    format_size,
    text_view,
)

# Reasons why memories are not archived.
_REASONS = {
    "young": "too recent",
    "important": "important",
    "follow_ups": "with open follow-ups",
    "linked": "linked to recent ones",
    "used": "in use",
    "damaged": "damaged",
}
_MANY = 200  # Number of memories from which the expected time is printed first
_PATIENCE = 20.0  # Seconds for which the process that a hook started waits for another one to end
_FAST, _SLOW = 0.03, 0.075  # Seconds per memory of the built-in embedder, on a fast and on a slow machine


@command("doctor")
@click.option("--mend", is_flag=True, help="Do what is safe about them, after copying the files.")
def doctor(options: Options, mend: bool) -> None:
    """Check the project's memory for problems.

    Checks every table and row, the index, versions, permissions, disk and settings. The exit code is 1 if it
    finds any. --mend copies the files, saves the rows that can be read, and rebuilds the index.
    """
    try:
        if mend:
            found = Rum.repair(project=options.project)
        else:
            with open_rum(options) as rum:
                found = rum.doctor()
    except StorageError as error:  # it cannot be opened
        path = error.details.get("path")
        problem = Problem(error.message, f"The file is {path}." if path else "")
        facts = {"rum": __version__, "python": platform.python_version()}
        found = Diagnosis(healthy=False, problems=[problem], facts=facts)
    print_result(options, found, _diagnosis_view)
    if not found.healthy:
        raise Exit(1)


def _diagnosis_view(found: Diagnosis) -> View:
    facts: list[Field] = [_fact(name, value) for name, value in found.facts.items()]
    problems: View = [
        TextLine((TextPart("problem:", "bad"), TextPart(problem.what), TextPart(problem.advice, "dim")))
        for problem in found.problems
    ]
    problems += [TextLine((TextPart("remark:", "strong"), TextPart(remark))) for remark in found.remarks]
    heading = TextPart("healthy", "good") if found.healthy else TextPart("not healthy", "bad")
    return [*problems, Fields((heading,), facts)]


def _fact(name: str, value: object) -> Field:
    """A fact as text: sizes with units, and what to do if work is pending."""
    if name == "free_bytes" and isinstance(value, int):
        return "free", format_size(value)
    if isinstance(value, list):
        return name, " ".join(map(str, cast("list[object]", value)))
    if not isinstance(value, dict):
        return name, str(value)
    parts = cast("dict[str, Any]", value)
    if name == "bytes":
        return "size", ", ".join(f"{file} {format_size(size)}" for file, size in parts.items())
    text = ", ".join(f"{part} {figure}" for part, figure in parts.items())
    return name, f"{text} (run `rum tidy` to compute them)" if parts.get("pending") else text


@command("tidy")
@click.option("--wait", is_flag=True, help="Run until everything is done; wait for other processes.")
@click.option("--idle", metavar="FOLDER", hidden=True, help="As `rum mcp` starts it.")
@click.option("--spool", metavar="FOLDER", hidden=True, help="As a hook starts it.")
def tidy(options: Options, wait: bool, idle: str | None, spool: str | None) -> None:
    """Run pending work, such as computing vectors.

    Turns captured events into memories, imports new commits if the git history was imported before, computes
    missing vectors, newest first, and optimises the text index. Runs for up to half a minute, or to the end
    with --wait: 40,000 memories take the built-in embedder 20 to 50 minutes of one core. Progress is shown as
    a bar, or with --wait as lines if stderr is no terminal. The exit code is 1 if the embedder fails.
    """
    if idle is not None:
        _run_idle(options, idle)
        return
    if spool is not None:
        _process_spool(spool)
        return
    with open_rum(options) as rum:
        began = time.monotonic()
        answer = _tidy_to_the_end(rum) if wait else _tidy(rum, DEFAULT_SECONDS)
        took = time.monotonic() - began
    print_result(options, answer, lambda done: _tidy_view(done, took))
    if answer.trouble:
        raise Exit(1)


def _run_idle(options: Options, folder: str) -> None:
    """Run at low priority, unless the project's folder no longer exists."""
    if not os.path.isdir(folder):
        return  # opening it would create it again
    if os.name == "posix":
        os.nice(19)  # the user's own programs come first
    with open_rum(options) as rum:
        # A process that only checks the lease holds it for a moment.
        rum.tidy(MAX_IDLE_SECONDS, patience=1.0)


def _process_spool(folder: str) -> None:
    """Process only the events in a project's spool, as a turn has just ended."""
    project = os.path.dirname(os.path.abspath(folder))
    if not os.path.isdir(project):
        return
    if os.name == "posix":
        os.nice(10)
    try:
        with Rum.open_database(project, client="hooks", owner=True) as rum:
            # The process that holds the lease may have read this session's file already, so wait for it.
            rum.take_in(patience=_PATIENCE)
    except RumError as error:  # the output of this process is not shown
        problems.record_problem(
            (folder,), f"Captured events could not be processed: {error.message}", time.time()
        )
        raise


def _tidy(rum: Rum, seconds: float, patience: float = 0.0) -> TidyResult:
    with progress("Embedding", rum.pending, lines=seconds > DEFAULT_SECONDS) as report_progress:
        return rum.tidy(seconds, patience=patience, progress=report_progress)


def _tidy_to_the_end(rum: Rum) -> TidyResult:
    pending = rum.pending
    if pending >= _MANY and rum.settings.embedder == "builtin":
        low, high = _minutes(pending * _FAST), _minutes(pending * _SLOW)
        minutes = f"{low} to {high}" if low < high else f"{low}"
        note(f"{pending} memories: about {minutes} min of one core. Ctrl-C stops it; what is done stays.")
    answer = _tidy(rum, math.inf)
    if not answer.busy:
        return answer
    note(f"{_process_name(answer.busy)} is doing this work; waiting for it.")
    return _tidy(rum, math.inf, math.inf)


def _tidy_view(answer: TidyResult, took: float) -> View:
    if answer.busy:
        return text_view(f"{_process_name(answer.busy)} is doing this work. `rum tidy --wait` waits for it.")
    lines = [f"Embedded: {answer.embedded}, pending: {answer.pending}"]
    if answer.model is None:
        lines = ["No embedder is configured, so recall uses words only."]
    if answer.captured:
        lines.append(f"Memories from captured events: {answer.captured}")
    if answer.imported:
        lines.append(f"Memories of new commits: {answer.imported}")
    if answer.dropped:
        lines.append(f"Dropped: {answer.dropped} vectors of unused embedders")
    if answer.chapters:
        lines.append(f"Chapters created: {answer.chapters}")
    if answer.pending and answer.embedded and not answer.trouble:
        rest = _minutes(answer.pending * took / answer.embedded)
        lines.append(f"`rum tidy --wait` computes the rest in about {rest} min.")
    trouble: View = []
    if answer.trouble:
        trouble.append(TextLine((TextPart("problem:", "bad"), TextPart(answer.trouble))))
    return [*trouble, *(TextLine((TextPart(line),)) for line in lines)]


def _minutes(seconds: float) -> int:
    return max(1, round(seconds / 60))


def _process_name(other: LockHolder) -> str:
    if not other.pid:
        return "Another process"
    return f"Process {other.pid}, since {time.strftime('%H:%M:%S', time.localtime(other.since))},"


@command("archive")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@click.option("--older-than", type=float, metavar="DAYS", help="Minimum age (setting archive_after).")
@click.option(
    "--importance",
    type=float,
    metavar="N",
    help="Skip memories of at least this importance (setting archive_importance).",
)
@click.option(
    "--uses", type=int, metavar="N", help="Skip memories retrieved more often (setting archive_uses)."
)
@click.option("--dry-run", is_flag=True, help="Only count; archive nothing.")
@click.option("--restore", is_flag=True, help="Restore the memories with these IDs from the archive.")
def archive(options: Options, ids: tuple[str, ...], dry_run: bool, restore: bool, **criteria: Any) -> None:
    """Archive old, rarely used memories.

    Archived memories take a third of the space and are still found by id, file, words and meaning. Memories
    that are recent, important, in use, linked to recent ones or have open follow-ups are not archived;
    superseded ones are archived unless recent. Changing an archived memory restores it. See `rum config` for
    the defaults.
    """
    if restore:
        _restore(options, ids, [*given_options(criteria), *(["dry_run"] if dry_run else [])])
        return
    if ids:
        raise click.UsageError("IDs need --restore; which memories are archived is decided by age and use.")
    with open_rum(options) as rum, progress("Archiving", None) as report_progress, check_usage():
        answer = rum.archive(dry_run=dry_run, progress=report_progress, **criteria)
    print_result(options, answer, _archived_view)


def _restore(options: Options, ids: tuple[str, ...], others: list[str]) -> None:
    if others:
        raise click.UsageError(f"--restore cannot be combined with --{others[0].replace('_', '-')}.")
    if not ids:
        raise click.UsageError("Give the ids of the memories to restore: rum archive --restore ID ...")
    with open_rum(options) as rum:
        answer = rum.restore_archived(ids)
    print_result(options, answer, _restored_view)


def _archived_view(answer: Archived) -> View:
    count = count_of(answer.archived, "memory", "memories")
    replaced = f" ({answer.superseded} superseded)" if answer.superseded else ""
    view = text_view(f"{'Would archive' if answer.dry_run else 'Archived'} {count}{replaced}.")
    kept = ", ".join(
        f"{answer.kept[reason]} {text}" for reason, text in _REASONS.items() if reason in answer.kept
    )
    view += text_view(f"Not archived: {kept}.") if kept else []
    if answer.archived and not answer.dry_run:
        before, after = answer.bytes_before, answer.bytes_after
        sizes = f" File: {format_size(before)} → {format_size(after)}." if after < before else ""
        view += text_view(f"In the archive: {answer.in_archive}.{sizes}")
    return view + (text_view(answer.hint) if answer.hint else [])


def _restored_view(answer: Restored) -> View:
    view = text_view(f"Restored {len(answer.restored)}.")
    view += text_view(f"Not archived: {', '.join(answer.live)}.") if answer.live else []
    return view + [line for one in answer.unreadable for line in text_view(damage(one))]


@command("reindex")
@click.option("--vectors", is_flag=True, help="Also drop the vectors; `rum tidy` computes them again.")
def reindex(options: Options, vectors: bool) -> None:
    """Rebuild the search index.

    Vectors are kept, as computing them takes much longer; --vectors drops them too.
    """
    with open_rum(options) as rum:
        total = rum.list(limit=1).total if options.agent is None else None
        with progress("Reindexing", total) as report_progress:
            done = rum.reindex(report_progress, vectors=vectors, left_out=lambda one: note(damage(one)))
    print_result(options, {"reindexed": done}, f"Reindexed: {done}")


@command("backup")
@click.argument("file", type=click.Path())
@click.argument("restored", type=click.Path(), required=False, metavar="")
def backup(options: Options, file: str, restored: str | None) -> None:
    """Back up the memory to a file, or restore one.

    Other processes can keep writing. FILE must not exist yet. `rum backup restore FILE` replaces the memory
    by a backup; the files before are copied to a folder beside them.
    """
    if restored is not None:
        if file != "restore":
            raise click.UsageError("Give one file, or: rum backup restore FILE")
        kept = Rum.restore_backup(restored, project=options.project)
        answer = {"restored": restored, "copy": kept}
        print_result(options, answer, f"Restored {restored}. Before: {kept}")
        return
    if file == "restore":
        raise click.UsageError("Which backup? rum backup restore FILE")
    with open_rum(options) as rum:
        size = rum.backup(file)
    print_result(options, {"file": file, "bytes": size}, f"{file}: {size} bytes")
