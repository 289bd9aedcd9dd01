"""Read chapters and wisdom: by id, by tags and time, and wisdom by the question that its claims answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log
from typing import NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.staleness import with_staleness
from rum.app.chapters.words import draw_with_vectors
from rum.app.project import Project
from rum.consolidate.chapters.clusters import Similarity
from rum.model.chapters import (
    Chapter,
    ListChaptersRequest,
    ListChaptersResult,
    RecallWisdomRequest,
    RecallWisdomResult,
    Wisdom,
    WisdomView,
    chapter_view,
    wisdom_view,
)
from rum.model.errors import NO_RESULTS
from rum.model.fields import seconds
from rum.store.chapters import GroupMatches, Range
from rum.store.filters import Filters
from rum.text.terms import query_terms, says_little
from rum.text.word_weights import Words, telling_words

DEFAULT_LIMIT = 10
LEAST = 0.3  # The share of a question, the rarer words counting more, that a claim must have to answer it
FEWEST = 2  # Words of a question that a claim must have, unless it has fewer
HIGHEST = 0.95  # The confidence of a claim that has every word of a question
BY_SUMMARY = 0.8  # The factor for the confidence where only the summary has the words
CANDIDATES = 200  # Chapters and wisdom with most of the words that are compared
NEAR = 0.4  # The cosine from which on a memory, or a claim that it supports, is about the question
NEAREST = 20
_ALL = 10**9


def list_chapters(caller: Caller, question: ListChaptersRequest) -> ListChaptersResult:
    """The chapters by id, in that order; else those that match, the last to end first."""
    project, store = caller.project, caller.project.store.chapters
    most = question.limit or len(question.chapter_ids) or DEFAULT_LIMIT
    if question.chapter_ids:
        named = [project.find_id("chapter", name) for name in question.chapter_ids]
        chapters = [one for one in store.get(list(dict.fromkeys(named))) if _matches(one, question)]
        total = len(chapters)
    else:
        ids, total = store.matching(question.tags, _range(question), most)
        chapters = store.get(ids)
    shown = with_staleness(project, chapters[:most])
    return ListChaptersResult(
        chapters=[chapter_view(one, include_members=bool(question.chapter_ids)) for one in shown],
        total=total,
        code=UNSET if shown else NO_RESULTS,
        hint=UNSET if shown else _chapter_hint(project),
    )


def _range(question: ListChaptersRequest) -> Range:
    since = 0 if question.since is None else seconds(question.since)
    return Range(since) if question.before is None else Range(since, seconds(question.before))


def _matches(chapter: Chapter, question: ListChaptersRequest) -> bool:
    within = _range(question)
    return (
        set(question.tags) <= set(chapter.tags)
        and chapter.start_ts >= within.since
        and chapter.end_ts <= within.before
    )


def _chapter_hint(project: Project) -> str:
    count = project.store.chapters.count()
    if count:
        return f"None of the {count} chapters is like that; ask for fewer tags, or another time."
    return "There are no chapters yet; create_chapter makes one of memories."


def find_chapter(project: Project, name: str) -> Chapter:
    """The one chapter that an id or the end of one means."""
    store = project.store.chapters
    return store.get([project.find_id("chapter", name)])[0]


def find_wisdom(project: Project, name: str) -> Wisdom:
    """The one wisdom that an id or the end of one means."""
    store = project.store.wisdom
    return store.get([project.find_id("wisdom", name)])[0]


class Match(NamedTuple):
    """How surely wisdom answers, and the places of the claims that do, the surest first."""

    confidence: float
    places: tuple[int, ...]


def recall_wisdom(caller: Caller, question: RecallWisdomRequest) -> RecallWisdomResult:
    """The wisdom that answers a question, the surest first; without a question the newest."""
    project, store = caller.project, caller.project.store.wisdom
    fuzzy, found = False, dict[str, Match | None]()
    if question.wisdom_id:
        found[find_wisdom(project, question.wisdom_id).id] = None
    elif question.query and question.query.strip():
        by_words = _match_words(project, question.query)
        fuzzy = not by_words
        found |= by_words or _match_meaning(project, question.query)
    else:
        found |= dict.fromkeys(store.matching(question.tags, Range(), _ALL)[0])
    wisdom = [one for one in store.get(list(found)) if set(question.tags) <= set(one.tags)]
    shown = with_staleness(project, wisdom[: question.limit])
    return RecallWisdomResult(
        wisdom=[_view(one, found[one.id], question.include_chapters, fuzzy) for one in shown],
        total=len(wisdom),
        code=UNSET if shown else NO_RESULTS,
        hint=UNSET if shown else _wisdom_hint(project),
    )


def _view(one: Wisdom, match: Match | None, chapters: bool, fuzzy: bool) -> WisdomView:
    """Wisdom as callers see it; the claims that answer a question come first."""
    if match is None:
        return wisdom_view(one, include_chapters=chapters)
    first, places = _reordered(one, match.places)
    fields = {"match": "fuzzy"} if fuzzy else {}
    return wisdom_view(
        first, include_chapters=chapters, confidence=match.confidence, matching=places, **fields
    )


def _reordered(one: Wisdom, places: Sequence[int]) -> tuple[Wisdom, tuple[int, ...]]:
    """Wisdom with the claims at these places first in each of its lists, and where they are then."""
    lists, order = dict[str, tuple[str, ...]](), list[int]()
    for name in one.CLAIM_LISTS:
        own = range(len(order), len(order) + len(getattr(one, name)))
        chosen = [place for place in places if place in own]
        chosen += [place for place in own if place not in places]
        lists[name] = tuple(one.claims[place] for place in chosen)
        order += chosen
    evidence = tuple(one.evidence[place] for place in order)
    now = tuple(number for number, place in enumerate(order) if place in places)
    return replace(one, **lists, evidence=evidence), now


def _wisdom_hint(project: Project) -> str:
    count = project.store.wisdom.count()
    if count:
        what = (
            "The one piece of wisdom there is says"
            if count == 1
            else f"The {count} pieces of wisdom there are say"
        )
        return f"{what} nothing about this; ask with other words, or with fewer tags."
    return "There is no wisdom yet: synthesize makes it from chapters, create_chapter makes those."


def _match_words(project: Project, query: str) -> dict[str, Match]:
    """Wisdom with a claim, or a summary, that has the words of a question; the surest first."""
    words = frozenset(term for term in query_terms(query) if not says_little((term,)))
    found = project.store.find_groups(sorted(words), CANDIDATES)
    ids = [one.id for one in found.matches if one.kind == "wisdom"]
    if not ids:
        return {}
    share = _word_share(found, words)
    return _surest(
        (one, _match([share(claim) for claim in one.claims], BY_SUMMARY * share(one.summary)))
        for one in project.store.wisdom.get(ids)
    )


def _word_share(found: GroupMatches, words: Words) -> Callable[[str], float]:
    """A function that says how much of a question a text has; 0 where that is too little."""
    weights = {term: log(1 + (found.total + 1) / (found.counts[term] + 0.5)) for term in sorted(words)}
    whole = sum(weights.values())

    def share(text: str) -> float:
        own = telling_words(text)
        held = sum(weight for term, weight in weights.items() if term in own) / whole
        return held if len(words & own) >= min(FEWEST, len(words)) and held >= LEAST else 0.0

    return share


def _match_meaning(project: Project, query: str) -> dict[str, Match]:
    """Wisdom with a claim near the question in meaning, of those that near memories support."""
    store = project.store
    if not store.wisdom.count():
        return {}
    keys = [key for key, cosine in project.semantic.nearest(query, NEAREST).live if cosine >= NEAR]
    found = store.search.describe(keys, Filters(superseded=True), session_limit=0)
    near = frozenset(one.row.id for one in found.memories)
    wisdom = store.wisdom.get(store.wisdom.containing(store.chapters.containing(near))) if near else []

    def match(similarity: Similarity | None) -> dict[str, Match]:
        if similarity is None:
            return {}
        return _surest((one, _match(_cosines(one, query, near, similarity), 0.0)) for one in wisdom)

    return draw_with_vectors(project, match) if wisdom else {}


def _cosines(one: Wisdom, query: str, near: frozenset[str], similarity: Similarity) -> list[float]:
    """For each claim its cosine; 0 where it is not near, or no near memory supports it."""
    cosines = (
        0.0 if near.isdisjoint(evidence.memory_ids) else similarity(query, claim)
        for claim, evidence in zip(one.claims, one.evidence, strict=True)
    )
    return [cosine if cosine >= NEAR else 0.0 for cosine in cosines]


def _match(shares: Sequence[float], summary: float) -> Match:
    places = sorted(
        (place for place, share in enumerate(shares) if share), key=lambda one: (-shares[one], one)
    )
    return Match(round(HIGHEST * max((*shares, summary), default=0.0), 2), tuple(places))


def _surest(found: Iterable[tuple[Wisdom, Match]]) -> dict[str, Match]:
    answering = [(one.id, match) for one, match in found if match.confidence]
    return dict(sorted(answering, key=lambda pair: (-pair[1].confidence, pair[0])))
