"""Calibrate a model's cosines on a few pairs of texts with known similarity.

Unrelated texts have a cosine of 0.1 with one model and of 0.7 with another. The weights and confidence of
recall were fitted with the built-in model, so the cosines of others are converted to its scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rum.embed.base import Vectors

# The two texts of a pair have a similar meaning; texts of different pairs are unrelated.
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
TEXTS = [text for pair in PAIRS for text in pair]
SIMILAR, DISSIMILAR = 0.757, 0.048  # The built-in model's average cosine within a pair, and between pairs
# Minimum difference of the two averages; below it a model cannot tell similar from unrelated.
_MIN_CONTRAST = 0.05


class Scale(NamedTuple):
    """Converts a model's cosines to the scale of the built-in one."""

    gain: float
    shift: float

    def of(self, cosine: float) -> float:
        """The corresponding cosine of the built-in model."""
        return max(-1.0, min(1.0, self.gain * cosine + self.shift))


UNCHANGED = Scale(1.0, 0.0)


def measure_scale(vectors: Vectors) -> Scale:
    """The scale of a model from its vectors of `TEXTS`; unchanged if one of them is missing.

    For a model that cannot tell similar from unrelated, every cosine becomes that of unrelated texts.
    """
    if not all(row.any() for row in vectors):
        return UNCHANGED
    similar, dissimilar = average_cosines(vectors)
    gain = (SIMILAR - DISSIMILAR) / (similar - dissimilar) if similar - dissimilar >= _MIN_CONTRAST else 0.0
    return Scale(gain, DISSIMILAR - gain * dissimilar)


def average_cosines(vectors: Vectors) -> tuple[float, float]:
    """The average cosine within a pair, and between pairs."""
    cosines: Sequence[Sequence[float]] = (vectors @ vectors.T).tolist()
    indexes = range(len(TEXTS))
    pair_cosines = [cosines[index][index + 1] for index in indexes[::2]]
    other_cosines = [cosines[one][other] for one in indexes for other in indexes if one // 2 < other // 2]
    return sum(pair_cosines) / len(pair_cosines), sum(other_cosines) / len(other_cosines)
