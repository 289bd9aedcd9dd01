"""Text to index terms, in Python alone, so that every backend indexes and asks for the same tokens.

A term holds only a-z, 0-9 and non-ASCII characters. SQLite's `ascii` tokenizer takes exactly these
for token characters, so it sees our terms unchanged, whatever its version.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import chain, pairwise

from rum.text.fold import BASE, LIGATURES, MARK, folded, without_ending
from rum.text.stem import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Words = tuple[tuple[str, ...], ...]
    """Words that count, each as the index terms it stands for."""

VERSION = 1
"""Stamped into the database; goes up whenever the same text would give other terms."""

_LONGEST = 64  # characters of a term
ASKED = 4096
"""Characters of a question that are looked at."""


def _names(letter: str) -> str:
    """A pattern for words and names, with what ties their parts together: refresh_token, os.path, don't.

    The leading dot and the trailing signs are there for .NET, C++ and C#. Both counts are bounded, as
    what is found is kept in a cache.
    """
    part = f"{letter}{{1,{_LONGEST}}}"
    return rf"\.?{part}(?:(?:__|[._'-]){part}){{0,15}}(?:\+\+|#)?"


_ASCII_CHUNK = re.compile(_names("[A-Za-z0-9]"))
# Folded text has only word characters beyond ASCII.
_ANY_CHUNK = re.compile(rf"(?:[{BASE}{MARK}][^\x00-\x7f]){{1,200}}|" + _names(r"[^\x00-/:-@\[-`{-\x7f]"))
_WORD = re.compile(r"[^\s,;:!?()\[\]{}<>\"“”«»/\\|`]+")
_BLOB = re.compile(r"(?<![\w+/=-])([A-Za-z0-9_+/=-]{200})[A-Za-z0-9_+/=-]+", re.ASCII)
_SPELLED = {"c++": "cplusplus", "g++": "gplusplus", "c#": "csharp", "f#": "fsharp", ".net": "dotnet"}
_WHOLE = frozenset(_SPELLED.values())  # these are names: their last letter is no plural
_SHORTENED = re.compile(r"(?<=n)'(?=t\b)|'(?:s|re|ve|ll|d|m)\b", re.IGNORECASE)
_STOP_WORDS = """
a about after again all also am an and any are as at be because been before being but by can could did do
does doing done during each few for from had has have having he her here hers him his how i if in into is it
its itself just may me might more most my no nor not now of off on once only or other our out over own please
same she should so some such than that the their them then there these they this those through to too under
until up very was we were what when where which while who whom whose why will with would you your
arent cant couldnt didnt doesnt dont hadnt hasnt havent isnt shouldnt wasnt werent wont wouldnt
"""


def terms(text: str) -> list[str]:
    """The index terms of a text, in order, each as often as it occurs."""
    if text.isascii():
        return list(chain.from_iterable(map(_of_name, _chunks(text))))
    return [term for chunk in _chunks(text) for term in (_of_run(chunk) or _of_name(chunk))]


def spelt(text: str) -> set[str]:
    """The words of a text as they are spelt, without case; of a name the whole and its parts."""
    named = (_named(_SHORTENED.sub("", chunk)) for chunk in _chunks(text))
    return {word.casefold() for words in named for word in words}


def query_terms(text: str, most: int = 64) -> list[str]:
    """The distinct terms to look for when a text is the question: a subset of what `terms` gives for it.

    English stop words and opening phrases ("can you tell me ...") are left out, unless nothing else was
    asked. Of a very long question only the start counts.
    """
    opening = _lead_in().match(text[:ASKED])
    content = _distinct(text, opening.end() if opening else 0)
    kept = [term for term in content if term not in _stop_words()]
    return (kept or list(_distinct(text)))[:most]


def names_in(text: str) -> list[tuple[str, ...]]:
    """The terms of each word and name of a question; of a name the whole comes first, then its parts."""
    return [name for chunk in _chunks(text[:ASKED]) if (name := _of_name(chunk))]


def says_little(asked: Iterable[str]) -> bool:
    """Whether a question has nothing but stop words."""
    return all(term in _stop_words() for term in asked)


def content_words(text: str) -> Words:
    """The words of a text that say something, each once and as the index terms it stands for."""
    found = ((_of_short if len(word) < _LONGEST else _content)(word) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in found if word))


@lru_cache(maxsize=8192)
def _of_short(word: str) -> tuple[str, ...]:
    return _content(word)


def _content(word: str) -> tuple[str, ...]:
    """The terms of one word, none if it says little."""
    asked = tuple(query_terms(word.strip(".'*_-")))
    return () if says_little(asked) else asked


def _distinct(text: str, start: int = 0) -> dict[str, None]:
    chunks = _chunks(text[start:ASKED])
    if len(text) > ASKED:
        del chunks[-1:]  # it may be cut in two, and half a word was never indexed
    return dict.fromkeys(term for chunk in chunks for term in (_pairs(chunk) or _of_name(chunk)))


def _chunks(text: str) -> list[str]:
    """The words, names and unspaced runs of a text; data (base64, hashes) is cut at 200 characters."""
    if text.isascii():
        return _ASCII_CHUNK.findall(_BLOB.sub(r"\1", text))
    return _ANY_CHUNK.findall(_BLOB.sub(r"\1", folded(text)))


@lru_cache(maxsize=8192)
def _of_name(chunk: str) -> tuple[str, ...]:
    """A word's term; for a name of several parts the whole, then its parts: refreshtoken, refresh, token."""
    name = _SHORTENED.sub("", chunk)
    if spelled := _SPELLED.get(name.lower()):
        return (spelled,)
    return tuple(term for word in _named(name) for term in _of_word(word))


def _named(name: str) -> list[str]:
    """The words that a name stands for, as they are spelt: the whole, then its parts."""
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
    if not segment.islower() and len(segment) < _LONGEST:
        humps = _humps(segment.isascii())
        words = [part for word in words for part in humps.split(word)]
    return [word for word in words if word]


@cache
def _humps(ascii_only: bool) -> re.Pattern[str]:
    """Where a name changes case: refresh|Token, HTTP|Server, utf8|Decoder; but URLs and 3F2A9BC are one."""
    upper, lower = ("[A-Z]", "[a-z]") if ascii_only else ("[A-ZΑ-ΩА-Я]", "[a-zα-ωа-я]")
    return re.compile(rf"(?<={lower})(?={upper})|(?<=[^\W_])(?={upper}(?!s(?![a-z])){lower})")


def _of_word(word: str) -> tuple[str, ...]:
    """One word without case, stemmed if it may be English; in other alphabets also without its ending."""
    word = word.casefold().translate(LIGATURES)[:_LONGEST]
    if word.isascii():
        return (stem(word) if word.isalpha() and word not in _WHOLE else word,)
    root = without_ending(word)
    return (word, root) if root != word else (word,)


def _of_run(chunk: str) -> list[str]:
    """Every character and every pair of an unspaced run, as it may be asked for by any piece of it."""
    characters = _characters(chunk)
    return [term[:_LONGEST] for term in (*characters, *map("".join, pairwise(characters)))]


def _pairs(chunk: str) -> list[str]:
    """What to ask for to find an unspaced run: its pairs; single characters are too common."""
    characters = _characters(chunk)
    pairs = map("".join, pairwise(characters)) if len(characters) > 1 else characters
    return [term[:_LONGEST] for term in pairs]


def _characters(chunk: str) -> list[str]:
    """The characters of an unspaced run, each with its marks; none if the chunk is a word or a name."""
    if not chunk.startswith((BASE, MARK)):
        return []
    return [character for character in chunk.replace(MARK, "").split(BASE) if character]


@cache
def _lead_in() -> re.Pattern[str]:
    filler = r"(?:(?:please|hey|hi|can|could|would|will|do|you|we|i|want|need|to|just)\W+)"
    verb = "(?:tell|show|give|find|remind|help) (?:me|us)"
    return re.compile(rf"\W*(?:{filler}*{verb}|{filler}+(?:know|remember))(?=\s)", re.IGNORECASE)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(map(stem, _STOP_WORDS.split()))
