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

WARNING = 100  # Points from which on a piece is a warning, which no other piece displaces
# Characters of a token at most: rows of dashes cost few tokens, and still must not fill a prompt.
LONGEST_TOKEN = 12


def rank(pieces: Iterable[Piece]) -> list[Piece]:
    """Most points first, then newest; independent of the order of the input."""
    return sorted(pieces, key=lambda piece: (-piece.points, piece.kind, -piece.at, piece.id, piece.forms))


def choose(pieces: Iterable[Piece], tokens: int, write: Write) -> list[Chosen]:
    """As many of the best as fit, each in the longest form that fits; the best first.

    Warnings are placed first, if necessary in their shortest form. A piece that is too long is skipped.
    """
    best = rank(pieces)
    taken: dict[int, Chosen] = {}

    def take(at: int, form: int) -> bool:
        attempt = {**taken, at: Chosen(best[at], form)}
        if not fits(write([attempt[one] for one in sorted(attempt)]), tokens):
            return False
        taken[at] = attempt[at]
        return True

    for at, piece in enumerate(best):
        if piece.points >= WARNING:
            take(at, len(piece.forms) - 1)
    for at, piece in enumerate(best):
        longer = taken[at].form if at in taken else len(piece.forms)
        for form in range(longer):
            if take(at, form):
                break
    return [taken[at] for at in sorted(taken)]


def fits(text: str, tokens: int) -> bool:
    """Whether a text has at most this many tokens."""
    return len(text) <= LONGEST_TOKEN * tokens and estimate_tokens(text) <= tokens
