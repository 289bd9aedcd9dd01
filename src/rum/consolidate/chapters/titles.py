"""Titles and topics of memories: the words and phrases that most of their goals and tags share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rum.consolidate.chapters.members import goal_line, short_line
from rum.consolidate.counting import join_names
from rum.model.memory import Memory
from rum.text.terms import says_little, terms

LONGEST_TITLE = 80
MOST_TOPICS = 8
_IN_TITLE = 3
# Up to `_FEW` memories are named by their goals, up to `_SOME` by the goal with most of the shared words.
_FEW, _SOME = 3, 8
_LONGEST_PHRASE = 3
READ = 400  # Characters of a goal that are read
_SHARED = 12  # A title names what at least one in this many memories has
_TAGGED = 0.85  # Taken off for a memory that has a word only as its tag
_WORD = re.compile(r"[^\W_](?:[\w.+#'’-]{0,60}[\w+#])?(?:\(\))?")
_CLAUSE = re.compile(r"[,;:()\[\]{}\"“”]|\s[-–—]\s|(?<=\S)[.!?](?=\s|$)")
# The end of a goal that is no part of a title: the number of a pull request, a full stop.
_NUMBERED = re.compile(r"(?<!\.)\.?(?: ?\(#\d{1,9}\))*\.?\Z")
_UNDOES = re.compile(r"(?:revert|undo|back out)\b", re.IGNORECASE)
# A word that may begin with a capital letter, other than the name of something.
_PLAIN = re.compile(r"[a-z]+(?![\w.(])")
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
# Words that say how something was changed, or nothing, but not what.
_GENERIC_WORDS = """
also app behavior better bug chore code core current dev development doc docs error feat file improvement
include initial instead internal investigation issue lib main max min minor misc miscellaneous missing more
new old only pkg possible potential properly release set-up setup small some src test tests tidy-up typo
unused util utils various version when where without wrong
"""


@cache
def _generic() -> frozenset[str]:
    return frozenset(term for term in terms(f"{_VERBS} {_GENERIC_WORDS}"))


class Heading(NamedTuple):
    """A word or a phrase, and the memories that have it."""

    text: str
    holders: frozenset[int]


class Goal(NamedTuple):
    """The goal of some work on one line, and its tags."""

    text: str
    tags: tuple[str, ...]


def goals_of(ordered: Iterable[Memory]) -> list[Goal]:
    """The goals of memories, in their order."""
    return [Goal(goal_line(memory, READ), memory.tags) for memory in ordered]


def make_title(ordered: Sequence[Goal], headings: Sequence[Heading]) -> str:
    """A title for work, oldest first, that shares these headings: a goal, or for much work the headings."""
    goals = _distinct(ordered)
    if len(ordered) <= _SOME or not headings or len(goals) == 1:
        title = "; ".join(goals)
        few = headings and len(ordered) <= _FEW and len(title) <= LONGEST_TITLE
        return title if few else short_line(_central(goals, headings), LONGEST_TITLE)
    first, *others = (
        one for one in headings if one is headings[0] or len(one.holders) * _SHARED >= len(ordered)
    )
    # Two words together say more than one alone.
    rest = sorted((one.text for one in others), key=lambda text: " " not in text)[: _IN_TITLE - 1]
    title = f"Work on {join_names([first.text, *rest])}" if rest else first.text
    return short_line(title[:1].upper() + title[1:] if _PLAIN.match(title) else title, LONGEST_TITLE)


def _distinct(ordered: Sequence[Goal]) -> list[str]:
    """The goals of some work, without reverts; of few goals only those that add something."""
    goals = list(dict.fromkeys(_NUMBERED.sub("", goal.text) or goal.text for goal in ordered))
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


def _central(goals: Sequence[str], headings: Sequence[Heading]) -> str:
    """The goal with most of the shared words; where there are none, with most words."""
    shared = {key: len(one.holders) for one in headings for key in _about(one.text)}
    other = 0 if shared else 1
    return max(goals, key=lambda goal: sum(shared.get(key, other) for key in _about(goal)), default="")


def _about(text: str) -> frozenset[str]:
    """The keys of the words that say what a text is about."""
    return frozenset(filter(None, map(_key, _WORD.findall(text))))


def is_generic(term: str) -> bool:
    """Whether an index term says how something was changed, or nothing, but not what."""
    return term in _generic()


def find_headings(ordered: Sequence[Goal]) -> list[Heading]:
    """Words and phrases that goals and tags share, the best first, without overlaps."""
    spellings: dict[tuple[str, ...], Counter[str]] = {}
    holders: dict[tuple[str, ...], set[int]] = {}
    tagged: Counter[tuple[str, ...]] = Counter()
    for number, goal in enumerate(ordered):
        in_goal = _phrases(goal)
        tags = {(key,): short_line(tag, LONGEST_TITLE // 2) for tag in goal.tags if (key := _key(tag))}
        for key, text in (tags | in_goal).items():
            spellings.setdefault(key, Counter())[text] += 1
            holders.setdefault(key, set()).add(number)
            tagged[key] += key not in in_goal
    least = 2 if len(ordered) > 1 else 1
    shared = [key for key, who in holders.items() if len(who) >= least]
    # Two words together say more than one.
    worth = {key: (len(holders[key]) - _TAGGED * tagged[key]) * (1 + 0.7 * (len(key) - 1)) for key in shared}
    chosen, used = list[Heading](), set[str]()
    for key in sorted(shared, key=lambda key: (-worth[key], key)):
        if len(chosen) == MOST_TOPICS:
            break
        # The most common spelling, preferably one that does not begin a sentence.
        counts = spellings[key]
        common = min(counts, key=lambda text: (-counts[text], not text.islower(), text))
        parts = frozenset(terms(common))
        if parts.isdisjoint(used):
            chosen.append(Heading(common, frozenset(holders[key])))
            used |= parts
    return chosen


def _phrases(goal: Goal) -> dict[tuple[str, ...], str]:
    """Every phrase of a goal as it is written, by its stems."""
    found = dict[tuple[str, ...], str]()
    for clause in _CLAUSE.split(goal.text[:READ]):
        words = list(_WORD.finditer(clause))
        keys = [_key(word[0]) for word in words]
        for start in range(len(words)):
            for end in range(start + 1, min(start + _LONGEST_PHRASE, len(words)) + 1):
                # Nothing but blanks may stand between two words.
                before = clause[words[end - 2].end() : words[end - 1].start()] if end - 1 > start else ""
                if not keys[end - 1] or before.strip():
                    break
                stems = tuple(sorted({key for key in keys[start:end] if key}))
                text = clause[words[start].start() : words[end - 1].end()]
                # A capital at the beginning of a sentence is no part of the word.
                found[stems] = text if text.islower() else found.get(stems, text)
    return found


def _key(word: str) -> str | None:
    """The stem of a word; None for numbers and generic words."""
    if len(word) < 2 or _NUMBER.fullmatch(word):
        return None
    found = terms(word)
    key = found[0] if found else None
    return None if key is None or key in _generic() or says_little((key,)) else key
