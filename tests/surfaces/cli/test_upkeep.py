"""`rum doctor`, `reindex`, `backup`, `export` and `import`."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rum import Rum
from surfaces.cli.running import Run
from surfaces.cli.terminal import needs_terminal, on_terminal


def database(tmp_path: Path) -> Path:
    (found,) = (tmp_path / "rum" / "projects").glob("*/rum.db")
    return found


def test_doctor_reports_a_healthy_memory(run: Run, stored: str):
    ran = run("doctor")
    assert ran.code == 0
    assert ran.out.splitlines()[0] == "healthy"
    assert "memories: 1\n" in ran.out
    answer = run("doctor", "--json").json
    assert (answer["healthy"], answer["problems"]) == (True, [])
    assert answer["facts"]["bytes"]["rum.db"] > 1000


def test_doctor_shows_sizes_with_units_and_what_to_do_about_missing_vectors(run: Run, stored: str):
    output = run("doctor").out
    assert re.search(r"^free: \d+(\.\d)? [MGT]B$", output, re.MULTILINE)
    assert re.search(r"^size: rum\.db \d+(\.\d)? kB, activity\.db \d+(\.\d)? kB$", output, re.MULTILINE)
    assert re.search(
        r"^vectors: .*, done 0, pending 1 \(run `rum tidy` to compute them\)$", output, re.MULTILINE
    )


@pytest.mark.skipif(os.name == "nt", reason="permissions are POSIX")
def test_a_problem_is_reported_with_advice_and_exit_code_1(run: Run, stored: str, project: Path):
    (project / ".rum").mkdir()
    (project / ".rum" / "config.toml").write_text("rate_limit = 1\n")
    ran = run("doctor")
    assert ran.code == 1
    problems = [line for line in ran.out.splitlines() if line.startswith("problem: ")]
    assert len(problems) == 1
    assert "rum config" in problems[0]
    assert "not healthy" in ran.out.splitlines()
    answer = run("doctor", "--json")
    assert answer.code == 1
    assert answer.json["healthy"] is False


def replace_by_text(path: Path) -> None:
    path.write_bytes(b"this is no database, and never was one" * 100)


def replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def cut_off(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:5000])


def make_newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize("damage", [replace_by_text, replace_by_folder, cut_off, make_newer])
def test_a_database_that_cannot_be_opened_is_diagnosed(
    run: Run, rum: Rum, stored: str, tmp_path: Path, damage: Callable[[Path], None]
):
    path = database(tmp_path)
    rum.close()
    for beside in path.parent.glob("rum.db-*"):
        beside.unlink()
    damage(path)
    ran = run("doctor")
    assert ran.code == 1
    assert ran.out.startswith("problem: ")
    assert "rum.db" in ran.out.splitlines()[0]
    assert "not healthy" in ran.out.splitlines()
    assert ran.err == ""
    in_json = run("doctor", "--json")
    assert (in_json.code, in_json.json["healthy"], in_json.err) == (1, False, "")
    assert len(in_json.json["problems"]) >= 1


def test_doctor_reports_damage_of_any_page(run: Run, rum: Rum, stored: str, tmp_path: Path):
    path = database(tmp_path)
    rum.close()
    whole = path.read_bytes()
    with closing(sqlite3.connect(path)) as db:
        size: int = db.execute("PRAGMA page_size").fetchone()[0]
    assert whole
    for start in range(size, len(whole), size):
        for beside in path.parent.glob("rum.db-*"):
            beside.unlink()
        path.write_bytes(whole[:start] + b"\xa5" * size + whole[start + size :])
        ran = run("doctor")
        assert (ran.code, ran.out.startswith("problem: ")) == (1, True), start // size


def test_a_backup_restored_as_documented_is_healthy_and_complete(
    run: Run, rum: Rum, stored: str, project: Path, tmp_path: Path
):
    run("backup", "copy.db")
    run("forget", stored)
    path = database(tmp_path)
    rum.close()
    os.replace(project / "copy.db", path)
    for beside in ("rum.db-wal", "rum.db-shm"):
        path.with_name(beside).unlink(missing_ok=True)
    assert run("doctor").code == 0
    assert run("show", stored).code == 0


def test_a_deeply_nested_import_is_an_error_with_a_message(run: Run, project: Path):
    (project / "deep.jsonl").write_bytes(b'{"kind": "memory", "memory": ' + b"[" * 100_000 + b"\n")
    ran = run("import", "deep.jsonl")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("rum: ")


def test_an_index_of_another_tokeniser_causes_a_warning_until_reindex(
    run: Run, rum: Rum, stored: str, tmp_path: Path
):
    rum.close()
    with closing(sqlite3.connect(database(tmp_path))) as db:
        db.execute("UPDATE derived SET value = '0'")
        db.commit()
    for command in (["list"], ["recall", "token"]):
        ran = run(*command)
        assert (ran.code, "rum reindex" in ran.err, "rum reindex" in ran.out) == (0, True, False)
    assert run("doctor").code == 1
    run("reindex")
    assert (run("list").err, run("doctor").code) == ("", 0)


def test_reindex_rebuilds_a_lost_index(run: Run, rum: Rum, stored: str):
    ran = run("reindex")
    assert (ran.code, ran.out, ran.err) == (0, "Reindexed: 1\n", "")
    assert run("reindex", "--json").json == {"reindexed": 1}
    assert run("reindex", "--agent", "other").code == 0
    assert stored[-8:] in run("recall", "token").out


def test_a_backup_is_a_database_and_overwrites_nothing(run: Run, stored: str, project: Path):
    ran = run("backup", "copy.db")
    size = (project / "copy.db").stat().st_size
    assert (ran.code, ran.out) == (0, f"copy.db: {size} bytes\n")
    with closing(sqlite3.connect(project / "copy.db")) as copy:
        assert copy.execute("SELECT id FROM memories").fetchall() == [(stored,)]
    assert run("backup", "copy.db").code == 1
    assert run("backup", "other.db", "--json").json == {"file": "other.db", "bytes": size}


def test_an_export_goes_to_stdout_or_a_private_file_and_overwrites_nothing(
    run: Run, stored: str, project: Path
):
    to_stdout = run("export")
    assert to_stdout.code == 0
    ran = run("export", "all.jsonl")
    written = (project / "all.jsonl").read_text(encoding="utf-8")
    assert written == to_stdout.out
    assert (ran.out, ran.err) == (f"all.jsonl: {len(written.splitlines())} lines\n", "")
    assert run("export", "all.jsonl").code == 1
    assert run("export", "more.jsonl", "--json").json == {"file": "more.jsonl", "lines": 3}
    assert sorted(path.name for path in project.iterdir()) == ["all.jsonl", "more.jsonl"]
    if os.name != "nt":
        assert stat.S_IMODE((project / "all.jsonl").stat().st_mode) == 0o600


@pytest.mark.parametrize("way", ["file", "stdin"])
def test_an_export_can_be_imported(run: Run, rum: Rum, stored: str, way: str):
    rum.update_memory(stored, tags=["auth", "naïve 日本"])
    run("export", "all.jsonl")
    exported = run("export").out.encode()
    arguments = ["all.jsonl"] if way == "file" else ["-"]
    ran = run("--project", "copy", "import", *arguments, stdin=exported)
    assert (ran.code, ran.out) == (0, "Added 1 memory.\n")
    assert run("--project", "copy", "show", stored, "--json").json["tags"] == ["auth", "naïve 日本"]
    again = run("import", "--project", "copy", *arguments, "--json", stdin=exported)
    assert again.json == {"added": 0, "unchanged": 1, "different": 0, "forgotten": 0, "restored": 0}


def test_an_export_with_an_invalid_line_is_refused(run: Run, stored: str):
    broken = run("export").out.encode() + b"{oops\n"
    ran = run("--project", "copy", "import", "-", stdin=broken)
    assert (ran.code, ran.out) == (1, "")
    assert "Line 4" in ran.err
    assert run("--project", "copy", "list", "--json").json["total"] == 0


@needs_terminal
@pytest.mark.parametrize(
    ("arguments", "title", "result"),
    [
        (["import", "all.jsonl", "--project", "copy"], "Importing", "Added 1"),
        (["export", "again.jsonl"], "Exporting", "again.jsonl: 3 lines"),
        (["reindex"], "Reindexing", "Reindexed: 1"),
    ],
)
def test_a_terminal_shows_a_progress_bar_for_long_work(
    run: Run, stored: str, arguments: list[str], title: str, result: str
):
    run("export", "all.jsonl")
    screen = on_terminal(*arguments)
    assert screen.code == 0
    assert title in screen.text
    assert result in screen.text


def test_an_export_that_cannot_be_written_names_the_requested_file(run: Run, stored: str, project: Path):
    nowhere = str(project / "nowhere" / "all.jsonl")
    ran = run("export", nowhere)
    assert (ran.code, ran.err) == (1, f"rum: {nowhere}: No such file or directory.\n")


def test_an_export_never_overwrites_and_says_so_in_one_line(run: Run, stored: str, project: Path):
    (project / "all.jsonl").write_text("mine")
    ran = run("export", "all.jsonl")
    assert (ran.code, ran.err) == (1, "rum: all.jsonl exists already; choose another file.\n")
    assert (project / "all.jsonl").read_text() == "mine"
    assert json.loads(run("export", "all.jsonl", "--json").err)["details"] == {"field": "file"}


def test_a_sync_that_keeps_items_back_does_not_call_both_sides_the_same(run: Run, stored: str, project: Path):
    shared = project.parent / "shared"
    shared.mkdir()
    ran = run("sync", "--with", str(shared))
    assert "Nothing to send or receive." in ran.out
    assert "Not shared (setting `share`): 1 changed item." in ran.out
    assert "the same" not in ran.out
