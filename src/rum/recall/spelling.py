"""What a word may have been meant to be that was typed wrongly."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONG = 7
"""In a shorter word another letter, or a first one more, makes another word: spring, string; oauth, auth."""
_ENDINGS = ("s", "es", "d", "ed", "ing")


def spellings(term: str) -> list[str]:
    """What a term may have been meant to be: one letter more, less, other, or two swapped.

    A short word has its first letter, and none is another: see `_LONG`. What holds a digit is as it is meant.
    """
    if not 4 <= len(term) <= 24 or not term.isascii() or not term.isalpha():
        return []
    long, nearly = len(term) >= _LONG, len(term) + 1 >= _LONG
    halves = [(term[:at], term[at:]) for at in range(len(term) + 1)]
    fewer = [head + tail[1:] for head, tail in halves if tail and (head or long)]
    swapped = [head + tail[1] + tail[0] + tail[2:] for head, tail in halves if len(tail) > 1]
    other = [head + letter + tail[1:] for head, tail in halves if tail and long for letter in _LETTERS]
    more = [head + letter + tail for head, tail in halves if head or nearly for letter in _LETTERS]
    return list(dict.fromkeys(word for word in (*fewer, *swapped, *other, *more) if word != term))


def inflected(words: Iterable[str]) -> set[str]:
    """The words, and longer ones with the usual endings: a memory and a question seldom have the same."""
    known = set(words)
    longer = (word + ending for word in known for ending in _ENDINGS)
    return known | {word for word in longer if len(word) >= _LONG}
