"""SQL is only in the backends of the store."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import rum

PACKAGE = Path(rum.__file__).parent
STORE = PACKAGE / "store"
SQL = re.compile(
    r"\bSELECT\b[\s\S]+\bFROM\b|\bINSERT\s+(?:OR\s+\w+\s+)?INTO\b|\bUPDATE\s+\w+\s+SET\b|\bDELETE\s+FROM\b"
    r"|\bCREATE\s+(?:VIRTUAL\s+)?TABLE\b|\bPRAGMA\s+\w+"
)


def texts(tree: ast.AST) -> Iterator[str]:
    """Every string in a module; one that is put together (`f"…"`) as a whole."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "x" for part in node.values)
            yield "".join(str(part) for part in parts)


def statements(source: str) -> list[str]:
    return [text for text in texts(ast.parse(source)) if SQL.search(text)]


def test_no_module_outside_the_store_holds_sql():
    files = [path for path in PACKAGE.rglob("*.py") if STORE not in path.parents]
    assert len(files) > 100
    found = {
        str(path.relative_to(PACKAGE)): held
        for path in files
        if (held := statements(path.read_text("utf-8")))
    }
    assert found == {}


def test_only_backends_hold_sql_within_the_store():
    backends = {STORE / "sqlite", STORE / "postgres"}
    files = [path for path in STORE.rglob("*.py") if backends.isdisjoint(path.parents)]
    assert files
    assert [str(path.relative_to(STORE)) for path in files if statements(path.read_text("utf-8"))] == []


def test_sql_would_be_found():
    assert statements('x = "SELECT a FROM b"\ny = f"SELECT {x} FROM {x}"\nz = "DELETE FROM t WHERE 1"')
    assert statements('x = "Select a file from the list, or delete it."') == []
