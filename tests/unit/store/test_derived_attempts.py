"""Which actions of a memory are stored as attempts."""

from __future__ import annotations

from typing import Any

import pytest

from rum.store.derived import MAX_ATTEMPTS, Attempt, attempts_of
from support.builders import make_memory, make_outcome
from support.offers import edited, failed_run, ran

LINE = "+    return first or second"


def rows(*actions: dict[str, Any], **more: Any) -> list[Attempt]:
    return attempts_of(make_memory("mem_1", actions=list(actions), **more))


def test_a_failed_attempt_has_its_reason_and_its_replacement():
    failed, worked = rows(edited("a.py", LINE, "TypeError: no"), edited("a.py", "+    return second"))
    assert (failed.key, failed.tried, failed.why) == ("a.py", "return first or second", "TypeError: no")
    assert (failed.instead, failed.worked, worked.worked) == ("return second", False, True)


def test_an_edit_of_work_that_failed_did_not_work():
    assert rows(edited("a.py", LINE), outcome=make_outcome(success=False)) == []


def test_an_edit_that_nobody_checked_neither_worked_nor_took_the_place_of_another():
    (failed,) = rows(
        edited("a.py", LINE, "TypeError: no"), edited("a.py", "+    return second"), tags=["unverified"]
    )
    assert (failed.worked, failed.instead) == (False, "")


@pytest.mark.parametrize("edits", [1, 3, 4])
def test_few_edits_of_unknown_result_are_suspect_where_the_work_failed(edits: int):
    unknown = [{**edited(f"{n}.py", LINE), "result": None} for n in range(edits)]
    outcome = make_outcome("It broke", success=False, failure_reason="Two owners")
    found = rows(*unknown, outcome=outcome)
    assert [one.why for one in found] == (["Two owners"] * edits if edits <= 3 else [])


def test_an_edit_that_was_not_made_says_nothing():
    assert rows(edited("a.py", LINE, "String to replace not found in file.")) == []


def test_a_failing_check_says_nothing_and_one_that_cannot_be_run_does():
    assert rows(failed_run("pytest -q", "AssertionError")) == []
    (failed,) = rows(failed_run("pytest -q", "pytest: command not found"))
    assert failed.key == "$ pytest"


def test_what_a_command_was_replaced_by_serves_the_same_purpose():
    failed, *_ = rows(
        failed_run("pip install psycopg2", "no"), ran("docker ps -a"), ran("pip install psycopg")
    )
    assert failed.instead == "pip install psycopg"


@pytest.mark.parametrize(
    ("command", "error"),
    [
        (
            "git push origin main",
            "fatal: could not read Username for 'https://example.org': terminal prompts disabled",
        ),
        ("git push", "error: git@example.org: Permission denied (publickey)."),
        ("git push origin main", "! [rejected] main -> main (fetch first)"),
        ("pip install rich", "error: Temporary failure in name resolution"),
        ("npm ci", "npm error code ENOTFOUND"),
        ("terraform apply", "Error: Unauthorized: your session has expired"),
        ("docker compose up -d", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."),
        ("./deploy.sh staging", "bash: ./deploy.sh: Permission denied"),
        ("gh pr create --fill", "To get started with GitHub CLI, please run:  gh auth login"),
    ],
)
def test_a_failure_outside_the_project_says_nothing_about_the_command(command: str, error: str):
    assert rows(failed_run(command, error)) == []


def test_a_failure_outside_the_project_counts_if_another_way_worked():
    failed, _ = rows(
        failed_run("./deploy.sh staging", "bash: ./deploy.sh: Permission denied"),
        ran("bash deploy.sh staging"),
    )
    assert (failed.worked, failed.instead) == (False, "bash deploy.sh staging")
    denied = failed_run("git push origin main", "fatal: unable to access")
    assert [one.key for one in rows(denied, ran("git pull origin main"))] == ["$ git pull"]


def test_prose_has_no_marks_and_a_memory_no_more_rows_than_it_may():
    assert rows(edited("a.py", "Replaced the loop", "failed")) == []
    assert len(rows(*(edited(f"{n}.py", LINE) for n in range(MAX_ATTEMPTS + 5)))) == MAX_ATTEMPTS


def test_an_edit_of_other_lines_is_not_what_worked_instead():
    failed, *_ = rows(
        edited("a.py", "-    return 1\n+    return first or second", "TypeError: no"),
        edited("a.py", "-    limit = 3\n+    limit = 4"),
    )
    assert failed.instead == ""
    failed, *_ = rows(
        edited("a.py", "-    return 1\n+    return first or second", "TypeError: no"),
        edited("a.py", "-    return 1\n+    return second"),
        edited("a.py", "-    limit = 3\n+    limit = 4"),
    )
    assert failed.instead == "return second"
