"""What a model's cosines are worth: measured on a few texts of which it is known how alike they are.

With one model two texts that have nothing in common are 0.1 alike, with another 0.7. The weights and the
confidence of recall were fitted with the built-in one, so others' cosines are brought onto its scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rum.embed.base import Vectors

PAIRS = (
    ("Users are logged out after five minutes", "The login session of users ends much too early"),
    ("Retry the upload when the network is down", "An upload fails for good once the network drops"),
    ("Sort invoices by their due date", "The list of invoices is not in the order of due dates"),
    ("Two workers take the same job from the queue", "A job in the queue is done twice by two workers"),
    ("Escape quotes in the names of columns", "A column whose name has quotes breaks the query"),
    ("Show the price with two decimals", "The price has too many digits behind the point"),
    ("Memory grows with every picture that is opened", "Opened pictures are never freed from memory"),
    ("Translate the error messages into French", "Error messages are only told in English, not French"),
)
"""Two texts each that tell much the same; of different pairs, nothing of the kind."""
TEXTS = [text for pair in PAIRS for text in pair]
ALIKE, UNLIKE = 0.757, 0.048
"""How alike the built-in model finds the two of a pair, and two of different pairs, on average."""
LEAST = 0.05
"""A model that tells the two of a pair from others by less than this cannot tell them."""


class Scale(NamedTuple):
    """From a model's cosines to those of the built-in one."""

    gain: float
    shift: float

    def of(self, cosine: float) -> float:
        """What a cosine would be by the built-in model."""
        return max(-1.0, min(1.0, self.gain * cosine + self.shift))


AS_IT_IS = Scale(1.0, 0.0)


def measured(vectors: Vectors) -> Scale:
    """The scale of a model by the vectors it makes of `TEXTS`; as it is, where it has none of one of them.

    By one that cannot tell what is alike, everything is as unlike as can be.
    """
    if not all(row.any() for row in vectors):
        return AS_IT_IS
    alike, unlike = likenesses(vectors)
    gain = (ALIKE - UNLIKE) / (alike - unlike) if alike - unlike >= LEAST else 0.0
    return Scale(gain, UNLIKE - gain * unlike)


def likenesses(vectors: Vectors) -> tuple[float, float]:
    """How alike the two texts of a pair are, and two of different pairs, on average."""
    cosines: Sequence[Sequence[float]] = (vectors @ vectors.T).tolist()
    places = range(len(TEXTS))
    pairs = [cosines[one][one + 1] for one in places[::2]]
    others = [cosines[one][other] for one in places for other in places if one // 2 < other // 2]
    return sum(pairs) / len(pairs), sum(others) / len(others)
