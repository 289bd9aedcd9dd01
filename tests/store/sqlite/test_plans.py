"""However many memories there are, a finder goes to those it is asked for, and never through all of them."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from rum.app.memories.store import memories_with_most_words
from rum.store.filters import Filters
from rum.store.search import Also, Search, Wanted
from rum.store.sqlite.store import SqliteStore
from rum.store.vectors import Vectors
from support.builders import NOON, add_memory, make_file
from support.vectors import data, vector

FILTERS = {
    "none": Filters(),
    "superseded too": Filters(superseded=True),
    "type": Filters(task_type="bug_fix"),
    "agent": Filters(agent_id="agent_ann"),
    "session": Filters(session_id="session_1"),
    "failed": Filters(success=False),
    "time": Filters(since=NOON, before=NOON + 9),
    "tags": Filters(tags=("a", "b")),
}
FINDERS: dict[str, Callable[[Search, Filters], object]] = {
    "by_paths of one": lambda search, filters: search.by_paths([["a.py"]], filters, 1),
    "by_paths": lambda search, filters: search.by_paths([["a.py", "lib/"], ["b.py"]], filters, 1),
    "describe": lambda search, filters: search.describe([1, 2, 3], filters, Wanted(2, session_limit=9)),
    "formerly": lambda search, filters: search.by_paths([], filters, 1, renamed_files=["c.py"]),
    "by_issue": lambda search, filters: search.by_issue("67", filters, 1, 9),
    "newest_with": lambda search, filters: search.newest_with([["login"]], ["fix"], filters, 1),
}
UNFILTERED: dict[str, Callable[[Search], object]] = {
    "archived_with": lambda search: search.archived_with([(["login"], ["fix"])], 9, [1, 2]),
    "corrections": lambda search: search.corrections(["login"], 5, 9, 9),
    "known_paths": lambda search: search.known_paths(["lib/", "a"]),
    "memories_with_most_words": lambda search: memories_with_most_words(search, ["login"], 9, 9),
    "texts": lambda search: search.texts(["mem_1", "mem_2"]),
    "timeline": lambda search: search.terms([], 0, 0, Also(newest=1, spread=2)),
    "terms": lambda search: search.terms([["login"]], 1, 1, Also("Fix the login", 9, "session_1", 9)),
    "paths_within": lambda search: search.paths_within(["lib/b.py", "c"], 9),
}
# What is asked about the vectors of one model, and the index that knows them apart from the others'.
OF_A_MODEL: dict[str, tuple[str, Callable[[Vectors], object]]] = {
    "state": ("memory_vectors_model", lambda vectors: vectors.state(MODEL).live),
    "counts": ("memory_vectors_model", lambda vectors: vectors.counts(MODEL)),
    "nearest": ("memory_vectors_model", lambda vectors: vectors.nearest(MODEL, vector("x"), 9)),
    "pending": ("unembedded_model", lambda vectors: vectors.pending(MODEL, 9)),
    "queue": ("unembedded_model", lambda vectors: vectors.counts(MODEL)),
}
MODEL = "model-a"
_TABLES = "m|memories|f|memory_files|r|renames|memory_tags|t|memory_text_content"
# The first ends after the newest memories, the second has only superseded ones.
_SHORT = ("INDEX memories_created", "INDEX memories_superseded")


@pytest.fixture
def stored(store: SqliteStore) -> SqliteStore:
    for number in range(4):
        files = [make_file("a.py"), make_file("lib/b.py")]
        add_memory(store, f"mem_{number}", tags=["a", "b"], files=files)
    store.memories.note_renames("mem_3", [("a.py", "b.py"), ("b.py", "c.py")])
    return store


def long_ways(store: SqliteStore, find: Callable[[], object]) -> list[str]:
    """The steps by which SQLite goes through a whole table, or makes an index of it, to find something."""
    return [step for steps in plans(store, find) for step in _long_steps(steps)]


def plans(store: SqliteStore, find: Callable[[], object]) -> list[list[str]]:
    """The steps by which SQLite answers each question that something asks."""
    run: list[str] = []
    db = store._rum.connection
    db.set_trace_callback(run.append)
    find()
    db.set_trace_callback(None)
    # What FTS5 asks its own tables comes as a comment.
    statements = [one.strip() for one in run if one.strip().startswith(("SELECT", "WITH"))]
    assert statements
    return [[row[3] for row in db.execute(f"EXPLAIN QUERY PLAN {one}")] for one in statements]


def _long_steps(steps: list[str]) -> list[str]:
    interim = {step.rpartition(" ")[2] for step in steps if step.startswith(("MATERIALIZE", "CO-ROUTINE"))}
    scans = [
        (step, re.match(rf"SCAN ({_TABLES})(?: USING|$)", step))
        for step in steps
        if not step.endswith(_SHORT)
    ]
    return [step for step, table in scans if "AUTOMATIC" in step or (table and table[1] not in interim)]


@pytest.mark.parametrize("filters", FILTERS)
@pytest.mark.parametrize("finder", FINDERS)
def test_what_is_asked_for_is_found_by_an_index_whatever_the_filters(
    stored: SqliteStore, finder: str, filters: str
):
    assert long_ways(stored, lambda: FINDERS[finder](stored.search, FILTERS[filters])) == []


@pytest.mark.parametrize("finder", UNFILTERED)
def test_what_needs_no_filters_is_found_by_an_index(stored: SqliteStore, finder: str):
    assert long_ways(stored, lambda: UNFILTERED[finder](stored.search)) == []


@pytest.mark.parametrize("asked", OF_A_MODEL)
def test_the_vectors_of_a_model_are_found_without_those_of_others(stored: SqliteStore, asked: str):
    for model in (MODEL, "model-b"):
        stored.vectors.adopt(model, NOON)
        stored.vectors.put(model, [("mem_1", 1, data("v"))])
    index, ask = OF_A_MODEL[asked]
    steps = [step for plan in plans(stored, lambda: ask(stored.vectors)) for step in plan]
    assert any(re.search(rf"SEARCH .* INDEX {index} \(model=\?", step) for step in steps), steps


def test_the_vectors_of_some_memories_are_found_without_those_of_all_others(stored: SqliteStore):
    stored.vectors.adopt(MODEL, NOON)
    stored.vectors.put(MODEL, [("mem_1", 1, data("v"))])
    stored.vectors.nearest(MODEL, vector("x"), 1)  # all were read
    plan = [
        step for one in plans(stored, lambda: stored.vectors.cosines(MODEL, vector("x"), [1])) for step in one
    ]
    ways = [step for step in plan if re.match("(SEARCH|SCAN) v ", step)]
    assert len(ways) == 2
    assert all(step.endswith("(memory=? AND model=?)") for step in ways), plan


def test_a_long_way_would_be_noticed(stored: SqliteStore):
    db = stored._rum.connection
    assert long_ways(stored, lambda: db.execute("SELECT 1 FROM memories WHERE git_branch = 'x'").fetchall())
