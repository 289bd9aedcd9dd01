"""A recall by text takes at most 15 SQL statements, its hint included, as each may be a round trip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from rum import Rum
from rum.model.memory import Edge, LinkType
from rum.recall.semantic import SemanticSearch
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, HandClock, add_memory, make_file, make_outcome
from support.embedders import WordEmbedder
from support.projects import open_shop

MOST = 15
# Statements that FTS5 runs on its own tables; without a limit they were 300,000 for eight unknown words.
INNER = 10_000

ANIMALS = (
    *("ant", "bee", "cow", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay"),
    *("kid", "lynx", "mole", "newt", "owl", "pig", "quail", "ram", "seal", "toad"),
)
WORK = ("Feed", "Wash", "Count", "Chase", "Brush", "Sell", "Paint", "Shelter", "Weigh", "Describe")
LONG = " ".join(f"{animal} runs fast" for animal in ANIMALS)

QUESTIONS: dict[str, dict[str, Any]] = {
    "known words": {"query": "feed the cow and the dog"},
    "a common word": {"query": "farm"},
    "many words": {"query": LONG},
    "quoted words": {"query": '"feed the cow" "of the farm"'},
    "unknown words": {"query": "quantum blockchain giraffe"},
    "many unknown words": {
        "query": "quantum blockchain giraffe zeppelin harmonica xylophone umbrella walrus"
    },
    "a typing error": {"query": "shleter the quail"},
    "typing errors": {"query": "feeed the quial beforre the storrm"},
    "many typing errors": {"query": "shleter desrcibe brsuh chsae piant cuont wieghs farrm anmials"},
    "a goal": {"query": "Feed the fox of the farm"},
    "an intent": {"intent": "care for the newt of the farm"},
    "an issue": {"query": "#123"},
    "a commit": {"query": "abcdef1234"},
    "tags": {"query": "feed the farm", "tags": ("even",), "success_only": True},
    "unknown tags": {"query": "feed the farm", "tags": ("evne", "odd", "even")},
    "an agent": {"query": "feed the cow", "agent_id": "agent_1"},
    "an unknown agent": {"query": "feed the cow", "agent_id": "nobody"},
    "a session": {"query": "feed the farm", "session_id": "session_1"},
    "since": {"query": "feed the farm", "since": NOON + 5},
    "a task type": {"query": "feed the cow", "task_type": "refactor"},
    "nothing passes": {
        "query": "feed the cow",
        "before": 1,
        "failures_only": True,
        "task_type": "feature_add",
    },
    "nothing passes, with errors": {"query": "shleter the quial", "before": 1, "tags": ("even", "nope")},
    "exact": {"query": "feed the farm", "strategy": "exact"},
    "exact with filters": {"query": "feed the cow", "strategy": "exact", "tags": ("even",)},
    "meaning alone": {"query": "feed the farm", "strategy": "semantic"},
    "meaning with filters": {"query": "feed the farm", "strategy": "semantic", "tags": ("nope",)},
    "superseded ones": {"query": "feed the cow", "include_superseded": True},
    "links": {"query": "feed the cow", "include_links": True},
    "everything shown": {"query": "feed the cow", "depth": "complete", "explain": True},
    "few tokens": {"query": "feed the farm", "max_tokens": 100, "limit": 20},
    "many": {"query": "feed the farm", "limit": 100},
    "best effort": {"query": "feed the unicorn", "min_confidence": 0},
    "very sure": {"query": "feed the unicorn of the fram", "min_confidence": 0.99},
}
FILES: dict[str, str | list[str] | None] = {
    "no file": None,
    "a file": "src/cow.py",
    "an unknown file": "lib/zebra.py",
    "a name": "cow.py",
    "a folder": "src",
    "two files": ["src/cow.py", "lib/fox.py"],
    "globs": ["src/c*.py", "src/d*.py"],
}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rum]:
    with open_shop(tmp_path_factory.mktemp("farm")) as shop:
        rum = shop.open(agent="farmer", session="session_3")
        fill(store_of(rum))
        yield rum


@pytest.fixture(scope="module")
def farm_with_archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rum]:
    with open_shop(tmp_path_factory.mktemp("farm")) as shop:
        rum = shop.open(agent="farmer", session="session_3")
        fill(store_of(rum))
        store_of(rum).archive.put([f"mem_{number}" for number in range(0, 90, 2)], NOON + 999)
        use_vectors(rum, archived=True)
        yield rum


def fill(store: SqliteStore) -> None:
    with store.transaction():  # only because it is quicker so
        for number in range(300):
            animal, work = ANIMALS[number % 20], WORK[number // 20 % 10]
            add_memory(
                store,
                f"mem_{number}",
                f"{work} the {animal} of the farm",
                agent_id=f"agent_{number % 3}",
                session_id=f"session_{number // 12}",
                created_at=NOON + number,
                tags=["even"] if number % 2 == 0 else [],
                outcome=make_outcome(success=number % 3 > 0),
                files=[make_file(f"src/{animal}.py"), make_file("src/all.py")],
            )
        for number in range(100, 110):
            store.links.add(Edge(f"mem_{number}", f"mem_{number - 50}", LinkType.SUPERSEDES), NOON)


def store_of(rum: Rum) -> SqliteStore:
    store = rum._project.store
    assert isinstance(store, SqliteStore)
    return store


def use_vectors(rum: Rum, *, archived: bool = False) -> None:
    semantic = SemanticSearch(store_of(rum), WordEmbedder(), clean=str, clock=HandClock())
    rum._project.__dict__["semantic"] = semantic
    semantic.embed_pending(60)
    semantic.nearest("farm", 1, int(archived))  # vectors are read once a process


def statements(rum: Rum, **question: Any) -> tuple[int, int, bool]:
    """How many statements a question takes, how many FTS5 runs inside (as comments), whether it found."""
    sent: list[str] = []
    connections = [database.connection for database in (store_of(rum)._rum, store_of(rum)._activity)]
    for connection in connections:
        connection.set_trace_callback(sent.append)
    try:
        found = bool(rum.recall(**question).memories)
    finally:
        for connection in connections:
            connection.set_trace_callback(None)
    # Whether the file was replaced is a question to SQLite's own files, which no other database is asked.
    sent = [statement.lstrip() for statement in sent if statement != "PRAGMA schema_version"]
    inner = sum(statement.startswith("--") for statement in sent)
    return len(sent) - inner, inner, found


def too_many(rum: Rum, files: str) -> dict[str, tuple[int, int, bool]]:
    statements(rum, query="feeed the cow")  # FTS5 reads its settings once a connection
    counts = {
        name: statements(rum, **fields, **({"file": FILES[files]} if FILES[files] else {}))
        for name, fields in QUESTIONS.items()
    }
    assert any(found for _, _, found in counts.values())
    return {
        name: (count, inner, found)
        for name, (count, inner, found) in counts.items()
        if count > MOST or inner > INNER
    }


@pytest.mark.parametrize("files", FILES)
def test_a_recall_by_words_takes_few_statements(farm: Rum, files: str):
    assert too_many(farm, files) == {}


@pytest.mark.slow
@pytest.mark.parametrize("files", FILES)
def test_a_recall_by_meaning_takes_few_statements(farm: Rum, files: str):
    use_vectors(farm)
    assert too_many(farm, files) == {}


@pytest.mark.slow
@pytest.mark.parametrize("files", FILES)
def test_common_words_take_no_more(farm: Rum, files: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("rum.recall.limits.COMMON", 5)
    use_vectors(farm)
    assert too_many(farm, files) == {}


@pytest.mark.slow
@pytest.mark.parametrize("files", FILES)
def test_an_archive_takes_no_more(farm_with_archive: Rum, files: str):
    assert too_many(farm_with_archive, files) == {}
