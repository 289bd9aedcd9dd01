"""The SQL of the store: named statements, with values as psycopg writes them."""

from __future__ import annotations

import os
import re
from functools import lru_cache

from rum.store.postgres.values import NUL
from rum.store.tables.statements import load_statements

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


_FOLDER = os.path.join(os.path.dirname(__file__), "queries")
# Statement by name: `memories.sql` for memories, `layers.sql` for facts, rules and events, and so on.
SQL = {name: with_values(sql) for name, sql in load_statements(_FOLDER).items()}
