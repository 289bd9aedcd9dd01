"""The words of chapters and wisdom: by the language model that is set, or drawn from the memories."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from rum.app.project import Project
from rum.consolidate.chapters.clusters import Similarity
from rum.embed.base import CannotEmbed, Embedder
from rum.embed.calibration import Scale
from rum.llm.base import CannotComplete, LanguageModel
from rum.model.chapters import Wording

W = TypeVar("W")
Draw = Callable[[Similarity | None], W]
MOST_TEXTS = 200
"""Texts that get a vector for the words of one chapter: each takes some hundredths of a second."""


class Made(NamedTuple, Generic[W]):
    """Words, where they came from, and what to know about that."""

    words: W
    by: Wording
    note: str | None = None


def made(project: Project, ask: Callable[[LanguageModel], Made[W]] | None, draw: Draw[W]) -> Made[W]:
    """The words by the language model that is set, else drawn; drawn too while the model fails.

    It may take as long as the model does: no turn and no transaction should wait for it.
    """
    try:
        model = project.language_model if ask else None
        if model is not None and ask is not None:
            return ask(model)
    except CannotComplete as error:
        note = f"The words are drawn from the memories, as the language model was no help: {error.message}"
        return Made(drawn(project, draw), Wording.DRAWN, note)
    return Made(drawn(project, draw), Wording.DRAWN)


def told(words: W, dropped: Sequence[object]) -> Made[W]:
    """The words of a model, and how much of its answer was left out."""
    many = f"{len(dropped)} claims" if len(dropped) != 1 else "1 claim"
    note = f"{many} of the language model left out, as no memory says so." if dropped else None
    return Made(words, Wording.MODEL, note)


def drawn(project: Project, draw: Draw[W]) -> W:
    """Words drawn with the help of vectors where there are any to be had, else by words alone."""
    embedder = project.semantic.embedder
    if embedder is None:
        return draw(None)
    try:
        return draw(_Similarity(embedder, project.redactor.redact, project.semantic.scale))
    except (CannotEmbed, ImportError):
        return draw(None)


class _Similarity:
    """How near texts are in meaning; of very many, only the first that are asked for."""

    def __init__(self, embedder: Embedder, clean: Callable[[str], str], scale: Scale) -> None:
        self._embedder = embedder
        self._clean = clean
        self._scale = scale
        self._vectors: dict[str, list[float]] = {}

    def __call__(self, one: str, other: str) -> float:
        for text in (one, other):
            if text not in self._vectors:
                if len(self._vectors) == MOST_TEXTS:
                    return 0.0
                self._vectors[text] = self._embedder.embed([self._clean(text)])[0].tolist()
        return self._scale.of(sum(map(float.__mul__, self._vectors[one], self._vectors[other])))
