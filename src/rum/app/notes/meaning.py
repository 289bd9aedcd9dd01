"""Find the one note that is nearest to a task in meaning, for briefs whose task no pattern matches."""

from __future__ import annotations

import hashlib
import math
import os
import time
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from rum.embed.base import CannotEmbed, Embedder
from rum.inject.notes import NoteSummary
from rum.settings.home import ensure_private_dir, write_private
from rum.text.terms import content_words

if TYPE_CHECKING:
    from rum.app.project import Project

SECONDS = 0.5  # How long new notes are embedded while a caller waits; the rest follow at the next call
_BATCH = 8
# Fitted on tests/data/note_tasks (`PYTHONPATH=tests python -m support.note_tasks known second`).
_OWN_TASK, _WORDS = 0.25, 0.1  # Weights of the task a note comes from, and of shared words
MIN_SIMILARITY, MIN_MARGIN = 0.27, 0.03  # The least similarity, and the least distance to the next note


class NoteMeaning:
    """The vectors of the notes of one checkout, kept in a file by the hash of the text they are of."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._vectors: dict[str, str] | None = None

    def nearest(
        self, project: Project, task: str, summaries: Sequence[NoteSummary]
    ) -> tuple[str, float] | None:
        """The slug and similarity of the note meant for a task; None if none is near, or two are."""
        embedder = project.semantic.embedder
        if embedder is None or not summaries or not task.strip():
            return None
        try:
            vectors = self._up_to_date(embedder, summaries)
            cosines = _cosines(embedder, project.redactor.redact(task), vectors)
        except (CannotEmbed, ImportError):
            return None
        scale = project.semantic.scale
        shares = _word_shares(task, summaries)
        ranked: list[tuple[float, str]] = []
        for summary in summaries:
            text, own = (cosines.get(_key(embedder, one)) for one in (summary.meaning, summary.origin))
            if text is None:
                continue
            near = scale.of(text)
            own_near = near if own is None else scale.of(own)
            near = (near + _OWN_TASK * own_near + _WORDS * shares[summary.slug]) / (1 + _OWN_TASK)
            ranked.append((near, summary.slug))
        ranked.sort(key=lambda one: (-one[0], one[1]))
        margin = ranked[0][0] - ranked[1][0] if len(ranked) > 1 else 1.0
        if not ranked or ranked[0][0] < MIN_SIMILARITY or margin < MIN_MARGIN:
            return None
        return ranked[0][1], ranked[0][0]

    def _up_to_date(self, embedder: Embedder, summaries: Iterable[NoteSummary]) -> dict[str, bytes]:
        """The vectors of the notes; new texts are embedded as long as the time allows."""
        from rum.store.packed_vectors import pack  # noqa: PLC0415 (loads numpy)

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
    from rum.store.packed_vectors import cosines, has_direction  # noqa: PLC0415 (loads numpy)

    question = embedder.embed([task])[0]
    keys = list(vectors)
    if not keys or not has_direction(question):
        return {}
    return {keys[at]: near for at, near in cosines(question, dict(enumerate(vectors.values()))).items()}


def _word_shares(task: str, summaries: Iterable[NoteSummary]) -> dict[str, float]:
    """The share of a task's words that each note has; a word that few notes have counts more."""
    words = {one.slug: _terms(f"{one.origin} {one.meaning}") for one in summaries}
    counts = Counter(term for terms in words.values() for term in terms)
    weights = {term: math.log((len(words) + 1) / (counts[term] + 0.5)) for term in _terms(task)}
    total = sum(weights.values())
    if total <= 0:
        return dict.fromkeys(words, 0.0)
    return {
        slug: sum(weights[term] for term in weights if term in terms) / total for slug, terms in words.items()
    }


def _terms(text: str) -> frozenset[str]:
    return frozenset(term for word in content_words(text) for term in word)
