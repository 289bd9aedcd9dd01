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


@pytest.mark.parametrize("part", [{"texts": 5000}, {"kills": 10}], ids=["texts", "kills"])
def test_no_fault_is_found(tmp_path: Path, part: dict[str, int], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    figures = run(tmp_path, 1, **({"calls": 0, "texts": 0, "kills": 0, "damage": 0} | part))
    assert figures.faults.total() == 0
    assert sum(figures.tried.values()) >= next(iter(part.values()))
