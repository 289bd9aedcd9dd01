"""The figures of a run: what was tried, and every fault that was found."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path

MAX_PRINTED = 20  # Faults of one kind that are printed in full


class Figures:
    """Counts of attempts and faults; a fault is printed when it is found."""

    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()
        self.faults: Counter[str] = Counter()
        self.highest: dict[str, float] = {}

    def count(self, what: str, number: int = 1) -> None:
        """Count something that was tried."""
        self.tried[what] += number

    def measure(self, what: str, value: float) -> None:
        """Keep the highest value."""
        self.highest[what] = max(value, self.highest.get(what, 0.0))

    def fault(self, kind: str, description: str) -> None:
        """Count a fault, and print the first ones of each kind."""
        self.faults[kind] += 1
        if self.faults[kind] <= MAX_PRINTED:
            print(f"FAULT {kind}: {description[:2000]}", flush=True)

    def report(self) -> list[str]:
        """The last lines of a run."""
        lines = [f"{what}: {number}" for what, number in sorted(self.tried.items())]
        lines += [f"{what}: at most {value:.2f}" for what, value in sorted(self.highest.items())]
        lines += [f"fault, {kind}: {number}" for kind, number in sorted(self.faults.items())]
        return [*lines, f"faults: {self.faults.total()}"]


def cpu_seconds(pid: int) -> float:
    """Seconds of CPU of a process; wall time where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mb(pid: int) -> float:
    """Megabytes of memory of a process; 0 where the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") / 1e6
    except OSError:
        return 0.0
