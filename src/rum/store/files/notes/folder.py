"""A folder of notes, and their index: Markdown files that RUM appends to while people may edit them."""

from __future__ import annotations

import hashlib
import os
import re
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, suppress
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from rum.model.errors import InvalidQuery, NotFound, RumError, StorageError
from rum.model.notes import Broken, Note
from rum.settings.home import ensure_private_dir, write_private
from rum.store.files.atomic_write import inside, locked, make_folder, read, replace
from rum.store.files.notes import text as notes_text
from rum.store.files.notes.fields import PatternCheck, no_check
from rum.text.shorten import one_line

LIMIT = 1024 * 1024  # Maximum bytes of a file; further entries go into another one
MOST_FILES = 10_000
_ENDING = ".md"
_BOM = "\ufeff"
_BETWEEN = re.compile(r"[\W_]+")
_LONGEST_SLUG = 80
_RESERVED = re.compile(r"con|prn|aux|nul|com\d|lpt\d")  # Device names on Windows, whatever their extension


class Stamp(NamedTuple):
    """File attributes that differ when a file has changed."""

    modified: int
    size: int
    number: int
    changed: int


class Added(NamedTuple):
    """The note and number of an appended entry."""

    slug: str
    n: int


class Piece(NamedTuple):
    """An entry as it stands in its file: with one of its separators, and alone."""

    text: str
    entry: str


def slug_of(title: str) -> str:
    """A title as a file name: lower-case words joined by hyphens."""
    words = _BETWEEN.sub("-", unicodedata.normalize("NFKC", title).casefold()).strip("-")
    if len(words) > _LONGEST_SLUG:
        words = words[: _LONGEST_SLUG + 1].rpartition("-")[0] or words[:_LONGEST_SLUG]
    slug = words.encode()[:200].decode(errors="ignore") or "note"
    return f"note-{slug}" if _RESERVED.fullmatch(slug) else slug


def same_title(one: str, other: str) -> bool:
    """Whether two titles are equal except for case and spaces."""
    return one_line(one).casefold() == one_line(other).casefold()


class NoteFolder:
    """The notes of one checkout; `check_pattern` says what to know of a pattern in them."""

    def __init__(self, path: str, check_pattern: PatternCheck = no_check) -> None:
        self.path = path
        self._judge = check_pattern

    def file_stamps(self) -> dict[str, Stamp]:
        """The stamp of every file, by slug, in the order of names."""
        found: dict[str, Stamp] = {}
        try:
            with os.scandir(self.path) as files:
                for file in files:
                    if file.name.endswith(_ENDING) and not file.name.startswith("."):
                        state = file.stat(follow_symlinks=False)
                        found[file.name.removesuffix(_ENDING)] = Stamp(
                            state.st_mtime_ns, state.st_size, state.st_ino, state.st_ctime_ns
                        )
        except (FileNotFoundError, NotADirectoryError):
            return {}
        except OSError as error:
            raise StorageError(f"{self.path}: {error.strerror or error}.", path=self.path) from error
        return dict(sorted(found.items())[:MOST_FILES])

    def file(self, slug: str) -> str:
        """The path of a note's file."""
        return os.path.join(self.path, slug + _ENDING)

    def bytes(self, slug: str) -> bytes:
        """The content of a note's file."""
        data = read(inside(self.path, self.file(slug)), LIMIT)
        if data is None:
            raise NotFound(f"There is no note `{slug}` in {self.path}.", id=slug)
        return data

    def note(self, slug: str, data: bytes | None = None) -> Note:
        """A note; an error if its file is broken."""
        text = _decoded(self.bytes(slug) if data is None else data, self.file(slug)).text
        return Note(slug, notes_text.entries(text, slug, self.file(slug), self._judge))

    def holds(self, slug: str, title: str) -> bool:
        """Whether the file of this name exists and is the note of this title."""
        old = self._existing(slug, title)
        return old is not None and bool(old.text)

    def raw_entries(self, slug: str) -> list[str]:
        """The text of each entry of a note with its frontmatter, with line ends as `\\n`."""
        text = _decoded(self.bytes(slug), self.file(slug)).text.replace("\r\n", "\n")
        return [body + "\n" for body in _bodies(text)]

    def add(self, title: str, entry: str, first: str | None = None) -> Added:
        """Append an entry to the note of this title, or begin one; nothing that was written changes.

        `first` is a name to try before the one that the title gives.
        """
        make_folder(self.path)
        with self._locked():
            for slug in (*([first] if first else []), *_slugs(slug_of(title))):
                old = self._existing(slug, title)
                if old is None:
                    continue
                new = notes_text.appended(old.text, entry)
                data = (old.mark + new).encode()
                if len(data) <= LIMIT and (n := _new_entry_number(old.text, new)):
                    replace(inside(self.path, self.file(slug)), data)
                    return Added(slug, n)
        raise StorageError(f"There are too many notes called {slug_of(title)}.", path=self.path)

    def piece(self, slug: str, n: int) -> Piece:
        """What `remove` takes out of a note with one entry."""
        text = _decoded(self.bytes(slug), self.file(slug)).text
        start, end = notes_text.piece_range(text, n)
        return Piece(text[start:end], _bodies(text)[n - 1])

    def remove(self, slug: str, n: int | None, expected: Piece | None = None) -> None:
        """Remove one entry of a note, or the whole note; every other byte stays.

        With `expected`, nothing is removed if that is not what the entry is.
        """
        with self._locked():
            old = _decoded(self.bytes(slug), self.file(slug))
            if n is not None and expected is not None and self.piece(slug, n) != expected:
                raise StorageError(
                    f"{self.file(slug)} was changed meanwhile; try again.", path=self.file(slug)
                )
            kept = "" if n is None else notes_text.without(old.text, n)
            if not kept.strip():
                self._delete(slug)
                return
            left = [one for at, one in enumerate(_bodies(old.text), start=1) if at != n]
            if _bodies(kept) != left:
                raise StorageError(
                    f"{self.file(slug)}: entry {n} looks like another one. Edit the file by hand.",
                    path=self.file(slug),
                )
            replace(inside(self.path, self.file(slug)), (old.mark + kept).encode())

    def put_back(self, slug: str, title: str, n: int, piece: Piece) -> None:
        """Put an entry back where `remove` took it from; at the end if the note has changed too much.

        Does nothing if the note has this entry.
        """
        make_folder(self.path)
        with self._locked():
            old = self._existing(slug, title)
            bodies = _bodies(old.text) if old and old.text.strip() else []
            if piece.entry in bodies:
                return
            if old and n <= len(bodies) + 1:
                alone = piece.text if _bodies(piece.text) == [piece.entry] else piece.entry + "\n"
                new = notes_text.inserted(old.text, n, piece.text) if bodies else alone
                data = (old.mark + new).encode()
                bodies.insert(n - 1, piece.entry)
                if _bodies(new) == bodies and len(data) <= LIMIT:
                    replace(inside(self.path, self.file(slug)), data)
                    return
        self.add(title, piece.entry.replace("\r\n", "\n") + "\n", first=slug)

    def _locked(self) -> AbstractContextManager[None]:
        return locked(os.path.join(self.path, "notes"))

    def _existing(self, slug: str, title: str) -> _Decoded | None:
        """The text of a note, empty if there is no file; None if another note has the name."""
        path = self.file(slug)
        if not os.path.lexists(path):
            return _Decoded("", "")
        try:
            old = _decoded(self.bytes(slug), path)
            titles = notes_text.titles(old.text, slug, path)
        except RumError:
            return None
        return old if any(same_title(one, title) for one in titles) else None

    def _delete(self, slug: str) -> None:
        try:
            os.unlink(self.file(slug))
        except OSError as error:
            raise StorageError(f"{self.file(slug)}: {error.strerror or error}.", path=self.path) from error


def _slugs(slug: str) -> Iterator[str]:
    """The names to try for a slug, in order."""
    yield slug
    for number in range(2, 1000):
        yield f"{slug}-{number}"


class _Decoded(NamedTuple):
    """A file's text, and its byte order mark."""

    mark: str
    text: str


def _decoded(data: bytes, where: str) -> _Decoded:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise StorageError(f"{where} is not UTF-8 text (byte {error.start}).", path=where) from None
    if "\0" in text:
        raise StorageError(f"{where} is not text.", path=where)
    return _Decoded(_BOM, text[1:]) if text.startswith(_BOM) else _Decoded("", text)


def _bodies(text: str) -> list[str]:
    return [text[one.start : one.end].strip() for one in notes_text.split(text)]


def _new_entry_number(old: str, new: str) -> int:
    """The number of entries, if exactly one was appended and no other changed; else 0."""
    try:
        notes_text.checked(new, "")
    except InvalidQuery:
        return 0
    before, after = _bodies(old) if old.strip() else [], _bodies(new)
    same = all(one.startswith(other) for one, other in zip(after, before, strict=False))
    return len(after) if same and len(after) == len(before) + 1 else 0


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
