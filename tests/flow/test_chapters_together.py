"""Several processes that create the same chapter and wisdom at once create one of each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.processes import ask, end, lines_of, make_place
from support.projects import keep

pytestmark = pytest.mark.both_stores

MAKER = """
import json, sys
from rum import Rum

with Rum.open(agent=sys.argv[1]) as rum:
    print("ready", flush=True)
    given = json.loads(sys.stdin.readline())
    made = [rum.chapters.create(memory_ids=ids) for ids in given]
    print(json.dumps([one.chapter_id for one in made]))
    wisdom = rum.wisdom.synthesize(chapter_ids=[one.chapter_id for one in made])
    print(json.dumps([wisdom.wisdom_id, sum(one.created for one in made), wisdom.created]))
"""
CHANGER = """
import sys
from rum import Rum

with Rum.open(agent="ann") as rum:
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(20):
        rum.update_memory(sys.argv[1], importance=number / 20)
    print("done")
"""
RENEWER = """
import sys
from rum import Rum

with Rum.open(agent="ann") as rum:
    print("ready", flush=True)
    sys.stdin.readline()
    for _ in range(10):
        rum.refresh()
    print("done")
"""


@pytest.mark.slow
def test_four_processes_create_one_chapter_and_one_wisdom(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with place.open(agent="ann") as rum:
        ids = [keep(rum, f"Fix part {number}", f"Part {number} works", tags=["x"]) for number in range(4)]
    groups = [ids[:3], ids[1:]]
    makers = [place.start(MAKER, "ann") for _ in range(4)]
    try:
        for maker in makers:
            assert maker.stdout
            assert maker.stdout.readline() == "ready\n", maker.communicate()
        for maker in makers:
            assert maker.stdin
            maker.stdin.write(json.dumps(groups) + "\n")
            maker.stdin.flush()
        told = [[json.loads(line) for line in lines_of(maker)] for maker in makers]
    finally:
        for maker in makers:
            end(maker)
    assert len({tuple(chapters) for chapters, _ in told}) == 1
    assert len({wisdom for _, (wisdom, *_) in told}) == 1
    assert sum(created for _, (_, created, _) in told) == 2
    assert sum(made for _, (*_, made) in told) == 1
    with place.open(owner=True) as rum:
        assert (rum.chapters.list().total, rum.wisdom.recall().total) == (2, 1)
        assert rum.doctor().problems == []


@pytest.mark.slow
def test_refreshing_during_changes_ends_with_the_latest_text(tmp_path: Path) -> None:
    place = make_place(tmp_path)
    with place.open(agent="ann") as rum:
        ids = [keep(rum, f"Fix part {number}", tags=["x"]) for number in range(3)]
        made = rum.chapters.create(memory_ids=ids).chapter_id
    running = [place.start(CHANGER, ids[0]), place.start(RENEWER), place.start(RENEWER)]
    try:
        for process in running:
            assert process.stdout
            assert process.stdout.readline() == "ready\n", process.communicate()
        for process in running[1:]:
            assert process.stdin
            process.stdin.write("go\n")
            process.stdin.flush()
        assert ask(running[0]) == "done"
        for process in running[1:]:
            assert lines_of(process) == ["done"]
    finally:
        for process in running:
            end(process)
    with place.open(owner=True) as rum:
        rum.refresh()
        assert not rum.chapters.show(made).stale
        assert rum.doctor().problems == []
