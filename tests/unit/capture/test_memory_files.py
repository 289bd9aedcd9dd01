"""Paths of memories become relative, and the files of a memory are collected."""

from __future__ import annotations

from typing import Any

import pytest

from rum.capture.memory_files import Mention, code_in, collect_files, relative_actions, relative_perception
from rum.model.memory import parse_draft
from rum.model.memory_layers import Perception
from support.builders import make_draft


def relative(path: str) -> str:
    """As in a repository at /repo."""
    return path.replace("\\", "/").removeprefix("/repo/")


def files_of(**layers: Any) -> dict[str, str]:
    """The files a memory with these layers is tied to, with what was done to them."""
    draft = parse_draft(make_draft(**layers))
    actions = relative_actions(draft, 0, relative)
    perception = relative_perception(draft.perception, relative)
    return {file.path: file.operation.value for file in collect_files(actions, perception, lambda _: None)}


def seen_at(where: str) -> Perception:
    draft = parse_draft(make_draft(perception={"observations": [{"what": "x", "where": where}]}))
    return relative_perception(draft.perception, relative)


@pytest.mark.parametrize(
    ("kinds", "strongest"),
    [
        (["file_read"], "read"),
        (["file_read", "file_edit"], "edit"),
        (["file_create", "file_edit", "file_read"], "create"),
        (["file_create", "file_delete", "file_edit"], "delete"),
        (["search"], "read"),
        (["command_run"], "read"),
    ],
)
def test_the_strongest_operation_on_a_file_counts(kinds: list[str], strongest: str) -> None:
    actions = [{"type": kind, "file_path": "a.py"} for kind in kinds]
    assert files_of(actions=actions) == {"a.py": strongest}
    assert files_of(actions=actions[::-1]) == {"a.py": strongest}


def test_files_come_from_actions_observations_and_relevant_files() -> None:
    perception = {
        "observations": [{"what": "x", "where": "seen.py:12"}, {"what": "y", "where": "/repo/b/c.py"}],
        "relevant_files": [{"path": "/repo/known.py"}, {"path": "done.py:3"}],
    }
    actions = [{"type": "file_edit", "file_path": "/repo/done.py"}]
    assert files_of(actions=actions, perception=perception) == {
        "b/c.py": "read",
        "done.py": "edit",
        "known.py": "read",
        "seen.py": "read",
    }


@pytest.mark.parametrize(
    ("where", "files"),
    [
        ("src/a.py", ["src/a.py"]),
        ("src/a.py:12", ["src/a.py"]),
        ("src/a.py:12:5", ["src/a.py"]),
        ("src/a.py:12-40", ["src/a.py"]),
        ("src/a.py:12-15,20", ["src/a.py"]),
        ("src/a.ts#L10-L20", ["src/a.ts"]),
        ("src\\win.py:3", ["src/win.py"]),
        ("README.md", ["README.md"]),
        ("app/[id]/page.tsx:3", ["app/[id]/page.tsx"]),
        ("src/a.py:45 (refreshToken)", ["src/a.py"]),
        ("`src/a.py`, line 3", ["src/a.py"]),
        ("src/a.py and /repo/src/b.py:7", ["src/a.py", "src/b.py"]),
        ("", []),
        ("CI logs", []),
        ("n/a", []),
        ("https://example.org/docs/a.html", []),
        ("see https://example.org/docs/a.html", []),
        ("and/or something", []),
        ("version 1.2", []),
        ("/\x1b", []),
    ],
)
def test_files_in_an_observation_are_found(where: str, files: list[str]) -> None:
    assert sorted(files_of(perception={"observations": [{"what": "x", "where": where}]})) == files


@pytest.mark.parametrize(
    ("where", "kept"),
    [
        ("/repo/src/a.py:12", "src/a.py:12"),
        ("/repo/src/a.py and /repo/src/b.py:7", "src/a.py and src/b.py:7"),
        ("https://example.org/repo/a.html", "https://example.org/repo/a.html"),
        ("the login page", "the login page"),
    ],
)
def test_paths_in_a_where_become_relative_and_the_rest_is_unchanged(where: str, kept: str) -> None:
    assert seen_at(where).observations[0].where == kept


def test_every_path_of_an_action_becomes_relative() -> None:
    draft = parse_draft(
        make_draft(
            actions=[{"type": "command_run", "working_directory": "/repo/src", "file_path": "/repo/a.py"}]
        )
    )
    [action] = relative_actions(draft, 0, relative)
    assert (action.details.working_directory, action.details.file_path) == ("src", "a.py")


def test_an_empty_path_is_no_file() -> None:
    assert files_of(actions=[{"type": "command_run", "file_path": "", "command": "make"}]) == {}


@pytest.mark.parametrize("hostile", ["[/", "a/", "a/b:1", ":1", "~/", "a.b/"])
def test_a_hostile_where_takes_linear_time(hostile: str) -> None:
    where = "x/y" + hostile * 50_000 + "! ?"  # work that grew with the square of this would take minutes
    assert seen_at(where).observations[0].where == where


@pytest.mark.parametrize("hostile", ["+" * 100_000, ".[" * 50_000, "[" * 100_000 + "/", "a/+" * 30_000])
def test_places_are_looked_for_in_linear_time(hostile: str):
    assert len(code_in(hostile)) <= 40


def test_a_file_may_begin_with_signs():
    found = code_in("see src/+page.ts:3 and [id].tsx, not +++")
    assert found == [Mention("src/+page.ts", 3, 3), Mention("[id].tsx")]
