"""`rum pause`, `rum resume`, and what `rum doctor` reports about hooks."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from rum import Rum
from rum.capture.events import pause, problems, spool
from surfaces.cli.running import Run


def paused(project_id: str | None, after: float = 0) -> bool:
    return pause.is_paused(os.environ["RUM_HOME"], project_id, time.time() + after)


def test_a_project_is_paused_until_it_is_resumed(run: Run):
    answer = run("pause", "--json").json
    assert answer["until"] is None
    assert paused(answer["project"], after=10_000_000)
    assert not paused("another-00000000")
    assert run("resume", "--json").json == {"project": answer["project"], "resumed": True, "paused": False}
    assert not paused(answer["project"], after=1)
    assert run("resume").out == "Capture was not paused.\n"


def test_a_pause_can_be_limited(run: Run):
    answer = run("pause", "--for", "2h", "--json").json
    assert answer["until"] - answer["since"] == 7200
    assert paused(answer["project"], after=7000)
    assert not paused(answer["project"], after=7300)


@pytest.mark.parametrize("span", ["soon", "0s", "-1h", "5000w", "2026-01-01", ""])
def test_an_invalid_span_is_refused_and_changes_nothing(run: Run, span: str):
    ran = run("pause", "--for", span)
    assert ran.code == 2
    assert "30m" in ran.err
    assert not paused(None)


def test_a_pause_everywhere_is_ended_only_everywhere(run: Run):
    expected = "Capture is paused for all projects until `rum resume --everywhere`.\n"
    assert run("pause", "--everywhere").out == expected
    assert "rum resume --everywhere" in run("resume").out
    assert paused("any-00000000")
    assert run("resume", "--everywhere").out == "Capture is on again.\n"
    assert not paused("any-00000000", after=1)


def test_doctor_reports_a_pause(run: Run):
    assert "paused" not in run("doctor").out
    run("pause")
    assert "paused: until `rum resume`" in run("doctor").out


def test_doctor_reports_problems_of_hooks(run: Run, rum: Rum, project: Path):
    places = spool.folders(os.environ["RUM_HOME"], rum.project.id, rum.project.directory)
    problems.record_problem(places[1:], "No space left on device", time.time())
    ran = run("doctor")
    assert ran.code == 1
    assert "Capture failed 1 time" in ran.out
    assert "No space left on device" in ran.out
