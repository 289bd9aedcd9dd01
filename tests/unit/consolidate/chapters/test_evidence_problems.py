"""The checker: what no source says is found."""

from __future__ import annotations

from msgspec.structs import replace

from rum.consolidate.chapters import chapter_words, wisdom_words
from rum.consolidate.chapters.evidence import evidence_problems, unsupported_figures, word_coverage
from rum.model.chapters import Evidence
from support.chapter_memories import LOGINS, by_id, make_chapter, make_work

MEMBERS = by_id(*LOGINS)
WORDS = chapter_words.draw_chapter(LOGINS)


def test_drawn_claims_are_supported_by_their_sources():
    assert WORDS.learnings
    assert evidence_problems(WORDS.learnings, WORDS.evidence, MEMBERS) == []
    pairs = [make_work(n, "Widen a column", files=["schema.sql", "models.py"]) for n in (11, 12, 13)]
    members = MEMBERS | by_id(*pairs)
    wisdom = wisdom_words.draw_wisdom(
        [make_chapter(1, LOGINS[:3]), make_chapter(2, [*LOGINS[2:], *pairs])], members
    )
    claims = (*wisdom.insights, *wisdom.patterns, *wisdom.best_practices)
    assert all((wisdom.insights, wisdom.patterns, wisdom.best_practices))
    assert evidence_problems(claims, wisdom.evidence, members) == []


def test_every_kind_of_invention_is_found():
    claim, evidence = WORDS.learnings[0], WORDS.evidence[0]

    def problems(claim: str, evidence: Evidence) -> str:
        return " ".join(evidence_problems([claim], [evidence], MEMBERS))

    assert problems(claim, evidence) == ""
    assert "kubernet" in problems(f"{claim} on Kubernetes", evidence)
    assert "17" in problems(f"{claim} within 17 seconds", evidence)
    assert "no member" in problems(claim, replace(evidence, memory_ids=("mem_999",)))
    assert "no member" in problems(claim, replace(evidence, against_ids=("mem_999",)))
    assert "counts 0" in problems(claim, replace(evidence, supporting=0))
    assert "names 0" in problems(claim, Evidence())
    assert "no source says" in problems(claim, replace(evidence, memory_ids=("mem_003",), supporting=1))
    assert "newer" in problems(claim, replace(evidence, last_confirmed=1))
    assert evidence_problems([claim], [], MEMBERS) == ["1 claims have 0 pieces of evidence"]


def test_counts_are_checked_against_the_memories():
    evidence = Evidence(memory_ids=("mem_001",), supporting=1, last_confirmed=LOGINS[0].created_at)
    assert evidence_problems(["1 of 5 memories changed src/refresh.py."], [evidence], MEMBERS) == []
    assert evidence_problems(["1 of 77 memories changed src/refresh.py."], [evidence], MEMBERS) != []


def test_a_share_of_the_words_may_be_enough():
    assert word_coverage("Tokens rotate on Fridays", LOGINS) == 2 / 3
    assert word_coverage("", LOGINS) == 0
    assert unsupported_figures("Rotate 17 tokens", LOGINS) == {"17"}
    evidence = Evidence(memory_ids=("mem_001",), supporting=1, last_confirmed=LOGINS[0].created_at)
    claim = "Refresh tokens must be rotated on Fridays"
    assert evidence_problems([claim], [evidence], MEMBERS) != []
    assert evidence_problems([claim], [evidence], MEMBERS, least=0.6) == []
