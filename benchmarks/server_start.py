"""Start of `rum mcp` until its tools are listed: time, memory, and the tokens of the tool list."""

from __future__ import annotations

import json
import time
from itertools import islice
from typing import Any, NamedTuple

from benchmarks.server import Server, floor_command, rum_command
from benchmarks.timing import Pair, summed_up
from benchmarks.workload import memories
from benchmarks.workspace import Workspace

MEMORIES = 1_000


class Start(NamedTuple):
    """One start: milliseconds to the tool list, megabytes held then, milliseconds to a first answer."""

    listed: float
    resident: float
    answered: float
    tools: list[dict[str, Any]]


class ServerStart(NamedTuple):
    """What starting costs."""

    listed: Pair
    answered: Pair
    resident: tuple[float, float]  # Of the floor and of RUM
    tokens: dict[str, int]  # The size of the tool list, by the value of `--tools`


def measure(workspace: Workspace, rounds: int) -> ServerStart:
    """Start both in turn, this many times; the first round only warms the file cache."""
    workspace.fill(islice(memories(), MEMORIES))
    path = "src/billing/account_handler.py"
    floors: list[Start] = []
    rums: list[Start] = []
    for _ in range(rounds + 1):
        floors.append(_start(floor_command(workspace.floor_path), workspace, "by_file", {"text": path}))
        rums.append(_start(rum_command(), workspace, "recall", {"file": path}))
    core = _start(rum_command("--tools", "core"), workspace, "recall", {"file": path})
    return ServerStart(
        listed=Pair(*(summed_up(start.listed for start in starts[1:]) for starts in (floors, rums))),
        answered=Pair(*(summed_up(start.answered for start in starts[1:]) for starts in (floors, rums))),
        resident=(max(start.resident for start in floors), max(start.resident for start in rums)),
        tokens={"all": tokens(rums[0].tools), "core": tokens(core.tools)},
    )


def _start(command: list[str], workspace: Workspace, tool: str, arguments: dict[str, Any]) -> Start:
    began = time.perf_counter()
    server = Server(command, workspace.checkout)
    tools = server.tools()
    listed = 1000 * (time.perf_counter() - began)
    resident = server.resident_mb()
    server.call(tool, arguments)
    answered = 1000 * (time.perf_counter() - began)
    server.close()
    return Start(listed, resident, answered, tools)


def tokens(tools: list[dict[str, Any]]) -> int:
    """About what a tool list costs: four characters a token."""
    return len(json.dumps(tools)) // 4
