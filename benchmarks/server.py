"""A client for servers that speak MCP over standard input and output, and how much memory they hold."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from benchmarks import floors


def floor_command(database: str) -> list[str]:
    """The floor as a server, without the `site` module that an installed program needs."""
    return [sys.executable, "-S", "-E", os.path.abspath(floors.__file__), database]


def nearest_command(database: str, vectors: str) -> list[str]:
    """The floor of semantic questions as a server; it needs what is installed, as numpy is."""
    return [sys.executable, "-m", "benchmarks.vector_floor", database, vectors]


def rum_command(*arguments: str) -> list[str]:
    """`rum mcp` as a client's configuration starts it."""
    return [rum_script(), "mcp", *arguments]


def rum_script() -> str:
    """The `rum` of this environment."""
    return os.path.join(os.path.dirname(sys.executable), "rum.exe" if os.name == "nt" else "rum")


def resident_mb(pid: int) -> float:
    """How much memory a process holds now."""
    if os.path.exists(f"/proc/{pid}/statm"):
        with open(f"/proc/{pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    shown = subprocess.run(("ps", "-o", "rss=", "-p", str(pid)), capture_output=True, check=False)
    return int(shown.stdout or 0) * 1024 / 1e6


class Server:
    """One running server."""

    def __init__(self, command: list[str], cwd: str, environment: dict[str, str] | None = None) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, cwd=cwd, env=environment, stdin=pipe, stdout=pipe)
        self._last = 0

    def request(self, method: str, **params: Any) -> dict[str, Any]:
        """The result of a request."""
        self._last += 1
        self._send({"jsonrpc": "2.0", "id": self._last, "method": method, "params": params})
        assert self._process.stdout
        reply = json.loads(self._process.stdout.readline())
        if "error" in reply or reply["result"].get("isError"):
            raise RuntimeError(f"{method}: {reply}")
        return reply["result"]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        self._process.stdin.flush()

    def tools(self) -> list[dict[str, Any]]:
        """Greet the server as every client does, and ask for its tools."""
        client = {"name": "benchmark", "version": "1"}
        self.request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self.request("tools/list")["tools"]

    def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """Use a tool."""
        return self.request("tools/call", name=name, arguments=arguments)

    def resident_mb(self) -> float:
        """How much memory the process holds now."""
        return resident_mb(self._process.pid)

    def close(self) -> None:
        """Close stdin, and wait until the server exits."""
        self._process.communicate(timeout=30)
