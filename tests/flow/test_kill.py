"""Every acknowledged write and every captured event survives a kill at any moment."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from benchmarks.replay import replay

from rum import NotFound, Rum
from support.processes import Place, end

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL on Windows"),
]

KILLS = 5
LONGEST = 0.4  # seconds from the first sign of life to the end

WRITER = """
import itertools, sys
from support.builders import make_draft
from rum import Rum

print("begun", flush=True)
rum, before = Rum.open(), None
for number in itertools.count():
    word = f"word{sys.argv[1]}x{number}"
    links = {"caused_by": before} if before else {}
    files = [{"type": "file_edit", "file_path": f"src/{word}.py"}]
    kept = rum.store(**make_draft(f"Try {word} once", tags=[word], actions=files, links=links))
    before = kept.memory_id
    print(word, before, flush=True)
"""

CHANGER = """
import itertools, sys
from support.builders import make_draft
from rum import Rum

print("begun", flush=True)
rum = Rum.open()
for number in itertools.count():
    word = f"word{sys.argv[1]}x{number}"
    kept = rum.store(**make_draft(f"Try {word} once"))
    print("stored", word, kept.memory_id, flush=True)
    if number % 3:
        rum.update_memory(kept.memory_id, intent={"goal": f"Try new{word} again"})
        print("updated", word, kept.memory_id, flush=True)
    if number % 3 == 2:
        rum.forget(kept.memory_id)
        print("forgotten", word, kept.memory_id, flush=True)
"""


def printed_until_killed(place: Place, program: str, name: int, after: float) -> list[list[str]]:
    """The complete lines a writer printed before it was killed."""
    writer = place.start(program, name)
    try:
        assert writer.stdout
        assert writer.stdout.readline() == "begun\n"
        time.sleep(after)
        writer.send_signal(signal.SIGKILL)
        printed = writer.stdout.read()  # with what `readline` read ahead, which `communicate` leaves out
        _, complaints = writer.communicate()
    finally:
        end(writer)
    assert writer.returncode == -signal.SIGKILL, complaints
    return [line.split() for line in printed.splitlines(keepends=True) if line.endswith("\n")]


def ids_found(rum: Rum, query: str) -> list[str]:
    return [memory.id for memory in rum.recall(query=query, limit=3).memories]


def assert_kept(rum: Rum, word: str, memory_id: str) -> None:
    memory = rum.show(memory_id)
    assert memory.intent.goal == f"Try {word} once"
    assert memory.tags == (word,)
    assert ids_found(rum, word)[0] == memory_id
    assert [found.id for found in rum.recall(file=f"src/{word}.py").memories] == [memory_id]


def assert_whole(rum: Rum) -> None:
    """Check that every memory, acknowledged or not, has the link that was stored with it."""
    lines = [json.loads(line) for line in rum.export()]
    linked = {line["source_id"] for line in lines if line["kind"] == "link"}
    stored = [line["memory"] for line in lines if line["kind"] == "memory"]
    first = [memory for memory in stored if memory["intent"]["goal"].endswith("x0 once")]
    assert {memory["id"] for memory in stored} - {memory["id"] for memory in first} == linked


@pytest.mark.parametrize("round_", range(5))
@pytest.mark.parametrize("watched", [False, True], ids=["alone", "beside-an-open-reader"])
def test_every_acknowledged_memory_is_found_after_a_kill(place: Place, watched: bool, round_: int):
    moments = random.Random(round_ + 10 * watched)
    acknowledged: list[list[str]] = []
    with ExitStack() as open_for_long:
        if watched:
            open_for_long.enter_context(place.open())
        for kill in range(KILLS):
            # On a busy machine none may have come so far: the last one gets more time.
            longer = 5.0 if kill == KILLS - 1 and not acknowledged else 0.0
            after = moments.uniform(0, LONGEST) + longer
            new = printed_until_killed(place, WRITER, kill, after)
            acknowledged += new
            with place.open() as rum:
                assert rum.doctor().problems == []
                # After the last kill, also those that were found after earlier ones.
                for word, memory_id in acknowledged if kill == KILLS - 1 else new:
                    assert_kept(rum, word, memory_id)
                assert_whole(rum)
                known = rum.recall(task_type="bug_fix", limit=1).total_matches
                assert len(acknowledged) <= known <= len(acknowledged) + kill + 1
    assert acknowledged


def test_every_acknowledged_change_survives_a_kill(place: Place):
    moments = random.Random(22)
    for kill in range(2 * KILLS):
        lines = printed_until_killed(place, CHANGER, kill, moments.uniform(0, LONGEST))
        last: dict[tuple[str, str], str] = {(word, memory_id): done for done, word, memory_id in lines}
        unsure = lines[-1][2] if lines else None
        with place.open() as rum:
            assert rum.doctor().problems == []
            for (word, memory_id), done in last.items():
                if memory_id != unsure:
                    assert_holds(rum, word, memory_id, done)


def assert_holds(rum: Rum, word: str, memory_id: str, done: str) -> None:
    if done == "forgotten":
        assert memory_id not in ids_found(rum, f"new{word}")
        with pytest.raises(NotFound):
            rum.show(memory_id)
        rum.restore(memory_id)
        assert memory_id in ids_found(rum, f"new{word}")
        rum.forget(memory_id)
        return
    expected = word if done == "stored" else f"new{word}"
    assert expected in rum.show(memory_id).intent.goal
    assert ids_found(rum, expected)[0] == memory_id
    assert len(rum.history(memory_id)) == (1 if done == "stored" else 2)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such way to be killed")
@pytest.mark.parametrize("seed", [1, 2])
def test_events_processed_by_killed_processes_are_complete_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
):
    for name in [name for name in os.environ if name.startswith("RUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    day = replay(str(tmp_path), calls=250, kills=12, seed=seed)
    assert (day.lost, day.twice, day.too_many, day.judged_wrongly) == (0, 0, 0, 0)
    assert day.memories == day.turns - day.silent > 0
