"""The SQL of the store, kept as SQL and called by name."""

from __future__ import annotations

import os
import re


def _load(path: str) -> dict[str, str]:
    with open(path, encoding="utf-8") as file:
        parts = re.split(r"^-- name: (\w+)\n", file.read(), flags=re.MULTILINE)
    return {name: body.strip().rstrip(";") for name, body in zip(parts[1::2], parts[2::2], strict=True)}


SQL = _load(os.path.join(os.path.dirname(__file__), "queries.sql"))
"""Statement by name, from `queries.sql`."""
