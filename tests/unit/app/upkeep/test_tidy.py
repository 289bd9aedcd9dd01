"""Tidying does pending work within a time limit, in one process, and reports the rest."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec import UNSET

from rum import Rum
from rum.app.upkeep.tidy import UNUSED_VECTORS_TTL
from support.embedders import Endpoint
from support.processes import end, make_place
from support.projects import Shop, keep

HOLDER = """
import sys
from rum.app.upkeep.tidy import lease

with lease(sys.argv[1], 0, 77):
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint().serving() as endpoint:
        yield endpoint


@pytest.fixture
def rum(shop: Shop, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> Rum:
    use(monkeypatch, endpoint)
    return shop.open(owner=True)


def use(monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint, model: str = "words") -> None:
    for name, value in endpoint.settings(model).items():
        monkeypatch.setenv(name, value)


def vectors(rum: Rum) -> tuple[object, object]:
    """(done, pending) as the doctor tells."""
    told = rum.doctor().facts["vectors"]
    assert isinstance(told, dict)
    return told["done"], told["pending"]


def test_what_is_pending_is_embedded_once(rum: Rum, endpoint: Endpoint):
    for number in range(3):
        keep(rum, f"Goal {number}")
    assert (rum.pending, vectors(rum), endpoint.asked) == (3, (0, 3), [])
    told: list[int] = []
    done = rum.tidy(progress=told.append)
    assert (done.embedded, done.pending, done.trouble, done.busy) == (3, 0, UNSET, UNSET)
    assert (rum.pending, vectors(rum), told[-1]) == (0, (3, 0), 3)
    assert rum.tidy().embedded == 0
    assert len(endpoint.sent) == 3


def test_tidying_stops_at_its_time_limit_and_continues_the_next_time(rum: Rum):
    for number in range(5):
        keep(rum, f"Goal {number}")
    first = rum.tidy(0)
    assert (first.embedded, first.pending) == (1, 4)
    assert rum.tidy(math.inf).pending == 0


def test_a_changed_memory_is_embedded_again_but_not_for_a_new_tag(rum: Rum, endpoint: Endpoint):
    kept = keep(rum, "Goal")
    rum.tidy()
    rum.update_memory(kept, tags=["x"])
    assert rum.pending == 0
    rum.update_memory(kept, outcome={"learnings": ["Zebras are striped"]})
    assert rum.pending == 1
    rum.tidy()
    assert "Zebras" in endpoint.asked[-1]


def test_while_another_process_works_nothing_is_done_and_that_is_reported(rum: Rum, tmp_path: Path):
    keep(rum)
    process = make_place(tmp_path / "elsewhere").start(HOLDER, rum.project.directory)
    try:
        assert process.stdout
        process.stdout.readline()
        done = rum.tidy()
        assert done.busy
        assert (done.busy.pid, done.busy.since, done.embedded, done.pending) == (process.pid, 77, 0, 1)
    finally:
        end(process)
    assert rum.tidy().embedded == 1


def test_a_failing_endpoint_is_reported_by_tidy_and_doctor_until_it_works(rum: Rum, endpoint: Endpoint):
    keep(rum)
    endpoint.status = 500
    done = rum.tidy()
    assert (done.embedded, done.pending) == (0, 1)
    assert "500" in str(done.trouble)
    (problem,) = rum.doctor().problems
    assert ("500" in problem.what, "rum tidy" in problem.advice) == (True, True)
    endpoint.status = 200
    assert rum.recall(query="login").memories


def test_no_process_is_started_for_an_endpoint_that_failed_elsewhere_just_now(
    shop: Shop, rum: Rum, endpoint: Endpoint
):
    keep(rum)
    endpoint.status = 503
    shop.open(owner=True).tidy()
    assert not rum.idle()
    assert len(endpoint.asked) == 1


def test_asked_to_tidy_it_asks_even_an_embedder_that_failed_just_now(
    shop: Shop, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
):
    use(monkeypatch, endpoint)
    endpoint.status = 500
    with Rum.open(shop.folder, home=shop.home, clock=shop.clock) as first:
        keep(first)
        assert first.tidy().trouble
    endpoint.status = 200
    with Rum.open(shop.folder, home=shop.home, clock=shop.clock) as later:
        assert (later.tidy().embedded, later.doctor().problems) == (1, [])


def test_vectors_of_another_embedder_are_kept_for_a_week(
    shop: Shop, rum: Rum, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
):
    keep(rum)
    rum.tidy()
    use(monkeypatch, endpoint, "other")
    other = shop.open()
    assert other.tidy().dropped == 0
    assert rum.pending == 0
    shop.clock.forward(UNUSED_VECTORS_TTL + 1)
    done = other.tidy()
    assert (done.dropped, done.pending) == (1, 0)
    assert (rum.pending, other.pending) == (1, 0)
    assert other.doctor().problems == []


def test_vectors_that_somebody_asks_for_are_kept(
    shop: Shop, rum: Rum, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
):
    keep(rum)
    rum.tidy()
    use(monkeypatch, endpoint, "other")
    other = shop.open()
    other.tidy()
    for _ in range(8):
        shop.clock.forward(UNUSED_VECTORS_TTL // 7)
        rum.recall(query="something in other words", strategy="semantic")
        rum.settle()
    assert (other.tidy().dropped, rum.pending) == (0, 0)


def test_one_text_that_the_endpoint_refuses_stops_no_other_and_the_doctor_counts_it(
    rum: Rum, endpoint: Endpoint
):
    for number in range(40):
        keep(rum, f"Goal {number}")
    odd = keep(rum, "An odd goal")
    endpoint.refuses = lambda text: "odd" in text
    done = rum.tidy()
    assert (done.embedded, done.pending, done.trouble) == (41, 0, UNSET)
    told = rum.doctor()
    assert (told.problems, told.facts["vectors"]["refused"]) == ([], 1)  # type: ignore[index]
    assert [memory.id for memory in rum.recall(query="odd").memories] == [odd]


def test_an_endpoint_that_refuses_everything_leaves_no_vector_behind(rum: Rum, endpoint: Endpoint):
    for number in range(5):
        keep(rum, f"Goal {number}")
    endpoint.refuses = lambda _: True
    done = rum.tidy()
    assert (done.embedded, done.pending, "400" in str(done.trouble)) == (0, 5, True)
    assert (vectors(rum), len(endpoint.asked)) == ((0, 5), 2)
    (problem,) = rum.doctor().problems
    assert "400" in problem.what


def test_a_question_sends_no_memory_to_an_endpoint(
    shop: Shop, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
):
    for name, value in endpoint.settings(timeout=2).items():
        monkeypatch.setenv(name, value)
    rum = shop.open(owner=True)
    keep(rum)
    assert len(rum.recall(query="Fix the login of the shop").memories) == 1
    assert (endpoint.asked, rum.behind, rum.doctor().problems) == ([], True, [])


def test_without_an_embedder_nothing_is_pending(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    rum = shop.open()
    keep(rum)
    done = rum.tidy()
    assert (done.model, done.embedded, done.pending, rum.pending) == (None, 0, 0, 0)
    assert rum.doctor().facts["vectors"] == {"model": "none"}


def test_reindexing_keeps_vectors_unless_requested(rum: Rum, endpoint: Endpoint):
    keep(rum)
    rum.tidy()
    rum.reindex()
    assert vectors(rum) == (1, 0)
    rum.reindex(vectors=True)
    assert vectors(rum) == (0, 1)
    assert rum.tidy().embedded == 1
    assert len(endpoint.sent) == 2
