"""`rum events`, rules in the user's words, and imports of sessions."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from rum import Rum
from rum.capture.events import problems, spool
from rum.capture.events.event import to_line
from support.captured_events import TRANSCRIPTS, Telling, failed_then_fixed
from surfaces.cli.running import Run


def leave(rum: Rum, telling: Telling) -> None:
    for event in telling.events:
        spool.append(os.path.join(rum.project.directory, "spool"), event["session"], to_line(event))


@pytest.fixture
def telling(project: Path) -> Telling:
    return Telling(cwd=str(project), session="11111111-aaaaaaaa", at=1_790_000_000.0)


def test_without_events_a_hint_is_printed(run: Run, project: Path):
    ran = run("events")
    assert (ran.code, ran.out) == (0, "")
    assert "No captured events" in ran.err


def test_tidy_turns_captured_events_into_memories_and_events_lists_them(run: Run, rum: Rum, telling: Telling):
    telling = failed_then_fixed(telling).prompt("Thanks!").stop("Welcome.")
    leave(rum, telling.prompt("Which colour has the sky at noon?").stop("Blue."))
    assert "Memories from captured events: 1" in run("tidy").out
    lines = run("events").out.splitlines()
    assert len(lines) == len(telling.events)
    (memory,) = rum.list().memories
    assert f"→ memory {memory.id[-8:]}" in lines[-1]
    assert "prompt: The mean of an empty list" in lines[-1]
    assert lines[0].endswith("→ nothing (nothing done)")
    # Thanks belong to the work before them.
    assert lines[2].endswith(f"stop: Welcome. → memory {memory.id[-8:]}")


def test_events_can_be_filtered(run: Run, rum: Rum, telling: Telling):
    leave(rum, failed_then_fixed(telling).prompt("Which colour has the sky at noon?").stop("Blue."))
    rum.take_in()
    (memory,) = rum.list().memories
    assert len(run("events", "--kind", "prompt").out.splitlines()) == 2
    assert len(run("events", "--became", "nothing").out.splitlines()) == 2
    assert len(run("events", "--limit", "3").out.splitlines()) == 3
    assert run("events", "--session", "bbbbbbbb").out == ""
    found = run("events", "--memory", memory.id[-8:], "--kind", "failed", "--json").json
    assert [(one["what"], one["became"]) for one in found["events"]] == [
        ("run: python3 check_stats.py", "memory")
    ]
    assert found["total"] == len(telling.events)


def test_an_invalid_filter_is_explained(run: Run, project: Path):
    assert "nothing" in run("events", "--became", "gold").err
    assert run("events", "--memory", "abcdefgh").code == 1


def test_what_the_user_said_is_a_rule_with_its_source(run: Run, rum: Rum, telling: Telling):
    telling.prompt("Add a client").edit("client.py", "a", "b").stop()
    leave(rum, telling.prompt("No, we never use requests here. Take httpx.").stop())
    rum.take_in()
    (line,) = run("rules", "list").out.splitlines()
    assert "The user said on " in line
    assert "we never use requests here. Take httpx." in line
    name = run("rules", "list", "--json").json[0]["id"]
    shown = run("rules", "show", name, "--json").json
    assert shown["source"] == "user"
    assert shown["about"] == rum.list().memories[0].id
    assert "source: user" in run("rules", "show", name).out


def written(user: Path, folder: Path, name: str) -> None:
    path = user / ".codex" / "sessions" / "2026" / "11" / "15" / f"rollout-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    source = (TRANSCRIPTS / "codex.jsonl").read_text().replace("/project", str(folder))
    path.write_text(source.replace("01a1e0da-50b6", f"01a1e0da-{name}"))


def test_sessions_are_imported_and_counted(run: Run, project: Path, tmp_path: Path):
    written(tmp_path / "user", project, "0001")
    written(tmp_path / "user", tmp_path / "gone", "0002")
    first, sessions = run("import", "codex").out.splitlines()
    assert first.startswith("Added 1 memory in ")
    assert sessions == "Sessions: read 1, of other projects 1."
    assert run("import", "codex").out.splitlines()[1] == "Sessions: read before 1, of other projects 1."
    assert run("import", "gemini").out.splitlines()[1] == "No sessions found."


def test_sessions_of_all_projects_are_imported_into_their_own_project(
    run: Run, project: Path, tmp_path: Path
):
    other = tmp_path / "other"
    other.mkdir()
    for name, folder in (("0001", project), ("0002", other), ("0003", tmp_path / "gone")):
        written(tmp_path / "user", folder, name)
    answer = run("import", "codex", "--all-projects", "--json").json
    assert (answer["added"], answer["sessions"], answer["skipped"]) == (2, 2, {"folder is gone": 1})
    with Rum.open(other, owner=True) as elsewhere:
        assert elsewhere.list().total == 1
    assert run("import", "codex", "--all-projects", "--json").json["added"] == 0


def test_the_process_started_by_a_hook_processes_the_spool(run: Run, rum: Rum, telling: Telling):
    leave(rum, failed_then_fixed(telling))
    assert run("tidy", "--spool", os.path.join(rum.project.directory, "spool")).out == ""
    assert rum.list().total == 1
    gone = os.path.join(os.path.dirname(rum.project.directory), "gone", "spool")
    assert run("tidy", "--spool", gone).code == 0
    assert not os.path.exists(os.path.dirname(gone))


def test_doctor_reports_a_spool_that_could_not_be_processed(run: Run, rum: Rum, telling: Telling):
    leave(rum, failed_then_fixed(telling))
    folder = os.path.join(rum.project.directory, "spool")
    rum.close()
    Path(rum.project.directory, "rum.db").write_bytes(b"no database" * 1000)
    assert run("tidy", "--spool", folder).code != 0
    (noted,) = problems.recent_problems((folder,), time.time())
    assert noted.what.startswith("Captured events could not be processed: rum.db")
    assert spool.spools(folder)
