"""Titles and topics of memories: their most telling goals, and the words that most goals and tags share."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from rum.consolidate.chapters.members import goal_line, short_line
from rum.consolidate.counting import join_names
from rum.model.memory import Memory
from rum.model.memory_layers import TaskType
from rum.text.terms import says_little, terms

LONGEST_TITLE = 80
MOST_TOPICS = 8
_SECOND = 8  # Goals among which a title's second one is chosen
_FEW = 3  # Up to this many memories are named by all their goals
_SERIES, _SERIES_WORDS = 3, 3  # Goals of a series at least, and words in which they may differ
_SOME = 8  # More memories are seldom about one thing: a title has two of their goals where there is room
_LONGEST_PHRASE = 3
READ = 400  # Characters of a goal that are read
# What a goal says about the work: by its kind, its words (up to `_TELLING`) and its place; less if too long.
_KINDS = {
    **dict.fromkeys((TaskType.FEATURE_ADD, TaskType.BUG_FIX, TaskType.SECURITY_FIX), 1.0),
    **dict.fromkeys((TaskType.OPTIMIZATION, TaskType.REFACTOR, TaskType.INVESTIGATION), 0.8),
    **dict.fromkeys((TaskType.TEST_WRITE, TaskType.DOCUMENTATION), 0.3),
}
_OTHER_KIND = 0.5
_TELLING = 4
_FIRST, _TOO_LONG = 0.5, 0.75
_MOST_SHARED = 2.0  # What shared words count for at most
_TAGGED = 0.85  # Taken off for a memory that has a word only as its tag
_WORD = re.compile(r"[^\W_](?:[\w.+#'’-]{0,60}[\w+#])?(?:\(\))?")
_CLAUSE = re.compile(r"[,;:()\[\]{}\"“”]|\s[-–—]\s|(?<=\S)[.!?](?=\s|$)")
# The end of a goal that is no part of a title: the number of a pull request, a full stop.
_NUMBERED = re.compile(
    r"(?<!\.)\.?(?: ?\((?:(?:fix(?:es)?|closes?|see) )?#\d{1,9}\)|[.,]? (?:fixes|closes) #\d{1,9})*\.?\Z",
    re.IGNORECASE,
)
# Its beginning: the number of an issue, the sign and the kind of a commit. `test:` and `docs:` stay: without
# them a goal would speak of the code itself.
_SORTED = re.compile(
    r"(?:#\d{1,9}:?\s+|:\w{1,30}:\s+|(?:feat|fix|chore|refactor|bug|perf|style)!?:\s+)+", re.IGNORECASE
)
# The kind of a commit around its scope, which stays.
_SCOPED = re.compile(r"(?:feat|fix|chore|refactor|bug|perf|style)\(([^()]{1,40})\)!?:", re.IGNORECASE)
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
_ADDED = ("added", "adding")  # Forms of `add` with the stem of another word, `ad`
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
    """The goal of some work on one line, its tags and its kind."""

    text: str
    tags: tuple[str, ...]
    kind: TaskType = TaskType.OTHER


def goals_of(ordered: Iterable[Memory]) -> list[Goal]:
    """The goals of memories, in their order."""
    return [Goal(goal_line(memory, READ), memory.tags, memory.intent.task_type) for memory in ordered]


def make_title(ordered: Sequence[Goal], headings: Sequence[Heading]) -> str:
    """A title for work, oldest first, that shares these headings: its most telling goals."""
    goals = _distinct(ordered)
    if series := _series_title(_named(ordered)):
        return series
    if headings and len(ordered) <= _FEW and len(title := "; ".join(goals)) <= LONGEST_TITLE:
        return title
    best, *others = telling_goals(ordered, headings) or [""]
    if len(ordered) > _SOME:
        # A second goal must be among the most telling ones, about something else, and fit.
        room = LONGEST_TITLE - len(best) - len("; ")
        fitting = [one for one in others[:_SECOND] if len(one) <= room and len(_about(one)) > 1]
        best = "; ".join((best, *[one for one in fitting if _about(one).isdisjoint(_about(best))][:1]))
    return short_line(best, LONGEST_TITLE)


def _series_title(goals: Sequence[str]) -> str:
    """One title for goals that differ in a few words in the same place; empty if they are no such series."""
    rows = [goal.split() for goal in goals]
    if len(rows) < _SERIES:
        return ""
    begin = _shared(rows)
    end = _shared([row[begin:][::-1] for row in rows])
    parts = [" ".join(row[begin : len(row) - end]) for row in rows]
    if not begin or any(not part or part.count(" ") >= _SERIES_WORDS or "," in part for part in parts):
        return ""
    last = " ".join(rows[0][len(rows[0]) - end :])
    start = " ".join(rows[0][:begin]) + (f" … {last}: " if last else " ")
    for count in range(len(parts), 0, -1):
        more = len(parts) - count
        named = f"{', '.join(parts[:count])} and {more} more" if more else join_names(parts)
        if len(title := start + named) <= LONGEST_TITLE:
            return title
    return ""


def _shared(rows: Sequence[Sequence[str]]) -> int:
    """How many words all rows begin with."""
    return next((n for n, words in enumerate(zip(*rows, strict=False)) if len(set(words)) > 1), 0)


def telling_goals(ordered: Sequence[Goal], headings: Sequence[Heading]) -> list[str]:
    """The different goals of some work, those first that say most about all of it."""
    goals, kinds = _distinct(ordered), {goal_text(goal.text): goal.kind for goal in reversed(ordered)}
    shared = {key: len(one.holders) / len(ordered) for one in headings for key in _about(one.text)}

    def worth(goal: str) -> float:
        about = _about(goal)
        points = min(sum(shared.get(key, 0.0) for key in about), _MOST_SHARED)
        points += (
            _KINDS.get(kinds.get(goal, TaskType.OTHER), _OTHER_KIND) + min(len(about), _TELLING) / _TELLING
        )
        is_first = goal == goals[0] and len(about) > 1
        return points + _FIRST * is_first - _TOO_LONG * (len(goal) > LONGEST_TITLE)

    return sorted(goals, key=worth, reverse=True)


def goal_text(goal: str) -> str:
    """A goal without what only sorts it: the kind and the numbers of a commit."""
    text = _SCOPED.sub(r"\1:", _NUMBERED.sub("", goal), count=1)
    if (found := _SORTED.match(text)) and text[found.end() :]:
        text = text[found.end() :]
        text = text[:1].upper() + text[1:] if _PLAIN.match(text) else text
    return text or goal


def _named(ordered: Sequence[Goal]) -> list[str]:
    """The different goals of some work, without reverts."""
    goals = list(dict.fromkeys(goal_text(goal.text) for goal in ordered))
    return [goal for goal in goals if not _UNDOES.match(goal)] or goals


def _distinct(ordered: Sequence[Goal]) -> list[str]:
    """The goals of some work, without reverts; of few goals only those that add something."""
    goals = _named(ordered)
    if len(goals) > _FEW:
        return goals
    about = list(map(_about, goals))
    return [
        goal
        for place, goal in enumerate(goals)
        if not any(about[place] < other or (about[place] == other and other) for other in about[:place])
        and not any(about[place] < other for other in about[place + 1 :])
    ]


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
    if len(word) < 2 or _NUMBER.fullmatch(word) or word.lower() in _ADDED:
        return None
    found = terms(word)
    key = found[0] if found else None
    return None if key is None or key in _generic() or says_little((key,)) else key
