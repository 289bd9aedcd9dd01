"""Python's development mode, which reports what is left open, has nothing to report."""

from __future__ import annotations

from pathlib import Path

from support.processes import make_place

COMMANDS = """
import contextlib, gc, io
from rum.surfaces.cli.main import main

store = ["store", "--goal", "Fix the login", "--type", "other", "--summary", "Works", "--success"]
commands = [
    store, ["list"], ["recall", "login"], ["brief", "--task", "login"], ["facts", "set", "db", "sqlite"],
    ["note", "add", "A title", "--content", "Text", "--when", "login"], ["rules", "add", "deploy", "Ask"],
    ["export", "memory.jsonl"], ["backup", "copy.db"], ["forget", "db"], ["trash", "list"], ["restore", "db"],
    ["purge"], ["backup", "restore", "copy.db"], ["reindex"], ["tidy"], ["archive", "--dry-run"], ["report"],
    ["forget", "--all", "--now", "--confirm", "work"], ["import", "memory.jsonl", "--restore"],
    ["doctor"], ["projects"], ["stats"],
]
for command in commands:
    with contextlib.redirect_stdout(io.StringIO()):
        code = main(command)
    gc.collect()
    print(code, *command, flush=True)
"""


def test_commands_leave_nothing_open(tmp_path: Path):
    process = make_place(tmp_path).start(COMMANDS, PYTHONDEVMODE="1", PYTHONWARNINGS="error")
    out, err = process.communicate()
    assert [line for line in out.splitlines() if not line.startswith("0 ")] == []
    assert "Warning" not in err
    assert process.returncode == 0
