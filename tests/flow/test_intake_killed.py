"""The process that stores captured events may be killed at any moment: nothing is lost or stored twice."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from benchmarks.replay import replay


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such way to be killed")
@pytest.mark.parametrize("seed", [1, 2])
def test_events_processed_by_killed_processes_are_complete_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
):
    for name in [name for name in os.environ if name.startswith("RUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    day = replay(str(tmp_path), calls=250, kills=12, seed=seed)
    assert (day.lost, day.twice, day.too_many, day.judged_wrongly) == (0, 0, 0, 0)
    assert day.memories == day.turns - day.silent > 0
