"""What a claim is about, and whether it says that it holds, in words that the other opinion has too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from rum.text.claims import Claim, claim_of
from rum.text.stem import stem

Word = tuple[str, ...]


def stems(*pairs: tuple[str, str]) -> dict[str, str]:
    """Words and their opposites as terms."""
    return {stem(one): stem(other) for one, other in pairs}


_OPPOSITES = stems(
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
_AGREEING = frozenset((stem("necessary"),))
"""Other words for the same, which turn nothing round."""
_PALE = frozenset(map(stem, ("use", "using", "used", "must", "prefer", "make", "sure", "ensure", "let")))
"""Words that only say that something is to be done."""
_NOBODY = re.compile(
    r"\b(?:nobody|nothing|nowhere|hardly|rarely|seldom|(?:refuses?|refused|unable) to)\b", re.IGNORECASE
)


@lru_cache(maxsize=4096)
def stance(text: str) -> Claim:
    """What a claim is about, and what it says of it, in words that claims of the other opinion have too."""
    claim = claim_of(plainly_denied(text))
    return reworded(claim, _OPPOSITES)._replace(text=text)


def plainly_denied(text: str) -> str:
    """A claim with a "not" for each word that denies without one."""
    return _NOBODY.sub("not", text)


def turned(word: str) -> tuple[str, bool]:
    """A word in terms of its opposite where it has one, and whether that turned it round."""
    opposite = _OPPOSITES.get(word)
    return opposite or word, opposite is not None and word not in _AGREEING


def reworded(claim: Claim, opposites: Mapping[str, str]) -> Claim:
    """A claim in which each word that has an opposite stands for it, turned round."""
    denied, words = claim.denied, set[Word]()
    for word in claim.words:
        other = opposites.get(word[0]) if len(word) == 1 else None
        if other and word[0] not in _AGREEING:
            denied = not denied
        if word[0] not in _PALE or len(word) > 1:
            words.add((other,) if other else word)
    return claim._replace(words=frozenset(words), denied=denied)
