"""Claims that cannot both hold, beyond a "not" or another number: what works or fails, is used or avoided."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rum.store.claims import FEWEST_WORDS, FEWEST_WORDS_WITH_FIGURES, Claim, claim_of, contradict
from rum.store.stem import stem

MOST_OPPOSED = 50
_OPPOSITES = {
    stem(one): stem(other)
    for one, other in (
        ("fails", "works"),
        ("failed", "works"),
        ("broken", "works"),
        ("disable", "enable"),
        ("unsafe", "safe"),
        ("slower", "faster"),
        ("unreliable", "reliable"),
        ("insufficient", "sufficient"),
        ("unsupported", "supported"),
        ("invalid", "valid"),
        ("forbidden", "allowed"),
        ("disallowed", "allowed"),
        ("optional", "required"),
        ("unnecessary", "needed"),
        ("necessary", "needed"),
    )
}
_AGREEING = frozenset((stem("necessary"),))
"""Other words for the same, which turn nothing round."""
_PALE = frozenset(map(stem, ("use", "using", "used", "must", "prefer", "make", "sure", "ensure", "let")))
"""Words that only say that something is to be done."""


def position(text: str) -> Claim:
    """What a claim is about, and what it says of it, in words that claims of the other opinion have too."""
    claim = claim_of(text)
    denied, words = claim.denied, set[tuple[str, ...]]()
    for word in claim.words:
        turned = _OPPOSITES.get(word[0]) if len(word) == 1 else None
        if turned and word[0] not in _AGREEING:
            denied = not denied
        if word[0] not in _PALE or len(word) > 1:
            words.add((turned,) if turned else word)
    return claim._replace(words=frozenset(words), denied=denied)


def opposed(positions: Sequence[Claim]) -> list[list[int]]:
    """For each position the places of those it contradicts, at most so many as anybody wants to know of."""
    alike: dict[frozenset[tuple[str, ...]], list[int]] = {}
    for number, one in enumerate(positions):
        if len(one.words) >= (FEWEST_WORDS_WITH_FIGURES if one.figure else FEWEST_WORDS):
            alike.setdefault(one.words, []).append(number)
    return [
        list(islice(_against(one, alike.get(one.words, ()), positions), MOST_OPPOSED)) for one in positions
    ]


def _against(one: Claim, others: Sequence[int], positions: Sequence[Claim]) -> Iterator[int]:
    return (other for other in others if contradict(one, positions[other]))
