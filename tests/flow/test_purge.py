"""What is purged is in no file of the project; what is forgotten survives a kill at any moment."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from rum import Rum
from rum.capture.events import spool
from rum.capture.events.event import to_line
from rum.settings.home import file_lock
from rum.surfaces.cli.main import main
from support.captured_events import NOON, Telling
from support.processes import Place, lines_of, make_place
from support.projects import Shop, edited, keep, open_shop


@pytest.fixture
def shop(tmp_path: Path) -> Any:
    with open_shop(tmp_path) as shop:
        shop.clock.at = NOON + 600
        yield shop


def told(shop: Shop, *, session: str = "s1") -> Telling:
    return Telling(cwd=str(shop.folder), session=session)


def spooled(rum: Rum, telling: Telling) -> None:
    for event in telling.events:
        spool.append(f"{rum.project.directory}/spool", event["session"], to_line(event))


def files_with(folder: Path, *words: str) -> list[tuple[str, str]]:
    """The files that have any of the words in their bytes."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [
        (path.name, word) for path in files for word in words if word.encode() in path.read_bytes().lower()
    ]


def test_forgetting_and_purging_everything_leaves_nothing_in_any_file(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(shop.folder)
    monkeypatch.setenv("RUM_HOME", str(shop.home))
    rum = shop.open(owner=True)
    words = ["xylophone", "quagmire", "zeppelin", "bumblebee", "marzipan", "rutabaga", "kumquat", "obelisk"]
    rum.forget(keep(rum, words[0]))  # in the trash
    keep(rum, words[1], actions=edited("a.py"), tags=[words[1]])
    rum.facts.set(words[2], words[2])
    rum.layers.append("episodic", {"content": words[3]})
    turn = told(shop).prompt(f"Never use {words[4]} in this repo, always use tabs")
    spooled(rum, turn.edit("a.py", "1", words[5]).run("pytest", "2 passed").stop("Done"))
    rum.take_in()
    assert rum.rules.list()
    spooled(rum, told(shop, session="s2").prompt(f"Add an {words[6]} to cart.py"))  # still in the spool
    monkeypatch.setenv("RUM_REVIEW", "first")
    with shop.open(owner=True) as reviewing:
        spooled(rum, told(shop, session="s3").prompt(f"Build an {words[7]}").edit("b.py", "1", "2").stop())
        reviewing.take_in()
        assert reviewing.review.list()
    Rum.restore_backup(backup(rum), shop.folder, home=shop.home)
    rum.close()
    assert {word for _, word in files_with(shop.home, *words)} == set(words)
    assert main(["forget", "--all", "--purge", "--confirm", "shop"]) == 0
    assert files_with(shop.home, *words) == []
    with shop.open(owner=True) as after:
        assert [line for line in after.export() if b'"kind":"agent"' not in line][1:] == []
        assert after.take_in().memories == 0
        assert after.doctor().problems == []


def backup(rum: Rum) -> Path:
    """A backup outside of the project's folder."""
    path = Path(rum.project.directory).parents[2] / "backup.db"
    rum.backup(path)
    return path


def test_purging_one_rule_deletes_the_prompt_that_it_was_quoted_from(shop: Shop):
    rum = shop.open(owner=True)
    spooled(rum, told(shop).prompt("Never use marzipan in this repo, always use tabs").stop())
    spooled(rum, told(shop, session="s2").prompt("Explain the obelisk to me").stop())
    rum.take_in()
    for rule in rum.rules.list():
        assert rum.forget(rule.id, purge=True).purged is True
    rum.close()
    assert files_with(shop.home, "marzipan") == []
    assert files_with(shop.home, "obelisk")


def keep_story(rum: Rum) -> tuple[list[str], str]:
    """Memories in two chapters, the id of the first of which is returned too; the rest is in the trash."""
    said = ("Cookies need a quagmire", "Sessions expire at midnight", "Proxies strip the header")
    ids = [
        rum.store(
            intent={"goal": f"Login {n}", "task_type": "bug_fix"},
            outcome={"success": True, "summary": "It works", "learnings": [text]},
        ).memory_id
        for n, text in enumerate(said)
    ]
    chapters = [rum.chapters.create(memory_ids=some).chapter_id for some in (ids, ids[:2])]
    wisdom = rum.wisdom.synthesize(chapter_ids=chapters).wisdom_id
    rum.forget(wisdom)
    rum.forget(chapters[1])
    return ids, chapters[0]


def test_purging_a_memory_cuts_its_words_out_of_others_in_the_trash(shop: Shop):
    rum = shop.open(owner=True)
    ids, kept = keep_story(rum)
    rum.forget(ids[1])  # with its chapters, which quote the first memory
    assert rum.forget(ids[0], purge=True).purged is True
    assert files_with(shop.home, "quagmire", ids[0]) == []
    rum.restore(ids[1])
    for item in rum.trash.list():
        rum.restore(item.id)
    rum.refresh()
    (chapter,) = rum.chapters.list(chapter_ids=[kept]).chapters
    assert chapter.memory_ids == tuple(ids[1:])
    assert "Sessions expire at midnight" in chapter.learnings


def test_purging_names_copies_that_may_still_have_it(shop: Shop):
    rum = shop.open(owner=True)
    one = keep(rum, "xylophone")
    copy = Rum.restore_backup(backup(rum), shop.folder, home=shop.home)
    result = rum.forget(one, purge=True)
    assert result.purged is False
    assert copy in str(result.hint)


FORGET = """
import os, sys
from rum import Rum

print(os.getpid(), flush=True)
memory_id, final = sys.argv[1], sys.argv[2] == "True"
with Rum.open(owner=True) as rum:
    rum.forget(memory_id, now=final)
"""
# Ends the process at one of its writes to a file, like a kill.
DIE = """
import os, sqlite3, sys

left = int(sys.argv[3])

def count():
    global left
    left -= 1
    if left < 0:
        os._exit(9)

class Dying(sqlite3.Connection):
    def execute(self, *arguments):
        if arguments[0] in ("COMMIT", "BEGIN IMMEDIATE"):
            count()
        return super().execute(*arguments)

replace = os.replace
os.replace = lambda *arguments, **options: count() or replace(*arguments, **options)
connect = sqlite3.connect
sqlite3.connect = lambda *arguments, **options: connect(*arguments, factory=Dying, **options)
"""


@pytest.mark.parametrize("final", [False, True])
def test_a_kill_while_forgetting_leaves_nothing_half_done(tmp_path: Path, final: bool):
    moments = 0
    for moment in range(40):
        place = make_place(tmp_path / str(moment))
        with place.open(owner=True) as rum:
            keep(rum, "Before")
            telling = Telling(cwd=str(place.work), at=time.time() - 3600).prompt("Fix cart.py")
            spooled(rum, telling.edit("cart.py", "1", "2").run("pytest", "2 passed").stop("Fixed"))
            rum.take_in()
            memory_id = str(rum.captured_events().events[0].memory_id)
        process = place.start(DIE + FORGET, memory_id, final, moment)
        process.wait()
        process.communicate()
        check_forgotten(place, memory_id, final=final)
        if process.returncode == 0:
            moments = moment
            break
    assert moments > 4  # it was killed at several writes before it came to its end


def check_forgotten(place: Place, memory_id: str, *, final: bool) -> None:
    with place.open(owner=True) as rum:
        rum.take_in()
        events = rum.captured_events().events
        is_here = memory_id.encode() in b"".join(rum.export())
        in_trash = [item.id for item in rum.trash.list()] == [memory_id]
        assert bool(events) == is_here  # nothing was done, or all of it
        assert not (is_here and in_trash)
        if in_trash:
            rum.restore(memory_id)
            assert len(rum.captured_events().events) >= 3
        if is_here or in_trash:
            rum.forget(memory_id, now=final)
        assert not rum.captured_events().events


@pytest.mark.parametrize(("kind", "final"), [("event", False), ("note", False), ("note", True)])
def test_a_kill_while_forgetting_an_event_or_an_entry_is_completed_or_undone(
    tmp_path: Path, kind: str, final: bool
):
    moments, completed = 0, 0
    for moment in range(40):
        place = make_place(tmp_path / str(moment))
        with place.open(owner=True) as rum:
            one = keep_one(rum, kind)
        process = place.start(DIE + FORGET, one, final, moment)
        process.wait()
        process.communicate()
        with place.open(owner=True) as rum:
            rum.take_in()
            is_here = has_one(rum, kind, one)
            in_trash = [item.id for item in rum.trash.list()] == [one]
            assert not (is_here and in_trash)
            assert is_here or in_trash or (final and process.returncode == 0)
            if in_trash:
                completed += process.returncode != 0
                rum.restore(one)
                rum.take_in()
                assert has_one(rum, kind, one)  # it is not forgotten again
        if process.returncode == 0:
            moments = moment
            break
    assert moments > 2
    assert completed


def keep_one(rum: Rum, kind: str) -> str:
    """An event, or the second of two entries of a note; its id."""
    if kind == "event":
        return rum.layers.append("episodic", {"content": "The xylophone was tuned"}).id
    rum.notes.add("Tuning", "First of all, tune the drum.", "tuning drums")
    rum.notes.add("Tuning", "Never tune a xylophone in a quagmire.", "tuning xylophones")
    return "tuning#2"


def has_one(rum: Rum, kind: str, one: str) -> bool:
    if kind == "event":
        return "xylophone" in str(rum.layers.entries("episodic"))
    return "xylophone" in str(rum.notes.all())


def test_forgetting_waits_for_a_running_intake_without_the_lock_of_the_memories(tmp_path: Path):
    place = make_place(tmp_path)
    with place.open(owner=True) as rum:
        one = keep(rum)
        spooled(rum, Telling(cwd=str(place.work)).prompt("Something else"))
        with file_lock(f"{rum.project.directory}/intake.lock"):
            forgetting = place.start(FORGET, one, False)
            assert forgetting.stdout
            forgetting.stdout.readline()
            until = time.monotonic() + 2
            while time.monotonic() < until:  # others write meanwhile
                keep(rum, "Meanwhile")
        lines_of(forgetting)
        assert [item.id for item in rum.trash.list()] == [one]
