"""Several processes store into one project at once; then every acknowledged memory is looked up."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import islice
from typing import NamedTuple

from benchmarks.workload import memories
from benchmarks.workspace import Workspace
from rum import Rum, RumError

FIRST_SEED = 90_000  # The first seed of the generated memories; each writer has its own


class Writers(NamedTuple):
    """The outcome of a number of stores."""

    asked: int
    acknowledged: int
    found: int
    errors: list[str]


def measure(workspace: Workspace, processes: int, each: int) -> Writers:
    """Start the writers together, wait for all, then ask for each memory by its id."""
    arguments = [sys.executable, "-m", "benchmarks.writers", workspace.checkout]
    running = [
        subprocess.Popen([*arguments, str(number), str(each)], stdout=subprocess.PIPE)
        for number in range(processes)
    ]
    outputs = [json.loads(process.communicate()[0]) for process in running]
    acknowledged = [memory_id for output in outputs for memory_id in output["stored"]]
    with workspace.open_rum() as rum:
        found = sum(_is_found(rum, memory_id) for memory_id in acknowledged)
    errors = [error for output in outputs for error in output["errors"]]
    return Writers(processes * each, len(acknowledged), found, errors)


def _is_found(rum: Rum, memory_id: str) -> bool:
    return [memory.id for memory in rum.recall(memory_id=memory_id).memories] == [memory_id]


def write(checkout: str, number: int, count: int) -> dict[str, list[str]]:
    """Store this many memories; print which were acknowledged, and the errors."""
    stored: list[str] = []
    errors: list[str] = []
    with Rum.open(checkout, agent=f"writer-{number}") as rum:
        for memory in islice(memories(FIRST_SEED + number), count):
            try:
                stored.append(rum.store(**memory.layers).memory_id)
            except RumError as error:
                errors.append(str(error))
    return {"stored": stored, "errors": errors}


if __name__ == "__main__":
    print(json.dumps(write(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
