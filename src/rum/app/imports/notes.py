"""Notes of another folder into this one's, each entry as it was written."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from rum.app.caller import Caller
from rum.app.imports.import_batch import Imported, Tally
from rum.app.notes.append import find_note, forgotten_statements
from rum.app.project import Project
from rum.model.errors import InvalidQuery, NotFound, RumError
from rum.model.notes import Broken, Entry
from rum.store.files.notes.folder import NoteFolder, slug_of
from rum.store.files.notes.text import entry_text, is_one_entry


class NotesImport(Imported, frozen=True, kw_only=True):
    """What an import did, in entries; `broken` are files that were left out."""

    broken: tuple[Broken, ...] = ()


class _Piece(NamedTuple):
    """An entry from elsewhere: its file's slug, the text it was written in, and what it says."""

    slug: str
    raw: str
    entry: Entry


def import_notes(caller: Caller, path: str) -> NotesImport:
    """Append every entry that is neither here nor forgotten; what it names stays named as it was."""
    source, tally, broken = _source(caller, path), Tally(), list[Broken]()
    known = {said(entry) for note in caller.project.note_store.notes() for entry in note.entries}
    for piece in _pieces(caller.project, source, broken):
        if said(piece.entry) in known:
            tally.counts["unchanged"] += 1
        elif forgotten_statements(caller.project, piece.entry) is not None:
            tally.counts["forgotten"] += 1
        else:
            _add(caller.project, piece)
            known.add(said(piece.entry))
            tally.counts["added"] += 1
    return tally.answer(NotesImport, broken=tuple(broken))


def _source(caller: Caller, path: str) -> NoteFolder:
    folder = os.path.join(caller.cwd, os.path.expanduser(path))
    if not os.path.isdir(folder):
        raise NotFound(f"There is no folder {folder}.", path=folder)
    if os.path.realpath(folder) == os.path.realpath(caller.project.note_store.folder.path):
        raise InvalidQuery(f"{folder} is where the notes are already; nothing is to be imported.")
    return NoteFolder(folder)


def _pieces(project: Project, source: NoteFolder, broken: list[Broken]) -> Iterator[_Piece]:
    for slug in source.stamps():
        try:
            note, raw = source.note(slug), source.raw_entries(slug)
        except RumError as error:
            broken.append(Broken(f"{slug}.md", error.message))
            continue
        for entry, text in zip(note.entries, raw, strict=True):
            yield _Piece(slug, text, project.note_store.redacted(entry))


def said(entry: Entry) -> tuple[str, str]:
    """What an entry says, whatever its case and the blanks in it."""
    return " ".join(entry.title.casefold().split()), " ".join(entry.content.casefold().split())


def _add(project: Project, piece: _Piece) -> None:
    """Append an entry as it was written, with fields that nobody here knows; anew where that cannot be."""
    text = project.redactor.redact(piece.raw)
    if not text.startswith("---") or not is_one_entry(text):
        text = entry_text(piece.entry)
    first = find_note(project, piece.entry.title) or slug_of(piece.slug)
    project.note_store.folder.add(piece.entry.title, text, first=first)
