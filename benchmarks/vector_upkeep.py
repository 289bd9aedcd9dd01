"""The cost of maintaining vectors: reading all, switching the embedder, dropping those of another one.

The figures of docs/adr/0006: `python -m benchmarks.vector_upkeep 10000 100000`, in CPU milliseconds,
the least of several times.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import islice

import numpy as np

from benchmarks.workload import SEED, memories
from benchmarks.workspace import Workspace
from rum.embed.choose import BuiltinEmbedder
from rum.store.packed_vectors import pack
from rum.store.sqlite.store import SqliteStore

TIMES = 5
BATCH = 5_000
NOW = 1_750_000_000


def main() -> None:
    """Measure at each size named on the command line."""
    for size in map(int, sys.argv[1:] or ["10000"]):
        with tempfile.TemporaryDirectory(prefix="rum-bench-") as folder:
            workspace = Workspace(os.path.join(folder, "workspace")).enter()
            source = memories()
            for start in range(0, size, BATCH):
                workspace.fill(islice(source, min(BATCH, size - start)))
            store = workspace.open_store()
            for what, taken in measure(store).items():
                print(f"{size:>9,}  {what:<24} {min(taken):8.2f} ms")
            store.close()


def measure(store: SqliteStore) -> dict[str, list[float]]:
    """CPU milliseconds of each step, several times, in a store whose memories have no vectors yet."""
    taken: dict[str, list[float]] = {what: [] for what in ("adopt", "read all", "drop")}
    vectors = store.vectors
    for number in range(TIMES):
        model = f"model {number}"
        taken["adopt"].append(_milliseconds(lambda model=model: vectors.adopt(model, NOW)))
        _fill(store, model)
        taken["read all"].append(_milliseconds(lambda model=model: _read(store, model)))
        taken["drop"].append(_milliseconds(lambda: vectors.drop_unused("", NOW + 1)))
    return taken


def _fill(store: SqliteStore, model: str) -> None:
    """Give every memory a vector, a made-up one of the usual length."""
    dice = np.random.default_rng(SEED)
    while ids := store.vectors.pending(model, BATCH):
        rows = dice.standard_normal((len(ids), BuiltinEmbedder.dimensions), dtype=np.float32)
        pairs = zip(ids, rows, strict=True)
        store.vectors.put(model, ((one, 1, pack(row)) for one, row in pairs))


def _read(store: SqliteStore, model: str) -> None:
    question = np.ones(BuiltinEmbedder.dimensions, dtype=np.float32)
    store.vectors.nearest(model, question / np.float32(np.linalg.norm(question)), 1)


def _milliseconds(step: Callable[[], object]) -> float:
    began = time.process_time()
    step()
    return 1000 * (time.process_time() - began)


if __name__ == "__main__":
    main()
