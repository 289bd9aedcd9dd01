"""The floor: a memory as one row and one FTS5 row, and a server for it, of the standard library alone.

As a program it speaks MCP over standard input and output: `python -S -E benchmarks/floors.py DATABASE`. It is
the least a memory server can be, so whatever RUM takes beyond it is what RUM's own work costs.
"""

from __future__ import annotations

import json
import re
import sqlite3
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    Row = tuple[str, int, str, int, str, str]  # (id, created_at, goal, success, summary, the whole as JSON)
    Shown = tuple[str, str, int, str]  # (id, goal, success, summary): what RUM shows of a memory by default
    Ways = Mapping[str, Callable[[str], list[Shown]]]  # The tools of a server, by name

SCHEMA = """
CREATE TABLE memory (
  seq INTEGER PRIMARY KEY, id TEXT UNIQUE, created_at INTEGER,
  goal TEXT, success INTEGER, summary TEXT, body TEXT
);
CREATE TABLE file (
  path TEXT, created_at INTEGER, seq INTEGER, PRIMARY KEY (path, created_at, seq)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE memory_text USING fts5(body);
"""
TOOLS = {
    "by_file": "The newest memories of a file.",
    "by_text": "The memories that fit some words, best first.",
    "by_meaning": "The memories whose vectors are nearest to a text's, nearest first.",
    "by_both": "The memories that fit some words, then those with the nearest vectors.",
}
ASKED = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class Floor:
    """One plain database, as durable as RUM's."""

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, isolation_level=None, timeout=30)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        if not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            self._db.executescript(SCHEMA)

    def store(self, row: Row, text: str) -> None:
        """Row, FTS row, commit."""
        self._db.execute("BEGIN IMMEDIATE")
        self._write(row, text)
        self._db.execute("COMMIT")

    def _write(self, row: Row, text: str) -> int | None:
        insert = "INSERT INTO memory (id, created_at, goal, success, summary, body) VALUES (?, ?, ?, ?, ?, ?)"
        seq = self._db.execute(insert, row).lastrowid
        self._db.execute("INSERT INTO memory_text (rowid, body) VALUES (?, ?)", (seq, text))
        return seq

    def fill(self, memories: Iterable[tuple[Row, str, tuple[str, ...]]]) -> None:
        """Many at once, with their files."""
        self._db.execute("BEGIN IMMEDIATE")
        for row, text, files in memories:
            seq = self._write(row, text)
            self._db.executemany("INSERT INTO file VALUES (?, ?, ?)", [(path, row[1], seq) for path in files])
        self._db.execute("COMMIT")

    def by_file(self, path: str) -> list[Shown]:
        """The five newest memories of a file: one indexed SELECT."""
        return self._db.execute(
            "SELECT m.id, m.goal, m.success, m.summary FROM file AS f JOIN memory AS m ON m.seq = f.seq "
            "WHERE f.path = ? ORDER BY f.created_at DESC, f.seq DESC LIMIT 5",
            (path,),
        ).fetchall()

    def by_text(self, text: str) -> list[Shown]:
        """The five best memories for any of the words: FTS5's own ranking."""
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", text))
        return self._db.execute(
            "SELECT m.id, m.goal, m.success, m.summary FROM memory_text AS t "
            "JOIN memory AS m ON m.seq = t.rowid WHERE memory_text MATCH ? ORDER BY t.rank LIMIT 5",
            (words,),
        ).fetchall()

    def at(self, seqs: Iterable[int]) -> list[Shown]:
        """Memories by their place, in the order asked for."""
        one = "SELECT id, goal, success, summary FROM memory WHERE seq = ?"
        return [self._db.execute(one, (seq,)).fetchone() for seq in seqs]

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


def answer(ways: Ways, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The result of one request."""
    if method == "initialize":
        return {
            "protocolVersion": params.get("protocolVersion"),
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "floor", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [{"name": name, "description": TOOLS[name], "inputSchema": ASKED} for name in ways]}
    names = ("id", "goal", "success", "summary")
    found = ways[params["name"]](params["arguments"]["text"])
    shown = [dict(zip(names, row, strict=True)) for row in found]
    return {"content": [{"type": "text", "text": json.dumps(shown)}]}


def serve(ways: Ways) -> None:
    """Answer requests until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            result = answer(ways, request["method"], request.get("params") or {})
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


def main() -> None:
    """Serve the database named on the command line."""
    floor = Floor(sys.argv[1])
    serve({"by_file": floor.by_file, "by_text": floor.by_text})


if __name__ == "__main__":
    main()
