"""The SQL of the store: named statements, with values as psycopg writes them."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from rum.store.postgres.values import NUL

_HERE = os.path.dirname(__file__)
_FILES = (
    "memories",
    "layers",
    "chapters",
    "archive",
    "trash",
    "sync",
    "captured_events",
    "activity",
    "anchors",
    "browse",
)
_COMMENT = re.compile(r"--[^\n]*")
_VALUE = re.compile(r"(?<![:\w]):([a-z_]\w*)|\?(\d*)")
_JSON = re.compile(r"\{json (.*?)\}", re.DOTALL)


@lru_cache(maxsize=512)
def with_values(sql: str) -> bytes:
    """A statement whose values are `:name`, `?` or `?2`, for the driver; comments are left out."""
    place = 0

    def named(match: re.Match[str]) -> str:
        nonlocal place
        if match[1]:
            return f"%({match[1]})s"
        place = int(match[2]) if match[2] else place + 1
        return f"%(p{place})s"

    plain = _COMMENT.sub("", sql).replace("%", "%%")
    # JSON that the database makes of texts has a NUL in our form, which a reader of JSON does not know.
    whole = _JSON.sub(rf"replace((\1)::text, '{NUL}', '\\\\u0000')", plain)
    return _VALUE.sub(named, whole).encode()


def _load(name: str) -> dict[str, bytes]:
    with open(os.path.join(_HERE, "queries", name), encoding="utf-8") as file:
        parts = re.split(r"^-- name: (\w+)\n", file.read(), flags=re.MULTILINE)
    return {
        name: with_values(body.strip().rstrip(";"))
        for name, body in zip(parts[1::2], parts[2::2], strict=True)
    }


# Statement by name: `memories.sql` for memories, `layers.sql` for facts, rules and events, and so on.
SQL = {name: body for file in _FILES for name, body in _load(f"{file}.sql").items()}
