"""When recall searches by meaning, and what it finds."""

from __future__ import annotations

import math
from typing import Any

import pytest

from rum.model.memory import Edge, LinkType
from rum.model.requests import Strategy
from rum.recall.cascade import Answer, run, search
from rum.recall.query import Found
from rum.recall.semantic import SemanticSearch
from rum.store.base import Store
from rum.store.packed_vectors import pack
from support.builders import NOON, HandClock, add_memory, make_outcome
from support.embedders import WordEmbedder
from support.recall_queries import recall_query

GOALS = {
    "same": "Repair the zebra",
    "with": "Feed the zebra at noon",
    "night": "Where the moon stands at night",
    "noon": "Where the sun stands at noon",
}


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def semantic(store: Store, embedder: WordEmbedder) -> SemanticSearch:
    """The meaning of a few memories, each of a session of its own, all with their vectors."""
    for name, goal in GOALS.items():
        add_memory(store, name, goal, session_id=name, outcome=make_outcome(goal), tags=[name])
    semantic = SemanticSearch(store, embedder, clean=str, clock=HandClock())
    semantic.embed_pending(math.inf)
    return semantic


def looked(store: Store, semantic: SemanticSearch | None, query: str, **more: Any) -> Found:
    return search(recall_query(store, query, semantic=semantic, **more))


def answered(store: Store, semantic: SemanticSearch | None, query: str, **more: Any) -> Answer:
    return run(recall_query(store, query, semantic=semantic, **more))


def brought(found: Found | Answer) -> set[str]:
    """The memories that came by their meaning."""
    matches = found.matches.values() if isinstance(found, Found) else found.matches
    return {match.memory_id for match in matches if match.level == "semantic"}


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_it_is_not_asked_if_a_memory_with_every_word_is_sure(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder, limit: int
) -> None:
    found = looked(store, semantic, "repair the zebra", limit=limit)
    assert (found.ran, found.column) == (["pattern"], "words")
    assert "repair the zebra" not in embedder.asked


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_it_is_asked_if_no_memory_has_every_word(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder, limit: int
) -> None:
    found = looked(store, semantic, "repair the unicorn", limit=limit)
    assert (found.ran, found.column) == (["pattern", "semantic"], "words+meaning")
    assert embedder.asked[-1] == "repair the unicorn"


def test_a_confidence_does_not_depend_on_the_limit(store: Store, semantic: SemanticSearch) -> None:
    for question in ("zebra at noon", "the sun stands", "feed the unicorn", "where is the moon"):
        first, *others = (
            {
                name: match.confidence
                for name, match in looked(store, semantic, question, limit=limit).matches.items()
            }
            for limit in (5, 1, 2, 50)
        )
        for other in others:
            assert other == first


def test_weak_memories_let_through_do_not_keep_it_from_being_asked(
    store: Store, semantic: SemanticSearch
) -> None:
    found = looked(store, semantic, "zebra unicorn giraffe elephant", limit=1, min_confidence=0)
    assert "semantic" in found.ran


def test_exact_matches_by_files_and_filters_need_no_search_by_meaning(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder
) -> None:
    before = list(embedder.asked)
    for question in ({"tags": ("night",)}, {"success_only": True}, {"task_type": None, "since": 1}):
        assert "semantic" not in looked(store, semantic, "", **question).ran
    assert embedder.asked == before


def test_only_what_words_did_not_bring_came_by_meaning(store: Store, semantic: SemanticSearch) -> None:
    found = looked(store, semantic, "zebra that the unicorn stands beside", limit=50)
    levels = {name: match.level for name, match in found.matches.items()}
    assert levels["same"] == levels["with"] == "pattern"
    assert brought(found) <= {"night", "noon"}


def test_the_level_is_named_only_where_it_contributed(store: Store, semantic: SemanticSearch) -> None:
    both = answered(store, semantic, "feed where", limit=50, min_confidence=0)
    assert both.strategy == "pattern+semantic"
    assert answered(store, semantic, "repair the zebra", limit=1).strategy == "pattern"
    assert answered(
        store, semantic, "where is the", min_confidence=0, strategy=Strategy.SEMANTIC
    ).strategy == ("semantic")


def test_alone_it_looks_at_nothing_but_meaning(store: Store, semantic: SemanticSearch) -> None:
    found = looked(store, semantic, "repair the zebra", strategy=Strategy.SEMANTIC)
    assert found.ran == ["semantic"]
    assert brought(found) == set(found.matches)
    best = found.best(0, 1)[0]
    assert best.memory_id == "same"


def test_without_an_embedder_words_alone_count(store: Store, semantic: SemanticSearch) -> None:
    for nobody in (None, SemanticSearch(store, None, clean=str, clock=HandClock())):
        found = looked(store, nobody, "zebra stands", limit=50)
        assert (found.ran, found.column) == (["pattern"], "words")
        assert answered(store, nobody, "zebra", strategy=Strategy.SEMANTIC).matches == []


def test_an_embedder_that_fails_takes_nothing_away(
    store: Store, semantic: SemanticSearch, embedder: WordEmbedder
) -> None:
    embedder.fail()
    with_trouble = answered(store, semantic, "zebra unicorn", limit=50, min_confidence=0)
    without = answered(store, None, "zebra unicorn", limit=50, min_confidence=0)
    assert [(match.memory_id, match.confidence) for match in with_trouble.matches] == [
        (match.memory_id, match.confidence) for match in without.matches
    ]


@pytest.mark.parametrize(
    ("filters", "passing"),
    [
        ({"tags": ("night",)}, {"night"}),
        ({"session_id": "noon"}, {"noon"}),
        ({"failures_only": True}, set()),
        ({"before": NOON}, set()),
        ({"since": NOON}, set(GOALS)),
    ],
)
@pytest.mark.parametrize("strategy", [Strategy.AUTO, Strategy.SEMANTIC])
def test_filters_exclude_what_meaning_finds(
    store: Store, semantic: SemanticSearch, strategy: Strategy, filters: dict[str, Any], passing: set[str]
) -> None:
    found = looked(store, semantic, "unicorn stands at", limit=50, strategy=strategy, **filters)
    assert set(found.matches) == passing


def test_a_memory_far_down_is_found_where_filters_exclude_the_nearer_ones(
    store: Store, semantic: SemanticSearch
) -> None:
    for number in range(80):
        add_memory(store, f"near{number}", "unicorn stands at", session_id=f"s{number}")
    semantic.embed_pending(math.inf)
    found = looked(store, semantic, "unicorn stands at", strategy=Strategy.SEMANTIC, tags=("night",))
    assert set(found.matches) == {"night"}


def test_superseded_memories_are_found_by_meaning_only_on_request(
    store: Store, semantic: SemanticSearch
) -> None:
    store.links.add(Edge.of("noon", "night", LinkType.SUPERSEDES), NOON)
    question: dict[str, Any] = {"limit": 50, "strategy": Strategy.SEMANTIC}
    assert "night" not in looked(store, semantic, "where the moon stands", **question).matches
    assert (
        "night"
        in looked(store, semantic, "where the moon stands", include_superseded=True, **question).matches
    )


def test_memories_below_the_similarity_threshold_are_not_counted(
    store: Store, semantic: SemanticSearch
) -> None:
    answer = answered(store, semantic, "repair the zebra", limit=50)
    holders = {"same", "with"}
    assert answer.total == len(holders | brought(answer)) or not answer.total_exact


def test_a_query_embeds_no_memory_and_notes_that_some_have_no_vector(
    store: Store, embedder: WordEmbedder
) -> None:
    semantic = SemanticSearch(store, embedder, clean=str, clock=HandClock())
    add_memory(store, "old", "Repair the zebra", session_id="old", outcome=make_outcome("Zebra"))
    semantic.embed_pending(math.inf)
    add_memory(store, "new", "Where the sun stands", session_id="new")
    embedder.asked.clear()
    looked(store, semantic, "the zebra in the sun")
    assert (embedder.asked, semantic.has_pending) == (["the zebra in the sun"], True)
    semantic.embed_pending(math.inf)
    looked(store, semantic, "the zebra in the sun")
    assert not semantic.has_pending


def test_vectors_count_only_once_most_of_what_words_found_has_one(
    store: Store, embedder: WordEmbedder
) -> None:
    for number in range(10):
        add_memory(store, f"m{number}", f"Repair the zebra {number}", session_id=f"m{number}")
    semantic = SemanticSearch(store, embedder, clean=str, clock=HandClock())
    store.vectors.adopt(embedder.model, int(NOON))
    by_words = looked(store, None, "zebra sun", limit=20)
    for made, column in ((5, "words"), (6, "words+meaning")):
        ids = [f"m{number}" for number in range(made)]
        vectors = embedder.embed([f"Repair the zebra {number}" for number in range(made)])
        rows = [(memory_id, 1, pack(row)) for memory_id, row in zip(ids, vectors, strict=True)]
        store.vectors.put(embedder.model, rows)
        found = looked(store, semantic, "zebra sun", limit=20)
        assert found.column == column
        same = {name: match.score for name, match in found.matches.items()} == {
            name: match.score for name, match in by_words.matches.items()
        }
        assert same == (column == "words")
