"""A short search for faults; `make chaos` runs a longer one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chaos.__main__ import run

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="kills processes with signals of POSIX"),
]


PARTS = {
    "calls": 500,
    "texts": 3000,
    "kills": 10,
    "damage": 4,
    "conditions": 2,
    "repositories": 4,
    "requests": 600,
    "starts": 5,
}


@pytest.mark.parametrize("part", PARTS)
def test_no_fault_is_found(tmp_path: Path, part: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    figures = run(tmp_path, 1, **{part: PARTS[part]})
    assert figures.faults.total() == 0
    assert sum(figures.tried.values()) >= PARTS[part]
