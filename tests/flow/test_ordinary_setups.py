"""Ordinary ways to have a repository more than once: who shares a memory, who does not, and who is asked."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rum.inject.offers import offers_for
from rum.repo.git import find_git
from rum.repo.identity import repository_fingerprints
from rum.surfaces.hooks.project import find_project
from rum.surfaces.mcp.protocol import Caller
from rum.surfaces.mcp.tools import RumApplication
from support.builders import make_draft
from support.machines import Machine

REMOTE = "https://example.org/team/tool"
SHARED, APART = "shared", "apart"
MEMORY = "Made in the first folder"

# The folders after the first one, with what is expected of each.
Setup = Callable[[Machine, Path], dict[Path, str]]


def two_worktrees(machine: Machine, tool: Path) -> dict[Path, str]:
    for name in ("fix", "try"):
        machine.git(tool, "worktree", "add", "--quiet", f"../{name}", "-b", name)
    return {machine.work / "fix": SHARED, machine.work / "try": SHARED}


def folder_inside(machine: Machine, tool: Path) -> dict[Path, str]:
    (tool / "src" / "deep").mkdir(parents=True)
    return {tool / "src" / "deep": SHARED}


def second_clone_of_the_remote(machine: Machine, tool: Path) -> dict[Path, str]:
    second = machine.clone(tool, "second")
    machine.git(second, "remote", "set-url", "origin", REMOTE)
    return {second: SHARED}


def ssh_spelling(machine: Machine, tool: Path) -> dict[Path, str]:
    folders = {}
    for number, url in enumerate(("git@example.org:team/tool.git", "ssh://git@example.org:22/team/tool")):
        clone = machine.clone(tool, f"clone{number}")
        machine.git(clone, "remote", "set-url", "origin", url)
        folders[clone] = SHARED
    return folders


def clone_of_a_clone(machine: Machine, tool: Path) -> dict[Path, str]:
    clone = machine.clone(tool, "clone")
    return {machine.clone(clone, "grandchild"): SHARED, clone: SHARED}


def clone_with_newer_commits(machine: Machine, tool: Path) -> dict[Path, str]:
    clone = machine.clone(tool, "clone")
    for number in range(5):
        machine.commit(clone, f"work {number}")
    machine.git(clone, "gc", "--quiet")
    return {clone: SHARED}


def bare_hub(machine: Machine, tool: Path) -> dict[Path, str]:
    machine.git(machine.work, "clone", "--quiet", "--bare", str(tool), "hub.git")
    return {machine.clone(machine.work / "hub.git", "clone"): SHARED}


def bare_with_worktrees(machine: Machine, tool: Path) -> dict[Path, str]:
    """The set-up `project/.bare` with a `.git` file and worktrees beside it."""
    project = machine.work / "project"
    machine.git(machine.work, "clone", "--quiet", "--bare", str(tool), "project/.bare")
    machine.git(project / ".bare", "remote", "set-url", "origin", REMOTE)
    (project / ".git").write_text("gitdir: ./.bare\n")
    machine.git(project, "worktree", "add", "--quiet", "main-tree", "main")
    return {project: SHARED, project / "main-tree": SHARED}


def moved_folder(machine: Machine, tool: Path) -> dict[Path, str]:
    (machine.work / "elsewhere").mkdir()
    tool.rename(machine.work / "elsewhere" / "renamed")
    return {machine.work / "elsewhere" / "renamed": SHARED}


def moved_folder_without_a_remote(machine: Machine, tool: Path) -> dict[Path, str]:
    machine.git(tool, "remote", "remove", "origin")
    machine.project(tool)
    return moved_folder(machine, tool)


def renamed_remote(machine: Machine, tool: Path) -> dict[Path, str]:
    machine.git(tool, "remote", "rename", "origin", "company")
    machine.git(tool, "remote", "set-url", "company", "https://example.org/new-team/tool")
    return {tool: SHARED}


def clone_of_the_renamed_remote(machine: Machine, tool: Path) -> dict[Path, str]:
    machine.git(tool, "remote", "set-url", "origin", "https://example.org/new-team/tool")
    machine.project(tool)
    clone = machine.clone(tool, "clone")
    machine.git(clone, "remote", "set-url", "origin", "https://example.org/new-team/tool.git")
    return {clone: SHARED}


def fork(machine: Machine, tool: Path) -> dict[Path, str]:
    clone = machine.clone(tool, "fork")
    machine.git(clone, "remote", "set-url", "origin", "https://example.org/ann/tool")
    return {clone: APART}


def fork_with_upstream(machine: Machine, tool: Path) -> dict[Path, str]:
    folders = fork(machine, tool)
    machine.git(machine.work / "fork", "remote", "add", "upstream", REMOTE)
    return folders


def other_repository_of_the_same_name(machine: Machine, tool: Path) -> dict[Path, str]:
    return {machine.repository("other/tool"): APART}


def monorepo_with_subprojects(machine: Machine, tool: Path) -> dict[Path, str]:
    (tool / ".rum").mkdir()
    (tool / ".rum" / "config.toml").write_text('subprojects = ["api"]')
    (tool / "api").mkdir()
    (tool / "web").mkdir()
    return {tool / "api": APART, tool / "web": SHARED}


def shallow_clone_of_a_known_commit(machine: Machine, tool: Path) -> dict[Path, str]:
    machine.commit(tool, "third")
    machine.remember(tool, "Work on the third commit")
    shallow = machine.clone(f"file://{tool}", "shallow", "--depth=1")
    machine.git(shallow, "remote", "set-url", "origin", REMOTE)
    return {shallow: SHARED}


def shallow_clone_of_an_unknown_commit(machine: Machine, tool: Path) -> dict[Path, str]:
    hub = machine.clone(tool, "hub")
    machine.commit(hub, "made by somebody else")
    shallow = machine.clone(f"file://{hub}", "shallow", "--depth=1")
    machine.git(shallow, "remote", "set-url", "origin", REMOTE)
    return {shallow: APART}


def submodule(machine: Machine, tool: Path) -> dict[Path, str]:
    parent = machine.repository("parent")
    machine.git(parent, "submodule", "--quiet", "add", str(tool), "vendor/tool")
    return {parent / "vendor" / "tool": SHARED, parent: APART}


def submodule_of_the_remote(machine: Machine, tool: Path) -> dict[Path, str]:
    folders = submodule(machine, tool)
    machine.git(machine.work / "parent/vendor/tool", "remote", "set-url", "origin", REMOTE)
    return folders


def worktree_of_a_submodule(machine: Machine, tool: Path) -> dict[Path, str]:
    submodule(machine, tool)
    machine.git(
        machine.work / "parent/vendor/tool", "worktree", "add", "--quiet", "../../../fix", "-b", "fix"
    )
    return {machine.work / "fix": SHARED}


def colocated_jj(machine: Machine, tool: Path) -> dict[Path, str]:
    (tool / ".jj" / "repo").mkdir(parents=True)
    clone = machine.clone(tool, "clone")
    (clone / ".jj" / "repo").mkdir(parents=True)
    return {tool: SHARED, clone: SHARED}


def partial_and_sparse_clone(machine: Machine, tool: Path) -> dict[Path, str]:
    machine.git(tool, "config", "uploadpack.allowFilter", "true")
    clone = machine.clone(f"file://{tool}", "clone", "--filter=blob:none", "--sparse")
    machine.git(clone, "remote", "set-url", "origin", REMOTE)
    return {clone: SHARED}


def clone_with_shared_objects(machine: Machine, tool: Path) -> dict[Path, str]:
    """It holds no commit itself: nothing shows that it was not made by somebody else."""
    return {machine.clone(tool, "clone", "--shared"): APART}


def separate_git_dir(machine: Machine, tool: Path) -> dict[Path, str]:
    clone = machine.clone(tool, "clone", "--separate-git-dir", str(machine.work / "kept"))
    machine.git(clone, "remote", "set-url", "origin", REMOTE)
    return {clone: APART}


def copied_folder(machine: Machine, tool: Path) -> dict[Path, str]:
    shutil.copytree(tool, machine.work / "copy", symlinks=True)
    return {machine.work / "copy": SHARED}


def new_clone_at_the_same_path(machine: Machine, tool: Path) -> dict[Path, str]:
    hub = machine.clone(tool, "hub")
    shutil.rmtree(tool)
    machine.git(machine.work, "clone", "--quiet", str(hub), "tool")
    machine.git(tool, "remote", "set-url", "origin", REMOTE)
    return {tool: SHARED}


def rewritten_history(machine: Machine, tool: Path) -> dict[Path, str]:
    machine.git(tool, "checkout", "--quiet", "--orphan", "fresh")
    machine.commit(tool, "everything anew")
    return {tool: SHARED}


# Each set-up, and how many of its folders ask a question.
SETUPS: list[tuple[Setup, int]] = [
    (two_worktrees, 0),
    (folder_inside, 0),
    (second_clone_of_the_remote, 0),
    (ssh_spelling, 0),
    (clone_of_a_clone, 0),
    (clone_with_newer_commits, 0),
    (bare_hub, 0),
    (bare_with_worktrees, 0),
    (moved_folder, 0),
    (moved_folder_without_a_remote, 0),
    (renamed_remote, 0),
    (clone_of_the_renamed_remote, 0),
    (fork, 1),
    (fork_with_upstream, 1),
    (other_repository_of_the_same_name, 0),
    (monorepo_with_subprojects, 0),
    (shallow_clone_of_a_known_commit, 0),
    (shallow_clone_of_an_unknown_commit, 1),
    (submodule, 0),
    (submodule_of_the_remote, 0),
    (worktree_of_a_submodule, 0),
    (colocated_jj, 0),
    (partial_and_sparse_clone, 0),
    (clone_with_shared_objects, 1),
    (separate_git_dir, 1),
    (copied_folder, 0),
    (new_clone_at_the_same_path, 0),
    (rewritten_history, 0),
]


@pytest.fixture
def tool(machine: Machine) -> Path:
    path = machine.repository("tool")
    machine.commit(path, "second")
    machine.git(path, "remote", "add", "origin", REMOTE)
    machine.remember(path, MEMORY)
    return path


@pytest.mark.parametrize(("setup", "questions"), SETUPS, ids=[setup.__name__ for setup, _ in SETUPS])
def test_folders_share_or_stay_apart_as_their_owner_expects(
    machine: Machine, tool: Path, setup: Setup, questions: int
):
    asked: list[str] = []
    for folder, expected in setup(machine, tool).items():
        question = machine.question(folder)
        asked += [question] if question else []
        assert (MEMORY in machine.goals(folder)) is (expected == SHARED), folder
        machine.remember(folder, f"Made in {folder.name}")
        assert (MEMORY in machine.goals(folder)) is (expected == SHARED), folder
    assert len(asked) == questions
    assert all("`rum projects join tool-" in one and "\n" not in one for one in asked)


def test_a_question_is_asked_once_and_answered_by_joining(machine: Machine, tool: Path):
    (folder,) = shallow_clone_of_an_unknown_commit(machine, tool)
    machine.remember(folder, "Made in the clone")
    assert machine.question(folder) is not None
    assert machine.question(folder) is None
    machine.join(machine.project(tool).id, folder)
    assert machine.goals(folder) == [MEMORY]


def test_a_folder_that_was_only_read_is_asked_again_and_joined_without_a_trace(machine: Machine, tool: Path):
    (folder,) = shallow_clone_of_an_unknown_commit(machine, tool)
    for _ in range(2):
        assert machine.question(folder) is not None
    known = machine.project(tool).id
    machine.join(known, folder)
    assert machine.ids() == {known}
    assert machine.goals(folder) == [MEMORY]
    assert {one["how"] for one in machine.aliases(known)} == {"created"}


def test_what_older_versions_joined_stays_joined(machine: Machine, tool: Path):
    """`projects.json` as version 0.1.0 wrote it: a fork, a shallow clone and a bare folder are recorded."""
    known = machine.project(tool).id
    folders = [
        *fork(machine, tool),
        *shallow_clone_of_an_unknown_commit(machine, tool),
        *clone_with_shared_objects(machine, tool),
    ]
    registry = json.loads((machine.home / "projects.json").read_text())
    (entry,) = registry["projects"]
    for name in ("how", "claims", "why", "told"):
        del entry[name]
    entry["keys"].append("remote:example.org/ann/tool")
    del registry["roots"]
    for folder in folders:
        found = find_git(str(folder))
        assert found is not None
        registry["places"][found.common_dir] = [
            known,
            repository_fingerprints(found.common_dir),
            "shallow" if folder.name == "shallow" else "known",
        ]
    (machine.home / "projects.json").write_text(json.dumps(registry))
    (machine.home / "projects" / known / "project.json").write_text(json.dumps(entry))
    for folder in (tool, *folders):
        assert MEMORY in machine.goals(folder), folder
        assert machine.question(folder) is None
    assert {one["how"] for one in machine.aliases(known)} == {"before 0.2"}
    second = machine.clone(tool, "another")
    machine.git(second, "remote", "set-url", "origin", "https://example.org/ann/tool")
    assert MEMORY in machine.goals(second)


def test_each_alias_has_how_it_came(machine: Machine, tool: Path):
    known = machine.project(tool).id
    machine.git(tool, "remote", "set-url", "origin", "https://example.org/new/tool")
    machine.project(tool)
    (folder,) = fork(machine, tool)
    machine.join(known, folder)
    found = {one["key"].removeprefix("remote:example.org/"): one["how"] for one in machine.aliases(known)}
    root = machine.git(tool, "rev-list", "--max-parents=0", "HEAD")
    assert found == {
        "team/tool": "created",
        f"root:{root}": "created",
        "new/tool": "remote added",
        "ann/tool": "joined by you",
    }


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_container_that_lists_its_folder_as_safe_shares_with_other_owners(
    machine: Machine, tool: Path, monkeypatch: pytest.MonkeyPatch
):
    """As in a development container: the files belong to the host's user, the process runs as root."""
    clone = machine.clone(tool, "clone")
    machine.git(clone, "remote", "set-url", "origin", REMOTE)
    for path in [clone, *clone.rglob("*")]:
        os.lchown(path, 65534, 65534)
    assert machine.goals(clone) == []
    config = machine.user / "gitconfig"
    config.write_text(f"[safe]\n\tdirectory = {clone}\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    assert machine.goals(clone) == [MEMORY]


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give a folder away")
def test_a_recorded_repository_stays_joined_when_its_owner_changes(machine: Machine, tool: Path):
    for path in [tool, *tool.rglob("*")]:
        os.lchown(path, 65534, 65534)
    assert machine.goals(tool) == [MEMORY]


def test_an_answer_of_the_mcp_server_carries_the_question_once(
    machine: Machine, tool: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder,) = shallow_clone_of_an_unknown_commit(machine, tool)
    monkeypatch.setenv("RUM_HOME", str(machine.home))
    monkeypatch.chdir(folder)
    caller = Caller("a client", None, stateless=False)
    for number in range(2):
        application = RumApplication(None, None)
        answers = [application.call(name, arguments, caller)[0] for name, arguments in MCP_CALLS]
        application.close()
        notes = [answer["note"] for answer in answers if "note" in answer]
        assert len(notes) == (1 if number == 0 else 0)
        assert all("`rum projects join tool-" in note for note in notes)


MCP_CALLS = [("recall", {"query": "anything"}), ("store", make_draft("Work in the clone")), ("list", {})]


def test_the_start_of_a_session_carries_the_question_once_and_the_hook_joins_nothing(
    machine: Machine, tool: Path, monkeypatch: pytest.MonkeyPatch
):
    (folder,) = shallow_clone_of_an_unknown_commit(machine, tool)
    monkeypatch.setenv("RUM_HOME", str(machine.home))
    found = find_project(str(folder))
    assert found is not None
    assert found.project != machine.project(tool).id
    event: Any = {"kind": "start", "client": "claude-code", "session": "s", "at": 1.8e9, "cwd": str(folder)}
    offers = [offers_for(event, found.directory, found.root) for _ in range(2)]
    assert ["rum projects join tool-" in offer.text for offer in offers[0]] == [True]
    assert offers[1] == []
