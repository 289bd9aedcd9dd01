"""Notes: Markdown files that people and agents read, write and review in the repository."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from msgspec import Struct

from rum.app.caller import Caller
from rum.app.calls import public
from rum.app.imports.notes import NotesImport, import_notes
from rum.app.memories.forgettable import forgotten
from rum.app.notes import append, search
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery
from rum.model.notes import (
    Importance,
    ListNotes,
    MatchQuestion,
    Note,
    NoteAdded,
    NoteDraft,
    NoteList,
    NoteShown,
    NotesMatched,
    ShowNote,
)
from rum.model.parse import parse

Q = TypeVar("Q")
A = TypeVar("A")
FIELDS = {
    "whenToUse": "when_to_use",
    "discoveredAt": "discovered_at",
    "discoveredBy": "discovered_by",
    "discoveredIn": "discovered_in",
    "relatedMemories": "related_memories",
    "supersededBy": "superseded_by",
}
"""The fields as files spell them, and as the API does."""


class NoteFields(TypedDict, total=False):
    """Optional fields of `add`."""

    tags: Sequence[str]
    importance: Importance | str
    discovered_at: float | None
    discovered_by: str | None
    discovered_in: str | None
    source: str | None
    related_memories: Sequence[str]
    deprecated: bool
    superseded_by: str | None


class MatchOptions(TypedDict, total=False):
    """Optional arguments of `match`."""

    plan: str | None
    agent: str | None
    max_injected: int | None
    min_importance: Importance | str | None


@public
class Notes:
    """The notes of an open project's checkout."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def add(
        self, title: str, content: str, when_to_use: str | Sequence[str], **fields: Unpack[NoteFields]
    ) -> NoteAdded:
        """Append an entry to the note of this title, or write a new note."""
        draft = {"title": title, "content": content, "when_to_use": when_to_use, **fields}
        return self._run(append.add, _question(NoteDraft, draft))

    def match(self, task: str, **options: Unpack[MatchOptions]) -> NotesMatched:
        """The notes that match a task, best first, and their text for a prompt."""
        return self._run(search.match, _question(MatchQuestion, {"task": task, **options}))

    def list(self) -> NoteList:
        """All notes by file name."""
        return self._run(search.list_notes, ListNotes())

    def show(self, id: str) -> NoteShown:
        """A note with all its entries, or one entry of it (`slug#n`)."""
        return self._run(search.show, _question(ShowNote, {"id": id}))

    def all(self) -> Sequence[Note]:
        """Every note with all its entries, without broken files."""
        with self._caller.turn():
            return self._caller.project.note_store.notes()

    def forget(self, id: str) -> ForgetResult:
        """Delete an entry permanently; only a keyed hash of it stays."""
        caller, kind = self._caller, append.KIND
        with caller.turn():
            return forgotten(caller, kind, caller.project.one("note", id, kind.found(caller, id)))

    def import_from(self, folder: str | os.PathLike[str]) -> NotesImport:
        """Import the entries of another folder's notes that are neither here nor forgotten."""
        return self._run(import_notes, os.fspath(folder))

    def _run(self, use_case: Callable[[Caller, Q], A], question: Q) -> A:
        with self._caller.turn():
            return use_case(self._caller, question)


_ACTIONS: dict[str, Callable[[Caller, dict[str, Any]], Struct]] = {
    "add": lambda caller, fields: append.add(caller, _question(NoteDraft, fields)),
    "match": lambda caller, fields: search.match(caller, _question(MatchQuestion, fields)),
    "show": lambda caller, fields: search.show(caller, _question(ShowNote, fields)),
    "list": lambda caller, fields: search.list_notes(caller, _question(ListNotes, fields)),
}


def call(caller: Caller, fields: dict[str, Any]) -> Struct:
    """The call `note`: an action and its fields."""
    fields = {FIELDS.get(name, name): value for name, value in fields.items() if value is not None}
    action = fields.pop("action", None)
    if action not in _ACTIONS:
        allowed = list(_ACTIONS)
        raise InvalidQuery(
            f"note: `action` must be one of {', '.join(allowed)}.", field="action", allowed=allowed
        )
    return _ACTIONS[action](caller, fields)


def _question(model: type[Q], fields: dict[str, Any]) -> Q:
    fields = {name: value for name, value in fields.items() if value is not None}
    return parse(fields, model, "note")
