"""A confidence follows the score, is between 0 and 1, and is shared by memories that look alike."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.recall import fitted, limits
from rum.recall.cascade import run, search
from rum.recall.confidence import about_question, chances, shares
from rum.recall.query import Match
from rum.store.base import Store
from support.builders import add_memory
from support.recall_queries import found, recall_query

OWN = {"bias", "share", "score"}
columns = st.sampled_from(sorted(fitted.WEIGHTS))
scores = st.lists(st.floats(-10, 40), min_size=1, max_size=60)
portions = st.floats(0, 1)
questions = st.fixed_dictionaries(
    {
        "unknown": portions,
        "covered": portions,
        "said": st.floats(0, 6),
        "rare": st.floats(0, 12),
        "asked": st.floats(0, 5),
        "nearest": st.floats(-1, 1),
        "beside": st.floats(0, 20),
    }
)


@given(columns, scores, questions)
def test_a_confidence_is_a_probability(column: str, among: list[float], question: dict[str, float]) -> None:
    assert all(0 <= one <= 1 for one in chances(column, among, question))


@given(columns, scores, questions)
def test_within_a_question_it_is_ordered_as_the_scores_are(
    column: str, among: list[float], question: dict[str, float]
) -> None:
    among.sort(reverse=True)
    sure = chances(column, among, question)
    assert all(better >= worse or math.isclose(better, worse) for better, worse in pairwise(sure))


@given(columns, scores, questions, st.integers(1, 20))
def test_more_candidates_alike_never_make_it_surer(
    column: str, among: list[float], question: dict[str, float], more: int
) -> None:
    before = chances(column, among, question)
    after = chances(column, [*among, *[max(among)] * more], question)
    assert all(now <= then + 1e-12 for then, now in zip(before, after, strict=False))


@pytest.mark.parametrize("column", fitted.WEIGHTS)
def test_behind_the_best_a_higher_score_has_a_higher_confidence(column: str) -> None:
    told = {"unknown": 0.0, "covered": 1.0, "said": 2.5, "rare": 5.0, "asked": 1.5, "nearest": 0.5}
    question = told | {"beside": 0.0, "lead": 1.0, "candidates": math.log(4)}
    first, second, third, last = chances(column, [9.0, 8.0, 6.0, 1.0], question)
    assert 1 > first > second > third > last > 0


@given(scores)
def test_shares_are_parts_of_one(among: list[float]) -> None:
    parts = [math.exp(share) for share in shares(among)]
    assert sum(parts) == pytest.approx(1)
    assert all(share <= 1e-9 for share in shares(among))


@pytest.mark.parametrize("column", fitted.WEIGHTS)
def test_every_input_of_a_query_has_a_weight(store: Store, column: str) -> None:
    add_memory(store, "a", "zebra")
    question = recall_query(store, "zebra unicorn")
    told = about_question(question, list(search(question).matches.values()))
    assert set(fitted.FIRST[column]) == set(fitted.OTHERS[column]) == OWN | set(told)
    assert all(0 <= told[name] <= 1 for name in ("unknown", "covered"))


def test_unknown_and_covered_words_of_a_query_are_measured(store: Store) -> None:
    add_memory(store, "a", "zebra lion", session_id="one")
    add_memory(store, "b", "lion", session_id="two")

    def told(query: str) -> dict[str, float]:
        question = recall_query(store, query)
        return about_question(question, list(search(question).matches.values()))

    assert (told("zebra lion")["unknown"], told("zebra lion")["covered"]) == (0, pytest.approx(1))
    assert told("zebra unicorn")["unknown"] > 0.4
    assert told("zebra unicorn")["covered"] < told("zebra")["covered"]
    assert told("zebra")["rare"] > told("lion")["rare"]
    assert told("zebra lion")["asked"] > told("zebra")["asked"]


def alike(store: Store, many: int) -> list[Match]:
    """Memories that say the same, each in a session of its own; how sure each is."""
    for number in range(store.memories.count(), many):
        add_memory(store, f"m{number}", "Repair the zebra", session_id=f"s{number}")
    return list(found(recall_query(store, "zebra crossing")).values())


def test_memories_that_look_alike_have_the_same_confidence(store: Store) -> None:
    before = 1.0
    for many in (1, 2, 5, 20):
        matches = alike(store, many)
        assert len(matches) == many
        assert len({round(match.confidence, 9) for match in matches}) == 1
        assert matches[0].confidence < before
        before = matches[0].confidence


def test_an_important_memory_has_a_higher_confidence(store: Store) -> None:
    for importance in (0.1, 0.5, 0.9):
        add_memory(store, f"m{importance}", "zebra", importance=importance, session_id=f"s{importance}")
    matches = found(recall_query(store, "zebra crossing"))
    assert matches["m0.9"].confidence > matches["m0.5"].confidence > matches["m0.1"].confidence


def test_words_that_say_nothing_are_worth_little(store: Store) -> None:
    add_memory(store, "a", "What to do with the zebra and why")
    [match] = found(recall_query(store, "what with and")).values()
    assert match.confidence <= limits.STOP_WORDS


def test_a_goal_repeated_is_nearly_certain_whatever_else_there_is(store: Store) -> None:
    add_memory(store, "a", "Repair the zebra", session_id="one")
    for number in range(20):
        add_memory(store, f"m{number}", f"Repair the zebra crossing {number}", session_id=f"s{number}")
    matches = found(recall_query(store, "repair the ZEBRA!"))
    assert matches["a"].confidence >= limits.SAME_GOAL
    assert max(match.confidence for name, match in matches.items() if name != "a") < limits.SAME_GOAL


def test_memories_with_the_goal_of_the_query_share_its_certainty(store: Store) -> None:
    for number in range(12):
        add_memory(store, f"m{number}", "man: fix typo", session_id=f"s{number}")
    matches = found(recall_query(store, "man: fix typo", limit=20))
    assert len(matches) == 12
    assert all(fitted.MIN_CONFIDENCE <= match.confidence < 0.3 for match in matches.values())


def test_an_exact_match_is_certain_regardless_of_similar_memories(store: Store) -> None:
    for number in range(30):
        add_memory(store, f"m{number}", "zebra", tags=["x"])
    matches = found(recall_query(store, "", tags=("x",), limit=30))
    assert {match.confidence for match in matches.values()} == {limits.CERTAIN}


def test_how_many_are_asked_for_changes_neither_who_is_first_nor_how_sure_it_is(store: Store) -> None:
    for number in range(90):
        add_memory(store, f"mem_{number}", f"Feed zebra number{number} at the gate of house{number % 7}")
    answers = [
        run(recall_query(store, "zebra house3 gate", limit=limit)).matches for limit in (1, 3, 5, 20, 50)
    ]
    assert {answer[0].memory_id for answer in answers} == {answers[0][0].memory_id}
    assert {answer[0].confidence for answer in answers} == {answers[0][0].confidence}
