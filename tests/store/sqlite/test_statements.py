"""A recall by text takes few statements for any query, because each may be a round trip."""

from __future__ import annotations

from typing import Any

import pytest

from rum.model.questions import RecallQuestion
from rum.recall.cascade import run
from rum.recall.inquiry import Inquiry
from rum.recall.semantic import Meaning
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, HandClock, add_memory, make_file, make_outcome
from support.embedders import WordEmbedder

MOST = 13
"""Statements of a recall; showing what it found takes two more."""

ANIMALS = (
    *("ant", "bee", "cow", "dog", "elk", "fox", "gnu", "hen", "ibis", "jay"),
    *("kid", "lynx", "mole", "newt", "owl", "pig", "quail", "ram", "seal", "toad"),
)
LONG = " ".join(f"{animal} runs fast" for animal in ANIMALS)

QUESTIONS: dict[str, dict[str, Any]] = {
    "known words": {"query": "feed the cow and the dog"},
    "a common word": {"query": "farm"},
    "many words": {"query": LONG},
    "unknown words": {"query": "quantum blockchain giraffe"},
    "typing errors": {"query": "feeed the quial beforre the storrm"},
    "a goal": {"query": "Feed the fox of the farm"},
    "an intent": {"intent": "care for the newt of the farm"},
    "filters": {"query": "feed the farm", "tags": ("even",), "success_only": True},
    "a session": {"query": "feed the farm", "session_id": "session_1"},
    "time": {"query": "feed the farm", "since": NOON + 5},
    "meaning alone": {"query": "feed the farm", "strategy": "semantic"},
    "many": {"query": "feed the farm", "limit": 100},
    "best effort": {"query": "feed the unicorn", "min_confidence": 0},
}
FILES: dict[str, tuple[str, ...]] = {
    "no file": (),
    "a file": ("src/cow.py",),
    "an unknown file": ("lib/zebra.py",),
    "a name": ("cow.py",),
    "a folder": ("src",),
    "several files": ("src/cow.py", "src/dog.py", "lib/fox.py"),
    "globs": ("src/c*.py", "src/d*.py"),
}


@pytest.fixture
def farm(store: SqliteStore) -> SqliteStore:
    with store.transaction():  # only because it is quicker so
        for number, animal in enumerate(ANIMALS * 3):
            add_memory(
                store,
                f"mem_{number}",
                f"Feed the {animal} of the farm",
                session_id=f"session_{number // 10}",
                created_at=NOON + number,
                tags=["even"] if number % 2 == 0 else [],
                outcome=make_outcome(success=number % 3 > 0),
                files=[make_file(f"src/{animal}.py"), make_file("src/all.py")],
            )
    return store


@pytest.fixture
def meaning(farm: SqliteStore) -> Meaning:
    meaning = Meaning(farm, WordEmbedder(), clean=str, clock=HandClock())
    meaning.catch_up(60, thorough=True)
    meaning.nearest("warm up", 1)  # the vectors are read once a process
    return meaning


def statements(store: SqliteStore, meaning: Meaning | None, *files: str) -> dict[str, int]:
    """How many statements each question takes; what FTS5 asks its own tables comes as a comment."""
    counts: dict[str, int] = {}
    run(Inquiry(RecallQuestion(query="feeed the cow"), store))  # FTS5 reads its settings once a connection
    for name, fields in QUESTIONS.items():
        question = RecallQuestion(**fields, file=files or None)
        sent: list[str] = []
        for database in (store._rum, store._activity):
            database.connection.set_trace_callback(sent.append)
        run(Inquiry(question, store, files, session="session_3", meaning=meaning))
        for database in (store._rum, store._activity):
            database.connection.set_trace_callback(None)
        counts[name] = sum(not statement.lstrip().startswith("--") for statement in sent)
    return counts


def too_many(counts: dict[str, int]) -> dict[str, int]:
    assert any(counts.values())
    return {name: count for name, count in counts.items() if count > MOST}


@pytest.mark.parametrize("files", FILES)
def test_a_recall_by_words_is_a_handful_of_statements(farm: SqliteStore, files: str):
    assert too_many(statements(farm, None, *FILES[files])) == {}


@pytest.mark.parametrize("files", FILES)
def test_a_recall_by_meaning_is_a_handful_of_statements(farm: SqliteStore, meaning: Meaning, files: str):
    assert too_many(statements(farm, meaning, *FILES[files])) == {}


@pytest.mark.parametrize("files", FILES)
def test_common_words_take_no_more(
    farm: SqliteStore, meaning: Meaning, files: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("rum.recall.limits.COMMON", 5)
    assert too_many(statements(farm, meaning, *FILES[files])) == {}


def test_the_archive_takes_no_more(farm: SqliteStore, meaning: Meaning):
    farm.archive.put([f"mem_{number}" for number in range(25)], NOON + 99)
    meaning.nearest("warm up", 0, 1)
    assert too_many(statements(farm, meaning)) == {}
