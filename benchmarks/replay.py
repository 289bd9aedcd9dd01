"""Replays a made-up day through the spool, kills the intake at random, and counts what is stored at the end.

Run it: `python -m benchmarks.replay [CALLS]`.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.sample_day import Day, make_day
from rum import Rum
from rum.capture.clients.detect import event_of
from rum.capture.events.cleaning import clean
from rum.capture.events.event import to_line
from rum.capture.events.spool import append
from rum.capture.observe.turns import memory_id
from rum.redact.redactor import Redactor
from rum.repo.project import open_project
from rum.settings.home import file_lock
from rum.store.captured_events import TurnKey

if TYPE_CHECKING:
    from rum.capture.events.event import Event

CLIENT = "claude-code"


class Replayed(NamedTuple):
    """What came of a day: how many turns there were, what was made of them, and what is wrong."""

    calls: int
    events: int
    turns: int
    silent: int
    memories: int
    lost: int
    twice: int
    too_many: int
    judged_wrongly: int
    seconds: float
    kills: int = 0  # How many were killed while they were at it
    by_killed: int = 0  # Memories that were there before the last one, which nobody killed


def spooled(day: Day, folder: str, since: int = 0, until: int | None = None) -> Iterator[Event]:
    """Leave a part of a day in a spool as hooks would, event by event."""
    redactor = Redactor((), ())
    for call in day.hook_calls[since:until]:
        event = event_of(call.payload, CLIENT, call.at)
        if event is not None:
            event = clean(event, redactor)
            append(folder, event["session"], to_line(event))
            yield event


def replay(base: str, calls: int, kills: int, seed: int = 1) -> Replayed:
    """Write a day to the spool in parts, and kill this many of the processes that read it."""
    home, work = os.path.join(base, "home"), os.path.join(base, "work")
    os.makedirs(work)
    # As a hook does it: opening the memory registers no project.
    folder = os.path.join(open_project(work, flags={"home": home})[1].directory, "spool")
    day, chance = make_day(work, calls, seed), random.Random(seed)
    began, events = time.monotonic(), 0
    at = killed = 0
    for number in range(kills):
        end = len(day.hook_calls) * (number + 1) // kills
        events += sum(1 for _ in spooled(day, folder, at, end))
        at = end
        killed += _killed(home, folder, chance.uniform(0, 1.2))
    with Rum.open(work, home=home, owner=True) as rum:
        before = rum.list(limit=1).total
    child = _child(home, folder)
    child.wait(300)
    took = time.monotonic() - began
    with Rum.open(work, home=home, owner=True) as rum:
        rum.take_in(patience=10)
        return _counted(rum, day, events, took)._replace(kills=killed, by_killed=before)


def _child(home: str, folder: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "rum", "tidy", "--spool", folder],
        env=os.environ | {"RUM_HOME": home, "RUM_EMBEDDER": "none"},
        stdin=subprocess.DEVNULL,
    )


def _killed(home: str, folder: str, after: float) -> bool:
    """Let one take in what there is, and kill it some time after it began; whether it was at it still."""
    child = _child(home, folder)
    while child.poll() is None and not _at_work(folder):
        time.sleep(0.005)
    try:
        child.wait(after)
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGKILL)
        child.wait()
        return True
    return False


def _at_work(folder: str) -> bool:
    """Whether somebody is taking in a spool now."""
    try:
        with file_lock(os.path.join(os.path.dirname(folder), "intake.lock"), 0):
            return False
    except TimeoutError:
        return True


def _counted(rum: Rum, day: Day, events: int, seconds: float) -> Replayed:
    lines = [json.loads(line) for line in rum.export()]
    kept = [line["memory"] for line in lines if line["kind"] == "memory"]
    made = {memory["id"]: memory for memory in kept}
    wanted = {memory_id(TurnKey(CLIENT, one.session, one.agent, one.turn)): one for one in day.expected}
    should = {name: one for name, one in wanted.items() if one.memory}
    return Replayed(
        calls=day.calls,
        events=events,
        turns=len(day.expected),
        silent=sum(not one.memory for one in day.expected),
        memories=len(made),
        lost=len(should.keys() - made.keys()),
        twice=len(kept) - len(made),
        too_many=len(made.keys() - should.keys()),
        judged_wrongly=sum(
            made[name]["outcome"]["success"] != one.success for name, one in should.items() if name in made
        ),
        seconds=round(seconds, 1),
    )


def main() -> None:
    """Print what came of a day."""
    calls = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as base:
        for name, value in replay(base, calls, kills=40)._asdict().items():
            print(f"{name:15} {value}")


if __name__ == "__main__":
    main()
