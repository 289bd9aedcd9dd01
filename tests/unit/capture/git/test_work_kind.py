"""What kind of work a commit was, and which are skipped as noise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.git.work_kind import (
    MAX_FOLDERS,
    MAX_SCOPES,
    folders,
    noise_by_author,
    noise_by_change,
    work_kind,
)
from rum.model.memory_layers import TaskType


@pytest.mark.parametrize(
    ("subject", "task_type", "scopes"),
    [
        ("feat(parser): read dates", "feature_add", ("parser",)),
        ("fix(auth)!: close the gate", "bug_fix", ("auth",)),
        ("fix: CVE-2024-1234 in the parser", "security_fix", ()),
        ("docs: say how", "documentation", ()),
        ("perf(db): batch it", "optimization", ("db",)),
        ("refactor(api, cli): move it", "refactor", ("api", "cli")),
        ("test: cover dates", "test_write", ()),
        ("ci: run on arm", "configuration", ()),
        ("build(deps): bump left-pad from 1.0 to 1.1", "dependency_update", ("deps",)),
        ("chore(deps): update all", "dependency_update", ("deps",)),
        ("chore: fix the gate", "bug_fix", ()),
        ('revert: "feat: read dates"', "bug_fix", ()),
        ("http2: fix a leak", "bug_fix", ("http2",)),
        ("lib/http: add proxies", "feature_add", ("lib", "http")),
        ("tests: add one more", "test_write", ()),
        ("docs/README: say why", "documentation", ("docs", "readme")),
        ("[parser] add dates", "feature_add", ("parser",)),
        ("Fix the gate", "bug_fix", ()),
        ("Add a gate", "feature_add", ()),
        ("Bump left-pad from 1.0 to 1.1", "dependency_update", ()),
        ("Fix typo in README", "documentation", ()),
        ("Make it faster", "optimization", ()),
        ("Rename the gate", "refactor", ()),
        ("Prefix everything", "other", ()),
        ("", "other", ()),
    ],
)
def test_kind_and_scopes_follow_from_the_subject(subject: str, task_type: str, scopes: tuple[str, ...]):
    kind = work_kind(subject, ["src/gate.c"])
    assert (kind.task_type.value, kind.scopes) == (task_type, scopes)


def test_a_breaking_change_is_marked():
    assert work_kind("feat!: new format", []).breaking
    assert not work_kind("feat: new format", []).breaking


@pytest.mark.parametrize(
    ("paths", "task_type"),
    [
        (["docs/a.md", "README.rst"], "documentation"),
        (["tests/test_a.py", "src/a_test.go"], "test_write"),
        ([".github/workflows/ci.yml", "pyproject.toml"], "configuration"),
        (["src/a.py", "docs/a.md"], "other"),
        ([], "other"),
    ],
)
def test_without_cue_words_the_files_decide(paths: list[str], task_type: str):
    assert work_kind("Gates everywhere", paths).task_type.value == task_type


def test_container_folders_are_skipped():
    paths = ["src/http/a.c", "src/http/b.c", "docs/a.md", "README.md", "Lib/x.py", "tests/a/b.py"]
    assert folders(paths) == ["http", "docs", "lib", "tests"]


def test_the_number_of_folders_is_limited():
    assert len(folders([f"d{number}/a" for number in range(100)])) == MAX_FOLDERS


@given(st.text(max_size=300), st.lists(st.text(max_size=40), max_size=5))
def test_any_subject_has_a_kind_and_few_scopes(subject: str, paths: list[str]):
    kind = work_kind(subject, paths)
    assert kind.task_type in TaskType
    assert len(kind.scopes) <= MAX_SCOPES


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
