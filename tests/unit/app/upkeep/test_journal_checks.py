"""The doctor names journals and agents' files that cannot be used as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from rum.app.upkeep.doctor import _MAX_PARSED
from support.journals import HEADER, whole
from support.projects import Shop


def put(shop: Shop, place: str, text: str) -> Path:
    path = shop.folder / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def told(shop: Shop) -> list[str]:
    found = shop.open().doctor()
    assert found.healthy == (not found.problems)
    return [problem.what for problem in found.problems]


def test_journals_that_are_well_are_counted(shop: Shop) -> None:
    put(shop, ".rum/sessions/s1/developer/agent-memory.yaml", whole())
    shop.open().journal("s1", "tester").attempt("x")
    assert told(shop) == []
    assert shop.open().doctor().facts["journals"] == 2


@pytest.mark.parametrize(
    "place", ["s1/agent-memory.yaml", "s1/developer/agent-memory.yaml", "s2/tester/agent-memory.yaml"]
)
@pytest.mark.parametrize(
    ("broken", "line"),
    [
        (HEADER + 'discoveries:\n  - id: "a\n', 11),
        (HEADER + "discoveries:\n  - id: a\n    content: x\n", 10),
        (HEADER + "attempts: none\n", 9),
        ("x: [\n", 2),
    ],
)
def test_a_broken_journal_is_named_with_its_line(shop: Shop, place: str, broken: str, line: int) -> None:
    put(shop, ".rum/sessions/s1/planner/agent-memory.yaml", whole())
    path = put(shop, f".rum/sessions/{place}", broken)
    (what,) = told(shop)
    assert what.startswith(f"{path}, line {line}")
    checked = shop.open().journals.validate_file(path)
    assert checked.problems[0].line == line


def test_where_there_are_many_the_newest_are_read_whole_and_all_by_their_lines(shop: Shop) -> None:
    wide = HEADER + "discoveries: []\nnote: " + "x" * _MAX_PARSED + "\n"
    put(shop, ".rum/sessions/s1/a/agent-memory.yaml", HEADER + "discoveries: [\n")
    put(shop, ".rum/sessions/s1/b/agent-memory.yaml", wide)
    put(shop, ".rum/sessions/s1/c/agent-memory.yaml", HEADER + "\tdiscoveries: []\n")
    assert len(told(shop)) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name: developer\nmemory:\n  maxInjected: [\n", "line"),
        ("memory:\n  maxInjected: many\n", "`memory.maxInjected` must be"),
        ("memory:\n  minImportance: huge\n", "`memory.minImportance` must be"),
        ("memory: all of it\n", "`memory` must be a map"),
        ("a: &x 1\n", "anchor"),
    ],
)
def test_a_broken_file_of_an_agent_is_named(shop: Shop, text: str, words: str) -> None:
    put(shop, ".rum/agents/tester.yaml", "memory:\n  maxInjected: 3\n")
    assert told(shop) == []
    put(shop, ".rum/agents/developer.yaml", text)
    (what,) = told(shop)
    assert "developer.yaml" in what
    assert words in what


def test_a_link_that_leads_out_is_named_and_not_read(shop: Shop) -> None:
    outside = shop.folder.parent / "outside.yaml"
    outside.write_text("secret: [\n")
    link = shop.folder / ".rum" / "sessions" / "s1" / "agent-memory.yaml"
    link.parent.mkdir(parents=True)
    try:
        link.symlink_to(outside)
    except OSError:
        pytest.skip("making links takes a right that is not given here")
    (what,) = told(shop)
    assert "leads out of" in what
