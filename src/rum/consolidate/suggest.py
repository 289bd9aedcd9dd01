"""Groups of memories that look like one story: a feature, a bug with what followed, a campaign of work."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from heapq import heapify, heappop, heappush, heappushpop, nlargest
from itertools import combinations, islice
from sys import intern
from typing import NamedTuple, TypeVar

from msgspec import Struct

from rum.consolidate.chapters.titles import Goal, find_headings, is_generic, make_title
from rum.consolidate.counting import days_text, is_incidental
from rum.model.memory import Edge, Memory
from rum.model.memory_layers import TaskType
from rum.text.terms import query_terms, terms

MOST_READ = 20_000  # Memories that are compared; of more, the newest
FEWEST = 3  # Members of a group
LEAST_SURE = 0.45  # A less sure group is more often an area of the code than a story
MOST_NAMED = 3  # Words, and files, that a reason names
MOST_TAGS = 5

_WORD = re.compile(r"[^\W_][\w.+#'-]*[\w+#]|[^\W_]")


class Suggestion(Struct, frozen=True, kw_only=True):
    """A group that could become a chapter; its members in order of time."""

    memory_ids: tuple[str, ...]
    goals: tuple[str, ...]  # The goal of each member
    title: str
    reason: str
    tags: tuple[str, ...] = ()
    sureness: float = 0.0  # From 0 to 1: how likely it is one story, by what its members have in common


def suggest(
    memories: Iterable[Memory], edges: Iterable[Edge], *, most: int, chapters: Iterable[Collection[str]] = ()
) -> list[Suggestion]:
    """The groups found in memories, the surest first; no memory is in two of them.

    Superseded memories and chores are left out, and groups of which more than half is in one of the
    `chapters` (each the ids of its members) already.
    """
    outlines = _newest(memories)
    links = _links(outlines, edges)
    measured = measure(outlines)
    pairs = likely_pairs(measured, links)
    covered = _Covered(chapters)
    found = sorted((-sureness(group, pairs), group) for group in group_pairs(pairs, len(outlines)))
    new = (
        _suggestion(group, -unsure, outlines, measured, links)
        for unsure, group in found
        if len(group) >= FEWEST
        and -unsure >= LEAST_SURE
        and not covered.has([outlines[place].id for place in group])
    )
    return list(islice(new, max(0, most)))


def _newest(memories: Iterable[Memory]) -> list[Outline]:
    """The newest memories that are not superseded, in order of time."""
    kept: list[Outline] = []
    for memory in memories:
        if not memory.superseded_by:
            (heappush if len(kept) < MOST_READ else heappushpop)(kept, outline(memory))
    return sorted({one.id: one for one in sorted(kept)}.values())


def _links(memories: Sequence[Outline], edges: Iterable[Edge]) -> Mapping[int, set[int]]:
    places = {one.id: place for place, one in enumerate(memories)}
    links: defaultdict[int, set[int]] = defaultdict(set)
    for source, target, _ in edges:
        if source in places and target in places and source != target:
            links[places[source]].add(places[target])
            links[places[target]].add(places[source])
    return links


class _Covered:
    """The memories that are in chapters already."""

    def __init__(self, chapters: Iterable[Collection[str]]) -> None:
        self._chapters: defaultdict[str, list[int]] = defaultdict(list)
        for number, members in enumerate(chapters):
            for member in members:
                self._chapters[member].append(number)

    def has(self, members: Sequence[str]) -> bool:
        """Whether more than half of these are in one chapter."""
        counts: defaultdict[int, int] = defaultdict(int)
        for member in members:
            for number in self._chapters.get(member, ()):
                counts[number] += 1
        return any(count * 2 > len(members) for count in counts.values())


def _suggestion(
    group: Sequence[int],
    sureness: float,
    outlines: Sequence[Outline],
    measured: Sequence[Traits | None],
    links: Mapping[int, set[int]],
) -> Suggestion:
    members = [outlines[place] for place in group]
    goals = [Goal(one.goal, one.tags, one.kind) for one in members]
    rare = {outlines[place].id: one.names for place in group if (one := measured[place])}
    within = sum(len(links.get(place, set[int]()).intersection(group)) for place in group) // 2
    return Suggestion(
        memory_ids=tuple(one.id for one in members),
        goals=tuple(one.goal for one in members),
        title=make_title(goals, find_headings(goals)),
        reason=explain_group(members, within, lambda one: rare[one.id]),
        tags=shared_tags(members),
        sureness=round(sureness, 3),
    )


def explain_group(
    members: Sequence[Outline], links: int, rare_words: Callable[[Outline], Iterable[str]]
) -> str:
    """Who made the members, when, and what they have in common, the surest first."""
    common = list[str]()
    if links:
        common.append(f"{links} links tie them together" if links > 1 else "one link ties two of them")
    common += _words(members, rare_words)
    shared = _shared(
        ([path for path in one.paths if not is_incidental(path)] for one in members), len(members)
    )
    if parts := [f"{path} ({_of(count, members)})" for path, count in shared[:MOST_NAMED]]:
        common.append(f"they touch {', '.join(parts)}")
    found = "; ".join(common) or "they are alike in many small things"
    agents = len({one.agent_id for one in members})
    by = "by one agent" if agents == 1 else f"by {agents} agents"
    when = days_text(members[0].at, members[-1].at)
    return f"{len(members)} memories {by} {when}: {found}."


def shared_tags(members: Sequence[Outline]) -> tuple[str, ...]:
    """The tags that at least half of the members have, those of most members first."""
    return tuple(tag for tag, _ in _shared((one.tags for one in members), len(members))[:MOST_TAGS])


def _words(members: Sequence[Outline], rare_words: Callable[[Outline], Iterable[str]]) -> list[str]:
    shared = _shared((rare_words(one) for one in members), len(members))
    named: dict[str, int] = {}
    for term, count in shared:
        word = None if is_generic(term) else _as_written(term, members)
        # Of a name and its parts the first is enough: most members have it.
        if word and not any(word in other or other in word for other in named):
            named[word] = count
    parts = [f"“{word}” ({_of(count, members)})" for word, count in list(named.items())[:MOST_NAMED]]
    return [f"their goals speak of {', '.join(parts)}"] if parts else []


def _as_written(term: str, members: Sequence[Outline]) -> str | None:
    """An index term, spelled as in the first goal that has it."""
    for one in members:
        for word in _WORD.findall(one.goal):
            if term in terms(word)[:1]:
                return word.lower()
    return None


def _of(count: int, members: Sequence[Outline]) -> str:
    return "all" if count == len(members) else f"{count} of {len(members)}"


def _shared(having: Iterable[Iterable[str]], total: int) -> list[tuple[str, int]]:
    """What at least two and at least half of all have, most common first; of equals the first one found."""
    counts = Counter(one for some in having for one in dict.fromkeys(some))
    return [(one, count) for one, count in counts.most_common() if count >= max(2, total / 2)]


K = TypeVar("K")

DAY = 86400
SHOWN = 400  # Characters of a goal that are kept: those that titles use
READ = 600  # Characters read of a memory's summary, context and learnings
# Traits kept per memory before it is known which are rare.
GOAL_TERMS, TERMS, PATHS, TAGS = 32, 120, 200, 16
RAREST = 16  # Words, and files, by which one memory is compared with others
COMMON, FEW = 25, 20  # A trait of more than 1 in `COMMON` memories is ignored, unless at most `FEW` have it
NUMBERS = 4  # Shorter numbers are counts and versions, and relate nothing
# A word whose uses nearly all fall within this time, and this share of all time, names one thing.
NAMED_WITHIN = 21 * DAY
NAMED_SHARE = 0.15
USES_OF_A_NAME = 3
ROUTINE = 4  # A goal that came up this often, over longer than `ROUTINE_OVER`, is a chore
ROUTINE_OVER = 14 * DAY

PATH_WORD = 0.5  # The factor for a word of a path: the file is counted already
WORD_OF_GOAL, NAME = 0.15, 0.45
BY_AGENT, BY_AGENT_AT_MOST = 0.4, 1.2
IN_SESSION, IN_SESSION_AT_MOST = 0.15, 0.9


class Outline(NamedTuple):
    """A memory with only what is compared, so that many fit in memory; they sort by time."""

    at: int
    id: str
    agent_id: str
    session_id: str
    goal: str
    goal_terms: tuple[str, ...]
    terms: tuple[str, ...]
    paths: tuple[str, ...]
    tags: tuple[str, ...]
    kind: TaskType


class Traits(NamedTuple):
    """The traits by which a memory is compared; the numbers say how rare each is."""

    at: int
    goal: dict[str, float]  # Its goal as a vector of length one
    words: dict[str, float]
    names: dict[str, float]  # Words of its goal; one that names a single thing counts for more
    files: dict[str, float]
    file_count: int
    agent: str
    by_agent: float
    session: str
    in_session: float


def outline(memory: Memory) -> Outline:
    """A memory as an outline."""
    text = " ".join((memory.full_summary, memory.intent.context[:READ], *memory.outcome.learnings))[:READ]
    goal_terms = _telling(memory.intent.goal, GOAL_TERMS)
    more = _telling(f"{' '.join(memory.tags[:TAGS])} {text}", TERMS)
    return Outline(
        at=memory.created_at,
        id=memory.id,
        agent_id=intern(memory.agent_id),
        session_id=intern(memory.session_id),
        goal=" ".join(memory.intent.goal.split())[:SHOWN],
        goal_terms=goal_terms,
        terms=tuple(dict.fromkeys((*goal_terms, *more))),
        paths=tuple(intern(file.path) for file in memory.files[:PATHS]),
        tags=tuple(map(intern, memory.tags[:TAGS])),
        kind=memory.intent.task_type,
    )


def _telling(text: str, most: int) -> tuple[str, ...]:
    """The words of a text, interned, as most of them are repeated."""
    found = (term for term in query_terms(text, most) if len(term) >= NUMBERS or not term.isdigit())
    return tuple(map(intern, found))


def measure(memories: Sequence[Outline]) -> list[Traits | None]:
    """The traits of memories in order of time; None for a chore: a goal that comes up again and again."""
    goals = _moments((_key(one), one.at) for one in memories)
    chores = {
        key for key, at in goals.items() if key and len(at) >= ROUTINE and at[-1] - at[0] > ROUTINE_OVER
    }
    # Words that are used almost only within a short time are names.
    uses = _moments((term, one.at) for one in memories for term in one.goal_terms)
    short = min(NAMED_WITHIN, NAMED_SHARE * (memories[-1].at - memories[0].at)) if memories else 0
    names = frozenset(
        term
        for term, at in uses.items()
        if len(at) >= USES_OF_A_NAME and at[-1 - len(at) // 10] - at[len(at) // 10] <= short
    )
    rare = Rarity(memories)
    return [None if _key(one) in chores else _measured(one, rare, names) for one in memories]


class Rarity:
    """How many memories have each word, file, agent and session."""

    def __init__(self, memories: Sequence[Outline]) -> None:
        self._total = len(memories)
        self._most = max(FEW, self._total // COMMON)
        self._goals = Counter(term for one in memories for term in one.goal_terms)
        self._words = Counter(term for one in memories for term in one.terms)
        self._files = Counter(path for one in memories for path in one.paths)
        self._agents = Counter(one.agent_id for one in memories)
        self._sessions = Counter(one.session_id for one in memories)

    def words(self, one: Outline) -> dict[str, float]:
        """The words that a memory shares with others: those of its goal, then the rarest."""
        return self._rarest(one.terms, self._words, frozenset(one.goal_terms))

    def files(self, one: Outline) -> dict[str, float]:
        """The files that a memory shares with others, rarest first."""
        return self._rarest(one.paths, self._files, frozenset())

    def _rarest(self, having: Iterable[str], counts: Counter[str], first: frozenset[str]) -> dict[str, float]:
        shared = [one for one in having if 2 <= counts[one] <= self._most]
        shared.sort(key=lambda one: (one not in first, counts[one], one))
        return {one: math.log(self._total / counts[one]) for one in shared[:RAREST]}

    def goal(self, one: Outline) -> dict[str, float]:
        """A goal as a vector of length one."""
        weights = {term: math.log(self._total / self._goals[term]) for term in one.goal_terms}
        length = math.sqrt(sum(value * value for value in weights.values()))
        return {term: value / length for term, value in weights.items()} if length else {}

    def agent(self, one: Outline) -> float:
        """The rarity of a memory's agent."""
        return math.log(self._total / self._agents[one.agent_id])

    def session(self, one: Outline) -> float:
        """The rarity of a memory's session."""
        return math.log(self._total / self._sessions[one.session_id])


def _measured(one: Outline, rare: Rarity, names: frozenset[str]) -> Traits:
    words = rare.words(one)
    where = frozenset(term for path in one.paths[:RAREST] for term in _path_terms(path))
    of_goal = frozenset(one.goal_terms)
    return Traits(
        at=one.at,
        goal=rare.goal(one),
        words={word: value * (PATH_WORD if word in where else 1) for word, value in words.items()},
        names={
            word: value * (NAME if word in names else WORD_OF_GOAL)
            for word, value in words.items()
            if word in of_goal
        },
        files=rare.files(one),
        file_count=len(one.paths),
        agent=one.agent_id,
        by_agent=min(BY_AGENT_AT_MOST, BY_AGENT * rare.agent(one)),
        session=one.session_id,
        in_session=min(IN_SESSION_AT_MOST, IN_SESSION * rare.session(one)),
    )


@lru_cache(maxsize=8192)
def _path_terms(path: str) -> tuple[str, ...]:
    return tuple(query_terms(path))


def _key(one: Outline) -> tuple[str, ...]:
    """A goal without its numbers, so that the same for another version is the same."""
    return tuple(sorted(term for term in one.goal_terms if not any(map(str.isdigit, term))))


def _moments(uses: Iterable[tuple[K, int]]) -> Mapping[K, list[int]]:
    moments: defaultdict[K, list[int]] = defaultdict(list)
    for what, at in uses:
        moments[what].append(at)
    return moments


# What each thing in common adds to the log-odds, after fits on commits of which one names the other, against
# pairs that share a word or a file by chance. How rare a thing is counts in natural logarithms.
GOAL = 1.2
WORD = 0.2
WORDS = 3  # The number of rarest common words that count
FILE = 0.4  # For the rarest file in common; and FILES for all of them being in common
FILES = 0.6
LINKED, NEARLY_LINKED = 4.0, 2.0  # Linked to each other; or both to a third
APART = 0.7  # Taken off for each factor e of days between them
# Two memories are unrelated unless enough is in common. How much is enough grows with the logarithm of their
# number, as rarity does; this is taken off that logarithm.
UNRELATED = 3.0
LEAST_PRIOR = 1.0

NEXT = 16  # Of those that share a word, file or session, how many of the next in time are candidates
CLOSEST = 16  # How many of the candidates are compared in full
WORTH_A_LOOK = 0.25
LEAST = 0.07  # A pair less likely than this counts as unrelated
HUB = 12  # Memories linked to one with more links than this are not related by it
LARGEST = 30  # Members of a group; a longer story becomes several
# How likely two members of two groups must be to belong together, on average, for the groups to be one.
TOGETHER = 0.5

Links = Mapping[int, Set[int]]  # By the places of memories in order of time
# The probability of two memories being of one story; the earlier one's place comes first.
Pairs = dict[tuple[int, int], float]


def likely_pairs(memories: Sequence[Traits | None], links: Links) -> Pairs:
    """The pairs of memories that may belong together."""
    prior = max(LEAST_PRIOR, math.log(max(1, len(memories))) - UNRELATED)
    likely: Pairs = {}
    for here, candidates in _candidates(memories, links, WORTH_A_LOOK * prior):
        one = memories[here]
        for there, by_links in candidates:
            other = memories[there]
            if one and other:
                chance = 1 / (1 + math.exp(prior - by_links - evidence(one, other)))
                if chance >= LEAST:
                    likely[here, there] = chance
    return likely


def evidence(one: Traits, other: Traits) -> float:
    """The log-odds that two memories are of one story, without their links."""
    words = sorted(_in_common(one.words, other.words), reverse=True)[:WORDS]
    files = _in_common(one.files, other.files)
    points = GOAL * sum(value * other.goal[term] for term, value in one.goal.items() if term in other.goal)
    points += max(_in_common(one.names, other.names), default=0.0) + WORD * sum(words)
    if files:
        either = one.file_count + other.file_count - len(files)
        points += FILE * max(files) + FILES * len(files) / either
    points += one.by_agent if one.agent == other.agent else 0
    points += one.in_session if one.session == other.session else 0
    return points - APART * math.log1p(abs(one.at - other.at) / DAY)


def _in_common(some: Mapping[str, float], others: Mapping[str, float]) -> list[float]:
    return [min(value, others[one]) for one, value in some.items() if one in others]


def _candidates(
    memories: Sequence[Traits | None], links: Links, worth: float
) -> Iterator[tuple[int, list[tuple[int, float]]]]:
    """For each memory the later ones that share something rare with it, and the links between them."""
    holders: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for here, one in enumerate(memories):
        for what, _ in _ties(one) if one else ():
            holders[what].append(here)
    passed: defaultdict[tuple[str, str], int] = defaultdict(int)
    for here, one in enumerate(memories):
        if one is None:
            continue
        points: defaultdict[int, float] = defaultdict(float)
        for what, value in _ties(one):
            passed[what] += 1
            at = passed[what]
            for there in holders[what][at : at + NEXT]:
                points[there] += value
        tied = _by_links(here, links)
        near = [(value, -there) for there, value in points.items() if value >= worth and there not in tied]
        closest = [(-there, 0.0) for _, there in nlargest(CLOSEST, near)]
        yield here, [*sorted(tied.items()), *closest]


def _ties(one: Traits) -> Iterator[tuple[tuple[str, str], float]]:
    """Everything that a memory may share with others, with about its points."""
    for word, value in one.words.items():
        yield ("word", word), WORD * value + one.names.get(word, 0.0)
    for path, value in one.files.items():
        yield ("file", path), FILE * value
    yield ("session", one.session), one.in_session


def _by_links(here: int, links: Links) -> dict[int, float]:
    """The later memories that are linked to this one, directly or by a third."""
    mine = links.get(here, frozenset[int]())
    tied = {
        there: NEARLY_LINKED
        for between in mine
        if len(links[between]) <= HUB
        for there in links[between]
        if there > here
    }
    return tied | {there: LINKED for there in mine if there > here}


def group_pairs(pairs: Mapping[tuple[int, int], float], count: int) -> list[list[int]]:
    """The groups of two or more among `count` memories, by their places; no memory is in two.

    The likeliest are merged first: two groups become one while their members, on average, belong together.
    Memories that were never compared count as unrelated.
    """
    members: dict[int, list[int]] = {place: [place] for place in range(count)}
    # For each group the sum of chances of all pairs with another; at first each memory is a group.
    near: dict[int, dict[int, float]] = {}
    for (one, other), chance in pairs.items():
        near.setdefault(one, {})[other] = chance
        near.setdefault(other, {})[one] = chance
    heap = [(-chance, one, other, 1, 1) for (one, other), chance in pairs.items() if chance >= TOGETHER]
    heapify(heap)
    while heap:
        _, one, other, size, other_size = heappop(heap)
        # An entry is outdated if one of its groups has grown, or is part of another by now.
        if len(members.get(one, ())) != size or len(members.get(other, ())) != other_size:
            continue
        if size + other_size <= LARGEST:
            members[one] += members.pop(other)
            mine = near[one]
            for third, chance in near.pop(other).items():
                del near[third][other]
                if third != one:
                    mine[third] = near[third][one] = mine.get(third, 0.0) + chance
            for pair in _worth_joining(near, members, one):
                heappush(heap, pair)
    return [sorted(group) for group in members.values() if len(group) > 1]


def _worth_joining(
    near: Mapping[int, Mapping[int, float]], members: Mapping[int, list[int]], one: int
) -> Iterator[tuple[float, int, int, int, int]]:
    size = len(members[one])
    for other, chances in near[one].items():
        other_size = len(members[other])
        mean = chances / (size * other_size)
        if mean >= TOGETHER and size + other_size <= LARGEST:
            first, second = sorted(((one, size), (other, other_size)))
            yield -mean, first[0], second[0], first[1], second[1]


def sureness(group: list[int], pairs: Mapping[tuple[int, int], float]) -> float:
    """How likely two members of a group belong together, on average; less for a small group.

    The larger of two equally cohesive groups is less likely to be chance.
    """
    chances = [pairs.get(pair, 0.0) for pair in combinations(group, 2)]
    return sum(chances) / len(chances) * (1 - 1 / len(group))
