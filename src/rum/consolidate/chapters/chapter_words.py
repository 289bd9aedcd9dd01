"""The words of a chapter, drawn from its members: title, summary, topics, learnings with their evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rum.consolidate.chapters.chapter_summary import summary_of
from rum.consolidate.chapters.evidence import evidence_of
from rum.consolidate.chapters.failures import failures
from rum.consolidate.chapters.members import in_force, in_order
from rum.consolidate.chapters.titles import aims_of, headings, title_of
from rum.consolidate.clusters import Cluster, Likeness, by_text, clustered
from rum.consolidate.statements import SAID_OF, Kind, Statement, statements_of
from rum.model.chapters import ChapterWords, Evidence
from rum.model.memory import Memory
from rum.text.word_weights import telling_words

MOST_LEARNINGS = 8
MOST_SIDES = 2
"""Claims that are shown beside one that they contradict."""
LEAST_RANK = 1.25
"""What a claim must be worth to be a learning: better none than one that tells nothing."""


def draw(members: Sequence[Memory], likeness: Likeness | None = None) -> ChapterWords:
    """The words of a chapter: the same for the same members in any order, and nothing they do not say."""
    ordered = in_order(members)
    aims = aims_of(ordered)
    found = headings(aims)
    topics = tuple(heading.text for heading in found)
    claims = clustered(claims_of(ordered), telling_words(" ".join(topics)), likeness)
    learnings = with_other_sides(picked(claims, MOST_LEARNINGS), claims)
    by_id = {memory.id: memory for memory in ordered}
    return ChapterWords(
        title=title_of(aims, found),
        summary=summary_of(ordered, topics),
        learnings=tuple(cluster.best.text for cluster in learnings),
        evidence=tuple(evidence(cluster, by_id) for cluster in learnings),
        topics=topics,
    )


def claims_of(ordered: Sequence[Memory]) -> list[Statement]:
    """All that memories, in the order of time, claim, and what failed; superseded ones say nothing."""
    living = in_force(ordered)
    failed = [failure.statement for failure in failures(living)]
    told = "\n".join(statement.text for statement in failed)
    said = (statement for memory in living for statement in statements_of(memory))
    return [*failed, *(one for one in said if one.kind is not Kind.TOLD or not _repeats(one.text, told))]


def _repeats(text: str, told: str) -> bool:
    """Whether a story, such as that of taking work back, only says why the work failed."""
    reason = text.partition(SAID_OF)[2] or text
    return reason in told


def picked(found: Sequence[Cluster], count: int, least: float = LEAST_RANK) -> list[Cluster]:
    """The best claims; of the story of a memory that has made one already no more."""
    chosen, heard = list[Cluster](), set[str]()
    for cluster in found:
        if len(chosen) == count:
            break
        if cluster.rank < least:
            continue
        new = heard.isdisjoint(cluster.memory_ids)
        if new or cluster.best.kind in (Kind.LEARNED, Kind.NOTICED):
            chosen.append(cluster)
            heard.update(cluster.memory_ids)
    return chosen


def with_other_sides(chosen: Sequence[Cluster], found: Sequence[Cluster]) -> list[Cluster]:
    """Claims, each followed by those that contradict it, so that no side stands alone."""
    texts = by_text(found)
    shown = dict[str, Cluster]()
    for cluster in chosen:
        others = [texts[statement.text] for statement in cluster.against if statement.text in texts]
        for one in (cluster, *sorted(others, key=lambda other: -other.rank)[:MOST_SIDES]):
            shown.setdefault(one.best.text, one)
    return list(shown.values())


def evidence(cluster: Cluster, members: Mapping[str, Memory]) -> Evidence:
    """What a claim rests on."""
    return evidence_of(cluster.memory_ids, cluster.against_ids, members)
