"""`rum identity`, `agents`, `projects`, `config` and `trust`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import msgspec
import pytest

from rum import Rum
from rum.recall.fitted import MIN_CONFIDENCE
from rum.settings.table import SETTINGS
from surfaces.cli.running import JSON, Run
from surfaces.cli.terminal import needs_terminal, on_terminal


def test_agents_are_registered_resumed_and_looked_up(run: Run, rum: Rum):
    made = run("identity", "register", "--name", "developer", "--json").json
    assert made["agent_id"].startswith("agent_")
    child = run("identity", "register", "--type", "subagent", "--parent-id", "developer", "--json").json
    assert child["parent_id"] == made["agent_id"]
    assert run("identity", "resume", "--json").json["agent_id"] == made["agent_id"]
    info = run("identity", "info", "--agent-id", "developer", "--json").json
    assert info == json.loads(msgspec.json.encode(rum.identity("info", name="developer")))
    assert info["children"] == [child["agent_id"]]
    out = run("identity", "info", "--name", "developer").out
    assert out.splitlines()[0] == "developer"
    assert f"children:\n  - {child['agent_id']}\n" in out


def test_a_name_can_be_registered_once(run: Run):
    run("identity", "register", "--name", "developer")
    assert run("identity", "register", "--name", "developer").code == 1


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[2Jb", "a\x7fb", "x" * 81, "a/b", " "])
def test_a_name_that_the_agent_option_refuses_cannot_be_registered(run: Run, name: str):
    for refused in (run("identity", "register", "--name", name), run("list", "--agent", name)):
        assert (refused.code, refused.out) == (1, "")
        assert "80" in refused.err
        assert "\x1b" not in refused.err
    assert run("agents", "--json").json == []


def test_a_name_of_80_characters_can_be_registered_and_used(run: Run):
    name = "x" * 80
    made = run("identity", "register", "--name", name, "--json").json
    run("store", "--agent", name, stdin=JSON)
    assert run("identity", "info", "--name", name, "--json").json["memory_count"] == 1
    assert made["name"] == name


def test_agents_are_listed_one_per_line(run: Run, rum: Rum):
    empty = run("agents")
    assert (empty.out, empty.err) == ("", "No agents yet.\nNo memory here yet: nothing is stored for shop.\n")
    run("store", "--agent", "developer", stdin=JSON)
    run("identity", "register", "--name", "idle")
    rows = [line.split("\t") for line in run("agents").out.splitlines()]
    assert sorted((row[0], row[2], row[3], row[4]) for row in rows) == [
        ("developer", "main", "1", "0%"),
        ("idle", "main", "0", "-"),
    ]
    assert run("agents", "--json").json == json.loads(msgspec.json.encode(rum.agents()))


def test_projects_are_listed_one_per_line(run: Run, project: Path):
    empty = run("projects")
    assert (empty.out, empty.err) == ("", "No projects yet.\n")
    run("list")
    assert run("projects").err == "No projects yet.\n"
    run("store", stdin=JSON)
    (line,) = run("projects").out.splitlines()
    name, project_id, root = line.split("\t")
    assert (name, root) == ("shop", str(project))
    assert project_id.startswith("shop-")
    (listed,) = run("projects", "--json").json
    assert (listed["id"], listed["name"], listed["root"]) == (project_id, "shop", str(project))


@pytest.mark.parametrize("command", ["join", "adopt"])
def test_a_moved_directory_can_join_its_memories(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch, command: str
):
    made = run("store", stdin=JSON).id
    (project_id,) = (one["id"] for one in run("projects", "--json").json)
    elsewhere = project.parent / "elsewhere" / "shop"
    elsewhere.parent.mkdir()
    monkeypatch.chdir(project.parent)
    project.rename(elsewhere)
    monkeypatch.chdir(elsewhere)
    lost = run("list")
    assert lost.out == ""
    assert f"rum projects join {project_id}" in lost.err
    ran = run("projects", command, project_id)
    assert (ran.code, ran.out) == (0, f"{elsewhere} is now part of {project_id}.\n")
    assert run("show", made).code == 0


def test_a_project_can_be_selected_by_name(
    run: Run, stored: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    ran = run("list", "--project", "shop")
    assert stored[-8:] in ran.out
    assert ran.err == ""
    monkeypatch.setenv("RUM_PROJECT", "shop")
    assert stored[-8:] in run("list").out
    (tmp_path / "other" / "shop").mkdir(parents=True)
    monkeypatch.delenv("RUM_PROJECT")
    monkeypatch.chdir(tmp_path / "other" / "shop")
    run("store", stdin=JSON)
    ids = [one["id"] for one in run("projects", "--json").json]
    assert len(ids) == 2
    several = run("list", "--project", "shop")
    assert (several.code, several.out) == (1, "")
    assert all(one in several.err for one in ids)


@pytest.mark.parametrize("command", ["list", "agents"])
def test_reading_a_mistyped_project_creates_none(run: Run, stored: str, command: str):
    ran = run("--project", "shpo", command)
    assert ran.code == 0
    assert "No memory here yet: nothing is stored for shpo." in ran.err
    assert [one["name"] for one in run("projects", "--json").json] == ["shop"]


def test_a_mistyped_project_that_is_written_to_is_reported_as_new(run: Run, stored: str):
    ran = run("--project", "shpo", "store", stdin=JSON)
    assert ran.code == 0
    assert "Project `shpo` did not exist, so a new one was created." in ran.err
    assert "did not exist" not in run("--project", "shpo", "list").err


def test_config_shows_every_setting_and_where_it_came_from(
    run: Run, project: Path, monkeypatch: pytest.MonkeyPatch
):
    (project / ".rum").mkdir()
    config = "[agents.developer]\nmax_injected = 3\n"
    (project / ".rum" / "config.toml").write_text(f'notes_dir = "memories"\n{config}')
    monkeypatch.setenv("RUM_RECALL_DEPTH", "outcome")
    shown = run("config", "--json", "--agent", "developer").json
    assert {setting.name for setting in SETTINGS} <= shown.keys()
    assert shown["notes_dir"] == {"value": "memories", "origin": str(project / ".rum" / "config.toml")}
    assert shown["recall_depth"] == {"value": "outcome", "origin": "RUM_RECALL_DEPTH"}
    assert shown["agent"] == {"value": "developer", "origin": "flag"}
    assert shown["busy_timeout"]["origin"] == "default"
    assert shown["agents.developer.max_injected"]["value"] == 3
    assert shown["agents.developer.min_importance"] == {"value": "low", "origin": "default"}
    rows = [line.split("\t") for line in run("config").out.splitlines()]
    assert ["recall_depth", "outcome", "RUM_RECALL_DEPTH"] in rows
    assert shown["min_confidence"]["value"] is None
    assert f"(default {MIN_CONFIDENCE};" in run("recall", "--help").out
    assert ["min_confidence", f"- (built in: {MIN_CONFIDENCE})", "default"] in rows
    assert len(rows) == len(shown)


def test_config_works_outside_of_any_project(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(os.environ["HOME"])
    ran = run("config")
    assert ran.code == 0
    assert "recall_limit\t5\tdefault\n" in ran.out
    assert "is not a project" in ran.err
    assert run("list").code == 1


def test_a_mistake_in_the_users_own_settings_is_an_error(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_RECALL_LIMIT", "many")
    ran = run("config")
    assert (ran.code, ran.out) == (1, "")
    assert "RUM_RECALL_LIMIT" in ran.err


@pytest.fixture
def untrusted_settings(project: Path) -> Path:
    """The settings file of a repository with settings that need trust."""
    folder = project / ".rum"
    folder.mkdir()
    (folder / "config.toml").write_text(
        'rate_limit = 50\nredact_allow = ["\\u001b[2Jpass"]\nnotes_dir = "memories"\n'
    )
    return folder / "config.toml"


def rate_limit(run: Run) -> int:
    return run("config", "--json").json["rate_limit"]["value"]


def test_trust_shows_what_it_allows_and_needs_confirmation(run: Run, untrusted_settings: Path):
    refused = run("trust", stdin=b"y\n")
    assert (refused.code, refused.out) == (2, "")
    assert "rate_limit = 50" in refused.err
    assert "redact_allow" in refused.err
    assert "notes_dir" not in refused.err, "harmless settings need no permission"
    assert "\x1b" not in refused.err
    assert rate_limit(run) == 0
    ran = run("trust", "--yes")
    assert (ran.code, ran.out) == (0, f"{untrusted_settings.parent.parent} is trusted.\n")
    assert rate_limit(run) == 50


def test_trust_can_be_revoked_and_ends_when_the_file_changes(run: Run, untrusted_settings: Path):
    answer = run("trust", "--yes", "--json").json
    assert answer["trusted"] is True
    assert answer["keys"]["rate_limit"] == 50
    assert run("trust").out.endswith("is already trusted.\n")
    assert run("trust", "--revoke").out.endswith("is no longer trusted.\n")
    assert run("trust", "--revoke").out.endswith("was not trusted.\n")
    run("trust", "--yes")
    untrusted_settings.write_text(untrusted_settings.read_text() + "# changed\n")
    assert rate_limit(run) == 0


@needs_terminal
@pytest.mark.parametrize(("typed", "code", "limit"), [("y", 0, 50), ("", 1, 0)])
def test_trust_asks_on_a_terminal(run: Run, untrusted_settings: Path, typed: str, code: int, limit: int):
    screen = on_terminal("trust", wait_for="[y/N]", typed=typed)
    assert screen.code == code
    assert "rate_limit = 50" in screen.text
    assert rate_limit(run) == limit


def test_in_the_home_directory_there_is_nothing_to_trust(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(os.environ["HOME"])
    assert run("trust", "--yes").code == 1
