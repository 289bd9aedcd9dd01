"""Turns and sessions on one task tell one story, and its newest state stands."""

from __future__ import annotations

from typing import Any

import pytest

from rum import Rum
from rum.model.answers import RetrievedMemory
from support.captured_events import CRASH, NOON, Telling
from support.projects import Shop
from support.sessions import Sessions, at_start


@pytest.fixture
def rum(shop: Shop) -> Rum:
    shop.clock.at = NOON + 600
    return shop.open(owner=True)


@pytest.fixture
def sessions(shop: Shop, rum: Rum) -> Sessions:
    return Sessions(shop, rum)


def links_of(memory: RetrievedMemory) -> dict[str, Any]:
    return memory.links or {}


def test_a_commit_extends_the_story_before_it(sessions: Sessions):
    telling = sessions.begin().prompt("Add a retry to charge()").edit("pay.py", "a", "b").stop("Added it.")
    (first,) = sessions.take(telling)
    telling.prompt("commit it").run("git commit -am 'Retry charges'", "[main 1234abc] Retry charges")
    (memory,) = sessions.take(telling.stop("Committed."))
    assert memory.id == first.id
    assert memory.intent.goal == "Add a retry to charge()"
    assert memory.outcome.summary == "Added it."
    assert memory.perception
    assert [one.what for one in memory.perception.observations] == ["Committed 1234abc: Retry charges"]


def test_thanks_change_nothing(sessions: Sessions):
    telling = sessions.begin().prompt("Add a retry").edit("pay.py", "a", "b").stop("Added it.")
    (first,) = sessions.take(telling)
    (memory,) = sessions.take(telling.prompt("thx").stop("You're welcome!"))
    assert (memory.id, memory.version) == (first.id, 1)


def test_a_check_in_the_next_turn_proves_the_change(sessions: Sessions):
    telling = sessions.begin().prompt("Add a retry").edit("pay.py", "a", "b").stop("Added it.")
    (first,) = sessions.take(telling)
    assert first.tags == ("unverified",)
    (memory,) = sessions.take(telling.prompt("run the tests").run("pytest", "3 passed").stop("3 pass."))
    assert memory.outcome.verified_by
    assert memory.outcome.verified_by.result == "3 passed"
    assert memory.tags == ()


def test_a_check_before_the_next_task_proves_the_change_before_it(sessions: Sessions):
    telling = sessions.begin().prompt("Add a retry to charge()").edit("pay.py", "a", "b").stop("Added it.")
    sessions.take(telling)
    telling.prompt("Rename the refund module to payback").run("pytest", "3 passed").edit(
        "refund.py", "a", "b"
    )
    first, second = sessions.take(telling.stop("Renamed."))
    assert first.outcome.verified_by
    assert second.outcome.verified_by is None


def test_a_next_step_belongs_to_the_story(sessions: Sessions):
    telling = (
        sessions.begin().prompt("Add a retry to charge()").edit("pay.py", "a", "b").stop("Added a retry.")
    )
    telling.prompt("and now the tests").edit("test_pay.py", "a", "b").run("pytest", "3 passed")
    (memory,) = sessions.take(telling.stop("Added two tests."))
    assert memory.intent.goal == "Add a retry to charge()"
    assert "Then: “and now the tests”" in memory.intent.context
    assert {file.path for file in memory.files or ()} == {"pay.py", "test_pay.py"}
    assert memory.outcome.verified_by
    assert "Added two tests." in f"{memory.outcome.summary} {memory.outcome.full_text}"


def test_a_decision_is_part_of_the_goal(sessions: Sessions):
    telling = sessions.begin().prompt("Add an export to the report page").read("report.py")
    telling.stop("Both are easy. Do you want csv or json?")
    assert sessions.take(telling) == []
    (memory,) = sessions.take(telling.prompt("csv then. do it").edit("report.py", "a", "b").stop("Done."))
    assert memory.intent.goal == "Add an export to the report page (csv then)"
    assert "csv or json?" in memory.intent.context


def test_an_agreed_proposal_is_work_of_its_own(sessions: Sessions):
    telling = sessions.begin().prompt("Add the endpoint /v1/rates").edit("api.py", "a", "b")
    sessions.take(telling.stop("The endpoint works. Shall I also add a --json flag to the CLI?"))
    first, second = sessions.take(telling.prompt("yes, do it").edit("cli.py", "a", "b").stop("Added."))
    assert second.intent.goal == "add a --json flag to the CLI"
    assert links_of(second) == {"caused_by": [first.id]}


def test_broken_off_work_that_goes_on_is_one_story(sessions: Sessions, shop: Shop, rum: Rum):
    telling = sessions.begin().prompt("Move the cache to redis").edit("cache.py", "a", "b").add("end")
    (first,) = sessions.take(telling)
    assert first.tags == ("partial", "unverified")
    assert "Left unfinished" in at_start(shop, rum)
    telling.prompt("go on").edit("cache.py", "b", "c").run("pytest", "3 passed")
    (memory,) = sessions.take(telling.stop("The cache is in redis now."))
    assert (memory.id, memory.outcome.success, memory.tags) == (first.id, True, ())
    assert "unfinished" not in at_start(shop, rum)


def test_work_settled_days_later_is_no_longer_open(sessions: Sessions, shop: Shop, rum: Rum):
    telling = sessions.begin("one").prompt("Fix the rounding of invoice totals").edit("bill.py", "a", "b")
    sessions.take(telling.run("pytest", CRASH, 1).stop("I could not fix it."))
    assert "Left unfinished" in at_start(shop, rum)
    again = sessions.begin("two").prompt("invoice totals are still rounded wrongly").edit("bill.py", "b", "c")
    first, second = sessions.take(again.run("pytest", "3 passed").stop("Rounded half to even now."))
    assert links_of(second) == {"caused_by": [first.id]}
    assert "unfinished" not in at_start(shop, rum)
    brief = rum.brief(task="Change the rounding of invoice totals", file=["bill.py"]).text
    assert "Don't repeat" not in brief


def test_a_prompt_that_names_broken_off_work_goes_on_with_it(sessions: Sessions):
    telling = (
        sessions.begin("one").prompt("chunks() should split the data").edit("up.py", "a", "b").add("end")
    )
    (first,) = sessions.take(telling)
    again = sessions.begin("two").prompt("continue with the chunks thing, the laptop died")
    _, second = sessions.take(again.edit("up.py", "b", "c").run("pytest", "3 passed").stop("It splits now."))
    assert second.intent.goal == "chunks() should split the data"
    assert "the laptop died" in second.intent.context
    assert links_of(second) == {"caused_by": [first.id]}


def test_a_prompt_that_names_other_work_does_not_go_on_with_it(sessions: Sessions):
    telling = (
        sessions.begin("one").prompt("chunks() should split the data").edit("up.py", "a", "b").add("end")
    )
    sessions.take(telling)
    again = sessions.begin("two").prompt("continue with the login page").edit("login.py", "b", "c")
    _, second = sessions.take(again.stop("It has a title now."))
    assert second.intent.goal == "continue with the login page"


def test_work_that_a_later_session_took_out_again_says_so(sessions: Sessions):
    telling = sessions.begin("one").prompt("Cache the results of get()")
    telling.edit("cache.js", "  return load(key);", "  return store.get(key);").run("npm test", "1 passed")
    sessions.take(telling.stop("get() keeps results in a Map now."))
    again = sessions.begin("two").prompt("The Map ate 6 GB. Take the caching out again")
    again.edit("cache.js", "  return store.get(key);", "  return load(key);").run("npm test", "1 passed")
    first, _ = sessions.take(again.stop("It is out again."))
    why = "The Map ate 6 GB. Take the caching out again"
    assert first.outcome.learnings == (f"Taken back or replaced later: “{why}”",)
    assert [one.result.error for one in first.actions or () if one.result and not one.result.success] == [
        f"undone by later work: “{why}”"
    ]
    third = sessions.begin("three").prompt("We have more memory now, cache get() again")
    third.edit("cache.js", "  return load(key);", "  return store.get(key);").run("npm test", "1 passed")
    first, *_ = sessions.take(third.stop("Cached."))
    assert first.outcome.learnings == ()


def test_what_is_used_again_leaves_the_other_work_taken_back(sessions: Sessions):
    telling = sessions.begin("one").prompt("Cache the results of get() and log its keys")
    telling.edit("cache.js", "  return load(key);", "  return store.get(key);")
    telling.edit("log.js", "  return true;", "  return print(key);").run("npm test", "1 passed")
    sessions.take(telling.stop("get() keeps results in a Map now and logs keys."))
    again = sessions.begin("two").prompt("The Map ate 6 GB. Take the caching out again")
    again.edit("cache.js", "  return store.get(key);", "  return load(key);").run("npm test", "1 passed")
    sessions.take(again.stop("It is out again."))
    why = "Keys are private. Take the logging out again"
    third = sessions.begin("three").prompt(why)
    third.edit("log.js", "  return print(key);", "  return true;").run("npm test", "1 passed")
    first, *_ = sessions.take(third.stop("It is out again."))
    assert len(first.outcome.learnings) == 2
    fourth = sessions.begin("four").prompt("We have more memory now, cache get() again")
    fourth.edit("cache.js", "  return load(key);", "  return store.get(key);").run("npm test", "1 passed")
    first, *_ = sessions.take(fourth.stop("Cached."))
    assert first.outcome.learnings == (f"Taken back or replaced later: “{why}”",)


def test_unproven_work_takes_nothing_back(sessions: Sessions):
    telling = sessions.begin("one").prompt("Split at blanks").edit("a.py", "split(' ')", "split()")
    sessions.take(telling.run("pytest", "1 passed").stop("It splits at blanks."))
    again = sessions.begin("two").prompt("Make it work for tabs").run("pytest", "1 passed")
    first, _ = sessions.take(again.edit("a.py", "split()", "split(' ')").stop("It works for tabs now."))
    assert first.outcome.learnings == ()


def test_what_later_words_of_the_user_forbid_was_replaced_for_them(sessions: Sessions):
    telling = sessions.begin("one").prompt("Log what handlers get").edit("api.py", "pass", "log(request)")
    sessions.take(telling.run("pytest", "1 passed").stop("Logged."))
    again = sessions.begin("two").prompt("From now on never log request bodies, only the request id.")
    again.edit("api.py", "log(request)", "log(request.id)").run("pytest", "1 passed")
    first, _ = sessions.take(again.stop("Only the id is logged."))
    (learning,) = first.outcome.learnings
    assert learning.startswith("Taken back or replaced later, as the user said: “From now on never log")


def test_other_lines_in_the_same_place_take_nothing_back(sessions: Sessions):
    telling = sessions.begin("one").prompt("Log what handlers get").edit("api.py", "pass", "log(request)")
    sessions.take(telling.run("pytest", "1 passed").stop("Logged."))
    again = (
        sessions.begin("two").prompt("Log the user too").edit("api.py", "log(request)", "log(user, request)")
    )
    first, _ = sessions.take(again.run("pytest", "1 passed").stop("Logged."))
    assert first.outcome.learnings == ()
    assert all(one.result and one.result.success for one in first.actions or ())


def test_options_that_the_user_did_not_choose_are_alternatives(sessions: Sessions):
    telling = sessions.begin().prompt("Semicolons break the export. What are the options?").read("out.py")
    telling.stop("Two ways:\n\n1. Replace them by commas. This changes data.\n2. Quote them.\n\nWhich one?")
    sessions.take(telling)
    *_, memory = sessions.take(telling.prompt("2").edit("out.py", "a", "b").stop("Quoted."))
    assert memory.reasoning is not None
    (other,) = memory.reasoning.alternatives_considered
    assert other.approach == "Replace them by commas. This changes data"
    assert other.why_rejected == "the user chose “Quote them.”"


def test_the_line_that_a_later_session_replaced_has_failed(sessions: Sessions):
    telling = sessions.begin("one").prompt("Add to_miles() to the units")
    telling.edit("units.py", "x = 1", "def to_miles(km):\n    return km * 1.609").run("pytest", CRASH, 1)
    sessions.take(telling.stop("test_miles still fails."))
    again = sessions.begin("two").prompt("to_miles() of the units still has a failing test, finish it")
    again.edit("units.py", "    return km * 1.609", "    return km / 1.609").run("pytest", "3 passed")
    first, _ = sessions.take(again.stop("It divides now."))
    failed = [one for one in first.actions or () if one.type == "file_edit" and one.result]
    results = [(one.details.diff_summary, one.result and one.result.success) for one in failed]
    assert ("+    return km * 1.609", False) in results


def test_a_check_in_a_later_session_settles_broken_off_work(sessions: Sessions, shop: Shop, rum: Rum):
    telling = sessions.begin("one").prompt("initials() should use all parts").edit("names.py", "a", "b")
    sessions.take(telling.add("end"))
    again = sessions.begin("two").prompt("initials() in names.py: did the change work? run the tests")
    first, second = sessions.take(again.run("pytest", "1 passed").stop("Yes, 1 passed."))
    assert links_of(second) == {"caused_by": [first.id]}
    assert "unfinished" not in at_start(shop, rum)


def test_after_other_work_on_the_same_file_nothing_is_called_unfinished(
    sessions: Sessions, shop: Shop, rum: Rum
):
    telling = sessions.begin("one").prompt("Fix the rounding of invoice totals").edit("bill.py", "a", "b")
    sessions.take(telling.stop("I could not fix it."))
    other = sessions.begin("two").prompt("Add a licence header").edit("bill.py", "x", "y").stop("Added.")
    _, second = sessions.take(other)
    assert links_of(second) == {}
    assert "Left unfinished" not in at_start(shop, rum)  # in doubt nothing is said


def test_a_session_may_resume_what_was_broken_off(sessions: Sessions, shop: Shop, rum: Rum):
    telling = sessions.begin("one").prompt("Move the cache to redis").edit("cache.py", "a", "b").add("end")
    sessions.take(telling)
    again = sessions.begin("two").prompt("continue where we left off").edit("redis.py", "b", "c")
    first, second = sessions.take(again.run("pytest", "3 passed").stop("Done."))
    assert second.intent.goal == "Move the cache to redis"
    assert links_of(second) == {"caused_by": [first.id]}
    assert "unfinished" not in at_start(shop, rum)


def test_a_commit_in_a_new_session_belongs_to_the_work_it_commits(sessions: Sessions):
    telling = sessions.begin("one").prompt("Add a retry").edit("pay.py", "a", "b").stop("Added it.")
    sessions.take(telling)
    commit = sessions.begin("two").prompt("commit it").run("git commit -am x", "[main 1234abc] Retry charges")
    (memory,) = sessions.take(commit.stop("Committed."))
    assert memory.perception
    assert [one.what for one in memory.perception.observations] == ["Committed 1234abc: Retry charges"]
    assert memory.commit == "1234abc"


def test_a_follow_up_that_was_done_is_closed(sessions: Sessions, shop: Shop, rum: Rum):
    telling = sessions.begin("one").prompt("Cache the rates").edit("rates.py", "a", "b")
    told = "Cached.\n\nNext steps:\n- backfill the history table\n- tell treasury about the new cache"
    sessions.take(telling.stop(told))
    assert "backfill the history table" in at_start(shop, rum)
    done = sessions.begin("two").prompt("Backfill the history table").edit("rates.py", "b", "c")
    first, second = sessions.take(done.stop("The history table is backfilled."))
    assert first.outcome.follow_up_needed == ("tell treasury about the new cache",)
    assert links_of(second) == {"caused_by": [first.id]}


def test_work_that_replaces_lines_of_an_earlier_session_is_related(sessions: Sessions):
    telling = (
        sessions.begin("one").prompt("Orders load slowly").edit("schema.sql", "x", "CREATE INDEX a ON o(e)")
    )
    sessions.take(telling.stop("Added an index."))
    later = sessions.begin("two").prompt("The plan still says SCAN")
    later.edit("schema.sql", "CREATE INDEX a ON o(e)", "CREATE INDEX a ON o(lower(e))")
    first, second = sessions.take(later.stop("The index is on the expression now."))
    assert links_of(second) == {"related_to": [first.id]}


def test_a_correction_is_linked_to_the_work_it_corrects(sessions: Sessions):
    telling = sessions.begin().prompt("Add a retry around the call").edit("pay.py", "a", "b").stop("Added.")
    telling.prompt("no, use with_retry from lib/retry.py").edit("pay.py", "b", "c").stop("Used it.")
    first, second = sessions.take(telling)
    assert links_of(second) == {"caused_by": [first.id]}


def test_the_report_of_a_subagent_in_the_background_is_part_of_the_memory(sessions: Sessions):
    telling = sessions.begin().prompt("Find out who calls charge()")
    telling.call("agent", text="Find all callers of charge().").agent("a1")
    telling.add("agent_start").agent("").stop("I started an explorer.")
    sessions.take(telling)
    conclusion = "charge() is called by checkout.py and by the nightly job in jobs/bill.py. " * 2
    telling.agent("a1").read("checkout.py")
    (memory, *_) = sessions.take(telling.stop(conclusion))
    assert memory.perception
    assert "called by checkout.py" in memory.perception.observations[0].what
    assert memory.intent.task_type == "investigation"


@pytest.mark.parametrize("is_busy", [False, True])
def test_a_report_after_the_end_of_the_turn_is_part_of_the_story_in_codex(
    shop: Shop, sessions: Sessions, is_busy: bool
):
    telling = Telling(cwd=str(shop.folder), client="codex").prompt("Find out who calls charge()", "m1")
    telling.call("agent", text="Find all callers of charge().").agent("a1", "x1").add("agent_start")
    sessions.take(telling.agent("", "m1").stop("I started an explorer."))
    if is_busy:  # the user goes on with something else
        telling.prompt("Rename pay.py", "m2").run("git mv pay.py payment.py").stop("Renamed.")
    conclusion = "charge() is called by checkout.py and by the nightly job in jobs/bill.py. " * 2
    sessions.take(telling.agent("a1", "x1").read("checkout.py").stop(conclusion))
    done = '<subagent_notification>{"status": {"completed": "..."}}</subagent_notification>'
    telling.agent("").prompt(done, "m3").edit("callers.txt", "", "checkout.py").stop("Wrote callers.txt.")
    (memory, *rest) = sessions.take(telling)
    assert memory.perception
    assert "called by checkout.py" in memory.perception.observations[0].what
    goals = [one.intent.goal for one in (memory, *rest)]
    assert goals == ["Find out who calls charge()", *["Rename pay.py"] * is_busy]


def test_work_that_was_broken_off_is_finished_in_other_files(sessions: Sessions, shop: Shop, rum: Rum):
    telling = sessions.begin().prompt("split customers.name into first_name and last_name")
    sessions.take(telling.edit("schema.sql", "name TEXT", "first_name TEXT").add("end"))
    assert "Left unfinished" in at_start(shop, rum)
    later = sessions.begin("s2").prompt("the split of customer names broke off half way, finish it pls")
    later.edit("export.py", "a = 1", "a = 2").run("pytest", "3 passed")
    first, second = sessions.take(later.stop("Finished."))
    assert first.id in str(links_of(second))
    assert "unfinished" not in at_start(shop, rum)


def test_unfinished_work_is_not_told_if_somebody_changed_its_files(sessions: Sessions, shop: Shop, rum: Rum):
    (shop.folder / "pay.py").write_text("b\n")
    telling = sessions.begin().prompt("Add a retry to charge()").edit("pay.py", "a", "b")
    sessions.take(telling.run("pytest", CRASH, 1).stop("It still fails."))
    assert "Left unfinished" in at_start(shop, rum)
    (shop.folder / "pay.py").write_text("c\n")
    assert "unfinished" not in at_start(shop, rum)


def test_a_later_session_finds_that_unverified_lines_were_wrong(sessions: Sessions):
    telling = sessions.begin().prompt("parse_offset should take minutes")
    sessions.take(telling.edit("offset.py", "return 0", "return hours + minutes / 60").stop("It does."))
    later = sessions.begin("s2").prompt("do half hours work west of Greenwich?")
    later.edit("test_offset.py", "", "assert parse('-3:30') == -3.5").run("pytest", CRASH, 1)
    later.edit("offset.py", "return hours + minutes / 60", "return hours + sign * minutes / 60")
    first, _ = sessions.take(later.run("pytest", "3 passed").stop("They did not. Now they do."))
    (failed,) = [one for one in first.actions or () if one.result and not one.result.success]
    assert failed.details.diff_summary == "+return hours + minutes / 60"


def test_what_the_user_said_is_not_told_twice(sessions: Sessions, shop: Shop, rum: Rum):
    telling = sessions.begin().prompt("Add a delete").edit("kv.py", "a", "try: del d[k]").stop("Added.")
    telling.prompt("No, we never use try/except for control flow").edit("kv.py", "try: del d[k]", "d.pop(k)")
    sessions.take(telling.stop("Done."))
    assert at_start(shop, rum).count("never use try/except") == 1


def test_what_was_still_going_on_is_not_said_when_it_is_done(sessions: Sessions):
    telling = sessions.begin().prompt("Add a reduced rate").edit("tax.py", "a", "b")
    telling.stop("The rate is in. The search is still running.").prompt("go on").edit("tax.py", "b", "c")
    (memory,) = sessions.take(telling.stop("Nobody else computes it."))
    assert memory.outcome.summary == "The rate is in. Nobody else computes it."


def test_a_sentence_about_going_on_ends_where_it_ends(sessions: Sessions):
    telling = sessions.begin().prompt("Add a reduced rate").edit("tax.py", "a", "b")
    telling.stop("The rate is in. I am still working on tax.py for 1.5 % steps.")
    telling.prompt("go on").edit("tax.py", "b", "c")
    (memory,) = sessions.take(telling.stop("Nobody else computes it."))
    assert memory.outcome.summary == "The rate is in. Nobody else computes it."
