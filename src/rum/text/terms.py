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
# Not compiled on import: few texts have such letters.
_UNSPACED = (
    "[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\U0001b000-\U0001b16f\U00020000-\U0003ffff]"
)
# Letters that look accented but have no decomposition, and signs that tie words as ASCII ones do.
_KNOWN = dict(zip(map(ord, "łŁøØđĐıħĦðÐ’ʼ‐\u200b"), "lLoOdDihHdD''- ", strict=True))

# Applied to lower-case words only: replaced earlier, a capital Æ would look like two parts of a name.
_LIGATURES = str.maketrans({"æ": "ae", "œ": "oe", "þ": "th"})


class _Folds(dict[int, "str | None"]):
    """The folding of each character, computed when it first occurs."""

    def __missing__(self, code: int) -> str | None:
        self[code] = result = _fold(code)
        return result


def _fold(code: int) -> str | None:
    char = chr(code)
    if code < 0x80:
        return " " if char in (_BASE, _MARK) else char
    kind = category(char)
    if kind[0] == "L":
        if code < 0x530 or 0x1E00 <= code < 0x2000:  # European scripts
            return "".join(c for c in normalize("NFD", char) if not combining(c))
        return _marked(char)
    if kind[0] == "M":
        return None if name(char, "").startswith(("COMBINING", "VARIATION")) else _marked(char)
    if kind[0] == "N":
        return str(decimal(char)) if kind == "Nd" else _marked(char)
    if kind in ("So", "Cn", "Co"):  # a character unknown to this Python version may be an emoji
        return f" u{code:x} "
    return None if kind == "Cf" or 0x1F3FB <= code <= 0x1F3FF else " "


def _marked(char: str) -> str:
    if not re.match(_UNSPACED, char):
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


def _suffixes(pairs: str) -> dict[str, list[tuple[str, str]]]:
    """Suffixes and what replaces them, by the suffix's last letter but one; the first that fits decides."""
    table: dict[str, list[tuple[str, str]]] = {}
    for pair in pairs.split():
        suffix, _, instead = pair.partition("/")
        table.setdefault(suffix[-2], []).append((suffix, instead))
    return table


_SHAPE = str.maketrans("aeioubcdfghjklmnpqrstvwxz", "v" * 5 + "c" * 20)
_STEP_2 = _suffixes(
    """
    ational/ate tional/tion enci/ence anci/ance izer/ize logi/log bli/ble alli/al entli/ent eli/e ousli/ous
    ization/ize ation/ate ator/ate alism/al iveness/ive fulness/ful ousness/ous aliti/al iviti/ive biliti/ble
    """
)
_STEP_3 = _suffixes("ical/ic ness/ icate/ic iciti/ic ful/ ative/ alize/al")
_STEP_4 = _suffixes("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize")


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """The Porter stem of a lower-case English word; words of 1, 2 or over 64 letters are unchanged."""
    if not 3 <= len(word) <= 64:
        return word
    # Step 1: caresses -> caress, ponies -> poni, cats -> cat; then happy -> happi.
    if word[-1] == "s" and word[-2] != "s":
        double = word[-2] == "e" and ((len(word) > 4 and word[-4:-2] == "ss") or word[-3] == "i")
        word = word[:-2] if double and len(word) > 3 else word[:-1]
    word = _past(word)
    if word[-1] == "y" and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    word = _replace_suffix(_replace_suffix(word, _STEP_2), _STEP_3)
    word = _replace_suffix(word, _STEP_4, min_measure=2)
    # Step 5: rate stays, cease -> ceas, controll -> control.
    if word[-1] == "e":
        rest = word[:-1]
        measure = _measure(rest)
        if measure > 1 or (measure == 1 and not _ends_short(rest)):
            word = rest
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


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


def _past(word: str) -> str:
    """Step 1b: agreed -> agree, hopped -> hop, filing -> file."""
    if word.endswith("eed") and len(word) > 3:
        return word[:-1] if _measure(word[:-3]) else word
    rest = word[:-2] if word.endswith("ed") else word[:-3] if word.endswith("ing") else ""
    if not _has_vowel(rest):
        return word
    if len(rest) > 2 and rest.endswith(("at", "bl", "iz")):
        return rest + "e"
    if rest[-1] not in "aeioulsz" and rest[-2:-1] == rest[-1]:
        return rest[:-1]
    return rest + "e" if _measure(rest) == 1 and _ends_short(rest) else rest


def _replace_suffix(word: str, step: dict[str, list[tuple[str, str]]], min_measure: int = 1) -> str:
    for suffix, instead in step.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            rest = word[: -len(suffix)]
            fits = _measure(rest) >= min_measure and (suffix != "ion" or rest[-1] in "st")
            return rest + instead if fits else word
    return word


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

# Words whose forms have different stems. Not those with a form that is another word in code: bound, left.
_IRREGULAR = """
become became, begin began begun, bite bitten, blow blew blown, break broke broken, bring brought,
build built, buy bought, catch caught, choose chose chosen, come came, deal dealt, dig dug, draw drew drawn,
drink drank drunk, drive drove driven, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought,
find found, fly flew flown, forbid forbade forbidden, forget forgot forgotten, freeze froze frozen,
get got gotten, give gave given, go went gone, grow grew grown, hang hung, hear heard, hide hid hidden,
hold held, keep kept, know knew known, lead led, lend lent, lose lost, make made, mean meant, meet met,
overridden override overrode, overwrite overwrote overwritten, pay paid, rebuild rebuilt,
rewrite rewrote rewritten, ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen,
seek sought, sell sold, send sent, shake shook shaken, shoot shot, show shown, shrink shrank shrunk,
sing sang sung, sink sank sunk, sit sat, sleep slept, speak spoke spoken, spend spent, spin spun, stand stood,
steal stole stolen, stick stuck, strike struck, swim swam swum, take took taken, teach taught, tear tore torn,
tell told, think thought, throw threw thrown, understand understood, undo undid undone, wake woke woken,
wear wore worn, win won, withdraw withdrew withdrawn, write wrote written,
child children, foot feet, half halves, index indices, man men, matrix matrices, mouse mice, person people,
tooth teeth, vertex vertices, woman women
"""


def terms(text: str) -> list[str]:
    """Return the index terms of a text, in order, each as often as it occurs."""
    if text.isascii():
        return list(chain.from_iterable(map(_of_name, _chunks(text))))
    return [term for chunk in _chunks(text) for term in (_of_run(chunk, singles=True) or _of_name(chunk))]


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


def forms_of(term: str) -> tuple[str, ...]:
    """A term and those of the other forms of an irregular word: of `bought` also `buy`."""
    return _irregular_forms().get(term, (term,))


def without_other_forms(query: Iterable[str]) -> list[str]:
    """The terms without those that are another form of an earlier one."""
    first: dict[tuple[str, ...], str] = {}
    for term in query:
        first.setdefault(forms_of(term), term)
    return list(first.values())


@cache
def _irregular_forms() -> dict[str, tuple[str, ...]]:
    """The forms of each irregular word, as terms."""
    groups = [tuple(dict.fromkeys(map(stem, group.split()))) for group in _IRREGULAR.split(",")]
    return {form: forms for forms in groups for form in forms}


def says_little(query: Iterable[str]) -> bool:
    """Whether terms are nothing but stop words."""
    return all(term in _stop_words() for term in query)


def content_words(text: str) -> Words:
    """The words of a text without stop words, each once and as its index terms."""
    found = ((_cached_content if len(word) < _MAX_TERM else _content)(word) for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in found if word))


def _content(word: str) -> tuple[str, ...]:
    """The terms of one word; none for a stop word."""
    found = tuple(query_terms(word.strip(".'*_-")))
    return () if says_little(found) else found


_cached_content = lru_cache(maxsize=8192)(_content)


def _distinct(text: str, start: int = 0) -> dict[str, None]:
    chunks = _chunks(text[start:MAX_QUERY])
    if len(text) > MAX_QUERY:
        del chunks[-1:]  # it may be cut, and half a word was never indexed
    # Single characters of an unspaced run are too common to search for.
    return dict.fromkeys(
        term for chunk in chunks for term in (_of_run(chunk, singles=False) or _of_name(chunk))
    )


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


def _of_run(chunk: str, *, singles: bool) -> list[str]:
    """Every pair of characters of an unspaced run, each with its marks; none of a word or a name.

    Single characters come first if they are wanted, as a question may contain any part of a text, or if there
    is only one.
    """
    if not chunk.startswith((_BASE, _MARK)):
        return []
    characters = [character for character in chunk.replace(_MARK, "").split(_BASE) if character]
    pairs = map("".join, pairwise(characters))
    found = (*characters, *pairs) if singles or len(characters) == 1 else pairs
    return [term[:_MAX_TERM] for term in found]


@cache
def _lead_in() -> re.Pattern[str]:
    filler = r"(?:(?:please|hey|hi|can|could|would|will|do|you|we|i|want|need|to|just)\W+)"
    verb = "(?:tell|show|give|find|remind|help) (?:me|us)"
    return re.compile(rf"\W*(?:{filler}*{verb}|{filler}+(?:know|remember))(?=\s)", re.IGNORECASE)


@cache
def _stop_words() -> frozenset[str]:
    return frozenset(map(stem, _STOP_WORDS.split()))
