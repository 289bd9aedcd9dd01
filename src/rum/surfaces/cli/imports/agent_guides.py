"""`rum import agents-md`, `rum import mcp-memory`, `rum export agents-md`: what agents are told elsewhere."""

from __future__ import annotations

import sys

import click

from rum.app.imports.agent_guides import Written
from rum.app.imports.mcp_memory import GraphImport
from rum.app.imports.notes import NotesImport
from rum.surfaces.cli.imports.import_view import taken
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import note, say
from rum.surfaces.cli.progress import progress
from rum.surfaces.cli.views import View, said


@command("agents-md")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.pass_obj
def import_guides(asked: Asked, files: tuple[str, ...]) -> None:
    """Make notes of CLAUDE.md, AGENTS.md, MEMORY.md and the like.

    A note for each heading, down to the third level. What is here already, or was forgotten, is left out; the
    files stay as they are.
    """
    with opened(asked) as rum:
        answer = rum.import_guides(*files)
    say(asked.json, answer, _noted)
    if not asked.json:
        for one in answer.broken:
            note(f"Left out: {one.file}: {one.problem}")


@command("mcp-memory")
@click.argument("file")
@click.pass_obj
def import_graph(asked: Asked, file: str) -> None:
    """Make memories of the graph of the MCP reference memory server.

    FILE holds its JSON lines (memory.json or memory.jsonl); - is stdin. It is checked whole before anything
    is written. Entities become memories, with their observations; those that are related are linked.
    """
    exported = sys.stdin.buffer.read() if file == "-" else _read(file)
    with opened(asked) as rum:
        with progress("Importing", None) as tell:
            answer = rum.import_graph(exported, tell)
        say(asked.json, answer, _linked)


@command("agents-md")
@click.argument("file", required=False, type=click.Path())
@click.pass_obj
def export_guide(asked: Asked, file: str | None) -> None:
    """Write rules, facts and the best notes into AGENTS.md.

    Into a section of FILE between two marks, at its end or where it stood; nothing else in it is touched.
    """
    with opened(asked) as rum:
        answer = rum.export_guide(file)
    say(asked.json, answer, _told)


def _read(file: str) -> bytes:
    with open(file, "rb") as source:
        return source.read()


def _noted(answer: NotesImport) -> View:
    return taken(answer, one="note", many="notes")


def _linked(answer: GraphImport) -> View:
    return [*taken(answer), *(said(f"Found: links {answer.links}.") if answer.links else [])]


def _told(answer: Written) -> View:
    what = f"rules {answer.rules}, facts {answer.facts}, notes {answer.notes}"
    return said(f"{answer.file}: {what}{'' if answer.changed else '; nothing changed'}.")
