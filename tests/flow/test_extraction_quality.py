"""Precision and recall of extraction by rules, on labelled runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from rum import Rum
from rum.model.runs import Extracted, FindingKind
from support.labelled_runs import (
    Labelled,
    Statements,
    given,
    labelled,
    measured,
    measured_facts,
    measured_rules,
)
from support.projects import open_shop

KNOWN = labelled("known")
HELD_OUT = labelled("held_out")
UNSEEN = labelled("unseen")
INDEPENDENT = labelled("independent")


@pytest.fixture(scope="module")
def rum(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rum]:
    with open_shop(tmp_path_factory.mktemp("quality")) as shop:
        yield shop.open()


def extracted(rum: Rum, case: Labelled) -> Extracted:
    return rum.extract(dry_run=True, **case.run)


def test_the_set_is_large_and_has_every_kind_of_positive_and_negative():
    both = KNOWN + HELD_OUT + UNSEEN
    assert len(both) >= 60
    assert len(HELD_OUT + UNSEEN) * 3 >= len(both)
    assert {kind for case in both for kind in case.kinds} == set(FindingKind)
    assert {case.why for case in both if not case.create} == {"debugging", "output", "trivial", "duplicate"}
    for kind in FindingKind:
        assert sum(kind in case.kinds for case in both) >= 5
    assert len({case.name for case in both}) == len(both)


@pytest.mark.parametrize("case", KNOWN, ids=lambda case: case.name)
def test_a_known_run_is_judged_like_its_label(rum: Rum, case: Labelled):
    answer = extracted(rum, case)
    assert answer.should_create_memory == case.create, answer.reasoning
    if case.create:
        assert answer.kind in case.kinds
    if case.why == "duplicate":
        assert "duplicate of" in answer.reasoning


@pytest.mark.parametrize("case", [case for case in KNOWN if case.create], ids=lambda case: case.name)
def test_a_note_of_a_known_run_contains_the_expected_words(rum: Rum, case: Labelled):
    answer = extracted(rum, case)
    text = f"{answer.memory_title}\n{answer.content}"
    assert [words for words in case.holds if words not in text] == []
    title = str(answer.memory_title)
    assert [words for words in case.title if words not in title] == [], title
    assert [words for words in case.not_title if words in title] == [], title


@pytest.mark.parametrize("measure", [measured_facts, measured_rules])
def test_the_facts_and_rules_of_known_runs_are_those_of_the_labels(
    rum: Rum, measure: Callable[[Rum, list[Labelled]], Statements]
):
    found = measure(rum, KNOWN)
    assert (found.wrong, found.missing) == ((), ())
    assert found.right >= 15


@pytest.mark.parametrize("measure", [measured_facts, measured_rules])
def test_facts_and_rules_of_other_runs_are_rarely_wrong(
    rum: Rum, measure: Callable[[Rum, list[Labelled]], Statements]
):
    found = measure(rum, HELD_OUT + UNSEEN + INDEPENDENT)
    assert found.precision >= 0.95, found
    assert found.right >= 25
    assert found.recall >= 0.85, found


def test_known_runs_are_all_judged_correctly(rum: Rum):
    result = measured(rum, KNOWN)
    assert (result.precision, result.recall, result.kinds) == (1, 1, 1), result


def test_held_out_runs_are_mostly_judged_correctly(rum: Rum):
    result = measured(rum, HELD_OUT)
    assert result.precision >= 0.9, result
    assert result.recall >= 0.8, result
    assert result.kinds >= 0.8, result


def test_unseen_runs_are_rarely_kept_by_mistake(rum: Rum):
    result = measured(rum, UNSEEN)
    assert result.precision >= 0.9, result
    assert result.recall >= 0.6, result
    assert result.kinds >= 0.8, result


def test_runs_of_an_independent_author_are_mostly_judged_correctly(rum: Rum):
    result = measured(rum, INDEPENDENT)
    assert result.precision >= 0.9, result
    assert result.recall >= 0.8, result
    assert result.kinds >= 0.8, result


@pytest.mark.parametrize("cases", [KNOWN, HELD_OUT, UNSEEN], ids=["known", "held out", "unseen"])
def test_a_note_matches_its_own_task_and_rarely_another(
    tmp_path_factory: pytest.TempPathFactory, cases: list[Labelled]
):
    tasks = [case.run["task"] for case in KNOWN + HELD_OUT + UNSEEN]
    with open_shop(tmp_path_factory.mktemp("given")) as shop:
        notes = given(shop.open(), cases, tasks)
    lost = [note.name for note in notes if not note.own]
    assert len(lost) <= 0.05 * len(notes), lost
    assert [note for note in notes if note.others > 0.1] == []
    assert sum(note.others for note in notes) / len(notes) <= 0.01
