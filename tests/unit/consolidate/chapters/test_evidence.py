"""Evidence: who says a claim or otherwise, when it was last confirmed, and claims without a source."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rum.consolidate.chapters import chapter_words, wisdom_words
from rum.consolidate.chapters.evidence import (
    MOST_NAMED,
    EvidenceFinder,
    evidence_problems,
    make_evidence,
    unsupported_figures,
    word_coverage,
)
from rum.model.chapters import Evidence
from support.chapter_memories import LOGINS, by_id, make_chapter, make_work


def test_the_memory_whose_words_it_has_is_named_first_and_then_the_newest():
    members = [make_work(n) for n in range(30)]
    ids = [memory.id for memory in members]
    found = make_evidence([ids[3], *ids], [ids[7]], by_id(*members))
    assert found.memory_ids[0] == ids[3]
    assert ids[-1] in found.memory_ids
    assert (len(found.memory_ids), found.supporting) == (MOST_NAMED, 30)
    assert found.last_confirmed == members[-1].created_at
    assert (found.against, found.against_ids) == (1, (ids[7],))


def test_a_claim_in_other_words_is_traced_to_those_who_say_it():
    found = EvidenceFinder(LOGINS).evidence("On every use a refresh token must be rotated")
    assert set(found.memory_ids) == {"mem_001", "mem_004", "mem_005"}
    assert found.last_confirmed == LOGINS[4].created_at


@pytest.mark.parametrize(
    "claim", ["Use Kubernetes for deployments", "", "…", "Rotate 17 refresh tokens on use"]
)
def test_what_nobody_says_has_no_evidence(claim: str):
    assert EvidenceFinder(LOGINS).evidence(claim) == Evidence()


def test_words_strewn_over_a_long_story_are_no_claim():
    story = "\n\n".join(
        f"{'Nothing of note happened. ' * 30}The {word} was there." for word in ("pool", "lock", "tab")
    )
    assert (
        EvidenceFinder([make_work(1, "Do it", context=story)]).evidence("The pool has a lock for each tab")
        == Evidence()
    )


def test_a_contradicting_memory_counts_against_the_claim():
    members = [
        make_work(1, "a", "The session timeout is 30 minutes"),
        make_work(2, "b", "The session timeout is 60 minutes"),
    ]
    found = EvidenceFinder(members).evidence("The session timeout is 30 minutes")
    assert (found.memory_ids, found.against_ids) == (("mem_001",), ("mem_002",))


def test_a_superseded_memory_neither_supports_nor_speaks_against():
    members = [
        make_work(1, "a", "The session timeout is 30 minutes", superseded_by=["mem_002"]),
        make_work(2, "b", "The session timeout is 60 minutes"),
    ]
    assert EvidenceFinder(members).evidence("The session timeout is 30 minutes").supporting == 0
    assert EvidenceFinder(members).evidence("The session timeout is 60 minutes").against == 0


def test_meaning_finds_those_who_say_it_in_other_words_if_some_are_the_same():
    members = [make_work(1, "a", "Tokens are void an hour later")]
    claim = "After an hour tokens expire for good"
    assert EvidenceFinder(members).evidence(claim).supporting == 0
    assert EvidenceFinder(members, lambda one, other: 0.9).evidence(claim).supporting == 1
    assert EvidenceFinder(members, lambda one, other: 0.4).evidence(claim).supporting == 0
    assert EvidenceFinder(members, lambda one, other: 1.0).evidence("Deploy on Fridays").supporting == 0


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("Sessions are not stored in Redis because it loses them", "Sessions are stored in Redis"),
        ("Sessions are stored in Redis", "Sessions are not stored in Redis"),
        ("Do not raise the pool size above the worker count", "Raise the pool size above the worker count"),
        ("The legacy flag was removed, so nobody may set it", "The legacy flag may be set"),
        ("The cache fails with several workers of a pool", "The cache works with several workers"),
        ("Deploys on Fridays are forbidden since the outage", "Deploys on Fridays are allowed"),
        ("It was slow. Use tabs, not spaces, in the config.", "Use spaces in the config"),
        ("Never retry a payment, as it is booked twice", "Retry a payment"),
        ("Sessions are not stored in Redis, nor on disk", "Sessions are stored in Redis"),
    ],
)
def test_the_opposite_in_similar_words_contradicts_the_claim(said: str, claim: str):
    found = EvidenceFinder([make_work(1, "Look at it", said)]).evidence(claim)
    assert (found.supporting, found.against_ids) == (0, ("mem_001",))
    given = make_work(1, claim, said, summary="Done")  # what it was for is not what came of it
    assert EvidenceFinder([given]).evidence(claim).against_ids == ("mem_001",)


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("Sessions are not stored in Redis because it loses them", "Sessions must not be stored in Redis"),
        ("Sessions are stored in Redis, because the disk is not fast", "Sessions are stored in Redis"),
        ("No deploys are allowed on Fridays", "Deploys on Fridays are not allowed"),
        ("Retry uploads that failed", "Retry failed uploads"),
        ("Use tabs, not spaces, in the config", "Use tabs in the config"),
        ("The worker drains the queue", "The queue is drained by the worker"),
        ("The lock is never held for long. The pool has a lock.", "The pool has a lock"),
        ("Flush the cache before closing the writer", "Close the writer after flushing the cache"),
    ],
)
def test_a_negation_in_another_part_still_supports_the_claim(said: str, claim: str):
    found = EvidenceFinder([make_work(1, "Look at it", said)]).evidence(claim)
    assert (found.memory_ids, found.against) == (("mem_001",), 0)


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("Deploys to the us cluster go through the vault", "Deploys to the eu cluster go through the vault"),
        (
            "Write timeouts of the client come from the proxy",
            "Read timeouts of the client come from the proxy",
        ),
        ("Everyone can delete invoices in the console", "Only admins can delete invoices in the console"),
        ("Admins can delete invoices in the console", "Only admins can delete invoices in the console"),
        (
            "The importer copies rows from Postgres to Redis",
            "The importer copies rows from Redis to Postgres",
        ),
        ("The cache is empty after the import", "The cache is empty before the import"),
    ],
)
def test_a_statement_about_something_else_neither_supports_nor_contradicts(said: str, claim: str):
    members = [make_work(1, "Look at it", said)]
    assert EvidenceFinder(members).evidence(claim) == Evidence()
    assert EvidenceFinder(members, lambda one, other: 1.0).evidence(claim) == Evidence()


def test_a_memory_that_says_it_literally_supports_it_whatever_else_it_says():
    told = ("Raise the pool size on large machines", "Do not raise the pool size on small machines")
    member = make_work(1, "Tune the pool size on large and small machines", *told)
    for claim in told:
        assert EvidenceFinder([member]).evidence(claim).memory_ids == ("mem_001",)


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
