"""Writers on a disk that fills up and with a clock that jumps: what was acknowledged is there."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

from chaos.figures import Figures
from chaos.kills import PATIENCE, environment
from rum import NotFound, Rum, RumError

_FULL_DISK = """
import os, random, resource, signal, sys
from support.builders import make_draft
from rum import Rum, StorageError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
rng = random.Random(sys.argv[1])
rum = Rum.open()
rum.store(**make_draft("Try first once"))
log = f"{rum.project.directory}/rum.db-wal"
resource.setrlimit(resource.RLIMIT_FSIZE, (os.path.getsize(log) + rng.randrange(60_000), -1))
for number in range(60):
    try:
        kept = rum.store(**make_draft(f"Try w{number} once " + "word " * rng.randrange(2000)))
        print("stored", f"w{number}", kept.memory_id, flush=True)
    except StorageError as error:
        print("refused", number, "x", flush=True)
"""
_CLOCK = """
import random, sys
from support.builders import make_draft
from rum import Rum

rng = random.Random(sys.argv[1])
now = [1_790_000_000.0]
rum = Rum.open(owner=True, clock=lambda: now[0])
for number in range(40):
    now[0] = rng.choice((now[0] + 1, now[0] - 1, now[0] - 400 * 86400, now[0] + 400 * 86400, 1.0, 4e9))
    kept = rum.store(**make_draft(f"Try w{number} once"))
    print("stored", f"w{number}", kept.memory_id, flush=True)
    if number % 7 == 0:
        rum.tidy()
"""
CONDITIONS = {"full disk": _FULL_DISK, "clock": _CLOCK}


def try_conditions(folder: Path, rng: random.Random, rounds: int, figures: Figures) -> None:
    """Run a writer under a random condition each round, then look for what it acknowledged."""
    for number in range(rounds):
        place = folder / str(number)
        (place / "work").mkdir(parents=True)
        name = rng.choice(sorted(CONDITIONS))
        done = subprocess.run(
            [sys.executable, "-c", CONDITIONS[name], f"{rng.randrange(10**9)}"],
            cwd=place / "work",
            env=environment(place),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        if done.returncode:
            figures.fault("crash", f"{name}: {done.stderr[-1500:]}")
        lines = [line.split() for line in done.stdout.splitlines()]
        _check(place, [line for line in lines if line[0] == "stored"], name, figures)
        figures.count(f"writers, {name}")
        shutil.rmtree(place)


def _check(place: Path, stored: list[list[str]], name: str, figures: Figures) -> None:
    try:
        with Rum.open(place / "work", home=place / "home", owner=True) as rum:
            for problem in rum.doctor().problems:
                figures.fault("damage", f"{name}: {problem.what}")
            for _, word, memory_id in stored:
                try:
                    found = rum.show(memory_id).intent.goal.startswith(f"Try {word} once")
                except NotFound:
                    found = False
                if not found:
                    figures.fault("lost write", f"{name}: {word} {memory_id}")
    except RumError as error:
        figures.fault("damage", f"{name}: {error!r}")
    figures.count("acknowledged writes checked", len(stored))
