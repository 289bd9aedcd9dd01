"""Many entries in one text: a line each, cut short."""

from __future__ import annotations

from typing import Any

import pytest

from rum.consolidate.compaction import compact_by_lines, is_compactable
from rum.model.layers import MemoryEntry


def make_entry(content: str, metadata: dict[str, Any] | None = None) -> MemoryEntry:
    return MemoryEntry(id="e", timestamp=0, content=content, metadata=metadata)


def test_each_entry_is_a_line_with_its_metadata():
    entries = [
        make_entry("Agent analyzed file1.csv", {"task": "analysis"}),
        make_entry("Found 3 anomalies in section A", {"severity": "high", "n": 3}),
        make_entry("Done"),
    ]
    assert compact_by_lines(entries) == (
        "[Summary of 3 entries]\n"
        "- Agent analyzed file1.csv [task=analysis]\n"
        "- Found 3 anomalies in section A [severity=high, n=3]\n"
        "- Done"
    )


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("x" * 100, "- " + "x" * 100),
        ("x" * 101, "- " + "x" * 99 + "…"),
        ("word " * 30, "- " + " ".join(["word"] * 20) + "…"),
        ("two\n- lines\r\n\tof it", "- two - lines of it"),
        ("", "- "),
    ],
)
def test_a_hundred_characters_of_the_content_are_kept_on_one_line(content: str, line: str):
    assert compact_by_lines([make_entry(content)]) == f"[Summary of 1 entries]\n{line}"


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        ({"a": None, "b": True, "c": [1, "two"]}, ' [a=null, b=true, c=[1, "two"]]'),
        ({"a": "x" * 500}, f" [a={'x' * 97}…]"),
        (
            {"task": "Sum the totals", "result": "success " * 12},
            f" [task=Sum the totals, result={'success ' * 8}success…]",
        ),
        ({"agentId": "agent_01m7", "run_id": "1", "id": "2", "agent": "developer"}, " [agent=developer]"),
        ({"agentId": "agent_01m7"}, ""),
        ({"paid": True, "grid": "a"}, " [paid=true, grid=a]"),
        ({"a": "one\ntwo"}, " [a=one two]"),
        ({}, ""),
        (None, ""),
    ],
)
def test_metadata_is_shown_in_brackets_and_shortened_too(metadata: dict[str, Any] | None, told: str):
    assert compact_by_lines([make_entry("Done", metadata)]) == f"[Summary of 1 entries]\n- Done{told}"


def test_an_earlier_summary_is_taken_over_whole():
    earlier = make_entry(compact_by_lines([make_entry("x" * 150), make_entry("two")]))
    assert compact_by_lines([earlier, make_entry("three")]) == (
        f"[Summary of 3 entries]\n- {'x' * 99}…\n- two\n- three"
    )


def test_a_summary_alone_is_not_worth_another_one():
    summary = make_entry(compact_by_lines([make_entry("one")]))
    assert not is_compactable([summary])
    assert not is_compactable([])
    assert is_compactable([make_entry("one")])
    assert is_compactable([summary, make_entry("two")])
