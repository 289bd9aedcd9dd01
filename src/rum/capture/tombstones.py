"""Recognise forgotten items without keeping them: keyed hashes of their ids and words."""

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

_KEY_LENGTH = 32


def marks(memory: Memory, key: bytes) -> list[str]:
    """The hashes by which a forgotten memory is recognised: of its id and of its content.

    That of a commit also has one of author, time and subject, which a rebase does not change.
    """
    content = (memory.intent, memory.outcome, memory.reasoning, memory.perception, memory.tags)
    found = [keyed(key, "id", memory.id), content_mark(key, *content, [file.path for file in memory.files])]
    if memory.commit and memory.actions and is_memory_of(memory.id, memory.commit):
        authorship = (memory.agent_id, memory.actions[0].timestamp, memory.intent.goal)
        found.append(content_mark(key, "commit", *authorship))
    return found


def fact_marks(fact_key: str, key: bytes) -> list[str]:
    """The hash of a forgotten fact: of its key, for any value."""
    return [keyed(key, "fact", fact_key)]


def fact_value_mark(fact_key: str, value: str, key: bytes) -> str:
    """The hash of a rejected fact: of its key with this value, as another value may be right."""
    return keyed(key, "fact value", f"{fact_key}\0{' '.join(value.casefold().split())}")


def event_marks(event: Event, key: bytes) -> list[str]:
    """The hashes of a forgotten entry: of its id with its time, and of its content."""
    named = keyed(key, "event", f"{event.id}\0{event.timestamp}")
    return [named, content_mark(key, "event", event.content, event.metadata)]


def chapter_marks(memory_ids: Iterable[str], key: bytes, chapter_id: str | None = None) -> list[str]:
    """The hashes of a forgotten chapter: of the set of its memories, and of its id."""
    return _group_marks("chapter", memory_ids, key, chapter_id)


def member_marks(memory_ids: Iterable[str], key: bytes) -> list[str]:
    """The hashes of the memories of a forgotten chapter, one each, in their order."""
    return [keyed(key, "member", one) for one in memory_ids]


def wisdom_marks(chapter_ids: Iterable[str], key: bytes, wisdom_id: str | None = None) -> list[str]:
    """The hashes of forgotten wisdom: of the set of its chapters, and of its id."""
    return _group_marks("wisdom", chapter_ids, key, wisdom_id)


def _group_marks(kind: str, parts: Iterable[str], key: bytes, one: str | None) -> list[str]:
    made_of = keyed(key, kind, "\0".join(sorted(set(parts))))
    return [made_of, keyed(key, "id", one)] if one else [made_of]


def content_mark(key: bytes, *parts: object) -> str:
    """The hash of some content, ignoring case and spacing."""
    content = msgspec.json.encode(parts).decode().casefold()
    return keyed(key, "content", " ".join(content.split()))


def keyed(key: bytes, kind: str, content: str) -> str:
    """The keyed hash of some content; hashes of different kinds never match."""
    # Keyed, so that nobody can find forgotten words in a copy of the database by hashing guesses.
    return hmac.new(key, f"{kind}\0{content}".encode(), hashlib.sha256).hexdigest()


def installation_key(home: str) -> bytes:
    """The key of this installation, created at first use.

    It is not in the databases: with a copy of them alone, nobody can test which words were forgotten.
    """
    path = os.path.join(home, "tombstone.key")
    if (key := _read(path)) is None:
        with file_lock(path + ".lock"):
            if (key := _read(path)) is None:  # another process may have been faster
                key = os.urandom(_KEY_LENGTH)
                write_private(path, key)
    return key


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            key = file.read()
    except FileNotFoundError:
        return None
    return key if len(key) == _KEY_LENGTH else None


_MIN_WORDS = 3  # Shorter statements, such as headings, occur anywhere and identify nothing


def rule_marks(rule: Rule, key: bytes) -> list[str]:
    """The hashes of a forgotten rule: of its id, of its text, and of its words in normal form."""
    text = content_mark(key, "rule", rule.condition, rule.action)
    words = keyed(key, "rule", f"{_normalised_words(rule.condition)}\0{_normalised_words(rule.action)}")
    return [keyed(key, "id", rule.id), text, words]


class NoteMarks(NamedTuple):
    """The hashes of a forgotten entry of a note."""

    whole: str  # Of title and content
    title: str
    statements: dict[str, str]  # The text of each statement, by its hash

    @property
    def all(self) -> list[str]:
        """All hashes, as the store keeps them."""
        return [self.whole, self.title, *self.statements]

    def forgotten(self, buried: set[str]) -> list[str] | None:
        """The forgotten statements, if they are half of the entry or more; None if most of it is new.

        A title alone does not count: it may stand above new text.
        """
        texts = [text for mark, text in self.statements.items() if mark in buried]
        parts = {self.title, *self.statements}
        if self.whole in buried or (texts and 2 * len(parts & buried) >= len(parts)):
            return texts
        return None


def note_marks(title: str, content: str, key: bytes) -> NoteMarks:
    """The hashes of an entry: of the whole, of its title, and of each statement."""
    texts = [claim.text for claim in all_claims_in(content)]
    statements = {
        keyed(key, "said", _normalised_words(text)): text
        for text in texts
        if len(content_words(text)) >= _MIN_WORDS
    }
    whole = content_mark(key, "note", title, content)
    return NoteMarks(whole, keyed(key, "said", _normalised_words(title)), statements)


def _normalised_words(text: str) -> str:
    """The content words of a statement in their order, with "not" in front if it is negated."""
    words = " ".join("/".join(word) for word in content_words(text)) or " ".join(text.casefold().split())
    return f"not {words}" if parse_claim(text).denied else words
