"""What users say becomes rules in their words, in force at once; rejected work is no failure of the task."""

from __future__ import annotations

import os

import pytest

from rum import Rum
from rum.capture.events import spool
from rum.capture.events.event import to_line
from rum.inject.offers import offers_for
from rum.model.layers import Rule
from support.captured_events import NOON, Telling
from support.projects import Shop

LOOP = """\
for attempt in range(3):
    try:
        return client.post('/charge')
    except ConnectionError:
        sleep(1)"""
NO_LOOPS = (
    "no, we never hand-roll retry loops in this repo. use with_retry from lib/retry.py, ops watches that"
)


@pytest.fixture
def rum(shop: Shop) -> Rum:
    shop.clock.at = NOON + 600
    return shop.open(owner=True)


def take_in(rum: Rum, telling: Telling) -> None:
    for event in telling.events:
        spool.append(os.path.join(rum.project.directory, "spool"), event["session"], to_line(event))
    rum.take_in()


def told(shop: Shop, session: str = "s1", at: float = NOON) -> Telling:
    return Telling(cwd=str(shop.folder), session=session, at=at)


def corrected(shop: Shop) -> Telling:
    telling = told(shop).prompt("Add a retry around charge in gateway.py")
    telling.edit("gateway.py", "return client.post('/charge')", LOOP).run("pytest -q", "2 passed in 1s")
    telling.stop("charge() tries three times. 2 tests pass.").prompt(NO_LOOPS)
    telling.edit("gateway.py", LOOP, "@with_retry(attempts=3)\nreturn client.post('/charge')")
    return telling.run("pytest -q", "2 passed in 1s").stop("Replaced the loop with with_retry.")


def only_rule(rum: Rum) -> Rule:
    (rule,) = rum.rules.list()
    return rule


def test_a_correction_is_a_rule_in_the_users_words_linked_to_the_work(shop: Shop, rum: Rum):
    take_in(rum, corrected(shop))
    rule = only_rule(rum)
    first = min(rum.list().memories, key=lambda one: one.created_at)
    assert (rule.action, rule.condition, rule.source, rule.about) == (NO_LOOPS, "*", "user", first.id)
    assert NOON <= rule.created_at <= NOON + 60
    assert rule.id not in str(rum.doctor())  # It has no condition, as the user gave none


def test_corrected_work_is_rejected_and_no_failure(shop: Shop, rum: Rum):
    take_in(rum, corrected(shop))
    first, second = (rum.show(one.id) for one in reversed(rum.list().memories))
    assert first.outcome.success
    assert first.outcome.failure_reason is None
    assert first.tags
    assert "rejected" in first.tags
    assert NO_LOOPS in first.outcome.learnings[0]
    assert second.outcome.success
    assert "rejected" not in (second.tags or ())
    brief = rum.brief(task="refund() fails now and then, make it try again", file="gateway.py").text
    assert "Don't Repeat" not in brief


def test_the_brief_begins_with_what_the_user_said(shop: Shop, rum: Rum):
    take_in(rum, corrected(shop))
    text = rum.brief(task="make refund() try again", file="refunds.py").text
    lines = [line for line in text.splitlines() if line.startswith(("#", "- "))]
    assert lines[1] == "### What the User Wants"
    assert lines[2].startswith("- The user said on 2027-01-15: no, we never hand-roll retry loops")
    assert "ops watches that" in lines[2]


def offered(shop: Shop, rum: Rum, kind: str, **event: object) -> list[str]:
    """The texts of the offers at an event of a new session."""
    whole = {"id": "e1", "client": "claude-code", "session": "new", "at": NOON + 700, "cwd": str(shop.folder)}
    return [
        one.text
        for one in offers_for({**whole, "kind": kind, **event}, rum.project.directory, str(shop.folder))  # type: ignore[typeddict-item]
    ]


def test_a_session_begins_with_what_the_user_said(shop: Shop, rum: Rum):
    take_in(rum, corrected(shop))
    texts = offered(shop, rum, "start", source="startup")
    assert texts[0].startswith(
        "The user said on 2027-01-15: no, we never hand-roll retry loops in this repo."
    )
    assert not any("unfinished" in text for text in texts)
    assert "hand-roll" in offered(shop, rum, "prompt", text="write a retry loop for refund")[0]
    assert not any("hand-roll" in text for text in offered(shop, rum, "prompt", text="Translate the README"))


def test_repeating_the_rejected_lines_is_warned_of_in_the_users_words(shop: Shop, rum: Rum):
    take_in(rum, corrected(shop))
    edit = {"path": str(shop.folder / "gateway.py"), "operation": "edit", "added": LOOP, "removed": ""}
    (text,) = offered(shop, rum, "before", tool="edit", files=[edit])
    assert text.startswith("Tried before and rejected by the user in gateway.py")
    assert "never hand-roll" in text
    wanted = {**edit, "added": "@with_retry(attempts=3)\ndef refund():\n    ..."}
    assert not any("Tried before" in one for one in offered(shop, rum, "before", tool="edit", files=[wanted]))


def test_a_wish_in_a_turn_without_work_is_kept(shop: Shop, rum: Rum):
    take_in(rum, told(shop).prompt("remember that all new tables need created_at").stop("Noted."))
    assert only_rule(rum).action == "remember that all new tables need created_at"
    assert rum.list().memories == []


def test_a_correction_of_one_place_holds_for_its_files(shop: Shop, rum: Rum):
    telling = told(shop).prompt("Add a mean").edit("src/stats.py", "a", "b").stop()
    take_in(rum, telling.prompt("No, keep the guard.").edit("src/stats.py", "b", "c").stop())
    assert only_rule(rum).condition == "stats.py"
    assert "keep the guard" in rum.brief(task="Fix the median", file="src/stats.py").text
    assert "keep the guard" not in rum.brief(task="Fix the median", file="src/other.py").text


def test_a_later_contrary_word_supersedes(shop: Shop, rum: Rum):
    take_in(rum, told(shop).prompt("use pnpm, not npm").stop())
    take_in(rum, told(shop, "s2", NOON + 60).prompt("from now on use npm").stop())
    later, earlier = sorted(rum.rules.list(), key=lambda rule: -rule.created_at)
    assert (earlier.superseded_by, later.superseded_by) == (later.id, None)
    text = rum.brief(task="add a dependency").text
    assert "from now on use npm" in text
    assert "pnpm" not in text
    assert rum.rules.match("add a dependency") == [later]


def test_the_same_words_are_one_rule_and_forgotten_ones_stay_away(shop: Shop, rum: Rum):
    for number, session in enumerate(("s1", "s2")):
        take_in(rum, told(shop, session, NOON + number).prompt("Always use pnpm.").stop())
    rum.rules.forget(only_rule(rum).id)
    take_in(rum, told(shop, "s3", NOON + 9).prompt("Always use pnpm.").stop())
    assert rum.rules.list() == []


def test_words_of_a_subagents_task_are_not_the_users(shop: Shop, rum: Rum):
    telling = told(shop).prompt("Do it").call("agent", text="Always use pnpm. Mend it.")
    take_in(rum, telling.agent("a1").edit("p.py", "a", "b").stop("Mended.").agent("").stop())
    assert rum.rules.list() == []


def test_secrets_in_words_are_cut_out(shop: Shop, rum: Rum):
    take_in(rum, told(shop).prompt("always log in with ghp_" + "a1B2c" * 7 + "d, please").stop())
    assert "ghp_" not in only_rule(rum).action


def test_a_rejection_is_recorded_also_if_the_work_is_taken_back_later(shop: Shop, rum: Rum):
    events = corrected(shop).events
    at_prompt = next(at for at, event in enumerate(events) if event.get("text") == NO_LOOPS)
    for part in (events[: at_prompt + 1], events[at_prompt + 1 :]):
        for event in part:
            spool.append(os.path.join(rum.project.directory, "spool"), "s1", to_line(event))
        rum.take_in()
    edit = {"path": str(shop.folder / "gateway.py"), "operation": "edit", "added": LOOP, "removed": ""}
    assert "rejected by the user" in offered(shop, rum, "before", tool="edit", files=[edit])[0]


@pytest.mark.parametrize(
    "reply",
    [
        "that also swallows broken json, I don't want that. only a missing file may give {}",
        "please don't catch everything in config.py, only FileNotFoundError",
        "You should not catch everything. Only a missing file may give {}",
    ],
)
def test_an_objection_to_work_that_passed_makes_it_rejected_and_warns(shop: Shop, rum: Rum, reply: str):
    bad, good = "except Exception:\n    return {}", "except FileNotFoundError:\n    return {}"
    telling = told(shop).prompt("load() should return {} when the file is missing")
    telling.edit("config.py", "raise", bad).run("pytest -q", "2 passed").stop("Done.").prompt(reply)
    take_in(rum, telling.edit("config.py", bad, good).run("pytest -q", "2 passed").stop("Done."))
    first = rum.show(min(rum.list().memories, key=lambda one: one.created_at).id)
    assert "rejected" in (first.tags or ())
    edit = {"path": str(shop.folder / "config.py"), "operation": "edit", "added": bad, "removed": good}
    (text,) = offered(shop, rum, "before", tool="edit", files=[edit])
    assert text.startswith("Tried before and rejected by the user in config.py")


def test_a_limit_for_the_next_task_rejects_nothing(shop: Shop, rum: Rum):
    telling = told(shop).prompt("Add a mean").edit("stats.py", "a = 1", "a = 2").stop("Done.")
    telling.prompt("please don't touch the tests while you fix the median")
    take_in(rum, telling.edit("median.py", "b = 1", "b = 2").stop("Done."))
    assert not any("rejected" in (rum.show(one.id).tags or ()) for one in rum.list().memories)


def test_rejected_work_whose_check_failed_is_not_left_unfinished(shop: Shop, rum: Rum):
    telling = told(shop).prompt("Add a retry around charge in gateway.py")
    telling.edit("gateway.py", "return client.post('/charge')", LOOP).run("pytest -q", "1 failed in 1s", 1)
    telling.stop("The test fails.").prompt(NO_LOOPS)
    take_in(rum, telling.edit("gateway.py", LOOP, "@with_retry(attempts=3)").stop("Replaced the loop."))
    assert not any("unfinished" in text for text in offered(shop, rum, "start", source="startup"))


def test_touching_a_file_that_the_users_words_name_tells_them(shop: Shop, rum: Rum):
    words = "never edit names_gen.py by hand, it is generated from names.txt"
    take_in(rum, told(shop).prompt(words).stop("Noted."))

    def at(name: str) -> list[str]:
        file = {"path": str(shop.folder / name), "operation": "edit", "added": "x = 1", "removed": ""}
        return offered(shop, rum, "before", tool="edit", files=[file])

    assert at("src/names_gen.py")[0].startswith(f"The user said on 2027-01-15: {words}.")
    assert at("names.txt")[0].startswith("The user said on")
    assert at("other_names.txt") == []
    assert at("names.py") == []


def test_a_word_that_takes_nothing_back_is_about_the_task(shop: Shop, rum: Rum):
    take_in(rum, told(shop).prompt("Actually let's go back to yarn").stop())
    assert rum.rules.list() == []
    take_in(rum, told(shop, "s2", NOON + 60).prompt("from now on use pnpm, not yarn").stop())
    take_in(rum, told(shop, "s3", NOON + 120).prompt("Actually let's go back to yarn").stop())
    later, earlier = sorted(rum.rules.list(), key=lambda rule: -rule.created_at)
    assert (later.action, earlier.superseded_by) == ("Actually let's go back to yarn", later.id)
