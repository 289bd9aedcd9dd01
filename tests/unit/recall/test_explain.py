"""Why a memory was given, in plain words."""

from __future__ import annotations

import re

import pytest

from rum import Rum
from rum.recall import fitted
from rum.recall.explain import MIN_SHARE, SIGNAL_TEXTS
from rum.recall.semantic import SemanticSearch
from support.builders import HandClock
from support.embedders import WordEmbedder
from support.projects import Shop, edited, keep


def why(rum: Rum, **question: object) -> list[list[str]]:
    answer = rum.recall(explain=True, min_confidence=0, **question)
    return [memory.why for memory in answer.memories if memory.why]


def shares(lines: list[str]) -> list[int]:
    return [int(share[1]) for line in lines if (share := re.search(r"\((\d+) %\)$", line))]


@pytest.fixture
def shelf(rum: Rum, shop: Shop) -> Rum:
    """Some work on a login and on other things, in two sessions."""
    keep(rum, "Fix the login", actions=edited("src/login.py"))
    keep(rum, "Paint the gate", actions=edited("src/gate.py", "src/login.py"))
    keep(shop.open(session="other"), "Authentication of robots", "The login was too slow " * 5)
    return rum


QUESTIONS: list[dict[str, object]] = [
    {"query": "login"},
    {"query": "login of robots, unicorns and zebras"},
    {"query": "authentication", "file": "src/login.py"},
    {"query": "gate", "file": ["src/*.py", "docs/"]},
    {"query": "logn"},
]


@pytest.mark.parametrize("column", fitted.WEIGHTS)
def test_every_signal_that_is_weighed_has_words(column: str) -> None:
    assert set(fitted.WEIGHTS[column]) <= set(SIGNAL_TEXTS)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: str(question["query"]))
def test_the_shares_add_up_and_the_strongest_comes_first(shelf: Rum, question: dict[str, object]) -> None:
    told = why(shelf, **question)
    assert told
    for lines in told:
        parts = shares(lines)
        assert parts == sorted(parts, reverse=True)
        assert all(part >= 100 * MIN_SHARE for part in parts)
        # What is too little to be told may be missing, and each is rounded.
        assert 85 <= sum(parts) <= 105


def test_reasons_are_given_only_on_request(shelf: Rum) -> None:
    assert all(not memory.why for memory in shelf.recall(query="login").memories)


def test_for_a_long_query_only_the_used_words_are_named(shelf: Rum) -> None:
    told = why(shelf, query="login " + "zebra " * 8_000 + "logins")
    assert all("login," not in line and "logins" not in line for lines in told for line in lines)
    assert any("login" in line for line in told[0])


@pytest.mark.parametrize("word", ["登录" * 2000, "login." * 600, "x" * 3000])
def test_a_word_without_end_is_named_by_its_beginning(shelf: Rum, word: str) -> None:
    keep(shelf, f"Fix {word}")
    told = why(shelf, query=f"fix {word}", limit=1)
    assert told
    assert all(len(line) < 300 for lines in told for line in lines)


def test_the_words_found_are_named_as_they_were_asked_for(shelf: Rum) -> None:
    first = why(shelf, query='Why is "authentication" of robots slow?')[0]
    [line] = [line for line in first if line.startswith("query words: ")]
    assert "authentication, robots, slow" in line


def test_of_a_name_only_the_parts_that_a_memory_has_are_named(shelf: Rum) -> None:
    keep(shelf, "Handle a missing record", "The cache raised KeyError")
    lines = next(lines for lines in why(shelf, query="UnpicklingError cache"))
    [line] = [line for line in lines if line.startswith("query words: ")]
    assert re.sub(r" \(.*", "", line) == "query words: error, cache"
    assert "in no memory: UnpicklingError" in lines


def test_words_that_it_lacks_though_others_have_them_are_named(shelf: Rum) -> None:
    told = why(shelf, query="paint the login, unicorn")
    lacking = [[line for line in lines if line.startswith("missing")] for lines in told]
    assert sorted(lacking) == [[], ["missing: paint"], ["missing: paint"]]
    assert all("in no memory: unicorn" in lines for lines in told)
    assert not any(line.startswith("missing") for line in why(shelf, query="Authentication robots")[0])


def test_a_memory_returned_for_common_words_says_so(rum: Rum) -> None:
    for number in range(60):
        keep(rum, f"Register blueprints, part {number}")
    told = "contains every query word, as other memories may"
    given = rum.recall(query="blueprints", explain=True, limit=3).memories
    assert [told in (memory.why or ()) for memory in given] == [True] * 3
    assert not any(told in lines for lines in why(rum, query="blueprints part 7")[:1])


def test_neighbours_are_named_as_the_reason_for_a_memory_without_the_words(shelf: Rum) -> None:
    gate = next(lines for lines in why(shelf, query="fix") if not any("goal" in line for line in lines))
    assert any("neighbouring or linked memories" in line for line in gate)
    assert not any(line.startswith("query words") for line in gate)


def test_files_are_named_as_a_reason_in_queries_with_files(shelf: Rum) -> None:
    told = why(shelf, query="gate", file="src/login.py")
    assert any(SIGNAL_TEXTS["files"] in line for line in told[0])
    assert not any("files" in line for lines in why(shelf, query="gate") for line in lines)


@pytest.mark.parametrize(
    "question", [{"file": "src/login.py"}, {"task_type": "bug_fix"}, {"success_only": True}]
)
def test_an_exact_match_says_so(shelf: Rum, question: dict[str, object]) -> None:
    assert {tuple(lines) for lines in why(shelf, **question)} == {("exact match",)}


def test_an_id_says_so_too(rum: Rum) -> None:
    assert why(rum, memory_id=keep(rum)) == [["exact match"]]


def test_a_bare_name_is_not_literal(shelf: Rum) -> None:
    assert why(shelf, file="gate.py") == [["its name or folder fits"]]


def test_words_that_no_memory_knows_are_named_as_they_were_asked_for(shelf: Rum) -> None:
    for lines in why(shelf, query="login of unicorns, families and zebras"):
        [doubt] = [line for line in lines if line.startswith("in no memory: ")]
        assert doubt == "in no memory: unicorns, families, zebras"
    assert not any("in no memory" in line for lines in why(shelf, query="login") for line in lines)


def test_corrected_typos_are_named(shelf: Rum) -> None:
    assert "corrected as typos: logn" in why(shelf, query="Logn, robots")[0][-1].lower()


def test_meaning_is_named_as_a_reason_if_it_was_compared(shelf: Rum) -> None:
    embedder = WordEmbedder()
    shelf._caller.project.semantic = SemanticSearch(
        shelf._caller.project.store, embedder, clean=str, clock=HandClock()
    )
    shelf._caller.project.semantic.embed_pending(9)
    first = why(shelf, query="authentication robots")[0]
    assert any(line.startswith(SIGNAL_TEXTS["meaning"]) for line in first)
