"""Every interface gives the same reasons for a result."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from support.builders import make_draft
from support.processes import Place, make_place

pytestmark = pytest.mark.both_stores

QUESTION = {"query": "login of unicorns", "explain": True, "min_confidence": 0}
COMMAND = ("recall", "login", "of", "unicorns", "--explain", "--min-confidence", "0")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A project with memories about a login."""
    for name in [name for name in os.environ if name.startswith("RUM_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    monkeypatch.setenv("RUM_IDLE_AFTER", "0")
    monkeypatch.setenv("RUM_SESSION", "asking")
    place = make_place(tmp_path)
    monkeypatch.setenv("RUM_HOME", str(place.home))
    with place.open() as rum:
        rum.store(**make_draft("Fix the login"))
    return place


def through_python(place: Place, **question: Any) -> dict[str, Any]:
    with place.open() as rum:
        return json.loads(msgspec.json.encode(rum.recall(**question)))


def ran(place: Place, *arguments: str, told: str = "") -> str:
    done = subprocess.run(
        [sys.executable, "-m", "rum", *arguments],
        cwd=place.work,
        input=told,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def through_mcp(place: Place, **question: Any) -> dict[str, Any]:
    call = {"name": "recall", "arguments": question}
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    reply = json.loads(ran(place, "mcp", told=json.dumps(asked) + "\n"))
    return json.loads(reply["result"]["content"][0]["text"])


def test_every_interface_gives_the_same_reasons(place: Place) -> None:
    [given] = through_python(place, **QUESTION)["memories"]
    assert any(line.startswith("query words: login (") for line in given["why"])
    assert given["why"][-1] == "in no memory: unicorns"
    [by_mcp] = through_mcp(place, **QUESTION)["memories"]
    [by_command] = json.loads(ran(place, *COMMAND, "--json"))["memories"]
    assert by_mcp["why"] == by_command["why"] == given["why"]


def test_the_command_line_prints_one_reason_per_line(place: Place) -> None:
    [given] = through_python(place, **QUESTION)["memories"]
    printed = ran(place, *COMMAND)
    assert "Fix the login" in printed
    assert all(line in printed for line in given["why"])


def test_reasons_are_given_only_on_request(place: Place) -> None:
    for answer in (through_python(place, query="login"), through_mcp(place, query="login")):
        assert answer["memories"]
        assert not any("why" in memory for memory in answer["memories"])
    assert "query words" not in ran(place, "recall", "login")


def test_reasons_count_towards_the_tokens_of_an_answer(place: Place) -> None:
    short = through_python(place, query="login")["token_estimate"]
    assert through_python(place, query="login", explain=True)["token_estimate"] > short
