"""Finders give plain rows: newest first, each memory once, with a total that no cap changes."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from rum.store.base import Store
from rum.store.filters import Filters
from rum.text.terms import terms
from support.builders import NOON, add_memory, make_file, make_intent, make_outcome
from support.finding import (
    at,
    by_goal,
    by_ids,
    by_paths,
    holders,
    known_paths,
    newest_with,
    paths_within,
    size,
    spellings,
)


def ids(rows: list[Any]) -> list[str]:
    return [row[0] for row in rows]


@pytest.fixture
def shelf(store: Store) -> Store:
    """Five memories that differ in everything a filter can ask for."""
    rows: list[dict[str, Any]] = [
        {"session_id": "s1", "tags": ["auth", "jwt"]},
        {"session_id": "s1", "outcome": make_outcome(success=False), "tags": ["auth"]},
        {"session_id": "s2", "agent_id": "agent_bob", "tags": ["jwt"]},
        {"session_id": "s3", "intent": make_intent("Fix the guide", task_type="documentation")},
        {"session_id": "s3", "importance": 0.9, "tags": ["auth", "jwt", "x y"]},
    ]
    for number, row in enumerate(rows):
        files = [make_file("a.py"), make_file("lib/b.py")]
        add_memory(store, f"mem_{number}", created_at=NOON + number, files=files, **row)
    return store


FILTERS = [
    (Filters(), "43210"),
    (Filters(task_type="documentation"), "3"),
    (Filters(agent_id="agent_bob"), "2"),
    (Filters(session_id="s1"), "10"),
    (Filters(success=False), "1"),
    (Filters(success=True), "4320"),
    (Filters(since=NOON + 3), "43"),
    (Filters(before=NOON + 1), "0"),
    (Filters(since=NOON + 1, before=NOON + 3), "21"),
    (Filters(symbol=("guid",)), "3"),
    (Filters(symbol=("guid", "fix")), "3"),
    (Filters(symbol=("guid", "unheard")), ""),
    (Filters(symbol=("guid",), success=False), ""),
    (Filters(tags=("auth",)), "410"),
    (Filters(tags=("auth", "jwt")), "40"),
    (Filters(tags=("auth", "auth")), "410"),
    (Filters(tags=("auth", "jwt", "x y")), "4"),
    (Filters(tags=("auth", "unknown")), ""),
    (Filters(tags=("AUTH",)), ""),
    (Filters(tags=("auth",), success=False, session_id="s1"), "1"),
    (Filters(agent_id="agent_bob", success=False), ""),
    (Filters(tags=tuple(f"tag {number}" for number in range(3000))), ""),
]


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters_exclude_and_the_newest_comes_first(shelf: Store, filters: Filters, expected: str):
    rows, total = shelf.search.by_filters(filters, 10)
    assert ids(rows) == [f"mem_{number}" for number in expected]
    assert total == len(expected)


@pytest.mark.parametrize(("filters", "expected"), FILTERS)
def test_filters_exclude_the_same_whatever_is_looked_for(shelf: Store, filters: Filters, expected: str):
    wanted = [f"mem_{number}" for number in expected]
    (fix,) = terms("fix")
    for in_goal in (False, True):
        assert ids(newest_with(shelf, [fix], in_goal, filters, 10)) == wanted
    assert ids(by_goal(shelf, "fix the LOGIN", filters, 10)) == [one for one in wanted if one != "mem_3"]
    assert sorted(ids(at(shelf, holders(shelf, fix, 10), filters))) == sorted(wanted)
    assert sorted(ids(by_ids(shelf, [f"mem_{number}" for number in range(9)], filters))) == sorted(wanted)
    for paths in (["a.py"], ["a.py", "c.py"], ["lib/", "a.py"], ["lib/"]):
        rows, total = by_paths(shelf, paths, filters, 10)
        assert (ids(rows), total) == (wanted, len(wanted))
    rows, total = by_paths(shelf, ["a.py"], filters, 1)
    assert (ids(rows), total) == (wanted[:1], len(wanted))


def test_a_row_says_when_how_important_in_which_session_and_as_which_it_was_stored(shelf: Store):
    row = ("mem_4", NOON + 4, 0.9, "s3", 5)
    assert shelf.search.by_filters(Filters(), 1) == ([row], 5)
    assert newest_with(shelf, terms("fix"), False, Filters(), 1) == [row]
    assert by_goal(shelf, "Fix the login", Filters(), 1) == [row]
    assert at(shelf, [5], Filters()) == [row]
    assert by_ids(shelf, ["mem_4"], Filters()) == [row]
    for paths in (["a.py"], ["a.py", "lib/"]):
        assert by_paths(shelf, paths, Filters(), 1)[0] == [(*row, "a.py", "edit")]


def test_the_id_decides_between_memories_of_one_second(store: Store):
    for name in ("mem_b", "mem_c", "mem_a"):
        add_memory(store, name)
    assert ids(store.search.by_filters(Filters(), 10)[0]) == ["mem_c", "mem_b", "mem_a"]


@pytest.mark.parametrize(
    ("sort", "expected"),
    [("recent", "43210"), ("importance", "43210"), ("access_count", "14320")],
)
def test_a_list_comes_in_the_order_asked_for(
    shelf: Store, sort: Literal["recent", "importance", "access_count"], expected: str
):
    uses = [("mem_1", 7), ("mem_4", 2), ("mem_forgotten", 9)]
    found, total = shelf.search.by_filters(Filters(), 3, sort, uses)
    assert ids(found) == [f"mem_{number}" for number in expected[:3]]
    assert total == 5
    found, total = shelf.search.by_filters(Filters(agent_id="agent_bob"), 3, sort, uses)
    assert (ids(found), total) == (["mem_2"], 1)


@pytest.fixture
def tree(store: Store) -> Store:
    """A wide memory on twenty files, a newer and an older one on single files."""
    wide = [make_file(f"src/f{number:02}.py", "read") for number in range(20)]
    add_memory(store, "mem_old", created_at=NOON, files=[make_file("src/f00.py")])
    add_memory(store, "mem_wide", created_at=NOON + 1, files=wide)
    add_memory(store, "mem_new", created_at=NOON + 2, files=[make_file("docs/a.md", "create")])
    return store


def test_files_find_the_memories_tied_to_them_newest_first(tree: Store):
    rows, total = by_paths(tree, ["src/f00.py", "docs/a.md"], Filters(), 10)
    assert ids(rows) == ["mem_new", "mem_wide", "mem_old"]
    assert total == 3
    assert rows[0] == ("mem_new", NOON + 2, 0.5, "session_1", 3, "docs/a.md", "create")
    assert rows[2][5:] == ("src/f00.py", "edit")
    assert by_paths(tree, ["src"], Filters(), 10) == ([], 0)
    assert by_paths(tree, [], Filters(), 10) == ([], 0)


def test_a_memory_on_many_of_the_files_leaves_room_for_others(tree: Store):
    paths = [f"src/f{number:02}.py" for number in range(20)]
    rows, total = by_paths(tree, [*paths, *paths], Filters(), 2)
    assert ids(rows) == ["mem_wide", "mem_old"]
    assert rows[0][5:] == ("src/f00.py", "read")
    assert total == 2


def test_the_total_of_files_does_not_depend_on_the_cap(tree: Store):
    paths = known_paths(tree, "")
    assert [by_paths(tree, paths, Filters(), cap)[1] for cap in (1, 2, 3, 4)] == [3, 3, 3, 3]
    assert by_paths(tree, paths, Filters(since=NOON + 1), 1)[1] == 2


def test_known_paths_are_those_that_begin_with_the_prefix(store: Store):
    paths = ["src/a.py", "src/b/c.py", "src2/a.py", "src/é.py", "src/記憶.py", "S%_c/'q\".py", "src"]
    add_memory(store, "mem_a", files=[make_file(path) for path in paths])
    add_memory(store, "mem_b", files=[make_file("src/a.py")])
    assert set(known_paths(store, "src/")) == {"src/a.py", "src/b/c.py", "src/é.py", "src/記憶.py"}
    assert set(known_paths(store, "S%_")) == {"S%_c/'q\".py"}
    assert sorted(known_paths(store, "")) == sorted(paths)
    assert known_paths(store, "nowhere/") == []


def test_paths_that_look_alike_are_not_the_same(store: Store):
    composed, decomposed = "caf\u00e9.py", "cafe\u0301.py"
    add_memory(store, "mem_composed", files=[make_file(composed)])
    add_memory(store, "mem_decomposed", files=[make_file(decomposed)])
    add_memory(store, "mem_upper", files=[make_file("CAFÉ.py")])
    assert ids(by_paths(store, [composed], Filters(), 9)[0]) == ["mem_composed"]
    assert ids(by_paths(store, [decomposed], Filters(), 9)[0]) == ["mem_decomposed"]


def test_the_size_is_about_right(store: Store):
    assert size(store) == 0
    for number in range(3):
        add_memory(store, f"mem_{number}")
    assert size(store) == 3


def test_common_tags_come_first(store: Store):
    add_memory(store, "mem_a", tags=["b", "a", "rare"])
    add_memory(store, "mem_b", tags=["b", "a"])
    add_memory(store, "mem_c", tags=["b"])
    assert [tag for tag, _ in store.search.tag_counts(2)] == ["b", "a"]
    assert [tag for tag, _ in store.search.tag_counts(9)] == ["b", "a", "rare"]
    assert store.search.tag_counts(2) == [("b", 3), ("a", 2)]


def test_files_are_found_by_a_part_of_their_path(store: Store):
    add_memory(store, "mem_a", files=[make_file("src/flask/app.py"), make_file("src/flask/app.pyi")])
    add_memory(store, "mem_b", "Touch flask/app.py", files=[make_file("docs/flask.rst")])
    assert paths_within(store, "flask/app.py", 9) == ["src/flask/app.py"]
    assert paths_within(store, "src/flask", 9) == ["src/flask/app.py", "src/flask/app.pyi"]
    assert paths_within(store, "lask/app.py", 9) == paths_within(store, "///", 9) == []


def test_a_word_is_spelt_as_memories_have_it(store: Store):
    add_memory(store, "mem_a", "Reuse Connections\nand connectTimeout", outcome=make_outcome("connected"))
    assert spellings(store, "connect", 9) == {"connections", "connect", "connected"}
    assert spellings(store, "connecttimeout", 9) == {"connecttimeout"}
    assert spellings(store, "zebra", 9) == set()
