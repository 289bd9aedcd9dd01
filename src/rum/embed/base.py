"""The port: what every embedder offers, and how it says that it cannot embed now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rum.model.errors import RumError

if TYPE_CHECKING:
    import numpy as np

    Vectors = np.ndarray[Any, np.dtype[np.float32]]
    """One row a text, of length one, so that a dot product is a cosine; or of length zero."""


HARMLESS = "A plain sentence, as long as what somebody might note of a morning's work on some code. " * 2
"""What no embedder that works refuses."""


class CannotEmbed(RumError):
    """No vectors now: the model is damaged or its endpoint fails. Everything goes on by text."""

    code = "STORAGE_ERROR"


class OutOfTime(CannotEmbed):
    """No vectors within the time that the caller had, which says nothing against the embedder."""


class Embedder(Protocol):
    """Text to vectors. Making one is cheap: nothing is loaded or asked before the first `embed`.

    It may be called from several threads at once; each call then keeps one core busy.
    """

    @property
    def model(self) -> str:
        """The stamp of its vectors: only vectors of the same stamp may be compared."""
        ...

    @property
    def dimensions(self) -> int | None:
        """How long a vector is; None while only the first answer can tell."""
        ...

    @property
    def fitted(self) -> bool:
        """Whether recall was fitted with its vectors; else it is measured how its cosines compare."""
        ...

    def embed(self, texts: Sequence[str], patience: float | None = None) -> Vectors:
        """One vector for each text, in their order; `CannotEmbed` if that is impossible now.

        A text that it cannot embed though it can others gets a vector of zeros, which is near nothing and
        never kept.
        `patience` is how many seconds somebody else is waited for, if not as long as usual.
        """
        ...
