"""`rum tidy`: run pending work."""

from __future__ import annotations

import math
import os
import time

import click

from rum.app.rum import Rum
from rum.app.upkeep.tidy import LONGEST, USUAL, Holder, TidyResult
from rum.capture.events import problems
from rum.model.errors import RumError
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.views import TextLine, TextPart, View

_MANY = 200
"""Number of memories from which the expected time is printed first."""
_PATIENCE = 20.0
"""Seconds for which a process that a hook started waits for another to end."""
_QUICK, _SLOW = 0.03, 0.075
"""Seconds that the built-in embedder takes for a memory, from a quick machine to a slow one."""


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
        answer = _finished(rum) if wait else _worked(rum, USUAL)
        took = time.monotonic() - began
    print_result(options.json, answer, lambda done: _result_view(done, took))
    ctx.exit(1 if answer.trouble else 0)


def _run_idle(options: Options, folder: str) -> None:
    """Run at low priority, unless the project's folder no longer exists."""
    if not os.path.isdir(folder):
        return  # opening it would make it again
    if os.name == "posix":
        os.nice(19)
    with open_rum(options) as rum:
        # A process that only checks the lease holds it for a moment.
        rum.tidy(LONGEST, patience=1.0)


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
    except RumError as error:  # nobody sees what this process prints
        problems.record_problem(
            (folder,), f"Captured events could not be processed: {error.message}", time.time()
        )
        raise


def _worked(rum: Rum, seconds: float, patience: float = 0.0) -> TidyResult:
    with progress("Embedding", rum.pending, lines=seconds > USUAL) as report_progress:
        return rum.tidy(seconds, patience=patience, progress=report_progress)


def _finished(rum: Rum) -> TidyResult:
    pending = rum.pending
    if pending >= _MANY and rum.settings.embedder == "builtin":
        low, high = _minutes(pending * _QUICK), _minutes(pending * _SLOW)
        minutes = f"{low} to {high}" if low < high else f"{low}"
        note(f"{pending} memories: about {minutes} min of one core. Ctrl-C stops it; what is done stays.")
    answer = _worked(rum, math.inf)
    if not answer.busy:
        return answer
    note(f"{_who(answer.busy)} is doing this work; waiting for it.")
    return _worked(rum, math.inf, math.inf)


def _result_view(answer: TidyResult, took: float) -> View:
    if answer.busy:
        return _lines(f"{_who(answer.busy)} is doing this work. `rum tidy --wait` waits for it.")
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
        return [TextLine((TextPart("problem:", "bad"), TextPart(answer.trouble))), *_lines(*lines)]
    if answer.pending and answer.embedded:
        rest = _minutes(answer.pending * took / answer.embedded)
        lines.append(f"`rum tidy --wait` computes the rest in about {rest} min.")
    return _lines(*lines)


def _lines(*lines: str) -> View:
    return [TextLine((TextPart(line),)) for line in lines]


def _minutes(seconds: float) -> int:
    return max(1, round(seconds / 60))


def _who(other: Holder) -> str:
    if not other.pid:
        return "Another process"
    return f"Process {other.pid}, since {time.strftime('%H:%M:%S', time.localtime(other.since))},"
