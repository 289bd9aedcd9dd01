"""With `review = "first"`, what is captured or extracted is nowhere until a person accepts it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from typing import Any

import pytest

from rum import Rum
from rum.capture.events import spool
from rum.capture.events.event import to_line
from rum.inject.offers import offers_for
from rum.model.errors import InvalidQuery, NotFound, PermissionDenied
from rum.model.runs import Kept
from support.captured_events import NOON, Telling
from support.projects import Shop, keep

NEVER = "We never hand-roll retry loops in this repo, use with_retry"
OUTPUT = """\
## Root cause
Two requests that get a 401 at once both call `refreshToken()`. The server takes the old token only once, so
the second call fails and src/auth/interceptor.ts logs the user out.

When adding an interceptor, run `pnpm test:auth`. The tests require Node 18.17 or newer.
"""
TASK = "Users are logged out at random"
RUN: dict[str, Any] = {"agent": "debugger", "task": TASK, "agent_output": OUTPUT, "result": "success"}


@pytest.fixture
def rum(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Rum:
    monkeypatch.setenv("RUM_REVIEW", "first")
    shop.clock.at = NOON + 600
    return shop.open(owner=True)


def told(shop: Shop, session: str = "s1", at: float = NOON) -> Telling:
    return Telling(cwd=str(shop.folder), session=session, at=at)


def take_in(rum: Rum, telling: Telling) -> Any:
    for event in telling.events:
        spool.append(os.path.join(rum.project.directory, "spool"), event["session"], to_line(event))
    return rum.take_in()


def fixed(shop: Shop, **where: Any) -> Telling:
    telling = told(shop, **where).prompt("Fix the rounding of totals in cart.py")
    telling.edit("cart.py", "return round(total)", "return round(total, 2)")
    return telling.run("pytest -q", "2 passed in 1s").stop("Totals keep two decimals now. 2 tests pass.")


def pending_ids(rum: Rum) -> list[str]:
    return [item.id for item in rum.review.list()]


def test_a_captured_memory_is_nowhere_until_it_is_accepted(shop: Shop, rum: Rum):
    result = take_in(rum, fixed(shop))
    assert (result.memories, result.pending) == (0, 1)
    (item,) = rum.review.list()
    assert (item.kind, item.proposed_by) == ("memory", "capture")
    assert rum.list().memories == []
    assert rum.recall(query="rounding of totals").memories == []
    assert "rounding" not in rum.brief(task="Fix the rounding of totals", file="cart.py").text
    assert rum.trash.list() == []
    with pytest.raises(NotFound):
        rum.show(item.id)
    with pytest.raises(NotFound):
        rum.restore(item.id)
    (done,) = rum.review.accept(item.id)
    assert (done.verdict, done.kept_as) == ("accepted", item.id)
    assert rum.recall(query="rounding of totals").memories[0].id == item.id
    assert "rounding" in rum.brief(task="Fix the rounding of totals", file="cart.py").text
    assert rum.review.list() == []
    assert {one.became for one in rum.captured_events(memory=item.id).events} == {"memory"}


def test_what_is_pending_is_shown_with_its_events(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    shown = rum.review.show(pending_ids(rum)[0])
    assert shown.content["intent"]["goal"] == "Fix the rounding of totals in cart.py"
    text = "\n".join(shown.evidence)
    assert "prompt: Fix the rounding of totals in cart.py" in text
    assert "cart.py" in text
    assert "pytest -q" in text


def test_what_is_rejected_is_not_made_again(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    (one,) = pending_ids(rum)
    rum.review.reject(one)
    assert rum.review.list() == []
    take_in(rum, fixed(shop))
    take_in(rum, told(shop, at=NOON + 30).prompt("thanks").stop("You are welcome."))
    assert rum.review.list() == []
    assert rum.list().memories == []
    assert one not in {event.memory_id for event in rum.captured_events(became="memory").events}


def test_a_turn_that_goes_on_replaces_what_is_pending(shop: Shop, rum: Rum):
    telling = fixed(shop)
    take_in(rum, telling)
    before = rum.review.list()
    later = told(shop, at=NOON + 60).prompt("no, that is wrong: totals of refunds are negative now")
    take_in(rum, later.edit("cart.py", "round(total, 2)", "round(abs(total), 2)").stop("Refunds are right."))
    after = {item.id: item for item in rum.review.list()}
    assert len([item for item in after.values() if item.id == before[0].id]) == 1
    assert after[before[0].id].number != before[0].number


def test_later_work_of_an_accepted_turn_is_proposed_as_a_change(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    (one,) = pending_ids(rum)
    rum.review.accept(one)
    kept = rum.show(one)
    shop.clock.at = NOON + 900
    later = told(shop, at=NOON + 700).prompt("no, that is wrong: totals of refunds are negative now")
    take_in(rum, later.edit("cart.py", "round(total, 2)", "round(abs(total), 2)").stop("Refunds are right."))
    assert rum.show(one).outcome == kept.outcome
    shown = rum.review.show(one)
    assert shown.replaces
    assert shown.replaces != shown.content
    rum.review.reject(one)
    assert rum.show(one).outcome == kept.outcome
    assert one not in pending_ids(rum)


def test_an_accepted_change_becomes_a_version(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    (one,) = pending_ids(rum)
    rum.review.accept(one)
    shop.clock.at = NOON + 900
    later = told(shop, at=NOON + 700).prompt("no, that is wrong: totals of refunds are negative now")
    take_in(rum, later.edit("cart.py", "round(total, 2)", "round(abs(total), 2)").stop("Refunds are right."))
    proposed = rum.review.show(one)
    rum.review.accept(one)
    assert len(rum.history(one)) == 2
    assert rum.show(one).outcome.summary == proposed.content["outcome"]["summary"]


def test_words_of_users_are_pending_rules(shop: Shop, rum: Rum):
    telling = fixed(shop)
    telling.prompt(f"no. {NEVER}").edit("cart.py", "a", "b").stop("Done.")
    take_in(rum, telling)
    (item,) = rum.review.list("rule")
    assert rum.rules.list() == []
    assert offers_at_prompt(shop, rum) == []
    assert any("hand-roll" in line for line in rum.review.show(item.id).evidence)
    take_in(rum, told(shop, "s2", NOON + 60).prompt(NEVER).stop("Understood."))
    assert len(rum.review.list("rule")) == 1
    rum.review.accept(item.id)
    assert [rule.id for rule in rum.rules.list()] == [item.id]
    assert any("hand-roll" in text for text in offers_at_prompt(shop, rum))


def offers_at_prompt(shop: Shop, rum: Rum) -> list[str]:
    event = told(shop, "s9", NOON + 300).prompt("Add a retry loop to the rounding in cart.py").events[-1]
    return [one.text for one in offers_for(event, rum.project.directory, str(shop.folder))]


def test_a_rejected_rule_is_not_proposed_again(shop: Shop, rum: Rum):
    take_in(rum, told(shop).prompt(f"From now on: {NEVER}").stop("Understood."))
    (item,) = rum.review.list("rule")
    rum.review.reject(item.id)
    take_in(rum, told(shop, "s2", NOON + 60).prompt(f"From now on: {NEVER}").stop("Understood."))
    assert rum.review.list("rule") == []
    assert rum.rules.list() == []


def test_an_accepted_contrary_rule_supersedes_the_earlier_one(shop: Shop, rum: Rum):
    take_in(rum, told(shop).prompt("From now on always use tabs for indentation.").stop("Understood."))
    (first,) = rum.review.list("rule")
    rum.review.accept(first.id)
    take_in(
        rum,
        told(shop, "s2", NOON + 60).prompt("From now on never use tabs for indentation.").stop("Understood."),
    )
    assert rum.rules.show(first.id).superseded_by is None
    (second,) = rum.review.list("rule")
    rum.review.accept(second.id)
    assert rum.rules.show(first.id).superseded_by == second.id


def test_what_an_extraction_finds_is_pending(rum: Rum):
    answer = rum.extract(**RUN)
    proposed = rum.review.list()
    assert answer.kept
    assert answer.kept.pending == len(proposed) > 0
    assert (answer.kept.note, answer.kept.facts, answer.kept.rules) == (None, (), ())
    assert list(rum.facts.list()) == list(rum.rules.list()) == rum.notes.list().notes == []
    assert {item.proposed_by for item in proposed} == {"extraction"}
    again = rum.extract(**RUN)
    assert again.kept == Kept()
    assert len(rum.review.list()) == len(proposed)
    for item in proposed:
        assert f"Task: {TASK}" in rum.review.show(item.id, item.kind).evidence
        rum.review.accept(item.id, kind=item.kind)
    assert len([*rum.facts.list(), *rum.rules.list(), *rum.notes.list().notes]) == len(proposed)


def test_extracted_items_that_are_rejected_are_not_proposed_again(rum: Rum):
    rum.extract(**RUN)
    proposed = rum.review.list()
    for item in proposed:
        rum.review.reject(item.id, kind=item.kind)
    rum.extract(**RUN)
    assert rum.review.list() == []
    assert list(rum.facts.list()) == list(rum.rules.list()) == rum.notes.list().notes == []


def test_an_edited_item_is_kept_as_edited(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    (one,) = pending_ids(rum)
    done = rum.review.edit(one, {"outcome": {"summary": "Totals are rounded to cents"}})
    assert done.verdict == "edited"
    assert rum.show(one).outcome.summary == "Totals are rounded to cents"
    take_in(rum, told(shop, "s2").prompt(f"From now on: {NEVER}").stop("Understood."))
    (rule,) = rum.review.list("rule")
    with pytest.raises(InvalidQuery, match="condition and action"):
        rum.review.edit(rule.id, {"text": "x"})
    assert rum.review.list("rule") == [rule]
    rum.review.edit(rule.id, {"action": "Use with_retry"})
    assert rum.rules.show(rule.id).action == "Use with_retry"


def test_two_memories_can_be_merged(shop: Shop, rum: Rum):
    kept = keep(rum, "Round totals", "Totals have cents", tags=["money"])
    take_in(rum, fixed(shop))
    (one,) = pending_ids(rum)
    done = rum.review.merge(one, kept)
    assert (done.verdict, done.kept_as) == ("merged", kept)
    assert rum.review.list() == []
    assert "cart.py" in {file.path for file in rum.show(kept).files or ()}
    assert rum.stats().turns == {"memory": 1}
    take_in(rum, fixed(shop))
    assert rum.review.list() == []


def test_the_turns_of_a_memory_that_was_merged_into_a_pending_one_are_pending(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    take_in(rum, fixed(shop, session="s2", at=NOON + 60))
    one, other = pending_ids(rum)
    rum.review.merge(one, other)
    assert rum.stats().turns == {"pending": 2}
    rum.review.accept(other)
    assert rum.stats().turns == {"memory": 2}


@pytest.mark.parametrize("field", ["intent", "outcome"])
def test_after_an_edit_the_item_is_named_as_it_is_now(shop: Shop, rum: Rum, field: str):
    take_in(rum, fixed(shop))
    (one,) = pending_ids(rum)
    before = rum.review.show(one).label
    changes = {"intent": {"goal": "Keep the cents"}, "outcome": {"summary": "Cents are kept"}}
    done = rum.review.edit(one, {field: changes[field]})
    assert done.label == ("Keep the cents" if field == "intent" else before)


def test_an_agent_may_not_review(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    (one,) = pending_ids(rum)
    agent = shop.open(client="claude-code")
    for act in (agent.review.accept, agent.review.reject):
        with pytest.raises(PermissionDenied, match="Only a person"):
            act(one)
    assert pending_ids(rum) == [one]


def test_pending_items_do_not_expire_and_are_not_emptied_with_the_trash(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    shop.clock.at += 90 * 86400
    rum.trash.empty()
    rum.take_in()
    assert len(rum.review.list()) == 1


def test_without_the_setting_everything_is_kept_at_once(shop: Shop, monkeypatch: pytest.MonkeyPatch):
    shop.clock.at = NOON + 600
    rum = shop.open(owner=True)
    take_in(rum, fixed(shop))
    assert len(rum.list().memories) == 1
    assert rum.review.list() == []


def test_stats_count_captured_turns_offers_and_reviews(shop: Shop, rum: Rum):
    take_in(rum, fixed(shop))
    take_in(rum, fixed(shop, session="s2", at=NOON + 60))
    first, *_ = pending_ids(rum)
    rum.review.reject(first)
    stats = rum.stats()
    assert stats.events["prompt"] >= 1
    assert stats.turns["forgotten"] == 1
    assert stats.reviewed == {"rejected": {"memory": 1}}
    assert stats.pending == {"memory": 1}
    assert rum.stats(NOON + 10**6).reviewed == {}


def test_possible_rules_of_earlier_versions_wait_for_review(shop: Shop):
    rum = shop.open(owner=True)
    rum.layers.append("episodic", {"content": "An event"})  # creates the file
    with closing(sqlite3.connect(f"{rum.project.directory}/activity.db")) as db, db:
        for state in ("open", "rejected"):
            row = (state, "deploy", "Ask first", "No! Ask first before you deploy", "claude-code", "s", "t")
            db.execute("INSERT INTO candidates VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?)", (*row, NOON, state))
    rum.take_in()
    rum.take_in()
    (item,) = rum.review.list()
    assert rum.review.show(item.id).evidence == ["No! Ask first before you deploy"]
    assert rum.rules.list() == []
    rum.review.accept(item.id)
    assert [(rule.condition, rule.action) for rule in rum.rules.list()] == [("deploy", "Ask first")]
    rum.take_in()
    assert rum.review.list() == []


def test_a_rule_is_in_force_again_when_the_one_that_superseded_it_is_forgotten(shop: Shop):
    rum = shop.open(owner=True)
    for number, text in enumerate(("Always use tabs in this repo", "Never use tabs in this repo")):
        shop.clock.at = NOON + 600 + number * 100
        take_in(rum, told(shop, session=f"s{number}", at=NOON + number * 100).prompt(text).stop())
    later, first = rum.rules.list()
    assert (first.superseded_by, later.superseded_by) == (later.id, None)
    rum.forget(later.id)
    assert [rule.superseded_by for rule in rum.rules.list()] == [None]
    rum.restore(later.id)
    assert {rule.id: rule.superseded_by for rule in rum.rules.list()} == {first.id: later.id, later.id: None}
