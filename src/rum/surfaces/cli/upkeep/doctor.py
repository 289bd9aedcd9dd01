"""`rum doctor`, `rum tidy`, `rum reindex`, `rum backup` and `rum tokens`: maintain a project's memory."""

from __future__ import annotations

import math
import os
import platform
import time
from typing import Any, cast

import click

from rum._version import __version__
from rum.app.project import damage
from rum.app.rum import Rum
from rum.app.upkeep.doctor import TokensSpent
from rum.app.upkeep.tidy import DEFAULT_SECONDS, MAX_IDLE_SECONDS, LockHolder, TidyResult
from rum.capture.events import problems
from rum.model.answers import Diagnosis, Problem
from rum.model.errors import RumError, StorageError
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.views import Field, Fields, Table, TextLine, TextPart, View, format_size, text_view

_MANY = 200  # Number of memories from which the expected time is printed first
_PATIENCE = 20.0  # Seconds for which the process that a hook started waits for another one to end
_FAST, _SLOW = 0.03, 0.075  # Seconds per memory of the built-in embedder, on a fast and on a slow machine


@command("doctor")
@click.pass_context
def doctor(ctx: click.Context) -> None:
    """Check the project's memory for problems.

    Checks database, index, versions, permissions, disk and settings. The exit code is 1 if it finds any.
    """
    options = ctx.ensure_object(Options)
    try:
        with open_rum(options) as rum:
            found = rum.doctor()
    except StorageError as error:
        found = _cannot_open(error)
    print_result(options, found, _diagnosis_view)
    ctx.exit(0 if found.healthy else 1)


def _cannot_open(error: StorageError) -> Diagnosis:
    """The diagnosis of a database that cannot be opened."""
    path = error.details.get("path")
    advice = f"The file is {path}." if path else ""
    facts = {"rum": __version__, "python": platform.python_version()}
    return Diagnosis(healthy=False, problems=[Problem(error.message, advice)], facts=facts)


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
@click.pass_context
def tidy(ctx: click.Context, wait: bool, idle: str | None, spool: str | None) -> None:
    """Run pending work, such as computing vectors.

    Turns captured events into memories, computes missing vectors, newest first, and optimises the text index.
    Runs for up to half a minute, or to the end with --wait: 40,000 memories take the built-in embedder 20 to
    50 minutes of one core. Progress is shown as a bar, or with --wait as lines if stderr is no terminal. The
    exit code is 1 if the embedder fails.
    """
    options = ctx.ensure_object(Options)
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
    ctx.exit(1 if answer.trouble else 0)


def _run_idle(options: Options, folder: str) -> None:
    """Run at low priority, unless the project's folder no longer exists."""
    if not os.path.isdir(folder):
        return  # opening it would create it again
    if os.name == "posix":
        # The user's own programs come first.
        os.nice(19)
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
        return _text_lines(
            f"{_process_name(answer.busy)} is doing this work. `rum tidy --wait` waits for it."
        )
    lines = [f"Embedded: {answer.embedded}, pending: {answer.pending}"]
    if answer.model is None:
        lines = ["No embedder is configured, so recall uses words only."]
    if answer.captured:
        lines.append(f"Memories from captured events: {answer.captured}")
    if answer.dropped:
        lines.append(f"Dropped: {answer.dropped} vectors of unused embedders")
    if answer.chapters:
        lines.append(f"Chapters created: {answer.chapters}")
    if answer.trouble:
        return [TextLine((TextPart("problem:", "bad"), TextPart(answer.trouble))), *_text_lines(*lines)]
    if answer.pending and answer.embedded:
        rest = _minutes(answer.pending * took / answer.embedded)
        lines.append(f"`rum tidy --wait` computes the rest in about {rest} min.")
    return _text_lines(*lines)


def _text_lines(*lines: str) -> View:
    return [TextLine((TextPart(line),)) for line in lines]


def _minutes(seconds: float) -> int:
    return max(1, round(seconds / 60))


def _process_name(other: LockHolder) -> str:
    if not other.pid:
        return "Another process"
    return f"Process {other.pid}, since {time.strftime('%H:%M:%S', time.localtime(other.since))},"


@command("reindex")
@click.option("--vectors", is_flag=True, help="Also drop the vectors; `rum tidy` computes them again.")
@click.pass_obj
def reindex(options: Options, vectors: bool) -> None:
    """Rebuild the search index.

    Vectors are kept, as computing them takes much longer; --vectors drops them too.
    """
    with open_rum(options) as rum:
        total = rum.list(limit=1).total if options.agent is None else None
        with progress("Reindexing", total) as report_progress:
            done = rum.reindex(report_progress, vectors=vectors, left_out=lambda one: note(damage(one)))
    print_result(options, {"reindexed": done}, lambda _: text_view(f"Reindexed: {done}"))


@command("backup")
@click.argument("file", type=click.Path())
@click.pass_obj
def backup(options: Options, file: str) -> None:
    """Back up the memory to a file.

    Other processes can keep writing. FILE must not exist yet.
    """
    with open_rum(options) as rum:
        size = rum.backup(file)
    print_result(options, {"file": file, "bytes": size}, lambda _: text_view(f"{file}: {size} bytes"))


@command("tokens")
@click.pass_obj
def tokens(options: Options) -> None:
    """Show tokens used by language models, by day and project."""
    with open_rum(options) as rum:
        answer = rum.tokens()
    print_result(options, answer, _tokens_view)


def _tokens_view(answer: TokensSpent) -> View:
    days = [
        (day, project, spent)
        for day, projects in reversed(answer.days.items())
        for project, spent in sorted(projects.items())
    ]
    rows = [
        tuple(TextPart(str(cell)) for cell in (day, project, spent.requests, spent.read, spent.written))
        for day, project, spent in days
    ]
    lines = [
        f"{day} {project}: {spent.requests} requests, {spent.read} tokens read, {spent.written} written"
        for day, project, spent in days
    ]
    model = f"Language model: {answer.model or 'none'}. "
    view = text_view(f"{model}Tokens today: {answer.today} of {answer.limit}.")
    return [*view, Table(("day", "project", "requests", "read", "written"), rows, lines)] if rows else view
