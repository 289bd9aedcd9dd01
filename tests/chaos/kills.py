"""Kill writers of every kind at random moments: what they acknowledged is there, and the rest is whole."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from chaos.figures import Figures
from migrations.test_schema import build_by_hand
from rum import NotFound, Rum, RumError
from rum.app.access import AccessTokens
from rum.model.ids import new_id

PATIENCE = 120  # Seconds after which a program counts as hanging
KILLS_PER_STORE = 10

_START = """
import itertools, sys
from support.builders import make_draft
from rum import Rum

print("begun", flush=True)
"""

_STORE = """
rum, before = Rum.open(), None
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    links = {"caused_by": before} if before else {}
    kept = rum.store(**make_draft(f"Try {word} once", tags=[word], links=links))
    before = kept.memory_id
    print("stored", word, before, flush=True)
"""
_CHANGE = """
rum = Rum.open(owner=True)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    kept = rum.store(**make_draft(f"Try {word} once"))
    print("stored", word, kept.memory_id, flush=True)
    rum.update_memory(kept.memory_id, intent={"goal": f"Try new{word} again"})
    print("updated", word, kept.memory_id, flush=True)
    if number % 2:
        rum.forget(kept.memory_id)
        print("forgotten", word, kept.memory_id, flush=True)
"""
_LEARN = """
rum = Rum.open(owner=True)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    rum.facts.set(word, str(number))
    print("fact", word, number, flush=True)
"""
_NOTE = """
rum = Rum.open(owner=True)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    entry = {"title": "One title", "content": f"Entry {word}.", "when_to_use": ["x"]}
    rum.call("note", {"action": "add", **entry})
    print("note", word, number, flush=True)
"""
_JOURNAL = """
rum = Rum.open(owner=True)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    entry = {"type": "code_pattern", "content": f"Seen {word}.", "importance": "low"}
    rum.call("journal", {"action": "add", "kind": "discovery", "session": "s", "agent": "a", "entry": entry})
    print("entry", word, number, flush=True)
"""
_REINDEX = "rum = Rum.open(owner=True)\nwhile True: rum.reindex()\n"
_ARCHIVE = """
import time
rum = Rum.open(owner=True, clock=lambda: time.time() + 10 * 86400)
while True:
    rum.archive(older_than=1, importance=1.0, uses=99)
"""
_IMPORT = "rum = Rum.open(owner=True)\nrum.import_git(sys.argv[2])\nprint('done', flush=True)\n"


_TRASH = """
rum = Rum.open(owner=True)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    kept = rum.store(**make_draft(f"Try {word} once"))
    print("stored", word, kept.memory_id, flush=True)
    rum.forget(kept.memory_id)
    print("forgotten", word, kept.memory_id, flush=True)
    if number % 3:
        rum.restore(kept.memory_id)
        print("stored", word, kept.memory_id, flush=True)
"""
_CAPTURE = """
import time
from rum.capture.events.event import new_event, to_line
from rum.capture.events.spool import folders, write_line

rum = Rum.open(owner=True)
rum.facts.set("a", "b")  # makes the project's folder
places = folders(rum.settings.home, rum.project.id, rum.project.directory)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    files = [{"path": "a.py", "operation": "edit", "added": f"x = {number}", "removed": "x = 0"}]
    parts = (
        ("prompt", {"text": f"Change the parser as {word} says"}),
        ("after", {"tool": "edit", "files": files, "call": word}),
        ("stop", {"text": "The parser is changed."}),
    )
    for kind, more in parts:
        event = new_event("claude-code", sys.argv[1], kind, time.time(), ".", (word,), turn=word, **more)
        write_line(places, sys.argv[1], to_line(event))
    print("turn", word, "x", flush=True)
    if number % 5 == 4:
        rum.take_in()
"""


_SYNC = """
import os
from pathlib import Path

os.environ["RUM_SHARE"] = "all"
shared = Path("../shared").absolute()
shared.mkdir(exist_ok=True)
rum = Rum.open(owner=True)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    kept = rum.store(**make_draft(f"Try {word} once"))
    print("stored", word, kept.memory_id, flush=True)
    rum.sync(str(shared))
    print("shared", word, kept.memory_id, flush=True)
"""
_CONFIRM = """
from pathlib import Path

rum = Rum.open(owner=True)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    edit = {"type": "file_edit", "file_path": "b.py"}
    Path("b.py").write_text(f"def f():\\n    return {number}\\n")
    kept = rum.store(**make_draft(f"Try {word} once", actions=[edit]))
    Path("b.py").write_text(f"def f():\\n    return -{number}\\n")
    rum.verify()
    rum.confirm(kept.memory_id)
    print("stored", word, kept.memory_id, flush=True)
"""
_TOKEN = """
from rum.app.access import AccessTokens

rum = Rum.open(owner=True)
rum.facts.set("a", "b")
tokens = AccessTokens(rum.settings.home)
for number in itertools.count():
    word = f"w{sys.argv[1]}x{number}"
    _, secret = tokens.create(word, "writer", rum.project.id)
    print("token", word, secret, flush=True)
    tokens.create(f"{word}y", "reader", rum.project.id)
    tokens.revoke(f"{word}y")
"""


class Writer(NamedTuple):
    """A program that writes until it is killed, and the longest time it may run.

    `changes` says that the line it prints next may undo the last one, `prints` that it prints what it did.
    """

    name: str
    program: str
    longest: float = 0.3
    changes: bool = False
    prints: bool = True


WRITERS = (
    Writer("store", _STORE),
    Writer("change", _CHANGE, changes=True),
    Writer("trash", _TRASH, changes=True),
    Writer("capture", _CAPTURE),
    Writer("fact", _LEARN),
    Writer("note", _NOTE),
    Writer("journal", _JOURNAL),
    Writer("reindex", _REINDEX, prints=False),
    Writer("archive", _ARCHIVE, prints=False),
    Writer("import", _IMPORT, 0.8, prints=False),
    Writer("sync", _SYNC, 0.6),
    Writer("confirm", _CONFIRM),
    Writer("token", _TOKEN),
)


def kill_writers(folder: Path, rng: random.Random, kills: int, figures: Figures) -> None:
    """Kill random writers, ten for each store, and check the store after every kill; a tenth are migrations.

    A store is used for several kills, as damage may only show later.
    """
    kill_migrations(folder / "migrations", rng, kills // 10, figures)
    kills -= kills // 10
    history = _make_history(folder / "history", rng)
    while kills > 0:
        place = folder / f"kills-{rng.randrange(10**9)}"
        (place / "work").mkdir(parents=True)
        acknowledged: list[list[str]] = []
        for _ in range(min(kills, KILLS_PER_STORE)):
            writer = rng.choice(WRITERS)
            lines = _run_until_killed(place, writer, f"{rng.randrange(10**6)}", history, rng, figures)
            acknowledged += lines[:-1] if writer.changes else lines
            unsure = lines[-1][2] if lines and writer.changes else ""
            acknowledged = [line for line in acknowledged if line[2] != unsure or line[0] not in _CHANGES]
            _check(place, acknowledged, writer.name, figures)
            figures.count("kills")
        _check_import(place, history, figures)
        _check_shared(place, acknowledged, figures)
        kills -= KILLS_PER_STORE
        shutil.rmtree(place)


_CHANGES = ("stored", "updated", "forgotten")
_OLD_SCHEMA = 9  # Of the stores whose migration is killed
_OLD_MEMORIES = 400
_MIGRATE = """
import sys
from rum import Rum
print("begun", flush=True)
Rum.open(owner=True).list(limit=1)
"""
_OLD_MEMORY = """
INSERT INTO memories (id, agent_id, project_id, session_id, created_at, intent_goal, intent_type,
  outcome_success, outcome_summary, intent, perception, reasoning, actions, outcome)
VALUES (?, 'agent_a', 'p', 's', 1, 'g', 'bug_fix', 1, 'd', ?, '{}', '{}', '[]', ?)
"""


def kill_migrations(folder: Path, rng: random.Random, kills: int, figures: Figures) -> None:
    """Kill a process that migrates an old store, until one is through: every memory is still there."""
    for number in range(kills):
        place = folder / str(number)
        (place / "work").mkdir(parents=True)
        with Rum.open(place / "work", home=place / "home", owner=True) as rum:
            rum.facts.set("a", "b")  # registers the project
            directory = Path(rum.project.directory)
        for path in directory.glob("rum.db*"):
            path.unlink()
        build_by_hand(directory, "rum", _OLD_SCHEMA)
        with closing(sqlite3.connect(directory / "rum.db")) as db, db:
            db.execute(
                "INSERT INTO agents VALUES ('agent_a', 'main', NULL, 'p', NULL, NULL, 1, 1, NULL, '{}')"
            )
            intent, outcome = '{"goal": "g", "task_type": "bug_fix"}', '{"success": true, "summary": "d"}'
            rows = [(new_id("mem"), intent, outcome) for _ in range(_OLD_MEMORIES)]
            db.executemany(_OLD_MEMORY, rows)
        _run_until_killed(place, Writer("migration", _MIGRATE, 0.25, prints=False), "x", folder, rng, figures)
        try:
            with Rum.open(place / "work", home=place / "home", owner=True) as rum:
                found = sum(b'"kind":"memory"' in line for line in rum.export())
        except RumError as error:
            figures.fault("damage", f"after killing a migration: {error!r}")
        else:
            if found != _OLD_MEMORIES:
                figures.fault("lost write", f"{found} of {_OLD_MEMORIES} memories after a killed migration")
        figures.count("kills")
        shutil.rmtree(place)


def _run_until_killed(
    place: Path, writer: Writer, name: str, history: Path, rng: random.Random, figures: Figures
) -> list[list[str]]:
    """The complete lines that a writer printed before it was killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", _START + writer.program, name, str(history)],
        cwd=place / "work",
        env=environment(place),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    process.stdout.readline()
    # Every other one acknowledges something first, however slow the machine is.
    first = process.stdout.readline() if writer.prints and rng.random() < 0.5 else ""
    time.sleep(rng.uniform(0, writer.longest))
    process.send_signal(signal.SIGKILL)
    printed = first + process.stdout.read()
    _, complaints = process.communicate(timeout=PATIENCE)
    if "Traceback" in complaints:
        figures.fault("crash", f"{writer.name}: {complaints[-1500:]}")
    lines = [line.split() for line in printed.splitlines(keepends=True) if line.endswith("\n")]
    return [line for line in lines if len(line) == 3]


def _check(place: Path, acknowledged: list[list[str]], writer: str, figures: Figures) -> None:
    """Open the store as the next process would, and look for everything that was acknowledged."""
    last: dict[str, list[str]] = {line[1]: line for line in acknowledged}
    try:
        with Rum.open(place / "work", home=place / "home", owner=True) as rum:
            for problem in rum.doctor().problems:
                figures.fault("damage", f"after killing {writer}: {problem.what}")
            notes = journal = turns = None
            for done, word, value in last.values():
                if done == "note":
                    notes = notes or "".join(
                        p.read_text() for p in (place / "work" / ".rum/notes").glob("*.md")
                    )
                    found = f"Entry {word}." in notes
                elif done == "entry":
                    files = (place / "work" / ".rum/sessions").rglob("*.yaml")
                    journal = journal or "".join(path.read_text() for path in files)
                    found = f"Seen {word}." in journal
                elif done == "turn":
                    turns = turns or _captured_goals(rum)
                    found = word in turns
                elif done == "token":
                    found = AccessTokens(rum.settings.home).find(value) is not None
                elif done == "fact":
                    found = (fact := rum.facts.get(word)) is not None and fact.value == value
                else:
                    found = _has(rum, done, word, value)
                if not found:
                    figures.fault("lost write", f"{done} {word} {value}, after killing {writer}")
            list(rum.export())
    except RumError as error:
        figures.fault("damage", f"after killing {writer}: {error!r}")
    figures.count("acknowledged writes checked", len(last))


def _captured_goals(rum: Rum) -> str:
    """The goals of all memories, after the spool was processed."""
    rum.take_in()
    return " ".join(line.decode() for line in rum.export() if b'"kind":"memory"' in line)


def _has(rum: Rum, done: str, word: str, memory_id: str) -> bool:
    try:
        goal = rum.show(memory_id).intent.goal
    except NotFound:
        return done == "forgotten"
    return done != "forgotten" and goal == (
        f"Try new{word} again" if done == "updated" else f"Try {word} once"
    )


def _make_history(folder: Path, rng: random.Random) -> Path:
    """A repository with a few hundred commits."""
    folder.mkdir(parents=True)

    def run(*a) -> object:
        return subprocess.run(["git", "-C", folder, *a], check=True, capture_output=True)

    run("init", "-q", "-b", "main")
    stream = []
    for number in range(300):
        text = f"line {rng.randrange(10**9)}\n" * 5
        message = f"Change {number} of the parser"
        stream.append(
            f"commit refs/heads/main\ncommitter A <a@example.com> {1_700_000_000 + number * 60} +0000\n"
            f"data {len(message)}\n{message}\nM 100644 inline f{number % 40}.py\ndata {len(text)}\n{text}\n"
        )
    subprocess.run(
        ["git", "-C", folder, "fast-import", "--quiet"], input="".join(stream), text=True, check=True
    )
    return folder


def _check_import(place: Path, history: Path, figures: Figures) -> None:
    """After interrupted imports a complete one adds exactly what is missing."""
    with Rum.open(place / "work", home=place / "home", owner=True) as rum:
        rum.import_git(history)
        goals = [line for line in rum.export() if b'"kind":"memory"' in line and b" of the parser" in line]
    if len(goals) != 300:
        figures.fault("lost write", f"{len(goals)} of 300 commits after interrupted imports")


def _check_shared(place: Path, acknowledged: list[list[str]], figures: Figures) -> None:
    """Another machine receives all that was shared, whatever was killed while sharing."""
    shared = [line for line in acknowledged if line[0] == "shared"]
    if not shared:
        return
    (place / "twin").mkdir()
    try:
        with Rum.open(place / "twin", home=place / "twin-home", owner=True) as rum:
            rum.sync(str(place / "shared"))
            for _, word, memory_id in shared:
                if not _has(rum, "shared", word, memory_id):
                    figures.fault("lost write", f"{word} {memory_id} did not reach another machine")
    except RumError as error:
        figures.fault("damage", f"receiving what a killed process shared: {error!r}")
    figures.count("shared writes checked", len(shared))


def environment(place: Path) -> dict[str, str]:
    folders = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
    variables = {"RUM_HOME": str(place / "home"), "RUM_EMBEDDER": "none", "RUM_IDLE_AFTER": "0"}
    return kept | variables | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}
