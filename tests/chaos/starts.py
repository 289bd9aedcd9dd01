"""Processes that start at once in a home without files: none fails, and what they acknowledge is there."""

from __future__ import annotations

import json
import os
import random
import shutil
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

from chaos.figures import Figures
from rum import Rum, RumError
from rum.app.access import AccessTokens
from rum.surfaces.cli.main import main as run_command
from rum.surfaces.hooks.main import run as run_hook
from support.builders import make_draft
from support.hooks import prompt

PROCESSES = 6


def start_together(folder: Path, rng: random.Random, rounds: int, figures: Figures) -> None:
    """Each round, processes that were forked before do their first call at the same moment."""
    for number in range(rounds):
        place = folder / str(number)
        (place / "work").mkdir(parents=True)
        (place / "said").mkdir()
        jobs = [(f"w{one}", rng.choice(sorted(_JOBS))) for one in range(PROCESSES)]
        waiting, begin = os.pipe()
        started = [_fork(place, word, job, waiting, begin) for word, job in jobs]
        os.close(waiting)
        os.close(begin)
        ended = [os.waitpid(process, 0)[1] for process in started]
        for (word, job), status in zip(jobs, ended, strict=True):
            said = (place / "said" / word).read_text(errors="replace")
            if status or "Traceback" in said or "damaged" in said or "is empty" in said:
                figures.fault(
                    "crash", f"{job} beside {[other for _, other in jobs]}: {status} {said[-1500:]}"
                )
        _check(place, jobs, figures)
        figures.count("processes started together", len(jobs))
        shutil.rmtree(place)


def _fork(place: Path, word: str, job: str, waiting: int, begin: int) -> int:
    """A process that waits until `begin` is closed, then does its job; what it prints goes into a file."""
    child = os.fork()
    if child:
        return child
    try:
        said = os.open(place / "said" / word, os.O_WRONLY | os.O_CREAT)
        os.dup2(said, 1)
        os.dup2(said, 2)
        sys.stdout = sys.stderr = os.fdopen(said, "w")
        os.chdir(place / "work")
        os.environ.update(RUM_HOME=str(place / "home"), RUM_EMBEDDER="none", RUM_IDLE_AFTER="0")
        os.close(begin)
        os.read(waiting, 1)
        _JOBS[job](word)
        status = 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    os._exit(status)


def _check(place: Path, jobs: list[tuple[str, str]], figures: Figures) -> None:
    done: dict[str, list[str]] = {}
    for word, job in jobs:
        done.setdefault(job, []).append(word)
    kept = b"".join(path.read_bytes() for path in (place / "home").rglob("*") if path.is_file())
    missing = [word for word in done.get("hook", ()) if f"Mend {word} of it".encode() not in kept]
    try:
        with Rum.open(place / "work", home=place / "home", owner=True) as rum:
            for problem in rum.doctor().problems:
                figures.fault("damage", f"after {sorted(done)}: {problem.what}")
            exported = b"".join(rum.export()).decode()
            tokens = {one.name for one in AccessTokens(rum.settings.home).all()}
        files = [path for path in (place / "work").rglob("*") if path.suffix in (".md", ".yaml")]
        written = "".join(path.read_text() for path in files)
        missing += [word for word in done.get("store", ()) if f"Try {word} once" not in exported]
        missing += [word for word in done.get("learn", ()) if f'"{word}"' not in exported]
        missing += [word for job in ("note", "journal") for word in done.get(job, ()) if word not in written]
        missing += [word for word in done.get("token", ()) if word not in tokens]
        for word in missing:
            figures.fault("lost write", f"{word} of {jobs}")
        if len(list((place / "home" / "projects").glob("*"))) > 1:
            figures.fault("damage", f"several projects for one folder, after {sorted(done)}")
    except RumError as error:
        figures.fault("damage", f"after {sorted(done)}: {error!r}")


def _with_rum(do: Callable[[Rum, str], object]) -> Callable[[str], None]:
    def job(word: str) -> None:
        with Rum.open(owner=True) as rum:
            do(rum, word)

    return job


def _hook(word: str) -> None:
    reading, writing = os.pipe()
    os.write(writing, json.dumps(prompt(Path.cwd(), f"Mend {word} of it", session_id=word)).encode())
    os.close(writing)
    os.dup2(reading, 0)
    run_hook(["claude-code"])


def _command(*arguments: str) -> Callable[[str], None]:
    def job(_: str) -> None:
        if run_command(list(arguments)):
            raise AssertionError(f"rum {arguments} failed")

    return job


_NOTE = {"content": "Its text.", "when_to_use": ["x"]}
_ENTRY = {"type": "code_pattern", "importance": "low"}
_JOBS: dict[str, Callable[[str], None]] = {
    "store": _with_rum(lambda rum, word: rum.store(**make_draft(f"Try {word} once"))),
    "learn": _with_rum(lambda rum, word: rum.facts.set(word, "value")),
    "note": _with_rum(lambda rum, word: rum.call("note", {"action": "add", "title": word, **_NOTE})),
    "journal": _with_rum(
        lambda rum, word: rum.call(
            "journal",
            {
                "action": "add",
                "kind": "discovery",
                "session": "s",
                "agent": "a",
                "entry": {**_ENTRY, "content": f"Seen {word}."},
            },
        )
    ),
    "layers": _with_rum(lambda rum, word: rum.layers.append("episodic", {"content": word})),
    "page": _with_rum(lambda rum, _: rum.pages.overview()),
    "token": _with_rum(lambda rum, word: AccessTokens(rum.settings.home).create(word, "reader", "p")),
    "hook": _hook,
    "list": _command("list"),
    "doctor": _command("doctor"),
    "tidy": _command("tidy"),
    "status": _command("stats"),
}
