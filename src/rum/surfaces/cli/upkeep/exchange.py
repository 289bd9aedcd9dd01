"""`rum export` and `rum import`: everything as JSON lines; other formats are subcommands."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable
from contextlib import suppress

import click

from rum.app.imports.notes import Written
from rum.app.project import damage
from rum.model.errors import InvalidQuery
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Command, Group, Options
from rum.surfaces.cli.output import note, print_lines, print_result
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.record_input import read_source
from rum.surfaces.cli.upkeep.imports import IMPORTS, import_command, import_view, note_missing_vectors
from rum.surfaces.cli.views import View, text_view


class ExchangeGroup(Group):
    """A group with a subcommand for each other format; any other argument is a file of JSON lines."""

    lines: click.Command  # The command for such a file

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the named subcommand, or else the command for JSON lines."""
        if args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return "", self.lines, args


@click.group("export", cls=ExchangeGroup, invoke_without_command=True, subcommand_metavar="[FILE|COMMAND]")
@click.pass_context
def export_group(ctx: click.Context) -> None:
    """Export everything as JSON lines.

    To FILE, which must not exist yet, or to stdout. Includes all agents, memories, versions, links, facts,
    rules and events.
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(export_lines, file=None)


@export_group.command("layers")
@click.argument("folder", metavar="DIR", type=click.Path())
@click.pass_obj
def export_layers(options: Options, folder: str) -> None:
    """Export facts, rules and events as layer files.

    To episodic.json, semantic.json and procedural.json in DIR, which must not have any of them yet.
    """
    with open_rum(options) as rum:
        counts = rum.export_layers(folder)
    words = ", ".join(f"{name} {count}" for name, count in counts.items())
    print_result(options, {"dir": folder, "entries": counts}, lambda _: text_view(f"{folder}: {words}"))


@export_group.command("agents-md")
@click.argument("file", required=False, type=click.Path())
@click.pass_obj
def export_guide(options: Options, file: str | None) -> None:
    """Write rules, facts and the best notes to AGENTS.md.

    Writes one section between two marks, at the end of FILE or where it was; the rest of FILE is unchanged.
    """
    with open_rum(options) as rum:
        answer = rum.export_guide(file)
    print_result(options, answer, _guide_view)


def _guide_view(answer: Written) -> View:
    counts = f"rules {answer.rules}, facts {answer.facts}, notes {answer.notes}"
    return text_view(f"{answer.file}: {counts}{'' if answer.changed else '; nothing changed'}.")


@click.command("lines", cls=Command)
@click.argument("file", required=False, type=click.Path())
@click.pass_obj
def export_lines(options: Options, file: str | None) -> None:
    """Export everything as JSON lines."""
    with open_rum(options) as rum:
        if file is None:
            print_lines(rum.export(_warn_damaged))
            return
        if os.path.exists(file):
            raise InvalidQuery(f"{file} exists already; choose another file.", field="file")
        with progress("Exporting", None) as report_progress:
            count = _write_whole(file, rum.export(_warn_damaged), report_progress)
    print_result(options, {"file": file, "lines": count}, lambda _: text_view(f"{file}: {count} lines"))


def _warn_damaged(memory_id: str) -> None:
    note(damage(memory_id))


def _write_whole(file: str, lines: Iterable[bytes], report_progress: Callable[[int], None]) -> int:
    """Write a file that appears only when it is complete and that only its owner can read."""
    folder, name = os.path.split(file)
    part = os.path.join(folder, f".{name}.{os.urandom(6).hex()}.part")
    count = 0
    try:
        # An export holds everything that is remembered: only its owner may read it.
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with open(handle, "wb") as out:
            for count, line in enumerate(lines, start=1):
                out.write(line + b"\n")
                report_progress(count)
        os.replace(part, file)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(part)
        if isinstance(error, OSError) and error.filename == part:
            error.filename = file
        raise
    return count


@click.group("import", cls=ExchangeGroup, invoke_without_command=True, subcommand_metavar="FILE|COMMAND")
@click.pass_context
def import_group(ctx: click.Context) -> None:
    """Import an export, git history, sessions, issues or notes.

    FILE holds the JSON lines of `rum export`; - is stdin. The whole file is checked before anything is
    written. Existing items are not changed, and forgotten ones stay forgotten. Vectors are not exported;
    they are computed again.
    """
    if ctx.invoked_subcommand is None:
        known = ", ".join(import_group.commands)
        raise click.UsageError(f"Give a FILE, - for stdin, or a command: {known}.", ctx)


for row in IMPORTS:
    import_group.add_command(import_command(row))


@click.command("lines", cls=Command)
@click.argument("file")
@click.pass_obj
def import_lines(options: Options, file: str) -> None:
    """Import an export of RUM."""
    lines = io.BytesIO(read_source(file)).readlines()
    with open_rum(options) as rum:
        with progress("Importing", len(lines)) as report_progress:
            answer = rum.import_lines(lines, report_progress)
        print_result(options, answer, import_view)
        if options.as_text:
            note_missing_vectors(rum)


export_group.lines = export_lines
import_group.lines = import_lines
