"""Recall by several wordings, near misses, and memories that files or filters select."""

from __future__ import annotations

from collections.abc import Iterator
from operator import mul
from pathlib import Path

import pytest

from rum import InvalidQuery, Rum
from rum.model.requests import MAX_WORDINGS, RecallRequest
from rum.recall.limits import TELLING
from rum.recall.wordings import MIN_LONG, wordings_of
from support.builders import make_draft
from support.projects import open_shop


@pytest.fixture
def rum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rum]:
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    with open_shop(tmp_path) as shop:
        yield shop.open(owner=True)


def kept(rum: Rum, goal: str, path: str = "src/a.py", **more: object) -> str:
    return rum.store(
        **make_draft(goal, goal, actions=[{"type": "file_edit", "file_path": path}], **more)
    ).memory_id


def ids(rum: Rum, **question: object) -> list[str]:
    return [memory.id for memory in rum.recall(**question).memories]


def test_a_memory_is_found_by_any_wording_with_its_best_confidence(rum: Rum) -> None:
    pool = kept(rum, "Return closed connections to the pool")
    kept(rum, "Paint the logo green")
    assert ids(rum, query="the site hangs at night") == []
    alone = rum.recall(query="closed connections pool").memories[0]
    both = rum.recall(query=["the site hangs at night", "closed connections pool"]).memories
    assert [(memory.id, memory.confidence) for memory in both] == [(pool, alone.confidence)]


def test_more_wordings_do_not_raise_a_confidence(rum: Rum) -> None:
    kept(rum, "Return closed connections to the pool")
    once = rum.recall(query="closed connections").memories[0].confidence
    often = rum.recall(query=["closed connections", "connections closed", "connections that are closed"])
    assert often.memories[0].confidence == pytest.approx(once, abs=0.02)


def test_each_wording_explains_what_it_found(rum: Rum) -> None:
    kept(rum, "Return closed connections to the pool")
    [found] = rum.recall(query=["the site hangs", "closed connections pool"], explain=True).memories
    assert any("connections" in line for line in found.why or ())


def test_too_many_wordings_are_refused(rum: Rum) -> None:
    with pytest.raises(InvalidQuery, match=f"at most {MAX_WORDINGS}"):
        rum.recall(query=[f"word{number}" for number in range(MAX_WORDINGS + 1)])


def test_intent_and_query_are_one_question_in_their_first_wordings() -> None:
    request = RecallRequest(intent=("fix it", "mend"), query=("pool", "connections", "pool"))
    assert request.wordings == ("fix it pool", "connections", "pool", "mend")
    assert RecallRequest(query=("", " ")).wordings == ()


REPORT = f"""Workers never give connections back.
We see this since {"the last deployment of the service, " * 8}
Traceback (most recent call last):
  File "pool.py", line 4, in take_connection
PoolExhausted
psycopg.OperationalError: too many clients already
"""


def test_a_long_report_is_also_asked_by_first_line_error_and_names() -> None:
    whole, *parts = wordings_of((REPORT,))
    assert whole == REPORT
    assert parts[:2] == [
        "Workers never give connections back.",
        "psycopg.OperationalError: too many clients already",
    ]
    assert "take_connection" in parts[2]


def test_a_report_and_its_first_sentence_count_more_than_its_other_parts(rum: Rum) -> None:
    kept(rum, "Give connections back when workers end")
    kept(rum, "Paint the logo green")
    # A list of wordings is not split further.
    answers = [rum.recall(query=[part, "."], min_confidence=0).memories for part in wordings_of((REPORT,))]
    each = [memories[0].confidence if memories else 0.0 for memories in answers]
    [found, *_] = rum.recall(query=REPORT, min_confidence=0).memories
    assert len(each) == 4
    mean = sum(map(mul, each, (TELLING, TELLING, 1, 1))) / (2 * TELLING + 2)
    assert found.confidence == pytest.approx(mean, abs=0.02)
    assert found.confidence < max(each)


def test_a_short_question_and_given_wordings_are_asked_as_they_are() -> None:
    assert wordings_of(("why does it hang?",)) == ("why does it hang?",)
    given = ("a " * MIN_LONG, "b")
    assert wordings_of(given) == given
    assert wordings_of(()) == ()


def test_memories_of_a_requested_file_are_not_withheld_for_their_words(rum: Rum) -> None:
    mine = [kept(rum, "Rename a variable", "src/pool.py"), kept(rum, "Sort the imports", "src/pool.py")]
    kept(rum, "Paint the logo green", "src/logo.py")
    answer = rum.recall(file="src/pool.py", query="why does the login fail for unicorns")
    assert {memory.id for memory in answer.memories} == set(mine)


def test_at_least_one_memory_of_the_file_is_returned(rum: Rum) -> None:
    mine = kept(rum, "Rename a variable", "src/pool.py")
    for number in range(3):
        kept(rum, f"Paint the logo green {number}", f"src/logo{number}.py")
    assert mine in ids(rum, file="src/pool.py", query="paint the logo green", limit=2)


def test_the_memory_of_the_file_is_returned_with_several_wordings_too(rum: Rum) -> None:
    mine = kept(rum, "Rename a variable", "src/pool.py")
    for number in range(4):
        kept(rum, f"Paint the logo green {number}", f"src/logo{number}.py")
    question = ["paint the logo green", "logo painted green"]
    assert mine in ids(rum, file="src/pool.py", query=question, limit=2)


@pytest.mark.parametrize("filler", ["\n", "-----\n", "_.", "a.", " "])
def test_long_runs_of_signs_are_split_quickly(filler: str) -> None:
    """Quadratic time would take minutes here."""
    assert wordings_of(("a" + filler * 20_000 + "kafka x",))


def test_memories_that_pass_the_filters_are_not_withheld_for_their_words(rum: Rum) -> None:
    fix = kept(rum, "Repair the printer", intent={"goal": "Repair the printer", "task_type": "bug_fix"})
    kept(rum, "Paint the logo green", intent={"goal": "Paint the logo", "task_type": "feature_add"})
    answer = rum.recall(task_type="bug_fix", intent="unicorns cannot log in", explain=True)
    assert [memory.id for memory in answer.memories] == [fix]
    assert answer.memories[0].confidence < 0.15


def test_a_minimum_confidence_that_the_caller_sets_is_kept(rum: Rum) -> None:
    kept(rum, "Rename a variable", "src/pool.py")
    assert ids(rum, file="src/pool.py", query="unicorns cannot log in", min_confidence=0.999) == []


def test_an_answer_without_results_names_what_came_close(rum: Rum) -> None:
    close = kept(rum, "Return closed connections to the pool of the database after an error in the worker")
    for number in range(30):
        kept(rum, f"Error {number} in the worker of the printer", f"src/{number}.py")
    answer = rum.recall(query="unicorn zebra giraffe closed walrus yak emu database", min_confidence=0.99)
    assert (answer.memories, answer.code) == ([], "NO_RESULTS")
    assert answer.near
    assert answer.near[0].id == close
    assert "Return closed connections" in answer.near[0].text
    assert len(answer.near) <= 3


def test_words_that_nothing_holds_have_no_near_miss(rum: Rum) -> None:
    kept(rum, "Paint the logo green")
    assert not rum.recall(query="unicorn zebra giraffe").near
