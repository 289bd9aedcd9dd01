"""A file is found by its current name, also for work under earlier names."""

from __future__ import annotations

from typing import Any

from rum.model.memory import Edge, LinkType
from rum.store.base import Store
from rum.store.filters import Filters
from support.builders import NOON, add_memory, make_file


def work(store: Store, memory_id: str, *paths: str, at: int = 0, **more: Any) -> None:
    add_memory(store, memory_id, files=[make_file(path) for path in paths], created_at=NOON + at, **more)


def formerly(store: Store, path: str, cap: int = 9, **filters: Any) -> list[tuple[str, str]]:
    return [
        (row[0], row[5])
        for row in store.search.by_paths([], Filters(**filters), cap, renamed_files=[path]).former[0]
    ]


def test_what_was_done_under_earlier_names_is_found_the_newest_first(store: Store):
    work(store, "mem_a", "a.py", at=1)
    work(store, "mem_b", "b.py", at=3)
    work(store, "mem_move", "a.py", "b.py", at=2)
    work(store, "mem_again", "b.py", "c.py", at=4)
    store.memories.note_renames("mem_move", [("a.py", "b.py")])
    store.memories.note_renames("mem_again", [("b.py", "c.py")])
    found = [("mem_again", "b.py"), ("mem_b", "b.py"), ("mem_move", "b.py"), ("mem_a", "a.py")]
    assert formerly(store, "c.py") == found
    assert formerly(store, "c.py", 2) == found[:2]
    assert formerly(store, "b.py") == [("mem_move", "a.py"), ("mem_a", "a.py")]
    assert formerly(store, "a.py") == []


def test_a_later_file_with_the_old_name_is_another_file(store: Store):
    work(store, "mem_before", "a.py", at=1)
    work(store, "mem_move", "b.py", at=2)
    work(store, "mem_after", "a.py", at=3)
    store.memories.note_renames("mem_move", [("a.py", "b.py")])
    assert formerly(store, "b.py") == [("mem_before", "a.py")]


def test_a_name_is_followed_only_to_what_it_was_before(store: Store):
    work(store, "mem_old", "a.py", at=1)
    work(store, "mem_first", at=5)
    work(store, "mem_later", at=9)
    store.memories.note_renames("mem_first", [("b.py", "c.py")])
    store.memories.note_renames("mem_later", [("a.py", "b.py")])  # another b.py by then
    assert formerly(store, "c.py") == []


def test_files_that_changed_places_come_to_an_end(store: Store):
    work(store, "mem_a", "a.py", at=1)
    work(store, "mem_swap", at=2)
    store.memories.note_renames("mem_swap", [("a.py", "b.py"), ("b.py", "a.py")])
    assert formerly(store, "b.py") == [("mem_a", "a.py")]
    assert formerly(store, "a.py") == []


def test_filters_hold_for_earlier_names_too(store: Store):
    work(store, "mem_a", "a.py", at=1, tags=["x"])
    work(store, "mem_b", "a.py", at=2)
    work(store, "mem_move", at=3)
    store.memories.note_renames("mem_move", [("a.py", "b.py")])
    assert formerly(store, "b.py", tags=("x",)) == [("mem_a", "a.py")]
    store.links.add(Edge.of("mem_move", "mem_b", LinkType.SUPERSEDES), NOON)
    assert formerly(store, "b.py") == [("mem_a", "a.py")]
    assert formerly(store, "b.py", superseded=True) == [("mem_b", "a.py"), ("mem_a", "a.py")]


def test_renames_are_known_as_long_as_the_memory_that_tells_of_them(store: Store):
    work(store, "mem_a", "a.py", at=1)
    work(store, "mem_move", at=2)
    for _ in range(2):
        store.memories.note_renames("mem_move", [("a.py", "b.py")])
    assert len(formerly(store, "b.py")) == 1
    store.memories.delete("mem_move")
    assert formerly(store, "b.py") == []
    assert store.upkeep.problems() == []


def test_what_a_memory_says_of_renames_is_noted_with_it(store: Store):
    work(store, "mem_a", "a.py", at=1)
    moved = {"type": "command_run", "timestamp": NOON, "details": {"command": "git mv a.py b.py"}}
    work(store, "mem_move", at=2, actions=[moved])
    assert formerly(store, "b.py") == [("mem_a", "a.py")]


def test_a_web_of_names_is_followed_only_so_far(store: Store):
    work(store, "mem_move", at=9)
    pairs = [
        (f"{kind}{level + 1}.py", f"{other}{level}.py")
        for level in range(40)
        for kind in "abc"
        for other in "abc"
    ]
    store.memories.note_renames("mem_move", pairs)
    for number in range(41):
        work(store, f"mem_{number}", f"a{number}.py", at=number % 9)
    assert 0 < len(formerly(store, "a0.py", 99)) < 20
