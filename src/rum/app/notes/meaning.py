"""Find the one note that is nearest to a task in meaning, for briefs whose task no pattern matches."""

from __future__ import annotations

import hashlib
import math
import os
import time
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from rum.app.calls import load
from rum.embed.base import CannotEmbed, Embedder
from rum.inject.notes import NoteSummary
from rum.settings.home import ensure_private_dir, write_private

if TYPE_CHECKING:
    from rum.app.project import Project

SECONDS = 0.5  # How long new notes are embedded while a caller waits; the rest follow at the next call
_BATCH = 8
# How likely each note is the one meant, or none of them: a softmax of these weights, fitted on all files of
# tests/data/note_tasks, and the least share for which a note is given.
_TEXT, _OWN_TASK, _NONE = 16.0, 9.0, 5.3
MIN_SHARE = 0.5


class NoteMeaning:
    """The vectors of the notes of one checkout, kept in a file by the hash of the text they are of."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._vectors: dict[str, str] | None = None

    def nearest(
        self, project: Project, task: str, summaries: Sequence[NoteSummary]
    ) -> tuple[str, float] | None:
        """The slug of the note meant for a task, and how likely it is; None if none is, or two are."""
        embedder = project.semantic.embedder
        if embedder is None or not summaries or not task.strip():
            return None
        try:
            vectors = self._up_to_date(embedder, summaries)
            cosines = _cosines(embedder, project.redactor.redact(task), vectors)
        except (CannotEmbed, ImportError):
            return None
        scale = project.semantic.scale
        likely: dict[str, float] = {}
        for summary in summaries:
            text, own = (cosines.get(_key(embedder, one)) for one in (summary.meaning, summary.origin))
            if text is not None:
                own = text if own is None else own
                likely[summary.slug] = math.exp(_TEXT * scale.of(text) + _OWN_TASK * scale.of(own))
        best = min(likely, key=lambda slug: (-likely[slug], slug), default="")
        share = likely[best] / (sum(likely.values()) + math.exp(_NONE)) if best else 0.0
        return (best, share) if share >= MIN_SHARE else None

    def _up_to_date(self, embedder: Embedder, summaries: Iterable[NoteSummary]) -> dict[str, bytes]:
        """The vectors of the notes; new texts are embedded as long as the time allows."""
        pack = load("store.packed_vectors:pack")  # loads numpy
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
    question = embedder.embed([task])[0]
    keys = list(vectors)
    if not keys or not load("store.packed_vectors:has_direction")(question):
        return {}
    near: dict[int, float] = load("store.packed_vectors:cosines")(question, dict(enumerate(vectors.values())))
    return {keys[at]: cosine for at, cosine in near.items()}
