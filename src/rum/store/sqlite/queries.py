"""The SQL of the store, kept as SQL and called by name."""

from __future__ import annotations

import os
import re

_HERE = os.path.dirname(__file__)


def _load(name: str) -> dict[str, str]:
    with open(os.path.join(_HERE, name), encoding="utf-8") as file:
        parts = re.split(r"^-- name: (\w+)\n", file.read(), flags=re.MULTILINE)
    return {name: body.strip().rstrip(";") for name, body in zip(parts[1::2], parts[2::2], strict=True)}


_FILES = ("queries", "layers", "chapters", "archive", "captured_events", "activity")

# Statement by name: `queries.sql` for memories, `layers.sql` for facts, rules and events, and so on.
SQL = {name: body for file in _FILES for name, body in _load(f"{file}.sql").items()}
