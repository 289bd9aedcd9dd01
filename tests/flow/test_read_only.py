"""With read-only files, reading works, writing is a clear error, and nothing changes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rum import NotFound, StorageError
from support.builders import make_draft
from support.processes import NOBODY, Place, ask, end, lines_of, make_place

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")

VISITOR = """
import json, sys, tempfile
from support.builders import make_draft
from support.processes import become_nobody
from rum import Rum, RumError, StorageError

def look(rum, memory_id):
    yield rum.recall(query="fix the login").memories[0].id
    yield rum.recall(file="src/a.py", depth="complete", include_links=True).memories[0].id
    yield rum.recall(tags=["auth"]).memories[0].id
    yield rum.show(memory_id).id
    yield rum.trace(memory_id, direction="both").origin.id
    rum.list(sort="access_count")
    yield [fact.key for fact in rum.facts.list()]
    yield [rule.action for rule in rum.rules.match("deploy")]
    yield [entry.content for entry in rum.layers.search("episodic", "happened")]
    yield rum.history(memory_id)[0].memory["intent"]["goal"]
    yield rum.summary()["memories"]
    yield len(list(rum.export()))
    yield rum.recall(query="zebra").code
    yield rum.doctor().healthy
    yield rum.archive(dry_run=True).archived
    rum.settle()

def change(rum, memory_id):
    for name, attempt in {
        "store": lambda: rum.store(**make_draft("Another goal")),
        "update": lambda: rum.update_memory(memory_id, intent={"goal": "Changed"}),
        "link": lambda: rum.link(memory_id, memory_id[:-1], "related_to"),
        "register": lambda: rum.identity("register"),
        "forget": lambda: rum.forget(memory_id),
        "reindex": lambda: rum.reindex(),
        "purge": lambda: rum.purge(),
        "tidy": lambda: rum.tidy(),
        "archive": lambda: rum.archive(),
        "restore": lambda: rum.restore_archived(memory_id),
        "learn": lambda: rum.facts.set("b", "c"),
        "rule": lambda: rum.rules.add("b", "c"),
        "append": lambda: rum.layers.append("episodic", {"content": "It happened again"}),
        "clear": lambda: rum.layers.clear(),
    }.items():
        try:
            attempt()
            yield name, "done", ""
        except RumError as error:
            yield name, error.code, error.message

# What is imported late must be imported before root's rights are gone.
with tempfile.TemporaryDirectory() as scratch, Rum.open(home=scratch + "/home", owner=True) as rum:
    actions = [{"type": "file_edit", "file_path": "src/a.py"}]
    kept = rum.store(**make_draft(tags=["auth"], actions=actions)).memory_id
    rum.layers.append("episodic", {"content": "It happened"})
    list(look(rum, kept)), list(change(rum, kept))
become_nobody()
with Rum.open(owner=True) as rum:
    print(json.dumps(list(look(rum, sys.argv[1]))))
    print(json.dumps(list(change(rum, sys.argv[1]))))
"""

WATCHER = """
import sys, tempfile
from support.builders import make_draft
from support.processes import become_nobody
from rum import Rum

with tempfile.TemporaryDirectory() as scratch, Rum.open(home=scratch + "/home", owner=True) as rum:
    rum.store(**make_draft())
    rum.recall(query="login")
    rum.doctor()
become_nobody()
with Rum.open(owner=True) as rum:
    for line in sys.stdin:
        found = rum.recall(query=line.strip() or "login", limit=50)
        print(len(found.memories), rum.summary()["memories"], rum.doctor().facts["access"], flush=True)
"""

DOCTOR = """
import tempfile
from support.processes import become_nobody
from rum import Rum, RumError

with tempfile.TemporaryDirectory() as scratch, Rum.open(home=scratch + "/home", owner=True) as rum:
    rum.doctor()
become_nobody()
try:
    with Rum.open(owner=True) as rum:
        print(*(problem.what for problem in rum.doctor().problems))
except RumError as error:
    print(error.code, error.message)
"""

WRITER = """
import sys
from support.builders import make_draft
from rum import Rum

rum = Rum.open()
print(rum.store(**make_draft("Fix the login again")).memory_id, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place() -> Iterator[Place]:
    """A folder that every user can reach, unlike pytest's own folders."""
    folder = Path(tempfile.mkdtemp(prefix="rum-test-"))
    folder.chmod(0o755)
    place = make_place(folder)
    yield place
    unseal(place.home)
    shutil.rmtree(folder)


def everything_below(folder: Path) -> list[Path]:
    return [folder, *folder.rglob("*")] if folder.exists() else []


def seal(folder: Path) -> None:
    """Make everything read-only for every user."""
    for path in everything_below(folder):
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)
        path.chmod(0o500 if path.is_dir() else 0o400)


def unseal(folder: Path) -> None:
    if folder.exists():
        folder.chmod(0o700)
    for path in everything_below(folder):
        path.chmod(0o700 if path.is_dir() else 0o600)


def contents(folder: Path) -> dict[str, bytes]:
    """All files except the shared memory of SQLite's log, which readers change."""
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith("-shm"))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def side_files(place: Place) -> set[str]:
    return {path.name for path in place.project().iterdir() if "-" in path.name}


def leave_a_memory(place: Place) -> str:
    with place.open() as rum:
        edit = {"type": "file_edit", "file_path": "src/a.py"}
        memory_id = rum.store(**make_draft(tags=["auth"], actions=[edit])).memory_id
        rum.recall(query="login")
        rum.facts.set("a", "b")
        rum.rules.add("deploy", "Ask first")
        rum.layers.append("episodic", {"content": "It happened"})
    return memory_id


def assert_visited(place: Place, memory_id: str, memories: int = 1, events: int = 1) -> None:
    """Check that a reader sees everything and changes nothing."""
    before = contents(place.home)
    looked, changed = map(json.loads, place.run(VISITOR, memory_id))
    layers = [["a"], ["Ask first"], ["It happened"] * events]
    lines = 4 + memories + events
    assert looked == [*[memory_id] * 5, *layers, "Fix the login", memories, lines, "NO_RESULTS", True, 0]
    refused = {name: code for name, code, _ in changed}
    assert refused.pop("link") in ("NOT_FOUND", "STORAGE_ERROR")
    assert set(refused.values()) == {"STORAGE_ERROR"}
    assert all("can only be read" in message for name, _, message in changed if name != "link")
    assert contents(place.home) == before


def test_a_closed_project_can_be_read(place: Place):
    memory_id = leave_a_memory(place)
    assert not {"rum.db-wal", "rum.db-shm"} & side_files(place)
    seal(place.home)
    assert_visited(place, memory_id)


def test_a_project_that_another_process_has_open_can_be_read(place: Place):
    memory_id = leave_a_memory(place)
    with place.open() as rum:
        rum.store(**make_draft("Fix the login again"))
        assert {"rum.db-wal", "rum.db-shm"} <= side_files(place)
        seal(place.home)
        assert_visited(place, memory_id, memories=2)


def test_a_project_whose_writer_was_killed_can_be_read(place: Place):
    memory_id = leave_a_memory(place)
    writer = place.start(WRITER)
    assert writer.stdout
    assert writer.stdout.readline().startswith("mem_")
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert {"rum.db-wal", "rum.db-shm"} <= side_files(place)
    seal(place.home)
    assert_visited(place, memory_id, memories=2)


def test_a_project_without_an_activity_database_can_be_read(place: Place):
    memory_id = leave_a_memory(place)
    (place.project() / "activity.db").unlink()
    seal(place.home)
    assert_visited(place, memory_id, events=0)


def test_a_reader_sees_what_others_write_later(place: Place):
    leave_a_memory(place)
    seal(place.home)
    with ExitStack() as running:
        watcher = place.start(WATCHER)
        running.callback(end, watcher)
        assert ask(watcher) == "1 1 frozen"
        unseal(place.home)
        with place.open() as rum:
            rum.store(**make_draft("Fix the login again"))
            seal(place.home)
            assert ask(watcher) == "2 2 read"
            unseal(place.home)
            rum.store(**make_draft("Fix the login once more"))
            seal(place.home)
            assert ask(watcher) == "3 3 read"
            unseal(place.home)
        with place.open() as rum:
            rum.store(**make_draft("Fix the login for good"))
        seal(place.home)
        assert ask(watcher) == "4 4 read"
        assert lines_of(watcher) == []


def test_a_reader_sees_what_others_wrote_and_closed(place: Place):
    leave_a_memory(place)
    seal(place.home)
    with ExitStack() as running:
        watcher = place.start(WATCHER)
        running.callback(end, watcher)
        for number in range(2, 5):
            assert ask(watcher) == f"{number - 1} {number - 1} frozen"
            unseal(place.home)
            with place.open() as rum:
                rum.store(**make_draft(f"Fix the login {number}"))
            seal(place.home)
        assert ask(watcher) == "4 4 frozen"
        assert lines_of(watcher) == []


def test_an_unreadable_write_ahead_log_is_reported(place: Place):
    leave_a_memory(place)
    with place.open() as rum:
        rum.store(**make_draft("Fix the login again"))
        shutil.copytree(place.home, place.home.with_name("copy"))
    shutil.rmtree(place.home)
    place.home.with_name("copy").rename(place.home)
    (place.project() / "rum.db-shm").unlink()
    seal(place.home)
    (said,) = place.run(DOCTOR)
    assert "newest changes" in said


@pytest.mark.parametrize("missing", ["home", "deeper/home"])
def test_a_home_that_cannot_be_is_an_error_and_not_empty(tmp_path: Path, missing: str):
    work = make_place(tmp_path).work
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StorageError, match="RUM_HOME"):
        Place(tmp_path / "file" / missing, work).open(owner=True)
    assert (tmp_path / "file").read_text() == "not a folder"


def test_before_anything_is_stored_reading_finds_nothing_and_creates_nothing(tmp_path: Path):
    place = make_place(tmp_path)
    with place.open(owner=True) as rum:
        answer = rum.recall(query="login")
        assert (answer.memories, answer.code) == ([], "NO_RESULTS")
        assert "no memories yet" in str(answer.hint)
        assert rum.list().total == 0
        assert rum.agents() == []
        assert rum.summary()["memories"] == 0
        with pytest.raises(NotFound):
            rum.show("mem_unknown0")
        assert rum.doctor().healthy
    assert not place.home.exists() or not list(place.home.iterdir())


def test_an_inaccessible_folder_is_an_error_and_not_empty(place: Place):
    leave_a_memory(place)
    seal(place.home)
    place.project().chmod(0o000)
    (said,) = place.run(DOCTOR)
    assert said.startswith("STORAGE_ERROR")
    assert "Permission denied" in said


NOTES = """
import tempfile
from support.processes import become_nobody
from rum import Rum

def work(rum):
    rum.notes.add("Sessions", "They end after an hour.", "login")
    return [note.id for note in rum.notes.match("Change the login page").notes]

with tempfile.TemporaryDirectory() as scratch, Rum.open(scratch, home=scratch + "/home") as rum:
    work(rum)
become_nobody()
with Rum.open() as rum:
    print(*work(rum))
"""


def test_notes_can_be_written_with_a_read_only_home(place: Place):
    leave_a_memory(place)
    place.work.chmod(0o777)
    seal(place.home)
    before = contents(place.home)
    assert place.run(NOTES) == ["sessions#1"]
    assert (place.work / ".rum" / "notes" / "sessions.md").is_file()
    assert contents(place.home) == before
