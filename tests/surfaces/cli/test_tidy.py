"""rum tidy."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rum import Rum
from support.builders import make_draft
from support.embedders import Endpoint
from support.processes import end, make_place
from surfaces.cli.running import Run
from surfaces.cli.terminal import needs_terminal, on_terminal

HOLDER = """
import sys
from rum.app.upkeep.tidy import lease

with lease(sys.argv[1], 0, 77):
    print("ready", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def endpoint(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with Endpoint().serving() as endpoint:
        for name, value in endpoint.settings().items():
            monkeypatch.setenv(name, value)
        yield endpoint


def started(tmp_path: Path, rum: Rum, variables: dict[str, str]) -> subprocess.Popen[str]:
    """`rum tidy --wait` as another process."""
    program = "import sys; from rum.surfaces.cli.main import main; sys.exit(main(sys.argv[1:]))"
    arguments = ("tidy", "--wait", "--project", rum.project.id)
    place = make_place(tmp_path / "beside")
    return place.start(program, *arguments, **variables, RUM_HOME=rum.settings.home)


def test_memories_get_their_vectors_and_the_doctor_counts_them(endpoint: Endpoint, run: Run, stored: str):
    assert ", done 0, pending 1 (" in run("doctor").out
    ran = run("tidy")
    assert (ran.code, ran.out, ran.err) == (0, "Embedded: 1, pending: 0\n", "")
    assert ", done 1, pending 0\n" in run("doctor").out
    assert run("doctor", "--json").json["facts"]["vectors"]["done"] == 1


def test_as_json(endpoint: Endpoint, run: Run, stored: str):
    answer = run("tidy", "--json").json
    assert answer.pop("model").startswith("endpoint:words@")
    assert answer == {"embedded": 1, "pending": 0, "dropped": 0}


def test_with_wait_everything_is_finished(endpoint: Endpoint, run: Run, rum: Rum):
    for number in range(70):
        rum.store(**make_draft(f"Goal {number}"))
    ran = run("tidy", "--wait")
    assert (ran.code, ran.out, ran.err) == (0, "Embedded: 70, pending: 0\n", "")


def test_a_failing_embedder_is_told_with_exit_code_1(endpoint: Endpoint, run: Run, stored: str):
    endpoint.status = 500
    for arguments in (["tidy"], ["tidy", "--wait"]):
        ran = run(*arguments)
        assert ran.code == 1
        assert ran.out.splitlines()[0].startswith("problem: ")
        assert "status 500" in ran.out.splitlines()[0]
        assert ran.out.splitlines()[1] == "Embedded: 0, pending: 1"
    in_json = run("tidy", "--json")
    assert (in_json.code, "status 500" in in_json.json["trouble"]) == (1, True)
    doctor = run("doctor")
    assert (doctor.code, "status 500" in doctor.out.splitlines()[0]) == (1, True)
    endpoint.status = 200
    assert (run("tidy").code, run("doctor").code) == (0, 0)


def test_without_an_embedder_it_says_that_there_is_none(
    run: Run, stored: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    ran = run("tidy")
    assert (ran.code, ran.out) == (0, "No embedder is configured, so recall uses words only.\n")
    assert "vectors: model none\n" in run("doctor").out


def test_whoever_is_at_it_is_named(endpoint: Endpoint, run: Run, rum: Rum, stored: str, tmp_path: Path):
    process = make_place(tmp_path / "elsewhere").start(HOLDER, rum.project.directory)
    try:
        assert process.stdout
        process.stdout.readline()
        ran = run("tidy")
        assert (ran.code, f"Process {process.pid}, since" in ran.out) == (0, True)
        assert run("tidy", "--json").json["busy"] == {"pid": process.pid, "since": 77}
        assert endpoint.asked == []
    finally:
        end(process)


def test_with_wait_another_is_waited_for(endpoint: Endpoint, run: Run, rum: Rum, stored: str, tmp_path: Path):
    holder = make_place(tmp_path / "elsewhere").start(HOLDER, rum.project.directory)
    assert holder.stdout
    holder.stdout.readline()
    waiting = started(tmp_path, rum, endpoint.settings())
    try:
        assert waiting.stderr
        assert f"Process {holder.pid}" in waiting.stderr.readline()
        assert endpoint.asked == []
        end(holder)
        assert waiting.communicate(timeout=60)[0] == "Embedded: 1, pending: 0\n"
    finally:
        end(holder)
        end(waiting)


def test_how_long_many_may_take_is_said_beforehand_and_it_can_be_stopped(run: Run, rum: Rum, tmp_path: Path):
    for number in range(200):
        rum.store(**make_draft(f"Goal {number}"))
    at_work = started(tmp_path, rum, {"RUM_EMBEDDER": "builtin"})
    try:
        assert at_work.stderr
        assert at_work.stderr.readline().startswith("200 memories: about 1 min of one core.")
    finally:
        end(at_work)
    assert run("doctor").code == 0


def test_a_new_index_may_drop_the_vectors_too(endpoint: Endpoint, run: Run, stored: str):
    run("tidy")
    run("reindex")
    assert run("tidy", "--json").json["embedded"] == 0
    assert run("reindex", "--vectors").out == "Reindexed: 1\n"
    assert run("tidy", "--json").json["embedded"] == 1


@needs_terminal
def test_on_a_terminal_a_bar_is_shown(endpoint: Endpoint, run: Run, stored: str):
    seen = on_terminal("tidy", "--wait")
    assert (seen.code, "Embedding" in seen.text, "Embedded: 1" in seen.text) == (0, True, True)


@needs_terminal
def test_the_bar_shows_how_many_are_done_how_quickly_and_how_long_the_rest_takes(
    endpoint: Endpoint, run: Run, rum: Rum
):
    for number in range(70):
        rum.store(**make_draft(f"Goal {number}"))
    seen = on_terminal("tidy", "--wait", NO_COLOR="1")
    assert re.search(r"Embedding .* 70/70 \d:\d\d:\d\d \d+/s \d:\d\d:\d\d", seen.text)


def test_how_long_it_takes_is_in_the_help(run: Run):
    assert "20 to 50 minutes" in " ".join(run("tidy", "--help").out.split())


def test_how_mcp_starts_it_is_no_business_of_the_help(run: Run):
    assert "--idle" not in run("tidy", "--help").out
