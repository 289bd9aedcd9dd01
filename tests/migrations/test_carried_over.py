"""What a migration changes in the rows that are there."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from migrations.test_schema import build_by_hand, opened
from rum.model.chapters import Member
from rum.store.filters import Filters
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON

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
        assert [data for _, data in store.vectors.since("model-a", 0, 9)] == [b"\x01\x00\x02", b"\x00\x01"]
        assert (store.vectors.refused("model-a"), store.vectors.counts("model-a")) == (1, (3, 0))


def test_what_commits_said_of_renames_is_known_afterwards(tmp_path: Path):
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
        assert [row[0] for row in store.search.formerly("b.py", Filters(), 9)] == ["mem_a"]
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
