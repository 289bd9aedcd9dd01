"""Vectors for many memories: random ones of real size, and real ones for the memories that are queried."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np

from benchmarks.workload import SEED
from benchmarks.workspace import Workspace
from rum.embed.base import embedded_text
from rum.embed.choose import BuiltinEmbedder
from rum.store.packed_vectors import pack
from rum.store.sqlite.store import SqliteStore

BATCH = 5_000

Floats = np.ndarray[Any, np.dtype[np.float32]]


def give(workspace: Workspace, asked_about: Iterable[int]) -> None:
    """Give every memory of a workspace a vector, in RUM and for the floor."""
    embedder, store = BuiltinEmbedder(), workspace.open_store()
    store.vectors.adopt(embedder.model, int(time.time()))
    ids = store.vectors.pending(embedder.model, len(workspace.stored))[::-1]
    shape = (len(ids), embedder.dimensions)
    rows = np.lib.format.open_memmap(workspace.vectors_path, mode="w+", dtype=np.float32, shape=shape)
    dice = np.random.default_rng(SEED)
    for start in range(0, len(ids), BATCH):
        rows[start : start + BATCH] = _made_up(dice, len(ids[start : start + BATCH]))
    real = sorted(asked_about)
    rows[real] = _real(store, embedder, [ids[number] for number in real])
    for start in range(0, len(ids), BATCH):
        pairs = zip(ids[start : start + BATCH], rows[start : start + BATCH], strict=True)
        store.vectors.put(embedder.model, ((one, 1, pack(row)) for one, row in pairs))
    rows.flush()
    store.close()


def _made_up(dice: np.random.Generator, count: int) -> Floats:
    """Random directions, of length one."""
    made = dice.standard_normal((count, BuiltinEmbedder.dimensions), dtype=np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made


def _real(store: SqliteStore, embedder: BuiltinEmbedder, ids: list[str]) -> Floats:
    memories = {memory.id: memory for memory in store.memories.get(ids)}
    return embedder.embed([embedded_text(memories[one]) for one in ids])
