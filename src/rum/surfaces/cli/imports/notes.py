"""`rum import notes`: another folder's notes into this repository's."""

from __future__ import annotations

import click

from rum.app.imports.notes import NotesImport
from rum.surfaces.cli.imports.import_view import taken
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command
from rum.surfaces.cli.output import note, say
from rum.surfaces.cli.views import View


@command("notes")
@click.argument("folder", metavar="DIR")
@click.pass_obj
def import_notes(asked: Asked, folder: str) -> None:
    """Take in the notes of another folder.

    DIR holds Markdown files with frontmatter. Each entry is appended to the note of its title, as it was
    written; what is here already, or was forgotten, is left out.
    """
    with opened(asked) as rum:
        answer = rum.notes.import_from(folder)
    say(asked.json, answer, _taken)
    if not asked.json:
        for one in answer.broken:
            note(f"Left out: {one.problem}")


def _taken(answer: NotesImport) -> View:
    return taken(answer, one="entry", many="entries")
