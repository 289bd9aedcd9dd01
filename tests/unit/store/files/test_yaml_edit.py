from __future__ import annotations

import difflib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.store.files.yaml import load
from rum.store.files.yaml_edit import changed, merged
from rum.store.files.yaml_text import fields

ENTRY = """\
- id: "attempt-001"   # the first
  timestamp: 2026-01-23T10:31:05.000Z
  currentIssue:  # none yet
  result: in_progress  # so far
  # what we did
  approach: |  # roughly
    One
      two

  commands: # in order
    # first of all
    - make
    - "test it"

  tokensUsed: {input: 1, output: 2} # so few
  scope:
    paths: [a, b]
    # the depth
    depth: 2
  output: >+
    It went
    on

"""


def differing(old: str, new: str) -> tuple[list[str], list[str]]:
    lines = list(difflib.ndiff(old.splitlines(), new.splitlines()))
    return [line[2:] for line in lines if line[0] == "-"], [line[2:] for line in lines if line[0] == "+"]


def edit(**changes: Any) -> tuple[list[str], list[str]]:
    new = changed(ENTRY, "file", (0,), changes)
    (old,) = load(ENTRY, "file")  # type: ignore[misc]
    assert load(new, "file") == [merged(old, changes)]
    return differing(ENTRY, new)


def test_a_word_is_changed_in_its_place_and_its_comment_stays() -> None:
    assert edit(result="success") == (
        ["  result: in_progress  # so far"],
        ['  result: "success"  # so far'],
    )


def test_a_value_comes_where_there_was_none() -> None:
    assert edit(currentIssue="loops") == (
        ["  currentIssue:  # none yet"],
        ['  currentIssue: "loops"  # none yet'],
    )
    assert edit(currentIssue="a\nb\n") == (
        ["  currentIssue:  # none yet"],
        ["  currentIssue: |  # none yet", "    a", "    b"],
    )


def test_one_text_of_several_lines_takes_the_place_of_another() -> None:
    assert edit(approach="Three\n") == (["    One", "      two"], ["    Three"])
    assert edit(approach="Three") == (
        ["  approach: |  # roughly", "    One", "      two"],
        ['  approach: "Three"  # roughly'],
    )
    assert edit(approach="Three\nfour") == (
        ["  approach: |  # roughly", "    One", "      two"],
        ["  approach: |-  # roughly", "    Three", "    four"],
    )


def test_a_list_takes_the_place_of_another_and_what_stood_around_it_stays() -> None:
    assert edit(commands=["run"]) == (
        ["    # first of all", "    - make", '    - "test it"'],
        ['    - "run"'],
    )
    assert edit(commands=[]) == (
        ["  commands: # in order", "    # first of all", "    - make", '    - "test it"'],
        ["  commands: [] # in order"],
    )


def test_maps_are_merged_field_by_field() -> None:
    assert edit(scope={"depth": 3}) == (["    depth: 2"], ["    depth: 3"])
    assert edit(scope={"by": "hand", "paths": ["c"]}) == (
        ["    paths: [a, b]"],
        ["    paths:", '      - "c"', '    by: "hand"'],
    )


def test_a_map_in_brackets_stays_in_brackets() -> None:
    assert edit(tokensUsed={"output": 5}) == (
        ["  tokensUsed: {input: 1, output: 2} # so few"],
        ['  tokensUsed: {"input": 1, "output": 5} # so few'],
    )


def test_a_new_field_comes_last_and_changes_no_value_before_it() -> None:
    removed, added = edit(lessons="- Read first\n- Then write\n", duration_ms=85000)
    assert removed == []
    assert added == ["  lessons: |", "    - Read first", "    - Then write", "  duration_ms: 85000"]


def test_what_is_the_same_already_changes_nothing() -> None:
    assert edit(id="attempt-001", commands=["make", "test it"], scope={"depth": 2}) == ([], [])


def test_null_is_written_out() -> None:
    assert edit(result=None) == (["  result: in_progress  # so far"], ["  result: null  # so far"])


@pytest.mark.parametrize(
    "text", ["a: 1", "a: 1\n", "a: 1 # c", "a: 1\n\n# end\n", "a: [1,\n  2]", "a: b\n  c", "a:"]
)
def test_a_field_is_added_whatever_stands_last(text: str) -> None:
    assert load(changed(text, "file", (), {"b": 2}), "file") == merged(load(text, "file"), {"b": 2})  # type: ignore[arg-type]


@pytest.mark.parametrize("empty", ["a:\n", "a: {}\n", "a: ~ # none\n", "a: {\n}\n"])
def test_fields_come_into_an_empty_map(empty: str) -> None:
    new = changed(empty + "z: 1\n", "file", ("a",), {"b": [1], "c": "x\ny"})
    assert load(new, "file") == {"a": {"b": [1], "c": "x\ny"}, "z": 1}


def test_lines_end_as_they_did() -> None:
    new = changed(ENTRY.replace("\n", "\r\n"), "file", (0,), {"approach": "a\nb\n", "new": ["c"]})
    assert new.count("\n") == new.count("\r\n")
    assert load(new, "file")[0]["approach"] == "a\nb\n"  # type: ignore[index]


@pytest.mark.parametrize(
    "text",
    [
        "a:\n  - x\n  -  # y-z - z\n  # c\nb: 1\n",
        "a:\n  b:\n    c: ~\n    d: # e: f\n  # g\nb: 1\n",
        "a:\n  -\n    -\n  # c - d\n\nb: 1\n",
    ],
)
def test_what_follows_an_empty_value_stays_in_its_line(text: str) -> None:
    old: Any = load(text, "file")
    new = changed(text, "file", (), {"a": "x"})

    assert load(new, "file") == {"a": "x", "b": 1}
    assert text[text.index("\nb:") :] in new
    if isinstance(old["a"], dict):
        new = changed(text, "file", ("a", "b"), {"e": 1})
        assert load(new, "file") == {"a": {"b": {"c": None, "d": None, "e": 1}}, "b": 1}


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.text(
    " \t\n#:-'\"|>ab", max_size=20
)
NAMES = st.sampled_from("abcde")
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)
MAPS = st.dictionaries(NAMES, VALUES, min_size=1, max_size=4)


@given(MAPS, MAPS)
def test_any_change_reads_back_and_what_is_not_changed_stays(
    old: dict[str, Any], changes: dict[str, Any]
) -> None:
    text = fields(old, 2)
    new = changed(text, "file", (), changes)

    assert load(new, "file") == merged(old, changes)
    for name in old.keys() - changes.keys():
        assert fields({name: old[name]}, 2) in new
