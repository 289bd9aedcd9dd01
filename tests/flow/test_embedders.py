"""Projects with different embedders, a change of embedder, and an endpoint that does not answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from support.builders import make_draft
from support.embedders import Endpoint
from support.finding import ids_of
from support.processes import Place, end, lines_of, make_place


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    for name in ("EMBEDDER", "EMBEDDER_URL", "EMBEDDER_MODEL", "EMBEDDER_TIMEOUT", "EMBEDDER_KEY"):
        monkeypatch.delenv(f"RUM_{name}", raising=False)
    return make_place(tmp_path)


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with Endpoint().serving() as endpoint:
        yield endpoint


def opened(place: Place, monkeypatch: pytest.MonkeyPatch, embedder: dict[str, str], **how: Any) -> Rum:
    """Open the project with this embedder in the environment."""
    with monkeypatch.context() as environment:
        for name, value in embedder.items():
            environment.setenv(name, value)
        return place.open(**how)


def keep(rum: Rum, *goals: str) -> list[str]:
    return [rum.store(**make_draft(goal, goal)).memory_id for goal in goals]


def near(rum: Rum, text: str) -> list[str]:
    """The memories with the most similar vectors."""
    project = rum._caller.project
    return ids_of(project.store, [number for number, _ in project.semantic.nearest(text, 1).live])


def test_two_projects_can_use_different_embedders(place: Place, monkeypatch: pytest.MonkeyPatch):
    with (
        Endpoint(48).serving() as small,
        Endpoint(96).serving() as large,
        opened(place, monkeypatch, small.settings("small"), project="first") as first,
        opened(place, monkeypatch, large.settings("large"), project="second") as second,
    ):
        login, build = keep(first, "login fails", "build is slow")
        cache, disk = keep(second, "cache is cold", "disk is full")
        assert (first.tidy().pending, second.tidy().pending) == (0, 0)
        assert (near(first, "slow build"), near(second, "full disk")) == ([build], [disk])
        assert (near(first, "login"), near(second, "cold cache")) == ([login], [cache])
        assert first.doctor().facts["vectors"] != second.doctor().facts["vectors"]
    assert not [text for text in small.asked if "disk" in text]
    assert not [text for text in large.asked if "build" in text]


def test_after_a_change_of_embedder_words_find_everything_until_vectors_are_recomputed(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    with Endpoint(48).serving() as before, Endpoint(96).serving() as after:
        with opened(place, monkeypatch, before.settings()) as rum:
            kept = keep(rum, "login fails", "build is slow")
            rum.tidy()
            assert near(rum, "slow build") == [kept[1]]
        with opened(place, monkeypatch, after.settings()) as rum:
            assert kept[1] in [memory.id for memory in rum.recall(query="slow build").memories]
            assert rum.doctor().problems == []
            kept += keep(rum, "cache is cold")
            rum.tidy()
            assert rum.pending == 0
            assert (near(rum, "slow build"), near(rum, "cold cache")) == ([kept[1]], [kept[2]])
        asked = len(before.asked)
        with opened(place, monkeypatch, before.settings()) as rum:
            # Whoever goes back finds what was there, and only the new one is missing.
            assert rum.pending == 1
            rum.tidy()
            assert len(before.asked) == asked + 1
            assert near(rum, "cold cache") == [kept[2]]


def test_two_clients_with_different_embedders_keep_each_others_vectors(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    with Endpoint(48).serving() as one, Endpoint(96).serving() as two:
        with (
            opened(place, monkeypatch, one.settings("a")) as first,
            opened(place, monkeypatch, two.settings("b")) as second,
        ):
            (kept,) = keep(first, "login fails")
            for _ in range(3):
                assert (first.tidy().pending, second.tidy().pending) == (0, 0)
                assert near(first, "login") == near(second, "login") == [kept]
        assert len([text for text in one.asked if text.startswith("login fails")]) == 1
        assert len([text for text in two.asked if text.startswith("login fails")]) == 1


def test_storing_sends_nothing_to_the_endpoint(
    place: Place, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
):
    endpoint.stuck = True
    with opened(place, monkeypatch, endpoint.settings()) as rum:
        (kept,) = keep(rum, "login fails")
        rum.update_memory(kept, outcome={"learnings": ["Look at the clock"]})
        rum.forget(kept)
    assert endpoint.asked == []


def test_an_endpoint_that_does_not_answer_delays_only_one_query(
    place: Place, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
):
    with opened(place, monkeypatch, endpoint.settings(timeout=0.3)) as rum:
        (kept,) = keep(rum, "login fails")
        rum.tidy()
        endpoint.stuck = True
        endpoint.asked.clear()
        for number in range(3):
            assert near(rum, f"something else {number}") == []
            assert [memory.id for memory in rum.recall(query="login fails").memories] == [kept]
        assert len(endpoint.asked) == 1
        (problem,) = rum.doctor().problems
        assert "0.3 s" in problem.what
    with opened(place, monkeypatch, endpoint.settings(timeout=0.3)) as rum:
        assert near(rum, "yet another") == []
        assert keep(rum, "build is slow")
        assert len(endpoint.asked) == 1


def test_an_incomplete_endpoint_setting_is_reported_and_recall_uses_words(
    place: Place, monkeypatch: pytest.MonkeyPatch
):
    with opened(place, monkeypatch, {"RUM_EMBEDDER": "endpoint"}) as rum:
        (kept,) = keep(rum, "login fails")
        assert "embedder_url" in str(rum.tidy().trouble)
        assert [memory.id for memory in rum.recall(query="login").memories] == [kept]


def test_a_secret_in_a_query_is_not_sent(place: Place, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    with opened(place, monkeypatch, endpoint.settings()) as rum:
        keep(rum, "login fails")
        rum.tidy()
        near(rum, f"why does {secret} not log in")
    assert "not log in" in endpoint.asked[-1]
    assert secret not in str(endpoint.asked)


WRITER = """
import sys
from support.builders import make_draft
from rum import Rum

with Rum.open() as rum:
    for number in range(25):
        kept = rum.store(**make_draft(f"Goal {number} of {sys.argv[1]}")).memory_id
        if number % 5 == 0:
            rum.update_memory(kept, outcome={"learnings": [f"Lesson {number}"]})
        elif number % 5 == 1:
            rum.forget(kept)
"""
EMBEDDER = """
import sys
from rum import Rum

with Rum.open() as rum:
    for line in sys.stdin:
        # Without the lease, so that two are at it at once.
        rum._caller.project.semantic.embed_pending(0.2)
"""


def test_each_memory_gets_its_vector_while_others_store_and_change_memories(
    place: Place, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
):
    embedders = [place.start(EMBEDDER, **endpoint.settings()) for _ in range(2)]
    writers = [place.start(WRITER, number, **endpoint.settings()) for number in range(3)]
    try:
        while any(writer.poll() is None for writer in writers):
            for embedder in embedders:
                assert embedder.stdin
                embedder.stdin.write("go\n")
                embedder.stdin.flush()
            time.sleep(0.05)
        for process in (*writers, *embedders):
            lines_of(process)
    finally:
        for process in (*writers, *embedders):
            end(process)
    with opened(place, monkeypatch, endpoint.settings()) as rum:
        assert rum.tidy().pending == 0
        assert rum.doctor().problems == []
        assert rum.doctor().facts["vectors"] | {"model": ""} == {"model": "", "done": 60, "pending": 0}
