from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from rum.model.errors import InvalidQuery
from rum.model.journal import (
    Attempt,
    Discovery,
    Kind,
    format_timestamp,
    is_newer,
    problems,
    require_valid,
    schema_text,
    seconds_of,
    shipped_schema,
    with_file_keys,
)
from rum.store.files.yaml import load
from support.journals import FRAGMENTS, HEADER, wrapped

SCHEMA = json.loads(shipped_schema())


def found(text: str) -> dict[str, str]:
    return {".".join(map(str, path)): message for path, message in problems(load(text, "file"))}


@pytest.mark.parametrize("name", FRAGMENTS)
def test_every_example_is_valid(name: str) -> None:
    value = load(wrapped(name), name)

    assert list(problems(value)) == []
    jsonschema.validate(value, SCHEMA)


def test_the_schema_that_is_shipped_is_what_the_model_makes_and_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert shipped_schema() == schema_text()


@pytest.mark.parametrize("version", ["1", "1.0", "0.9", "'1'", '"1.0"'])
def test_a_version_may_be_written_with_quotes_or_without(version: str) -> None:
    value = load(HEADER.replace('version: "1"', f"version: {version}"), "file")
    assert list(problems(value)) == []
    jsonschema.validate(value, SCHEMA)


@pytest.mark.parametrize(
    ("change", "field", "words"),
    [
        ('version: "1"|version: yes', "version", "version"),
        ('version: "1"|version: -1', "version", "version"),
        ('version: "1"|version: "9"', "version", "only reads it"),
        ("schema: |schema: x", "schema", "one of agent-memory"),
        ("agent: |nobody: ", "agent", "required"),
        ("createdAt: |createdAt: yesterday # ", "createdAt", "not a time"),
        ('createdAt: "2026-02-14|createdAt: "2026-02-31', "createdAt", "not a time"),
        ("type: |type: rumour # ", "discoveries.0.type", "one of codebase_structure, "),
        ("importance: |importance: 3 # ", "discoveries.0.importance", "one of low, medium, high, critical"),
        ("timestamp: |timestamp: 12 # ", "discoveries.0.timestamp", "not a time"),
        ("id: |id: 7 # ", "discoveries.0.id", "expected str"),
        ("- cmd/report/\n|- 5\n", "discoveries.0.relatedFiles.0", "expected str"),
        ("discoveries:|discoveries: word\nx:", "discoveries", "list of entries"),
        ("discoveries:|discoveries: [word]\nx:", "discoveries.0", "map of fields"),
        ("discoveries:|context: []\ndiscoveries:", "context", "map of fields"),
        ("discoveries:|context: {blockers: x}\ndiscoveries:", "context.blockers", "expected array"),
        (
            "discoveries:|context: {filesInScope: [{status: x}]}\ndiscoveries:",
            "context.filesInScope.0.path",
            "required",
        ),
        ("discoveries:|history: [{archivedAt: x}]\ndiscoveries:", "history.0.counts", "required"),
    ],
)
def test_each_problem_is_reported_with_its_field(change: str, field: str, words: str) -> None:
    old, new = change.split("|")
    text = HEADER.replace("# sections follow\n", "") + FRAGMENTS["one_discovery"]
    assert old in text

    assert words in found(text.replace(old, new, 1))[field]


def test_all_problems_of_an_entry_are_reported_at_once() -> None:
    entry = "{id: a, timestamp: 2026-01-01T00:00:00Z, result: no, planStep: x, artifacts: [{action: y}]"
    assert set(found(f"{HEADER}attempts: [{entry}, iterations: -1}}]\n")) == {
        "attempts.0.description",
        "attempts.0.result",
        "attempts.0.planStep",
        "attempts.0.artifacts.0.path",
        "attempts.0.iterations",
    }


def test_two_entries_with_one_id_are_a_problem() -> None:
    text = FRAGMENTS["failed_attempt"] + FRAGMENTS["one_discovery"].replace("disc-export-001", "attempt-xlsx")
    assert "another entry `attempt-xlsx`" in found(HEADER + text)["attempts.0.id"]


def test_alternatives_are_words_or_names_with_reasons() -> None:
    entry = "{id: a, timestamp: 2026-01-01T00:00:00Z, type: skip, description: x, alternatives: %s}"
    assert found(f"{HEADER}decisions: [{entry % '[a, {name: b, reason: c}, {name: d}]'}]\n") == {}
    assert list(found(f"{HEADER}decisions: [{entry % '[{reason: c}]'}]\n")) == [
        "decisions.0.alternatives.0.name"
    ]


def test_what_is_no_journal_at_all_is_a_problem() -> None:
    assert len(list(problems(None))) == len(list(problems(["a"]))) == 1


def test_fields_that_nobody_knows_are_no_problem() -> None:
    text = (
        HEADER
        + "mood: good\n"
        + FRAGMENTS["failed_attempt"].replace("planStep: 2", "planStep: 2\n    weather: {rain: 1}")
    )
    assert found(text) == {}
    jsonschema.validate(load(text, "file"), SCHEMA)


def test_a_change_need_not_be_whole_but_takes_nothing_away_that_must_be_there() -> None:
    require_valid(Attempt, {"lessons": "x"}, "attempt", whole=False)
    with pytest.raises(InvalidQuery, match="`result` is required") as raised:
        require_valid(Attempt, {"result": None}, "attempt", whole=False)
    assert raised.value.details["field"] == "result"


def test_fields_may_be_spelt_as_in_python() -> None:
    given: dict[str, Any] = {
        "mood": 1,
        "content": "x",
        "related_files": ["a"],
        "type": "data_model",
        "id": "i",
    }
    assert list(with_file_keys(Discovery, given)) == ["id", "type", "content", "relatedFiles", "mood"]
    assert with_file_keys(Attempt, {"duration_ms": 5}) == {"duration_ms": 5}


@pytest.mark.parametrize(
    ("version", "newer"),
    [
        ("1", False),
        (1, False),
        ("1.0", False),
        ("0.9", False),
        ("1.1", True),
        ("2", True),
        (2, True),
        ("x", False),
        (None, False),
    ],
)
def test_a_newer_version_is_known(version: object, newer: bool) -> None:
    assert is_newer(version) is newer


def test_times_are_written_in_utc_with_milliseconds() -> None:
    assert format_timestamp(1769164265.0) == "2026-01-23T10:31:05.000Z"
    for written in ("2026-01-23T10:31:05.000Z", "2026-01-23T12:31:05+02:00", "2026-01-23T10:31:05"):
        assert seconds_of(written) == 1769164265.0
    assert seconds_of("soon") is seconds_of(None) is seconds_of(5) is None


def test_each_kind_has_its_section() -> None:
    assert [kind.section for kind in Kind] == ["discoveries", "attempts", "decisions"]
