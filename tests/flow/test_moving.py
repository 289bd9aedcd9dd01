"""A project moves from one database to another while it is used, and nothing is lost."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

import psycopg
import pytest

from rum import Rum
from rum.model.errors import StorageError
from rum.repo.manage import describe
from rum.store.postgres import move
from rum.store.postgres.pool import full_address
from rum.surfaces.cli.main import main
from support import postgres
from support.builders import HandClock, make_draft
from support.processes import Place, end, lines_of, make_place


@pytest.fixture
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a second database."""
    if request.config.getoption("--quick"):
        pytest.skip("starts a server")
    with postgres.another_database() as address:
        yield address


@pytest.fixture
def place(other: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A project in the first database; the setting names a second one, `east`."""
    monkeypatch.setenv("RUM_STORE", postgres.dsn())
    monkeypatch.setenv("RUM_STORES", f"east={other}")
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    monkeypatch.setenv("RUM_IDLE_AFTER", "0")
    place = make_place(tmp_path)
    monkeypatch.setenv("RUM_HOME", str(place.home))
    monkeypatch.setattr(move, "GRACE", 0.0)
    monkeypatch.chdir(place.work)
    return place


def rows_in(address: str, project: str) -> dict[str, list[str]]:
    """Every row of a project without its number, by table."""
    with psycopg.connect(full_address(address), autocommit=True) as connection:
        connection.execute("SET search_path = rum")
        found = connection.execute("SELECT number FROM projects WHERE id = %s", (project,)).fetchone()
        assert found
        connection.execute("SELECT set_config('rum.project', %s, false)", (str(found[0]),))
        names = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'rum'::regnamespace AND relkind = 'r' "
            "AND relname NOT IN ('migrations', 'projects')"
        ).fetchall()
        return {
            name: sorted(map(repr, (row[1:] for row in connection.execute(f"SELECT * FROM {name}".encode()))))
            for (name,) in names
        }


def fill(rum: Rum, clock: HandClock) -> None:
    ids: list[str] = []
    for number in range(60):
        clock.forward(3600)
        ids.append(
            rum.store(**make_draft(f"Goal {number} of tokens", f"Done {number}", tags=["t"])).memory_id
        )
    rum.link(ids[3], ids[2], "supersedes")
    rum.link(ids[5], ids[4], "caused_by")
    rum.update_memory(ids[7], tags=["changed"])
    rum.forget(ids[8])
    rum.chapters.create(memory_ids=ids[10:13], title="Tokens")
    rum.facts.set("runner", "pytest")
    rum.feedback(ids[9], useful=True)
    clock.forward(400 * 86400)
    assert rum.archive(importance=0.9).archived > 0
    rum.store(**make_draft("Goal after the archive", "Done"))


def test_all_rows_move_and_the_old_ones_are_deleted(place: Place, other: str):
    clock = HandClock()
    with place.open(owner=True, clock=clock) as rum:
        fill(rum, clock)
        project = rum.project.id
        before = rows_in(postgres.dsn(), project)
        assert before["archived_terms"]
        assert main(["projects", "move", "--to", "east"]) == 0
        assert rows_in(other, project) == before
        assert not any(rows_in(postgres.dsn(), project).values())
        # The memory that was open all the time goes on in the other database.
        rum.store(**make_draft("Stored after the move", "Done"))
        assert rum.recall(query="stored after the move").memories
        assert rum.doctor().problems == []
    assert describe(project, str(place.home))["store"] == "east"
    assert main(["projects", "move", "--to", "default"]) == 0
    with place.open(owner=True, clock=clock) as rum:
        assert rum.recall(query="stored after the move").memories
        assert rum.facts.get("runner").value == "pytest"
        assert rum.doctor().problems == []
    assert "store" not in describe(project, str(place.home))


def test_positions_of_an_earlier_stay_are_not_used_after_a_move(
    place: Place, other: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RUM_READ_REPLICAS", "on")
    with place.open(owner=True) as rum:
        rum.store(**make_draft("First", "Done"))
        folder = Path(rum._project.location.directory)
    [kept] = folder.glob("position-*[0-9a-f]")
    assert main(["projects", "move", "--to", "east"]) == 0
    assert main(["projects", "move", "--to", "default"]) == 0
    assert not kept.exists()
    with place.open(owner=True) as rum:
        rum.store(**make_draft("Second", "Done"))
        assert rum._project.store.memories.count() == 2
    assert kept.exists()


WRITER = """
import sys
from rum import Rum
from support.builders import make_draft
with Rum.open(agent=sys.argv[1]) as rum:
    number = 0
    while True:
        print(rum.store(**make_draft(f"Goal {sys.argv[1]} {number}", "Done")).memory_id, flush=True)
        number += 1
        if number == int(sys.argv[2]):
            break
"""


def test_writers_go_on_while_the_project_moves_there_and_back(place: Place, other: str):
    with place.open(owner=True) as rum:
        rum.store(**make_draft("First", "Done"))
    stores = {"RUM_STORE": postgres.dsn(), "RUM_STORES": f"east={other}", "RUM_HOME": str(place.home)}
    running = [place.start(WRITER, f"agent{number}", 60, **stores) for number in range(3)]
    ids: list[list[str]] = [[] for _ in running]

    def collect(number: int) -> None:
        ids[number] = lines_of(running[number])

    readers = [threading.Thread(target=collect, args=(number,)) for number in range(3)]
    try:
        for reader in readers:
            reader.start()
        moves = 0
        while any(process.poll() is None for process in running) or moves < 2:
            assert main(["projects", "move", "--to", ("east", "default")[moves % 2]]) == 0
            moves += 1
        for reader in readers:
            reader.join()
    finally:
        for process in running:
            end(process)
    acknowledged = {memory_id for found in ids for memory_id in found}
    assert len(acknowledged) == 180
    with place.open(owner=True) as rum:
        assert {rum.show(one).id for one in acknowledged} == acknowledged
        assert len(rum.list(limit=100).memories) == 100
        assert rum._project.store.memories.count() == 181
        assert rum.doctor().problems == []


@pytest.mark.parametrize("step", ["_copy_groups", "_advance_numbers", "delete"])
def test_an_interrupted_move_is_continued(
    place: Place, other: str, monkeypatch: pytest.MonkeyPatch, step: str
):
    clock = HandClock()
    with place.open(owner=True, clock=clock) as rum:
        fill(rum, clock)
        project = rum.project.id
    before = rows_in(postgres.dsn(), project)
    kind = move._Side if step == "delete" else move._Move
    real, calls = getattr(kind, step), 0

    def fails(self: object, *given: object) -> object:
        nonlocal calls
        calls += 1
        if calls == (4 if step == "_copy_groups" else 1):
            raise StorageError("interrupted")
        return real(self, *given)

    with monkeypatch.context() as patched:
        patched.setattr(kind, step, fails)
        assert main(["projects", "move", "--to", "east"]) == 1
    with place.open(owner=True, clock=clock) as rum:
        assert rum.recall(query="goal after the archive").memories
    assert main(["projects", "move", "--to", "east"]) == 0
    found = rows_in(other, project)
    del found["uses"], before["uses"]  # the recall was counted
    assert found == before
    assert not any(rows_in(postgres.dsn(), project).values())


def test_a_switch_that_was_interrupted_between_both_databases_is_completed_by_the_next_reader(
    place: Place, other: str, monkeypatch: pytest.MonkeyPatch
):
    with place.open(owner=True) as rum:
        kept = rum.store(**make_draft("First", "Done")).memory_id

    def fails(*_: object) -> None:
        raise StorageError("interrupted")

    with monkeypatch.context() as patched:
        patched.setattr(move._Side, "end_move", fails)
        assert main(["projects", "move", "--to", "east"]) == 1
    with place.open(owner=True) as rum:
        assert rum.show(kept).id == kept
        rum.store(**make_draft("Second", "Done"))
    assert main(["projects", "move", "--to", "east"]) == 0
    with place.open(owner=True) as rum:
        assert rum._project.store.memories.count() == 2


def test_a_writer_that_waited_for_an_interrupted_switch_goes_on_in_the_new_database(
    place: Place, other: str, monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: object) -> None:
        raise StorageError("interrupted")

    with place.open(owner=True) as rum:
        rum.store(**make_draft("First", "Done"))
        before = rows_in(postgres.dsn(), rum.project.id)["memories"]
        with monkeypatch.context() as patched:
            patched.setattr(move._Side, "end_move", fails)
            assert main(["projects", "move", "--to", "east"]) == 1
        rum.store(**make_draft("Second", "Done"))
        assert rows_in(postgres.dsn(), rum.project.id)["memories"] == before
        assert len(rows_in(other, rum.project.id)["memories"]) == 2
    assert main(["projects", "move", "--to", "east"]) == 0
    with place.open(owner=True) as rum:
        assert rum._project.store.memories.count() == 2


@pytest.mark.parametrize("to", ["default", "east"])
def test_another_move_of_the_project_is_refused_until_the_first_has_ended(
    place: Place, other: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], to: str
):
    with place.open(owner=True) as rum:
        rum.store(**make_draft("Kept by both moves", "Done"))
    ended: list[int] = []
    delete = move._Side.delete

    def after_another_move(side: move._Side, tables: Iterable[str]) -> int:
        if not ended:
            ended.append(-1)
            ended.append(main(["projects", "move", "--to", to]))
        return delete(side, tables)

    monkeypatch.setattr(move._Side, "delete", after_another_move)
    assert main(["projects", "move", "--to", "east"]) == 0
    assert ended[1] != 0
    assert "Another process moves the project" in capsys.readouterr().err
    with place.open(owner=True) as rum:
        assert rum.recall(query="kept by both moves").memories
    assert main(["projects", "move", "--to", "default"]) == 0
    with place.open(owner=True) as rum:
        assert rum.recall(query="kept by both moves").memories


def test_a_database_that_has_another_project_with_this_id_is_left_alone(
    place: Place, other: str, capsys: pytest.CaptureFixture[str]
):
    with place.open(owner=True) as rum:
        rum.store(**make_draft("Here", "Done"))
    with place.open(owner=True, store=other) as rum:
        rum.store(**make_draft("There", "Done"))
    assert main(["projects", "move", "--to", "east"]) == 1
    assert "has a project of its own" in capsys.readouterr().err
    with place.open(owner=True) as rum:
        assert rum._project.store.memories.count() == 1
        assert rum.recall(query="here").memories


def test_an_unknown_database_is_refused(place: Place, capsys: pytest.CaptureFixture[str]):
    with place.open(owner=True) as rum:
        rum.store(**make_draft("Here", "Done"))
    assert main(["projects", "move", "--to", "west"]) != 0
    assert "east" in capsys.readouterr().err
