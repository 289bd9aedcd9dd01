"""What chapters and wisdom have to say to a brief: claims that speak of the task, and stories like it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rum.app.brief_asked import Asked
from rum.app.context import Context
from rum.app.knowledge import SHARE
from rum.app.staleness import judged, judged_wisdom
from rum.inject import brief
from rum.inject.budget import Piece
from rum.model.chapter import Chapter
from rum.model.wisdom import Wisdom
from rum.recall.knowledge import FEWEST, Known, ranked
from rum.store.terms import query_terms, terms

CLAIMS, STORIES = 6, 2
"""So many claims, and so many chapters, are offered to the budget."""
MOST_SUPPORT = 5
"""Memories beyond the first that still make a claim worth more."""


def stories(context: Context, asked: Asked) -> list[Piece]:
    """Claims of wisdom that have words of the task or of its files, and chapters with most of them."""
    text = " ".join((asked.about, *asked.files))
    found = ranked(context.store, text, least=0.0)
    return [*_claims(context, query_terms(text), found), *_told(context, found)]


def _claims(context: Context, words: Sequence[str], found: Sequence[Known]) -> list[Piece]:
    ids = [one.id for one in found if one.kind == "wisdom"]
    pieces: dict[str, Piece] = {}
    for wisdom in judged_wisdom(context, context.store.wisdom.get(ids)):
        for claim, piece in _of_wisdom(wisdom, frozenset(words)):
            if claim not in pieces or pieces[claim].points < piece.points:
                pieces[claim] = piece
    return sorted(pieces.values(), key=lambda piece: (-piece.points, piece.id))[:CLAIMS]


def _of_wisdom(wisdom: Wisdom, words: frozenset[str]) -> Iterator[tuple[str, Piece]]:
    """Its claims that memories bear out and that have words of the task; one word is enough of few."""
    for number, (claim, rests_on) in enumerate(zip(wisdom.claims, wisdom.evidence, strict=True), start=1):
        common = words.intersection(terms(claim))
        if not rests_on.supporting or len(common) < min(FEWEST, len(words)):
            continue
        points = brief.WISDOM + brief.WISDOM_WORDS * len(common) / len(words)
        points += brief.SUPPORTED * min(rests_on.supporting - 1, MOST_SUPPORT)
        points -= brief.OUTDATED if wisdom.stale else 0.0
        piece = brief.wisdom(
            wisdom.id, number, round(points, 2), claim, rests_on.supporting, rests_on.against
        )
        yield claim, piece


def _told(context: Context, found: Sequence[Known]) -> list[Piece]:
    near = {one.id: one for one in found if one.kind == "chapter" and one.share >= SHARE}
    chapters = judged(context, context.store.chapters.get(list(near)[:STORIES]))
    return [_story(chapter, near[chapter.id]) for chapter in chapters]


def _story(chapter: Chapter, known: Known) -> Piece:
    points = brief.REMEMBERED * known.confidence - (brief.OUTDATED if chapter.stale else 0.0)
    supported = [
        claim
        for claim, rests_on in zip(chapter.learnings, chapter.evidence, strict=True)
        if rests_on.supporting
    ]
    return brief.chapter(chapter.id, round(points, 2), chapter.title, chapter.summary, supported)
