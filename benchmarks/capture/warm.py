"""Run `rum` and `rum-hook` as forks of one process that has loaded them already; much faster, POSIX only."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path


class WarmPrograms:
    """A process that forks for every call. Each call still runs in a process of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.capture.warm_server"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8",
        )  # fmt: skip

    def call(
        self, program: str, arguments: list[str], folder: Path, env: dict[str, str], given: str = ""
    ) -> str:
        """The output of a program."""
        assert self._server.stdin
        assert self._server.stdout
        request = json.dumps([program, arguments, str(folder), env, given])
        with self._lock:
            self._server.stdin.write(request + "\n")
            self._server.stdin.flush()
            answer = self._server.stdout.readline()
        return json.loads(answer)

    def close(self) -> None:
        """End the process."""
        self._server.communicate()
