from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.model.errors import InvalidQuery, NotFound
from rum.model.journal import Kind
from rum.store.files.journal.text import JournalText, reindent, with_header
from rum.store.files.yaml import load
from support.journals import FRAGMENTS, HEADER, added_lines, is_insertion, whole, wrapped

ENTRY: dict[str, Any] = {
    "id": "discovery-099",
    "timestamp": "2026-02-14T10:00:00.000Z",
    "type": "api_surface",
    "content": "One line\nand another\n",
    "relatedFiles": ["a.go"],
}


def added(text: str, section: str = "discoveries", entry: dict[str, Any] = ENTRY) -> str:
    new = JournalText(text, "file").with_entry(section, entry)
    before: Any = load(text, "file") or {}
    expected = {**before, section: [*(before.get(section) or []), entry]}
    assert load(new, "file") == expected
    return new


@pytest.mark.parametrize("name", FRAGMENTS)
@pytest.mark.parametrize("section", ["discoveries", "attempts", "decisions"])
def test_after_one_added_entry_only_added_lines_differ(name: str, section: str) -> None:
    text = wrapped(name)
    assert "".join(added_lines(text, added(text, section))).strip().endswith('a.go"')


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("discoveries:\n- id: a\n  x: 1\n", id="dashes at the edge"),
        pytest.param("discoveries:\n    - id: a\n      x: 1\n", id="dashes far in"),
        pytest.param("discoveries:\n  -   id: a\n      x: 1\n", id="wide dashes"),
        pytest.param("discoveries:\n  -\n    id: a\n", id="dash alone"),
        pytest.param("discoveries:\n  - id: a\nversion: '1'\n", id="header after"),
        pytest.param(
            "context:\n  a: 1\n\n# discoveries\ndiscoveries:\n  - id: a\n# end\n\nattempts: []\n",
            id="any order",
        ),
        pytest.param("discoveries:\n  - id: a", id="no newline at the end"),
        pytest.param("attempts: []", id="no section, no newline"),
        pytest.param("discoveries:\n  # none yet\nattempts:\n", id="a comment for a value"),
        pytest.param("discoveries:", id="nothing at all"),
        pytest.param(
            "discoveries:\n  - id: a\n    content: |+\n      kept\n\n\nattempts: []\n", id="kept blank lines"
        ),
        pytest.param(
            "discoveries:\n  - id: a\n    content: |+\n      kept\n\n", id="kept blank lines at the end"
        ),
        pytest.param("discoveries:\n  - {id: a, x: [1, 2]}\n", id="entries in brackets"),
        pytest.param("---\ndiscoveries:\n  - id: a\n...\n", id="markers"),
        pytest.param("---\nattempts: []\n...\n", id="markers, no section"),
        pytest.param("\ufeffdiscoveries:\n  - id: a\n", id="byte order mark"),
        pytest.param('"discoveries":\n  - id: a\n', id="quoted key"),
        pytest.param("discoveries: # why\n  - id: a # b\n\n\n", id="comments"),
        pytest.param('discoveries:\n  - id: a\n    content: one\n      "two\n', id="words over lines"),
        pytest.param(
            'discoveries:\n  - id: "a\nattempts:\n- b"\n    x: 1\n', id="a quote that looks like sections"
        ),
        pytest.param(
            "discoveries:\n  - id: a\n  # last\n\n# about attempts\nattempts:\n  - id: b\n",
            id="comments between",
        ),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_an_entry_is_added_to_whatever_people_wrote(text: str, ending: str) -> None:
    text = text.replace("\n", ending)
    new = added(text)

    assert is_insertion(text, new)
    if text.endswith(ending):
        added_lines(text, new)
    assert new.count("\n") == new.count(ending if ending in text else "\n")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("discoveries: []\nattempts: []\n", "discoveries:"),
        ("discoveries: []  # none yet\n", "discoveries:  # none yet"),
        ("discoveries: ~\nattempts: []\n", "discoveries:"),
        ("discoveries: null # x\n", "discoveries: # x"),
        ("discoveries: [\n]\n", "discoveries:"),
    ],
)
def test_an_empty_list_gives_way_to_the_first_entry(text: str, line: str) -> None:
    assert line in added(text).splitlines()


@pytest.mark.parametrize(
    "text", ["discoveries: [{id: a}]\n", "discoveries: [\n  {id: a}, # x\n]\n", "discoveries: [ # c\n]\n"]
)
def test_a_list_in_brackets_stays_in_brackets(text: str) -> None:
    assert is_insertion(text, added(text))


@pytest.mark.parametrize(
    "text",
    ["discoveries: word\n", "discoveries:\n  a: 1\n", "discoveries: {a: 1}\n", "discoveries: |\n  x\n"],
)
def test_a_section_that_is_no_list_is_named_with_its_line(text: str) -> None:
    with pytest.raises(InvalidQuery, match="line 2: `discoveries` must be a list") as raised:
        JournalText("# x\n" + text, "file").with_entry("discoveries", ENTRY)
    assert raised.value.details == {"file": "file", "line": 2, "field": "discoveries"}


def test_the_fields_of_one_entry_change_and_no_other_line() -> None:
    text = whole()
    journal = JournalText(text, "file")
    new = journal.with_changes(journal.get("attempt-002")[1], {"result": "partial", "lessons": "- Flush\n"})

    value: Any = load(new, "file")
    assert value["attempts"][1]["result"] == "partial"
    assert value["attempts"][1]["lessons"] == "- Flush\n"
    old_lines, new_lines = text.splitlines(), new.splitlines()
    assert [line for line in old_lines if line not in new_lines] == ['    result: "in_progress"']
    assert [line for line in new_lines if line not in old_lines] == [
        '    result: "partial"',
        "    lessons: |",
        "      - Flush",
    ]


def test_context_fields_change_and_no_other_line() -> None:
    text = whole()
    new = JournalText(text, "file").with_context(
        {"currentPlanStep": 3, "blockers": ["proxy"], "taskContext": {"format": "TSV"}}
    )
    old_lines, new_lines = text.splitlines(), new.splitlines()
    assert [line for line in old_lines if line not in new_lines] == [
        "  currentPlanStep: 2",
        '    format: "CSV"',
        "  blockers: []",
    ]
    assert [line for line in new_lines if line not in old_lines] == [
        "  currentPlanStep: 3",
        '    format: "TSV"',
        "  blockers:",
        '    - "proxy"',
    ]


@pytest.mark.parametrize(
    "text", ["", "a: 1", "context:\n", "context: {}\na: 1\n", "context: {a: 1}\n", "a: 1\n# end\n"]
)
def test_context_is_set_where_there_was_none(text: str) -> None:
    new = JournalText(text, "file").with_context({"blockers": ["x"]})
    assert load(new, "file")["context"]["blockers"] == ["x"]  # type: ignore[index]


def test_context_that_is_no_map_is_refused() -> None:
    with pytest.raises(InvalidQuery, match="line 1: `context` must be a map"):
        JournalText("context: words\n", "file").with_context({"a": 1})


def test_an_entry_is_found_by_its_id_however_that_is_written() -> None:
    text = (
        "discoveries:\n- id: 'it''s'\n- id: \"\\u0061b\"\nattempts: [{id: c}]\ndecisions:\n- x: d\n- id: d\n"
    )
    journal = JournalText(text, "file")

    assert [journal.get(name)[0] for name in ("it's", "ab", "c", "d")] == [
        "discovery",
        "discovery",
        "attempt",
        "decision",
    ]
    with pytest.raises(NotFound, match="no entry `e`"):
        journal.get("e")


def test_an_id_that_two_entries_have_is_refused_with_their_lines() -> None:
    with pytest.raises(InvalidQuery, match="lines 2, 4"):
        JournalText("discoveries:\n- id: a\nattempts:\n- id: a\n", "file").find("a")


def test_a_new_id_counts_on_and_never_takes_one_that_was_there() -> None:
    assert JournalText("", "file").next_id(Kind.ATTEMPT) == "attempt-001"
    assert JournalText(whole(), "file").next_id(Kind.DISCOVERY) == "discovery-005"
    text = "history:\n  - entries:\n      - id: attempt-041\nattempts: []\n"
    assert JournalText(text, "file").next_id(Kind.ATTEMPT) == "attempt-042"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("discoveries:\n- id: discovery-999999999\n- id: discovery-004\n", "discovery-005"),
        ("discoveries:\n- id: discovery-20260123\n", "discovery-001"),
        ("discoveries:\n- id: x\n  content: see discovery-500\n", "discovery-001"),
        ("discoveries:\n- id: x\n  content: |\n    id: discovery-500\n", "discovery-001"),
        ("discoveries:\n- id: discovery-7b\n- id: discovery-7\n", "discovery-001"),
        ("discoveries: [{id: discovery-012}]\n", "discovery-013"),
        ("attempts:\n- id: discovery-001\n", "discovery-002"),
        ("discoveries:\n- id: discovery-99999\n- id: discovery-100000\n", "discovery-100001"),
        ("history:\n- entries: [{id: discovery-031, title: 'id: discovery-700'}]\n", "discovery-032"),
    ],
)
def test_a_new_id_counts_on_from_ids_alone_and_from_sane_ones(text: str, expected: str) -> None:
    assert JournalText(text, "file").next_id(Kind.DISCOVERY) == expected


@pytest.mark.parametrize(
    "broken",
    [
        'discoveries:\n  - id: "a\n    x: 1\n  - id: b\n',
        "discoveries:\n  - id: a\n    x: [1, 2\n  - id: b\nattempts: []\n",
        "discoveries:\n  - id: a\n   x: 1\n  - id: b\n",
        "discoveries:\n  - id: a\n    x: 'it's'\n  - id: b\n",
        "discoveries:\n\t- id: a\n",
        "discoveries:\n  - id: a\n    y: 1\n    y: 2\n",
        'discoveries:\n  - id: a\n    x: "\u2028"\n    z: &anchor 1\n',
        "a: 1\r\ndiscoveries: *x\r\n",
        "discoveries: []\n---\nattempts: []\n",
    ],
)
def test_an_error_has_the_line_that_parsing_the_whole_text_reports(broken: str) -> None:
    text = HEADER + broken
    with pytest.raises(InvalidQuery) as whole_text:
        load(text, "file")
    journal = JournalText(text, "file")
    for look in (journal.next_id, lambda kind: [one.value for one in journal.entries(kind.section)]):
        with pytest.raises(InvalidQuery) as raised:
            _ = [
                look(Kind.DISCOVERY),
                journal.outline.sections["discoveries"],
                journal.entries("discoveries")[0].value,
            ]
        assert (raised.value.message, raised.value.details) == (
            whole_text.value.message,
            whole_text.value.details,
        )


def test_lines_are_counted_as_editors_count_them() -> None:
    text = 'a: "\u2028\x85"\nb: "x\u2029"\ndiscoveries: none\n'
    with pytest.raises(InvalidQuery, match="line 3: `discoveries` must be"):
        JournalText(text, "file").with_entry("discoveries", ENTRY)
    with pytest.raises(InvalidQuery, match="line 4"):
        load(text + "c: &x 1\n", "file")


def test_the_newest_entries_come_first_and_broken_ones_that_are_not_wanted_do_no_harm() -> None:
    text = (
        "attempts:\n"
        "- id: a\n  timestamp: 2026-01-01T00:00:01Z\n  result: failure\n"
        "- id: b\n  timestamp: \"2026-01-01T00:00:03Z\"\n  result: 'failure'\n"
        "- id: c\n  timestamp: 2026-01-01T00:00:02Z\n  result: success\n  x: [}\n"
        "- id: d\n  result: failure\n  output: |\n    result: success\n"
    )
    journal = JournalText(text.replace("x: [}", "x: }"), "file")
    assert [entry["id"] for entry in journal.newest("attempts", 5, result="failure")] == ["b", "a", "d"]
    assert [entry["id"] for entry in journal.newest("attempts", 1, result="failure")] == ["b"]


def test_a_journal_begins_after_whatever_comments_there_are() -> None:
    assert with_header("", "s", "a", "t").startswith(
        'version: "1"\nschema: "agent-memory"\n\nsessionId: "s"\n'
    )
    assert with_header("# mine", "s", "a", "t").startswith('# mine\nversion: "1"\n')
    assert "\r\nagent" in with_header("# mine\r\n", "s", "a", "t")


@given(st.text("ab -\n", max_size=40), st.integers(0, 4))
def test_lines_that_are_set_in_can_be_set_out_again(lines: str, columns: int) -> None:
    assert reindent(reindent(lines, columns), -columns) == lines


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30) | st.text(
    " \t\n#:-'\"|>ab\r", max_size=30
)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["discoveries", "attempts", "decisions", "history"]),
        st.dictionaries(TEXTS, VALUES, max_size=4),
    ),
    min_size=1,
    max_size=6,
)
STARTS = [
    "",
    "# mine",
    wrapped("attempts"),
    HEADER.replace("\n", "\r\n"),
    "discoveries: []\nx: |+\n  y\n\n",
    "attempts: [{id: 1}]\n",
]


@settings(max_examples=60)
@given(st.sampled_from(STARTS), STEPS)
def test_any_sequence_of_appends_keeps_all_other_characters_and_reads_back(
    text: str, steps: list[tuple[str, dict[str, Any]]]
) -> None:
    expected: Any = load(text, "file") or {}
    for number, (section, fields) in enumerate(steps):
        entry = {"id": f"entry-{number}", **fields}
        new = JournalText(text, "file").with_entry(section, entry)
        gap = "discoveries: []"
        assert is_insertion(text, new) or (gap in text and is_insertion(text.replace(gap, gap[:12]), new))
        expected.setdefault(section, []).append(entry)
        text = new
        assert load(text, "file") == expected
        assert [one.value for one in JournalText(text, "file").entries(section)] == expected[section]
