"""Journals in Python, and the call `journal` as agents make it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from rum import InvalidQuery, NotFound, RateLimited, Rum, StorageError
from rum.model.journal import format_timestamp
from rum.store.files.yaml import load
from support.journals import FRAGMENTS, HEADER, added_lines, whole
from support.projects import Shop
from support.secrets import planted_secrets

SESSIONS = Path(".rum", "sessions")


def text_of(rum: Rum, session: str = "s1", agent: str = "developer") -> str:
    return Path(rum.journal(session, agent).path).read_bytes().decode()


def put(shop: Shop, *place: str, text: str) -> Path:
    path = shop.folder.joinpath(*place)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def test_a_session_is_taken_down_from_the_first_discovery_to_the_result(shop: Shop) -> None:
    rum = shop.open()
    journal = rum.journal("s1", "developer")
    shop.clock.forward(1)
    assert (
        journal.discovery("code_pattern", "Handlers are structs\n", relatedFiles=["a.go"]).id
        == "discovery-001"
    )
    attempt = journal.attempt("Serve the export", planStep=2, approach="Stream\nrows\n")
    assert journal.entry(attempt.id)["result"] == "in_progress"
    shop.clock.forward(90)
    journal.complete(attempt.id, "failure", error="Timeout", lessons="- Flush\n", iterations=3)
    journal.decision("workaround", "Flush often", alternatives=["Wait", {"name": "Retry", "reason": "slow"}])
    journal.context(currentPlanStep=2, blockers=["proxy"])

    assert load(text_of(rum), "file") == {
        "version": "1",
        "schema": "agent-memory",
        "sessionId": "s1",
        "agent": "developer",
        "createdAt": format_timestamp(shop.clock.at - 90),
        "discoveries": [
            {
                "id": "discovery-001",
                "timestamp": format_timestamp(shop.clock.at - 90),
                "type": "code_pattern",
                "importance": "medium",
                "content": "Handlers are structs\n",
                "relatedFiles": ["a.go"],
            }
        ],
        "attempts": [
            {
                "id": "attempt-001",
                "timestamp": format_timestamp(shop.clock.at - 90),
                "planStep": 2,
                "description": "Serve the export",
                "approach": "Stream\nrows\n",
                "result": "failure",
                "error": "Timeout",
                "lessons": "- Flush\n",
                "iterations": 3,
                "duration_ms": 90000,
            }
        ],
        "decisions": [
            {
                "id": "decision-001",
                "timestamp": format_timestamp(shop.clock.at),
                "type": "workaround",
                "description": "Flush often",
                "alternatives": ["Wait", {"name": "Retry", "reason": "slow"}],
            }
        ],
        "context": {"currentPlanStep": 2, "blockers": ["proxy"]},
    }
    assert journal.validate().valid
    system, _, fenced = journal.prompt("You code.").partition("\n\n")
    assert system == "You code."
    assert fenced.startswith("<session-journal-")
    assert "\n\n## Prior Context from This Session\n\n## Key Discoveries\n" in fenced


def test_a_given_id_and_time_are_kept_and_unknown_fields_too(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    told = {
        "id": "disc-x",
        "timestamp": "2026-02-14T09:15:10.000Z",
        "mood": {"a": [1, None]},
        "kind": "k",
        "self": 1,
    }
    journal.add("discovery", {"type": "data_model", "content": "c", "action_items": ["z"], **told})

    entry = journal.entry("disc-x")
    assert {name: entry[name] for name in told} == told
    assert entry["actionItems"] == ["z"]


def test_an_id_is_given_once(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    journal.attempt("x", id="mine")
    before = Path(journal.path).read_bytes()
    with pytest.raises(InvalidQuery, match="has an entry `mine` already"):
        journal.decision("skip", "y", id="mine")
    assert Path(journal.path).read_bytes() == before


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"type": "rumour", "content": "x"}, "type"),
        ({"type": "data_model", "content": " "}, "content"),
        ({"type": "data_model"}, "content"),
        ({"type": "data_model", "content": "x", "importance": "huge"}, "importance"),
        ({"type": "data_model", "content": "x", "timestamp": "now"}, "timestamp"),
        ({"type": "data_model", "content": "x", "relatedFiles": "a"}, "relatedFiles"),
        ({"type": "data_model", "content": "x", "id": 5}, "id"),
        ({"type": "data_model", "content": "x", "id": "a\nb"}, "id"),
        ({"type": "data_model", "content": "x", "id": "a" * 200}, "id"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_made(shop: Shop, wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(InvalidQuery) as raised:
        shop.open().journal("s1", "developer").add("discovery", wrong)
    assert raised.value.details["field"] == field
    assert not (shop.folder / ".rum").exists()


@pytest.mark.parametrize(
    "odd", [{"x": float("inf")}, {"x": object()}, {"k" * 500: 1}, {"x": [{"y": object()}]}]
)
def test_what_cannot_be_written_is_refused(shop: Shop, odd: dict[str, Any]) -> None:
    journal = shop.open().journal("s1", "developer")
    journal.attempt("before")
    before = Path(journal.path).read_bytes()
    with pytest.raises(InvalidQuery):
        journal.attempt("x", **odd)
    assert Path(journal.path).read_bytes() == before


def test_an_entry_that_nobody_would_read_is_refused(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    with pytest.raises(InvalidQuery, match="at most 64 kB"):
        journal.attempt("x", output="y" * 70_000)


def test_half_a_character_is_refused(shop: Shop) -> None:
    with pytest.raises(InvalidQuery, match="surrogate"):
        shop.open().journal("s1", "developer").attempt("x", output="\ud800")


def test_after_one_entry_in_a_journal_edited_by_hand_only_added_lines_differ(shop: Shop) -> None:
    text = whole().replace("\n", "\r\n")
    path = put(shop, ".rum", "sessions", "s1", "developer", "agent-memory.yaml", text=text)
    shop.open().journal("s1", "developer").decision("skip", "No mail")

    assert len(added_lines(text, path.read_bytes().decode())) == 5


def test_changing_one_entry_changes_only_its_lines(shop: Shop) -> None:
    text = whole()
    path = put(shop, ".rum", "sessions", "s1", "developer", "agent-memory.yaml", text=text)
    shop.open().journal("s1", "developer").complete("attempt-002", "success", duration_ms=5, output="Done")

    old, new = text.splitlines(), path.read_text().splitlines()
    assert [line for line in old if line not in new] == ['    result: "in_progress"']
    assert sorted(line for line in new if line not in old) == ["    duration_ms: 5", '    output: "Done"']


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "give the fields"),
        ({"id": "x"}, "keeps its id"),
        ({"result": "maybe"}, "one of"),
        ({"description": None}, "required"),
    ],
)
def test_a_change_that_is_wrong_changes_nothing(shop: Shop, changes: dict[str, Any], words: str) -> None:
    journal = shop.open().journal("s1", "developer")
    attempt = journal.attempt("x")
    before = Path(journal.path).read_bytes()
    with pytest.raises(InvalidQuery, match=words):
        journal.update(attempt.id, changes)
    assert Path(journal.path).read_bytes() == before


def test_changing_what_is_not_there_is_not_found_and_makes_nothing(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    with pytest.raises(NotFound, match="no entry `attempt-001`"):
        journal.complete("attempt-001", "success")
    assert not (shop.folder / ".rum").exists()


def test_how_long_it_took_is_reckoned_once_and_only_when_it_is_over(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    attempt = journal.attempt("x").id
    shop.clock.forward(2)
    journal.update(attempt, progress="50%")
    assert "duration_ms" not in journal.entry(attempt)
    journal.update(attempt, result="partial")
    shop.clock.forward(100)
    journal.update(attempt, result="failure")
    assert journal.entry(attempt)["duration_ms"] == 2000


def test_context_is_merged_and_null_is_written(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    journal.context(task_context={"a": 1}, blockers=["x"], current_plan_step=1)
    journal.context(taskContext={"b": 2}, blockers=[], currentPlanStep=None)
    assert journal.situation() == {"taskContext": {"a": 1, "b": 2}, "blockers": [], "currentPlanStep": None}


def test_secrets_are_cut_out_of_what_is_written_and_of_what_is_shown(shop: Shop) -> None:
    _, planted, secret = planted_secrets(1)[0]
    journal = shop.open().journal("s1", "developer", task=f"Use {planted}")
    journal.discovery("data_model", f"The key: {planted}")
    journal.context(taskContext={"key": planted})
    assert secret not in Path(journal.path).read_text()
    assert secret not in (shop.folder / SESSIONS / "s1" / "metadata.yaml").read_text()

    put(
        shop,
        ".rum",
        "sessions",
        "s2",
        "developer",
        "agent-memory.yaml",
        text=HEADER + FRAGMENTS["one_discovery"].replace("An export", planted.replace("\n", "\n      ")),
    )
    assert secret not in shop.open().journal("s2", "developer").prompt()


def test_a_newer_version_is_read_and_never_written(shop: Shop) -> None:
    text = whole().replace('version: "1"', 'version: "2"')
    path = put(shop, ".rum", "sessions", "s1", "developer", "agent-memory.yaml", text=text)
    journal = shop.open().journal("s1", "developer")

    assert "- [complexity_assessment] Four steps in three files" in journal.prompt()
    for change in (
        lambda: journal.attempt("x"),
        lambda: journal.update("attempt-001", output="y"),
        lambda: journal.context(a=1),
    ):
        with pytest.raises(StorageError, match=r"has version 2.*only read"):
            change()
    assert path.read_text() == text


def test_an_older_version_is_read_and_written(shop: Shop) -> None:
    put(
        shop,
        ".rum",
        "sessions",
        "s1",
        "developer",
        "agent-memory.yaml",
        text=whole().replace('"1"', '"0.9"', 1),
    )
    journal = shop.open().journal("s1", "developer")
    journal.attempt("x")
    assert journal.entries("attempt")[-1]["description"] == "x"


def test_a_version_without_quotes_is_valid_and_written_into(shop: Shop) -> None:
    text = whole().replace('version: "1"', "version: 1")
    put(shop, ".rum", "sessions", "s1", "developer", "agent-memory.yaml", text=text)
    journal = shop.open().journal("s1", "developer")
    journal.attempt("x")
    assert journal.validate().problems == []
    assert journal.entries("attempt")[-1]["description"] == "x"


def test_every_problem_of_a_file_is_reported_with_its_line(shop: Shop) -> None:
    text = (
        HEADER
        + "discoveries:\n  - id: a\n    type: rumour\n    timestamp: 2026-02-14T09:15:10Z\n    content: x\n"
    )
    path = put(shop, "elsewhere.yaml", text=text)
    found = shop.open().journals.validate_file(path)
    assert not found.valid
    assert [(one.line, one.field) for one in found.problems] == [
        (text[: text.index("type")].count("\n") + 1, "discoveries[0].type")
    ]
    path.write_text("a: 1\na: 2\n")
    assert [
        (one.line, "twice" in one.problem) for one in shop.open().journals.validate_file(path).problems
    ] == [(2, True)]
    path.write_bytes(b"a: 1\nb: \xff\n")
    assert [
        (one.line, "UTF-8" in one.problem) for one in shop.open().journals.validate_file(path).problems
    ] == [(2, True)]
    with pytest.raises(NotFound):
        shop.open().journals.validate_file(shop.folder / "nothing.yaml")


def test_a_journal_that_has_grown_long_is_archived_when_the_next_entry_comes(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    journal.discovery("data_model", "Old")
    shop.clock.forward(5 * 3600)
    assert journal.discovery("data_model", "New").hint is UNSET
    assert len(journal.entries("discovery")) == 2
    answer = journal.discovery("data_model", "Newer")
    archived = shop.folder / SESSIONS / "s1" / "developer" / "agent-memory-archive.yaml"
    assert answer.hint == f"Older entries (1) were moved to {archived.relative_to(shop.folder).as_posix()}."
    assert answer.id == "discovery-003"
    assert [entry["content"] for entry in journal.entries("discovery")] == ["New", "Newer"]
    assert load(archived.read_text(), "file")["discoveries"][0]["content"] == "Old"  # type: ignore[index]
    assert journal.discovery("data_model", "Newest").id == "discovery-004"


def test_a_large_journal_is_archived_except_for_its_last_two_hours(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    for number in range(12):
        journal.discovery("data_model", f"Row {number}: " + "x" * 10_000)
        shop.clock.forward(20 * 60)
    kept = [entry["id"] for entry in journal.entries("discovery")]
    assert kept[-1] == "discovery-012"
    assert 1 < len(kept) < 12
    assert journal.validate().valid


def test_it_can_be_archived_when_asked(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    assert journal.archive().long is False
    journal.discovery("data_model", "Old")
    shop.clock.forward(5 * 3600)
    journal.discovery("data_model", "New")
    archived = journal.archive()
    assert (archived.long, archived.moved) == (True, {"discoveries": 1})
    assert (shop.folder / archived.path).exists()


def test_an_archive_that_cannot_be_written_loses_no_entry_and_is_reported(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    journal.discovery("data_model", "Old")
    put(shop, ".rum", "sessions", "s1", "developer", "agent-memory-archive.yaml", text="x: [\n")
    shop.clock.forward(5 * 3600)
    journal.discovery("data_model", "New")
    answer = journal.discovery("data_model", "Newer")
    assert "could not be archived" in str(answer.hint)
    assert [entry["content"] for entry in journal.entries("discovery")] == ["Old", "New", "Newer"]


@pytest.mark.slow
def test_what_may_be_written_is_what_can_be_checked(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    for _ in range(17):
        journal.attempt("x", output="y" * 60_000)
    with pytest.raises(StorageError, match=r"would have more than 1024 kB.*another session"):
        journal.attempt("x", output="y" * 60_000)
    assert Path(journal.path).stat().st_size > 1_000_000
    assert journal.validate().valid


@pytest.mark.slow
def test_a_full_journal_makes_room_for_what_is_new(shop: Shop) -> None:
    journal = shop.open().journal("s1", "developer")
    for _ in range(17):
        journal.discovery("data_model", "y" * 60_000)
    shop.clock.forward(24 * 3600)
    assert journal.attempt("x").id == "attempt-001"
    assert journal.entries("discovery") == []
    assert journal.validate().valid


@pytest.mark.parametrize(
    "broken",
    [
        'discoveries:\n  - id: "a\n    x: 1\n',
        "discoveries:\n  - id: a\n    x: [1\n",
        "discoveries:\n  - id: a\n   x: 1\n",
        "discoveries:\n  - id: a\n    x: 'it's'\n",
        "context:\n\t- a\ndiscoveries: []\n",
        "discoveries: []\ndiscoveries: []\n",
        "discoveries: none\n",
    ],
)
def test_adding_names_the_line_that_validation_names(shop: Shop, broken: str) -> None:
    put(shop, ".rum", "sessions", "s1", "developer", "agent-memory.yaml", text=HEADER + broken)
    journal = shop.open().journal("s1", "developer")
    told = journal.validate().problems[0]
    with pytest.raises(InvalidQuery) as raised:
        journal.discovery("data_model", "y")
    assert raised.value.details["line"] == told.line


def test_an_unreadable_account_of_the_session_is_left_alone_and_stops_no_entry(shop: Shop) -> None:
    rum = shop.open(agent="developer")
    journal = rum.journal("s1", "developer")
    journal.discovery("data_model", "The first")
    account = shop.folder / SESSIONS / "s1" / "metadata.yaml"
    account.write_bytes(b"\xff\xfe")
    journal.discovery("data_model", "The second")
    assert account.read_bytes() == b"\xff\xfe"
    assert [entry["content"] for entry in journal.entries("discovery")] == ["The first", "The second"]


def call(rum: Rum, **arguments: Any) -> Any:
    return json.loads(json.dumps(msgspec.to_builtins(rum.call("journal", arguments))))


def test_it_adds_updates_and_shows(shop: Shop) -> None:
    rum = shop.open(agent="developer", session="s1")
    added = call(
        rum, action="add", kind="attempt", entry={"description": "Try", "kind": "odd"}, task="Export"
    )
    assert added == {
        "session": "s1",
        "agent": "developer",
        "path": ".rum/sessions/s1/developer/agent-memory.yaml",
        "id": "attempt-001",
    }
    call(rum, action="update", id="attempt-001", entry={"result": "failure", "output": "Timeout"})
    call(rum, action="context", entry={"currentPlanStep": 4})
    shown = call(rum, action="show")
    assert "- Try: Timeout" in shown["text"]
    assert "- Step: 4" in shown["text"]
    assert call(rum, action="show", id="attempt-001")["entry"]["kind"] == "odd"
    assert "**developer**: Last attempt (failure) - Try" in call(rum, action="arbiter")["text"]


def test_what_is_missing_is_named(shop: Shop) -> None:
    rum = shop.open(agent="developer", session="s1")
    for arguments, field in (
        ({"action": "add"}, "kind"),
        ({"action": "update"}, "id"),
        ({"action": "context"}, "entry"),
        ({"action": "burn"}, "action"),
        ({"action": "add", "kind": "dream"}, "kind"),
        ({"action": "show", "of": "x"}, "of"),
    ):
        with pytest.raises(InvalidQuery) as raised:
            rum.call("journal", arguments)
        assert raised.value.details["field"] == field


def test_where_nothing_is_noted_yet_the_latest_session_is_named(shop: Shop) -> None:
    shop.open(session="yesterday", agent="developer").journal().attempt("x")
    shown = call(shop.open(session="today", agent="developer"), action="show")
    assert shown["text"] == ""
    assert "`yesterday`" in shown["hint"]


def test_one_call_is_counted_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUM_RATE_LIMIT", "2")
    rum = shop.open(agent="developer", session="s1")
    for _ in range(2):
        call(rum, action="add", kind="attempt", entry={"description": "x"})
    with pytest.raises(RateLimited):
        call(rum, action="show")
