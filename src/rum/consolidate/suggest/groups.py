"""Groups of memories that look like one story: a feature, a bug with what followed, a campaign of work."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import heappush, heappushpop
from itertools import islice

from msgspec import Struct

from rum.consolidate.chapters.titles import Goal, find_headings, is_generic, make_title
from rum.consolidate.counting import day_text, is_incidental
from rum.consolidate.suggest.similarity import (
    Outline,
    Traits,
    group_pairs,
    likely_pairs,
    measure,
    outline,
    sureness,
)
from rum.model.links import Edge
from rum.model.memory import Memory
from rum.text.terms import terms

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
    goals = [Goal(one.goal, one.tags) for one in members]
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
    first, last = (day_text(one.at) for one in (members[0], members[-1]))
    when = f"on {first}" if first == last else f"from {first} to {last}"
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
