"""Several processes in one project's layers, and in one directory of layer files: nothing is lost."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from rum import MemoryManager
from support.processes import Place, end, lines_of

WRITER = """
import sys
from rum import MemoryManager

path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with MemoryManager(path) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        word = f"{name}{number}"
        memory.append("episodic", {"content": word})
        memory.append("procedural", {"content": word, "metadata": {"condition": word}})
        memory.learn({"key": word, "value": name})
        memory.learn({"key": "shared", "value": word})
        print(word, flush=True)
"""

READER = """
import sys, threading
from rum import MemoryManager

over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
with MemoryManager(sys.argv[1]) as memory:
    print("ready", flush=True)
    seen = 0
    while not over.is_set():
        count = memory.get_stats().episodic_entry_count
        assert count >= seen, "an entry was lost"
        seen = count
        memory.search("semantic", "shared")
        memory.get_episodic_memory()
    print(seen)
"""

COMPACTER = """
import sys
from rum import MemoryManager

with MemoryManager(sys.argv[1]) as memory:
    print("ready", flush=True)
    sys.stdin.readline()
    print(sum(memory.compact("episodic", keep_last=3) for _ in range(30)))
"""


@pytest.fixture(params=["project", "files"])
def path(request: pytest.FixtureRequest, place: Place) -> Path:
    return place.work if request.param == "project" else place.work / ".rlm-data" / "memory"


def begin(running: ExitStack, place: Place, programs: list[tuple[object, ...]]) -> list[list[str]]:
    """Start processes at the same time, and return what each printed."""
    processes = [place.start(str(program), *given) for program, *given in programs]
    for process in processes:
        running.callback(end, process)
        assert process.stdout
        assert process.stdout.readline() == "ready\n", process.communicate()
    for process in processes:
        assert process.stdin
        process.stdin.write("go\n")
        process.stdin.flush()
    return [lines_of(process) for process in processes]


@pytest.mark.slow
def test_four_processes_that_write_at_once_lose_nothing(place: Place, path: Path):
    with ExitStack() as running:
        reader = place.start(READER, path)
        running.callback(end, reader)
        assert reader.stdout
        assert reader.stdout.readline() == "ready\n"
        outputs = begin(running, place, [(WRITER, path, name, 15) for name in "abcd"])
        lines_of(reader, "over\n")
    words = {word for lines in outputs for word in lines}
    assert len(words) == 60
    with MemoryManager(path, home=place.home) as memory:
        entries = [entry.content for entry in memory.get_episodic_memory()]
        assert sorted(entries) == sorted(words)
        for name in "abcd":
            assert [word for word in entries if word[0] == name] == [
                f"{name}{number}" for number in range(15)
            ]
        rules = memory.search("procedural", " ".join(words), limit=200)
        assert {rule.content for rule in rules} == words
        assert all((known := memory.recall(word)) and known.value == word[0] for word in words)
        assert (shared := memory.recall("shared")) is not None
        assert shared.value in {f"{name}14" for name in "abcd"}
        assert memory.get_stats().semantic_entry_count == 61


@pytest.mark.slow
def test_compacting_while_others_write_loses_no_line(place: Place, path: Path):
    with ExitStack() as running:
        programs: list[tuple[object, ...]] = [(WRITER, path, name, 20) for name in "ab"]
        outputs = begin(running, place, [*programs, (COMPACTER, path), (COMPACTER, path)])
    words = [word for lines in outputs[:2] for word in lines]
    with MemoryManager(path, home=place.home) as memory:
        memory.compact("episodic", keep_last=0)
        [summary] = memory.get_episodic_memory()
    first, *lines = summary.content.splitlines()
    assert first == "[Summary of 40 entries]"
    assert sorted(lines) == sorted(f"- {word}" for word in words)


def test_an_entry_survives_its_process(place: Place, path: Path):
    program = (
        "import os, sys\nfrom rum import MemoryManager\nmemory = MemoryManager(sys.argv[1])\n"
        "memory.append('episodic', {'content': 'kept'})\nmemory.learn({'key': 'a', 'value': 'b'})\n"
        "memory.append('working', {'content': 'gone'})\nprint('kept', flush=True)\nos._exit(0)"
    )
    assert place.run(program, path) == ["kept"]
    with MemoryManager(path, home=place.home) as memory:
        assert [entry.content for entry in memory.get_episodic_memory()] == ["kept"]
        assert memory.recall("a") is not None
        assert memory.get_working_memory() == []


def test_layer_files_are_complete_at_every_moment(place: Place):
    path = place.work / ".rlm-data" / "memory"
    with ExitStack() as running:
        writers = [place.start(WRITER, path, name, 15) for name in "ab"]
        for writer in writers:
            running.callback(end, writer)
            assert writer.stdout
            assert writer.stdout.readline() == "ready\n"
            assert writer.stdin
            writer.stdin.write("go\n")
            writer.stdin.flush()
        reads = 0
        while any(writer.poll() is None for writer in writers):
            for file in path.glob("*.json"):
                json.loads(file.read_text())
                reads += 1
        assert reads
        for writer in writers:
            lines_of(writer)
    assert not [name for name in path.iterdir() if name.suffix != ".json"]
