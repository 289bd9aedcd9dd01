"""`rum journal`."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from rum.store.files.yaml import load
from support.journals import FRAGMENTS, HEADER, whole, wrapped
from surfaces.cli.running import Run

SESSION = ("--session", "s1", "--agent", "developer")


def journal_file(project: Path, session: str = "s1", agent: str = "developer") -> Path:
    return project / ".rum" / "sessions" / session / agent / "agent-memory.yaml"


def put(project: Path, text: str) -> Path:
    path = journal_file(project)
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    return path


def test_an_entry_is_made_from_flags(run: Run, project: Path) -> None:
    flags = [
        "--type",
        "code-pattern",
        "--importance",
        "high",
        "--content",
        "Use structs",
        "--related-file",
        "a.go",
    ]
    assert run("journal", "add", "discovery", *SESSION, "--task", "Export", *flags).id == "discovery-001"
    flags = [
        "--type",
        "skip",
        "--description",
        "No mail",
        "--alternative",
        "Mail",
        "--irreversible",
        "--id",
        "d1",
    ]
    assert run("journal", "add", "decision", *SESSION, *flags).id == "d1"

    value = load(journal_file(project).read_text(), "file")
    assert value["discoveries"][0]["relatedFiles"] == ["a.go"]  # type: ignore[index]
    assert value["decisions"][0]["reversible"] is False  # type: ignore[index]
    assert run("--json", "journal", "sessions").json[0]["task"] == "Export"


def test_json_can_hold_any_field(run: Run, tmp_path: Path) -> None:
    entry = {
        "description": "Serve it",
        "subTasks": [{"description": "Route", "status": "complete"}],
        "mood": 1,
    }
    assert run("journal", "add", "attempt", *SESSION, stdin=entry).id == "attempt-001"
    file = tmp_path / "change.json"
    file.write_text(json.dumps({"result": "success", "tokensUsed": {"input": 5}}))
    assert run("journal", "update", "attempt-001", *SESSION, "--file", str(file)).code == 0
    shown = run("--json", "journal", "show", "attempt-001", *SESSION).json
    assert (shown["mood"], shown["tokensUsed"], shown["result"]) == (1, {"input": 5}, "success")
    assert "mood: 1" in run("journal", "show", "attempt-001", *SESSION).out


def test_a_journal_is_shown_as_in_a_prompt(run: Run, project: Path) -> None:
    put(project, whole() + FRAGMENTS["failed_attempt"].replace("attempts:", "more:"))
    run("journal", "context", *SESSION, "--blocker", "proxy", "--blocker", "no key", "--plan-step", "3")
    first, *_, blank, last = run("journal", "show").out.split("\n")
    assert (last, blank) == ("", f"</{first[1:]}")
    assert first.startswith("<session-journal-")
    assert run("journal", "show").out.splitlines()[4:-1] == [
        "## Prior Context from This Session",
        "",
        "## Key Discoveries",
        "- [complexity_assessment] Four steps in three files",
        "- [code_pattern] How handlers are written here:",
        "- [dependency_check] What is there already:",
        "- [codebase_structure] A Go service with a small web client.",
        "",
        "## Current Task Context",
        "- Step: 3",
        "- Blockers: proxy, no key",
        "",
        "",
        "Use this context to avoid repeating discoveries or failed approaches.",
    ]
    assert run("--json", "journal", "show").json["agent"] == "developer"


def test_the_arbiter_reads_the_latest_session(run: Run, project: Path) -> None:
    put(project, wrapped("attempts"))
    assert "**developer**: Last attempt (in_progress) - Serve the export\n" in run("journal", "arbiter").out
    assert run("--json", "journal", "arbiter", "--session", "s1").json["session"] == "s1"


def test_writing_needs_a_session(run: Run, monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    ran = run("journal", "add", "attempt", "--agent", "developer", "--description", "x")
    assert (ran.code, "--session NAME, or set RUM_SESSION" in ran.err) == (2, True)
    monkeypatch.setenv("RUM_SESSION", "s7")
    assert run("journal", "add", "attempt", "--agent", "developer", "--description", "x").code == 0
    assert journal_file(project, "s7").exists()


def test_writing_needs_an_agent(run: Run) -> None:
    ran = run("journal", "add", "attempt", "--session", "s1", "--description", "x")
    assert (ran.code, "Give the agent whose journal it is" in ran.err) == (1, True)


def test_a_missing_journal_is_reported(run: Run) -> None:
    assert "No sessions yet" in run("journal", "sessions").err
    assert run("journal", "show").code == run("journal", "arbiter").code == 2
    assert run("--json", "journal", "sessions").json == []
    assert "There is no session `s1` here yet, nor any other." in run("journal", "show", *SESSION).err


def test_validate_names_line_and_field_with_exit_code_1(run: Run, project: Path) -> None:
    path = put(project, whole())
    assert run("journal", "validate").out == f"ok {path}\n"
    line = whole()[: whole().index('type: "code_pattern"')].count("\n") + 1
    path.write_text(whole().replace("code_pattern", "rumour"))
    ran = run("journal", "validate")
    assert ran.code == 1
    assert ran.out.startswith(f"FAIL {path}, line {line}: discoveries[2]: `type` must be one of ")
    (checked,) = run("--json", "journal", "validate", str(path)).json
    assert [(one["line"], one["field"]) for one in checked["problems"]] == [(line, "discoveries[2].type")]


def test_invalid_yaml_is_reported_with_its_line(run: Run, project: Path) -> None:
    (project / "bad.yaml").write_text("a:\n\t- b\n")
    ran = run("journal", "validate", "bad.yaml")
    assert (ran.code, "line 2, in `a`: it has a tab" in ran.out) == (1, True)
    assert run("journal", "validate", "gone.yaml").code == 1


def test_the_schema_is_printed(run: Run) -> None:
    schema = run("journal", "validate", "--schema").json
    jsonschema.validate(load(whole(), "file"), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(load(whole().replace("code_pattern", "rumour"), "file"), schema)


def test_archive_counts_what_it_moved(run: Run, project: Path) -> None:
    path = put(project, whole())
    assert run("journal", "archive").out == "developer not archived: below the limits\n"
    path.write_text(whole().replace("2026-02-14T09:16:15", "2026-02-14T19:16:15"))
    ran = run("journal", "archive", *SESSION)
    assert ran.out.startswith("developer 3 discoveries, 1 attempts, 2 decisions moved to ")
    assert run("journal", "archive").out == "developer nothing is older than two hours\n"
    assert path.with_name("agent-memory-archive.yaml").exists()
    assert run("journal", "validate").code == 0
    assert run("journal", "validate", str(path.with_name("agent-memory-archive.yaml"))).code == 0


def test_a_long_journal_is_archived_at_the_next_entry(run: Run, project: Path) -> None:
    path = put(project, whole().replace("2026-02-14T09:16:15", "2026-02-14T19:16:15"))
    ran = run("journal", "add", "attempt", *SESSION, "--description", "x")
    assert (ran.code, ran.id) == (0, "attempt-003")
    assert "Older entries (7) were moved to .rum/sessions/s1/developer/agent-memory-archive.yaml" in ran.err
    assert path.with_name("agent-memory-archive.yaml").exists()
    assert run("journal", "validate").code == 0


@pytest.mark.parametrize(
    ("kind", "flags", "odd"),
    [
        ("discovery", ["--type", "data_model", "--content", "x", "--result", "success"], "--result"),
        ("discovery", ["--type", "data_model", "--content", "x", "--reversible"], "--reversible"),
        ("attempt", ["--description", "x", "--content", "y", "--impact", "high"], "--content, --impact"),
        ("attempt", ["--description", "x", "--type", "skip"], "--type"),
        ("decision", ["--type", "skip", "--description", "x", "--output", "y"], "--output"),
    ],
)
def test_a_flag_of_another_kind_is_refused_with_the_flags_of_each_kind(
    run: Run, project: Path, kind: str, flags: list[str], odd: str
) -> None:
    ran = run("journal", "add", kind, *SESSION, *flags)
    assert ran.code == 2
    assert odd in ran.err
    assert "discovery: --type, --importance, --content" in ran.err
    assert "attempt: --description, --plan-step" in ran.err
    assert not journal_file(project).exists()


def test_an_update_accepts_the_flags_of_the_entrys_kind(run: Run, project: Path) -> None:
    put(project, whole())
    before = journal_file(project).read_bytes()
    ran = run("journal", "update", "discovery-001", *SESSION, "--result", "success")
    assert (ran.code, "--result: not of a discovery" in ran.err) == (2, True)
    assert journal_file(project).read_bytes() == before
    assert run("journal", "update", "attempt-002", *SESSION, "--result", "success").code == 0
    assert run("journal", "update", "gone", *SESSION, "--result", "success").code == 1


@pytest.mark.parametrize(
    "command",
    [
        ["show"],
        ["show", "attempt-001"],
        ["arbiter"],
        ["validate"],
        ["archive"],
        ["update", "a", "--output", "x"],
    ],
)
def test_a_missing_session_is_reported_with_the_existing_ones(
    run: Run, project: Path, command: list[str]
) -> None:
    for name in ("one", "two"):
        run("journal", "add", "attempt", "--session", name, "--agent", "developer", "--description", "x")
    ran = run("journal", *command, "--session", "nosuch", "--agent", "developer")
    assert ran.code == 1
    assert "There is no session `nosuch` here. There are `" in ran.err
    assert "`one`" in ran.err
    assert "`two`" in ran.err
    assert not journal_file(project, "nosuch").parent.parent.exists()


def test_an_agent_without_a_journal_gets_the_names_of_the_others(run: Run, project: Path) -> None:
    put(project, whole())
    ran = run("journal", "show", "--session", "s1", "--agent", "tester")
    assert "tester has no journal in s1; there are developer." in ran.err


def test_a_missing_entry_is_reported_with_the_existing_ones(run: Run, project: Path) -> None:
    run("journal", "context", *SESSION, "--open-question", "Why?")
    assert "developer has no journal in s1.\n" in run("journal", "show", *SESSION).err
    run("journal", "add", "attempt", *SESSION, "--description", "Stream the rows")
    ran = run("journal", "update", "attempt-9", *SESSION, "--result", "success")
    assert "has no entry `attempt-9`. The newest are `attempt-001`." in ran.err
    ran = run("journal", "validate", "--session", "s1", "--agent", "nobody")
    assert (ran.code, ran.out) == (1, "")
    assert "nobody has no journal in s1. Agents with a journal in this session: developer." in ran.err
    ran = run("journal", "add", "discovery", *SESSION, "--content", "Handlers are structs")
    assert "`type` is required: one of codebase_structure, dependency_check, " in ran.err
    assert "1 attempt\t" in run("journal", "sessions").out


def test_validate_reports_a_broken_journal_of_an_unknown_agent(run: Run, project: Path) -> None:
    path = put(project, whole()).parent.with_name("agent-memory.yaml")
    path.write_text("x: [\n")
    ran = run("journal", "validate")
    assert ran.code == 1
    assert f"FAIL {path}, line 2" in ran.out
    assert f"ok {journal_file(project)}" in ran.out
    assert "**(nobody)**: the journal cannot be read" in run("journal", "arbiter").out


def test_a_newer_journal_is_shown_and_not_written(run: Run, project: Path) -> None:
    path = put(project, whole().replace('"1"', '"3"', 1))
    assert "Key Discoveries" in run("journal", "show").out
    ran = run("journal", "add", "attempt", *SESSION, "--description", "x")
    assert (ran.code, "has version 3" in ran.err) == (1, True)
    assert path.read_text() == whole().replace('"1"', '"3"', 1)


@pytest.mark.parametrize("name", ["../../x", "/tmp/x", "..", "a\nb"])
def test_a_name_that_leads_out_of_the_folder_is_refused(run: Run, project: Path, name: str) -> None:
    assert run("journal", "add", "attempt", "--session", name, "--agent", "a", "--description", "x").code == 1
    assert run("journal", "add", "attempt", "--session", "s", "--agent", name, "--description", "x").code == 1
    assert list(project.iterdir()) == []


def test_escape_sequences_are_removed_from_a_journal(run: Run, project: Path) -> None:
    put(project, HEADER + FRAGMENTS["one_discovery"].replace("An export needs:", "An \u202eexport"))
    assert "- [codebase_structure] An export\n" in run("journal", "show").out


def test_escape_sequences_are_removed_from_entries_and_field_names(run: Run, project: Path) -> None:
    odd = '  - id: "x"\n    "a\\e[31mb": "one\\e]0;title\\atwo"\n    content: "\\e[2J\\u202ethree"\n'
    put(project, HEADER + "discoveries:\n" + odd)
    shown = run("journal", "show", "x", *SESSION).out
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "ab: onetwo" in shown


def test_entries_are_found_by_words_and_traced_to_what_they_name(run: Run) -> None:
    run("journal", "add", "discovery", *SESSION, "--type", "data_model", "--content", "Rows have no key")
    decision = ["--type", "workaround", "--description", "Add a key", "--related-discovery", "discovery-001"]
    run("journal", "add", "decision", *SESSION, *decision)
    run("journal", "add", "attempt", *SESSION, "--description", "Number the rows", "--result", "failure")
    found = run("--json", "journal", "search", "rows").json
    assert {one["entry"]["id"] for one in found} == {"discovery-001", "attempt-001"}
    assert "Rows have no key" in run("journal", "search", "key", "--session", "s1").out
    assert run("journal", "search", "kubernetes").err.strip() == "Nothing found."
    traced = run("--json", "journal", "trace", "decision-001", *SESSION).json
    assert [step["entry"]["id"] for step in traced["chain"]] == ["discovery-001"]
    assert "1. names discovery:" in run("journal", "trace", "decision-001", *SESSION).out
    text = run("journal", "arbiter", "--session", "s1", "--task", "number all rows").out
    assert "## Already Tried\n- developer (failure): Number the rows" in text


def test_a_journal_that_is_too_large_is_remarked_on(run: Run, project: Path) -> None:
    path = put(project, whole() + "\n" + "# " + "x" * 60_000 + "\n")
    assert "at most 50 KB" in run("journal", "show", *SESSION).err
    shown = run("journal", "validate", str(path))
    assert shown.out.splitlines()[0].startswith("ok")
    assert "at most 50 KB" in shown.out
    assert "at most 50 KB" in run("doctor").out + run("doctor").err
