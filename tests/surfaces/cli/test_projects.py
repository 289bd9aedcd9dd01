"""`rum projects`: show, join, split, rename, remove and merge; and reading never makes a project."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from rum import Rum, StorageError
from support.builders import make_draft
from support.repositories import Repository
from surfaces.cli.running import JSON, Run

READING = [
    ["recall", "anything"],
    ["recall", "--file", "src/a.py"],
    ["list"],
    ["tags"],
    ["agents"],
    ["brief", "Fix the login"],
    ["report"],
    ["doctor"],
    ["config"],
    ["facts", "list"],
    ["rules", "list"],
    ["note", "list"],
    ["chapter", "list"],
    ["events"],
    ["offers"],
    ["projects"],
    ["export"],
    ["show", "mem_00000000"],
    ["trace", "mem_00000000"],
    ["history", "mem_00000000"],
    ["projects", "show"],
]


@pytest.mark.parametrize("named", [[], ["--project", "nosuch"]], ids=["here", "named"])
@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_reading_creates_nothing(run: Run, project: Path, command: list[str], named: list[str]):
    ran = run(*command, *named)
    home = Path(os.environ["RUM_HOME"])
    assert not home.exists(), sorted(home.rglob("*"))
    assert sorted(project.rglob("*")) == []
    assert "Traceback" not in ran.err


@pytest.mark.parametrize("command", READING, ids=" ".join)
def test_reading_beside_other_projects_creates_nothing(
    run: Run, project: Path, command: list[str], monkeypatch: pytest.MonkeyPatch
):
    run("store", stdin=JSON)
    home = Path(os.environ["RUM_HOME"])
    (project.parent / "new").mkdir()
    monkeypatch.chdir(project.parent / "new")
    before = {path: path.stat().st_mtime_ns for path in home.rglob("*") if path.is_file()}
    folders = sorted(home.rglob("*"))
    run(*command)
    assert sorted(home.rglob("*")) == folders
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_reading_says_that_there_is_no_memory_yet(run: Run):
    assert "No memory here yet" in run("list").err
    assert "No memory here yet: nothing is stored for nosuch." in run("list", "--project", "nosuch").err
    assert run("recall", "x", "--json").json["code"] == "NO_RESULTS"
    assert run("list", "--json").json["memories"] == []


@pytest.mark.parametrize("kind", ["file", "below a file"])
def test_an_unusable_home_is_an_error_and_no_empty_answer(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch, kind: str
):
    file = project.parent / "file"
    file.write_text("")
    monkeypatch.setenv("RUM_HOME", str(file if kind == "file" else file / "home"))
    for command in (["list"], ["recall", "x"], ["doctor"]):
        ran = run(*command)
        assert ran.code == 1
        assert "RUM_HOME" in ran.out + ran.err


def test_show_lists_aliases_with_how_each_came(run: Run, project: Path):
    repo = Repository(project)
    repo.commit("one", {"a": "1"})
    run("store", stdin=JSON)
    repo.git("remote", "add", "origin", "git@example.org:team/shop.git")
    run("list")
    shown = run("projects", "show", "--json").json
    found = {one["key"].partition(":")[0]: one["how"] for one in shown["aliases"]}
    assert found == {"root": "created", "remote": "remote added"}
    assert shown["places"] == [str(project / ".git")]
    lines = run("projects", "show", shown["name"]).out.splitlines()
    assert any(line.startswith("remote:example.org/team/shop\tremote added\t20") for line in lines)
    assert run("projects", "show", "nosuch").code == 1


def test_split_takes_an_alias_out_so_that_its_clone_is_a_project_of_its_own(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
):
    repo = Repository(project)
    repo.commit("one", {"a": "1"})
    repo.git("remote", "add", "origin", "https://example.org/team/shop")
    made = run("store", stdin=JSON).id
    fork = project.parent / "fork"
    repo.git("clone", "--quiet", str(project), str(fork))
    repo.git("-C", str(fork), "remote", "set-url", "origin", "https://example.org/ann/shop")
    monkeypatch.chdir(fork)
    (known,) = (one["id"] for one in run("projects", "--json").json)
    run("projects", "join", known)
    assert run("show", made).code == 0
    key = "remote:example.org/ann/shop"
    answer = run("projects", "split", key, "--json").json
    assert (answer["id"], answer["key"], answer["places"]) == (known, key, [str(fork / ".git")])
    assert run("show", made).code == 1
    assert run("projects", "split", key).code == 1
    monkeypatch.chdir(project)
    assert run("show", made).code == 0


def test_a_project_can_be_renamed(run: Run, stored: str):
    (known,) = (one["id"] for one in run("projects", "--json").json)
    assert run("projects", "rename", "shop", "store front", "--json").json["name"] == "store front"
    assert stored[-8:] in run("list", "--project", "store front").out
    assert [one["id"] for one in run("projects", "--json").json] == [known]
    run("store", "--project", "other", stdin=JSON)
    taken = run("projects", "rename", "other", "store front")
    assert (taken.code, "already" in taken.err) == (1, True)


def test_remove_asks_for_the_projects_name(run: Run, stored: str):
    (known,) = (one["id"] for one in run("projects", "--json").json)
    folder = Path(os.environ["RUM_HOME"]) / "projects" / known
    assert run("projects", "remove", known).code == 2
    assert run("projects", "remove", known, "--yes", "shpo").code == 1
    assert folder.exists()
    assert run("projects", "remove", "shop", "--yes", "shop", "--json").json == {"id": known, "removed": True}
    assert run("projects", "--json").json == []
    assert list(folder.parent.iterdir()) == []
    assert "No memory here yet" in run("list").err


def test_an_interrupted_removal_is_finished_by_the_next(run: Run, stored: str):
    (known,) = (one["id"] for one in run("projects", "--json").json)
    folder = Path(os.environ["RUM_HOME"]) / "projects" / known
    folder.rename(folder.with_name(f".removing-{known}"))
    assert run("projects", "remove", known, "--yes", "shop").code == 0
    folder.with_name(f".removing-{known}").mkdir()
    assert run("projects", "remove", known).code == 0
    assert list(folder.parent.iterdir()) == []


def fill(name: str, count: int, start: int = 0) -> None:
    with Rum.open(project=name, owner=True) as rum:
        made = [rum.store(**make_draft(f"Goal {n} of {name}")).memory_id for n in range(start, start + count)]
        for one, other in pairwise(made):
            rum.link(one, other, "led_to")
        rum.facts.set(f"{name} port", "8080")
        rum.rules.add(f"deploying {name}", "run the tests")
        rum.layers.append("episodic", {"content": f"It happened in {name}"})
        if count > 2:
            rum.chapters.create(memory_ids=made[:3], title=f"Chapter of {name}")
        rum.update_memory(made[0], intent={"goal": f"Changed goal of {name}"})


def test_merge_moves_everything(run: Run, project: Path):
    fill("old", 4)
    fill("new", 3)
    with Rum.open(project="old", owner=True) as rum:
        gone = rum.store(**make_draft("A thing to forget")).memory_id
        forgotten = rum.show(gone)
        rum.forget(gone)
    answer = run("projects", "merge", "old", "new", "--json").json
    assert (answer["complete"], answer["memories"], answer["different"]) == (True, 4, [])
    assert [one["name"] for one in run("projects", "--json").json] == ["new"]
    with Rum.open(project="new", owner=True) as rum:
        goals = {one.intent_goal for one in rum.list(limit=100).memories}
        assert len(goals) == 7
        assert {"Changed goal of old", "Changed goal of new"} <= goals
        assert {fact.key for fact in rum.facts.list()} == {"old port", "new port"}
        assert len(rum.rules.list()) == 2
        assert {chapter.title for chapter in rum.chapters.list().chapters} == {
            "Chapter of old",
            "Chapter of new",
        }
        assert rum.layers.search("episodic", "happened in old")
        (changed,) = (one for one in rum.list(limit=100).memories if one.intent_goal == "Changed goal of old")
        assert [version.version for version in rum.history(changed.id)] == [1, 2]
        exported = [json.loads(line) for line in rum.export()]
        assert not any(line["memory"].get("imported_at") for line in exported if line["kind"] == "memory")
        assert sum(line["kind"] == "link" for line in exported) == 3 + 2
    assert forgotten.id == gone
    assert run("show", gone, "--project", "new").code == 1
    assert run("restore", gone, "--project", "new").code == 0, "the trash came along"
    assert run("show", gone, "--project", "new").code == 0
    # The old name still leads here.
    assert "Goal 1 of old" in run("list", "--project", "old").out


def test_merge_keeps_the_source_if_something_differs(run: Run, project: Path):
    for name, value in (("old", "1"), ("new", "2")):
        with Rum.open(project=name, owner=True) as rum:
            rum.facts.set("port", value)
    answer = run("projects", "merge", "old", "new", "--json").json
    assert (answer["complete"], answer["different"]) == (False, ["fact port"])
    assert sorted(one["name"] for one in run("projects", "--json").json) == ["new", "old"]
    with Rum.open(project="old", owner=True) as rum:
        assert rum.facts.get("port").value == "1"


@pytest.mark.skipif(sys.platform == "win32", reason="kills a process")
def test_a_merge_that_is_killed_loses_nothing_and_can_be_repeated(run: Run, project: Path):
    fill("old", 40)
    fill("new", 3)
    for delay in (0.3, 0.6, 0.9, 1.2):
        command = [sys.executable, "-m", "rum", "projects", "merge", "old", "new"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        names = [one["name"] for one in run("projects", "--json").json]
        goals: set[str] = set()
        for name in names:
            with Rum.open(project=name, owner=True) as rum:
                goals |= {one.intent_goal for one in rum.list(limit=100).memories}
        assert len(goals) == 43, delay
    if "old" in names:
        assert run("projects", "merge", "old", "new").code == 0
    assert [one["name"] for one in run("projects", "--json").json] == ["new"]
    with Rum.open(project="new", owner=True) as rum:
        assert rum.list(limit=100).total == 43


def test_a_running_server_follows_a_merge(run: Run, project: Path):
    fill("old", 3)
    with Rum.open(project="old", owner=True) as server:
        run("store", "--project", "new", stdin=JSON)
        run("projects", "merge", "old", "new")
        with pytest.raises(StorageError, match="by now"):
            server.store(**make_draft("Written after the merge"))
        server.store(**make_draft("Written after the merge"))
    assert "Written after the merge" in run("list", "--project", "new").out
    assert len(run("projects", "--json").json) == 1


def test_a_project_that_was_joined_while_a_server_runs_is_used_by_it(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
):
    run("store", stdin=JSON)
    (known,) = (one["id"] for one in run("projects", "--json").json)
    (project.parent / "new").mkdir()
    monkeypatch.chdir(project.parent / "new")
    with Rum.open(owner=True) as server:
        assert server.list().memories == []
        run("projects", "join", known)
        assert len(server.list().memories) == 1
        server.store(**make_draft("Stored by the server"))
    assert [one["id"] for one in run("projects", "--json").json] == [known]
    registry = json.loads((Path(os.environ["RUM_HOME"]) / "projects.json").read_text())
    assert len(registry["projects"]) == 1
