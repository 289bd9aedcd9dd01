"""`rum archive` and `rum compact`."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from rum import Rum
from support.builders import make_draft, make_outcome
from surfaces.cli.running import Run
from surfaces.cli.terminal import needs_terminal, on_terminal

YEAR = 365 * 86400


@pytest.fixture
def old(project: Path) -> list[str]:
    """The ids of three memories of last year: one ordinary, one important, one superseded by a recent one."""
    assert project.exists()
    now = time.time()
    with Rum.open(client="cli", owner=True, clock=lambda: now - YEAR) as rum:
        plain = rum.store(**make_draft("Paint the fence", "It is green")).memory_id
        important = rum.store(**make_draft("Save the house"), importance=0.9).memory_id
        replaced = rum.store(**make_draft("Paint it red")).memory_id
    with Rum.open(client="cli", owner=True) as rum:
        rum.store(**make_draft("Paint it blue", links={"supersedes": replaced}))
    return [plain, important, replaced]


def test_old_memories_are_archived_and_counted(run: Run, old: list[str]):
    output = run("archive", "--dry-run")
    assert (
        output.out == "Would archive 2 memories (1 superseded).\nNot archived: 1 too recent, 1 important.\n"
    )
    output = run("archive")
    first, left, sizes = output.out.splitlines()
    assert (first, left) == (
        "Archived 2 memories (1 superseded).",
        "Not archived: 1 too recent, 1 important.",
    )
    assert sizes.startswith("In the archive: 2.")
    assert run("archive").out == "Archived 0 memories.\nNot archived: 1 too recent, 1 important.\n"
    assert "archived: 2\n" in run("doctor").out


def test_archive_prints_json(run: Run, old: list[str]):
    output = run("archive", "--older-than", "30", "--importance", "1", "--uses", "0", "--json").json
    assert (output["archived"], output["superseded"], output["kept"], output["in_archive"]) == (
        3,
        1,
        {"young": 1},
        3,
    )
    assert output["dry_run"] is False
    assert output["bytes_before"] > 0


def test_an_archived_memory_is_found_and_can_be_restored(run: Run, old: list[str]):
    run("archive")
    assert old[0][-8:] in run("recall", "green fence").out
    assert "Paint the fence" in run("show", old[0]).out
    output = run("archive", "--restore", old[0], old[1])
    assert output.out == f"Restored 1.\nNot archived: {old[1]}.\n"
    assert run("archive", "--restore", old[2][-10:], "--json").json == {"restored": [old[2]], "live": []}


def test_a_damaged_memory_is_named_and_the_others_are_restored(run: Run, old: list[str], tmp_path: Path):
    run("archive")
    (database,) = tmp_path.rglob("rum.db")
    with closing(sqlite3.connect(database, isolation_level=None)) as db:
        db.execute("UPDATE archived SET data = x'00' WHERE memory = 1")
    left_out = f"{old[0]} is damaged and was left out. Restore a backup, or forget it."
    output = run("reindex")
    assert (output.out, output.err) == ("Reindexed: 3\n", f"{left_out}\n")
    output = run("export")
    assert (output.out.count('"intent"'), output.err) == (3, f"{left_out}\n")
    assert run("archive", "--restore", old[0], old[2]).out == f"Restored 1.\n{left_out}\n"
    assert old[0] in run("doctor").out
    assert left_out in run("forget", "--since", "2000-01-01", "--dry-run").err
    assert old[0] in run("forget", "--all", "--dry-run").out
    assert run("forget", old[0]).out.startswith(old[0])
    assert run("doctor").code == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("mem_123456789",), "IDs need --restore"),
        (("--restore",), "Give the ids of the memories"),
        (("--restore", "--dry-run", "mem_123456789"), "--restore cannot be combined with --dry-run"),
        (("--restore", "--uses", "0", "mem_123456789"), "--restore cannot be combined with --uses"),
        (("--restore", "mem_123456789"), "No memory `mem_123456789`"),
        (("--older-than", "0"), "`--older-than` is a number from 1"),
        (("--older-than", "soon"), "not a valid float"),
    ],
)
def test_contradictory_options_are_refused(run: Run, arguments: tuple[str, ...], complaint: str):
    ran = run("archive", *arguments)
    assert ran.code != 0
    assert complaint in ran.err
    assert ran.out == ""


@needs_terminal
def test_a_terminal_shows_progress(run: Run, old: list[str]):
    screen = on_terminal("archive")
    assert screen.code == 0
    assert "Archiving" in screen.text
    assert "Archived 2 memories" in screen.text


def test_compact_defaults_to_the_episodic_layer(run: Run, rum: Rum):
    for number in range(12):
        run("layers", "append", "episodic", f"entry {number}")
    assert run("compact").out == "Compacted 2 entries of the episodic layer.\n"
    summary, *kept = rum.layers.get_episodic_memory()
    assert summary.content == "[Summary of 2 entries]\n- entry 0\n- entry 1"
    assert len(kept) == 10
    assert run("compact", "--keep-last", "0", "--no-summary", "--json").json == {"compacted": 11}
    rum.rules.add("a", "b")
    assert (
        run("compact", "procedural", "--keep-last", "0").out == "Compacted 1 entry of the procedural layer.\n"
    )
    assert run("compact", "semantic").out == "Compacted 0 entries of the semantic layer.\n"


def test_compact_never_changes_memories(run: Run, rum: Rum):
    kept = rum.store(**make_draft(outcome=make_outcome("It stays"))).memory_id
    run("compact", "--keep-last", "0")
    assert rum.show(kept).outcome.summary == "It stays"
