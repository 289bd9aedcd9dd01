"""The registry of projects."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from rum.repo.registry import KnownLocation, Registry, directory, read, slug, update


def make(home: Path, name: str, *keys: str) -> str:
    def change(registry: Registry) -> str:
        return registry.create(name, keys, None).id

    return update(str(home), change, patience=5)


def test_a_new_projects_id_follows_from_its_name_and_first_key(tmp_path: Path):
    one = make(tmp_path / "one", "My Tool!", "remote:a/b")
    two = make(tmp_path / "two", "My Tool!", "remote:a/b", "root:c")
    three = make(tmp_path / "one", "My Tool!", "remote:a/c")
    assert one == two != three
    assert one.startswith("my-tool-")
    assert len(one) == len("my-tool-") + 8


def test_an_existing_id_is_not_used_again(tmp_path: Path):
    assert make(tmp_path, "tool", "name:a") != make(tmp_path, "tool", "name:a")


def test_a_key_that_a_project_has_is_not_taken_from_it(tmp_path: Path):
    one = make(tmp_path, "one", "remote:a", "dir:/x")
    two = make(tmp_path, "two", "root:b", "remote:a")
    update(
        str(tmp_path),
        lambda registry: registry.add_keys(
            registry.projects[two], ("remote:a", "dir:/x", "root:c"), "remote added"
        ),
        patience=5,
    )
    registry = read(str(tmp_path))
    assert registry.projects[one].keys == ["remote:a", "dir:/x"]
    assert registry.projects[two].keys == ["root:b", "root:c"]
    assert registry.projects[two].claims == ["remote:a"]


def test_forks_may_have_the_same_first_commit(tmp_path: Path):
    one = make(tmp_path, "one", "remote:a", "root:c")
    two = make(tmp_path, "two", "remote:b", "root:c")
    registry = read(str(tmp_path))
    assert registry.projects[one].keys == ["remote:a", "root:c"]
    assert registry.projects[two].keys == ["remote:b", "root:c"]


def test_each_key_has_how_and_when_it_came(tmp_path: Path):
    one = make(tmp_path, "one", "remote:a")
    update(
        str(tmp_path),
        lambda registry: registry.add_keys(registry.projects[one], ["root:b"], "clone"),
        patience=5,
    )
    how = read(str(tmp_path)).projects[one].how
    assert {key: one for key, (one, _) in how.items()} == {"remote:a": "created", "root:b": "clone"}
    assert all(when > 1_700_000_000 for _, when in how.values())


def test_each_project_has_a_file_with_its_entry(tmp_path: Path):
    project_id = make(tmp_path, "tool", "name:tool")
    copy = json.loads((tmp_path / "projects" / project_id / "project.json").read_text())
    assert (copy["id"], copy["keys"]) == (project_id, ["name:tool"])


@pytest.mark.parametrize(
    "damage",
    [
        "[]",
        "{}",
        "null",
        '{"version": 1, "projects": 5, "places": {}}',
        '{"version": "x", "projects": [], "places": {}}',
        '{"version": 1, "projects": [{"id": "../../etc", "name": "x", "keys": []}], "places": {}}',
        '{"version": 1, "projects": [{"id": "tool-12345678", "name": "x", "keys": "abc"}], "places": {}}',
        '{"version": 1, "projects": [], "places": {"/x": [1]}}',
        "[" * 100_000,
        "",
    ],
)
def test_a_damaged_registry_is_rebuilt(tmp_path: Path, damage: str):
    project_id = make(tmp_path, "tool", "name:tool")
    (tmp_path / "projects.json").write_text(damage)
    assert list(read(str(tmp_path)).projects) == [project_id]
    assert (tmp_path / "projects.json").read_text() == damage
    note = update(str(tmp_path), lambda registry: registry.note, patience=5)
    assert note is not None
    assert "1 projects" in note
    assert (tmp_path / "projects.json.corrupt-1").read_text() == damage


def test_a_folder_in_place_of_the_registry_is_moved_aside(tmp_path: Path):
    project_id = make(tmp_path, "tool", "name:tool")
    (tmp_path / "projects.json").unlink()
    (tmp_path / "projects.json").mkdir()
    assert list(read(str(tmp_path)).projects) == [project_id]
    assert update(str(tmp_path), lambda registry: list(registry.projects), patience=5) == [project_id]
    assert (tmp_path / "projects.json.corrupt-1").is_dir()


def test_paths_with_undecodable_bytes_are_kept(tmp_path: Path):
    odd = os.fsdecode(b"/caf\xe9")
    make(tmp_path, odd, f"dir:{odd}")

    def record_location(registry: Registry) -> None:
        registry.record_location(odd, KnownLocation("x", [[1]], "known"))

    update(str(tmp_path), record_location, patience=5)
    registry = read(str(tmp_path))
    assert registry.owner(f"dir:{odd}") is not None
    assert odd in registry.locations


def test_when_the_lock_is_held_too_long_the_result_is_returned_but_not_saved(tmp_path: Path):
    from rum.settings.home import file_lock

    make(tmp_path, "tool", "name:tool")
    with file_lock(str(tmp_path / "projects.json.lock")):
        registry = read(str(tmp_path))
        answer = update(
            str(tmp_path), lambda registry: registry.create("other", ("name:other",), None).id, patience=0
        )
    assert answer.startswith("other-")
    assert list(read(str(tmp_path)).projects) == list(registry.projects)


def test_locations_that_no_longer_exist_are_dropped_above_the_limit(tmp_path: Path):
    def record_location(registry: Registry) -> None:
        for number in range(600):
            registry.record_location(f"/gone/{number}", KnownLocation("x", [], "known"))
        registry.record_location(str(tmp_path), KnownLocation("x", [], "known"))
        registry.record_location(f"{tmp_path}//#sub", KnownLocation("x", [], "known"))

    update(str(tmp_path), record_location, patience=5)
    assert set(read(str(tmp_path)).locations) == {str(tmp_path), f"{tmp_path}//#sub"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("My Tool", "my-tool"),
        ("Überfluß", "uberflu"),
        ("日本語", "project"),
        ("...", "project"),
        ("a" * 99, "a" * 40),
    ],
)
def test_a_slug_is_a_plain_folder_name(name: str, expected: str):
    assert slug(name) == expected


def test_a_projects_folder_is_in_the_home(tmp_path: Path):
    assert directory(str(tmp_path), "tool-12345678") == str(tmp_path / "projects" / "tool-12345678")


@pytest.mark.parametrize("left", [[], [".project.json.0a1b2c3d4e5f.tmp"]])
def test_an_interrupted_creation_leaves_no_second_project(tmp_path: Path, left: list[str]):
    project_id = make(tmp_path / "other", "tool", "name:tool")
    folder = tmp_path / "home" / "projects" / project_id
    folder.mkdir(parents=True)
    for name in left:
        (folder / name).write_text("{")
    assert make(tmp_path / "home", "tool", "name:tool") == project_id
    assert os.listdir(folder.parent) == [project_id]
