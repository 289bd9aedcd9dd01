"""Work whose commits were reverted has failed, as far as it was reverted and as long as that holds."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from rum import Rum
from rum.model.answers import RetrievedMemory
from support.captured_events import Telling
from support.projects import Shop
from support.sessions import Sessions, at_start

LIMIT = "return hits[key] <= 100"


class Repository:
    """A repository with a limiter in one commit, and what agents told of it."""

    def __init__(self, shop: Shop) -> None:
        self.folder = shop.folder
        self.git("init", "-q")  # before the project is opened, as it names the project
        self.commit("First", "gate.go", "return true")
        self.rum = shop.open(owner=True)
        self.sessions = Sessions(shop, self.rum)

    def git(self, *words: str) -> str:
        settings = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
        run = subprocess.run(["git", *settings, *words], cwd=self.folder, check=True, capture_output=True)
        return run.stdout.decode()

    def commit(self, subject: str, path: str, text: str) -> str:
        Path(self.folder / path).write_text(text + "\n")
        self.git("add", "-A")
        return self.git("commit", "-m", subject)

    def limit(self) -> Telling:
        """A session that limits requests and commits it."""
        printed = self.commit("Limit requests", "gate.go", LIMIT)
        telling = self.sessions.begin("s1").prompt("limit Allow() to 100 requests per key")
        telling.edit("gate.go", "return true", LIMIT)
        return telling.run("git commit -am 'Limit requests'", printed)

    def revert(self, session: str, what: str = "HEAD") -> Telling:
        """A session that reverts a commit."""
        printed = self.git("revert", "--no-edit", what)
        telling = self.sessions.begin(session).prompt("the limiter has to go, every pod counts for itself")
        return telling.run(f"git revert --no-edit {what}", printed)


@pytest.fixture
def repository(shop: Shop) -> Repository:
    return Repository(shop)


def results(memory: RetrievedMemory) -> dict[str, bool | None]:
    """Whether each change of a file worked."""
    return {
        str(one.details.file_path): one.result.success if one.result else None
        for one in memory.actions or ()
        if one.details.file_path
    }


def accept_all(rum: Rum) -> None:
    for item in rum.review.list():
        rum.review.accept(item.id)


def test_a_commit_that_a_later_session_reverts_has_failed(repository: Repository, shop: Shop):
    sessions = repository.sessions
    sessions.take(repository.limit().stop("It counts in a map."))
    first, second = sessions.take(repository.revert("s2").stop("Reverted."))
    assert first.reverted_by
    assert first.reverted_by.id == second.id
    assert second.links == {"caused_by": [first.id]}
    assert first.reverted_by.reason == second.intent.goal
    assert first.outcome.success is False
    assert results(first) == {"gate.go": False}
    assert "unfinished" not in at_start(shop, repository.rum)


def test_a_revert_is_seen_below_later_commits(repository: Repository):
    repository.sessions.take(repository.limit().stop("It counts in a map."))
    telling = repository.revert("s2")
    reverting = repository.git("rev-parse", "HEAD").strip()
    telling.run("git commit -am Docs", repository.commit("Docs", "README", "pods"))
    first, second = repository.sessions.take(telling.stop("Reverted."))
    assert first.reverted_by
    assert (first.reverted_by.id, first.reverted_by.commit) == (second.id, reverting)
    assert second.outcome.success


def test_only_the_reverted_one_of_two_commits_has_failed(repository: Repository):
    telling = repository.limit().edit("metrics.go", "", "count(key)")
    telling.run("git commit -am Count", repository.commit("Count", "metrics.go", "count(key)"))
    repository.sessions.take(telling.stop("Limits and counts."))
    first, _ = repository.sessions.take(repository.revert("s2", "HEAD~1").stop("Reverted."))
    assert first.reverted_by
    assert first.reverted_by.in_part
    assert first.outcome.success
    assert results(first) == {"gate.go": False, "metrics.go": True}


def test_work_is_good_again_if_its_revert_is_reverted(repository: Repository):
    (before,) = repository.sessions.take(repository.limit().stop("It counts in a map."))
    repository.sessions.take(repository.revert("s2").stop("Reverted."))
    first, second, _ = repository.sessions.take(repository.revert("s3").stop("It is back."))
    assert not first.reverted_by
    assert (first.outcome, first.actions) == (before.outcome, before.actions)
    assert second.reverted_by


def test_a_revert_by_somebody_else_is_seen_with_its_reason(repository: Repository):
    repository.sessions.take(repository.limit().stop("It counts in a map."))
    repository.git("revert", "--no-edit", "HEAD")
    subject = "Revert the limiter\n\nEvery pod counts for itself.\n\n"
    notice = f"This reverts commit {repository.git('rev-parse', 'HEAD~1')}"
    repository.git("commit", "--amend", "-qm", subject + notice)
    telling = repository.sessions.begin("s2").prompt("Explain gate.go").edit("README", "", "x")
    first, _ = repository.sessions.take(telling.stop("Explained."))
    assert first.reverted_by
    assert first.reverted_by.reason == "Every pod counts for itself."
    assert first.outcome.failure_reason == "Every pod counts for itself."


def test_a_revert_waits_for_review_like_everything_captured(
    repository: Repository, shop: Shop, monkeypatch: pytest.MonkeyPatch
):
    (before,) = repository.sessions.take(repository.limit().stop("It counts in a map."))
    monkeypatch.setenv("RUM_REVIEW", "first")
    reviewing: Rum = shop.open(owner=True)
    sessions = Sessions(shop, reviewing)
    sessions.begin()
    sessions.take(repository.revert("s2").stop("Reverted."))
    accept_all(reviewing)
    assert not reviewing.show(before.id).reverted_by
    accept_all(reviewing)
    first = reviewing.show(before.id)
    assert first.reverted_by
    assert not first.outcome.success


def reset(repository: Repository, session: str, what: str = "HEAD~1") -> Telling:
    """A session that takes the branch back to an earlier commit."""
    printed = repository.git("reset", "--hard", what)
    telling = repository.sessions.begin(session).prompt("the limiter broke the export, throw it away")
    return telling.run(f"git reset --hard {what}", printed)


def test_a_commit_that_a_later_session_throws_away_has_failed(repository: Repository):
    sessions = repository.sessions
    sessions.take(repository.limit().stop("It counts in a map."))
    first, second = sessions.take(reset(repository, "s2").stop("Thrown away."))
    assert (first.outcome.success, second.outcome.success) == (False, True)
    assert results(first) == {"gate.go": False}


def test_what_another_branch_still_has_is_not_thrown_away(repository: Repository):
    sessions = repository.sessions
    sessions.take(repository.limit().stop("It counts in a map."))
    repository.git("branch", "limits")
    first, _ = sessions.take(reset(repository, "s2").stop("It is on the branch limits now."))
    assert first.outcome.success


def test_a_commit_that_was_made_again_after_a_reset_is_not_thrown_away(repository: Repository):
    sessions = repository.sessions
    sessions.take(repository.limit().stop("It counts in a map."))
    telling = reset(repository, "s2")
    repository.commit("Docs", "README", "pods")
    telling.run("git cherry-pick ORIG_HEAD", repository.git("cherry-pick", "ORIG_HEAD"))
    first, _ = sessions.take(telling.stop("The limiter comes after the docs now."))
    assert first.outcome.success


def test_after_a_reset_to_the_work_of_others_nothing_is_called_thrown_away(repository: Repository):
    repository.git("branch", "upstream")
    repository.sessions.take(repository.limit().stop("It counts in a map."))
    repository.git("checkout", "-q", "upstream")
    repository.commit("Squashed: limit requests, and more", "gate.go", LIMIT)
    repository.git("checkout", "-q", "-")
    telling = reset(repository, "s2", "upstream").stop("On the newest state now.")
    first, _ = repository.sessions.take(telling)
    assert first.outcome.success


def test_a_file_taken_back_from_an_earlier_commit_has_failed_though_the_commit_stays(repository: Repository):
    sessions = repository.sessions
    sessions.take(repository.limit().stop("It counts in a map."))
    repository.git("checkout", "HEAD~1", "--", "gate.go")
    telling = repository.sessions.begin("s2").prompt("the limiter broke the export, take gate.go back")
    first, _ = sessions.take(telling.run("git checkout HEAD~1 -- gate.go", "").stop("It is as it was."))
    assert first.outcome.success is False
