"""BERT's WordPiece tokenizer: text to token ids, the same as in the model's training."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

# Characters that are read; the model cuts texts off much earlier, so more cannot change a vector.
LONGEST_TEXT = 65_536

_MAX_WORD = 100
_CACHED_WORDS = 16_384
_CONTINUATION = "##"
_UNKNOWN, _START, _END = "[UNK]", "[CLS]", "[SEP]"
_RESERVED = re.compile(r"(\[(?:PAD|UNK|CLS|SEP|MASK)\])")
_ASCII_MARKS = r"!-/:-@\[-`{-~"
_ASCII_WORDS = re.compile(rf"[{_ASCII_MARKS}]|[^\s{_ASCII_MARKS}]+")
_ASCII_CONTROLS = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127))
_IDEOGRAPH = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b73f\U0002b740-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)


class _CharacterTable(dict[int, str]):
    """A table for `str.translate` that computes each character's entry on first use."""

    def __init__(self, convert: Callable[[str], str]) -> None:
        super().__init__()
        self._convert = convert

    def __missing__(self, code: int) -> str:
        self[code] = value = self._convert(chr(code))
        return value


def _clean(character: str) -> str:
    """Remove invisible characters, make all whitespace spaces, and put spaces around ideographs."""
    if character in "\t\n\r":
        return " "
    if character == "\ufffd" or unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs"):
        return ""
    if character.isspace():
        return " "
    return f" {character} " if _IDEOGRAPH.match(character) else character


def _fold(character: str) -> str:
    """After decomposition: remove accents, lower-case, and put spaces around punctuation."""
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    alone = category.startswith("P") or character in "$+<=>^`|~"
    return f" {character} " if alone else character.lower()


class WordPiece:
    """Splits texts by one vocabulary, whose order gives the ids."""

    def __init__(self, vocabulary: Sequence[str], longest: int) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary)}
        self._longest = longest
        self._unknown, self._start, self._end = (self._ids[name] for name in (_UNKNOWN, _START, _END))
        self._cleaning, self._folding = _CharacterTable(_clean), _CharacterTable(_fold)
        self._pieces = lru_cache(_CACHED_WORDS)(self._split)

    def ids(self, text: str) -> list[int]:
        """The ids of a text with the start and end tokens, cut to the model's maximum."""
        found = [self._start]
        for word in self._words(text[:LONGEST_TEXT]):
            found += self._pieces(word) if len(word) <= _MAX_WORD else (self._unknown,)
            if len(found) >= self._longest:
                break
        return [*found[: self._longest - 1], self._end]

    def _words(self, text: str) -> Iterator[str]:
        """Words and punctuation; reserved names such as `[MASK]` are matched before lower-casing."""
        for number, part in enumerate(_RESERVED.split(text)):
            if number % 2:
                yield part
            elif part.isascii():
                for match in _ASCII_WORDS.finditer(part.translate(_ASCII_CONTROLS).lower()):
                    yield match[0]
            else:
                decomposed = unicodedata.normalize("NFD", part.translate(self._cleaning))
                yield from decomposed.translate(self._folding).split()

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest pieces from the left; if one cannot be matched, the whole word is unknown."""
        found: list[int] = []
        start, prefix = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._ids.get(prefix + word[start:end])
                if number is not None:
                    break
            else:
                return (self._unknown,)
            found.append(number)
            start, prefix = end, _CONTINUATION
        return tuple(found)
