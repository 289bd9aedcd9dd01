"""Which of many pieces go into a text that may cost so many tokens, and at what length."""

from __future__ import annotations

from collections import namedtuple

from rum.text.tokens import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import NamedTuple

    class Piece(NamedTuple):
        """Something worth saying: what it is, which one, its points, how to say it, longest first, when."""

        kind: str
        id: str
        points: float
        forms: Sequence[str]
        at: int = 0

    class Said(NamedTuple):
        """A piece that was taken, and which of its forms."""

        piece: Piece
        form: int

    Write = Callable[[Sequence[Said]], str]
    """Makes one text of all that was taken."""

else:
    # `typing` is slow to load.
    Piece = namedtuple("Piece", ("kind", "id", "points", "forms", "at"), defaults=(0,))
    Said = namedtuple("Said", ("piece", "form"))

WARNING = 100
"""From so many points on a piece is a warning: nothing else takes its room."""
LONGEST = 12
"""Characters a token at most: rows of dashes count for next to nothing, and still must not fill a prompt."""


def ranked(pieces: Iterable[Piece]) -> list[Piece]:
    """Most points first, of equals the newer; the order never depends on the order in which they came."""
    return sorted(pieces, key=lambda piece: (-piece.points, piece.kind, -piece.at, piece.id, piece.forms))


def chosen(pieces: Iterable[Piece], tokens: int, write: Write) -> list[Said]:
    """As many of the best as fit, each as long as there is room for; the best first.

    Warnings come first, if need be in their shortest form. What is too long keeps nobody else out.
    """
    best = ranked(pieces)
    taken: dict[int, Said] = {}

    def take(at: int, form: int) -> bool:
        tried = {**taken, at: Said(best[at], form)}
        if not fits(write([tried[one] for one in sorted(tried)]), tokens):
            return False
        taken[at] = tried[at]
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
    """Whether a text costs no more than so many tokens."""
    return len(text) <= LONGEST * tokens and estimate_tokens(text) <= tokens
