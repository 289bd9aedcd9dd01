"""The truth of the freshness benchmark: what git and a lexer say became of lines."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.freshness.__main__ import replay_all, report
from benchmarks.freshness.truth import Truth, code_of, is_only_formatted, surviving_lines, truth_of

from support.repositories import Repository

OLD = "first = 1\n\n# a note\nsecond = compute(first, 2)\nthird = compute(second, 3)\nfourth = 4\n"


def truth(repository: Repository, new: str, span: tuple[int, int]) -> Truth | None:
    old = repository.commit("Old", {"a.py": OLD})
    now = repository.commit("New", {"a.py": new})
    survivors = surviving_lines(str(repository.root / ".git"), old, now, "a.py", "a.py")
    codes = code_of(OLD.encode(), "a.py"), code_of(new.encode(), "a.py")
    assert codes[0]
    assert codes[1]
    return truth_of(span, codes[0], codes[1], survivors, [codes[0].whole(), codes[1].whole()])


def test_moved_lines_are_intact(tmp_path: Path):
    assert truth(Repository(tmp_path / "a"), "zero = 0\n" + OLD, (3, 5)) == Truth("intact", 5, 6)


def test_lines_with_new_ones_between_them_have_grown(tmp_path: Path):
    grown = OLD.replace("third", "more = 1\nthird")
    assert truth(Repository(tmp_path / "a"), grown, (4, 5)) == Truth("grown")


def test_broken_lines_are_only_formatted(tmp_path: Path):
    broken = OLD.replace("compute(first, 2)", "compute(\n    first,\n    2,\n)")
    assert truth(Repository(tmp_path / "a"), broken, (4, 5)) == Truth("formatted")


def test_other_code_is_rewritten(tmp_path: Path):
    assert truth(Repository(tmp_path / "a"), OLD.replace("first, 2", "first, 3"), (4, 5)) == Truth(
        "rewritten"
    )
    assert truth(Repository(tmp_path / "b"), OLD, (3, 3)) is None  # there is no code in it


def test_parentheses_may_be_formatting_only_for_a_whole_file():
    old, new, other = (code_of(text, "a.py") for text in (b"a = (1)\n", b"a = 1\n", b"a = 2\n"))
    assert old and new and other  # noqa: PT018
    assert is_only_formatted(old, new)
    assert not is_only_formatted(old, other)


def test_a_history_is_replayed_and_reported(tmp_path: Path):
    repository, rng = Repository(tmp_path / "a"), random.Random(1)
    lines = [f"value_{number} = compute({number})" for number in range(60)]
    for _ in range(12):
        lines.insert(rng.randrange(60), f"added_{rng.random()} = 1")
        lines[rng.randrange(60)] = f"changed_{rng.random()} = 2"
        repository.commit("Change", {"a.py": "\n".join(lines) + "\n"})
    found = replay_all(str(repository.root / ".git"), 200)
    assert len(found) > 100
    assert {one.truth.kind for one in found} >= {"intact", "rewritten"}
    wrong = [
        one for one in found if one.fresh[0] != (one.truth.kind == "intact") and one.truth.kind != "grown"
    ]
    assert wrong == []
    assert "| Python |" in report({"a": found})
