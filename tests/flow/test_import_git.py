"""A git import while others work, after a kill, and with messages of any bytes."""

from __future__ import annotations

import json
import random
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from support.builders import make_draft
from support.processes import Place, end, lines_of
from support.repositories import fast_history

COMMITS = 1000

IMPORTER = """
import sys
from rum import Rum

def tell(done, total):
    print(done if total else 0, flush=True)

with Rum.open(owner=True) as rum:
    answer = rum.import_git(progress=tell)
print("added", answer.added, flush=True)
"""


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A long history in which some commits revert an earlier one."""
    chosen = random.Random(7)
    messages = [b"Begin"]
    for number in range(1, COMMITS):
        subject = b"Change number %d" % number
        before = messages[chosen.randrange(number)].partition(b"\n")[0]
        undo = b'Revert "%s"\n\nNumber %d was right.' % (before, number)
        messages.append(undo if chosen.random() < 0.05 and not before.startswith(b"Revert") else subject)
    return fast_history(tmp_path_factory.mktemp("history") / "work", messages).root


def place(history: Path, tmp_path: Path) -> Place:
    return Place(tmp_path / "home", history)


def told(rum: Rum) -> tuple[dict[str, Any], set[tuple[str, ...]]]:
    """The lines of an export, without the times of the import."""
    exported = [json.loads(line) for line in rum.export()]
    memories = {
        line["memory"]["id"]: line["memory"] | {"imported_at": None, "project_id": None}
        for line in exported
        if line["kind"] == "memory"
    }
    links = {
        (line["source_id"], line["link_type"], line["target_id"])
        for line in exported
        if line["kind"] == "link"
    }
    return memories, links


@pytest.fixture(scope="module")
def whole(
    history: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, Any], set[tuple[str, ...]]]:
    """The result of an undisturbed import."""
    with place(history, tmp_path_factory.mktemp("whole")).open(owner=True) as rum:
        assert rum.import_git().added == COMMITS
        return told(rum)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
def test_an_import_that_was_killed_is_completed_by_the_next(history: Path, whole: Any, tmp_path: Path):
    here = place(history, tmp_path)
    for stop in (200, 200):
        process = here.start(IMPORTER)
        try:
            for line in process.stdout:
                if line.startswith("added") or int(line) >= stop:
                    break
            process.send_signal(signal.SIGKILL)
        finally:
            end(process)
        with here.open() as rum:
            assert rum.doctor().problems == []
    with here.open(owner=True) as rum:
        answer = rum.import_git()
        assert answer.added + answer.unchanged == COMMITS
        assert answer.unchanged >= 400
        assert told(rum) == whole


@pytest.mark.slow
def test_two_imports_at_once_import_everything_once(history: Path, whole: Any, tmp_path: Path):
    here = place(history, tmp_path)
    with here.open():
        pass
    both = [here.start(IMPORTER) for _ in range(2)]
    added = [int(lines_of(process)[-1].split()[1]) for process in both]
    assert sum(added) == COMMITS
    with here.open() as rum:
        assert told(rum) == whole


@pytest.mark.slow
def test_others_can_store_and_recall_during_an_import(history: Path, tmp_path: Path):
    here = place(history, tmp_path)
    process = here.start(IMPORTER)
    try:
        with here.open() as rum:
            stored = [rum.store(**make_draft(f"Meanwhile {number}")).memory_id for number in range(20)]
            assert [rum.show(one).id for one in stored] == stored
        printed = lines_of(process)
    finally:
        end(process)
    assert printed[-1] == f"added {COMMITS}"
    with here.open() as rum:
        assert len(told(rum)[0]) == COMMITS + 20


@pytest.mark.slow
def test_a_history_with_any_bytes_becomes_memories(tmp_path: Path):
    chosen = random.Random(11)
    alphabet = [bytes([byte]) for byte in range(1, 256)] + [
        b"\n",
        b"\n\n",
        b" ",
        b"Fixes: ",
        b"revert ",
        b"\xf0\x9f\x98\x80",
    ]
    messages = [b"".join(chosen.choices(alphabet, k=chosen.randrange(200))) for _ in range(300)]
    here = place(fast_history(tmp_path / "work", messages).root, tmp_path)
    with here.open(owner=True) as rum:
        answer = rum.import_git()
        assert answer.added + sum(answer.skipped.values()) == 300
        assert answer.added >= 290
        memories, _ = told(rum)
        assert rum.doctor().problems == []
    for memory in memories.values():
        text = json.dumps(memory, ensure_ascii=False)
        assert not any(ord(character) < 32 or 127 <= ord(character) < 160 for character in text)
