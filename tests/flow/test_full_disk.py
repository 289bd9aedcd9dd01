"""A full disk: a clear error, nothing half-written, and reading still works."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rum import Rum, StorageError
from support.builders import make_draft
from support.processes import Place, make_place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs limits and mounts of POSIX")

AT_THE_LIMIT = """
import os, resource, signal, sys
from support.builders import make_draft
from rum import Rum, StorageError

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
rum = Rum.open()
first = rum.store(**make_draft("The first goal", tags=["first"]))
log = f"{rum.project.directory}/rum.db-wal"

def draft(name):
    edits = [{"type": "file_edit", "file_path": f"src/{name}{number}.py"} for number in range(5)]
    return make_draft(f"Goal {name} " + "word " * 2000, tags=[name], actions=edits,
                      links={"caused_by": first.memory_id})

def limit(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

def refused(change):
    try:
        change()
    except StorageError as error:
        print("refused", error.message)
    else:
        sys.exit("there was room for more")

kept = []
for room in map(int, sys.argv[1:]):
    limit(os.path.getsize(log) + room)
    for number in range(50):
        try:
            kept.append(rum.store(**draft(f"room{room}x{number}")).memory_id)
        except StorageError as error:
            print("refused", error.message)
            break
    else:
        sys.exit("there was room for everything")
    refused(lambda: rum.update_memory(first.memory_id, intent={"goal": "Changed " + "much " * 20000}))
    limit(8192)
    refused(lambda: rum.backup(f"{rum.settings.home}/copy.db"))
    assert not os.path.exists(f"{rum.settings.home}/copy.db"), "half a backup was left"
    assert rum.show(first.memory_id).intent.goal == "The first goal"
    assert rum.recall(query="first goal").memories, "reading stopped"
    limit(resource.RLIM_INFINITY)
    kept.append(rum.store(**draft(f"again{room}")).memory_id)
    assert rum.doctor().problems == [], rum.doctor().problems
rum.close()
print("kept", first.memory_id, *kept)
"""


def assert_agrees(rum: Rum, expected: list[str]) -> None:
    """Check that rows, files, tags, links and text index contain the same memories."""
    found = [memory.id for memory in rum.recall(task_type="bug_fix", limit=100).memories]
    assert sorted(found) == sorted(expected)
    by_text = rum.recall(query="goal", limit=100, min_confidence=0)
    assert sorted(memory.id for memory in by_text.memories) == sorted(expected)
    for memory_id in expected[1:]:
        memory = rum.show(memory_id)
        files = memory.files or ()
        assert [file.path for file in files] == [f"src/{(memory.tags or ('',))[0]}{n}.py" for n in range(5)]
        assert memory.links == {"caused_by": [expected[0]]}
    assert rum.recall(file="src/").total_matches == len(expected) - 1
    assert rum.doctor().problems == []


def test_at_the_file_size_limit_nothing_is_half_written(place: Place):
    *refusals, kept = place.run(AT_THE_LIMIT, 0, 4096, 20_000, 70_000, 200_000)
    assert len(refusals) == 15
    for line in refusals:
        assert "make room" in line or "free some space" in line
    with place.open(owner=True) as rum:
        assert_agrees(rum, kept.split()[1:])
        assert rum.show(kept.split()[1]).version == 1


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Place]:
    """A home on its own disk of four megabytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "tmpfs", str(disk)]
    if sys.platform != "linux" or os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("only root can mount a tiny disk")
    try:
        yield make_place(tmp_path)._replace(home=disk / "home")
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as file:
        try:
            while file.write(b"x" * 512):
                pass
        except OSError:
            return


def store_until_full(rum: Rum) -> tuple[list[str], StorageError]:
    kept: list[str] = []
    while True:
        edit = [{"type": "file_edit", "file_path": f"src/{len(kept)}.py"}]
        try:
            draft = make_draft(f"Goal {len(kept)} " + "word " * 3000, actions=edit)
            kept.append(rum.store(**draft).memory_id)
        except StorageError as error:
            return kept, error


def test_on_a_full_disk_writing_is_refused_and_reading_works(tiny_disk: Place):
    with tiny_disk.open() as rum:
        kept, error = store_until_full(rum)
        assert kept
        assert error.code == "STORAGE_ERROR"
        assert "full" in error.message
        assert rum.summary()["memories"] == len(kept)
        assert rum.recall(file="src/0.py").memories[0].id == kept[0]
        assert rum.recall(query="goal", limit=1).total_matches == len(kept)
        (problem,) = rum.doctor().problems
        assert "free" in problem.what
    with tiny_disk.open() as rum:
        assert rum.summary()["memories"] == len(kept)


def test_a_process_started_on_a_full_disk_can_read_and_write_once_there_is_space(tiny_disk: Place):
    with tiny_disk.open() as rum:
        memory_id = rum.store(**make_draft()).memory_id
    fill(tiny_disk.home.parent)
    with tiny_disk.open() as rum:
        assert rum.show(memory_id).intent.goal == "Fix the login"
        assert rum.recall(query="login").memories[0].id == memory_id
        assert rum.doctor().problems
        with pytest.raises(StorageError, match="full"):
            rum.store(**make_draft("Another goal"))
        with pytest.raises(StorageError, match="full"):
            rum.forget(memory_id)
        (tiny_disk.home.parent / "filler").unlink()
        rum.store(**make_draft("Another goal"))
        assert rum.summary()["memories"] == 2
        assert rum.doctor().facts["access"] == "write"


def test_a_project_created_on_a_full_disk_works_once_there_is_space(tiny_disk: Place):
    tiny_disk.home.mkdir(mode=0o700)
    fill(tiny_disk.home.parent)
    with tiny_disk.open() as rum:
        assert rum.list().total == 0
        with pytest.raises(StorageError, match="full"):
            rum.store(**make_draft())
    (tiny_disk.home.parent / "filler").unlink()
    with tiny_disk.open() as rum:
        rum.store(**make_draft())
        assert rum.recall(query="login").memories
