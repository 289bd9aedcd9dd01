"""`rum review` and `rum stats`: by commands in a pipe, by single keys on a terminal."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from rum import Rum
from rum.capture.events import spool
from rum.capture.events.event import to_line
from support.captured_events import Telling
from surfaces.cli.running import Run
from surfaces.cli.terminal import needs_terminal, on_terminal


@pytest.fixture
def pending(project: Path, rum: Rum, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The ids of two pending memories and a pending rule, the last proposed first."""
    monkeypatch.setenv("RUM_REVIEW", "first")
    with Rum.open(owner=True) as opened:
        for number, name in enumerate(("cart", "tax")):
            told = Telling(cwd=str(project), session=f"s{number}", at=1_790_000_000.0 + number * 900)
            told.prompt(f"Fix the rounding in {name}.py").edit(f"{name}.py", "a = 1", "a = 2")
            told.run("pytest -q", "2 passed in 1s").stop(f"The {name} is rounded now. 2 tests pass.")
            for event in told.events:
                spool.append(os.path.join(rum.project.directory, "spool"), event["session"], to_line(event))
            opened.take_in()
        said = Telling(cwd=str(project), session="s9", at=1_790_009_000.0)
        said.prompt("From now on always use Decimal for money in this repo.").stop("Understood.")
        for event in said.events:
            spool.append(os.path.join(rum.project.directory, "spool"), event["session"], to_line(event))
        opened.take_in()
        return [item.id for item in opened.review.list()]


def test_what_waits_is_listed_and_shown_with_its_events(run: Run, pending: list[str]):
    assert run("review").out.splitlines() == run("review", "list").out.splitlines()
    assert run("review", "list", "--ids").out.split() == pending
    assert len(run("review", "list", "--kind", "memory", "--json").json) == 2
    shown = run("review", "show", pending[-1]).out
    assert "Fix the rounding in cart.py" in shown
    assert "prompt: Fix the rounding in cart.py" in shown
    assert run("list", "--ids").out == ""


def test_items_are_accepted_edited_merged_and_rejected_by_commands(run: Run, pending: list[str]):
    rule, tax, cart = pending
    assert run("review", "accept", cart, "--ids").out.split() == [cart]
    assert run("list", "--ids").out.split() == [cart]
    merged = run("review", "merge", tax, cart)
    assert f"Merged: memory {tax} into {cart}" in merged.out
    files = run("show", cart, "--json").json["files"]
    assert {file["path"] for file in files} == {"cart.py", "tax.py"}
    run("review", "edit", rule, "--set", "action=Use Decimal for money")
    assert "Use Decimal for money" in run("rules", "list").out
    ran = run("review", "reject", rule)
    assert ran.code == 1
    assert "rum review list" in ran.err
    assert "Nothing waits for review." in run("review").err


def test_an_edit_may_be_json_and_needs_a_change(run: Run, pending: list[str]):
    changes = {"outcome": {"summary": "Cents are kept"}}
    done = run("review", "edit", pending[-1], "--file", "-", "--json", stdin=changes).json
    assert done[0]["verdict"] == "edited"
    assert "Cents are kept" in run("show", pending[-1]).out
    assert run("review", "edit", pending[0]).code == 2
    assert run("review", "edit", pending[0], "--set", "action").code == 2
    assert run("review", "edit", pending[0], "--file", "-", stdin=[1]).code == 1


def test_an_agent_may_not_accept(run: Run, pending: list[str]):
    ran = run("review", "accept", pending[0], "--agent", "builder")
    assert ran.code != 0
    assert "Only a person" in ran.err


def test_stats_count_what_was_captured_and_decided(run: Run, pending: list[str]):
    run("review", "reject", pending[-1])
    text = run("stats").out
    assert "pending" in text
    found = run("stats", "--json").json
    assert found["reviewed"] == {"rejected": {"memory": 1}}
    assert found["pending"] == {"memory": 1, "rule": 1}
    assert found["turns"]["pending"] == 1
    assert run("stats", "--since", "2099-01-01", "--json").json["turns"] == {}


@needs_terminal
def test_single_keys_decide_on_a_terminal(run: Run, pending: list[str]):
    rule, tax, cart = pending
    screen = on_terminal("review", wait_for="1 of 3", typed="ranq")
    assert screen.code == 0
    assert f"Rejected: rule {rule}" in screen.text
    assert f"Accepted: memory {tax}" in screen.text
    assert run("list", "--ids").out.split() == [tax]
    assert run("review", "list", "--ids").out.split() == [cart]


@needs_terminal
def test_an_item_is_edited_in_an_editor_and_merged_on_a_terminal(
    run: Run, pending: list[str], tmp_path: Path
):
    script = tmp_path / "editor.py"
    script.write_text(
        "import json, sys\n"
        "path = sys.argv[1]\n"
        "fields = json.load(open(path))\n"
        "fields['action'] = 'Use Decimal'\n"
        "json.dump(fields, open(path, 'w'))\n"
    )
    screen = on_terminal("review", wait_for="1 of 3", typed="eq", EDITOR=f"{sys.executable} {script}")
    assert f"Edited: rule {pending[0]}" in screen.text
    assert json.loads(run("rules", "list", "--json").out)[0]["action"] == "Use Decimal"
    screen = on_terminal("review", wait_for="1 of 2", typed=f"m{pending[2]}\nq")
    assert f"Merged: memory {pending[1]} into {pending[2]}" in screen.text
    assert run("review", "list", "--ids").out.split() == [pending[2]]
