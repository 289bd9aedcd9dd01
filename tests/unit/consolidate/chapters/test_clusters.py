"""Claims with the same meaning, and claims that contradict each other."""

from __future__ import annotations

from itertools import permutations

import pytest

from rum.consolidate.chapters.clusters import cluster_claims, clusters_by_text
from rum.consolidate.chapters.statements import ClaimKind, Statement, weigh_claim
from rum.text.claim_comparison import comparable_claim, contradictions


def say(*texts: str) -> list[Statement]:
    return [Statement(text, *_weighed(text), (f"mem_{number}",)) for number, text in enumerate(texts)]


def _weighed(text: str) -> tuple[ClaimKind, float]:
    kind, _, weight = weigh_claim(ClaimKind.LEARNED, text)
    return kind, weight


def test_the_wording_that_most_bear_out_stands_for_all():
    found = cluster_claims(
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
    assert len({str(cluster_claims(order)) for order in permutations(said)}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Connection pooling works in tests", "Connection pooling does not work in tests"),
        ("The cache works with several workers", "The cache fails with several workers"),
        ("Use connection pooling in tests", "Avoid connection pooling in tests"),
        ("The session timeout is 30 minutes", "The session timeout is 60 minutes"),
        ("Sessions expire after 30 minutes of silence", "Sessions expire after 60 minutes of silence"),
        ("The audit log is optional for logins", "The audit log is required for logins"),
    ],
)
def test_claims_that_cannot_both_hold_are_kept_apart_and_know_of_each_other(one: str, other: str):
    found = cluster_claims(say(one, other))
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
def test_compatible_claims_are_no_contradiction(one: str, other: str):
    assert contradictions([comparable_claim(one), comparable_claim(other)]) == [[], []]


def test_a_claim_with_another_number_or_with_the_words_of_many_claims_does_not_support_one():
    found = cluster_claims(say("Test 701 hangs on OpenBSD", "Test 708 hangs on OpenBSD"))
    assert [len(one.memory_ids) for one in found] == [1, 1]
    story = (
        "The lock on the pool was taken twice, as the connection was reused by the worker of the other queue"
    )
    found = cluster_claims(say("The pool has a lock", f"{story} while the audit log waited for the refresh"))
    assert [len(one.memory_ids) for one in found] == [1, 1]


def test_meaning_brings_other_wordings_together_but_never_opposite_ones():
    asked: list[tuple[str, str]] = []

    def alike(one: str, other: str) -> float:
        asked.append((one, other))
        return 1.0

    said = say("Tokens expire after an hour", "An hour later tokens are void", "Tokens do not expire later")
    assert len(cluster_claims(said)) == 3
    found = cluster_claims(said, similarity=alike)
    assert sorted(len(one.memory_ids) for one in found) == [1, 2]
    assert asked
    assert len(cluster_claims(said, similarity=lambda one, other: 0.5)) == 3


def test_a_thousand_memories_that_say_the_same_are_all_counted():
    [found] = cluster_claims(say(*["The pool must be drained first"] * 1000))
    assert len(found.memory_ids) == 1000
    [found] = cluster_claims(say(*(f"The pool must be drained first{'!' * n}" for n in range(1000))))
    assert len(found.memory_ids) == 1000


def test_claims_about_the_topics_rank_higher():
    said = say("The parser must see tabs", "The socket must be closed")
    assert cluster_claims(said, topics=frozenset(["socket"]))[0].best.text == "The socket must be closed"
    assert cluster_claims(said, topics=frozenset(["parser"]))[0].best.text == "The parser must see tabs"


OPPOSITE = [
    (
        "Flush the cache before closing the writer connection",
        "Flush the cache after closing the writer connection",
    ),
    ("Flush the cache before closing the writer", "Close the writer before flushing the cache"),
    (
        "The config parser of the loader must use tabs for indentation",
        "The config parser of the loader must use spaces for indentation",
    ),
    ("Run the schema migration with the server up", "Run the schema migration with the server down"),
    (
        "Orders are sorted from newest to oldest in the export file",
        "Orders are sorted from oldest to newest in the export file",
    ),
    (
        "The scheduler must increase the batch size under heavy load",
        "The scheduler must decrease the batch size under heavy load",
    ),
    ("Nobody may set the legacy flag", "The legacy flag may be set"),
]
DIFFERENT = [
    (
        "Deploys to the eu cluster must go through the vault gateway",
        "Deploys to the us cluster must go through the vault gateway",
    ),
    (
        "Read timeouts of the payment client come from the proxy",
        "Write timeouts of the payment client come from the proxy",
    ),
    (
        "Only admins can delete invoices in the billing console",
        "Everyone can delete invoices in the billing console",
    ),
    ("Admins can delete invoices in the console", "Only admins can delete invoices in the console"),
    ("Use the pool for long queries", "Use the pool for long queries unless a transaction is open"),
    ("The client calls the server back", "The server calls the client back"),
    ("The importer copies rows from Postgres to Redis", "The importer copies rows from Redis to Postgres"),
    ("Msgspec decodes faster than Pydantic", "Pydantic decodes faster than Msgspec"),
    ("The cache is empty before the import", "The cache is empty after the import"),
    ("Retries of uploads are logged by the worker", "Retries of downloads are logged by the worker"),
]


@pytest.mark.parametrize(("one", "other"), [*OPPOSITE, *DIFFERENT])
def test_the_same_words_but_for_one_that_turns_them_are_another_claim(one: str, other: str):
    found = cluster_claims(say(one, other), similarity=lambda _one, _other: 1.0)
    assert {cluster.best.text: len(cluster.memory_ids) for cluster in found} == {one: 1, other: 1}


@pytest.mark.parametrize(("one", "other"), OPPOSITE)
def test_mutually_exclusive_advice_is_a_contradiction(one: str, other: str):
    assert [len(cluster.against) for cluster in cluster_claims(say(one, other))] == [1, 1]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_claims_about_different_things_are_no_contradiction(one: str, other: str):
    assert [len(cluster.against) for cluster in cluster_claims(say(one, other))] == [0, 0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Always compare the numbers before adding a reading",
            "Compare the numbers before you add a reading",
        ),
        ("Always handle refresh token expiry too", "Handle refresh token expiry"),
        ("Refresh token expiry must be handled", "Handle refresh token expiry"),
        ("Flush the cache before closing the writer", "Before closing the writer, flush the cache"),
        ("Flush the cache before closing the writer", "Close the writer after flushing the cache"),
        ("Use SQLite WAL mode for tests", "SQLite WAL mode should be used for tests, as it is faster there"),
        ("Never share a cursor between threads", "A cursor must not be shared between threads"),
        ("Validate the input of uploads", "Input validation of uploads must be done"),
    ],
)
def test_the_same_in_another_order_and_with_more_around_it_is_one_claim(one: str, other: str):
    [found] = cluster_claims(say(one, other))
    assert len(found.memory_ids) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sessions live in Redis for an hour", "For an hour sessions are kept alive by Postgres"),
        ("Tokens of the gateway expire after an hour", "After two hours tokens of the gateway are void"),
        ("Raise the limits of the pool at night", "At night one should lower what the pool is limited to"),
    ],
)
def test_not_even_meaning_brings_together_what_names_other_things(one: str, other: str):
    assert len(cluster_claims(say(one, other), similarity=lambda _one, _other: 1.0)) == 2


def test_a_contradiction_of_a_claim_that_went_into_another_is_not_lost():
    said = say(
        "Flush the cache on logout, or old prices stay for a day",
        "Flush the cache on logout",
        "Do not flush the cache on logout",
    )
    found = cluster_claims([said[0]._replace(weight=9.0), *said[1:]])
    assert [cluster.best.text for cluster in found] == [said[0].text, said[2].text]
    assert found[0].against == (said[2],)
    assert clusters_by_text(found)[said[1].text] is found[0]


def test_the_same_sentence_of_other_work_is_no_evidence_and_listed_once():
    sentence = "This functionality was deprecated in 3.7 due to lack of use, testing and maintenance."
    works = ("packet parsers", "datapath interface", "subtable lookup")
    told = [
        Statement(f"netdev: Remove optimized {work} — {sentence}", ClaimKind.STORY, 2.0, (f"mem_{number}",))
        for number, work in enumerate(works)
    ]
    (cluster,) = cluster_claims(told, similarity=lambda _one, _other: 1.0)
    assert cluster.best.text == f"netdev: Remove optimized packet parsers — {sentence}"
    assert cluster.memory_ids == ("mem_0",)
