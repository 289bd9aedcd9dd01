"""Which claims of wisdom answer a question: by the words of it that they say, or else by what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import log
from typing import NamedTuple

from msgspec import structs

from rum.app.chapters.word_source import drawn
from rum.app.project import Project
from rum.consolidate.chapters.clusters import Similarity
from rum.model.chapters import Wisdom
from rum.store.filters import Filters
from rum.text.terms import query_terms, says_little
from rum.text.word_weights import Words, telling_words

LEAST = 0.3
"""The share of a question, the rarer words counting more, that a claim must say to answer it."""
FEWEST = 2
"""So many words of a question a claim must say, unless it has fewer."""
ALL = 0.95
"""How sure it is that a claim which says every word of a question answers it."""
BY_SUMMARY = 0.8
"""How much less sure it is where only the summary says them."""
LOOKED_AT = 200
"""So many chapters and wisdom that hold most of the words are looked at."""
NEAR = 0.4
"""The cosine from which on a memory, and a claim that rests on it, speaks of what was asked."""
NEAREST = 20

Judge = Callable[[str], float]
"""How surely a text answers; 0 where it does not."""


class Match(NamedTuple):
    """How surely a piece of wisdom answers, and the places of the claims that do, the surest first."""

    confidence: float
    places: tuple[int, ...]


def by_words(project: Project, query: str) -> dict[str, Match]:
    """Wisdom of which a claim, or the summary, says what is asked; the surest first."""
    asked = frozenset(term for term in query_terms(query) if not says_little((term,)))
    ids = [
        one.id for one in project.store.knowledge.holding(sorted(asked), LOOKED_AT) if one.kind == "wisdom"
    ]
    if not asked or not ids:
        return {}
    judge = _by_share(project, asked)
    return _surest((one, _judged(one, judge)) for one in project.store.wisdom.get(ids))


def _by_share(project: Project, asked: Words) -> Judge:
    counts = project.store.knowledge.holders(sorted(asked))
    total = project.store.chapters.count() + project.store.wisdom.count()
    weights = {term: log(1 + (total + 1) / (counts.get(term, 0) + 0.5)) for term in sorted(asked)}
    whole = sum(weights.values())

    def share(text: str) -> float:
        said = telling_words(text)
        held = sum(weight for term, weight in weights.items() if term in said) / whole
        return held if len(asked & said) >= min(FEWEST, len(asked)) and held >= LEAST else 0.0

    return share


def by_meaning(project: Project, query: str) -> dict[str, Match]:
    """Wisdom of which a claim means what is asked; only those are looked at that rest on such memories."""
    store = project.store
    if not store.wisdom.count():
        return {}
    keys = [key for key, cosine in project.semantic.nearest(query, NEAREST) if cosine >= NEAR]
    found = store.search.describe(keys, Filters(superseded=True), session_limit=0)
    near = frozenset(one.row.id for one in found.memories)
    built = store.wisdom.get(list(store.wisdom.holding(store.chapters.holding(near)))) if near else []

    def judged(similarity: Similarity | None) -> dict[str, Match]:
        if similarity is None:
            return {}
        return _surest((one, _by_likeness(one, query, near, similarity)) for one in built)

    return drawn(project, judged) if built else {}


def _by_likeness(one: Wisdom, query: str, near: frozenset[str], similarity: Similarity) -> Match:
    """The claims that rest on such memories and are near themselves."""
    resting = [not near.isdisjoint(evidence.memory_ids) for evidence in one.evidence]
    cosines = [
        similarity(query, claim) if rests else 0.0 for claim, rests in zip(one.claims, resting, strict=True)
    ]
    return _matched([cosine if cosine >= NEAR else 0.0 for cosine in cosines], 0.0)


def _judged(one: Wisdom, judge: Judge) -> Match:
    return _matched([judge(claim) for claim in one.claims], BY_SUMMARY * judge(one.summary))


def _matched(shares: Sequence[float], summary: float) -> Match:
    places = sorted(
        (place for place, share in enumerate(shares) if share), key=lambda one: (-shares[one], one)
    )
    return Match(round(ALL * max((*shares, summary), default=0.0), 2), tuple(places))


def _surest(found: Iterable[tuple[Wisdom, Match]]) -> dict[str, Match]:
    answering = [(one.id, match) for one, match in found if match.confidence]
    return dict(sorted(answering, key=lambda pair: (-pair[1].confidence, pair[0])))


def arranged(one: Wisdom, places: Sequence[int]) -> tuple[Wisdom, tuple[int, ...]]:
    """Wisdom with the claims at these places first in each of its lists, and where they are then."""
    order = list(_arranged(one, places))
    claims = [one.claims[place] for place in order]
    until, then = len(one.insights), len(one.insights) + len(one.patterns)
    first = structs.replace(
        one,
        insights=tuple(claims[:until]),
        patterns=tuple(claims[until:then]),
        best_practices=tuple(claims[then:]),
        evidence=tuple(one.evidence[place] for place in order),
    )
    return first, tuple(number for number, place in enumerate(order) if place in places)


def _arranged(one: Wisdom, places: Sequence[int]) -> Iterator[int]:
    start = 0
    for part in (one.insights, one.patterns, one.best_practices):
        own = range(start, start + len(part))
        yield from (place for place in places if place in own)
        yield from (place for place in own if place not in places)
        start += len(part)
