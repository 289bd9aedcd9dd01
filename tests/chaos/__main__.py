"""Run the search for faults; the last lines are its figures, and the exit code is 1 if any fault was found.

    python -m chaos [--seed N] [--calls N] [--texts N] [--kills N] [--damage N] [--conditions N]
        [--repositories N] [--requests N] [--starts N]

The defaults take a few minutes. The same seed tries the same things, as far as the moments of kills allow.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from chaos.conditions import try_conditions
from chaos.damage import damage_files
from chaos.figures import Figures
from chaos.fuzz import fuzz
from chaos.kills import kill_writers
from chaos.repositories import try_repositories
from chaos.requests import fuzz_requests
from chaos.starts import start_together
from chaos.texts import fuzz_texts

PARTS: dict[str, Callable[[Path, random.Random, int, Figures], None]] = {
    "calls": fuzz,
    "texts": fuzz_texts,
    "kills": kill_writers,
    "damage": damage_files,
    "conditions": try_conditions,
    "repositories": try_repositories,
    "requests": fuzz_requests,
    "starts": start_together,
}


def run(folder: Path, seed: int, **numbers: int) -> Figures:
    """Try everything below `folder`; `numbers` says how much of each part."""
    figures = Figures()
    for name, part in PARTS.items():
        number = numbers.get(name, 0)
        if not number:
            continue
        start = time.monotonic()
        part(folder / name, random.Random(f"{seed} {name}"), number, figures)
        print(f"{name}: {number} in {time.monotonic() - start:.0f} s", flush=True)
    return figures


def main() -> None:
    """Parse the options, run, and print the figures."""
    parser = argparse.ArgumentParser(prog="make chaos", description="Search for faults with random input.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=5_000, help="random calls of MCP tools")
    parser.add_argument("--texts", type=int, default=50_000, help="random texts for parsers and hooks")
    parser.add_argument("--kills", type=int, default=40, help="writers killed")
    parser.add_argument("--damage", type=int, default=30, help="files damaged")
    parser.add_argument(
        "--conditions", type=int, default=20, help="writers on a full disk or with a wrong clock"
    )
    parser.add_argument("--repositories", type=int, default=30, help="hostile repositories")
    parser.add_argument("--requests", type=int, default=3_000, help="random requests to `rum serve`")
    parser.add_argument("--starts", type=int, default=50, help="times that processes start together")
    options = vars(parser.parse_args())
    with tempfile.TemporaryDirectory() as folder:
        figures = run(Path(folder), **options)
    print("\n".join(figures.report()))
    sys.exit(1 if figures.faults else 0)


if __name__ == "__main__":
    main()
