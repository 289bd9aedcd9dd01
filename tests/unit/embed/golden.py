"""Vectors of the original model for some texts, written by `benchmarks/embedder_reference.py`."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Golden(NamedTuple):
    """A text, the ids of its pieces, and its vector."""

    text: str
    ids: list[int]
    vector: np.ndarray[Any, Any]


def read_golden() -> list[Golden]:
    lines = Path(__file__).with_name("reference.jsonl").read_text(encoding="utf-8").splitlines()
    return [
        Golden(one["text"], one["ids"], np.frombuffer(base64.b64decode(one["vector"]), "<f2"))
        for one in map(json.loads, lines)
    ]
