"""Read the notes of a checkout: by name through their index, or by meaning; secrets are removed."""

from __future__ import annotations

import hashlib
import math
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from glob import escape as glob_escaped
from glob import glob
from typing import TYPE_CHECKING, Any
from zlib import crc32

import msgspec
from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from rum.app.calls import load
from rum.embed.base import CannotEmbed, Embedder
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
from rum.model.fields import nearest
from rum.model.notes import Broken, Contradiction, Entry, Note
from rum.settings.home import ensure_private_dir, write_private
from rum.store.files.notes.folder import NoteFolder, NoteIndex
from rum.store.files.notes.text import slug_from_name
from rum.text.claims import claims_in
from rum.text.patterns import pattern_error

if TYPE_CHECKING:
    from rum.app.project import Project


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
        near = self.nearest(name)
        hint = f" Did you mean `{near}`?" if near else ""
        raise NotFound(f"There is no note `{name}`.{hint}", id=name)

    def nearest(self, name: str) -> str | None:
        """The slug most similar to a name that no note has."""
        return nearest(slug_from_name(name), list(self.folder.file_stamps()))

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
        found = list(summary.contradictions)
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


SECONDS = 0.5  # How long new notes are embedded while a caller waits; the rest follow at the next call
_BATCH = 8
# How likely each note is the one meant, or none of them: a softmax of these weights, fitted on all files of
# tests/data/note_tasks, and the least share for which a note is given.
_TEXT, _OWN_TASK, _NONE = 22.0, 7.0, 5.0
MIN_SHARE = 0.7


class NoteMeaning:
    """The vectors of the notes of one checkout, kept in a file by the hash of the text they are of."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._vectors: dict[str, str] | None = None

    def nearest(
        self, project: Project, task: str, summaries: Sequence[NoteSummary]
    ) -> tuple[str, float] | None:
        """The slug of the note meant for a task, and how likely it is; None if none is, or two are."""
        embedder = project.semantic.embedder
        if embedder is None or not summaries or not task.strip():
            return None
        try:
            vectors = self._up_to_date(embedder, summaries)
            cosines = _cosines(embedder, project.redactor.redact(task), vectors)
        except (CannotEmbed, ImportError):
            return None
        scale = project.semantic.scale
        likely: dict[str, float] = {}
        for summary in summaries:
            text, own = (cosines.get(_key(embedder, one)) for one in (summary.meaning, summary.origin))
            if text is not None:
                own = text if own is None else own
                likely[summary.slug] = math.exp(_TEXT * scale.of(text) + _OWN_TASK * scale.of(own))
        best = min(likely, key=lambda slug: (-likely[slug], slug), default="")
        share = likely[best] / (sum(likely.values()) + math.exp(_NONE)) if best else 0.0
        return (best, share) if share >= MIN_SHARE else None

    def _up_to_date(self, embedder: Embedder, summaries: Iterable[NoteSummary]) -> dict[str, bytes]:
        """The vectors of the notes; new texts are embedded as long as the time allows."""
        pack = load("store.packed_vectors:pack")  # loads numpy
        known = self._read()
        texts = [text for one in summaries for text in (one.meaning, one.origin) if text]
        keys = {_key(embedder, text): text for text in texts}
        missing = [key for key in keys if key not in known]
        deadline, added = time.monotonic() + SECONDS, False
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            for key, row in zip(batch, embedder.embed([keys[key] for key in batch]), strict=True):
                known[key] = b64encode(pack(row)).decode()
                added = True
            if time.monotonic() > deadline:
                break
        if added:
            self._vectors = {key: vector for key, vector in known.items() if key in keys}
            self._write(self._vectors)
        return {key: b64decode(known[key]) for key in keys if known.get(key)}

    def _read(self) -> dict[str, str]:
        if self._vectors is None:
            try:
                with open(self._path, "rb") as file:
                    self._vectors = msgspec.json.decode(file.read(), type=dict[str, str])
            except (OSError, msgspec.DecodeError):
                self._vectors = {}
        return self._vectors

    def _write(self, vectors: Mapping[str, str]) -> None:
        """Best effort: if it cannot be written, the next process embeds the notes again."""
        with suppress(OSError):
            ensure_private_dir(os.path.dirname(self._path))
            write_private(self._path, msgspec.json.encode(vectors))


def _key(embedder: Embedder, text: str) -> str:
    return hashlib.sha256(f"{embedder.model}\n{text}".encode()).hexdigest()[:32] if text else ""


def _cosines(embedder: Embedder, task: str, vectors: Mapping[str, bytes]) -> dict[str, float]:
    question = embedder.embed([task])[0]
    keys = list(vectors)
    if not keys or not load("store.packed_vectors:has_direction")(question):
        return {}
    near: dict[int, float] = load("store.packed_vectors:cosines")(question, dict(enumerate(vectors.values())))
    return {keys[at]: cosine for at, cosine in near.items()}
