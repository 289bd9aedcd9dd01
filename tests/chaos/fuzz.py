"""Random calls of every tool and random lines for a real `rum mcp`: each is answered, none breaks it."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from chaos.figures import Figures, cpu_seconds, memory_mb
from chaos.values import HOSTILE, Maker

BATCH = 100  # Requests sent before their answers are read
CALLS_PER_STORE = 10_000  # A store with more memories than that tests speed, not robustness
MAX_CPU = 5.0  # Seconds for one request
CANARY = "The canary must stay as it is"
_ALLOWED_ERRORS = (-32700, -32600, -32601, -32602, -32002)  # the last one: resource not found
_CODES = ("NOT_FOUND", "INVALID_QUERY", "PERMISSION_DENIED", "STORAGE_ERROR", "RATE_LIMITED", "NO_RESULTS")


def fuzz(folder: Path, rng: random.Random, calls: int, figures: Figures) -> None:
    """Send `calls` random messages, with a new server and store every `CALLS_PER_STORE`.

    The first server runs in Python's development mode, which is slower and reports what is left open.
    """
    modes = ["-W", "error", "-X", "dev"]
    while calls > 0:
        share = min(calls, CALLS_PER_STORE)
        place = folder / f"fuzz-{rng.randrange(10**9)}"
        place.mkdir(parents=True)
        _Session(place, rng, figures, modes).run(share)
        calls -= share
        modes = []
        shutil.rmtree(place)


class _Session:
    """One server with its own home."""

    def __init__(self, place: Path, rng: random.Random, figures: Figures, modes: list[str]) -> None:
        self.place, self.rng, self.figures = place, rng, figures
        variables = {"RUM_HOME": str(place / "home"), "RUM_EMBEDDER": "none", "RUM_IDLE_AFTER": "0"}
        self.log = (place / "stderr").open("wb")
        self.server = subprocess.Popen(
            [sys.executable, *modes, "-m", "rum", "mcp"],
            cwd=place,
            env=os.environ | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self.ids: list[str] = []
        self.number = 0

    def run(self, calls: int) -> None:
        """Send the calls, then check that the store is whole and the canary in it."""
        figures = self.figures
        tools = self._ask("tools/list", {})["result"]["tools"]
        canary = self._call("store", {"intent": {"goal": CANARY, "task_type": "other"},
                                      "outcome": {"success": True, "summary": "stored first"}})  # fmt: skip
        canary_id = json.loads(canary["content"][0]["text"])["memory_id"]
        maker = Maker(self.rng, self.ids)
        try:
            for start in range(0, calls, BATCH):
                lines = [self._line(tools, maker, canary_id) for _ in range(min(BATCH, calls - start))]
                self._exchange(lines)
                figures.count("fuzzed inputs", len(lines))
            shown = self._call("recall", {"memory_id": canary_id, "depth": "summary"})
            if CANARY not in json.dumps(shown, ensure_ascii=False):
                figures.fault("lost write", f"the canary is gone: {shown}")
        except (EOFError, BrokenPipeError, OSError) as error:
            figures.fault("crash", f"the server ended: {error!r}; {self._stderr()}")
        self.server.stdin.close()
        self.server.stdout.close()
        if self.server.wait(timeout=60):
            figures.fault("crash", f"the server ended with {self.server.returncode}: {self._stderr()}")
        self.log.close()
        if b"Traceback" in (stderr := (self.place / "stderr").read_bytes()) or b"Warning" in stderr:
            figures.fault("crash", f"on stderr: {stderr[-1500:]!r}")
        done = subprocess.run(
            [sys.executable, "-m", "rum", "doctor", "--json"],
            cwd=self.place,
            env=os.environ | {"RUM_HOME": str(self.place / "home"), "RUM_EMBEDDER": "none"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode or not json.loads(done.stdout)["healthy"]:
            figures.fault("damage", f"doctor after the calls: {done.stdout[:1500]} {done.stderr[:500]}")
        for path in self.place.rglob("*"):
            if path.is_symlink() or not path.resolve().is_relative_to(self.place.resolve()):
                figures.fault("escape", f"{path} leads out of its folder")

    def _line(self, tools: list[dict[str, Any]], maker: Maker, canary: str) -> bytes:
        rng = self.rng
        self.number += 1
        if rng.random() < 0.02:
            return self._odd_line()
        if rng.random() < 0.01:
            method = rng.choice(
                ("resources/read", "prompts/get", "resources/list", "ping", "tools/list", "x")
            )
            params: Any = {
                "uri": rng.choice(HOSTILE),
                "name": rng.choice(HOSTILE),
                "arguments": maker.text(""),
            }
        else:
            tool = rng.choice(tools)
            arguments = maker.arguments(tool["inputSchema"])
            if tool["name"] in ("forget", "update_memory") and canary in json.dumps(arguments):
                arguments = {}
            method, params = "tools/call", {"name": tool["name"], "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}
        return json.dumps(message).encode() + b"\n"

    def _odd_line(self) -> bytes:
        """A line that is no proper request, but gets an answer with this id or none at all."""
        rng = self.rng
        return rng.choice(
            (
                b'{"jsonrpc":"2.0","id":%d,"method":7}\n' % self.number,
                b'{"jsonrpc":"1.0","id":%d,"method":"ping"}\n' % self.number,
                b'{"jsonrpc":"2.0","id":%d,"method":"tools/call"}\n' % self.number,
                b'{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":[1]}\n' % self.number,
                b"[" * rng.randrange(1, 3000) + b"\n",
                bytes(rng.randrange(32, 256) for _ in range(rng.randrange(1, 80))) + b"\n",
                b'{"a":' * 2000 + b"1" + b"}" * 2000 + b"\n",
                b'{"jsonrpc":"2.0","id":%d,"method":"ping","params":{"x":"' % self.number
                + b"y" * 10**5
                + b'"}}\n',
            )
        )

    def _exchange(self, lines: list[bytes]) -> None:
        """Send the lines, read one answer for each, and check them."""
        before = cpu_seconds(self.server.pid)
        writer = threading.Thread(target=self._write, args=(b"".join(lines),))
        writer.start()
        for line in lines:
            at = cpu_seconds(self.server.pid)
            self._check(line, self._read(line))
            spent = cpu_seconds(self.server.pid) - at
            self.figures.measure("CPU seconds of one request", spent)
            if spent > MAX_CPU:
                self.figures.fault("hang", f"{spent:.1f} s of CPU for {line[:1000]!r}")
        writer.join()
        self.figures.measure("CPU seconds of a batch", cpu_seconds(self.server.pid) - before)
        self.figures.measure("MB of memory", memory_mb(self.server.pid))

    def _write(self, data: bytes) -> None:
        self.server.stdin.write(data)
        self.server.stdin.flush()

    def _read(self, line: bytes) -> dict[str, Any]:
        alarm = threading.Timer(60, self.server.kill)
        alarm.start()
        answer = self.server.stdout.readline()
        alarm.cancel()
        if not answer:
            raise EOFError(f"no answer to {line[:1500]!r}")
        return json.loads(answer)

    def _check(self, line: bytes, answer: dict[str, Any]) -> None:
        if error := answer.get("error"):
            if error["code"] not in _ALLOWED_ERRORS:
                self.figures.fault("crash", f"{line[:1500]!r} -> {answer}")
            return
        result = answer.get("result", {})
        for block in result.get("content", ()):
            text = block.get("text", "")
            if result.get("isError") and not any(code in text for code in _CODES):
                self.figures.fault("unclear error", f"{line[:600]!r} -> {text[:600]}")
            if '"memory_id"' in text and len(self.ids) < 5000:
                found = json.loads(text).get("memory_id") if text.startswith("{") else None
                if isinstance(found, str):
                    self.ids.append(found)

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        line = (
            json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode()
            + b"\n"
        )
        self._write(line)
        return self._read(line)

    def _call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        return self._ask("tools/call", {"name": name, "arguments": arguments})["result"]

    def _stderr(self) -> str:
        self.log.flush()
        return (self.place / "stderr").read_text(errors="replace")[-1500:]
