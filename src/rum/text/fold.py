"""What scripts beyond ASCII need before they can be index terms: accents, endings, spaces, symbols."""

from __future__ import annotations

import re
from functools import cache
from unicodedata import category, combining, decimal, name, normalize

BASE, MARK = "\x01", "\x02"
"""What `folded` puts before each letter, and each mark, of a script that is written without spaces."""

# Thai and Lao, Myanmar, Khmer, kana, Han; and Hangul, whose particles hang on the word.
_UNSPACED = (
    (0x0E00, 0x0EFF),
    (0x1000, 0x109F),
    (0x1100, 0x11FF),
    (0x1780, 0x17FF),
    (0x3005, 0x3007),
    (0x3040, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAA7F),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0x1B000, 0x1B16F),
    (0x20000, 0x3FFFF),
)
# Letters that look accented but have no decomposition, and signs that tie words as ASCII ones do.
_KNOWN = dict(zip(map(ord, "łŁøØđĐıħĦðÐ’ʼ‐\u200b"), "lLoOdDihHdD''- ", strict=True))

LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "þ": "th"})
"""For words without case: spelled out sooner, a capital Æ would look like two parts of a name."""


class _Folds(dict[int, "str | None"]):
    """What becomes of each character, worked out when it is first met."""

    def __missing__(self, code: int) -> str | None:
        self[code] = became = _fold(chr(code), code)
        return became


def _fold(char: str, code: int) -> str | None:
    if code < 0x80:
        return " " if char in (BASE, MARK) else char
    kind = category(char)
    if kind[0] == "L":
        european = code < 0x530 or 0x1E00 <= code < 0x2000
        return (
            "".join(c for c in normalize("NFD", char) if not combining(c)) if european else _tied(char, code)
        )
    if kind[0] == "M":
        return None if name(char, "").startswith(("COMBINING", "VARIATION")) else _tied(char, code)
    if kind[0] == "N":
        return str(decimal(char)) if kind == "Nd" else _tied(char, code)
    if kind in ("So", "Cn", "Co"):  # what this Python does not know yet may be an emoji
        return f" u{code:x} "
    return None if kind == "Cf" or 0x1F3FB <= code <= 0x1F3FF else " "


def _tied(char: str, code: int) -> str:
    if not any(first <= code <= last for first, last in _UNSPACED):
        return char
    return (MARK if category(char)[0] == "M" else BASE) + char


_FOLDS = _Folds(_KNOWN)
_REPEATED = re.compile(r"([^\w\s\x00-\x7f])\1+")  # a row of stars or a drawn line says no more than one


def folded(text: str) -> str:
    """The text with only word characters beyond ASCII: accents gone, symbols spelled out, the rest spaces."""
    return _REPEATED.sub(r"\1", normalize("NFKC", text)).translate(_FOLDS)


@cache
def _inflected() -> re.Pattern[str]:
    # Endings of nouns and adjectives (Russian and Ukrainian; Greek; Hebrew and Arabic with their article),
    # in folded letters: й is и, ς is σ. At least three letters stay.
    return re.compile(
        "(?:ال|ה)?(.{3,}?)(?:"
        "ами|ями|иями|ам|ям|иям|ах|ях|иях|ов|ев|ів|ом|ем|ием|ои|еи|ии|иеи|ою|ею|ия|ие|ию|[аяоеєыиіуюь]|"
        "ыи|ая|яя|ое|ее|ые|ого|его|ому|ему|ым|им|ыми|ими|ых|их|ую|юю|"
        "ους|ων|ασ|εσ|ησ|οσ|ισ|οι|ου|ον|[αεηιου]|"
        "ים|ות|ات|ون|ين|ة)?"
    )


def without_ending(word: str) -> str:
    """A word beyond ASCII without what common inflections change: токена, токенов -> токен."""
    end = len(word)
    while end > 3 and category(word[end - 1])[0] == "M":  # vowel signs of Indic scripts
        end -= 1
    inflected = _inflected().fullmatch(word[:end])
    return inflected[1] if inflected else word
