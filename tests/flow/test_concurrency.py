"""Many processes in one project: nothing is lost, and no call fails because of a lock."""

from __future__ import annotations

import random
import sqlite3
import subprocess
from contextlib import ExitStack

import pytest

from support.builders import make_draft
from support.processes import Place, ask, end, lines_of

STORER = """
import sys
from support.builders import make_draft
from rum import Rum

name, count = sys.argv[1], int(sys.argv[2])
with Rum.open(client=name) as rum:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        word = f"word{name}x{number}"
        edit = {"type": "file_edit", "file_path": f"{word}.py"}
        kept = rum.store(**make_draft(f"Try {word} once", actions=[edit]))
        print(word, kept.memory_id, flush=True)
"""

READER = """
import sys, threading
from rum import Rum

over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
with Rum.open(owner=True) as rum:
    print("ready", flush=True)
    seen = rounds = 0
    while not over.is_set() or not rounds:
        found = rum.recall(task_type="bug_fix", limit=20, depth="complete")
        assert found.total_matches >= seen, "a memory was lost"
        seen, rounds = found.total_matches, rounds + 1
        for memory in found.memories:
            word = memory.intent.goal.split()[1]
            assert [file.path for file in memory.files] == [f"{word}.py"], "a memory was half there"
            found_by_word = [other.id for other in rum.recall(query=word).memories]
            assert memory.id in found_by_word, "the index lags behind"
            rum.trace(memory.id)
        rum.list(sort="access_count")
        rum.settle()
    print(rounds, seen)
"""

UPDATER = """
import sys
from rum import Rum

with Rum.open(owner=True) as rum:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(20):
        rum.update_memory(sys.argv[2], outcome={"summary": f"{sys.argv[1]} {number}"})
"""

REGISTRAR = """
import sys
from rum import Rum, RumError

with Rum.open() as rum:
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        name = {"name": sys.argv[1]} if sys.argv[1:] else {}
        print("registered", rum.identity("register", **name).agent_id)
    except RumError as error:
        print(error.code, error.message)
"""

NAMED = """
import sys
from support.builders import make_draft
from rum import Rum

print("ready", flush=True)
sys.stdin.readline()
with Rum.open(agent="developer") as rum:
    rum.store(**make_draft())
    print(rum.identity("info").agent_id)
"""

COUNTER = """
import sys
from rum import Rum

with Rum.open(owner=True) as rum:
    print("ready", flush=True)
    for _ in sys.stdin:
        print(rum.summary()["memories"], flush=True)
"""

RECALLER = """
from rum import Rum

with Rum.open() as rum:
    (memory,) = rum.recall(query="login").memories
    print(memory.intent.goal, rum.trace(memory.id).total_nodes)
"""


def run_at_once(place: Place, program: str, arguments: list[tuple[object, ...]]) -> list[list[str]]:
    """Start processes at the same time, and return what each printed."""
    with ExitStack() as running:
        processes = [start(running, place, program, *given) for given in arguments]
        for process in processes:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        return [lines_of(process) for process in processes]


def start(running: ExitStack, place: Place, program: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a process, wait until it is ready, and end it with the stack."""
    process = place.start(program, *arguments)
    running.callback(end, process)
    assert process.stdout
    assert process.stdout.readline() == "ready\n", process.communicate()
    return process


@pytest.mark.slow
def test_four_processes_store_250_memories_each_and_all_are_found(place: Place):
    outputs = run_at_once(place, STORER, [(name, 250) for name in "abcd"])
    acknowledged = [line.split() for lines in outputs for line in lines]
    assert len({memory_id for _, memory_id in acknowledged}) == 1000
    with place.open(owner=True) as rum:
        assert rum.summary()["memories"] == 1000
        for word, memory_id in acknowledged:
            assert rum.show(memory_id, "summary").intent.goal == f"Try {word} once"
        for word, memory_id in random.Random(1).sample(acknowledged, 200):
            assert rum.recall(query=word).memories[0].id == memory_id
            assert [memory.id for memory in rum.recall(file=f"{word}.py").memories] == [memory_id]
        assert rum.doctor().problems == []


@pytest.mark.slow
def test_readers_see_whole_memories_while_others_write(place: Place):
    place.open().close()
    with ExitStack() as running:
        readers = [start(running, place, READER) for _ in range(2)]
        run_at_once(place, STORER, [(name, 60) for name in "ab"])
        for reader in readers:
            rounds, seen = map(int, lines_of(reader, "over\n")[-1].split())
            assert rounds > 0
            assert seen <= 120
    with place.open(owner=True) as rum:
        assert rum.summary()["memories"] == 120
        assert rum.doctor().problems == []


def test_two_processes_that_update_one_memory_lose_no_version(place: Place):
    with place.open() as rum:
        memory_id = rum.store(**make_draft()).memory_id
    run_at_once(place, UPDATER, [("left", memory_id), ("right", memory_id)])
    with place.open() as rum:
        history = rum.history(memory_id)
        assert [version.version for version in history] == list(range(1, 42))
        said = [version.memory["outcome"]["summary"] for version in history[1:]]
        assert sorted(said) == sorted(
            f"{side} {number}" for side in ("left", "right") for number in range(20)
        )


def test_two_processes_that_open_a_new_project_at_once_share_it(place: Place):
    outputs = run_at_once(place, STORER, [(name, 5) for name in "abcdef"])
    assert sum(map(len, outputs)) == 30
    assert len(list((place.home / "projects").iterdir())) == 1
    with place.open(owner=True) as rum:
        assert rum.summary()["memories"] == 30
        assert len(rum.agents()) == 6
        assert rum.doctor().problems == []


def test_two_processes_that_register_at_once_are_two_agents(place: Place):
    outputs = run_at_once(place, REGISTRAR, [()] * 4)
    registered = [line.split()[1] for (line,) in outputs]
    with place.open(owner=True) as rum:
        assert {agent.agent_id for agent in rum.agents()} == set(registered)
        assert len(set(registered)) == 4


@pytest.mark.parametrize("attempt", range(3))
def test_if_several_processes_register_one_name_at_once_one_gets_it(place: Place, attempt: int):
    outputs = run_at_once(place, REGISTRAR, [("developer",)] * 4)
    answers = sorted(line.split()[0] for (line,) in outputs)
    assert answers == ["INVALID_QUERY", "INVALID_QUERY", "INVALID_QUERY", "registered"]


@pytest.mark.parametrize("attempt", range(3))
def test_several_processes_that_start_with_one_new_name_are_one_agent(place: Place, attempt: int):
    place.open().close()
    outputs = run_at_once(place, NAMED, [()] * 4)
    assert len({line for (line,) in outputs}) == 1


def test_counting_uses_does_not_block_other_processes(place: Place):
    with place.open() as rum:
        memory_id = rum.store(**make_draft()).memory_id
        rum.recall(query="login")
        rum.settle()
        holder = sqlite3.connect(place.project() / "activity.db", isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        try:
            # Would it wait for the lock, then for so long that the program counted as hanging.
            assert place.run(RECALLER, RUM_BUSY_TIMEOUT="600") == ["Fix the login 0"]
            rum.recall(query="login")
            rum.store(**make_draft("Another goal"))
            rum.settle()
            assert rum.show(memory_id).access_count == 2  # one of them is still to be written down
        finally:
            holder.execute("ROLLBACK")
            holder.close()
        rum.settle()
        assert rum.show(memory_id).access_count == 3


def test_reading_a_memory_does_not_make_it_newer(place: Place):
    with place.open() as rum:
        memory_id = rum.store(**make_draft()).memory_id
        before = rum.show(memory_id)
        for _ in range(3):
            rum.recall(query="login")
        rum.settle()
        after = rum.show(memory_id)
    assert (after.created_at, after.updated_at) == (before.created_at, before.updated_at)
    assert after.access_count == 4


def test_no_lock_is_held_between_calls(place: Place):
    with ExitStack() as running, place.open() as rum:
        waiting = start(running, place, COUNTER)
        assert ask(waiting) == "0"
        for number in range(3):
            rum.store(**make_draft(f"Goal {number}"))
            assert ask(waiting) == str(number + 1)
        memory_id = rum.recall(task_type="bug_fix").memories[0].id
        assert rum.forget(memory_id, purge=True).purged is True
        assert lines_of(waiting) == []


def test_a_memory_opened_twice_in_a_process_keeps_its_lock(place: Place):
    """Closing any descriptor of a file drops a process's locks on it; others would delete the log in use."""
    with place.open() as first:
        first.store(**make_draft())
        second = place.open()
        place.run("from rum import Rum\nRum.open().close()")
        kept = first.store(**make_draft("Written into the log")).memory_id
        assert place.run(f"from rum import Rum\nprint(Rum.open().show({kept!r}).id)") == [kept]
        second.close()
