"""The benchmark of `why` scores answers by commit and reason, in a real repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.why import __main__ as benchmark

from support.repositories import Repository


def test_a_line_counts_with_its_commit_and_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    repository = Repository(tmp_path / "shop")
    first = repository.commit("Begin\n\nThe shop needs a clock.", {"a.py": "clock = 1\n"})
    second = repository.commit("Go on\n\nThe bell is for the night.", {"a.py": "clock = 1\nbell = 2\n"})
    about = {"repository": "shop", "at": second, "path": "a.py"}
    lines = [
        {**about, "line": 1, "commit": first, "reason": "needs  a clock"},
        {**about, "line": 2, "commit": first, "reason": "for the night"},
        {"repository": "other", "at": second, "path": "a.py", "line": 1, "commit": first, "reason": "x"},
    ]
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(benchmark, "QUESTIONS", file)
    scores = benchmark.play("shop", str(repository.root / ".git"), imported=False)
    assert [(score.right, score.reason) for score in scores] == [(True, True), (False, True)]
    assert benchmark.report(scores).startswith("2 lines: right commit first 1, reason 2;")
    assert "shop a.py:2: another commit" in capsys.readouterr().out
