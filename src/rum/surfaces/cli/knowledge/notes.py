"""`rum note`: notes, which are Markdown files in the repository."""

from __future__ import annotations

import sys
from typing import Any

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import local_time
from rum.model.anchors import remark
from rum.model.notes import Contradiction, Entry, MatchRequest, NoteDraft, NoteList, NoteShown, NotesMatched
from rum.surfaces.cli.open_project import Output, open_rum, rum_command
from rum.surfaces.cli.options import (
    Group,
    Options,
    command,
    given_options,
    ids_option,
    options_of,
    quiet_option,
)
from rum.surfaces.cli.output import note as print_note
from rum.surfaces.cli.output import print_result, print_text
from rum.surfaces.cli.record_input import decode_text, read_source, source_name
from rum.surfaces.cli.views import (
    Field,
    Fields,
    TextPart,
    View,
    code_field,
    filled,
    heading,
    skipped_notes,
    table,
    text_view,
)


@click.group("note", cls=Group)
def note() -> None:
    """Manage notes in the repository."""


@command("add", note)
@click.argument("title")
@click.option("--file", "source_file", metavar="FILE", help="Read its text from this file (-: stdin).")
@options_of(NoteDraft, leave_out=("title", "discovered_at"), content={"required": False})
@quiet_option
def add(
    options: Options,
    title: str,
    when_to_use: tuple[str, ...],
    content: str | None,
    source_file: str | None,
    **fields: Any,
) -> None:
    """Add an entry to the note with this TITLE, or create it.

    The text is Markdown. Earlier entries are not changed.
    """
    if content is None:
        if source_file is None and sys.stdin.isatty():
            raise click.UsageError("Give the note's text with --content, --file or on stdin.")
        source = source_file or "-"
        content = decode_text(read_source(source), source_name(source), field="content")
    elif source_file is not None:
        raise click.UsageError("Give --content or --file, not both.")
    with open_rum(options) as rum:
        answer = rum.notes.add(title, content, when_to_use, **given_options(fields))
    view = text_view(answer.id, "id") + text_view(answer.path, "dim")
    print_result(options, answer, view, ids=[answer.id], notes=answer.remarks or ())


@command("list", note)
@ids_option
def list_notes(options: Options) -> None:
    """List all notes by file name."""
    with open_rum(options) as rum:
        answer = rum.notes.list()
    notes = skipped_notes(answer.broken or ())
    notes += [f"{one.id}.md, {remark}" for one in answer.notes for remark in one.remarks or ()]
    notes += [] if answer.notes else ["No notes yet."]
    print_result(options, answer, _notes_view, ids=(listed.id for listed in answer.notes), notes=notes)


def _notes_view(answer: NoteList) -> View:
    rows = [
        (
            note.id,
            note.importance.value,
            str(note.entries),
            _when(note.discovered_at),
            note.title,
            note.retired or remark(note.freshness),
        )
        for note in answer.notes
    ]
    columns = {
        "id": "id",
        "importance": "",
        "entries": "dim",
        "discovered": "dim",
        "title": "strong",
        "": "bad",
    }
    return table(columns, rows)


def _when(at: int | None) -> str:
    return "-" if at is None else local_time(at)


@rum_command("show", note)
@click.argument("id", metavar="NOTE")
def show(rum: Rum, id: str) -> Output:
    """Show a note with all its entries.

    NOTE is the file name without its suffix, or NAME#N for entry N.
    """
    answer = rum.notes.show(id)
    return Output(answer, _note_view)


def _note_view(answer: NoteShown) -> View:
    slug = answer.id.partition("#")[0]
    view: View = [_entry(slug, entry, newest=entry.n == answer.newest) for entry in answer.entries]
    about: list[Field] = [("file", answer.path)]
    about += [("related", ", ".join(answer.related))] if answer.related else []
    about += [("related, but missing", ", ".join(answer.missing))] if answer.missing else []
    about += [("contradictions", _contradictions(answer.contradictions))] if answer.contradictions else []
    about += code_field(answer)
    return [*view, Fields((TextPart(slug, "id"),), about)]


def _entry(slug: str, entry: Entry, *, newest: bool) -> Fields:
    state = (
        TextPart("" if newest else "earlier", "dim"),
        TextPart("retired" if entry.retired else "", "bad"),
    )
    fields: list[Field] = [
        ("when to use", list(entry.when_to_use)),
        ("tags", ", ".join(entry.tags)),
        ("importance", entry.importance.value),
        ("discovered", f"{_when(entry.discovered_at)} by {entry.discovered_by}"),
        ("discovered in", entry.discovered_in or ""),
        ("source", entry.source or ""),
        ("superseded by", entry.superseded_by or ""),
        ("remarks", list(entry.remarks)),
        ("content", entry.content),
    ]
    return Fields((*heading(entry.title, f"{slug}#{entry.n}"), *state), filled(fields))


def _contradictions(contradictions: list[Contradiction]) -> list[str]:
    return [f"{other.said} — {other.id}: {other.says}" for other in contradictions]


@command("match", note)
@options_of(MatchRequest)
@click.option("--explain", is_flag=True, help="Show the points of each note instead of the text.")
@ids_option
def match(options: Options, task: str, explain: bool, **arguments: Any) -> None:
    """Show the notes that match a task, as text for a prompt.

    With --agent they are chosen by that agent's settings.
    """
    with open_rum(options) as rum:
        answer = rum.notes.match(task, **given_options(arguments))
    notes = skipped_notes(answer.broken or ())
    if not answer.matched:
        notes.append("No note matches. List all with `rum note list`.")
    elif len(answer.notes) < answer.matched:
        notes.append(f"{len(answer.notes)} of {answer.matched}; raise --max for more.")
    if explain or not options.as_text:
        ids = (note.id for note in answer.notes)
        print_result(options, answer, _points_view, ids=ids, notes=notes)
        return
    print_text(answer.text)
    for text in notes:
        print_note(text)


def _points_view(answer: NotesMatched) -> View:
    view: View = []
    for note in answer.notes:
        fields: list[Field] = [("match", f"{note.match}: {note.pattern}"), ("points", note.why)]
        fields += [] if note.related is UNSET else [("related", ", ".join(note.related))]
        fields += (
            [] if note.contradictions is UNSET else [("contradictions", _contradictions(note.contradictions))]
        )
        fields += code_field(note)
        view.append(Fields((TextPart(f"{note.score:g}", "good"), *heading(note.title, note.id)), fields))
    return view
