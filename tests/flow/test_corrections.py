"""Regression tests for bugs in several features."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import msgspec
import pytest

from rum import InvalidQuery, Rum
from support.projects import Shop, edited, keep

pytestmark = pytest.mark.both_stores


def other_home(shop: Shop, name: str, **how: object) -> Rum:
    return shop.open(home=shop.home.with_name(name), **how)


def test_an_export_made_during_an_update_can_be_imported_and_changed(shop: Shop):
    rum = shop.open(agent="ada")
    kept = keep(rum, tags=["old"])
    lines: list[bytes] = []
    for line in rum.export():
        lines.append(line)
        rum.update_memory(kept, importance=len(lines) / 100)
    there = other_home(shop, "there", owner=True)
    there.import_lines(lines)
    assert there.update_memory(kept, tags=["new"]).memory.tags == ("new",)
    assert there.doctor().problems == []


def test_a_version_that_is_not_older_than_its_memory_is_left_out(shop: Shop):
    rum = shop.open(agent="ada")
    kept = keep(rum, tags=["old"])
    rum.update_memory(kept, tags=["new"])
    lines = list(rum.export())
    version = msgspec.json.decode(next(line for line in lines if b'"kind":"version"' in line))
    forged = [*lines, msgspec.json.encode(version | {"version": 2})]
    there = other_home(shop, "there", owner=True)
    there.import_lines(forged)
    assert [one.version for one in there.history(kept)] == [1, 2]
    there.update_memory(kept, tags=["newer"])


def test_forgetting_one_memory_does_not_block_others_with_the_same_text(shop: Shop):
    rum = shop.open(owner=True)
    for name in "ab":
        keep(rum, "Run the tests", "All passed", actions=edited(f"{name}.py"))
    there = other_home(shop, "there", owner=True)
    there.forget(keep(there, "Run the tests", "All passed", actions=edited("a.py")))
    result = there.import_lines(list(rum.export()))
    assert (result.added, result.forgotten) == (1, 1)


def test_a_memory_stored_twice_is_reported_as_similar_by_its_rarest_word(shop: Shop):
    rum = shop.open()
    for number in range(60):
        keep(rum, "Reconfigure authentication middleware", f"Attempt {number}")
    first = keep(rum, "Reconfigure authentication middleware zq7", "Done by hand")
    again = rum.store(
        intent={"goal": "Reconfigure authentication middleware zq7", "task_type": "bug_fix"},
        outcome={"success": True, "summary": "Done by hand"},
    )
    assert [one.id for one in again.similar or []][:1] == [first]


def test_an_agent_keeps_its_name_in_a_store_with_its_imported_memories(shop: Shop):
    ada = shop.open(agent="ada")
    keep(ada)
    there = other_home(shop, "there", agent="ada")
    there.import_lines(list(ada.export()))
    stored = there.store(
        intent={"goal": "Go on", "task_type": "other"}, outcome={"success": True, "summary": "Went on"}
    )
    names = {agent.agent_id: agent.name for agent in there.agents()}
    assert names[stored.identity.agent_id] == "ada"
    assert len(names) == 2


def test_an_error_names_the_setting_with_an_invalid_pattern(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_REDACT_EXTRA", '["("]')
    with pytest.raises(InvalidQuery, match="redact_extra"):
        shop.open()
    monkeypatch.setenv("RUM_REDACT_EXTRA", "[]")
    monkeypatch.setenv("RUM_REDACT_ALLOW", '["("]')
    assert keep(shop.open())


def test_reindexing_repairs_tags_and_flags_too(shop: Shop):
    rum = shop.open(owner=True)
    old = keep(rum, "Old", tags=["auth"])
    keep(rum, "New", links={"supersedes": old}, tags=["auth"])
    with sqlite3.connect(Path(rum.project.directory) / "rum.db") as db:
        db.execute("DELETE FROM memory_tags")
        db.execute("UPDATE memories SET superseded = 0")
    db.close()
    assert not rum.doctor().healthy
    rum.reindex()
    assert rum.doctor().healthy
    assert [memory.intent.goal for memory in rum.recall(tags=["auth"]).memories] == ["New"]


def test_imported_times_may_be_milliseconds(shop: Shop):
    rum = shop.open(owner=True)
    keep(rum)
    lines = [
        msgspec.json.encode(_in_milliseconds(msgspec.json.decode(line)))
        if b'"kind":"memory"' in line
        else line
        for line in rum.export()
    ]
    there = other_home(shop, "there", owner=True)
    there.import_lines(lines)
    assert there.list().memories[0].created_at == rum.list().memories[0].created_at


def _in_milliseconds(line: dict) -> dict:
    line["memory"]["created_at"] *= 1000
    return line


def test_an_update_that_changes_nothing_makes_no_version(shop: Shop):
    rum = shop.open(agent="ada")
    kept = keep(rum, tags=["auth"])
    assert rum.update_memory(kept, tags=["auth"]).memory.version == 1
    assert len(rum.history(kept)) == 1


def test_a_memory_stored_by_a_person_is_not_credited_to_the_previous_agent(shop: Shop):
    ada = shop.open(agent="ada", client="cli")
    keep(ada)
    person = shop.open(owner=True, client="cli")
    stored = person.store(
        intent={"goal": "By hand", "task_type": "other"}, outcome={"success": True, "summary": "Done"}
    )
    assert stored.identity.action == "registered"


def test_an_id_that_is_no_text_is_refused_with_a_clear_error(shop: Shop):
    rum = shop.open()
    for call in (rum.show, rum.history):
        with pytest.raises(InvalidQuery, match="id"):
            call(5)


@pytest.mark.parametrize("words", ["why?", "what was done here?", "???"])
def test_stop_words_in_a_query_do_not_hide_the_memories_of_a_file(shop: Shop, words: str):
    rum = shop.open()
    kept = keep(rum, actions=edited("src/auth.py"))
    answer = rum.recall(file="src/auth.py", query=words)
    assert [(memory.id, memory.confidence) for memory in answer.memories] == [(kept, 1.0)]


def test_an_untouched_file_in_a_query_raises_no_confidence(shop: Shop):
    for goal in ("Parse the datetime", "Paint the gate", "Feed the cat"):
        keep(shop.open(), goal, actions=edited("a.py"))
    rum = shop.open()
    assert rum.recall(file="lib/*", query="datetime").confidence == rum.recall(query="datetime").confidence


def test_a_memory_with_the_word_ranks_above_one_without_it(shop: Shop):
    rum = shop.open()
    keep(rum, "Fix the double charge")
    cached = keep(rum, "Speed up the product page", "A cache in front of the database")
    keep(rum, "Send nightly mails")
    assert rum.recall(query="cache", min_confidence=0).memories[0].id == cached
