"""Queries in other words than the memory's, with the built-in embedder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rum import Rum
from rum.model.answers import RetrievedMemory
from support.builders import make_draft, make_intent, make_outcome
from support.processes import make_place
from support.projects import Shop, open_shop

GOALS = {
    "logout": "Users are logged out at random",
    "payment": "Customers cannot pay with their credit card",
    "pages": "Speed up page loading",
    "backups": "Delete old backups automatically",
    "winter": "Automobile will not start in winter",
}
PARAPHRASE = "people unexpectedly lose their login session"


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with open_shop(tmp_path) as opened:
        monkeypatch.setenv("RUM_EMBEDDER", "builtin")
        yield opened


@pytest.fixture
def kept(shop: Shop) -> dict[str, str]:
    """One memory for each goal, each in its own session: name -> id."""
    return {
        name: shop.open(owner=True).store(**make_draft(goal, goal, tags=[name])).memory_id
        for name, goal in GOALS.items()
    }


@pytest.fixture
def rum(shop: Shop, kept: dict[str, str]) -> Rum:
    return shop.open(owner=True)


def found(rum: Rum, query: str = PARAPHRASE, **more: Any) -> dict[str, RetrievedMemory]:
    """The results after every memory got its vector; a query alone may have no time for that."""
    rum.tidy()
    return {memory.id: memory for memory in rum.recall(query=query, **more).memories}


def test_a_paraphrase_without_a_common_word_is_found_and_flagged(rum: Rum, kept: dict[str, str]) -> None:
    rum.tidy()
    answer = rum.recall(query=PARAPHRASE, min_confidence=0)
    assert (answer.memories[0].id, answer.memories[0].match) == (kept["logout"], "fuzzy")
    assert answer.query_strategy_used == "semantic"
    assert 0 < answer.confidence < 1  # only what was asked for literally is certain


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("clients unable to purchase by visa", "payment"),
        ("website is slow", "pages"),
        ("remove outdated archives by itself", "backups"),
        ("vehicle ignition trouble during frost", "winter"),
    ],
)
@pytest.mark.parametrize("strategy", ["auto", "semantic"])
def test_the_most_similar_memory_comes_first(
    rum: Rum, kept: dict[str, str], query: str, name: str, strategy: str
) -> None:
    first = next(iter(found(rum, query, strategy=strategy, min_confidence=0).values()))
    assert (first.id, first.match) == (kept[name], "fuzzy")


def test_a_neighbour_of_a_match_by_words_is_found_by_meaning(shop: Shop) -> None:
    rum = shop.open(owner=True)
    rum.store(**make_draft("Sign the session cookie", "Sign the session cookie"))
    kept = rum.store(**make_draft(GOALS["logout"], GOALS["logout"])).memory_id
    rum.store(**make_draft("Water the rose", "Water the rose"))
    assert found(shop.open(), min_confidence=0)[kept].match == "fuzzy"


def test_a_match_by_words_is_not_marked_fuzzy(rum: Rum, kept: dict[str, str]) -> None:
    given = found(rum, "credit card refused", min_confidence=0)
    assert next(iter(given)) == kept["payment"]
    assert "match" not in rum_json(given[kept["payment"]])
    assert {memory.match for name, memory in given.items() if name != kept["payment"]} == {"fuzzy"}


def rum_json(memory: RetrievedMemory) -> dict[str, Any]:
    return json.loads(msgspec.json.encode(memory))


@pytest.mark.parametrize("query", ["capital of France", "boil potatoes", "kubernetes ingress timeout"])
def test_a_query_about_something_unknown_finds_nothing(rum: Rum, query: str) -> None:
    rum.tidy()
    answer = rum.recall(query=query)
    assert (answer.memories, answer.code) == ([], "NO_RESULTS")


def test_without_an_embedder_a_paraphrase_is_not_found(
    shop: Shop, rum: Rum, kept: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept["logout"] in found(rum, min_confidence=0)
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    without = shop.open()
    for strategy in ("auto", "semantic"):
        assert found(without, strategy=strategy, min_confidence=0) == {}
    assert set(found(without, "logged out")) == {kept["logout"]}


@pytest.mark.parametrize(
    "filters", [{"tags": ["payment"]}, {"failures_only": True}, {"before": 1}, {"task_type": "refactor"}]
)
def test_filters_apply_to_search_by_meaning(rum: Rum, kept: dict[str, str], filters: dict[str, Any]) -> None:
    assert kept["logout"] not in found(rum, min_confidence=0, **filters)
    assert kept["logout"] in found(rum, min_confidence=0, tags=["logout"], success_only=True)


def test_a_forgotten_memory_is_not_found(rum: Rum, kept: dict[str, str]) -> None:
    assert kept["logout"] in found(rum, min_confidence=0)
    rum.forget(kept["logout"])
    assert kept["logout"] not in found(rum, min_confidence=0, limit=50)


def test_a_superseded_memory_is_found_only_on_request(rum: Rum, kept: dict[str, str]) -> None:
    newer = rum.store(**make_draft("Sort the shelf", "Sorted", links={"supersedes": kept["logout"]}))
    assert kept["logout"] not in found(rum, min_confidence=0, limit=50)
    old = found(rum, min_confidence=0, include_superseded=True)[kept["logout"]]
    assert old.superseded_by == (newer.memory_id,)


def test_an_updated_memory_is_found_by_its_current_text(rum: Rum, kept: dict[str, str]) -> None:
    assert next(iter(found(rum, min_confidence=0))) == kept["logout"]
    rum.update_memory(
        kept["logout"],
        intent=make_intent("Bake bread without yeast"),
        outcome=make_outcome("Bake bread without yeast"),
    )
    assert next(iter(found(rum, min_confidence=0))) != kept["logout"]
    first = next(iter(found(rum, "recipe with flour and water", min_confidence=0).values()))
    assert (first.id, first.match) == (kept["logout"], "fuzzy")


def test_another_process_finds_memories_stored_meanwhile(shop: Shop, rum: Rum, kept: dict[str, str]) -> None:
    assert kept["logout"] in found(rum, min_confidence=0)
    later = shop.open().store(**make_draft("Bake bread without yeast", "Bake bread without yeast")).memory_id
    assert next(iter(found(rum, "recipe with flour and water", min_confidence=0))) == later


EARLIER = """
from support.builders import make_draft
from rum import Rum

with Rum.open(owner=True) as rum:
    rum.store(**make_draft("Users are logged out at random"))
    rum.tidy()
"""
PROGRAM = """
import sys
from support.builders import make_draft
from rum import Rum

with Rum.open(owner=True) as rum:
    rum.store(**make_draft("Users are logged out at random"))
    given = rum.recall(query=sys.argv[1], limit=int(sys.argv[2]), explain=True).memories
print(len(given), *sorted({"numpy", "rum.embed.minilm", "rum.store.packed_vectors"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    ("embedder", "query", "limit"),
    [
        ("none", PARAPHRASE, 5),
        ("none", "users logged out", 5),
        ("builtin", "Users are logged out at random", 1),
    ],
)
def test_numpy_is_not_loaded_if_words_are_enough(
    tmp_path: Path, embedder: str, query: str, limit: int
) -> None:
    [line] = make_place(tmp_path).run(PROGRAM, query, limit, RUM_EMBEDDER=embedder)
    assert line == ("0" if query == PARAPHRASE else "1")


def test_numpy_is_loaded_if_words_are_not_enough(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    place.run(EARLIER, RUM_EMBEDDER="builtin")
    [line] = place.run(PROGRAM, PARAPHRASE, 5, RUM_EMBEDDER="builtin")
    assert line.split()[1:] == ["numpy", "rum.embed.minilm", "rum.store.packed_vectors"]


@pytest.mark.parametrize(
    ("task", "name"), [(PARAPHRASE, "logout"), ("The car does not start when it is cold", "winter")]
)
def test_a_brief_has_what_a_recall_by_the_same_words_is_sure_of(
    rum: Rum, kept: dict[str, str], task: str, name: str
) -> None:
    rum.tidy()
    assert rum.recall(query=task).memories[0].id == kept[name]
    assert [one.id for one in rum.brief(task=task).taken or ()] == [kept[name]]
