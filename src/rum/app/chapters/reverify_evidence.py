"""What claims from elsewhere rest on here: evidence that the memories do not bear out is looked for anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rum.consolidate.chapters.evidence import (
    HALF_SUPPORTED,
    MOST_NAMED,
    EvidenceFinder,
    evidence_problems,
    word_coverage,
)
from rum.model.chapters import Chapter, Contradiction, Evidence, Wisdom
from rum.model.memory import Memory

Known = Mapping[str, Memory]


def evidence_here(one: Chapter | Wisdom, known: Known, *, trusted: bool) -> tuple[Evidence, ...]:
    """The evidence of all claims: as it comes where it is trusted and can be, else as the memories say."""
    tracing = EvidenceFinder(known.values())
    return tuple(
        rests_on if trusted and _can_be(claim, rests_on, known) else tracing.evidence(claim)
        for claim, rests_on in zip(one.claims, one.evidence, strict=True)
    )


def _can_be(claim: str, evidence: Evidence, known: Known) -> bool:
    """Whether the memories that are named are here, say much of it, and are as many as is said."""
    if evidence_problems([claim], [evidence], known, HALF_SUPPORTED):
        return False
    newest = max(known[one].created_at for one in evidence.memory_ids)
    return (
        evidence.last_confirmed == newest
        and _counted(evidence.memory_ids, evidence.supporting, len(known))
        and _counted(evidence.against_ids, evidence.against, len(known))
    )


def _counted(named: Sequence[str], count: int, most: int) -> bool:
    """Of very many memories not all are named."""
    return len(set(named)) == len(named) and (
        count == len(named) or (len(named) == MOST_NAMED and MOST_NAMED < count <= most)
    )


def contradictions_here(wisdom: Wisdom, known: Known) -> tuple[Contradiction, ...]:
    """The contradictions of which memories here have both sides."""
    return tuple(
        two
        for two in wisdom.contradictions
        if _said(two.claim, two.memory_ids, known) and _said(two.against, two.against_ids, known)
    )


def _said(claim: str, ids: Sequence[str], known: Known) -> bool:
    sources = [known[one] for one in ids if one in known]
    return len(sources) == len(ids) and word_coverage(claim, sources) >= HALF_SUPPORTED
