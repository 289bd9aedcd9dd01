"""`rum note`: notes, which are Markdown files in the repository."""

from __future__ import annotations

import sys
from typing import Any

import click
from msgspec import UNSET

from rum.inject.render import local_time
from rum.model.notes import (
    Broken,
    Contradiction,
    Entry,
    ListedNote,
    MatchedNote,
    MatchRequest,
    NoteAdded,
    NoteDraft,
    NoteList,
    NoteShown,
    NotesMatched,
)
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Group, Options, given_options, ids_option, quiet_option
from rum.surfaces.cli.output import note as print_note
from rum.surfaces.cli.output import print_result, print_text
from rum.surfaces.cli.record_input import decode_text, read_source, source_name
from rum.surfaces.cli.request_options import options_of
from rum.surfaces.cli.views import Field, Fields, Table, TextPart, View, text_view


@click.group("note", cls=Group)
def note() -> None:
    """Manage notes in the repository."""


@note.command("add")
@click.argument("title")
@click.option("--file", "source_file", metavar="FILE", help="Read its text from this file (-: stdin).")
@options_of(NoteDraft, leave_out=("title", "discovered_at"), content={"required": False})
@quiet_option
@click.pass_obj
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
    text = _content(content, source_file)
    with open_rum(options) as rum:
        answer = rum.notes.add(title, text, when_to_use, **given_options(fields))
    print_result(options, answer, _added_view, ids=[answer.id])
    if options.as_text:
        for remark in answer.remarks or ():
            print_note(remark)


def _content(content: str | None, file: str | None) -> str:
    if content is not None:
        if file is not None:
            raise click.UsageError("Give --content or --file, not both.")
        return content
    if file is None and sys.stdin.isatty():
        raise click.UsageError("Give the note's text with --content, --file or on stdin.")
    return decode_text(read_source(file or "-"), source_name(file or "-"), field="content")


def _added_view(answer: NoteAdded) -> View:
    return [*text_view(answer.id, "id"), *text_view(answer.path, "dim")]


@note.command("list")
@ids_option
@click.pass_obj
def list_notes(options: Options) -> None:
    """List all notes by file name."""
    with open_rum(options) as rum:
        answer = rum.notes.list()
    print_result(options, answer, _notes_view, ids=(listed.id for listed in answer.notes))
    if options.as_text:
        _print_broken(answer.broken or [])
        for listed in answer.notes:
            for remark in listed.remarks or ():
                print_note(f"{listed.id}.md, {remark}")
        if not answer.notes:
            print_note("No notes yet.")


def _notes_view(answer: NoteList) -> View:
    columns = ("id", "importance", "entries", "discovered", "title", "")
    return [Table(columns, [_row(note) for note in answer.notes])] if answer.notes else []


def _row(note: ListedNote) -> tuple[TextPart, ...]:
    return (
        TextPart(note.id, "id"),
        TextPart(note.importance.value),
        TextPart(str(note.entries), "dim"),
        TextPart(_when(note.discovered_at), "dim"),
        TextPart(note.title, "strong"),
        TextPart(note.retired or "", "bad"),
    )


def _when(at: int | None) -> str:
    return "-" if at is None else local_time(at)


def _print_broken(broken: list[Broken]) -> None:
    for broken_file in broken:
        file, problem = broken_file.file, broken_file.problem
        print_note(f"Skipped: {problem if file in problem else f'{file}: {problem}'}")


@note.command("show")
@click.argument("id", metavar="NOTE")
@click.pass_obj
def show(options: Options, id: str) -> None:
    """Show a note with all its entries.

    NOTE is the file name without its suffix, or NAME#N for entry N.
    """
    with open_rum(options) as rum:
        answer = rum.notes.show(id)
    print_result(options, answer, _note_view)


def _note_view(answer: NoteShown) -> View:
    slug = answer.id.partition("#")[0]
    view: View = [_entry(slug, entry, newest=entry.n == answer.newest) for entry in answer.entries]
    about: list[Field] = [("file", answer.path)]
    about += [("related", ", ".join(answer.related))] if answer.related else []
    about += [("related, but missing", ", ".join(answer.missing))] if answer.missing else []
    about += [("contradictions", _contradictions(answer.otherwise))] if answer.otherwise else []
    return [*view, Fields((TextPart(slug, "id"),), about)]


def _entry(slug: str, entry: Entry, *, newest: bool) -> Fields:
    heading = (
        TextPart(entry.title, "strong"),
        TextPart(f"[{slug}#{entry.n}]", "id"),
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
    return Fields(heading, [field for field in fields if field[1]])


def _contradictions(otherwise: list[Contradiction]) -> list[str]:
    return [f"{other.said} — {other.id}: {other.says}" for other in otherwise]


@note.command("match")
@options_of(MatchRequest)
@click.option("--explain", is_flag=True, help="Show the points of each note instead of the text.")
@ids_option
@click.pass_obj
def match(options: Options, task: str, explain: bool, **arguments: Any) -> None:
    """Show the notes that match a task, as text for a prompt.

    With --agent they are chosen by that agent's settings.
    """
    with open_rum(options) as rum:
        answer = rum.notes.match(task, **given_options(arguments))
    if explain or not options.as_text:
        print_result(options, answer, _points_view, ids=(note.id for note in answer.notes))
    else:
        print_text(answer.text)
    if options.as_text:
        _print_match_notes(answer)


def _print_match_notes(answer: NotesMatched) -> None:
    _print_broken(answer.broken or [])
    if not answer.matched:
        print_note("No note matches. List all with `rum note list`.")
    elif len(answer.notes) < answer.matched:
        print_note(f"{len(answer.notes)} of {answer.matched}; raise --max for more.")


def _points_view(answer: NotesMatched) -> View:
    return [_points(note) for note in answer.notes]


def _points(note: MatchedNote) -> Fields:
    heading = (
        TextPart(f"{note.score:g}", "good"),
        TextPart(note.title, "strong"),
        TextPart(f"[{note.id}]", "id"),
    )
    fields: list[Field] = [("match", f"{note.match}: {note.pattern}"), ("points", note.why)]
    fields += [] if note.related is UNSET else [("related", ", ".join(note.related))]
    fields += [] if note.otherwise is UNSET else [("contradictions", _contradictions(note.otherwise))]
    return Fields(heading, fields)
