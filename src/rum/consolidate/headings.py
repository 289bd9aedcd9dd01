"""What memories are about: the words and names that most of them have in their goals and tags, as a title."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

from rum.consolidate.members import aim_of, one_line, shortened
from rum.model.memory import Memory
from rum.store.terms import says_little, terms

LONGEST_TITLE = 80
MOST_TOPICS = 8
_IN_TITLE = 3
_FEW, _SOME = 3, 8
"""So few memories are better named by their goals than by one word, and some by the goal that says most."""
_LONGEST_PHRASE = 3
_READ = 400
"""Characters of a goal that are looked at."""
_SHARED = 12
"""A title names what at least one of so many memories has."""
_TAGGED = 0.85
"""So much less counts a memory that has a word only as its tag."""
_WORD = re.compile(r"[^\W_](?:[\w.+#'’-]{0,60}[\w+#])?(?:\(\))?")
_CLAUSE = re.compile(r"[,;:()\[\]{}\"“”]|\s[-–—]\s|(?<=\S)[.!?](?=\s|$)")
_NUMBER = re.compile(r"#?v?\d[\d._-]*\+?|[0-9a-f]{7,40}")
_VERBS = """
add adjust adapt allow apply avoid bump change check clean cleanup convert correct create delete disable
document drop enable ensure extend fix follow get handle implement improve introduce investigate keep let
make merge move need pass prepare prevent reduce refactor remove rename replace reset return revert rewrite
run set show simplify skip split stop support sync tidy try tweak update use verify work write
"""
_PALE_WORDS = """
also app behavior better bug chore code core current doc docs error feat file improvement include initial
instead internal investigation issue lib main minor misc miscellaneous missing more new old only pkg
possible potential properly small some src test tests tidy-up typo unused util utils various when where
without wrong
"""
"""Words that say what was done, or next to nothing, but not what it was done to."""


@cache
def _pale() -> frozenset[str]:
    return frozenset(term for term in terms(f"{_VERBS} {_PALE_WORDS}"))


class Heading(NamedTuple):
    """A word or a phrase, and the memories that have it."""

    text: str
    holders: frozenset[int]


def title_of(ordered: Sequence[Memory], found: Sequence[Heading]) -> str:
    """A title for some memories, oldest first, that share these headings: words they have."""
    if len(ordered) == 1:
        return aim_of(ordered[0], LONGEST_TITLE)
    goals = "; ".join(dict.fromkeys(aim_of(memory, _READ) for memory in ordered[:_FEW]))
    if not found:
        return aim_of(ordered[0], LONGEST_TITLE) if ordered else ""
    if " " not in found[0].text and len(ordered) <= _SOME:
        few = len(ordered) <= _FEW and len(goals) <= LONGEST_TITLE
        return goals if few else aim_of(_central(ordered, found), LONGEST_TITLE)
    first = found[0]
    others = [one for one in found[1:_IN_TITLE] if len(one.holders) * _SHARED >= len(ordered)]
    rest = ", ".join(one.text for one in others)
    title = f"{first.text}: {rest}" if rest else first.text
    begins = title[:1].upper() + title[1:] if " " in first.text and title[:1].isascii() else title
    return shortened(begins, LONGEST_TITLE)


def _central(ordered: Sequence[Memory], found: Sequence[Heading]) -> Memory:
    """The memory whose goal and tags have most of what is shared; the first among equals."""
    shared = [sum(len(one.holders) for one in found if place in one.holders) for place in range(len(ordered))]
    return ordered[shared.index(max(shared))]


def headings(ordered: Sequence[Memory]) -> list[Heading]:
    """Words and phrases that memories share, the most telling first, none inside another."""
    spoken: dict[tuple[str, ...], Counter[str]] = {}
    holders: dict[tuple[str, ...], set[int]] = {}
    tagged: Counter[tuple[str, ...]] = Counter()
    for number, memory in enumerate(ordered):
        in_goal = _phrases(memory)
        for key, text in {**_tags(memory), **in_goal}.items():
            spoken.setdefault(key, Counter())[text] += 1
            holders.setdefault(key, set()).add(number)
            tagged[key] += key not in in_goal
    least = 2 if len(ordered) > 1 else 1
    shared = [key for key, who in holders.items() if len(who) >= least]
    ranked = sorted(shared, key=lambda key: (-_worth(key, len(holders[key]) - _TAGGED * tagged[key]), key))
    chosen = list[tuple[str, ...]]()
    for key in ranked:
        if len(chosen) == MOST_TOPICS:
            break
        if not any(_overlap(key, other) for other in chosen):
            chosen.append(key)
    return [Heading(_usual(spoken[key]), frozenset(holders[key])) for key in chosen]


def _worth(key: tuple[str, ...], holders: float) -> float:
    """Many memories, and several words: two together tell more than one."""
    return holders * (1 + 0.7 * (len(key) - 1))


def _overlap(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return not set(one).isdisjoint(other)


def _usual(spoken: Counter[str]) -> str:
    """The spelling that most use, rather one that does not begin a sentence."""
    return min(spoken, key=lambda text: (-spoken[text], not text.islower(), text))


def _phrases(memory: Memory) -> dict[tuple[str, ...], str]:
    """Every phrase of a goal, by its stems, as it is written."""
    found = dict[tuple[str, ...], str]()
    for clause in _CLAUSE.split(one_line(memory.intent.goal[:_READ])):
        words = list(_WORD.finditer(clause))
        keys = [_key(word[0]) for word in words]
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST_PHRASE, len(words)) + 1):
                if not keys[end - 1]:
                    break
                stems = tuple(sorted({key for key in keys[start:end] if key}))
                text = clause[words[start].start() : words[end - 1].end()]
                # A capital at the beginning of a sentence is no part of the word.
                found[stems] = text if text.islower() else found.get(stems, text)
    return found


def _tags(memory: Memory) -> dict[tuple[str, ...], str]:
    return {(key,): shortened(tag, LONGEST_TITLE // 2) for tag in memory.tags if (key := _key(tag))}


def _key(word: str) -> str | None:
    """What stands for a word however it is bent; None where it says nothing of what the work was about."""
    if len(word) < 2 or _NUMBER.fullmatch(word):
        return None
    found = terms(word)
    key = found[0] if found else None
    return None if key is None or key in _pale() or says_little((key,)) else key
