"""What memories are about: the words and names that most of them have in their goals and tags, as a title."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rum.consolidate.chapters.members import aim_of, shortened
from rum.consolidate.counting import listed
from rum.model.memory import Memory
from rum.text.terms import says_little, terms

LONGEST_TITLE = 80
MOST_TOPICS = 8
_IN_TITLE = 3
_FEW, _SOME = 3, 8
"""So few memories are best named by their goals, and some by the goal that has most of what they share."""
_LONGEST_PHRASE = 3
READ = 400
"""Characters of a goal that are looked at."""
_SHARED = 12
"""A title names what at least one of so many memories has."""
_TAGGED = 0.85
"""So much less counts a memory that has a word only as its tag."""
_WORD = re.compile(r"[^\W_](?:[\w.+#'’-]{0,60}[\w+#])?(?:\(\))?")
_CLAUSE = re.compile(r"[,;:()\[\]{}\"“”]|\s[-–—]\s|(?<=\S)[.!?](?=\s|$)")
_NUMBERED = re.compile(r"(?<!\.)\.?(?: ?\(#\d{1,9}\))*\.?\Z")
"""The end of a goal that is no part of a title: the number of a pull request, a full stop."""
_UNDOES = re.compile(r"(?:revert|undo|back out)\b", re.IGNORECASE)
_PLAIN = re.compile(r"[a-z]+(?![\w.(])")
"""A word that may begin with a capital letter, other than the name of something."""
_NUMBER = re.compile(r"#?v?\d[\d._-]*\+?|[0-9a-f]{7,40}")
_VERBS = """
add adjust adapt allow apply avoid bump change check clean cleanup convert correct create delete disable
document drop enable ensure extend fix follow get handle implement improve introduce investigate keep let
make merge move need pass prepare prevent reduce refactor remove rename replace reset return revert rewrite
run set show simplify skip split stop support sync tidy try tweak update use verify work write clarify
accept assign calculate clear compute determine emit factor fill force harmonize honor ignore increase
decrease insert invoke mangle populate preserve provide reject relax reorder reorganize respect retain reuse
silence specify strip suppress treat trim unify warn wrap
deprecate expose install mention pin refer require restore revise rework start switch upgrade
"""
_PALE_WORDS = """
also app behavior better bug chore code core current dev development doc docs error feat file improvement
include initial instead internal investigation issue lib main max min minor misc miscellaneous missing more
new old only pkg possible potential properly release set-up setup small some src test tests tidy-up typo
unused util utils various version when where without wrong
"""
"""Words that say what was done, or next to nothing, but not what it was done to."""


@cache
def _pale() -> frozenset[str]:
    return frozenset(term for term in terms(f"{_VERBS} {_PALE_WORDS}"))


class Heading(NamedTuple):
    """A word or a phrase, and the memories that have it."""

    text: str
    holders: frozenset[int]


class Aim(NamedTuple):
    """What some work was for, on one line, and its tags."""

    goal: str
    tags: tuple[str, ...]


def aims_of(ordered: Iterable[Memory]) -> list[Aim]:
    """What memories were for, in their order."""
    return [Aim(aim_of(memory, READ), memory.tags) for memory in ordered]


def title_of(ordered: Sequence[Aim], found: Sequence[Heading]) -> str:
    """A title for work, oldest first, that shares these headings: a goal, of much work what it was on."""
    goals = _different(ordered)
    if len(ordered) <= _SOME or not found or len(goals) == 1:
        told = "; ".join(goals)
        few = found and len(ordered) <= _FEW and len(told) <= LONGEST_TITLE
        return told if few else shortened(_central(goals, found), LONGEST_TITLE)
    first, *others = (one for one in found if one is found[0] or len(one.holders) * _SHARED >= len(ordered))
    # Two words together tell more than one alone.
    rest = sorted((one.text for one in others), key=lambda text: " " not in text)[: _IN_TITLE - 1]
    title = f"Work on {listed([first.text, *rest])}" if rest else first.text
    return shortened(title[:1].upper() + title[1:] if _PLAIN.match(title) else title, LONGEST_TITLE)


def _different(ordered: Sequence[Aim]) -> list[str]:
    """The goals of some work, without those that took it back, and of few without those that say no more."""
    goals = list(dict.fromkeys(_NUMBERED.sub("", aim.goal) or aim.goal for aim in ordered))
    goals = [goal for goal in goals if not _UNDOES.match(goal)] or goals
    if len(goals) > _FEW:
        return goals
    about = list(map(_about, goals))
    return [
        goal
        for place, goal in enumerate(goals)
        if not any(about[place] < other or (about[place] == other and other) for other in about[:place])
        and not any(about[place] < other for other in about[place + 1 :])
    ]


def _central(goals: Sequence[str], found: Sequence[Heading]) -> str:
    """The goal that has most of what is shared; where none has any, that says most; the first of equals."""
    shared = {key: len(one.holders) for one in found for key in _about(one.text)}
    other = 0 if shared else 1
    return max(goals, key=lambda goal: sum(shared.get(key, other) for key in _about(goal)), default="")


def _about(text: str) -> frozenset[str]:
    """What stands for the words of a text that say what it is about."""
    return frozenset(filter(None, map(_key, _WORD.findall(text))))


def is_pale(term: str) -> bool:
    """Whether an index term says what was done, or next to nothing, but not what it was done to."""
    return term in _pale()


def headings(ordered: Sequence[Aim]) -> list[Heading]:
    """Words and phrases that memories share, the most telling first, none inside another."""
    spoken: dict[tuple[str, ...], Counter[str]] = {}
    holders: dict[tuple[str, ...], set[int]] = {}
    tagged: Counter[tuple[str, ...]] = Counter()
    for number, aim in enumerate(ordered):
        in_goal = _phrases(aim)
        for key, text in {**_tags(aim), **in_goal}.items():
            spoken.setdefault(key, Counter())[text] += 1
            holders.setdefault(key, set()).add(number)
            tagged[key] += key not in in_goal
    least = 2 if len(ordered) > 1 else 1
    shared = [key for key, who in holders.items() if len(who) >= least]
    ranked = sorted(shared, key=lambda key: (-_worth(key, len(holders[key]) - _TAGGED * tagged[key]), key))
    chosen, told = list[tuple[str, ...]](), set[str]()
    for key in ranked:
        if len(chosen) == MOST_TOPICS:
            break
        parts = frozenset(terms(_usual(spoken[key])))
        if parts.isdisjoint(told):
            chosen.append(key)
            told |= parts
    return [Heading(_usual(spoken[key]), frozenset(holders[key])) for key in chosen]


def _worth(key: tuple[str, ...], holders: float) -> float:
    """Many memories, and several words: two together tell more than one."""
    return holders * (1 + 0.7 * (len(key) - 1))


def _usual(spoken: Counter[str]) -> str:
    """The spelling that most use, rather one that does not begin a sentence."""
    return min(spoken, key=lambda text: (-spoken[text], not text.islower(), text))


def _phrases(aim: Aim) -> dict[tuple[str, ...], str]:
    """Every phrase of a goal, by its stems, as it is written."""
    found = dict[tuple[str, ...], str]()
    for clause in _CLAUSE.split(aim.goal[:READ]):
        words = list(_WORD.finditer(clause))
        keys = [_key(word[0]) for word in words]
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST_PHRASE, len(words)) + 1):
                if not keys[end - 1] or (end - 1 > start and not _is_next(clause, *words[end - 2 : end])):
                    break
                stems = tuple(sorted({key for key in keys[start:end] if key}))
                text = clause[words[start].start() : words[end - 1].end()]
                # A capital at the beginning of a sentence is no part of the word.
                found[stems] = text if text.islower() else found.get(stems, text)
    return found


def _is_next(clause: str, one: re.Match[str], other: re.Match[str]) -> bool:
    """Whether nothing but blanks stands between two words."""
    return not clause[one.end() : other.start()].strip()


def _tags(aim: Aim) -> dict[tuple[str, ...], str]:
    return {(key,): shortened(tag, LONGEST_TITLE // 2) for tag in aim.tags if (key := _key(tag))}


def _key(word: str) -> str | None:
    """What stands for a word however it is bent; None where it says nothing of what the work was about."""
    if len(word) < 2 or _NUMBER.fullmatch(word):
        return None
    found = terms(word)
    key = found[0] if found else None
    return None if key is None or key in _pale() or says_little((key,)) else key
