"""Brings an embedder's cosines onto the scale that recall was fitted with; what that takes is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rum.embed.calibration import TEXTS, UNCHANGED, Scale, measure_scale

if TYPE_CHECKING:
    from rum.embed.base import Embedder
    from rum.store.vectors import Vectors


class Scaling:
    """The scale of one embedder's vectors in one store; there is nothing to measure of the built-in one."""

    def __init__(self, vectors: Vectors, embedder: Embedder | None) -> None:
        self._vectors = vectors
        self._other = None if embedder is None or embedder.fitted else embedder

    @property
    def scale(self) -> Scale:
        """How its cosines compare, as far as it is known."""
        known = self._vectors.scale(self._other.model) if self._other else None
        return Scale(*known) if known else UNCHANGED

    def is_missing(self) -> bool:
        """Whether there are vectors whose scale nobody has measured."""
        other = self._other
        return other is not None and self._vectors.any(other.model) and not self._vectors.scale(other.model)

    def find(self, patience: float | None) -> None:
        """Measure it, unless that was done."""
        if self._other and not self._vectors.scale(self._other.model):
            scale = measure_scale(self._other.embed(TEXTS, patience))
            self._vectors.keep_scale(self._other.model, scale, patience)
