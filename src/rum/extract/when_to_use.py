"""Make the `whenToUse` patterns of a note: of the names in it, never of a word that any task may have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rum.extract.entities import NAME, PATH, PRODUCT, is_common, is_part_of_common, is_vague
from rum.text.terms import content_words, says_little, stem, terms

_MAX_NAMES = 6
_MAX_WORDS = 4
_MAX_TASK = 120
_TASK_WORDS, _MIN_TASK_WORDS = 3, 2  # How many words together identify a task
# Words of a phrase, of which half must match: with fewer words a single one would be enough.
_MIN_TOPIC, _MAX_TOPIC = 4, 6
_MIN_NAME = 4  # Characters of a name; shorter ones are parts of other words
# Letters from which on a file's name, or a noun, is rarely part of another word.
_LONG_NAME, _LONG_WORD = 8, 6
_NAMES = re.compile(f"{PATH}|{NAME}")
# Words that are names by their capitals, or by the version after them.
_PRODUCTS = re.compile(rf"(?:{PRODUCT})(?: [A-Z][A-Za-z]+\b)*|\b[A-Z][A-Za-z]{{2,40}}(?= v?\d)")
# The signs of a compound name: a capital inside, dots, slashes, hyphens, digits.
_COMPOUND = re.compile(r"[a-z0-9][A-Z]|[A-Z][a-z]+[A-Z]|[\w)][_./:@-]\w|\d")
_NOT_IN_TASKS = re.compile(r"[|*\s<>{}=,'\"()\[\]$]")
_WORD = re.compile(r"[\w'-]+(?:\.\w+)*")
_NO_NOUN = re.compile(r".*(?:ed|ing|ly|able|ible|ful|ous|ive|est|ise|ize|ify)|.*'.*")


def when_to_use(title: str, content: str, task: str) -> tuple[str, ...]:
    """Return patterns for tasks that name what the note names, or that are like the one it comes from."""
    text = "\n".join(line for line in (title, *content.splitlines()) if not line.startswith("#"))
    nouns = [word for word in dict.fromkeys(_WORD.findall(title.lower())) if _is_long_noun(word)]
    names = distinctive_names(text)[:_MAX_NAMES] or [*_phrases(title), *nouns][:_MAX_WORDS]
    patterns = tuple(filter(None, (any_name(names), task_pattern(task), topic_pattern(title, task))))
    is_enough = len(content_words(title)) >= _TASK_WORDS
    return patterns or ((f"When the task is about: {title}",) if is_enough else ())


def any_name(names: Sequence[str]) -> str:
    """A pattern for tasks with any of these names; one name of two words is matched as a whole."""
    return f"*{names[0]}*" if len(names) == 1 and " " in names[0] else "|".join(names)


def distinctive_names(text: str) -> list[str]:
    """The names in a text that are rarely used for anything else, the most frequent first."""
    lower = text.lower()
    found = [name for match in _NAMES.finditer(text) for name in _task_names(match[0].strip("`*.,:;()"))]
    found += [name.lower() for name in _PRODUCTS.findall(text) if not _is_ordinary(name, text)]
    return sorted(dict.fromkeys(found), key=lambda name: -lower.count(name))


def task_pattern(task: str) -> str:
    """A pattern for tasks like this one; empty for a task without words of its own."""
    text = " ".join(task.split())[:_MAX_TASK]
    words = [word for word in dict.fromkeys(_WORD.findall(text.lower())) if _is_content_word(word)]
    if len(words) > _TASK_WORDS and 2 * sum(map(is_common, words)) < len(words):
        return f"When the task is about: {text}"  # half of its words are never all common ones
    specific = [word for word in words if not is_vague(word)]
    best = sorted(specific, key=lambda word: (is_common(word), -len(word)))
    if best and len(best) < _MIN_TASK_WORDS:
        best = words  # one word is not enough; with the vague ones it identifies this task
    if len(best) < _MIN_TASK_WORDS:
        return ""
    return ".*".join(sorted(best[:_TASK_WORDS], key=text.lower().index))


def topic_pattern(title: str, task: str) -> str:
    """A pattern for tasks with the topic of title and task; empty if they have too few words."""
    words: dict[str, str] = {}
    for word in _WORD.findall(f"{task[:_MAX_TASK]} {_NAMES.sub(' ', title)}".lower()):
        words.setdefault(stem(word), word)
    content = [word for word in words.values() if word.isalpha() and _is_content_word(word)]
    specific = [word for word in content if not is_vague(word)]
    distinctive = [word for word in specific if not is_common(word)]
    common = [word for word in specific if is_common(word)][: max(0, len(distinctive) - 1)]
    best = [*distinctive, *common][:_MAX_TOPIC]
    if len(best) < _MIN_TOPIC:
        return ""  # half of the words that match could all be common ones
    return f"When the task is about: {' '.join(word for word in specific if word in best)}"


def _is_ordinary(name: str, text: str) -> bool:
    """Whether a capitalised name is a common word, too short, or also written in lower case."""
    words = name.split()
    if len(words) > 1 and not name.isupper():
        return all(map(is_vague, words))
    if all(is_common(word) or says_little(terms(word)) for word in words):
        return True
    if len(name) < _MIN_NAME and (len(name) < _MIN_NAME - 1 or is_part_of_common(name)):
        return True
    return bool(re.search(rf"\b{name.lower()}s?\b", text))


def _task_names(name: str) -> Iterator[str]:
    """Yield a name as people write it in a task: a file by its last part too, a call without its brackets."""
    plain = name.replace("()", "").strip("./")
    if _NOT_IN_TASKS.search(plain):
        return
    last = plain.rpartition("/")[2]
    for form in dict.fromkeys((plain, last)):
        # Compound, and not of a file that every project has.
        is_compound = len(form) >= _MIN_NAME and _COMPOUND.search(form)
        if is_compound and ("/" in form or not is_common(form.partition(".")[0])):
            yield form.lower()
    # People write `billing_worker`, not `src/billing_worker.py`.
    stem = last.partition(".")[0]
    if len(stem) >= _LONG_NAME and not is_common(stem) and re.search(r"[^\W_]{3}", stem):
        yield stem.lower()


def _phrases(title: str) -> Iterator[str]:
    """Yield pairs of neighbouring words that may name something together; one of them must not be common."""
    words, lower = [word.lower() for word in _WORD.findall(title)], title.lower()
    for first, second in pairwise(words):
        is_name = _may_name(first) and _may_name(second) and not (is_common(first) and is_common(second))
        if is_name and f"{first} {second}" in lower:
            yield f"{first} {second}"


def _is_long_noun(word: str) -> bool:
    return len(word) >= _LONG_WORD and _may_name(word) and not is_common(word)


def _may_name(word: str) -> bool:
    return word.isalpha() and _is_content_word(word) and not is_vague(word) and not _NO_NOUN.fullmatch(word)


def _is_content_word(word: str) -> bool:
    return len(word) > 2 and not says_little(terms(word))
