"""`rum facts`, `rum rules` and `rum layers`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rum import Rum
from surfaces.cli.running import Run


def test_a_fact_is_set_printed_listed_and_forgotten(run: Run):
    assert run("facts", "set", "dataset-format", "CSV").out == "dataset-format is now version 1.\n"
    assert run("facts", "set", "dataset-format", "-", stdin=b"JSON lines\n").code == 0
    assert run("facts", "get", "dataset-format").out == "JSON lines\n"
    run("facts", "set", "ci", "make check")
    assert run("facts", "list").out == "ci: make check\ndataset-format: JSON lines\n"
    assert run("facts", "list", "data", "--limit", "5").out == "dataset-format: JSON lines\n"
    assert [line.split("\t")[-1] for line in run("facts", "history", "dataset-format").out.splitlines()] == [
        "CSV",
        "JSON lines",
    ]
    tried = run("facts", "forget", "dataset-format", "--dry-run")
    assert tried.out == "Would forget: 1 fact, 1 version.\n"
    assert run("facts", "forget", "dataset-format").out == "Forgotten: 1 fact, 1 version.\n"
    forgotten = run("facts", "get", "dataset-format")
    assert (forgotten.code, forgotten.out) == (1, "")
    assert "No fact `dataset-format`" in forgotten.err


def test_facts_print_the_json_of_the_api(run: Run, rum: Rum):
    made = run("facts", "set", "a", "b", "--json").json
    assert (made["key"], made["value"]) == ("a", "b")
    assert run("facts", "get", "a", "--json").json == made
    assert run("facts", "list", "--json").json == [made]
    assert run("facts", "history", "a", "--json").json[0]["current"] is True
    assert run("facts", "forget", "a", "--json").json["removed"] == {"facts": 1, "versions": 0}
    nothing = run("facts", "list", "--json")
    assert (nothing.json, nothing.err) == ([], "")
    assert run("facts", "list").err == "No facts.\n"


def test_a_rule_is_added_found_shown_and_forgotten(run: Run):
    made = run("rules", "add", "auth|login", "Run the session tests")
    assert made.id.startswith("rule_")
    line = f"auth|login → Run the session tests [{made.id[-8:]}]\n"
    assert run("rules", "list").out == line
    assert run("rules", "match", "--task", "Fix the login page").out == line
    assert run("rules", "match", "--task", "Fix it", "--plan", "change auth.py").out == line
    other = run("rules", "match", "--task", "Fix the cart")
    assert (other.code, other.out, other.err) == (0, "", "No rule matches.\n")
    shown = run("rules", "show", made.id[-8:])
    assert shown.out.startswith(f"{made.id}\ncondition: auth|login\naction: Run the session tests\n")
    assert run("rules", "show", made.id, "--json").json["condition"] == "auth|login"
    assert run("rules", "forget", made.id[-8:]).out == "Forgotten: 1 rule.\n"
    assert run("rules", "list").err == "No rules.\n"


def test_forget_deletes_facts_rules_and_events_too(run: Run, rum: Rum):
    rum.facts.set("port", "80")
    rule = rum.rules.add("deploy", "Ask first")
    event = rum.layers.append("episodic", {"content": "It happened"})
    for name in ("port", rule.id, event.id[-8:]):
        assert run("forget", name).code == 0
    assert rum.layers.get_stats().total_storage_bytes == 8


def test_entries_are_appended_searched_and_counted(run: Run):
    made = run(
        "layers", "append", "episodic", "Scanned src/", "--meta", "task=scan", "--meta", "n=3", "--id", "e-1"
    )
    assert made.out == "e-1\n"
    run("layers", "append", "semantic", "CSV", "--key", "format")
    run("layers", "append", "procedural", "-", "--condition", "deploy", stdin=b"Ask first\n")
    found = run("layers", "search", "episodic", "scan", "--json").json
    assert [(one["id"], one["metadata"]) for one in found] == [("e-1", {"task": "scan", "n": 3})]
    assert run("layers", "search", "episodic", "scan").out.split("\t")[2:] == [
        "Scanned src/",
        "task=scan, n=3\n",
    ]
    assert run("layers", "search", "procedural", "deploy", "--json").json[0]["content"] == "Ask first"
    nothing = run("layers", "search", "semantic", "zebra")
    assert (nothing.code, nothing.out, nothing.err) == (0, "", "Nothing found.\n")
    stats = run("layers", "stats", "--json").json
    assert list(stats) == [
        "workingMemoryTokens",
        "episodicEntryCount",
        "semanticEntryCount",
        "proceduralRuleCount",
        "totalStorageBytes",
    ]
    assert list(stats.values())[:4] == [0, 1, 1, 1]
    assert "episodicEntryCount: 1\n" in run("layers", "stats").out


def test_an_id_that_is_taken_is_refused(run: Run):
    run("layers", "append", "episodic", "First", "--id", "e-1")
    again = run("layers", "append", "episodic", "Second", "--id", "e-1")
    assert (again.code, again.out) == (1, "")
    assert "`e-1` is taken" in again.err
    assert len(run("layers", "search", "episodic", "first second", "--json").json) == 1


def test_older_entries_are_compacted(run: Run, rum: Rum):
    for number in range(4):
        run("layers", "append", "episodic", f"entry {number}")
    assert (
        run("layers", "compact", "episodic", "--keep-last", "2").out
        == "Compacted 2 entries of the episodic layer.\n"
    )
    assert run("layers", "compact", "episodic", "--keep-last", "0", "--no-summary", "--json").json == {
        "compacted": 3
    }
    assert rum.layers.get_episodic_memory() == []


def test_clearing_asks_for_the_projects_name(run: Run, rum: Rum, stored: str):
    rum.facts.set("a", "b")
    refused = run("layers", "clear")
    assert refused.code == 2
    assert "To empty all layers, give --confirm shop." in refused.err
    wrong = run("layers", "clear", "semantic", "--confirm", "other")
    assert (wrong.code, wrong.out) == (1, "")
    assert rum.facts.get("a") is not None
    assert run("layers", "clear", "semantic", "--confirm", "shop").out == "Cleared 1 entries.\n"
    assert rum.facts.get("a") is None
    assert rum.show(stored)


def test_files_of_a_directory_are_edited_in_place(run: Run, rum: Rum, project: Path):
    folder = project / ".rlm-data" / "memory"
    folder.mkdir(parents=True)
    run("layers", "append", "episodic", "In place", "--dir", str(folder))
    assert json.loads((folder / "episodic.json").read_text())[0]["content"] == "In place"
    assert run("layers", "search", "episodic", "place", "--dir", str(folder)).code == 0
    assert run("layers", "clear", "--dir", str(folder), "--confirm", "memory").out == "Cleared 1 entries.\n"
    assert rum.layers.get_episodic_memory() == []
    missing = run("layers", "stats", "--dir", "nowhere")
    assert (missing.code, missing.out) == (1, "")


def test_layer_files_are_exported_and_imported(run: Run, rum: Rum, project: Path):
    rum.facts.set("format", "CSV")
    rum.rules.add("deploy", "Ask first")
    out = run("export", "layers", "out")
    assert out.out == "out: episodic.json 0, semantic.json 1, procedural.json 1\n"
    assert json.loads((project / "out" / "semantic.json").read_text())[0][0] == "format"
    assert run("export", "layers", "out").code == 1
    rum.layers.clear()
    assert run("import", "layers", "out").out == "Added 2 layer entries.\n"
    assert run("import", "layers", "out").out == "Added 0 layer entries (2 already present).\n"
    assert run("import", "layers", "out", "--json").json["unchanged"] == 2
    assert run("import", "layers", "nowhere").code == 1


def test_json_lines_include_layers_and_an_import_counts_them(run: Run, rum: Rum, project: Path):
    rum.facts.set("format", "CSV")
    assert run("export", "all.jsonl").code == 0
    assert '"kind":"fact"' in run("export").out
    rum.layers.clear()
    assert run("import", "all.jsonl").out == "Added 0 memories.\nAdded 1 layer entry.\n"
    assert rum.facts.get("format") is not None


def test_an_agent_can_correct_anothers_fact_but_not_forget_it(run: Run):
    run("facts", "set", "port", "80", "--agent", "ann")
    assert run("facts", "set", "port", "443", "--agent", "bob").out == "port is now version 2.\n"
    refused = run("facts", "forget", "port", "--agent", "bob")
    assert (refused.code, refused.out) == (1, "")
    assert "belongs to" in refused.err
    assert run("facts", "forget", "port").code == 0


def test_setting_a_fact_to_its_value_reports_no_change(run: Run):
    assert run("facts", "set", "port", "80").out == "port is now version 1.\n"
    assert run("facts", "set", "port", "80").out == "port is unchanged: version 1.\n"
    assert run("facts", "set", "port", "443").out == "port is now version 2.\n"
    assert run("facts", "set", "port", "443", "--agent", "ann").out == "port is unchanged: version 2.\n"


def test_a_rule_is_changed_and_its_history_shows_the_earlier_text(run: Run):
    made = run("rules", "add", "deploy", "Ask first", "--agent", "ann")
    changed = run("rules", "set", made.id[-8:], "deploy|release", "Ask twice", "--agent", "bob")
    assert changed.out == f"{made.id} is now version 2.\n"
    again = run("rules", "set", made.id, "deploy|release", "Ask twice")
    assert again.out == f"{made.id} is unchanged: version 2.\n"
    rows = [line.split("\t") for line in run("rules", "history", made.id).out.splitlines()]
    assert [(line[0], line[3], line[4]) for line in rows] == [
        ("1", "deploy", "Ask first"),
        ("2", "deploy|release", "Ask twice"),
    ]
    assert "version: 2\n" in run("rules", "show", made.id).out
    assert run("rules", "forget", made.id).out == "Forgotten: 1 rule, 1 version.\n"


def test_a_condition_that_few_tasks_match_is_noted(run: Run):
    odd = run("rules", "add", r"\bauth\b", "Run the session tests")
    assert odd.id.startswith("rule_")
    assert "not a regular expression" in odd.err
    assert run("rules", "add", "auth", "Run the session tests").err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["facts"], "Usage"),
        (["facts", "set", "a"], "VALUE"),
        (["rules", "match"], "--task"),
        (["layers", "append", "working", "x"], "episodic"),
        (["layers", "append", "episodic", "x", "--meta", "novalue"], "NAME=VALUE"),
        (["layers", "search", "episodic"], "WORDS"),
        (["layers", "search", "episodic", "x", "--limit", "0"], "--limit"),
        (["layers", "compact", "episodic", "--keep-last", "-1"], "--keep-last"),
    ],
)
def test_a_wrong_command_line_is_exit_code_2(run: Run, arguments: list[str], message: str):
    ran = run(*arguments)
    assert ran.code == 2
    assert message in ran.err + ran.out
