"""Many processes add to one note at once: every entry is there, and every read is complete."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.processes import end, lines_of, make_place

WRITERS, EACH = 8, 6

WRITE = """
import sys
from rum import Rum
with Rum.open(agent=f"writer-{sys.argv[1]}") as rum:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(int(sys.argv[2])):
        added = rum.notes.add("One note", f"```\\n{sys.argv[1]}.{number}\\n---\\n```", "always|never")
        print(added.id, flush=True)
"""


@pytest.mark.slow
def test_no_entry_is_lost_and_every_read_is_valid(tmp_path: Path):
    place = make_place(tmp_path)
    place.open().close()
    writers: list[subprocess.Popen[str]] = []
    try:
        writers = [place.start(WRITE, number, EACH) for number in range(WRITERS)]
        for writer in writers:
            assert writer.stdout.readline() == "ready\n"
        for writer in writers:
            writer.stdin.write("go\n")
            writer.stdin.flush()
        seen = 0
        with place.open() as rum:
            while any(writer.poll() is None for writer in writers):
                found = rum.notes.list()
                assert not found.broken
                if found.notes:
                    (note,) = found.notes
                    assert note.entries >= seen
                    seen = note.entries
            printed = [line for writer in writers for line in lines_of(writer)]
            assert sorted(printed, key=lambda id: int(id.partition("#")[2])) == [
                f"one-note#{n}" for n in range(1, WRITERS * EACH + 1)
            ]
            entries = rum.notes.show("one-note").entries
        contents = {entry.content.split("\n")[1] for entry in entries}
        assert contents == {f"{number}.{n}" for number in range(WRITERS) for n in range(EACH)}
        assert [file.name for file in (place.work / ".rum" / "notes").iterdir()] == ["one-note.md"]
    finally:
        for writer in writers:
            end(writer)
