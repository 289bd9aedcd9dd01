"""The pull requests of merges, and what they give to their commits."""

from __future__ import annotations

import pytest

from rum.capture.git.pull_requests import PullRequest, brought_in, pull_request_of
from rum.repo.history import Commit


@pytest.mark.parametrize(
    ("message", "request_"),
    [
        (
            "Merge pull request #43 from ann/gate\n\nClose the gate\n\nBurglars came in.",
            PullRequest("#43", "Close the gate", "Burglars came in."),
        ),
        ("Merge pull request #43 from ann/gate\n\nClose the gate", PullRequest("#43", "Close the gate")),
        (
            "Merge branch 'gate' into 'main'\n\nClose the gate\n\nBurglars.\n\nSee merge request a/b!12",
            PullRequest("!12", "Close the gate", "Burglars."),
        ),
        ("Merged in gate (pull request #7)\n\nClose it", PullRequest("#7", "Close it")),
        ("Auto merge of #99 - ann:gate, r=bob\n\nClose it", PullRequest("#99", "Close it")),
        ("Merged PR 5: Close it", PullRequest("#5", "Close it")),
        ("Merge branch 'gate'", None),
        ("Close the gate (#12)", None),
    ],
)
def test_a_merge_names_its_pull_request(message: str, request_: PullRequest | None):
    assert pull_request_of(message) == request_


def test_what_a_commit_says_of_its_pull_request():
    assert (
        PullRequest("#4", "Close it", "Burglars.").paragraph("Add a lock")
        == "Pull request #4: Close it\n\nBurglars."
    )
    assert PullRequest("!4", "Close it").paragraph("gate: close it") == "Merge request !4"


def commits(*told: tuple[str, str, str]) -> list[Commit]:
    """(id, parents, message) of each, oldest first."""
    return [Commit(sha, 5, 5, tuple(parents.split()), "Ann", message) for sha, parents, message in told]


MERGE = "Merge pull request #{} from ann/x\n\nTitle {}"


def test_commits_belong_to_the_merge_that_brought_them_in():
    found = brought_in(
        commits(
            ("a", "", "Begin"),
            ("b", "a", "On the branch"),
            ("c", "a", "On main"),
            ("d", "b c", "Merge main into the branch"),
            ("e", "d", "Also on the branch"),
            ("f", "c e", MERGE.format(1, 1)),
            ("g", "f", "On main again"),
        )
    )
    assert {sha: request.number for sha, request in found.items()} == dict.fromkeys("bde", "#1")


def test_the_inner_pull_request_counts():
    found = brought_in(
        commits(
            ("a", "", "Begin"),
            ("b", "a", "Part of 2"),
            ("c", "a", "Part of 1"),
            ("d", "c b", MERGE.format(2, 2)),
            ("e", "a d", MERGE.format(1, 1)),
        )
    )
    assert {sha: request.number for sha, request in found.items()} == {"b": "#2", "c": "#1", "d": "#1"}


def test_a_long_text_is_not_repeated_in_many_commits():
    line = [(f"s{number}", f"s{number - 1}" if number else "a", "Work") for number in range(30)]
    told = commits(("a", "", "Begin"), *line, ("m", "a s29", MERGE.format(1, 1) + "\n\nText."))
    assert {(one.number, one.text) for one in brought_in(told).values()} == {("#1", "")}
