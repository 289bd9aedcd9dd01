"""Evidence: who says a claim, who says otherwise, and when it was last confirmed."""

from __future__ import annotations

import pytest

from consolidating import LOGINS, by_id, make_work
from rum.consolidate.evidence import MOST_NAMED, Tracing, evidence_of, trace_claim
from rum.model.chapter import Evidence


def test_the_memory_whose_words_it_has_is_named_first_and_then_the_newest():
    members = [make_work(n) for n in range(30)]
    ids = [memory.id for memory in members]
    found = evidence_of([ids[3], *ids], [ids[7]], by_id(*members))
    assert found.memory_ids[0] == ids[3]
    assert ids[-1] in found.memory_ids
    assert (len(found.memory_ids), found.supporting) == (MOST_NAMED, 30)
    assert found.last_confirmed == members[-1].created_at
    assert (found.against, found.against_ids) == (1, (ids[7],))


def test_a_claim_in_other_words_is_traced_to_those_who_say_it():
    found = trace_claim("On every use a refresh token must be rotated", LOGINS)
    assert set(found.memory_ids) == {"mem_001", "mem_004", "mem_005"}
    assert found.last_confirmed == LOGINS[4].created_at


@pytest.mark.parametrize(
    "claim", ["Use Kubernetes for deployments", "", "…", "Rotate 17 refresh tokens on use"]
)
def test_what_nobody_says_has_no_evidence(claim: str):
    assert trace_claim(claim, LOGINS) == Evidence()


def test_words_strewn_over_a_long_story_are_no_claim():
    story = "\n\n".join(
        f"{'Nothing of note happened. ' * 30}The {word} was there." for word in ("pool", "lock", "tab")
    )
    assert (
        trace_claim("The pool has a lock for each tab", [make_work(1, "Do it", context=story)]) == Evidence()
    )


def test_who_says_otherwise_is_counted_against():
    members = [
        make_work(1, "a", "The session timeout is 30 minutes"),
        make_work(2, "b", "The session timeout is 60 minutes"),
    ]
    found = trace_claim("The session timeout is 30 minutes", members)
    assert (found.memory_ids, found.against_ids) == (("mem_001",), ("mem_002",))


def test_a_superseded_memory_neither_supports_nor_speaks_against():
    members = [
        make_work(1, "a", "The session timeout is 30 minutes", superseded_by=["mem_002"]),
        make_work(2, "b", "The session timeout is 60 minutes"),
    ]
    assert trace_claim("The session timeout is 30 minutes", members).supporting == 0
    assert trace_claim("The session timeout is 60 minutes", members).against == 0


def test_meaning_finds_those_who_say_it_in_other_words_if_some_are_the_same():
    members = [make_work(1, "a", "Tokens are void an hour later")]
    claim = "After an hour tokens expire for good"
    assert trace_claim(claim, members).supporting == 0
    assert trace_claim(claim, members, lambda one, other: 0.9).supporting == 1
    assert trace_claim(claim, members, lambda one, other: 0.4).supporting == 0
    assert Tracing(members, lambda one, other: 1.0).evidence("Deploy on Fridays").supporting == 0
