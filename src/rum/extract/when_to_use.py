"""When a note is of use: patterns of what it names in particular, never of a word that any task may have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from rum.extract.common_words import is_common, is_vague
from rum.extract.entities import NAME, PATH, PRODUCT
from rum.text.terms import content_words, says_little, stem, terms

MOST_NAMES = 6
MOST_WORDS = 4
_LONGEST_TASK = 120
_ASKED, _FEWEST_ASKED = 3, 2
"""Words of a task that together tell it from others."""
_FEWEST_SPOKEN, _MOST_SPOKEN = 4, 6
"""Words of natural language, of which half are enough: of fewer than these a single one would be."""
_SHORTEST = 4
"""Characters of a name; shorter ones stand in other words."""
_LONG_NAME, _LONG_WORD = 8, 6
"""Letters from which on the name of a file, or a noun, is seldom part of something else."""
_NAMES = re.compile(f"{PATH}|{NAME}")
_PRODUCTS = re.compile(rf"(?:{PRODUCT})(?: [A-Z][A-Za-z]+\b)*|\b[A-Z][A-Za-z]{{2,40}}(?= v?\d)")
"""Words that are names by their capitals, or by the version after them."""
_BUILT = re.compile(r"[a-z0-9][A-Z]|[A-Z][a-z]+[A-Z]|[\w)][_./:@-]\w|\d")
"""What names have that were put together for one thing: humps, dots, slashes, hyphens, digits."""
_UNASKABLE = re.compile(r"[|*\s<>{}=,'\"()\[\]$]")
_WORD = re.compile(r"[\w'-]+(?:\.\w+)*")
_NO_NOUN = re.compile(r".*(?:ed|ing|ly|able|ible|ful|ous|ive|est|ise|ize|ify)|.*'.*")


def when_to_use(title: str, content: str, task: str) -> tuple[str, ...]:
    """Patterns for tasks that name what the note names, or that are like the one it comes from."""
    text = "\n".join(line for line in (title, *content.splitlines()) if not line.startswith("#"))
    names = distinctive(text)[:MOST_NAMES] or [*_phrases(title), *_nouns(title)][:MOST_WORDS]
    found = tuple(filter(None, ("|".join(names), like_task(task), spoken_of(title, task))))
    return found or ((f"When the task is about: {title}",) if len(content_words(title)) >= _ASKED else ())


def distinctive(text: str) -> list[str]:
    """The names in a text that are seldom used for anything else, the most frequent first."""
    lower = text.lower()
    found = [name for match in _NAMES.finditer(text) for name in _askable(match[0].strip("`*.,:;()"))]
    found += [name.lower() for name in _PRODUCTS.findall(text) if not _ordinary(name, text)]
    return sorted(dict.fromkeys(found), key=lambda name: -lower.count(name))


def like_task(task: str) -> str:
    """A pattern for tasks like this one; nothing for a task that says no more than any other."""
    spoken = " ".join(task.split())[:_LONGEST_TASK]
    words = [word for word in dict.fromkeys(_WORD.findall(spoken.lower())) if _tells(word)]
    if len(words) > _ASKED and 2 * sum(map(is_common, words)) < len(words):
        return f"When the task is about: {spoken}"  # half of its words are never all usual ones
    telling = [word for word in words if not is_vague(word)]
    best = sorted(telling, key=lambda word: (is_common(word), -len(word)))
    if best and len(best) < _FEWEST_ASKED:
        best = words  # one word is too little; with those that any task may have it is this one's
    if len(best) < _FEWEST_ASKED:
        return ""
    return ".*".join(sorted(best[:_ASKED], key=spoken.lower().index))


def spoken_of(title: str, task: str) -> str:
    """A pattern for tasks that speak of what title and task do; nothing if that is too little."""
    words: dict[str, str] = {}
    for word in _WORD.findall(f"{task[:_LONGEST_TASK]} {_NAMES.sub(' ', title)}".lower()):
        words.setdefault(stem(word), word)
    telling = [word for word in words.values() if word.isalpha() and _tells(word) and not is_vague(word)]
    own = [word for word in telling if not is_common(word)]
    usual = [word for word in telling if is_common(word)][: max(0, len(own) - 1)]
    best = [*own, *usual][:_MOST_SPOKEN]
    if len(best) < _FEWEST_SPOKEN:
        return ""  # with more usual words than others half of them could all be usual
    return f"When the task is about: {' '.join(word for word in telling if word in best)}"


def _ordinary(name: str, text: str) -> bool:
    """Whether words with capitals are of everyday, too short, or written without them as well."""
    words = name.split()
    if len(words) > 1 and not name.isupper():
        return all(map(is_vague, words))
    if all(is_common(word) or says_little(terms(word)) for word in words):
        return True
    return len(name) < _SHORTEST - 1 or bool(re.search(rf"\b{name.lower()}s?\b", text))


def _askable(name: str) -> Iterator[str]:
    """A name as people write it in a task: a file by its last part too, a call without its brackets."""
    plain = name.replace("()", "").strip("./")
    if _UNASKABLE.search(plain):
        return
    last = plain.rpartition("/")[2]
    yield from (one.lower() for one in dict.fromkeys((plain, last)) if _is_one_thing(one))
    stem = last.partition(".")[0]
    if len(stem) >= _LONG_NAME and not is_common(stem) and re.search(r"[^\W_]{3}", stem):
        yield stem.lower()


def _is_one_thing(name: str) -> bool:
    """Whether a name was put together for one thing, and is none that every project has a file for."""
    built = len(name) >= _SHORTEST and bool(_BUILT.search(name))
    return built and ("/" in name or not is_common(name.partition(".")[0]))


def _phrases(title: str) -> Iterator[str]:
    """Two words in a row that may name something together, of which one is not said of every software."""
    words, lower = [word.lower() for word in _WORD.findall(title)], title.lower()
    for one, other in pairwise(words):
        telling = _may_name(one) and _may_name(other) and not (is_common(one) and is_common(other))
        if telling and f"{one} {other}" in lower:
            yield f"{one} {other}"


def _nouns(title: str) -> Iterator[str]:
    for word in dict.fromkeys(word.lower() for word in _WORD.findall(title)):
        if len(word) >= _LONG_WORD and _may_name(word) and not is_common(word):
            yield word


def _may_name(word: str) -> bool:
    return word.isalpha() and _tells(word) and not is_vague(word) and not _NO_NOUN.fullmatch(word)


def _tells(word: str) -> bool:
    return len(word) > 2 and not says_little(terms(word))
