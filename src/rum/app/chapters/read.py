"""Read chapters and wisdom: by id, by tags and time, and wisdom by a query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    CreateChapterRequest,
    Evidence,
    Group,
    ListChaptersRequest,
    ListChaptersResult,
    RecallWisdomRequest,
    RecallWisdomResult,
    SynthesizeRequest,
    Wisdom,
    WisdomView,
    chapter_view,
    wisdom_view,
)
from rum.model.errors import NO_RESULTS
from rum.model.fields import seconds
from rum.store.chapters import Range
from rum.store.filters import Filters
from rum.text.terms import query_terms, says_little
from rum.text.word_weights import telling_words

DEFAULT_LIMIT = 10
MIN_WORD_SHARE = 0.3  # Of a query that a claim must have to match; rarer words count more
MIN_WORDS = 2  # Words of a query that a claim must have, unless the query has fewer
MAX_CONFIDENCE = 0.95  # Of a claim that has every word of a query
SUMMARY_FACTOR = 0.8  # For the confidence if only the summary has the words
MAX_CANDIDATES = 200  # Chapters and wisdom with the most words in common
MIN_COSINE = 0.4  # For a memory, or a claim that it supports, to match a query
MAX_NEAR_MEMORIES = 20
_NO_LIMIT = 10**9

TimedRequest = CreateChapterRequest | ListChaptersRequest | SynthesizeRequest | RecallWisdomRequest


def time_range(request: TimedRequest) -> Range:
    """The range of time that a request asks for."""
    given = {"since": request.since, "before": request.before}
    return Range(**{name: seconds(at) for name, at in given.items() if at is not None})


def _is_within(group: Group, within: Range) -> bool:
    return group.start_ts >= within.since and group.end_ts <= within.before


def list_chapters(caller: Caller, request: ListChaptersRequest) -> ListChaptersResult:
    """The chapters by id, in that order; else those that match, the last to end first."""
    project, store, within = caller.project, caller.project.store.chapters, time_range(request)
    limit = request.limit or len(request.chapter_ids) or DEFAULT_LIMIT
    if request.chapter_ids:
        named = dict.fromkeys(project.find_id("chapter", name) for name in request.chapter_ids)
        chapters = [
            one
            for one in store.get(list(named))
            if set(request.tags) <= set(one.tags) and _is_within(one, within)
        ]
        total = len(chapters)
    else:
        ids, total = store.matching(request.tags, within, limit, request.sort)
        chapters = store.get(ids)
    shown = with_staleness(project, chapters[:limit])
    hint = "There are no chapters yet; create_chapter makes one of memories."
    if not shown and (count := store.count()):
        hint = f"None of the {count} chapters is like that; ask for fewer tags, or another time."
    return ListChaptersResult(
        chapters=[chapter_view(one, include_members=bool(request.chapter_ids)) for one in shown],
        total=total,
        code=UNSET if shown else NO_RESULTS,
        hint=UNSET if shown else hint,
    )


class Match(NamedTuple):
    """How surely wisdom answers a query, and the indexes of the matching claims, the surest first."""

    confidence: float
    places: tuple[int, ...]


def recall_wisdom(caller: Caller, request: RecallWisdomRequest) -> RecallWisdomResult:
    """The wisdom that matches the query, the surest first; without a query the newest."""
    project, store, within = caller.project, caller.project.store.wisdom, time_range(request)
    fuzzy, found = False, dict[str, Match | None]()
    if request.wisdom_id:
        found[project.find_id("wisdom", request.wisdom_id)] = None
    elif request.query and request.query.strip():
        by_words = _match_words(project, request.query)
        fuzzy = not by_words
        found |= by_words or _match_meaning(project, request.query)
    else:
        found |= dict.fromkeys(store.matching(request.tags, within, _NO_LIMIT)[0])
    wisdom = [
        one
        for one in store.get(list(found))
        if set(request.tags) <= set(one.tags) and _is_within(one, within)
    ]
    shown = with_staleness(project, wisdom[: request.limit])
    hint = "There is no wisdom yet: synthesize makes it from chapters, create_chapter makes those."
    if not shown and (count := store.count()):
        many = f"The {count} pieces of wisdom there are say"
        what = "The one piece of wisdom there is says" if count == 1 else many
        hint = f"{what} nothing about this; ask with other words, with fewer tags, or for another time."
    return RecallWisdomResult(
        wisdom=[_view(one, found[one.id], request.include_chapters, fuzzy) for one in shown],
        total=len(wisdom),
        code=UNSET if shown else NO_RESULTS,
        hint=UNSET if shown else hint,
    )


def _view(one: Wisdom, match: Match | None, chapters: bool, fuzzy: bool) -> WisdomView:
    """Wisdom as callers see it; in each list the claims that match the query come first."""
    if match is None:
        return wisdom_view(one, include_chapters=chapters)
    lists, order = dict[str, tuple[str, ...]](), list[int]()
    for name in one.CLAIM_LISTS:
        own = range(len(order), len(order) + len(getattr(one, name)))
        chosen = [place for place in match.places if place in own]
        chosen += [place for place in own if place not in match.places]
        lists[name] = tuple(one.claims[place] for place in chosen)
        order += chosen
    return wisdom_view(
        replace(one, **lists, evidence=tuple(one.evidence[place] for place in order)),
        include_chapters=chapters,
        confidence=match.confidence,
        matching=tuple(number for number, place in enumerate(order) if place in match.places),
        **({"match": "fuzzy"} if fuzzy else {}),
    )


def _match_words(project: Project, query: str) -> dict[str, Match]:
    """Wisdom with a claim, or a summary, that has the words of a query; the surest first."""
    words = frozenset(term for term in query_terms(query) if not says_little((term,)))
    found = project.store.find_groups(sorted(words), MAX_CANDIDATES)
    ids = [one.id for one in found.matches if one.kind == "wisdom"]
    if not ids:
        return {}
    weights = {term: log(1 + (found.total + 1) / (found.counts[term] + 0.5)) for term in sorted(words)}
    whole = sum(weights.values())

    def share(text: str) -> float:
        """The share of the query that a text has; 0 if that is too little."""
        own = telling_words(text)
        held = sum(weight for term, weight in weights.items() if term in own) / whole
        return held if len(words & own) >= min(MIN_WORDS, len(words)) and held >= MIN_WORD_SHARE else 0.0

    return _surest(
        (one, [share(claim) for claim in one.claims], SUMMARY_FACTOR * share(one.summary))
        for one in project.store.wisdom.get(ids)
    )


def _match_meaning(project: Project, query: str) -> dict[str, Match]:
    """Wisdom with a claim near the query in meaning and supported by a near memory."""
    store = project.store
    if not store.wisdom.count():
        return {}
    nearest = project.semantic.nearest(query, MAX_NEAR_MEMORIES).live
    keys = [key for key, cosine in nearest if cosine >= MIN_COSINE]
    found = store.search.describe(keys, Filters(superseded=True))
    near = frozenset(one.row.id for one in found.memories)
    wisdom = store.wisdom.get(store.wisdom.made_of(parts=store.chapters.made_of(parts=near))) if near else []

    def match(similarity: Similarity | None) -> dict[str, Match]:
        if similarity is None:
            return {}

        def cosine(claim: str, evidence: Evidence) -> float:
            found = 0.0 if near.isdisjoint(evidence.memory_ids) else similarity(query, claim)
            return found if found >= MIN_COSINE else 0.0

        return _surest((one, list(map(cosine, one.claims, one.evidence)), 0.0) for one in wisdom)

    return draw_with_vectors(project, match) if wisdom else {}


def _surest(found: Iterable[tuple[Wisdom, Sequence[float], float]]) -> dict[str, Match]:
    """The matches, surest first, from wisdom with what its claims and its summary share with the query."""
    matches: dict[str, Match] = {}
    for one, shares, summary in found:
        places = sorted((-share, place) for place, share in enumerate(shares) if share)
        confidence = round(MAX_CONFIDENCE * max((*shares, summary)), 2)
        if confidence:
            matches[one.id] = Match(confidence, tuple(place for _, place in places))
    return dict(sorted(matches.items(), key=lambda pair: (-pair[1].confidence, pair[0])))
