"""Read the notes of a checkout: find them through their index, and remove secrets from their content."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from glob import escape as glob_escaped
from glob import glob
from typing import Any
from zlib import crc32

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from rum.app.notes.meaning import NoteMeaning
from rum.inject.notes import (
    MAX_CONTRADICTIONS,
    VERSION,
    NoteSummary,
    contradictions,
    note_summary,
    possible_contradictions,
    with_successors,
)
from rum.model.errors import InvalidQuery, NotFound, RumError
from rum.model.notes import Broken, Contradiction, Entry, Note
from rum.model.parse import nearest
from rum.store.files.notes.folder import NoteFolder
from rum.store.files.notes.index import NoteIndex
from rum.store.files.notes.text import slug_from_name
from rum.text.claims import claims_in
from rum.text.patterns import pattern_error

Clean = Callable[[dict[str, Any]], dict[str, Any]]
MAX_NOTES_COMPARED = 20  # Maximum number of other notes read to find contradictions


class NoteStore:
    """All notes of one checkout; `path` is None if notes are off or there is no checkout."""

    def __init__(self, path: str | None, index_dir: str, clean: Clean, clock: Callable[[], float]) -> None:
        self._path = path
        self._index_dir = index_dir
        self._clean = clean
        self._clock = clock
        self._index: NoteIndex[NoteSummary] | None = None
        if path is not None:
            key = crc32(os.path.realpath(path).encode())
            index = os.path.join(index_dir, f"notes-{key:08x}.json")
            self._index = NoteIndex(self.folder, index, NoteSummary, self._summary, VERSION)
        self.meaning = NoteMeaning(os.path.join(index_dir, "note-vectors.json"))

    @property
    def folder(self) -> NoteFolder:
        """The folder of the notes; InvalidQuery if there is none."""
        if self._path is None:
            raise InvalidQuery(
                "There is no folder for notes here: `notes_dir` is off, or this project has no directory. "
                "`rum config` shows the setting.",
                field="notes_dir",
            )
        return NoteFolder(self._path, pattern_error)

    def summaries(self) -> tuple[dict[str, NoteSummary], list[Broken]]:
        """The summary of every note by slug, and the broken files."""
        if not self._index:
            return {}, []
        summaries, broken = self._index.refresh()
        return with_successors(summaries), broken

    def rebuild(self) -> None:
        """Read every note again; also removes the indexes of other checkouts, as some may no longer exist."""
        self.drop_index()
        if self._index:
            self._index.rebuild()

    def drop_index(self) -> None:
        """Delete the indexes of this and all other checkouts."""
        for path in glob(os.path.join(glob_escaped(self._index_dir), "notes-*.json")):
            with suppress(OSError):
                os.unlink(path)

    def find_slug(self, name: str) -> str:
        """The slug of the note with this name, ignoring case; NotFound if there is none."""
        slugs = list(self.folder.file_stamps())
        wanted = slug_from_name(name)
        found = [slug for slug in slugs if slug == wanted] or [
            slug for slug in slugs if slug.casefold() == wanted.casefold()
        ]
        if len(found) == 1:
            return found[0]
        near = nearest(wanted, slugs)
        hint = f" Did you mean `{near}`?" if near else ""
        raise NotFound(f"There is no note `{name}`.{hint}", id=name)

    def note(self, slug: str) -> Note:
        """A note without secrets: people may have written some into its file."""
        return self._redacted_note(self.folder.note(slug))

    def notes(self) -> list[Note]:
        """Every readable note."""
        found: list[Note] = []
        for slug in self.summaries()[0]:
            with suppress(RumError):  # skip notes that are unreadable, for example while somebody edits them
                found.append(self.note(slug))
        return found

    def newest(self, slug: str) -> Entry | None:
        """The newest entry of a note; None if its file is gone or broken."""
        try:
            return self.note(slug).newest
        except RumError:
            return None

    def contradictions(
        self, summary: NoteSummary, entry: Entry, summaries: dict[str, NoteSummary]
    ) -> list[Contradiction] | UnsetType:
        """The statements in earlier entries and other notes that contradict `entry`; only the first few."""
        found = list(summary.otherwise)
        others = possible_contradictions(summary, summaries.values())[:MAX_NOTES_COMPARED]
        own_claims = claims_in(entry.content) if others else []
        for other in others:
            if len(found) < MAX_CONTRADICTIONS and (newest := self.newest(other.slug)) is not None:
                name = f"{other.slug}#{newest.n}"
                found += contradictions(own_claims, newest.content, name, newest.discovered_at)
        return found[:MAX_CONTRADICTIONS] or UNSET

    def _summary(self, note: Note) -> NoteSummary:
        return note_summary(self._redacted_note(note))

    def redacted(self, entry: Entry) -> Entry:
        """An entry without secrets."""
        return msgspec.convert(self._clean(msgspec.to_builtins(entry)), Entry)

    def _redacted_note(self, note: Note) -> Note:
        now = self._clock()
        return replace(note, entries=tuple(self.redacted(entry).as_of(now) for entry in note.entries))
