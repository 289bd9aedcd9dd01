"""How something forgotten is recognised without being kept: a keyed hash of its words."""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from rum.capture.git.ids import is_memory_of
from rum.model.layers import Event, Rule
from rum.model.memory import Memory
from rum.settings.home import file_lock, write_private
from rum.text.claims import all_claims_in, parse_claim
from rum.text.terms import content_words

LENGTH = 32


def marks(memory: Memory, key: bytes) -> list[str]:
    """The hashes by which a forgotten memory is known again.

    Its id, and what it says; that of a commit also by what a rebase leaves as it was: who wrote it, when, and
    its subject.
    """
    said = (memory.intent, memory.outcome, memory.reasoning, memory.perception, memory.tags)
    found = [keyed(key, "id", memory.id), content_mark(key, *said, [file.path for file in memory.files])]
    if memory.commit and memory.actions and is_memory_of(memory.id, memory.commit):
        written = (memory.agent_id, memory.actions[0].timestamp, memory.intent.goal)
        found.append(content_mark(key, "commit", *written))
    return found


def fact_marks(fact_key: str, key: bytes) -> list[str]:
    """The hash by which a forgotten fact is known again: whatever comes under its key."""
    return [keyed(key, "fact", fact_key)]


def event_marks(event: Event, key: bytes) -> list[str]:
    """The hashes by which a forgotten entry is known again: its id with its time, and what it says."""
    named = keyed(key, "event", f"{event.id}\0{event.timestamp}")
    return [named, content_mark(key, "event", event.content, event.metadata)]


def chapter_marks(memory_ids: Iterable[str], key: bytes, chapter_id: str | None = None) -> list[str]:
    """The hashes by which a forgotten chapter is known again: which memories it was of, and its id."""
    return _grouped("chapter", memory_ids, key, chapter_id)


def member_marks(memory_ids: Iterable[str], key: bytes) -> list[str]:
    """The hashes by which each memory of a forgotten chapter is known again, in their order."""
    return [keyed(key, "member", one) for one in memory_ids]


def wisdom_marks(chapter_ids: Iterable[str], key: bytes, wisdom_id: str | None = None) -> list[str]:
    """The hashes by which forgotten wisdom is known again: which chapters it was of, and its id."""
    return _grouped("wisdom", chapter_ids, key, wisdom_id)


def _grouped(kind: str, parts: Iterable[str], key: bytes, one: str | None) -> list[str]:
    made_of = keyed(key, kind, "\0".join(sorted(set(parts))))
    return [made_of, keyed(key, "id", one)] if one else [made_of]


def content_mark(key: bytes, *said: object) -> str:
    """The hash of some words, whatever their case and the blanks between them."""
    content = msgspec.json.encode(said).decode().casefold()
    return keyed(key, "content", " ".join(content.split()))


def keyed(key: bytes, kind: str, content: str) -> str:
    """The hash of something of a kind."""
    return hmac.new(key, f"{kind}\0{content}".encode(), hashlib.sha256).hexdigest()


def installation_key(home: str) -> bytes:
    """The key of this installation, made at first need; kept apart from the databases it protects."""
    path = os.path.join(home, "tombstone.key")
    if (key := _read(path)) is None:
        with file_lock(path + ".lock"):
            if (key := _read(path)) is None:  # another process may have been faster
                key = os.urandom(LENGTH)
                write_private(path, key)
    return key


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            key = file.read()
    except FileNotFoundError:
        return None
    return key if len(key) == LENGTH else None


FEWEST_WORDS = 3
"""A statement of fewer words, such as a heading, may stand anywhere."""


def rule_marks(rule: Rule, key: bytes) -> list[str]:
    """The hashes by which a forgotten rule is known again: its id, what it says, and in which words."""
    said = content_mark(key, "rule", rule.condition, rule.action)
    worded = keyed(key, "rule", f"{_normalised_words(rule.condition)}\0{_normalised_words(rule.action)}")
    return [keyed(key, "id", rule.id), said, worded]


class NoteMarks(NamedTuple):
    """The hashes by which a forgotten entry of a note is known again."""

    whole: str
    """What it says, and under which title."""
    title: str
    statements: dict[str, str]
    """Each of its statements, by its hash."""

    @property
    def all(self) -> list[str]:
        """All of them, as they are buried."""
        return [self.whole, self.title, *self.statements]

    def forgotten(self, buried: set[str]) -> list[str] | None:
        """What was forgotten of it, where that is half of it or more; None where most of it is new.

        A title alone may stand above something else.
        """
        said = [text for mark, text in self.statements.items() if mark in buried]
        parts = {self.title, *self.statements}
        if self.whole in buried or (said and 2 * len(parts & buried) >= len(parts)):
            return said
        return None


def note_marks(title: str, content: str, key: bytes) -> NoteMarks:
    """The hashes of an entry: of the whole, and of the words of its title and of each statement."""
    texts = [claim.text for claim in all_claims_in(content)]
    statements = {
        keyed(key, "said", _normalised_words(text)): text
        for text in texts
        if len(content_words(text)) >= FEWEST_WORDS
    }
    whole = content_mark(key, "note", title, content)
    return NoteMarks(whole, keyed(key, "said", _normalised_words(title)), statements)


def _normalised_words(text: str) -> str:
    """The words of a statement that say something, in order, and whether it denies them."""
    words = " ".join("/".join(word) for word in content_words(text)) or " ".join(text.casefold().split())
    return f"not {words}" if parse_claim(text).denied else words
