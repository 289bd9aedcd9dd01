"""Repositories that somebody else made: none reads, writes or renames another project's memory."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from rum.repo.project import all_projects
from rum.surfaces.hooks.project import find_project
from support.hostile_repositories import (
    ATTACKS,
    REMOTE,
    SECRET,
    Attack,
    claim_remote,
    git_file_naming_the_repository,
    make_victim,
)
from support.machines import Machine


@pytest.fixture
def victim(machine: Machine) -> Path:
    return make_victim(machine)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_another_projects_memory_is_out_of_reach(machine: Machine, victim: Path, attack: Attack):
    hostile = attack(machine, victim)
    before = {project.id: project for project in all_projects(str(machine.home))}
    known = machine.project(victim)
    entry = registry_entry(machine, known.id)
    assert SECRET not in machine.goals(hostile)
    machine.remember(hostile, "Planted")
    assert SECRET not in machine.goals(hostile)
    assert "Planted" in machine.goals(hostile)
    assert machine.goals(victim) == [SECRET]
    after = {project.id: project for project in all_projects(str(machine.home))}
    assert after[known.id].name == before[known.id].name == "vault"
    assert registry_entry(machine, known.id) == entry
    assert all(
        f"remote:{REMOTE.removeprefix('https://')}" not in after[one].keys for one in after if one != known.id
    )


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_a_hook_joins_it_no_more_than_the_command_line(
    machine: Machine, victim: Path, attack: Attack, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RUM_HOME", str(machine.home))
    hostile = attack(machine, victim)
    found = find_project(str(hostile))
    assert found is not None
    assert found.project not in (None, machine.project(victim).id)


def registry_entry(machine: Machine, project_id: str) -> dict[str, object]:
    registry = json.loads((machine.home / "projects.json").read_text())
    (entry,) = (one for one in registry["projects"] if one["id"] == project_id)
    return entry


def test_a_hostile_repository_that_was_first_does_not_keep_a_genuine_one_apart(machine: Machine):
    """Who names a remote first does not own it: the commits decide."""
    hostile = machine.repository("hostile")
    claim_remote(machine, hostile)
    machine.remember(hostile, "Planted")
    genuine = machine.repository("vault")
    machine.git(genuine, "remote", "add", "origin", REMOTE)
    machine.remember(genuine, SECRET)
    again = machine.clone(genuine, "again")
    machine.git(again, "remote", "set-url", "origin", REMOTE)
    assert machine.goals(again) == machine.goals(genuine) == [SECRET]
    assert machine.goals(hostile) == ["Planted"]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_repository_of_another_user_is_not_taken_and_the_reason_is_given(machine: Machine, victim: Path):
    """Another user's repository at a path above: with its remote and commits, it would be joined."""
    shared = machine.clone(victim, "shared")
    claim_remote(machine, shared)
    for path in [shared, *shared.rglob("*")]:
        os.chown(path, 65534, 65534)
    with machine.rum(shared) as rum:
        assert rum.project.id != machine.project(victim).id
        (warning,) = (one for one in rum.warnings if "belongs to another user" in one)
        assert f"safe.directory {shared}" in warning


def test_the_reason_for_a_refusal_is_given_in_one_line(machine: Machine, victim: Path):
    with machine.rum(git_file_naming_the_repository(machine, victim)) as rum:
        (warning,) = rum.warnings
    assert warning.count("\n") == 0
    assert "is not taken as a git repository: its .git leads to" in warning


def test_commands_of_a_hostile_config_are_not_run_when_commits_are_looked_up(machine: Machine, victim: Path):
    hostile = machine.clone(victim, "hostile")
    trap = machine.work / "trapped"
    claim_remote(machine, hostile)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.alternateRefsCommand"):
        machine.git(hostile, "config", key, f"touch {trap}; true")
    machine.goals(hostile)
    assert not trap.exists()


def test_the_attacks_deceive_an_unguarded_git(machine: Machine, victim: Path):
    """The tests above are worth something only if git itself would follow the forgery."""
    hostile = git_file_naming_the_repository(machine, victim)
    shown = subprocess.run(
        ["git", "-C", str(hostile), "remote", "get-url", "origin"], capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == REMOTE
