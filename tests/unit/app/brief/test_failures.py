"""Failures in a brief: attempts in runs, reverted work, and each failure once."""

from __future__ import annotations

import pytest

from rum import Rum
from support.projects import Shop
from support.repositories import START, Repository

FILE = "src/flask/sessions.py"
TASK = "Cache the session lookup"


def cached(rum: Rum, **how: str) -> str:
    """A run in which something was tried in vain before it succeeded; its memory."""
    with rum.run(agent="developer", task=TASK, files=[FILE], extract=False, **how) as run:
        run.attempt("Cache open_session()").fail("Sessions leaked between users")
        run.attempt("A dictionary by tenant").succeed()
        run.succeed("Lookups are cached by tenant")
    assert run.memory_id is not None
    return run.memory_id


class TestAttempts:
    def test_a_failed_attempt_within_a_success_warns_later(self, shop: Shop, rum: Rum):
        done = cached(rum)
        shop.clock.forward(86400 * 30)
        text = shop.open().brief(task="Cache the session lookup", file=FILE).text
        why = "Sessions leaked between users. Solved later: Lookups are cached by tenant"
        assert f"### Failed Before (Don't Repeat)\n- Cache open_session(): {why} [" in text
        (found,) = rum.recall(file=FILE, failures_only=True).memories
        assert found.intent.goal == "Cache open_session()"
        (node,) = rum.trace(done).chain
        assert node.memory.id == found.id

    def test_it_is_found_by_the_files_it_touched(self, rum: Rum):
        with rum.run(agent="developer", task=TASK, files=[FILE, "other.py"], extract=False) as run:
            with run.attempt("Use lru_cache", approach="functools") as attempt:
                run.step("Decorate it", file=FILE)
                attempt.fail("It leaks", lessons="The tenant belongs into the key")
            run.succeed("Done")
        (found,) = rum.recall(file=FILE, failures_only=True, depth="outcome").memories
        assert found.outcome.learnings == ("The tenant belongs into the key",)
        assert not rum.recall(file="other.py", failures_only=True).memories

    def test_a_failed_run_causes_a_warning(self, rum: Rum):
        with rum.run(agent="developer", task=TASK, files=[FILE], extract=False) as run:
            run.attempt("Cache open_session()").fail("Sessions leaked between users")
            run.fail("No cache is safe here", "logic_error")
        found = rum.recall(file=FILE, failures_only=True).memories
        assert [one.intent.goal for one in found] == [TASK]


def test_in_its_own_session_a_failure_is_listed_once(shop: Shop):
    rum = shop.open()
    cached(rum, session="monday")
    with rum.run(agent="developer", task="Cache users", files=[FILE], session="monday", extract=False) as run:
        run.fail("The table is too large", "logic_error")
    text = rum.brief(task=TASK, file=FILE, agent="developer", session="monday").text
    assert text.count("Sessions leaked between users") == 1
    assert text.count("The table is too large") == 1
    elsewhere = rum.brief(task="Paint the zebra", agent="developer", session="monday").text
    assert "## Recently Failed Approaches (Don't Repeat)\n- " in elsewhere
    assert "Sessions leaked between users" in elsewhere


class TestCommits:
    @pytest.fixture
    def repo(self, shop: Shop) -> Repository:
        return Repository(shop.folder)

    def test_a_revert_is_no_solution(self, repo: Repository, shop: Shop):
        repo.commit("Give out tokens", {"token.py": "3600\n"})
        bad = repo.commit("Keep users logged in for a day", {"token.py": "86400\n"})
        repo.commit(
            f"Take the lifetime back\n\nThis reverts commit {bad}.\n\nThe security tests allow one hour.",
            {"token.py": "3600\n"},
        )
        rum = shop.open()
        rum.import_git()
        text = rum.brief(task="Let tokens live longer", file="token.py").text
        why = "The security tests allow one hour. Reverted by “Take the lifetime back” ["
        assert f"- Keep users logged in for a day: {why}" in text
        assert "Solved later" not in text
        assert "(other)" not in text
        assert bad[:10] not in text

    def test_a_revert_without_a_reason_is_named_once(self, repo: Repository, shop: Shop):
        repo.commit("Begin", {"token.py": "1\n"})
        repo.revert(repo.commit("Keep users logged in", {"token.py": "2\n"}))
        rum = shop.open()
        rum.import_git()
        text = rum.brief(task="Keep users logged in", file="token.py").text
        assert text.count('Revert "Keep users logged in"') <= 2  # as the reason, and as work of its own
        assert "Reverted by" not in text

    @pytest.mark.parametrize(
        ("body", "told"),
        [
            ("fix: autoescape svg templates", "templating.py"),
            (
                "fix: autoescape svg templates\n\nBrowsers run scripts in them.",
                "Browsers run scripts in them.",
            ),
            ("* Drop the wrapper\n* Use streams", "Drop the wrapper; Use streams"),
            ("* autoescape svg templates\n\n* add an entry", "templating.py"),
        ],
    )
    def test_a_commit_whose_message_begins_with_its_subject_tells_what_comes_then(
        self, repo: Repository, shop: Shop, body: str, told: str
    ):
        repo.commit("Begin", {"readme": "1\n"})
        repo.commit(f"fix: autoescape svg templates (#12)\n\n{body}", {"src/templating.py": "1\n"})
        rum = shop.open()
        rum.import_git()
        assert (
            f"- fix: autoescape svg templates (#12): {told.rstrip('.')} ["
            in rum.brief(file="src/templating.py").text
        )

    def test_a_commit_tells_why_or_where_instead_of_its_size(self, repo: Repository, shop: Shop):
        repo.commit("Begin", {"readme": "1\n"})
        body = "Templates of svg were not escaped. Browsers run scripts in them."
        repo.commit(f"Autoescape svg templates\n\n{body}\n\nAnother paragraph.", {"src/templating.py": "1\n"})
        many = {f"src/{name}.py": "2\n" for name in ("app", "ctx", "json", "views", "wrappers")}
        repo.commit("Move svg templates", many)
        rum = shop.open()
        rum.import_git()
        text = rum.brief(task="Change the svg templates").text
        assert f"- Autoescape svg templates: {body[:-1]} [" in text
        assert "- Move svg templates: app.py, ctx.py, json.py and 2 more [" in text
        assert " files, +" not in text

    def test_the_solution_of_a_failure_is_shown_by_its_subject(self, repo: Repository, shop: Shop):
        bad = repo.commit("Cache svg templates", {"a.py": "1\n"})
        repo.revert(bad, "They were stale.")
        repo.commit(f"Cache svg templates by their time\n\nFixes: {bad[:12]}", {"a.py": "2\n"})
        rum = shop.open()
        rum.import_git()
        text = rum.brief(task="Change templates", file="a.py").text
        assert "Solved later: Cache svg templates by their time" in text

    def test_copies_of_earlier_imports_are_listed_once(self, repo: Repository, shop: Shop):
        first = repo.commit("Begin", {"a.py": "1\n"})
        work = repo.commit("Autoescape svg templates", {"b.py": "1\n"})
        rum = shop.open()
        rum.import_git()
        repo.git("checkout", "--quiet", "-b", "side", first)
        repo.git("cherry-pick", work, GIT_COMMITTER_DATE=f"{START + 5000} +0000")
        other = shop.open(home=shop.home.parent / "other")
        other.import_git()
        rum.import_lines(list(other.export()))
        assert len(rum.recall(file="b.py", include_similar=True).memories) == 2
        text = rum.brief(task="Autoescape svg templates").text
        assert text.count("Autoescape svg templates") == 1
        assert "times)" not in text
