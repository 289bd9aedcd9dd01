"""A server in use: questions right after many stores, and how much memory it holds after a long session."""

from __future__ import annotations

import os
from collections.abc import Iterable
from itertools import islice
from time import perf_counter
from typing import NamedTuple

from benchmarks import vectors
from benchmarks.server import Server, rum_command
from benchmarks.timing import Pair, summed_up
from benchmarks.workload import Memory, memories, questions
from benchmarks.workspace import Workspace

SIZE = 1_000  # Memories with vectors at the start
STORES, QUESTIONS = 200, 50
LONG = 1_000  # Stores and recalls of a long session


class BusyServer(NamedTuple):
    """Milliseconds of questions before the stores and right after them; megabytes after a long session."""

    pending: Pair
    resident: float


def measure(workspace: Workspace) -> BusyServer:
    """Ask, store, ask other questions at once; then go on for long."""
    source = memories()
    workspace.fill(islice(source, SIZE))
    vectors.give(workspace, ())
    asked = [one.text for one in questions(workspace.stored, 2 * QUESTIONS + LONG)]
    fresh = list(islice(source, LONG))
    workspace.write_files(fresh)
    with workspace.by_meaning():
        # Idle work runs as it does for every client.
        environment = {name: value for name, value in os.environ.items() if name != "RUM_IDLE_AFTER"}
        server = Server(rum_command(), workspace.checkout, environment)
        server.tools()
        _ask(server, asked[:5])  # loads the model
        before = _ask(server, asked[:QUESTIONS])
        _store(server, fresh[:STORES])
        after = _ask(server, asked[QUESTIONS : 2 * QUESTIONS])
        _store(server, fresh[STORES:])
        _ask(server, asked[2 * QUESTIONS :])
        resident = server.resident_mb()
        server.close()
    return BusyServer(Pair(summed_up(before), summed_up(after)), resident)


def _ask(server: Server, texts: Iterable[str]) -> list[float]:
    taken: list[float] = []
    for text in texts:
        began = perf_counter()
        server.call("recall", {"query": text})
        taken.append(1000 * (perf_counter() - began))
    return taken


def _store(server: Server, fresh: Iterable[Memory]) -> None:
    for memory in fresh:
        server.call("store", memory.layers)
