"""Commits that are skipped as noise."""

from __future__ import annotations

import pytest

from rum.capture.git.work_kind import noise_by_author, noise_by_change


@pytest.mark.parametrize(
    "author",
    [
        "dependabot[bot]",
        "renovate[bot]",
        "Renovate Bot",
        "pyup-bot",
        "github-actions",
        "pre-commit-ci[bot]",
        "Weblate",
    ],
)
def test_bots_are_recognised_by_their_names(author: str):
    assert noise_by_author(1, author) == "bot"


@pytest.mark.parametrize("author", ["Ann", "Abbot", "Talbot Smith", "Botond", "Weblaterson", ""])
def test_people_are_no_bots(author: str):
    assert noise_by_author(1, author) is None


def test_a_merge_is_recognised_by_its_parents():
    assert noise_by_author(2, "Ann") == noise_by_author(9, "renovate[bot]") == "merge"
    assert noise_by_author(0, "Ann") is None


@pytest.mark.parametrize(
    "subject",
    [
        "Bump version to 1.2.3",
        "bump version",
        "Release 1.2.3",
        "v2.0.0-rc1",
        "1.2",
        "Git 2.40.1",
        "chore(release): 3.1.0",
        "Prepare release 1.2.3",
        "Back to development",
        "Version 1.2.3.",
        "[maven-release-plugin] prepare for next",
    ],
)
def test_a_version_number_alone_is_a_release(subject: str):
    assert noise_by_change(subject, "", ["setup.py", "CHANGES"]) == "release"


@pytest.mark.parametrize(
    "subject", ["Release the lock", "Fix version 1.2 parsing", "Bump the timeout to 3.5", "1.2 is wrong"]
)
def test_work_on_versions_is_no_release(subject: str):
    assert noise_by_change(subject, "", ["setup.py"]) is None


def test_a_release_with_many_files_is_work():
    assert noise_by_change("Release 1.0.0", "", [f"src/{number}.py" for number in range(20)]) is None
    assert noise_by_change("Release 1.0.0", "The first one that works.", ["setup.py"]) is None


def test_lock_files_alone_are_noise():
    assert noise_by_change("Update", "", ["web/package-lock.json", "Cargo.lock"]) == "lock_file"
    assert noise_by_change("Update", "", ["Cargo.lock", "Cargo.toml"]) is None


def test_a_commit_without_changes_and_message_is_noise():
    assert noise_by_change("Run CI again", "", []) == "empty"
    assert noise_by_change("Decide on gates", "They stay closed, because ...", []) is None
