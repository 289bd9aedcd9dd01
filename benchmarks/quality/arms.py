"""The searches that RUM is compared with: no memory, grep, and SQLite full-text search."""

from __future__ import annotations

import re
import sqlite3
from typing import NamedTuple, Protocol

from benchmarks.quality.cases import Piece, Question

WORD = re.compile(r"\w+")
MOST_WORDS = 60  # Maximum number of query words; a question may be a whole commit message


class Answer(NamedTuple):
    """What came back: keys, best first, with a confidence each (None where there is none), and its size."""

    keys: list[str]
    confidences: list[float | None]
    characters: int = 0


class Arm(Protocol):
    """One way to remember and to answer."""

    def store(self, piece: Piece) -> None:
        """Take in one piece."""
        ...

    def settle(self) -> None:
        """Finish whatever is still to be done for the pieces taken in."""
        ...

    def ask(self, question: Question, limit: int, *, sure: bool) -> Answer:
        """The best pieces; `sure`: only those that the arm itself holds to be good enough."""
        ...

    def close(self) -> None:
        """Leave nothing behind."""
        ...


class Nobody:
    """No memory at all."""

    def store(self, piece: Piece) -> None:
        """Forget it."""

    def settle(self) -> None:
        """Nothing to do."""

    def ask(self, question: Question, limit: int, *, sure: bool) -> Answer:  # noqa: ARG002
        """Nothing."""
        return Answer([], [])

    def close(self) -> None:
        """Nothing to do."""


class Grep(Nobody):
    """Any word and any file of the question, by how many of them occur; the newest first among equals."""

    def __init__(self) -> None:
        self._known: list[tuple[Piece, frozenset[str]]] = []

    def store(self, piece: Piece) -> None:
        """Keep it with its words and paths."""
        self._known.append((piece, _words(piece.text) | frozenset(piece.files)))

    def ask(self, question: Question, limit: int, *, sure: bool) -> Answer:  # noqa: ARG002
        """A look at every piece."""
        wanted = _words(question.text) | frozenset(question.files)
        counted = [(len(wanted & words), number) for number, (_, words) in enumerate(self._known)]
        best = sorted((one for one in counted if one[0]), reverse=True)[:limit]
        return shown([self._known[number][0] for _, number in best])


class FullText(Nobody):
    """FTS5 with the porter stemmer over what was said: the OR of the question's words, ranked by bm25."""

    def __init__(self) -> None:
        self._pieces: list[Piece] = []
        self._database = sqlite3.connect(":memory:")
        self._database.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter unicode61')")

    def store(self, piece: Piece) -> None:
        """Index it."""
        self._database.execute("INSERT INTO said(rowid, text) VALUES (?, ?)", (len(self._pieces), piece.text))
        self._pieces.append(piece)

    def ask(self, question: Question, limit: int, *, sure: bool) -> Answer:  # noqa: ARG002
        """The first rows by rank."""
        words = list(dict.fromkeys(WORD.findall(question.text.lower())))[:MOST_WORDS]
        if not words:
            return Answer([], [])
        match = " OR ".join(f'"{word}"' for word in words)
        query = "SELECT rowid FROM said WHERE said MATCH ? ORDER BY rank LIMIT ?"
        return shown([self._pieces[number] for (number,) in self._database.execute(query, (match, limit))])

    def close(self) -> None:
        """Free the memory."""
        self._database.close()


def shown(pieces: list[Piece]) -> Answer:
    """Pieces as a search prints them: whole."""
    return Answer(
        [piece.key for piece in pieces], [None] * len(pieces), sum(len(piece.text) + 1 for piece in pieces)
    )


def _words(text: str) -> frozenset[str]:
    return frozenset(WORD.findall(text.lower()))
