"""With the setting `store` everything works on PostgreSQL as on files, and gives the same answers."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from rum import Rum
from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.store.filters import Filters
from rum.surfaces.cli.main import main
from support import postgres
from support.builders import HandClock, make_draft, make_intent, make_outcome
from support.processes import Place, end, lines_of, make_place
from support.teams import Team

QUESTIONS = (
    "token refresh",
    "why did the login fail",
    "word7",
    "tokn refrsh",
    "the parser of dates",
    "billing/invoice.py",
    "nothing of this kind",
    "fix",
)
GOALS = (
    "Refresh the token before it expires",
    "Fix the login of expired users",
    "Make the parser of dates accept time zones",
    "Write invoices to the archive",
    "Remove the flaky login test",
    "Speed up the token cache",
)


@pytest.fixture
def dsn(request: pytest.FixtureRequest) -> str:
    if request.config.getoption("--quick"):
        pytest.skip("starts a server")
    return postgres.dsn()


@pytest.fixture
def place(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    monkeypatch.setenv("RUM_STORE", dsn)
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    return make_place(tmp_path)


def fill(rum: Rum, clock: HandClock) -> None:
    for number in range(36):
        goal = GOALS[number % len(GOALS)]
        learned = [f"Learned word{number} about {goal.split()[-1]}"]
        clock.forward(3600)
        outcome = make_outcome(f"Step {number} of {goal}", success=number % 5 != 0, learnings=learned)
        path = ("auth/token.py", "billing/invoice.py")[number % 2]
        rum.store(
            intent=make_intent(f"{goal} ({number})"),
            outcome=outcome,
            actions=[{"type": "file_edit", "file_path": path}],
            tags=[f"t{number % 3}"],
        )


def answers(rum: Rum) -> list[object]:
    found: list[object] = []
    for question in QUESTIONS:
        for more in ({}, {"tags": ["t1"]}, {"success_only": True}, {"depth": "full"}):
            answer = rum.recall(query=question, limit=10, min_confidence=0, **more)
            found.append(
                [(one.intent.goal, one.confidence, one.outcome.summary) for one in answer.memories]
                + [answer.total_matches, answer.query_strategy_used]
            )
    for path in ("auth/token.py", "billing/"):
        answer = rum.recall(file=path, limit=10)
        found.append([one.intent.goal for one in answer.memories])
    return found


@pytest.mark.parametrize("embedder", ["none", "builtin"])
def test_answers_are_the_same_as_on_files(
    dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, embedder: str
):
    monkeypatch.setenv("RUM_EMBEDDER", embedder)
    found: list[list[object]] = []
    for name in ("files", "server"):
        if name == "server":
            monkeypatch.setenv("RUM_STORE", dsn)
        clock = HandClock()
        with make_place(tmp_path / name).open(clock=clock, owner=True) as rum:
            fill(rum, clock)
            rum.tidy(seconds=60)
            found.append(answers(rum))
            clock.forward(400 * 86400)
            assert rum.archive().archived > 0
            found[-1] += answers(rum)
            assert rum.doctor().problems == []
    assert found[0] == found[1]


def test_a_day_of_work(place: Place):
    with place.open(owner=True) as rum:
        first = rum.store(**make_draft("Renew the token", "It works", tags=["auth"])).memory_id
        second = rum.store(**make_draft("Renew the token again", "Faster")).memory_id
        rum.link(second, first, "supersedes")
        rum.link(second, first, "caused_by")
        assert [one.id for one in rum.recall(query="renew token").memories] == [second]
        rum.update_memory(second, tags=["cache"])
        assert [version.version for version in rum.history(second)] == [1, 2]
        assert len(rum.trace(second).chain) == 1
        rum.chapters.create(memory_ids=[first, second], title="Tokens")
        assert [one.title for one in rum.chapters.list().chapters] == ["Tokens"]
        rum.facts.set("runner", "pytest")
        assert rum.facts.get("runner").value == "pytest"
        rum.forget(first)
        with pytest.raises(NotFound, match="trash"):
            rum.show(first)
        rum.restore(first)
        assert rum.show(first).intent.goal == "Renew the token"
        assert rum.reindex() == 2
        diagnosis = rum.doctor()
        assert diagnosis.problems == []
        assert "postgresql" in diagnosis.facts
        assert not list(place.home.rglob("*.db"))


def test_an_export_from_files_can_be_imported(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with place.open(owner=True) as rum:
        fill(rum, HandClock())
        exported = list(rum.export())
    monkeypatch.delenv("RUM_STORE")
    with make_place(tmp_path / "other").open(owner=True) as files:
        files.import_lines(exported)
        assert len(list(files.export())) == len(exported) > 36


def test_a_memory_on_a_server_and_one_in_files_sync(dsn: str, tmp_path: Path):
    with ExitStack() as opened:
        team = Team(tmp_path, opened)
        here, there = team.machine("here"), team.machine("there")
        (here.home / "config.toml").write_text(f'share = "all"\nembedder = "none"\nstore = "{dsn}"\n')
        here.rum = opened.enter_context(Rum.open(here.clone, home=here.home, clock=team.clock, owner=True))
        here.keep("On the server")
        there.keep("In files")
        for machine in (here, there, here):
            machine.sync()
        assert here.goals() == there.goals() == {"On the server", "In files"}
        assert not (here.home / "projects").exists() or not list(here.home.rglob("rum.db"))


WRITER = """
import sys
from rum import Rum
from support.builders import make_draft
with Rum.open(agent=sys.argv[1]) as rum:
    for number in range(int(sys.argv[2])):
        print(rum.store(**make_draft(f"Goal {sys.argv[1]} {number}", "Done")).memory_id)
"""


def test_processes_that_store_at_once_lose_nothing(place: Place, dsn: str):
    with place.open(owner=True) as rum:
        rum.store(**make_draft("First", "Done"))
    running = [place.start(WRITER, f"agent{number}", 20, RUM_STORE=dsn) for number in range(4)]
    try:
        ids = [memory_id for process in running for memory_id in lines_of(process)]
    finally:
        for process in running:
            end(process)
    with place.open(owner=True) as rum:
        assert len(set(ids)) == 80
        assert {rum.show(memory_id).id for memory_id in ids} == set(ids)
        assert rum.doctor().problems == []
        keys = rum._project.store.search.by_filters(Filters(), 1000)[0]
        assert sorted(row.key for row in keys) == list(range(1, 82))


def test_a_lost_connection_is_replaced(place: Place, dsn: str, tmp_path: Path):
    """On a server of its own: other tests' connections are not to be ended."""
    folder = tmp_path / "server"
    folder.mkdir(mode=0o755)
    address = postgres.start(folder / "data")
    with ExitStack() as opened:
        opened.enter_context(pytest.MonkeyPatch.context()).setenv("RUM_STORE", address)
        rum = opened.enter_context(place.open(owner=True))
        rum.store(**make_draft("Before", "Done"))

        def lose() -> None:
            with psycopg.connect(address.replace("rum_test@", "postgres@"), autocommit=True) as connection:
                connection.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'rum'"
                )

        lose()
        assert [one.intent.goal for one in rum.recall(query="before").memories] == ["Before"]
        lose()
        rum.store(**make_draft("After", "Done"))
        store = rum._project.store

        def lose_it_in_the_middle() -> None:
            with store.transaction():
                store.upkeep.remember("x", "1")
                lose()
                store.upkeep.remember("x", "2")

        with pytest.raises(StorageError, match="Nothing was written"):
            lose_it_in_the_middle()
        assert store.upkeep.remembered("x") is None
        assert store.memories.count() == 2


def test_what_only_files_offer_is_refused_in_plain_words(place: Place, tmp_path: Path):
    with place.open(owner=True) as rum:
        rum.store(**make_draft("A", "Done"))
        with pytest.raises(StorageError, match="pg_dump"):
            rum.backup(tmp_path / "copy")
    with pytest.raises(InvalidQuery, match="PostgreSQL"):
        Rum.repair(place.work, home=place.home)
    with pytest.raises(InvalidQuery, match="pg_restore"):
        Rum.restore_backup(tmp_path / "copy", place.work, home=place.home)


def test_a_repository_cannot_choose_the_database(place: Place, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("RUM_STORE")
    (place.work / ".rum").mkdir()
    (place.work / ".rum" / "config.toml").write_text('store = "postgresql://evil/db"\n')
    with place.open() as rum:
        assert rum.settings.store is None


def test_a_server_that_is_not_there_is_named_without_the_password(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("RUM_STORE", "postgresql://ann:hunter2secret@127.0.0.1:1/rum")
    with pytest.raises(StorageError) as caught:
        place.open()
    monkeypatch.setenv("RUM_HOME", str(place.home))
    assert main(["recall", "x"]) == 1
    assert main(["serve", "--check"]) == 1
    assert "hunter2secret" not in "".join(capsys.readouterr())
    assert "hunter2secret" not in json.dumps(caught.value.to_dict())
    assert "127.0.0.1" in caught.value.message


def test_a_project_moves_into_a_database_and_back(place: Place, dsn: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("RUM_STORE")
    monkeypatch.setenv("RUM_HOME", str(place.home))
    monkeypatch.chdir(place.work)
    clock = HandClock()
    with place.open(clock=clock, owner=True) as rum:
        fill(rum, clock)
        rum.facts.set("runner", "pytest")
    with place.open(owner=True) as rum:
        gone = rum.list(limit=1).memories[0].id
        rum.forget(gone)
    with place.open(clock=clock, owner=True) as rum:
        before = answers(rum)
    assert main(["projects", "move", "--to", dsn]) == 0
    assert main(["projects", "move", "--to", dsn]) == 0  # again, as after an interruption
    with place.open(clock=clock, owner=True, store=dsn) as rum:
        assert answers(rum) == before
        assert rum.facts.get("runner").value == "pytest"
        assert [item.id for item in rum.trash.list()] == [gone]
        assert rum.doctor().problems == []
        (place.project() / "rum.db").rename(place.home / "aside.db")
        (place.project() / "activity.db").unlink()
    monkeypatch.setenv("RUM_STORE", dsn)
    assert main(["projects", "move", "--to", dsn]) != 0
    assert main(["projects", "move", "--to", "files"]) == 0
    with place.open(clock=clock, owner=True, store="files") as rum:
        assert answers(rum) == before
    project = place.project().name
    assert main(["projects", "remove", project, "--yes", "work"]) == 0
    with psycopg.connect(postgres.superuser()) as connection:
        found = connection.execute("SELECT count(*) FROM rum.projects WHERE id = %s", (project,)).fetchone()
        assert found == (0,)
