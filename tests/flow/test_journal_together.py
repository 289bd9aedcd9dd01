"""Many processes in one journal: no entry is lost, and readers see complete files."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rum.store.files.yaml import load
from support.journals import HEADER
from support.processes import ask, end, lines_of, make_place

WRITERS = 8
EACH = 12

WRITER = """
import sys
from rum import Rum

name, count = sys.argv[1], int(sys.argv[2])
with Rum.open(agent=name, session="s1") as rum:
    journal = rum.journal("s1", "developer")
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        kind = ("attempt", "decision", "discovery")[number % 3]
        entry = {"description": f"{name} {number}", "content": f"{name} {number}\\nmore\\n"}
        entry |= {"type": "skip" if kind == "decision" else "data_model"}
        written = journal.add(kind, entry)
        print(kind, written.id, flush=True)
        if kind == "attempt":
            journal.complete(written.id, "success", output=f"{name} {number}\\ndone\\n")
        if number == count - 1:
            journal.context({"taskContext": {name: number}})
"""

READER = """
import sys, threading
from rum import Rum
from rum.model.journal import problems
from rum.store.files.yaml import load

over = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), over.set()), daemon=True).start()
with Rum.open(owner=True) as rum:
    journal = rum.journal("s1", "developer")
    print("ready", flush=True)
    seen = rounds = 0
    while not over.is_set() or not rounds:
        with open(journal.path, "rb") as file:
            text = file.read().decode()
        value = load(text, "file")
        assert not list(problems(value)), list(problems(value))
        count = sum(len(value.get(name) or []) for name in ("discoveries", "attempts", "decisions"))
        assert count >= seen, "an entry was lost"
        seen, rounds = count, rounds + 1
        journal.prompt(), rum.journals.arbiter("s1"), rum.journals.sessions()
    print(rounds, seen)
"""


def test_eight_processes_lose_no_entry_and_readers_see_only_complete_files(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    path = place.work / ".rum" / "sessions" / "s1" / "developer" / "agent-memory.yaml"
    path.parent.mkdir(parents=True)
    path.write_text(HEADER + "# kept by hand\nmood: good\n")
    with ExitStack() as stack:
        writers = [place.start(WRITER, f"w{number}", EACH) for number in range(WRITERS)]
        reader = place.start(READER)
        for process in (*writers, reader):
            stack.callback(end, process)
        for process in (*writers, reader):
            assert process.stdout.readline() == "ready\n", process.stderr.read()
        for writer in writers:
            writer.stdin.write("\n")
            writer.stdin.flush()
        told = [line.split() for writer in writers for line in lines_of(writer)]
        rounds, seen = map(int, ask(reader).split())

    value: Any = load(path.read_text(), "file")
    found = {
        kind: {entry["id"]: entry for entry in value[section]}
        for kind, section in (
            ("attempt", "attempts"),
            ("decision", "decisions"),
            ("discovery", "discoveries"),
        )
    }
    assert len(told) == WRITERS * EACH
    assert sorted(told) == sorted([kind, name] for kind in found for name in found[kind])
    assert all(entry["result"] == "success" and entry["output"] for entry in found["attempt"].values())
    said = [
        entry.get("description") or entry["content"].split("\n")[0]
        for kind in found
        for entry in found[kind].values()
    ]
    assert sorted(said) == sorted(f"w{name} {number}" for name in range(WRITERS) for number in range(EACH))
    assert value["context"] == {"taskContext": {f"w{number}": EACH - 1 for number in range(WRITERS)}}
    assert "# kept by hand\nmood: good\n" in path.read_text()
    assert rounds > 0
    assert seen <= WRITERS * EACH
    assert [one.name for one in path.parent.iterdir() if one.suffix != ".lock"] == ["agent-memory.yaml"]


def test_the_metadata_counts_the_entries_of_all_writers(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with ExitStack() as stack:
        writers = [place.start(WRITER, f"w{number}", 6) for number in range(3)]
        for writer in writers:
            stack.callback(end, writer)
            writer.stdin.write("\n")
            writer.stdin.flush()
        for writer in writers:
            lines_of(writer)
    metadata: Any = load((place.work / ".rum" / "sessions" / "s1" / "metadata.yaml").read_text(), "file")
    assert sum(metadata["counts"].values()) == 18
    assert metadata["agents"] == ["developer"]


def test_no_entry_is_lost_if_old_entries_are_archived_meanwhile(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    path = place.work / ".rum" / "sessions" / "s1" / "developer" / "agent-memory.yaml"
    path.parent.mkdir(parents=True)
    old = "  - id: old-{0}\n    timestamp: 2024-02-14T{0:02}:15:10Z\n    type: data_model\n"
    old += "    content: |+\n      x\n\n"
    path.write_text(HEADER + "discoveries:\n" + "".join(old.format(hour) for hour in range(10)))
    with ExitStack() as stack:
        writers = [place.start(WRITER, f"w{number}", 6) for number in range(4)]
        for writer in writers:
            stack.callback(end, writer)
            writer.stdin.write("\n")
            writer.stdin.flush()
        told = [line.split()[1] for writer in writers for line in lines_of(writer)[1:]]

    journal: Any = load(path.read_text(), "file")
    archive: Any = load(path.with_name("agent-memory-archive.yaml").read_text(), "file")
    assert [entry["id"] for entry in archive["discoveries"]] == [f"old-{hour}" for hour in range(10)]
    assert all(entry["content"] == "x\n\n" for entry in archive["discoveries"])
    sections = ("attempts", "decisions", "discoveries")
    assert sorted(entry["id"] for name in sections for entry in journal[name]) == sorted(told)
    assert len(told) == 24
