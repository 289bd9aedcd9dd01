"""Archiving while other processes work, and after a kill at any moment."""

from __future__ import annotations

import random
import signal
import sys
import time
from contextlib import ExitStack

import pytest

from rum import Rum
from rum.model.memory import Memory
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, add_memory, make_file, make_memory, make_outcome
from support.processes import Place, ask, end, lines_of

pytestmark = pytest.mark.both_stores

COUNT = 600
LATER = NOON + 400 * 86400

ARCHIVER = """
import sys
from rum import Rum

with Rum.open(owner=True, clock=lambda: int(sys.argv[1])) as rum:
    print("begun", flush=True)
    told = rum.archive(uses=1000, progress=lambda done, total: print("done", done, flush=True))
    print("archived", told.archived, told.in_archive, flush=True)
"""

STORER = """
import sys
from support.builders import make_draft
from rum import Rum

with Rum.open(clock=lambda: int(sys.argv[1])) as rum:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(60):
        word = f"fresh{number}x"
        print(word, rum.store(**make_draft(f"Try {word} once")).memory_id, flush=True)
"""

CHANGER = """
import sys
from rum import Rum

with Rum.open(owner=True, clock=lambda: int(sys.argv[1])) as rum:
    print("ready", flush=True)
    sys.stdin.readline()
    for memory_id in sys.argv[2:]:
        rum.update_memory(memory_id, outcome={"summary": f"changed {memory_id}"})
        print(memory_id, flush=True)
"""


@pytest.fixture
def place(place: Place) -> Place:
    """Many memories that were not used for a year."""
    with place.open(clock=lambda: NOON) as rum:
        rum.identity("register")
    store = SqliteStore(str(place.project()))
    with store.transaction():
        for number in range(COUNT):
            add_memory(
                store,
                f"mem_{number:06}",
                f"Try word{number}x once",
                outcome=make_outcome(f"Sum {number}", learnings=[f"Because{one}" for one in range(40)]),
                files=[make_file(f"src/word{number}x.py")],
            )
    store.close()
    return place


def all_memories(place: Place) -> dict[str, Memory]:
    store = SqliteStore(str(place.project()))
    found = {memory.id: memory for batch in store.memories.pages() for memory in batch}
    store.close()
    return found


def assert_found(rum: Rum, number: int) -> None:
    memory_id, word = f"mem_{number:06}", f"word{number}x"
    assert rum.show(memory_id).intent.goal == f"Try {word} once"
    assert rum.recall(query=word, limit=1).memories[0].id == memory_id
    assert [memory.id for memory in rum.recall(file=f"src/{word}.py").memories] == [memory_id]


def archived(rum: Rum) -> int:
    figure = rum.doctor().facts["archived"]
    assert isinstance(figure, int)
    return figure


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows")
@pytest.mark.parametrize("seed", range(3))
def test_a_killed_archive_run_loses_nothing_and_the_next_run_completes_it(place: Place, seed: int):
    moments, before = random.Random(seed), all_memories(place)
    counts: list[int] = []
    for _ in range(6):
        archiver = place.start(ARCHIVER, LATER)
        try:
            assert archiver.stdout
            assert archiver.stdout.readline() == "begun\n"
            time.sleep(moments.uniform(0, 0.5))
            archiver.send_signal(signal.SIGKILL)
            told, _ = archiver.communicate()
        finally:
            end(archiver)
        acknowledged = [int(line.split()[1]) for line in told.splitlines() if line.startswith("done ")]
        with place.open(owner=True, clock=lambda: NOON) as rum:
            assert rum.doctor().problems == []
            counts.append(archived(rum))
            # What was said to be done is done; a batch that was not may be, too.
            assert counts[-1] >= (counts[-2] if counts[1:] else 0) + max(acknowledged, default=0)
            for number in moments.sample(range(COUNT), 10):
                assert_found(rum, number)
        assert all_memories(place) == before
    *_, last = place.run(ARCHIVER, LATER)
    assert last == f"archived {COUNT - counts[-1]} {COUNT}"
    with place.open(owner=True, clock=lambda: NOON) as rum:
        assert rum.doctor().problems == []
        for number in range(0, COUNT, 37):
            assert_found(rum, number)
    assert all_memories(place) == before


@pytest.mark.slow
def test_others_can_store_and_change_memories_while_two_processes_archive(place: Place):
    changed = [f"mem_{number:06}" for number in range(0, COUNT, 30)]
    with ExitStack() as processes:
        storer, changer = place.start(STORER, LATER), place.start(CHANGER, LATER, *changed)
        archivers = [place.start(ARCHIVER, LATER) for _ in range(2)]
        for process in (storer, changer, *archivers):
            processes.callback(end, process)
        assert storer.stdout
        assert changer.stdout
        assert [process.stdout.readline() for process in (storer, changer)] == ["ready\n"] * 2
        words = [ask(storer), *lines_of(storer, "")]
        assert [ask(changer), *lines_of(changer, "")] == changed
        told = [lines_of(archiver)[-1].split() for archiver in archivers]
    with place.open(owner=True, clock=lambda: LATER) as rum:
        assert rum.doctor().problems == []
        for word, memory_id in map(str.split, words):
            assert rum.recall(query=word, limit=1).memories[0].id == memory_id
        for memory_id in changed:
            assert rum.show(memory_id).outcome.summary == f"changed {memory_id}"
        # Each was archived once, whoever did it; what was changed afterwards is live again, and may go again.
        assert sum(int(count) for _, count, _ in told) <= COUNT + len(changed)
        assert COUNT - len(changed) <= archived(rum) <= COUNT
        assert len(all_memories(place)) == COUNT + 60


def test_a_memory_changed_during_archiving_keeps_its_change(place: Place):
    store, other = SqliteStore(str(place.project())), SqliteStore(str(place.project()))
    packed = store.archive._pack(["mem_000001"])  # somebody is about to archive it …
    other.memories.replace(make_memory("mem_000001", "Try it again", version=2))
    with store.transaction():
        assert [store.archive.archive_one(memory, LATER) for memory in packed] == [False]
    assert store.memories.get(["mem_000001"])[0].intent.goal == "Try it again"
    assert store.upkeep.problems() == []
    store.close()
    other.close()
