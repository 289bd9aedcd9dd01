"""Requests that are too large, too many or of wrong types are refused or wait; nobody else does."""

from __future__ import annotations

import json
import os
import select
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rum import InvalidQuery, RumError
from support.builders import make_draft
from support.processes import Place, end

pytestmark = pytest.mark.both_stores

WORDS = " ".join(f"word{number}" for number in range(30_000))


@pytest.fixture
def place(place: Place) -> Place:
    with place.open() as rum:
        rum.store(**make_draft("Repair the parser"))
    return place


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("recall", {"query": WORDS}),
        ("recall", {"intent": "x" * 4_000_000}),
        ("recall", {"tags": [f"tag{number}" for number in range(100_000)]}),
        ("recall", {"file": [f"src/{number}.py" for number in range(100_000)]}),
        ("brief", {"file": [f"src/{number}.py" for number in range(100_000)]}),
        ("trace", {"memory_id": "m" * 4_000_000}),
        ("forget", {"id": "m" * 4_000_000}),
        ("recall_wisdom", {"query": WORDS}),
    ],
)
def test_a_question_that_is_too_large_is_refused(place: Place, call: str, arguments: dict[str, Any]):
    with place.open() as rum, pytest.raises(InvalidQuery, match="at most") as caught:
        rum.call(call, arguments)
    assert len(caught.value.message) < 200


def test_a_pasted_log_in_a_task_is_cut(place: Place):
    with place.open() as rum:
        brief = rum.brief(task=f"repair the parser\n{WORDS}", plan=WORDS * 10)
    assert "parser" in brief.text.lower()


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": 5},
        {"action": ["add"]},
        {"action": "add", "title": 5, "content": "x", "when_to_use": "x"},
        {"action": "add", "title": "x", "content": {}, "when_to_use": "x"},
        *(
            {"action": "add", "title": "x", "content": "x", "when_to_use": wrong}
            for wrong in (7, {}, [7], [], "", " ")
        ),
        {"action": "add", "title": "x", "content": "x", "when_to_use": "x" * 100_000},
        {"action": "show", "id": 7},
        {"action": "show", "id": ["x"]},
        {"action": "match", "task": []},
        {"action": "extract", "content": "x", "agent": 7},
        {"action": "list", "limit": {}},
    ],
)
def test_a_wrong_type_in_a_note_is_an_invalid_query(place: Place, arguments: dict[str, Any]):
    with place.open() as rum, pytest.raises(RumError) as caught:
        rum.call("note", arguments)
    assert caught.value.code == "INVALID_QUERY"


@pytest.mark.parametrize("path", ["..", "../x.py", "a/../../x.py", "src/..", ".", "..\\x.py"])
def test_dots_never_become_a_file_of_the_project(place: Place, path: str):
    draft = make_draft(
        actions=[{"type": "file_edit", "file_path": path}],
        perception={"relevant_files": [{"path": path}], "observations": [{"what": "x", "where": path}]},
    )
    for project in ({}, {"project": "by-name"}):
        with place.open(**project) as rum:
            files = rum.show(rum.store(**draft).memory_id).files
        assert all(os.path.isabs(file.path) or file.path.startswith("~") for file in files or ())


def test_the_note_of_a_union_leaves_memory_intact(place: Place):
    program = """
from rum.model.notes import NoteDraft
from rum.model.fields import parse
for when in ("auth|login", ["a", "b"], ["x"] * 50):
    for _ in range(200):
        parse({"title": "t", "content": "c", "when_to_use": when}, NoteDraft, "note")
print("done")
"""
    options = [sys.executable, "-W", "error", "-X", "dev", "-c", program]
    done = subprocess.run(options, capture_output=True, text=True, check=False, cwd=place.work)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="reads the memory of a process from /proc")
def test_a_client_that_never_reads_is_made_to_wait(place: Place):
    process = place.start("import sys; sys.argv = ['rum', 'mcp']; from rum.__main__ import main; main()")
    assert process.stdin
    try:
        question = {"name": "recall", "arguments": {"query": "parser " + "x" * 20_000}}
        os.set_blocking(process.stdin.fileno(), False)
        sent = 0
        while sent < 30_000_000 and select.select([], [process.stdin], [], 2)[1]:
            message = {"jsonrpc": "2.0", "id": sent, "method": "tools/call", "params": question}
            sent += os.write(process.stdin.fileno(), json.dumps(message).encode() + b"\n")
        assert sent < 30_000_000
        pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
        assert pages * os.sysconf("SC_PAGE_SIZE") < 300_000_000
    finally:
        end(process)


@pytest.mark.parametrize("gone", ["home", "project"])
def test_what_is_stored_after_the_home_was_deleted_is_where_the_next_process_looks(place: Place, gone: str):
    with place.open() as rum:
        rum.store(**make_draft("Before"))
        shutil.rmtree(place.home if gone == "home" else place.project())
        stored = rum.store(**make_draft("After")).memory_id
        rum.recall(query="after")
    with place.open() as rum:
        assert rum.show(stored).intent.goal == "After"
