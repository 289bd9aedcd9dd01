from __future__ import annotations

import pytest
from benchmarks.quality.arms import Answer
from benchmarks.quality.cases import Question
from benchmarks.quality.metrics import (
    any_at,
    bins,
    calibration_error,
    error_by_chance,
    reciprocal_rank,
)
from benchmarks.quality.score import Asked, Scores, false_answers
from hypothesis import given
from hypothesis import strategies as st

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1)


def asked(
    answers: str, best: str, confidences: list[float | None], given: int = 5, kind: str = "words"
) -> Asked:
    """A question with its right answers and its ranking as letters."""
    ranked = Answer(list(best), confidences, 0)
    shown = Answer(list(best)[:given], confidences[:given], 40 * len(best[:given]))
    return Asked(Question(kind, "?", frozenset(answers)), ranked, shown, 0.002)


def test_a_right_answer_counts_from_its_rank_on():
    ranking = list("abcdef")
    assert [any_at(ranking, {"c"}, first) for first in (1, 2, 3, 10)] == [0, 0, 1, 1]
    assert any_at(ranking, {"z"}, 10) == 0


def test_the_reciprocal_rank_is_that_of_the_first_right_answer():
    assert reciprocal_rank(list("abcd"), {"d", "b"}) == 1 / 2
    assert reciprocal_rank(list("abcd"), {"z"}) == 0
    assert reciprocal_rank([], {"a"}) == 0


def test_confidences_are_grouped_by_tenths():
    (low, high) = bins([(0.12, False), (0.18, True), (1.0, True)])
    assert (low.low, low.size, low.mean, low.share) == (0.1, 2, pytest.approx(0.15), 0.5)
    assert (high.low, high.size, high.share) == (0.9, 1, 1.0)


def test_the_calibration_error_weights_each_tenth_by_its_size():
    right_half_the_time = [(0.55, True), (0.55, False)]
    assert calibration_error(right_half_the_time) == pytest.approx(0.05)
    assert calibration_error([*right_half_the_time, (0.95, False)]) == pytest.approx((2 * 0.05 + 0.95) / 3)
    assert calibration_error([]) is None


@given(PAIRS)
def test_the_calibration_error_is_between_0_and_1_and_counts_every_answer(pairs: list[tuple[float, bool]]):
    assert sum(one.size for one in bins(pairs)) == len(pairs)
    error = calibration_error(pairs)
    assert error is not None
    assert 0 <= error <= 1


def test_questions_without_an_answer_do_not_count_as_missed():
    scores = Scores([asked("a", "xa", [0.8, 0.4]), asked("", "xy", [0.2, 0.1], kind="nothing")], [])
    assert scores.any_at(5) == 1
    assert scores.reciprocal_rank() == 1 / 2
    assert len(scores.unanswerable) == 1


def test_the_error_by_chance_grows_with_fewer_answers():
    few, many = [(0.5, True)] * 10, [(0.5, True)] * 1000
    assert 0.1 < error_by_chance(few) < 0.2
    assert 0 < error_by_chance(many) < 0.02
    assert error_by_chance([(1.0, True), (0.0, False)]) == 0
    assert error_by_chance([]) == 0


def test_calibration_includes_answers_to_unanswerable_questions():
    scores = Scores([asked("a", "ab", [0.95, 0.05]), asked("", "c", [0.95])], [])
    first, every = scores.calibration()
    assert first == pytest.approx(0.45)
    assert every == pytest.approx((2 * 0.45 + 0.05) / 3)


def test_an_arm_without_confidences_has_no_calibration():
    assert Scores([asked("a", "a", [None])], []).calibration() == (None, None)


def test_tokens_are_divided_by_the_number_of_answered_questions():
    found, missed = asked("a", "ab", [0.9, 0.1]), asked("z", "ab", [0.9, 0.1])
    assert Scores([found, missed], []).tokens_per_right() == 2 * 80 / 4
    assert Scores([missed], []).tokens_per_right() is None


def test_a_right_answer_that_was_not_returned_costs_tokens_but_does_not_count():
    late = asked("b", "ab", [0.9, 0.1], given=1)
    assert Scores([late], []).any_at(5) == 1
    assert Scores([late], []).tokens_per_right() is None


def test_false_answers_are_counted_by_confidence():
    silent = asked("", "", [])
    assert false_answers([silent, asked("", "x", [0.3]), asked("", "x", [0.5]), silent]) == (0.25, 0.5)
