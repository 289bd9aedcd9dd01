"""The loop in the documentation: the second run uses what the first one learned, through its prompts only."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from rum import Rum

pytestmark = pytest.mark.both_stores

PAGE = Path(__file__).resolve().parents[2] / "docs" / "agent-loop.md"
PROGRAM = re.compile(r"cat > loop\.py <<'END'\n(.*?)\nEND\n", re.DOTALL)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project that contains the loop."""
    program = PROGRAM.search(PAGE.read_text(encoding="utf-8"))
    assert program is not None
    project = tmp_path / "project"
    project.mkdir()
    (project / "loop.py").write_text(program[1] + "\n", encoding="utf-8")
    return project


def run(folder: Path, *options: str) -> list[str]:
    """The lines that one run of the loop prints."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "loop.py", *options],
        cwd=folder,
        env={**kept, "HOME": str(home), "RUM_HOME": str(home / "rum"), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def opened(folder: Path) -> Rum:
    return Rum.open(folder, home=folder.parent / "home" / "rum", owner=True)


def test_with_memory_the_second_run_avoids_the_first_runs_mistake(folder: Path):
    first, second = run(folder), run(folder)
    assert first[-1] == "given up"
    assert any(line.startswith("tester: charged twice") for line in first)
    assert second == ["planner: ok", "developer: ok", "tester: ok", "done"]


def test_without_memory_every_run_makes_the_same_mistake(folder: Path):
    first, second = run(folder, "--no-memory"), run(folder, "--no-memory")
    assert first == second
    assert second[-1] == "given up"


def test_a_failing_run_leaves_memories_with_reason_and_category(folder: Path):
    run(folder)
    with opened(folder) as rum:
        found = rum.recall(file="payments.py", failures_only=True, depth="outcome").memories
    told = {memory.intent.goal: memory.outcome for memory in found}
    tested = told["Test the retries of payments"]
    assert str(tested.failure_reason).startswith("AssertionError: charged twice: ")
    assert tested.failure_category == "test_failure"
    led = told["Retry payments when the gateway does not answer"]
    assert (led.failure_reason, led.failure_category) == ("The tests did not pass", "test_failure")


def test_every_agent_has_its_own_identity_and_journal_below_the_lead(folder: Path):
    run(folder)
    run(folder)
    with opened(folder) as rum:
        agents = {agent.name: agent for agent in rum.agents()}
        lead = agents["lead"]
        sessions = rum.journals.sessions()
        assert all(rum.journal(sessions[0].session, name).validate().valid for name in agents)
    assert {agent.name for agent in agents.values() if agent.parent_id == lead.agent_id} == {
        *("planner", "developer", "tester")
    }
    assert [agent.memory_count for agent in agents.values()] == [2, 2, 2, 2]
    assert [set(session.agents) for session in sessions] == [set(agents)] * 2
