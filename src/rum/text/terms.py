"""Make index terms of text, in Python alone, so that every backend indexes and searches the same tokens.

A term holds only a-z, 0-9 and non-ASCII characters. SQLite's `ascii` tokenizer takes exactly these
for token characters, so it leaves our terms unchanged, whatever its version.

In this order: folding of scripts beyond ASCII, the stemmer, and the terms made with both.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import chain, pairwise
from unicodedata import category, combining, decimal, name, normalize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Words = tuple[tuple[str, ...], ...]  # Words without stop words, each as its index terms


# Put by `_folded` before each letter, and each mark, of a script that is written without spaces.
_BASE, _MARK = "\x01", "\x02"

# Thai and Lao, Myanmar, Khmer, kana, Han; and Hangul, whose particles are attached to the word.
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

# Applied to lower-case words only: replaced earlier, a capital Æ would look like two parts of a name.
_LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "þ": "th"})


class _Folds(dict[int, "str | None"]):
    """The folding of each character, computed when it first occurs."""

    def __missing__(self, code: int) -> str | None:
        self[code] = result = _fold(chr(code), code)
        return result


def _fold(char: str, code: int) -> str | None:
    if code < 0x80:
        return " " if char in (_BASE, _MARK) else char
    kind = category(char)
    if kind[0] == "L":
        if code < 0x530 or 0x1E00 <= code < 0x2000:  # European scripts
            return "".join(c for c in normalize("NFD", char) if not combining(c))
        return _marked(char, code)
    if kind[0] == "M":
        return None if name(char, "").startswith(("COMBINING", "VARIATION")) else _marked(char, code)
    if kind[0] == "N":
        return str(decimal(char)) if kind == "Nd" else _marked(char, code)
    if kind in ("So", "Cn", "Co"):  # a character unknown to this Python version may be an emoji
        return f" u{code:x} "
    return None if kind == "Cf" or 0x1F3FB <= code <= 0x1F3FF else " "


def _marked(char: str, code: int) -> str:
    if not any(first <= code <= last for first, last in _UNSPACED):
        return char
    return (_MARK if category(char)[0] == "M" else _BASE) + char


_FOLDS = _Folds(_KNOWN)
_REPEATED = re.compile(r"([^\w\s\x00-\x7f])\1+")  # a row of stars or a drawn line counts once


def _folded(text: str) -> str:
    """A text whose only characters beyond ASCII are letters: no accents, symbols by code, the rest spaces."""
    return _REPEATED.sub(r"\1", normalize("NFKC", text)).translate(_FOLDS)


@cache
def _inflection() -> re.Pattern[str]:
    # Endings of nouns and adjectives (Russian and Ukrainian; Greek; Hebrew and Arabic with their article),
    # in _folded letters: й is и, ς is σ. At least three letters stay.
    return re.compile(
        "(?:ال|ה)?(.{3,}?)(?:"
        "ами|ями|иями|ам|ям|иям|ах|ях|иях|ов|ев|ів|ом|ем|ием|ои|еи|ии|иеи|ою|ею|ия|ие|ию|[аяоеєыиіуюь]|"
        "ыи|ая|яя|ое|ее|ые|ого|его|ому|ему|ым|им|ыми|ими|ых|их|ую|юю|"
        "ους|ων|ασ|εσ|ησ|οσ|ισ|οι|ου|ον|[αεηιου]|"
        "ים|ות|ات|ون|ين|ة)?"
    )


def _without_ending(word: str) -> str:
    """A word beyond ASCII without common inflections: токена, токенов -> токен."""
    end = len(word)
    while end > 3 and category(word[end - 1])[0] == "M":  # vowel signs of Indic scripts
        end -= 1
    inflected = _inflection().fullmatch(word[:end])
    return inflected[1] if inflected else word


_SHAPE = str.maketrans("aeioubcdfghjklmnpqrstvwxz", "v" * 5 + "c" * 20)

# Suffixes and what replaces them, by the suffix's last letter but one; the first that fits decides.
_STEP_2 = {
    "a": (("ational", "ate"), ("tional", "tion")),
    "c": (("enci", "ence"), ("anci", "ance")),
    "e": (("izer", "ize"),),
    "g": (("logi", "log"),),
    "l": (("bli", "ble"), ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous")),
    "o": (("ization", "ize"), ("ation", "ate"), ("ator", "ate")),
    "s": (("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous")),
    "t": (("aliti", "al"), ("iviti", "ive"), ("biliti", "ble")),
}
_STEP_3 = {
    "a": (("ical", "ic"),),
    "s": (("ness", ""),),
    "t": (("icate", "ic"), ("iciti", "ic")),
    "u": (("ful", ""),),
    "v": (("ative", ""),),
    "z": (("alize", "al"),),
}
_STEP_4 = {
    "a": ("al",),
    "c": ("ance", "ence"),
    "e": ("er",),
    "i": ("ic",),
    "l": ("able", "ible"),
    "n": ("ant", "ement", "ment", "ent"),
    "o": ("ion", "ou"),
    "s": ("ism",),
    "t": ("ate", "iti"),
    "u": ("ous",),
    "v": ("ive",),
    "z": ("ize",),
}


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The Porter stem of a lower-case English word; words of 1, 2 or over 64 letters are unchanged."""
    if not 3 <= len(word) <= 64:
        return word
    word = _plural(word)
    word = _past(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_suffix(_replace_suffix(word, _STEP_2), _STEP_3)
    return _without_final(_without_suffix(word))


def _shape(stem: str) -> str:
    """The word as c for each consonant and v for each vowel; a y after a consonant is a vowel."""
    shape = stem.translate(_SHAPE)
    if "y" in shape:
        before = "v"
        for at, letter in enumerate(shape):
            before = letter if letter != "y" else "c" if before == "v" else "v"
            if letter == "y":
                shape = f"{shape[:at]}{before}{shape[at + 1 :]}"
    return shape


def _measure(stem: str) -> int:
    """How many times a vowel is followed by a consonant."""
    return _shape(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    # Unlike in _shape, every y but a first letter counts here, as in SQLite's stemmer.
    return not set("aeiou").isdisjoint(stem) or "y" in stem[1:]


def _ends_short(stem: str) -> bool:
    """Ends consonant, vowel, consonant, the last not w, x or y (hop, but not how)."""
    return _shape(stem).endswith("cvc") and stem[-1] not in "wxy"


def _plural(word: str) -> str:
    """Step 1a: caresses -> caress, ponies -> poni, cats -> cat."""
    if word[-1] != "s" or word[-2] == "s":
        return word
    if word[-2] == "e" and ((len(word) > 4 and word[-4:-2] == "ss") or (len(word) > 3 and word[-3] == "i")):
        return word[:-2]
    return word[:-1]


def _past(word: str) -> str:
    """Step 1b: agreed -> agree, hopped -> hop, filing -> file."""
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = word[: -len(suffix)]
            return _verb(rest) if _has_vowel(rest) else word
    return word


def _verb(rest: str) -> str:
    """What a verb was before -ed or -ing: conflat -> conflate, hopp -> hop, fil -> file."""
    if len(rest) > 2 and rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    last = rest[-1]
    if last not in "aeioulsz" and rest[-2:-1] == last:
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _replace_suffix(word: str, step: dict[str, tuple[tuple[str, str], ...]]) -> str:
    for suffix, instead in step.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = word[: -len(suffix)]
            return rest + instead if _measure(rest) else word
    return word


def _without_suffix(word: str) -> str:
    """Step 4: adjustment -> adjust, adoption -> adopt."""
    for suffix in _STEP_4.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = word[: -len(suffix)]
            fits = _measure(rest) > 1 and (suffix != "ion" or rest[-1] in "st")
            return rest if fits else word
    return word


def _without_final(word: str) -> str:
    """Step 5: rate stays, cease -> ceas, controll -> control."""
    if word[-1] == "e":
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


VERSION = 1  # Stored in the database; increased whenever the same text would give other terms

_MAX_TERM = 64  # characters
MAX_QUERY = 4096  # Characters of a question that are read


def _names(letter: str) -> str:
    """A pattern for words and names, with what ties their parts together: refresh_token, os.path, don't.

    The leading dot and the trailing signs are for .NET, C++ and C#. Both counts are limited, as matches are
    cached.
    """
    part = f"{letter}{{1,{_MAX_TERM}}}"
    return rf"\.?{part}(?:(?:__|[._'-]){part}){{0,15}}(?:\+\+|#)?"


_ASCII_CHUNK = re.compile(_names("[A-Za-z0-9]"))
# Folded text has only word characters beyond ASCII.
_ANY_CHUNK = re.compile(rf"(?:[{_BASE}{_MARK}][^\x00-\x7f]){{1,200}}|" + _names(r"[^\x00-/:-@\[-`{-\x7f]"))
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>\"“”«»/\\|`]+")
_BLOB = re.compile(r"(?<![\w+/=-])([A-Za-z0-9_+/=-]{200})[A-Za-z0-9_+/=-]+", re.ASCII)
_SPELLED = {"c++": "cplusplus", "g++": "gplusplus", "c#": "csharp", "f#": "fsharp", ".net": "dotnet"}
_WHOLE = frozenset(_SPELLED.values())  # names: their last letter is no plural
_CONTRACTION = re.compile(r"(?<=n)'(?=t\b)|'(?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
_STOP_WORDS = """
a about after again all also am an and any are as at be because been before being but by can could did do
does doing done during each few for from had has have having he her here hers him his how i if in into is it
its itself just may me might more most my no nor not now of off on once only or other our out over own please
same she should so some such than that the their them then there these they this those through to too under
until up very was we were what when where which while who whom whose why will with would you your
arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt
"""


def terms(text: str) -> list[str]:
    """Return the index terms of a text, in order, each as often as it occurs."""
    if text.isascii():
        return list(chain.from_iterable(map(_of_name, _chunks(text))))
    return [term for chunk in _chunks(text) for term in (_of_run(chunk) or _of_name(chunk))]


def unstemmed_words(text: str) -> set[str]:
    """The words of a text unstemmed, in lower case; of a name the whole and its parts."""
    named = (_name_words(_CONTRACTION.sub("", chunk)) for chunk in _chunks(text))
    return {word.casefold() for words in named for word in words}


def query_terms(text: str, most: int = 64) -> list[str]:
    """Return the distinct terms to search for, of a question: a subset of its `terms`.

    English stop words and opening phrases ("can you tell me ...") are left out, unless there is nothing else.
    Of a very long question only the start counts.
    """
    opening = _lead_in().match(text[:MAX_QUERY])
    content = _distinct(text, opening.end() if opening else 0)
    kept = [term for term in content if term not in _stop_words()]
    return (kept or list(_distinct(text)))[:most]


def names_in(text: str) -> list[tuple[str, ...]]:
    """The terms of each word and name of a question; of a name the whole comes first, then its parts."""
    return [name for chunk in _chunks(text[:MAX_QUERY]) if (name := _of_name(chunk))]


def says_little(query: Iterable[str]) -> bool:
    """Whether terms are nothing but stop words."""
    return all(term in _stop_words() for term in query)


def content_words(text: str) -> Words:
    """The words of a text without stop words, each once and as its index terms."""
    found = ((_cached_content if len(word) < _MAX_TERM else _content)(word) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in found if word))


@lru_cache(maxsize=8192)
def _cached_content(word: str) -> tuple[str, ...]:
    return _content(word)


def _content(word: str) -> tuple[str, ...]:
    """The terms of one word; none for a stop word."""
    found = tuple(query_terms(word.strip(".'*_-")))
    return () if says_little(found) else found


def _distinct(text: str, start: int = 0) -> dict[str, None]:
    chunks = _chunks(text[start:MAX_QUERY])
    if len(text) > MAX_QUERY:
        del chunks[-1:]  # it may be cut, and half a word was never indexed
    return dict.fromkeys(term for chunk in chunks for term in (_pairs(chunk) or _of_name(chunk)))


def _chunks(text: str) -> list[str]:
    """The words, names and unspaced runs of a text; data (base64, hashes) is cut at 200 characters."""
    if text.isascii():
        return _ASCII_CHUNK.findall(_BLOB.sub(r"\1", text))
    return _ANY_CHUNK.findall(_BLOB.sub(r"\1", _folded(text)))


@lru_cache(maxsize=8192)
def _of_name(chunk: str) -> tuple[str, ...]:
    """A word's term; for a name of several parts the whole, then its parts: refreshtoken, refresh, token."""
    name = _CONTRACTION.sub("", chunk)
    if spelled := _SPELLED.get(name.lower()):
        return (spelled,)
    return tuple(term for word in _name_words(name) for term in _of_word(word))


def _name_words(name: str) -> list[str]:
    """The words of a name, unstemmed: the whole, then its parts."""
    segments = [_parts(segment) for segment in name.strip(".+#").replace("'", ".").split(".")]
    if len(segments) == len(segments[0]) == 1:
        return segments[0]
    wholes = ["".join(parts) for parts in segments]
    named = ["".join(wholes)] if len(wholes) > 1 else []
    for whole, parts in zip(wholes, segments, strict=True):
        named += [whole, *parts] if len(parts) > 1 else [whole]
    return [word for word in named if len(word) > 1]


def _parts(segment: str) -> list[str]:
    words = segment.replace("-", "_").split("_")
    if not segment.islower() and len(segment) < _MAX_TERM:
        humps = _humps(segment.isascii())
        words = [part for word in words for part in humps.split(word)]
    return [word for word in words if word]


@cache
def _humps(ascii_only: bool) -> re.Pattern[str]:
    """Where a name changes case: refresh|Token, HTTP|Server, utf8|Decoder; but URLs and 3F2A9BC are one."""
    upper, lower = ("[A-Z]", "[a-z]") if ascii_only else ("[A-ZΑ-ΩА-Я]", "[a-zα-ωа-я]")
    return re.compile(rf"(?<={lower})(?={upper})|(?<=[^\W_])(?={upper}(?!s(?![a-z])){lower})")


def _of_word(word: str) -> tuple[str, ...]:
    """One word in lower case, stemmed if it may be English; in other alphabets also without its ending."""
    word = word.casefold().translate(_LIGATURES)[:_MAX_TERM]
    if word.isascii():
        return (stem(word) if word.isalpha() and word not in _WHOLE else word,)
    root = _without_ending(word)
    return (word, root) if root != word else (word,)


def _of_run(chunk: str) -> list[str]:
    """Every character and every pair of an unspaced run: a question may contain any part of it."""
    characters = _characters(chunk)
    return [term[:_MAX_TERM] for term in (*characters, *map("".join, pairwise(characters)))]


def _pairs(chunk: str) -> list[str]:
    """The terms to search for an unspaced run: its pairs; single characters are too common."""
    characters = _characters(chunk)
    pairs = map("".join, pairwise(characters)) if len(characters) > 1 else characters
    return [term[:_MAX_TERM] for term in pairs]


def _characters(chunk: str) -> list[str]:
    """The characters of an unspaced run, each with its marks; none if the chunk is a word or a name."""
    if not chunk.startswith((_BASE, _MARK)):
        return []
    return [character for character in chunk.replace(_MARK, "").split(_BASE) if character]


@cache
def _lead_in() -> re.Pattern[str]:
    filler = r"(?:(?:please|hey|hi|can|could|would|will|do|you|we|i|want|need|to|just)\W+)"
    verb = "(?:tell|show|give|find|remind|help) (?:me|us)"
    return re.compile(rf"\W*(?:{filler}*{verb}|{filler}+(?:know|remember))(?=\s)", re.IGNORECASE)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(map(stem, _STOP_WORDS.split()))
