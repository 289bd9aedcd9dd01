"""The effect of migrations on existing rows."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from migrations.test_schema import build_by_hand, opened
from rum.model.chapters import Member
from rum.model.ids import id_of, new_id
from rum.model.memory import Origin, OriginKind, RevertLink
from rum.store.base import ReadMode
from rum.store.filters import Filters
from rum.store.sqlite.store import SqliteStore
from rum.store.tables.rows import FORM, packed
from support.builders import NOON
from support.finding import formerly

AGENT = "INSERT INTO agents VALUES ('agent_a', 'main', NULL, 'p', NULL, NULL, 1, 1, NULL, '{}')"
MEMORY = """
INSERT INTO memories (id, agent_id, project_id, session_id, created_at, intent_goal, intent_type,
  outcome_success, outcome_summary, intent, perception, reasoning, actions, outcome)
VALUES (?, 'agent_a', 'p', 's', 1, 'g', 'bug_fix', 1, 'd', '{}', '{}', '{}', '[]', '{}')
"""


def test_vectors_of_zeros_become_marks_of_what_cannot_be_embedded(tmp_path: Path):
    build_by_hand(tmp_path, "rum", 3)
    with opened(tmp_path / "rum.db") as db:
        db.execute(AGENT)
        db.execute("INSERT INTO vector_models VALUES (1, 'model-a', ?)", (NOON,))
        for memory, data in (("mem_a", b"\x01\x00\x02"), ("mem_odd", bytes(388)), ("mem_b", b"\x00\x01")):
            db.execute(MEMORY, (memory,))
            db.execute(
                "INSERT INTO memory_vectors (memory, model, data) VALUES (last_insert_rowid(), 1, ?)", (data,)
            )
    with closing(SqliteStore(str(tmp_path))) as store:
        rows = store._rum.connection.execute(
            "SELECT data FROM memory_vectors WHERE data <> x'' ORDER BY number"
        )
        assert [data for (data,) in rows] == [b"\x01\x00\x02", b"\x00\x01"]
        assert (store.vectors.counts("model-a").refused, store.vectors.counts("model-a")[:2]) == (1, (3, 0))


def test_renames_in_commits_are_known_after_the_migration(tmp_path: Path):
    build_by_hand(tmp_path, "rum", 5)
    moved = [
        {
            "type": "file_create",
            "timestamp": 1,
            "details": {"file_path": "b.py", "diff_summary": "renamed from a.py"},
        },
        {
            "type": "file_delete",
            "timestamp": 1,
            "details": {"file_path": "a.py", "diff_summary": "renamed to b.py"},
        },
        {
            "type": "file_delete",
            "timestamp": 1,
            "details": {"file_path": "c.py", "diff_summary": "of no use"},
        },
        {"type": "file_delete", "timestamp": 1, "details": {}},
    ]
    with opened(tmp_path / "rum.db") as db:
        db.execute(AGENT)
        db.execute(MEMORY, ("mem_a",))
        db.execute("INSERT INTO memory_files VALUES ('mem_a', 'a.py', 'edit', NULL, 1)")
        db.execute(MEMORY, ("mem_move",))
        db.execute("UPDATE memories SET actions = ? WHERE id = 'mem_move'", (json.dumps(moved),))
    with closing(SqliteStore(str(tmp_path))) as store:
        assert [row[0] for row in formerly(store, "b.py", Filters(), 9)] == ["mem_a"]
        assert store._rum.connection.execute("SELECT path, before FROM renames").fetchall() == [
            ("b.py", "a.py")
        ]


CHAPTER = """
INSERT INTO chapters (id, project_id, agent_id, created_at, updated_at, version, title, summary, learnings,
  evidence, start_ts, end_ts, tags, topics, origin, words, given, found_by, own_tags)
VALUES (?, 'p', 'agent_a', 1, ?, 1, 't', 's', '[]',
  '[]', 1, 1, '[]', '[]', 'manual', 'drawn', '[]', '[]', '[]')
"""
WISDOM = """
INSERT INTO wisdom (id, project_id, agent_id, created_at, updated_at, version, summary, insights, patterns,
  best_practices, evidence, contradictions, tags, start_ts, end_ts, words, given, found_by, own_tags)
VALUES ('wisdom_a', 'p', 'agent_a', 5, 5, 1, 's', '["i"]', '[]',
  '[]', ?, '[]', '[]', 1, 1, 'drawn', '[]', '[]', '[]')
"""


def test_wisdom_knows_the_memories_of_its_chapters_and_those_that_only_its_evidence_names(tmp_path: Path):
    build_by_hand(tmp_path, "rum", 8)
    evidence = [{"memory_ids": ["mem_b", "mem_dropped"], "supporting": 2}]
    with opened(tmp_path / "rum.db") as db:
        db.execute(AGENT)
        for chapter, written, memory in (("chapter_a", 5, "mem_a"), ("chapter_b", 6, "mem_b")):
            db.execute(CHAPTER, (chapter, written))
            db.execute("INSERT INTO chapter_memories VALUES (?, 0, ?, 3, 1)", (chapter, memory))
        db.execute(WISDOM, (json.dumps(evidence),))
        for place, chapter in enumerate(("chapter_a", "chapter_b")):
            db.execute("INSERT INTO wisdom_chapters VALUES ('wisdom_a', ?, ?, 1)", (place, chapter))
    with closing(SqliteStore(str(tmp_path))) as store:
        [wisdom] = store.wisdom.get(["wisdom_a"])
        # Of the chapter that was written later, nobody knows what it was made of when the wisdom was.
        assert wisdom.members == (
            Member("mem_a", 3, True),
            Member("mem_b", 0, True),
            Member("mem_dropped", 0),
        )
        assert store.chapters.get(["chapter_a"])[0].former == wisdom.former == ()


BAD, UNDO = "a1" * 20, "b2" * 20
REVERTED_SUMMARY = f"{BAD[:10]}: gate, +1 -1; reverted by {UNDO[:10]}"
COMMIT = """
INSERT INTO memories (id, agent_id, project_id, session_id, created_at, imported_at, git_commit, intent_goal,
  intent_type, outcome_success, outcome_summary, intent, perception, reasoning, actions, outcome)
VALUES (?, 'agent_git', 'p', 's', 1, 2, ?, ?, 'bug_fix', ?, ?, ?, '{}', '{}', '[]', ?)
"""


def add_commit(db: sqlite3.Connection, memory: str, sha: str, goal: str, outcome: dict[str, object]) -> None:
    intent = json.dumps({"goal": goal, "task_type": "bug_fix"})
    success, summary = int(bool(outcome["success"])), outcome["summary"]
    db.execute(COMMIT, (memory, sha, goal, success, summary, intent, json.dumps(outcome)))


def build_with_reverts(folder: Path, *, archived: bool) -> None:
    """A store of schema 10 in which a commit's summary says what reverted it."""
    failed = {"success": False, "summary": REVERTED_SUMMARY, "failure_reason": "It crashes."}
    build_by_hand(folder, "rum", 10)
    with opened(folder / "rum.db") as db:
        db.execute("INSERT INTO agents VALUES ('agent_git', 'main', NULL, 'p', 'Ann', 'git', 1, 1, 2, '{}')")
        db.execute(AGENT)
        add_commit(db, "mem_bad", BAD, "Open the gate", failed)
        add_commit(db, "mem_undo", UNDO, "Revert it", {"success": True, "summary": f"{UNDO[:10]}: gate"})
        db.execute("INSERT INTO memory_links VALUES ('mem_undo', 'mem_bad', 'caused_by', 1)")
        db.execute(MEMORY, ("mem_own",))
        db.execute("UPDATE memories SET outcome_summary = 'x; reverted by 1234567890' WHERE id = 'mem_own'")
        version = {"intent": {"goal": "Open the gate", "task_type": "bug_fix"}, "outcome": failed}
        db.execute("INSERT INTO memory_versions VALUES ('mem_bad', 1, 1, 'git', ?)", (json.dumps(version),))
        if archived:
            archive_by_hand(db, "mem_bad")


def archive_by_hand(db: sqlite3.Connection, memory: str) -> None:
    columns = "seq, intent_goal, outcome_summary, intent, perception, reasoning, actions, outcome"
    row = db.execute(f"SELECT {columns} FROM memories WHERE id = ?", (memory,)).fetchone()
    seq, goal, summary, *layers = row
    blob = packed(layers, goal, summary)
    db.execute("INSERT INTO archived VALUES (?, 5, ?, ?, 10, 0)", (seq, FORM, blob))
    empty = "intent = '', perception = '', reasoning = '', actions = '', outcome = ''"
    db.execute(f"UPDATE memories SET {empty} WHERE seq = ?", (seq,))
    db.execute("UPDATE derived SET value = '1' WHERE name = 'archived'")


@pytest.mark.parametrize("archived", [False, True])
def test_a_revert_in_a_summary_is_in_columns_after_the_migration(tmp_path: Path, archived: bool):
    build_with_reverts(tmp_path, archived=archived)
    with closing(SqliteStore(str(tmp_path))) as store:
        bad, undo = store.memories.get(["mem_bad", "mem_undo"])
        assert bad.reverted_by == RevertLink("mem_undo", UNDO, reason="It crashes.")
        assert bad.origin == Origin(OriginKind.COMMIT, BAD)
        assert bad.outcome.summary == f"{BAD[:10]}: gate, +1 -1"
        assert (bad.outcome.success, bad.outcome.failure_reason) == (False, "It crashes.")
        assert bad.full_summary == REVERTED_SUMMARY
        assert undo.reverts == (RevertLink("mem_bad", BAD),)
        ((*_, (data,)),) = store.history.of("memory", ["mem_bad"])["mem_bad"]
        assert json.loads(data)["outcome"]["summary"] == f"{BAD[:10]}: gate, +1 -1"
        [headline] = store.memories.get(["mem_bad"], ReadMode.HEADLINE)
        assert (headline.reverted_by, headline.full_summary) == (bad.reverted_by, REVERTED_SUMMARY)


def test_what_no_commit_says_of_a_revert_stays_in_its_summary(tmp_path: Path):
    build_with_reverts(tmp_path, archived=False)
    with closing(SqliteStore(str(tmp_path))) as store:
        [own] = store.memories.get(["mem_own"], ReadMode.HEADLINE)
        assert (own.outcome.summary, own.reverted_by) == ("x; reverted by 1234567890", None)


def test_a_damaged_archived_memory_does_not_keep_a_store_from_migrating(tmp_path: Path):
    build_with_reverts(tmp_path, archived=True)
    with opened(tmp_path / "rum.db") as db:
        db.execute("UPDATE archived SET data = x'00'")
    with closing(SqliteStore(str(tmp_path))) as store:
        [bad] = store.memories.get(["mem_bad"], ReadMode.BEST_EFFORT)
        assert (bad.outcome.summary, bad.reverted_by) == (REVERTED_SUMMARY, None)


def test_an_archived_memory_that_was_reverted_comes_back_as_it_was(tmp_path: Path):
    build_with_reverts(tmp_path, archived=False)
    with closing(SqliteStore(str(tmp_path))) as store:
        before = store.memories.get(["mem_bad"])
        store.archive.put(["mem_bad"], 5)
        assert store.memories.get(["mem_bad"]) == before
        store.archive.take_back(["mem_bad"])
        assert store.memories.get(["mem_bad"]) == before


def test_every_memory_has_an_origin_afterwards(tmp_path: Path):
    build_by_hand(tmp_path, "rum", 11)
    seen, read = id_of("mem", "turn one"), id_of("mem", "turn two")
    with opened(tmp_path / "rum.db") as db:
        db.execute(AGENT)
        for memory in (new_id("mem", 1.5), seen, read, "mem_issue"):
            db.execute(MEMORY, (memory,))
        db.execute("UPDATE memories SET imported_at = 9 WHERE id = ?", (read,))
        db.execute("UPDATE memories SET origin_kind = 'issue', origin_reference = '7' WHERE id = 'mem_issue'")
    with closing(SqliteStore(str(tmp_path))) as store:
        found = store._rum.connection.execute(
            "SELECT origin_kind, origin_reference FROM memories ORDER BY seq"
        )
        assert found.fetchall() == [("agent", None), ("turn", None), ("transcript", None), ("issue", "7")]


@pytest.mark.parametrize("outcome", ["{broken", "[]", "{}", "7"])
def test_a_damaged_outcome_does_not_keep_a_store_from_migrating(tmp_path: Path, outcome: str):
    build_with_reverts(tmp_path, archived=False)
    with opened(tmp_path / "rum.db") as db:
        db.execute("UPDATE memories SET outcome = ? WHERE id = 'mem_bad'", (outcome,))
    with closing(SqliteStore(str(tmp_path))) as store:
        [bad] = store.memories.get(["mem_bad"], ReadMode.HEADLINE)
        assert bad.reverted_by == RevertLink("mem_undo", UNDO)
        assert bad.outcome.summary == f"{BAD[:10]}: gate, +1 -1"


@pytest.mark.parametrize("data", ['{"a; reverted by ', '{"x": "; reverted by "}', '["; reverted by "]'])
def test_a_damaged_earlier_version_does_not_keep_a_store_from_migrating(tmp_path: Path, data: str):
    build_with_reverts(tmp_path, archived=False)
    with opened(tmp_path / "rum.db") as db:
        db.execute("UPDATE memory_versions SET data = ? WHERE memory_id = 'mem_bad'", (data,))
    with closing(SqliteStore(str(tmp_path))) as store:
        [bad] = store.memories.get(["mem_bad"])
        assert bad.reverted_by == RevertLink("mem_undo", UNDO, reason="It crashes.")


def test_what_an_older_program_stores_after_the_migration_can_be_read(tmp_path: Path):
    """A server of the old version may still run; its INSERT knows no origin."""
    build_with_reverts(tmp_path, archived=False)
    with closing(SqliteStore(str(tmp_path))) as store:
        with opened(tmp_path / "rum.db") as old:
            add_commit(old, "mem_late", "c3" * 20, "Close the gate", {"success": True, "summary": "Closed"})
        [late] = store.memories.get(["mem_late"])
        assert late.origin == Origin(OriginKind.AGENT)
