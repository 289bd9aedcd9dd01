"""The summaries of the notes of a folder, stored so that only changed files are read again."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from rum.model.errors import RumError
from rum.model.notes import Broken, Note
from rum.settings.home import ensure_private_dir, write_private
from rum.store.files.notes.folder import NoteFolder, Stamp

H = TypeVar("H")
# Nanoseconds within which two changes of a file may get the same time, on any file system.
SETTLED = 2_000_000_000
_UNSETTLED = Stamp(0, 0, 0, 0)


class _File(Struct, Generic[H], array_like=True, frozen=True):
    """A file as it was read: its stamp, the hash of its content, and its summary or its error."""

    stamp: Stamp
    digest: str
    summary: H | None
    problem: str | None


class _StoredIndex(Struct, Generic[H], frozen=True):
    """The stored index; ignored if version or folder differ."""

    version: str
    folder: str
    files: dict[str, _File[H]]


class NoteIndex(Generic[H]):
    """The summaries of all notes in a folder: derived from the files alone, and from nothing else.

    `made` gives the summary of a note; `version` changes whenever it would give another one.
    """

    def __init__(
        self, folder: NoteFolder, path: str, kind: type[H], made: Callable[[Note], H], version: str
    ) -> None:
        self._folder = folder
        self._path = path
        self._made = made
        self._version = version
        self._decoder: msgspec.json.Decoder[_StoredIndex[H]] = msgspec.json.Decoder(_generic(kind))
        self._files: dict[str, _File[H]] | None = None

    def refresh(self) -> tuple[dict[str, H], list[Broken]]:
        """The summary of every note, up to date with the files, and the broken files."""
        known = self._read() if self._files is None else self._files
        stamps = self._folder.file_stamps()
        now = time.time_ns()
        files = {slug: self._current(slug, stamp, known.get(slug), now) for slug, stamp in stamps.items()}
        self._files = files
        if files != known:
            self._write(files)
        summaries = {slug: file.summary for slug, file in files.items() if file.summary is not None}
        return summaries, [Broken(f"{slug}.md", file.problem) for slug, file in files.items() if file.problem]

    def rebuild(self) -> None:
        """Read every file again."""
        self._files = {}
        self.refresh()

    def _current(self, slug: str, stamp: Stamp, known: _File[H] | None, now: int) -> _File[H]:
        if known is not None and known.stamp == stamp:
            return known
        settled = stamp if now - stamp.modified > SETTLED else _UNSETTLED
        digest = ""
        try:
            data = self._folder.bytes(slug)
            digest = hashlib.sha256(data).hexdigest()
            if known is not None and known.digest == digest:
                return _File(settled, digest, known.summary, known.problem)
            return _File(settled, digest, self._made(self._folder.note(slug, data)), None)
        except RumError as error:
            return _File(settled, digest, None, error.message)

    def _read(self) -> dict[str, _File[H]]:
        try:
            with open(self._path, "rb") as file:
                kept = self._decoder.decode(file.read())
        except (OSError, msgspec.DecodeError, RecursionError):
            return {}
        return kept.files if (kept.version, kept.folder) == (self._version, self._folder.path) else {}

    def _write(self, files: dict[str, _File[H]]) -> None:
        """Best effort: if it cannot be written, the next process reads the files again."""
        with suppress(OSError):
            ensure_private_dir(os.path.dirname(self._path))
            write_private(
                self._path, msgspec.json.encode(_StoredIndex(self._version, self._folder.path, files))
            )


def _generic(kind: Any) -> Any:
    return _StoredIndex[kind]
