"""Whoever takes in what hooks left may be killed at any moment: nothing is lost, nothing made twice."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from benchmarks.replay import replay


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such way to be killed")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_day_that_is_taken_in_by_processes_that_are_killed_is_whole_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
):
    for name in [name for name in os.environ if name.startswith("RUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    day = replay(str(tmp_path), calls=250, kills=12, seed=seed)
    assert (day.lost, day.twice, day.too_many, day.judged_wrongly) == (0, 0, 0, 0)
    assert day.memories == day.turns - day.silent > 0
