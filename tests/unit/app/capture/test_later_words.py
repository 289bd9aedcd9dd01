"""What users and files say later changes what is told of earlier work."""

from __future__ import annotations

import pytest

from rum import Rum
from support.captured_events import NOON, Telling
from support.projects import Shop
from support.sessions import Sessions, at_start


@pytest.fixture
def rum(shop: Shop) -> Rum:
    shop.clock.at = NOON + 600
    return shop.open(owner=True)


@pytest.fixture
def sessions(shop: Shop, rum: Rum) -> Sessions:
    return Sessions(shop, rum)


def green(telling: Telling) -> Telling:
    return telling.run("pytest -q", "2 passed in 0.1s")


def test_what_still_fails_in_a_later_session_is_no_success(sessions: Sessions):
    first = sessions.begin().prompt("deploy job fails with 'Resource not accessible', fix it")
    first.edit("deploy.yml", "TOKEN: a", "TOKEN: b")
    sessions.take(first.stop("The cause was the missing token. It uses token b now."))
    again = sessions.begin("s2").prompt("deploy still fails with the same error: Resource not accessible")
    older, newer = sessions.take(again.edit("deploy.yml", "on: x", "permissions: y\non: x").stop("Done."))
    assert not older.outcome.success
    assert older.outcome.failure_reason == (
        "The user reported later: deploy still fails with the same error: Resource not accessible"
    )
    assert older.outcome.learnings == ()
    assert newer.outcome.success


def test_that_something_else_still_fails_says_nothing_of_it(sessions: Sessions):
    first = sessions.begin().prompt("deploy job fails with 'Resource not accessible', fix it")
    sessions.take(first.edit("deploy.yml", "TOKEN: a", "TOKEN: b").stop("It uses token b now."))
    other = sessions.begin("s2").prompt("the invoice page still shows the wrong total")
    older, _ = sessions.take(other.edit("invoice.py", "a = 1", "a = 2").stop("Done."))
    assert older.outcome.success


@pytest.mark.parametrize(
    "prompt",
    [
        "show the error messages of the login form in red again",
        "the messages of the login form show no errors again, write them in red",
    ],
)
def test_asking_for_more_is_no_report_that_something_still_fails(sessions: Sessions, prompt: str):
    first = sessions.begin().prompt("show the error messages of the login form")
    sessions.take(first.edit("form.py", "a = 1", "a = 2").stop("It shows them now."))
    other = sessions.begin("s2").prompt(prompt)
    older, _ = sessions.take(other.edit("form.py", "a = 2", "a = 3").stop("Done."))
    assert older.outcome.success


def test_a_file_taken_back_by_git_in_a_later_session_warns(shop: Shop, sessions: Sessions):
    pool = shop.folder / "pool.py"
    pool.write_text("SIZE = 50\n")
    first = sessions.begin().prompt("raise the pool and the timeout")
    first.edit("pool.py", "SIZE = 10", "SIZE = 50").edit("http.py", "TIMEOUT = 30", "TIMEOUT = 60")
    sessions.take(green(first).stop("Raised both."))
    pool.write_text("SIZE = 10\n")
    back = sessions.begin("s2").prompt("the pool of 50 killed the db, put it back")
    older, _ = sessions.take(back.run("git checkout HEAD~1 -- pool.py").stop("It is 10 again."))
    failed = {
        one.details.file_path: one.result.error
        for one in older.actions or ()
        if one.result and one.result.error
    }
    assert failed == {"pool.py": "undone by later work: “the pool of 50 killed the db, put it back”"}


def test_a_report_that_the_user_takes_back_is_no_failure(shop: Shop, rum: Rum, sessions: Sessions):
    telling = sessions.begin().prompt("login must refuse blank names").edit("login.py", "a", "strip()")
    sessions.take(green(telling).stop("login() strips the name."))
    (memory,) = sessions.take(
        telling.prompt("that broke login on staging").stop("A 502 comes from the proxy.")
    )
    assert not memory.outcome.success
    (memory,) = sessions.take(telling.prompt("sorry, my bad, it was the VPN").stop("Good."))
    assert memory.outcome.success
    assert "login" not in at_start(shop, rum)


def test_a_report_on_which_the_work_was_changed_stands(sessions: Sessions):
    telling = sessions.begin().prompt("login must refuse blank names").edit("login.py", "a", "strip()")
    telling.stop("Done.").prompt("that broke login on staging").edit("login.py", "strip()", "lstrip()")
    telling.stop("Changed.").prompt("it works now").stop("Good.")
    assert not sessions.take(telling)[0].outcome.success


def test_a_word_that_was_taken_back_is_not_told(rum: Rum, sessions: Sessions):
    telling = sessions.begin().prompt("name the bad input in the error").edit("lib.rs", "a", "use anyhow;")
    telling.stop("Done.").prompt("nope. anyhow is banned in this workspace, errors are enums with thiserror")
    sessions.take(telling.edit("lib.rs", "use anyhow;", "enum ParseError {}").stop("Done."))
    later = sessions.begin("s2").prompt(
        "print it nicely. and forget what I said about anyhow: in binaries it's fine, only libs use thiserror"
    )
    first, *_ = sessions.take(later.edit("main.rs", "a", "b").stop("Done."))
    assert first.outcome.learnings == ()
    (rule,) = [one for one in rum.rules.list() if one.superseded_by is None]
    assert rule.action.endswith("in binaries it's fine, only libs use thiserror")


def test_a_word_in_japanese_is_taken_back(rum: Rum, sessions: Sessions):
    sessions.take(
        sessions.begin()
        .prompt("コミットメッセージは必ず日本語で書いてください。覚えておいて。")
        .stop("はい。")
    )
    sessions.take(
        sessions.begin("s2").prompt("やっぱりコミットメッセージは英語にしましょう。").stop("はい。")
    )
    (rule,) = [one for one in rum.rules.list() if one.superseded_by is None]
    assert rule.action == "やっぱりコミットメッセージは英語にしましょう。"


@pytest.mark.parametrize(
    "objection", ["ugh, too salesy. no marketing adjectives in our docs", "too long for our docs"]
)
def test_words_on_which_work_was_taken_back_are_kept(objection: str, rum: Rum, sessions: Sessions):
    telling = sessions.begin().prompt("write an intro").edit("README.md", "Prints.", "A delightful printer.")
    telling.stop("Done.").prompt(objection).edit("README.md", "A delightful printer.", "Prints tables.")
    sessions.take(telling.stop("Done."))
    assert [(one.condition, one.action) for one in rum.rules.list()] == [("*", objection)]


def test_a_request_for_more_is_no_rule_although_lines_were_rewritten(rum: Rum, sessions: Sessions):
    telling = sessions.begin().prompt("write an intro").edit("README.md", "Prints.", "Prints tables.")
    telling.stop("Done.").prompt("mention TSV as well").edit(
        "README.md", "Prints tables.", "Prints TSV tables."
    )
    sessions.take(telling.stop("Done."))
    assert rum.rules.list() == []


def test_failed_work_that_is_still_there_is_to_be_finished_not_avoided(rum: Rum, sessions: Sessions):
    telling = sessions.begin().prompt("km() should use the great circle").edit("geo.py", "a", "acos(1)")
    sessions.take(telling.run("pytest -q", "1 failed, 1 passed in 0.1s", 1).stop("test_miles is red now."))
    text = rum.brief(task="km() should use the great circle").text
    assert "### Left Unfinished\n- km() should use the great circle" in text
    assert "Don't Repeat" not in text


def test_failed_work_that_was_undone_is_to_be_avoided(rum: Rum, sessions: Sessions):
    telling = sessions.begin().prompt("km() should use the great circle").edit("geo.py", "a", "acos(1)")
    telling.run("pytest -q", "1 failed, 1 passed in 0.1s", 1).run("git checkout geo.py")
    sessions.take(telling.stop("test_miles was red."))
    text = rum.brief(task="km() should use the great circle").text
    assert "### Failed Before (Don't Repeat)\n- km() should use the great circle" in text


def test_work_that_a_later_session_took_back_completely_has_failed(sessions: Sessions):
    first = sessions.begin().prompt("cache get() in memory").edit("cache.js", "load(key)", "store.get(key)")
    sessions.take(green(first).stop("get() keeps results now."))
    back = sessions.begin("s2").prompt("the cache ate 6 GB, take it out of get() again")
    older, _ = sessions.take(green(back.edit("cache.js", "store.get(key)", "load(key)")).stop("It is out."))
    assert (
        older.outcome.failure_reason == "Taken back later: “the cache ate 6 GB, take it out of get() again”"
    )
    assert not older.outcome.success


def test_what_was_left_in_a_file_that_was_changed_since_is_not_told(rum: Rum, sessions: Sessions):
    telling = sessions.begin().prompt("close stale sockets in pool.py").edit("pool.py", "a", "ping()")
    sessions.take(
        green(telling).stop("Stale sockets are closed.\n\n## Left to do\n- batch.py keeps stale sockets too")
    )
    assert "batch.py keeps stale sockets" in rum.brief(task="stale sockets").text
    later = sessions.begin("s2").prompt("also for the nightly sockets").edit("batch.py", "b", "ping()")
    sessions.take(green(later).stop("The nightly job pings now."))
    assert "batch.py keeps stale sockets" not in rum.brief(task="stale sockets").text


def test_undone_work_that_is_still_to_do_is_left_unfinished(rum: Rum, sessions: Sessions):
    telling = sessions.begin().prompt("bump sqlmodel to 0.1").edit("reqs.txt", "sqlmodel==0", "sqlmodel==1")
    telling.run("make check", "FAIL: import", 2).run("git checkout reqs.txt")
    sessions.take(telling.stop("It is back.\n\n## Next steps\n- change the import of sqlmodel, then bump"))
    text = rum.brief(task="bump sqlmodel").text
    assert "### Left Unfinished\n- bump sqlmodel to 0.1" in text
