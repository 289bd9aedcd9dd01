"""The notes of an open checkout: their folder, their index, and their content without secrets."""

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

from rum.inject.notes import (
    MAX_CONTRADICTIONS,
    VERSION,
    Head,
    contradictions,
    note_head,
    possible_contradictions,
    with_successors,
)
from rum.model.errors import InvalidQuery, NotFound, RumError
from rum.model.notes import Broken, Entry, Note, Otherwise
from rum.model.parse import nearest
from rum.store.files.notes.folder import NoteFolder
from rum.store.files.notes.index import NoteIndex
from rum.store.files.notes.text import slug_from_name
from rum.text.claims import claims_in
from rum.text.patterns import problem

Clean = Callable[[dict[str, Any]], dict[str, Any]]
MOST_READ = 20  # Notes that are read at most to find contradictions


class NoteStore:
    """All notes of one checkout; `path` is None if notes are off or there is no checkout."""

    def __init__(self, path: str | None, indexes: str, clean: Clean, clock: Callable[[], float]) -> None:
        self._path = path
        self._indexes = indexes
        self._clean = clean
        self._clock = clock
        self._index: NoteIndex[Head] | None = None
        if path is not None:
            key = crc32(os.path.realpath(path).encode())
            index = os.path.join(indexes, f"notes-{key:08x}.json")
            self._index = NoteIndex(self.folder, index, Head, self._head, VERSION)

    @property
    def folder(self) -> NoteFolder:
        """The folder of the notes; InvalidQuery if there is none."""
        if self._path is None:
            raise InvalidQuery(
                "There is no folder for notes here: `notes_dir` is off, or this project has no directory. "
                "`rum config` shows the setting.",
                field="notes_dir",
            )
        return NoteFolder(self._path, problem)

    def heads(self) -> tuple[dict[str, Head], list[Broken]]:
        """The head of every note by slug, and the broken files."""
        if not self._index:
            return {}, []
        heads, broken = self._index.refresh()
        return with_successors(heads), broken

    def rebuild(self) -> None:
        """Read every note again; also removes the indexes of other checkouts, as some may no longer exist."""
        for path in glob(os.path.join(glob_escaped(self._indexes), "notes-*.json")):
            with suppress(OSError):
                os.unlink(path)
        if self._index:
            self._index.rebuild()

    def slug(self, name: str) -> str:
        """The slug of the file with this name, whatever its case."""
        slugs = list(self.folder.stamps())
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
        for slug in self.heads()[0]:
            with suppress(RumError):  # it may be broken while somebody edits it
                found.append(self.note(slug))
        return found

    def newest(self, slug: str) -> Entry | None:
        """The newest entry of a note; None if its file is gone or broken."""
        try:
            return self.note(slug).newest
        except RumError:
            return None

    def contradictions(self, head: Head, entry: Entry, heads: dict[str, Head]) -> list[Otherwise] | UnsetType:
        """Statements of earlier entries and of other notes that contradict a note."""
        found = list(head.otherwise)
        others = possible_contradictions(head, heads.values())[:MOST_READ]
        own = claims_in(entry.content) if others else []
        for other in others:
            if len(found) < MAX_CONTRADICTIONS and (theirs := self.newest(other.slug)) is not None:
                found += contradictions(own, theirs.content, f"{other.slug}#{theirs.n}", theirs.discovered_at)
        return found[:MAX_CONTRADICTIONS] or UNSET

    def _head(self, note: Note) -> Head:
        return note_head(self._redacted_note(note))

    def redacted(self, entry: Entry) -> Entry:
        """An entry without secrets."""
        return msgspec.convert(self._clean(msgspec.to_builtins(entry)), Entry)

    def _redacted_note(self, note: Note) -> Note:
        now = self._clock()
        return replace(note, entries=tuple(self.redacted(entry).as_of(now) for entry in note.entries))
