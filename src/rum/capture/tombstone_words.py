"""How a note or a rule that was forgotten is known again: by the words of its statements."""

from __future__ import annotations

from typing import NamedTuple

from rum.capture.tombstones import content_mark, keyed
from rum.model.facts import Rule
from rum.text.claims import all_claims_in, parse_claim
from rum.text.terms import content_words

FEWEST_WORDS = 3
"""A statement of fewer words, such as a heading, may stand anywhere."""


def rule_marks(rule: Rule, key: bytes) -> list[str]:
    """The hashes by which a forgotten rule is known again: its id, what it says, and in which words."""
    said = content_mark(key, "rule", rule.condition, rule.action)
    worded = keyed(key, "rule", f"{_worded(rule.condition)}\0{_worded(rule.action)}")
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
    said = [claim.text for claim in all_claims_in(content)]
    told = {
        keyed(key, "said", _worded(text)): text for text in said if len(content_words(text)) >= FEWEST_WORDS
    }
    return NoteMarks(content_mark(key, "note", title, content), keyed(key, "said", _worded(title)), told)


def _worded(text: str) -> str:
    """The words of a statement that say something, in order, and whether it denies them."""
    words = " ".join("/".join(word) for word in content_words(text)) or " ".join(text.casefold().split())
    return f"not {words}" if parse_claim(text).denied else words
