"""Notes: Markdown files that people and agents read, write and review in the repository."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any, TypedDict, TypeVar, Unpack

from msgspec import Struct

from rum.app.caller import Caller
from rum.app.error_origin import public
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
"""Fields as files spell them, and as the API does."""


class Told(TypedDict, total=False):
    """What `add` may be told beside title, content and when to use it."""

    tags: Sequence[str]
    importance: Importance | str
    discovered_at: float | None
    discovered_by: str | None
    discovered_in: str | None
    source: str | None
    related_memories: Sequence[str]
    deprecated: bool
    superseded_by: str | None


class Asked(TypedDict, total=False):
    """What `match` may be asked beside the task."""

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
        self, title: str, content: str, when_to_use: str | Sequence[str], **told: Unpack[Told]
    ) -> NoteAdded:
        """Write an entry: into the note of this title if there is one, else into a new one."""
        given = {"title": title, "content": content, "when_to_use": when_to_use, **told}
        return self._do(append.add, _question(NoteDraft, given))

    def match(self, task: str, **asked: Unpack[Asked]) -> NotesMatched:
        """The notes that matter to an agent with this task, best first, and as the text for its prompt."""
        return self._do(search.match, _question(MatchQuestion, {"task": task, **asked}))

    def list(self) -> NoteList:
        """All notes by file name."""
        return self._do(search.listing, ListNotes())

    def show(self, id: str) -> NoteShown:
        """A note with all its entries, or one entry of it (`slug#n`)."""
        return self._do(search.show, _question(ShowNote, {"id": id}))

    def all(self) -> Sequence[Note]:
        """Every note with all its entries; those in broken files are left out."""
        with self._caller.turn():
            return self._caller.project.note_store.notes()

    def forget(self, id: str) -> ForgetResult:
        """Delete an entry for good; only a keyed hash of it stays."""
        caller, kind = self._caller, append.KIND
        with caller.turn():
            return forgotten(caller, kind, caller.project.one("note", id, kind.found(caller, id)))

    def import_from(self, folder: str | os.PathLike[str]) -> NotesImport:
        """Take in the entries of another folder's notes that are neither here nor forgotten."""
        return self._do(import_notes, os.fspath(folder))

    def _do(self, use_case: Callable[[Caller, Q], A], question: Q) -> A:
        with self._caller.turn():
            return use_case(self._caller, question)


_ACTIONS: dict[str, Callable[[Caller, dict[str, Any]], Struct]] = {
    "add": lambda caller, given: append.add(caller, _question(NoteDraft, given)),
    "match": lambda caller, given: search.match(caller, _question(MatchQuestion, given)),
    "show": lambda caller, given: search.show(caller, _question(ShowNote, given)),
    "list": lambda caller, given: search.listing(caller, _question(ListNotes, given)),
}


def call(caller: Caller, given: dict[str, Any]) -> Struct:
    """The call `note`: what to do with notes, and the fields that this needs."""
    told = {FIELDS.get(name, name): value for name, value in given.items() if value is not None}
    action = told.pop("action", None)
    if action not in _ACTIONS:
        allowed = list(_ACTIONS)
        raise InvalidQuery(
            f"note: `action` must be one of {', '.join(allowed)}.", field="action", allowed=allowed
        )
    return _ACTIONS[action](caller, told)


def _question(model: type[Q], given: dict[str, Any]) -> Q:
    told = {name: value for name, value in given.items() if value is not None}
    return parse(told, model, "note")
