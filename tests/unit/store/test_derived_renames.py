"""Which files got other names, as far as the actions of a memory tell."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.store.derived import MAX_RENAMES, recorded_renames
from support.builders import make_memory


def told(*actions: dict[str, Any]) -> list[tuple[str, str]]:
    return recorded_renames(
        make_memory("mem_a", actions=[{"timestamp": 1, **action} for action in actions]).actions
    )


def ran(command: str, folder: str | None = None, success: bool = True) -> dict[str, Any]:
    details = {"command": command, "working_directory": folder}
    return {"type": "command_run", "details": details, "result": {"success": success}}


def gone(path: str, summary: str) -> dict[str, Any]:
    return {"type": "file_delete", "details": {"file_path": path, "diff_summary": summary}}


def test_a_deleted_file_may_say_what_it_was_renamed_to():
    assert told(gone("src/old.py", "renamed to src/new.py")) == [("src/old.py", "src/new.py")]
    assert told(gone("src/old.py", "no longer needed"), gone("b", "renamed to ")) == []


@pytest.mark.parametrize(
    ("command", "renames"),
    [
        ("git mv src/old.py src/new.py", [("src/old.py", "src/new.py")]),
        ("mv -f 'a b.py' c.py", [("a b.py", "c.py")]),
        ("git mv old.py lib/", [("old.py", "lib/old.py")]),
        ("mkdir -p lib && git mv ./old.py lib/new.py && git status", [("old.py", "lib/new.py")]),
        ("git mv a b; mv c d\nmv e f", [("a", "b"), ("c", "d"), ("e", "f")]),
        ("git -C sub mv a b", []),
        ("mv a b lib", []),
        ("mv a", []),
        ("mv *.py lib", []),
        ("mv /etc/a /etc/b", []),
        ("mv ~/a b", []),
        ("mv $A b", []),
        ("mv a ../b", []),
        ("git mv a a", []),
        ("echo mv a b", []),
        ("mv 'a b", []),
        ("git commit -m 'git mv a b'", []),
        ("", []),
    ],
)
def test_a_command_that_renames_is_understood_if_it_is_plain(command: str, renames: list[tuple[str, str]]):
    assert told(ran(command)) == renames


def test_paths_are_those_of_the_folder_it_ran_in():
    assert told(ran("git mv old.py ../new.py", "src/part")) == [("src/part/old.py", "src/new.py")]
    assert told(ran("git mv old.py new.py", "/elsewhere"), ran("mv a b", "~/x")) == []


def test_a_command_that_failed_renamed_nothing():
    assert told(ran("git mv a b", success=False)) == []


def test_the_number_of_followed_renames_is_limited():
    assert len(told(*(ran(f"mv a{number} b{number}") for number in range(MAX_RENAMES + 9)))) == MAX_RENAMES


@given(st.text(max_size=200))
def test_renamed_paths_of_any_command_stay_inside_the_repository(command: str):
    for before, after in told(ran(f"git mv {command}")):
        assert before != after
        for path in (before, after):
            assert path
            assert not path.startswith(("/", "~", "../"))
