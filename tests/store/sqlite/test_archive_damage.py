"""One archived memory that cannot be read keeps nobody from the others, and can be forgotten."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from rum import Rum, StorageError
from rum.text import terms
from support.builders import NOON, make_draft, make_outcome
from support.processes import Place, make_place

LATER = NOON + 400 * 86400


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    return make_place(tmp_path)


@pytest.fixture
def ids(place: Place) -> list[str]:
    """Five archived memories, the second of which is damaged."""
    with place.open(clock=lambda: NOON) as rum:
        found = [
            rum.store(
                **make_draft(f"Mend tap{number}", f"Tap{number} holds", tags=["taps"]),
                actions=[{"type": "file_edit", "file_path": f"src/tap{number}.py"}],
            ).memory_id
            for number in range(4)
        ]
        deep = make_outcome("Holds", learnings=["The washer was brittle"])
        found.append(rum.store(**make_draft("Mend the last one", outcome=deep)).memory_id)
    with place.open(clock=lambda: LATER) as rum:
        assert rum.archive().archived == 5
    sql(place, "UPDATE archived SET data = x'00' WHERE memory = 2")
    return found


def sql(place: Place, statement: str) -> list[Any]:
    with closing(sqlite3.connect(place.project() / "rum.db", isolation_level=None)) as db:
        return db.execute(statement).fetchall()


def by_words(rum: Rum, query: str, **more: Any) -> list[str]:
    return [memory.id for memory in rum.recall(query=query, **more).memories]


def goals(lines: list[bytes]) -> list[str]:
    told = map(msgspec.json.decode, lines)
    return [line["memory"]["intent"]["goal"] for line in told if "memory" in line]


@pytest.mark.parametrize("depth", ["summary", "outcome", "reasoning", "full", "complete"])
def test_a_damaged_memory_is_recalled_with_the_fields_of_its_row(place: Place, ids: list[str], depth: str):
    with place.open(owner=True) as rum:
        (memory,) = rum.recall(query="tap1 holds", depth=depth, limit=1).memories
        assert (memory.id, memory.outcome.summary) == (ids[1], "Tap1 holds")
        assert by_words(rum, "mend tap", depth=depth) != []


@pytest.mark.parametrize(
    "look",
    [
        lambda rum, ids: rum.list(limit=50).total,
        lambda rum, ids: rum.brief(task="Mend tap1", file="src/tap1.py").text,
        lambda rum, ids: rum.chapters.suggest(),
        lambda rum, ids: rum.report().memories == 5,
        lambda rum, ids: rum.show(ids[0]).intent.goal,
        lambda rum, ids: rum.tidy(),
        lambda rum, ids: rum.extract(
            agent="a", task="Mend tap1", agent_output="Tap1 must be oiled.", result="success"
        ),
    ],
)
def test_a_damaged_memory_does_not_affect_others(
    place: Place, ids: list[str], look: Callable[[Rum, list[str]], object]
):
    with place.open(owner=True) as rum:
        assert look(rum, ids) is not False


def test_reading_a_damaged_memory_is_an_error(place: Place, ids: list[str]):
    with place.open(owner=True) as rum, pytest.raises(StorageError, match=f"{ids[1]} cannot be read"):
        rum.show(ids[1])


def test_an_export_leaves_it_out_and_says_so(place: Place, ids: list[str]):
    left_out: list[str] = []
    with place.open(owner=True) as rum:
        lines = list(rum.export(left_out.append))
        assert left_out == [ids[1]]
        with pytest.warns(RuntimeWarning, match=ids[1]):
            assert list(rum.export()) == lines
    assert goals(lines) == ["Mend tap0", "Mend tap2", "Mend tap3", "Mend the last one"]


def test_reindexing_names_it_and_leaves_everything_to_be_found(place: Place, ids: list[str]):
    left_out: list[str] = []
    with place.open(owner=True) as rum:
        assert rum.reindex(left_out=left_out.append) == 4
        assert left_out == [ids[1]]
        assert by_words(rum, "brittle washer") == [ids[4]]
        for number in range(4):
            assert by_words(rum, f"tap{number}", limit=1) == [ids[number]]
        assert [one.what for one in rum.doctor().problems] == [
            f"1 archived memories cannot be read: {ids[1]}."
        ]


@pytest.mark.parametrize("stale", [False, True])
def test_a_reindexing_that_is_broken_off_leaves_everything_to_be_found(
    place: Place, ids: list[str], stale: bool
):
    if stale:
        sql(place, "UPDATE archived SET terms = 999")

    def stop(_done: int) -> None:
        raise KeyboardInterrupt

    with place.open(owner=True) as rum:
        with pytest.raises(KeyboardInterrupt):
            rum.reindex(stop, left_out=lambda _: None)
        assert by_words(rum, "brittle washer") == [ids[4]]
        assert by_words(rum, "tap3", limit=1) == [ids[3]]


def test_no_index_is_taken_apart_before_the_new_one_is_there(place: Place, ids: list[str]):
    """Whoever is killed while the terms are gathered has changed nothing."""

    def stop(_one: str) -> None:
        raise KeyboardInterrupt

    before = sql(place, "SELECT term, doc FROM archived_terms")
    with place.open(owner=True) as rum, pytest.raises(KeyboardInterrupt):
        rum.reindex(left_out=stop)
    assert sql(place, "SELECT term, doc FROM archived_terms") == before


@pytest.mark.parametrize("first", [lambda rum: None, lambda rum: rum.reindex(left_out=lambda _: None)])
def test_it_can_be_forgotten_with_all_its_words(place: Place, ids: list[str], first: Callable[[Rum], object]):
    with place.open(owner=True) as rum:
        first(rum)
        assert rum.forget(ids[1], dry_run=True).removed["memories"] == 1
        assert rum.forget(ids[1]).removed == {"memories": 1, "files": 1, "links": 0, "versions": 0}
        assert rum.doctor().problems == []
        assert by_words(rum, "tap3", limit=1) == [ids[3]]
    assert sql(place, "SELECT term FROM archived_terms WHERE term = 'tap1'") == []


def test_a_memory_with_terms_of_another_tokeniser_is_forgotten_separately(place: Place, ids: list[str]):
    sql(place, f"UPDATE archived SET terms = {terms.VERSION + 1}")
    with place.open(owner=True) as rum:
        rum.forget(ids[3])
        assert by_words(rum, "tap2", limit=1) == [ids[2]]
    assert sql(place, "SELECT term FROM archived_terms WHERE term = 'tap3'") == []


def test_only_who_may_forget_it_does(place: Place, ids: list[str]):
    with place.open(agent="somebody") as rum:
        rum.store(**make_draft("Something else"))
        with pytest.raises(Exception, match="belongs to"):
            rum.forget(ids[1])


def test_the_others_are_restored(place: Place, ids: list[str]):
    with place.open(owner=True) as rum:
        back = rum.restore_archived([ids[0], ids[1], ids[2]])
        assert (back.restored, back.live, back.unreadable) == ([ids[0], ids[2]], [], (ids[1],))
        assert rum.show(ids[2]).intent.goal == "Mend tap2"
        with pytest.raises(StorageError, match=f"{ids[1]} cannot be read"):
            rum.restore_archived(ids[1])


def test_it_is_not_changed(place: Place, ids: list[str]):
    with place.open(owner=True) as rum, pytest.raises(StorageError, match="cannot be read"):
        rum.update_memory(ids[1], tags=["more"])
    assert sql(place, "SELECT data FROM archived WHERE memory = 2") == [(b"\x00",)]
