"""The database of the TypeScript RUM is imported whole, once, and without being changed."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from rum import InvalidQuery, Rum
from rum.model.chapters import TextSource
from rum.model.requests import Depth
from support.projects import open_shop
from support.typescript_rum import (
    AT,
    CACHE,
    CHAPTER,
    LOCK,
    MAIN,
    OTHER_CHAPTER,
    RACE,
    SUB,
    WISDOM,
    insert,
    insert_memory,
    write_database,
)

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def rum(tmp_path: Path) -> Iterator[Rum]:
    with open_shop(tmp_path) as shop:
        yield shop.open(owner=True)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return write_database(tmp_path / "original" / "shop.rum.db")


def change(database: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(statement, values)


def test_memories_are_imported_with_everything_they_say(rum: Rum, database: Path):
    answer = rum.import_typescript_rum(database)
    assert (answer.added, answer.links, answer.agents, answer.skipped) == (3, 3, 2, {})
    [memory] = rum.recall(memory_id=CACHE, depth=Depth.COMPLETE, include_links=True).memories
    assert memory.agent_id == MAIN
    assert memory.created_at == AT // 1000
    said = msgspec.json.decode(msgspec.json.encode(memory))
    assert said["intent"] == {
        "goal": "Cache the login tokens",
        "task_type": "optimization",
        "context": "Login is slow",
    }
    assert said["outcome"]["learnings"] == ["Never refresh tokens without a lock"]
    assert said["outcome"]["failure_category"] == "race_condition"
    edit, command = said["actions"]
    assert edit["details"] == {"file_path": "src/cache.ts", "lines_affected": "4-9", "diff_summary": "Map"}
    assert command["result"] == {"success": False, "error": "1 failed"}
    assert said["tags"] == ["auth", "cache"]
    found = rum.recall(file="src/login.ts", depth=Depth.SUMMARY).memories
    assert [one.id for one in found] == [CACHE]
    chain = rum.trace(memory_id=LOCK, direction="causes", depth=Depth.SUMMARY).chain
    assert [(node.memory.id, node.distance) for node in chain] == [(RACE, 1), (CACHE, 2)]


def test_use_and_importance_are_kept(rum: Rum, database: Path):
    rum.import_typescript_rum(database)
    line = next(one for one in rum.list(sort="access_count").memories if one.id == CACHE)
    assert (line.access_count, line.importance) == (7, 0.8)


def test_agents_keep_their_parents_and_skills(rum: Rum, database: Path):
    rum.import_typescript_rum(database)
    agents = {agent.agent_id: agent for agent in rum.agents()}
    assert agents[SUB].parent_id == MAIN
    assert agents[SUB].specialties == ("auth",)
    assert agents[SUB].capabilities == ("tokens", "review")
    assert (agents[MAIN].created_at, agents[MAIN].memory_count) == (AT // 1000, 2)


def test_chapters_and_wisdom_keep_members_and_texts(rum: Rum, database: Path):
    answer = rum.import_typescript_rum(database)
    assert answer.chapters
    assert answer.chapters.added == 3
    race, other = rum.chapters.list(chapter_ids=[CHAPTER, OTHER_CHAPTER]).chapters
    assert (race.title, race.memory_ids, race.origin) == ("The login race", (CACHE, RACE, LOCK), "manual")
    assert (race.start_ts, race.end_ts) == (AT // 1000, AT // 1000 + 2)
    assert (other.title, other.origin) == ("Find the race in the login", "auto")
    assert race.words is TextSource.DRAWN
    assert [one.supporting for one in race.evidence] == [1, 1]
    [wisdom] = rum.wisdom.recall(wisdom_id=WISDOM, include_chapters=True).wisdom
    assert wisdom.insights == ("A mutex is enough",)
    assert (wisdom.patterns, wisdom.tags) == ((), ("auth",))
    assert set(wisdom.chapter_ids) == {CHAPTER, OTHER_CHAPTER}


def test_a_second_import_adds_nothing(rum: Rum, database: Path):
    rum.import_typescript_rum(database)
    answer = rum.import_typescript_rum(database)
    assert (answer.added, answer.unchanged, answer.links, answer.agents) == (0, 3, 0, 0)
    assert answer.chapters
    assert (answer.chapters.added, answer.chapters.unchanged) == (0, 3)


def test_a_memory_that_changed_there_is_updated_and_one_changed_here_is_not(rum: Rum, database: Path):
    rum.import_typescript_rum(database)
    rum.update_memory(CACHE, tags=["mine"])
    change(database, "UPDATE memories SET tags = ?", '["new"]')
    answer = rum.import_typescript_rum(database)
    assert (answer.updated, answer.different) == (2, 1)


def test_a_dry_run_only_counts(rum: Rum, database: Path):
    answer = rum.import_typescript_rum(database, dry_run=True)
    assert (answer.added, answer.dry_run) == (3, True)
    assert answer.chapters
    assert answer.chapters.added == 3
    assert (rum.list().total, rum.chapters.list().total) == (0, 0)
    rum.import_typescript_rum(database)
    assert rum.import_typescript_rum(database, dry_run=True).unchanged == 3


def test_forgotten_ones_stay_forgotten(rum: Rum, database: Path):
    rum.import_typescript_rum(database)
    for forgotten in (CACHE, WISDOM):
        rum.forget(forgotten)
    assert rum.import_typescript_rum(database, dry_run=True).forgotten == 1
    answer = rum.import_typescript_rum(database)
    assert (answer.added, answer.forgotten) == (0, 1)
    assert answer.chapters
    assert (answer.chapters.added, answer.chapters.forgotten) == (0, 1)


def test_progress_goes_to_the_end(rum: Rum, database: Path):
    seen: list[tuple[int, int | None]] = []
    rum.import_typescript_rum(database, progress=lambda done, total=None: seen.append((done, total)))
    assert (seen[0], seen[-1]) == ((0, 3), (3, 3))


def test_secrets_are_not_imported(rum: Rum, database: Path):
    change(database, "UPDATE memories SET outcome = replace(outcome, 'One refresh', ?)", SECRET)
    change(database, "UPDATE chapters SET summary = ?", f"Use {SECRET}")
    change(database, "UPDATE agents SET metadata = ?", f'{{"key": "{SECRET}"}}')
    rum.import_typescript_rum(database)
    assert SECRET not in b"".join(rum.export()).decode()
    assert rum.list().total == 3


def test_the_database_and_its_folder_are_not_changed(rum: Rum, database: Path):
    before = database.read_bytes()
    rum.import_typescript_rum(database.parent)
    assert [path.name for path in database.parent.iterdir()] == ["shop.rum.db"]
    assert database.read_bytes() == before


def test_what_is_still_in_the_wal_file_is_imported(rum: Rum, database: Path):
    with closing(sqlite3.connect(database)) as server:
        insert_memory(server, "mem_late", intent={"goal": "Written last", "task_type": "other"})
        server.commit()
        assert Path(f"{database}-wal").stat().st_size
        before = sorted(path.name for path in database.parent.iterdir())
        assert rum.import_typescript_rum(database).added == 4
        assert sorted(path.name for path in database.parent.iterdir()) == before


def test_a_folder_that_cannot_be_written_is_no_problem(rum: Rum, database: Path):
    database.chmod(0o400)
    database.parent.chmod(0o500)
    try:
        assert rum.import_typescript_rum(database).added == 3
    finally:
        database.parent.chmod(0o700)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("intent", "{"),
        ("intent", "[1]"),
        ("outcome", b"\xff\x00"),
        ("actions", '[{"type": "explode"}]'),
        ("created_at", "yesterday"),
        ("created_at", -5),
        ("intent", "[" * 100_000),
        ("id", "two\nlines"),
    ],
)
def test_an_unreadable_row_is_left_out_and_counted(rum: Rum, database: Path, column: str, value: object):
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute(f"UPDATE memories SET {column} = ? WHERE id = ?", (value, CACHE))
    answer = rum.import_typescript_rum(database)
    assert (answer.added, answer.skipped) == (2, {"unreadable": 1})


def test_odd_rows_of_other_tables_do_no_harm(rum: Rum, database: Path):
    with closing(sqlite3.connect(database)) as connection, connection:
        insert(connection, "agents", id="a", type="main", parent_id="b", **dict.fromkeys(TIMES, AT))
        insert(connection, "agents", id="b", type="main", parent_id="a", **dict.fromkeys(TIMES, AT))
        link = {"source_id": CACHE, "target_id": LOCK, "created_at": AT}
        back = {"source_id": LOCK, "target_id": CACHE, "created_at": AT}
        insert(connection, "memory_links", id="replaced", link_type="supersedes", **back)
        insert(connection, "memory_links", id="circle", link_type="supersedes", **link)
        insert(connection, "memory_links", id="odd", link_type="loves", **link)
        connection.execute("UPDATE chapters SET learnings = '{' WHERE id = ?", (OTHER_CHAPTER,))
    answer = rum.import_typescript_rum(database)
    assert (answer.added, answer.agents, answer.links) == (3, 4, 4)
    assert answer.skipped == {"unreadable chapter": 1, "unusable link": 2}
    assert answer.chapters
    assert answer.chapters.added == 2


TIMES = ("project_id", "created_at", "last_active_at")


def test_a_database_without_chapters_is_imported(rum: Rum, database: Path):
    for table in ("chapter_memories", "wisdom_chapters", "chapters", "wisdom", "memory_links"):
        change(database, f"DROP TABLE {table}")
    assert rum.import_typescript_rum(database).added == 3


def test_around_damaged_pages_the_rest_is_imported(rum: Rum, database: Path):
    with closing(sqlite3.connect(database)) as connection, connection:
        for number in range(300):
            insert_memory(connection, f"mem_many{number}", outcome={"success": True, "summary": "x" * 900})
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray(database.read_bytes())
    at = data.index(b"mem_many150") // 4096 * 4096
    data[at : at + 4096] = b"\xa5" * 4096
    database.write_bytes(data)
    answer = rum.import_typescript_rum(database)
    assert 200 <= answer.added < 303
    assert "memories" in answer.damaged


@pytest.mark.parametrize("content", [b"", b"not a database" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
def test_another_file_is_refused(rum: Rum, tmp_path: Path, content: bytes):
    path = tmp_path / "other.db"
    path.write_bytes(content)
    with pytest.raises(InvalidQuery, match="TypeScript RUM"):
        rum.import_typescript_rum(path)


def test_a_view_in_place_of_a_table_is_not_run(rum: Rum, database: Path):
    change(database, "DROP TABLE memories")
    change(
        database,
        "CREATE VIEW memories AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) "
        "SELECT id FROM n",
    )
    with pytest.raises(InvalidQuery, match="no table `memories`"):
        rum.import_typescript_rum(database)


def test_a_missing_file_and_an_ambiguous_folder_are_named(rum: Rum, database: Path):
    with pytest.raises(InvalidQuery, match="no file"):
        rum.import_typescript_rum(database.with_name("none.db"))
    shutil.copy(database, database.with_name("second.rum.db"))
    with pytest.raises(InvalidQuery, match="2 files"):
        rum.import_typescript_rum(database.parent)
