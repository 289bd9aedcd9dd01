"""Claims that say the same, and those that cannot both hold."""

from __future__ import annotations

from itertools import permutations

import pytest

from rum.consolidate.clusters import clustered
from rum.consolidate.opposed import opposed, position
from rum.consolidate.statements import Kind, Statement, weighed


def say(*texts: str) -> list[Statement]:
    return [Statement(text, *_weighed(text), (f"mem_{number}",)) for number, text in enumerate(texts)]


def _weighed(text: str) -> tuple[Kind, float]:
    kind, _, weight = weighed(Kind.LEARNED, text)
    return kind, weight


def test_the_wording_that_most_bear_out_stands_for_all():
    found = clustered(
        say(
            "Refresh tokens must be rotated on each use, or a stolen one lives for ever",
            "Refresh tokens must be rotated on every use",
            "The pool has room for two",
            "rotate refresh tokens on every use",
        )
    )
    assert [(one.best.text, len(one.memory_ids)) for one in found] == [
        ("Refresh tokens must be rotated on every use", 3),
        ("The pool has room for two", 1),
    ]


def test_the_order_of_claims_does_not_matter():
    said = say("Use the pool", "Always use the pool", "Never share a cursor", "Locks are cheap here")
    assert len({str(clustered(order)) for order in permutations(said)}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Connection pooling works in tests", "Connection pooling does not work in tests"),
        ("The cache works with several workers", "The cache fails with several workers"),
        ("Use connection pooling in tests", "Avoid connection pooling in tests"),
        ("The session timeout is 30 minutes", "The session timeout is 60 minutes"),
        ("The audit log is optional for logins", "The audit log is required for logins"),
    ],
)
def test_claims_that_cannot_both_hold_are_kept_apart_and_know_of_each_other(one: str, other: str):
    found = clustered(say(one, other))
    assert {cluster.best.text for cluster in found} == {one, other}
    assert all(len(cluster.memory_ids) == len(cluster.against_ids) == 1 for cluster in found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use connection pooling", "Do not use connection pooling in tests"),
        ("Test 701 hangs on OpenBSD", "Test 708 hangs on OpenBSD"),
        ("The cache works", "The queue fails"),
        ("A lock is necessary here", "A lock is needed here"),
    ],
)
def test_what_may_both_hold_is_no_contradiction(one: str, other: str):
    assert opposed([position(one), position(other)]) == [[], []]


def test_a_claim_with_another_number_or_with_the_words_of_many_claims_does_not_support_one():
    found = clustered(say("Test 701 hangs on OpenBSD", "Test 708 hangs on OpenBSD"))
    assert [len(one.memory_ids) for one in found] == [1, 1]
    story = (
        "The lock on the pool was taken twice, as the connection was reused by the worker of the other queue"
    )
    found = clustered(say("The pool has a lock", f"{story} while the audit log waited for the refresh"))
    assert [len(one.memory_ids) for one in found] == [1, 1]


def test_meaning_brings_other_wordings_together_but_never_opposite_ones():
    asked: list[tuple[str, str]] = []

    def alike(one: str, other: str) -> float:
        asked.append((one, other))
        return 1.0

    said = say("Tokens expire after an hour", "An hour later tokens are void", "Tokens do not expire later")
    assert len(clustered(said)) == 3
    found = clustered(said, likeness=alike)
    assert sorted(len(one.memory_ids) for one in found) == [1, 2]
    assert asked
    assert len(clustered(said, likeness=lambda one, other: 0.5)) == 3


def test_a_thousand_memories_that_say_the_same_are_all_counted():
    [found] = clustered(say(*["The pool must be drained first"] * 1000))
    assert len(found.memory_ids) == 1000
    [found] = clustered(say(*(f"The pool must be drained first{'!' * n}" for n in range(1000))))
    assert len(found.memory_ids) == 1000


def test_what_is_about_the_topics_is_better():
    said = say("The parser must see tabs", "The socket must be closed")
    assert clustered(said, topics=frozenset(["socket"]))[0].best.text == "The socket must be closed"
    assert clustered(said, topics=frozenset(["parser"]))[0].best.text == "The parser must see tabs"
