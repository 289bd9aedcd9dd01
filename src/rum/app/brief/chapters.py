"""What chapters and wisdom add to a brief: claims about the task, and chapters like it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence

from rum.app.brief.query import BriefQuery, distinctive_words, normalise
from rum.app.chapters.staleness import with_staleness
from rum.app.memories.knowledge import MIN_WORD_SHARE
from rum.app.project import Project
from rum.inject import brief
from rum.inject.budget import Piece
from rum.recall.knowledge import MIN_WORDS, Known, ranked
from rum.text.patterns import Text, is_any, without_paths

CLAIMS, STORIES = 6, 2  # The maximum of claims, and of chapters, among which the budget chooses
MOST_SUPPORT = 5  # Memories beyond the first that still make a claim worth more
VERY_FILE = 0.5  # What share of the task's words it is worth that a claim names the very file at hand
# How a claim begins that is of use only where its file is at hand; the first two are of earlier versions.
_OF_FILES = re.compile(
    r"\d+ of (?:\d+ )?memor(?:y|ies)\b|(?:Usually w|W)hen \S+ was changed, |Changes of \S+ failed "
    r"|In these chapters, changes of "
)
_CHANGED = re.compile(r"\d+ of (?:\d+ )?memor(?:y|ies) changed \S+")
_NUMBER = re.compile(r"\d+")


def chapter_pieces(project: Project, query: BriefQuery) -> list[Piece]:
    """Claims of wisdom that speak of the task or of the very files, and chapters with most words of it."""
    names = (posixpath.basename(path.rstrip("/")).partition(".")[0] for path in query.text.files)
    found = ranked(project.store, " ".join((without_paths(query.about), *names)), min_confidence=0.0)
    return [*_claims(project, query, found), *_stories(project, found)]


def _claims(project: Project, query: BriefQuery, found: Sequence[Known]) -> list[Piece]:
    """The best claims that memories support; of those that differ in numbers alone the best one."""
    ids = [one.id for one in found if one.kind == "wisdom"]
    pieces: dict[str, Piece] = {}
    for wisdom in with_staleness(project, project.store.wisdom.get(ids)):
        for number, (claim, evidence) in enumerate(zip(wisdom.claims, wisdom.evidence, strict=True), start=1):
            share = _word_share(claim, query)
            if not evidence.supporting or not share:
                continue
            points = brief.WISDOM + brief.WISDOM_WORDS * share
            points += brief.SUPPORTED * min(evidence.supporting - 1, MOST_SUPPORT)
            points = round(points - (brief.OUTDATED if wisdom.stale else 0.0), 2)
            key = _NUMBER.sub("0", normalise(claim))
            if key not in pieces or pieces[key].points < points:
                counts = evidence.supporting, evidence.against
                pieces[key] = brief.wisdom(wisdom.id, number, points, claim, *counts)
    return sorted(pieces.values(), key=lambda piece: (-piece.points, piece.id))[:CLAIMS]


def _word_share(claim: str, query: BriefQuery) -> float:
    """How much a claim has to say: the share of the task's telling words it has, or that it names the file.

    One word is enough of few. What happened to a file counts only if that file is at hand.
    """
    text = Text(claim)
    at_hand = is_any(text.files, query.text.files)
    if _CHANGED.fullmatch(claim.rstrip(".")) or (_OF_FILES.match(claim) and not at_hand):
        return 0.0
    words = distinctive_words(without_paths(query.about))
    common = text.count(words)
    share = common / len(words) if common and common >= min(MIN_WORDS, len(words)) else 0.0
    return max(share, VERY_FILE) if at_hand else share


def _stories(project: Project, found: Sequence[Known]) -> Iterator[Piece]:
    near = {one.id: one for one in found if one.kind == "chapter" and one.share >= MIN_WORD_SHARE}
    for chapter in with_staleness(project, project.store.chapters.get(list(near)[:STORIES])):
        points = brief.REMEMBERED * near[chapter.id].confidence - (brief.OUTDATED if chapter.stale else 0.0)
        pairs = zip(chapter.learnings, chapter.evidence, strict=True)
        supported = [claim for claim, evidence in pairs if evidence.supporting]
        yield brief.chapter(chapter.id, round(points, 2), chapter.title, chapter.summary, supported)
