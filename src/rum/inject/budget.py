"""Which pieces go into a text with a maximum of tokens, and at what length."""

from __future__ import annotations

from collections import namedtuple

from rum.text.tokens import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import NamedTuple

    class Piece(NamedTuple):
        """A candidate for a prompt; `forms` are its texts, longest first."""

        kind: str
        id: str
        points: float
        forms: Sequence[str]
        at: int = 0

    class Chosen(NamedTuple):
        """A piece that fits, and the index of its form."""

        piece: Piece
        form: int

    Write = Callable[[Sequence[Chosen]], str]  # Makes one text of all chosen pieces

else:
    # `typing` is slow to load.
    Piece = namedtuple("Piece", ("kind", "id", "points", "forms", "at"), defaults=(0,))
    Chosen = namedtuple("Chosen", ("piece", "form"))

WARNING = 100  # Minimum points of a warning, which no other piece displaces
# Maximum characters per token: long rows of dashes have few tokens, but must not fill a prompt.
MAX_TOKEN_LENGTH = 12


def rank(pieces: Iterable[Piece]) -> list[Piece]:
    """Most points first, then newest; independent of the order of the input."""
    return sorted(pieces, key=lambda piece: (-piece.points, piece.kind, -piece.at, piece.id, piece.forms))


def choose(pieces: Iterable[Piece], tokens: int, write: Write) -> list[Chosen]:
    """As many of the best as fit, each in the longest form that fits; the best first.

    Warnings are placed first, if necessary in their shortest form. A piece that is too long is skipped.
    """
    best = rank(pieces)
    selected: dict[int, Chosen] = {}

    def select(index: int, form: int) -> bool:
        attempt = {**selected, index: Chosen(best[index], form)}
        if not fits(write([attempt[key] for key in sorted(attempt)]), tokens):
            return False
        selected[index] = attempt[index]
        return True

    for index, piece in enumerate(best):
        if piece.points >= WARNING:
            select(index, len(piece.forms) - 1)
    for index, piece in enumerate(best):
        longer_forms = selected[index].form if index in selected else len(piece.forms)
        for form in range(longer_forms):
            if select(index, form):
                break
    return [selected[index] for index in sorted(selected)]


def fits(text: str, tokens: int) -> bool:
    """Whether a text has at most this many tokens."""
    return len(text) <= MAX_TOKEN_LENGTH * tokens and estimate_tokens(text) <= tokens
