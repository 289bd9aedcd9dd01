"""Real clients on a machine that four other processes keep busy: what memory has to say still arrives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from e2e.agents import make_desk, session

pytestmark = pytest.mark.e2e

SESSIONS, ARRIVING = 20, 19
PROCESSES = 4
STORE = """
from rum import Rum

with Rum.open() as rum:
    rum.store(
        intent={"goal": "Connect the ledger to PostgreSQL with psycopg2", "task_type": "configuration"},
        outcome={"success": False, "summary": "No driver yet", "failure_reason": "pg_config was not found"},
    )
"""


@contextmanager
def busy_machine() -> Iterator[None]:
    """Keep the machine busy with processes that only compute."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(PROCESSES)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_a_session_on_a_busy_machine_starts_with_its_memory(client: str, tmp_path: Path) -> None:
    desk = make_desk(tmp_path, {"ledger.py": "def connect():\n    return None\n"})
    desk.rum("install", client, "--anyway")
    program = [sys.executable, "-c", STORE]
    subprocess.run(program, cwd=desk.project, env=desk.environment(), check=True)
    with busy_machine():
        told = [
            "pg_config was not found" in session(client, desk, "Go on with the ledger", ["Done."]).texts(0)
            for _ in range(SESSIONS)
        ]
    assert sum(told) >= ARRIVING, told
