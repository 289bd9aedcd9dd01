"""`symbol`: only the work that names a function, class or variable."""

from __future__ import annotations

import pytest

from rum import InvalidQuery, Rum
from support.projects import Shop, edited, keep


@pytest.fixture
def stored(rum: Rum) -> dict[str, str]:
    changed = [
        {"type": "file_edit", "file_path": "src/tree.c", "diff_summary": "in barrier_wait, barrier_destroy"}
    ]
    return {
        "edited": keep(rum, "Wake the last waiter first", actions=changed),
        "named": keep(rum, "Explain Tree.barrier_wait in the manual", actions=edited("manual.md")),
        "apart": keep(rum, "Wait for the barrier to open", actions=edited("src/tree.c")),
    }


def found(rum: Rum, **question: object) -> set[str]:
    return {memory.id for memory in rum.recall(**question).memories}  # type: ignore[arg-type]


@pytest.mark.parametrize("symbol", ["barrier_wait", "barrier_wait()", "barrierWait"])
def test_only_work_that_names_it_is_found(rum: Rum, stored: dict[str, str], symbol: str) -> None:
    answer = rum.recall(symbol=symbol)
    assert {memory.id for memory in answer.memories} == {stored["edited"], stored["named"]}
    assert {memory.confidence for memory in answer.memories} == {1}


def test_it_excludes_whatever_else_is_asked(rum: Rum, stored: dict[str, str]) -> None:
    assert found(rum, symbol="barrier_wait", file="src/tree.c") == {stored["edited"]}
    assert stored["apart"] not in found(
        rum, symbol="barrier_wait", query="wait for the barrier", min_confidence=0
    )
    assert found(rum, symbol="barrier_wait", query="the manual") >= {stored["named"]}
    assert found(rum, symbol="barrier_wait", memory_id=stored["named"]) == {stored["named"]}
    assert found(rum, symbol="barrier_wait", memory_id=stored["apart"]) == set()


def test_of_a_qualified_name_both_parts_must_be_named(rum: Rum, stored: dict[str, str]) -> None:
    assert found(rum, symbol="Tree::barrier_wait") == {stored["edited"], stored["named"]}
    assert found(rum, symbol="Forest.barrier_wait") == set()


def test_nothing_that_names_it_is_said_in_a_hint(rum: Rum, stored: dict[str, str]) -> None:
    answer = rum.recall(symbol="barrier_open", query="wait for the barrier")
    assert answer.code == "NO_RESULTS"
    assert "without symbol" in str(answer.hint)


def test_archived_work_is_found_too(rum: Rum, shop: Shop, stored: dict[str, str]) -> None:
    shop.clock.forward(400 * 86400)
    rum.archive(older_than=1, importance=1.0, uses=1000)
    assert found(rum, symbol="barrier_wait") == {stored["edited"], stored["named"]}


def test_a_symbol_must_have_a_name(rum: Rum) -> None:
    with pytest.raises(InvalidQuery, match="symbol"):
        rum.recall(symbol="()")
