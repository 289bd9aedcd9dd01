"""The actions of a commit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.git.commit_memory import MAX_FILES, MAX_RANGES, actions_of, display_path, largest
from rum.repo.history import Change


def details(change: Change) -> dict[str, str]:
    return actions_of([change], at=5)[0]["details"]


@pytest.mark.parametrize(
    ("status", "kind"), [("A", "file_create"), ("M", "file_edit"), ("D", "file_delete"), ("T", "file_edit")]
)
def test_each_file_is_one_action(status: str, kind: str):
    (action,) = actions_of([Change("a.py", status)], at=5)
    assert action == {"type": kind, "timestamp": 5, "details": {"file_path": "a.py"}}


def test_a_renamed_file_is_created_and_deleted():
    came, went = actions_of([Change("new.py", "R", old_path="old.py")], at=5)
    assert (came["type"], came["details"]["diff_summary"]) == ("file_create", "renamed from old.py")
    assert (went["type"], went["details"]["file_path"]) == ("file_delete", "old.py")


def test_neighbouring_ranges_are_joined():
    assert (
        details(Change("a", "M", lines=((3, 5), (6, 7), (9, 9), (20, 30))))["lines_affected"] == "3-7,9,20-30"
    )


def test_the_number_of_ranges_is_limited():
    told = details(Change("a", "M", lines=tuple((n * 10, n * 10) for n in range(1, 100))))["lines_affected"]
    assert told.endswith(",…")
    assert told.count(",") == MAX_RANGES


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def second(self):", "second"),
        ("class Gate(Base):", "Gate"),
        ("static int open_gate(struct gate *g,", "open_gate"),
        ("struct gate *make_gate(int size)", "make_gate"),
        ("struct gate {", "gate"),
        ("func (g *Gate) Open() error {", "Open"),
        ("pub fn open(&self) {", "open"),
        ("void Gate::open(int how)", "Gate::open"),
        ("export function open() {", "open"),
        ("  if (open) {", None),
        ("Some words of a document", None),
    ],
)
def test_changed_functions_are_named(line: str, name: str | None):
    assert details(Change("a", "M", hunk_contexts=(line,))).get("diff_summary") == (
        f"in {name}" if name else None
    )


def test_the_most_changed_of_very_many_files_are_kept():
    many = [Change(f"f{number:04}", "M", added=number) for number in range(5000)]
    kept = largest(many)
    assert [change.path for change in kept] == [f"f{number:04}" for number in range(5000 - MAX_FILES, 5000)]


@pytest.mark.parametrize(
    ("path", "told"), [("a\nb", "a\ufffdb"), ("a\\b", "a/b"), ("a\x1b[31mb", "ab"), ("ü", "ü")]
)
def test_a_path_fits_on_one_line(path: str, told: str):
    assert display_path(path) == told


@given(st.text(min_size=1))
def test_no_path_contains_a_control_character(path: str):
    assert not any(ord(character) < 32 or ord(character) == 127 for character in display_path(path))
