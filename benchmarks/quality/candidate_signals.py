"""The signals of every candidate of a question, and which candidates are right."""

from __future__ import annotations

import hashlib
import os
import pickle
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.quality.cases import Case, Piece, Question
from benchmarks.quality.fitting import Floats
from benchmarks.quality.rum_arm import MOST_FILES, task_type
from rum import Rum
from rum.app.caller import Caller
from rum.embed.choose import BuiltinEmbedder
from rum.model.requests import RecallRequest
from rum.recall import cascade
from rum.recall.confidence import about_question
from rum.recall.query import RecallQuery
from rum.recall.semantic import SemanticSearch

if TYPE_CHECKING:
    from rum.embed.base import Vectors


class Sight(NamedTuple):
    """One question as the ranking saw it: its candidates' signals, and which are right."""

    set_name: str
    source: str  # The repository or conversation that it is about
    kind: str
    column: str
    about: dict[str, float]
    signals: dict[str, Floats]  # Of all candidates, by name
    right: NDArray[np.bool_]


Named = tuple[str, Case]  # A case and the name of its set


def sights(cases: Sequence[Named], limit: int, vectors: CachedEmbedder, records: str = "") -> list[Sight]:
    """Each question of cases with the same memories as the ranking sees it: by words alone and with vectors.

    In the folder `records` they are kept, so that a fit that was interrupted goes on where it stopped.
    """
    if not records:
        return list(_looked(cases, limit, vectors))
    path = os.path.join(records, _record_name(cases, limit))
    if not os.path.exists(path):
        found = list(_looked(cases, limit, vectors))
        with open(f"{path}.new", "wb") as file:
            pickle.dump([tuple(one) for one in found], file)
        os.replace(f"{path}.new", path)
    with open(path, "rb") as file:
        return [Sight(*one) for one in pickle.load(file)]


def _record_name(cases: Sequence[Named], limit: int) -> str:
    """The file of cases; another one if their memories or questions change."""
    content = repr(limit)
    for name, case in cases:
        questions = [one._replace(answers=frozenset()) for one in (*case.questions, *case.foreign)]
        answers = [sorted(one.answers) for one in case.questions]
        content += repr((name, case.pieces, questions, answers))
    [(name, first), *_] = cases
    return f"{name} {first.name} {hashlib.sha256(content.encode()).hexdigest()[:16]}.pickle"


def _looked(cases: Sequence[Named], limit: int, vectors: CachedEmbedder) -> Iterator[Sight]:
    """Fill a store and look on while the questions of each case, and foreign ones, are asked."""
    waiting: dict[int | None, list[tuple[str, Case, Question]]] = defaultdict(list)
    for name, case in cases:
        foreign = [one._replace(kind="foreign", answers=frozenset(), place=None) for one in case.foreign]
        for question in (*case.questions, *foreign):
            waiting[question.place].append((name, case, question))
    with tempfile.TemporaryDirectory(prefix="rum-fit-") as folder:
        store = _Store(folder, limit, vectors)
        for place, piece in enumerate(cases[0][1].pieces):
            for asked in waiting[place]:
                yield from store.look(*asked)
            store.add(piece)
        store.open("")
        for asked in waiting[None]:
            yield from store.look(*asked)
        store.close()


class _Store:
    """A store in this process; pieces of another session come in through another opening."""

    def __init__(self, folder: str, limit: int, vectors: CachedEmbedder) -> None:
        self._folder, self._limit, self._vectors = folder, limit, vectors
        self._checkout = os.path.join(folder, "checkout")
        os.makedirs(self._checkout)
        self._keys: dict[str, str] = {}
        self._session: str | None = None
        self._rum: Rum | None = None

    def open(self, session: str) -> Rum:
        self.close()
        self._session = session
        self._rum = Rum.open(
            self._checkout, home=os.path.join(self._folder, "home"), session=session or None, agent="fit"
        )
        caller = caller_of(self._rum)
        caller.project.__dict__["semantic"] = SemanticSearch(
            caller.project.store,
            self._vectors,
            clean=caller.project.redactor.redact,
            clock=caller.project.clock,
        )
        return self._rum

    def add(self, piece: Piece) -> None:
        rum = self._rum
        if rum is None or piece.session != self._session:
            rum = self.open(piece.session)
        result = rum.store(
            intent={"goal": piece.goal, "task_type": task_type(piece.goal), "context": piece.context},
            outcome={"success": True, "summary": piece.goal},
            actions=[{"type": "file_edit", "file_path": path} for path in piece.files[:MOST_FILES]],
        )
        self._keys[result.memory_id] = piece.key

    def look(self, name: str, case: Case, question: Question) -> Iterator[Sight]:
        """The question by words alone, then with vectors."""
        caller = caller_of(self._rum or self.open(""))
        caller.project.semantic.embed_pending(3600)
        for semantic in (None, caller.project.semantic):
            yield self._look(name, case, question, caller, semantic)

    def _look(
        self, name: str, case: Case, question: Question, caller: Caller, semantic: SemanticSearch | None
    ) -> Sight:
        asked = RecallRequest(query=question.text, limit=self._limit, min_confidence=0.0)
        files = tuple(question.files[:MOST_FILES])
        recall_query = RecallQuery(
            asked,
            caller.project.store,
            files,
            session=caller.session_id,
            semantic=semantic,
        )
        found = cascade.search(recall_query)
        matches = [match for match in found.matches.values() if match.literal is None]
        return Sight(
            name,
            case.source,
            question.kind,
            found.column,
            about_question(recall_query, matches) if matches else {},
            in_columns([match.signals for match in matches]),
            np.array([self._keys.get(match.memory_id) in question.answers for match in matches], dtype=bool),
        )

    def close(self) -> None:
        if self._rum:
            self._rum.close()
            self._rum = None


def in_columns(signals: Sequence[dict[str, float]]) -> dict[str, Floats]:
    """The signals of candidates, by name."""
    return {name: np.array([one[name] for one in signals]) for name in (signals[0] if signals else ())}


def caller_of(rum: Rum) -> Caller:
    """What stands behind an open project."""
    return rum._caller  # pyright: ignore[reportPrivateUsage]


class CachedEmbedder(BuiltinEmbedder):
    """The built-in embedder; what it embedded once it looks up the next time."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._cache = sqlite3.connect(path)
        self._cache.execute("CREATE TABLE IF NOT EXISTS vectors (text BLOB PRIMARY KEY, vector BLOB)")

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text, in their order."""
        names = [hashlib.sha256(f"{self.model}\0{text}".encode()).digest() for text in texts]
        known = {name: self._kept(name) for name in names}
        missing = {name: text for name, text in zip(names, texts, strict=True) if known[name] is None}
        if missing:
            for name, vector in zip(missing, super().embed(list(missing.values())), strict=True):
                known[name] = vector
                self._cache.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (name, vector.tobytes()))
            self._cache.commit()
        return np.stack([vector for name in names if (vector := known[name]) is not None])

    def _kept(self, name: bytes) -> Vectors | None:
        row = self._cache.execute("SELECT vector FROM vectors WHERE text = ?", (name,)).fetchone()
        return None if row is None else np.frombuffer(row[0], dtype=np.float32)
