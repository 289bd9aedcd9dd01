"""`rum tidy`, and the progress of long work."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from rum import Rum
from rum.surfaces.cli.output import EVERY, Lines
from support.builders import HandClock, make_draft
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
    """Start `rum tidy --wait` as another process."""
    program = "import sys; from rum.surfaces.cli.main import main; sys.exit(main(sys.argv[1:]))"
    arguments = ("tidy", "--wait", "--project", rum.project.id)
    place = make_place(tmp_path / "beside")
    return place.start(program, *arguments, **variables, RUM_HOME=rum.settings.home)


def test_tidy_computes_vectors_and_doctor_counts_them(endpoint: Endpoint, run: Run, stored: str):
    assert ", done 0, pending 1 (" in run("doctor").out
    ran = run("tidy")
    assert (ran.code, ran.out, ran.err) == (0, "Embedded: 1, pending: 0\n", "")
    assert ", done 1, pending 0\n" in run("doctor").out
    assert run("doctor", "--json").json["facts"]["vectors"]["done"] == 1


def test_tidy_prints_json(endpoint: Endpoint, run: Run, stored: str):
    answer = run("tidy", "--json").json
    assert answer.pop("model").startswith("endpoint:words@")
    assert answer == {"embedded": 1, "pending": 0, "dropped": 0}


def test_with_wait_everything_is_finished(endpoint: Endpoint, run: Run, rum: Rum):
    for number in range(70):
        rum.store(**make_draft(f"Goal {number}"))
    ran = run("tidy", "--wait")
    assert (ran.code, ran.out, ran.err) == (0, "Embedded: 70, pending: 0\n", "")


def test_a_failing_embedder_is_reported_with_exit_code_1(endpoint: Endpoint, run: Run, stored: str):
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


def test_a_missing_embedder_is_reported(run: Run, stored: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    ran = run("tidy")
    assert (ran.code, ran.out) == (0, "No embedder is configured, so recall uses words only.\n")
    assert "vectors: model none\n" in run("doctor").out


def test_a_process_that_already_runs_is_named(
    endpoint: Endpoint, run: Run, rum: Rum, stored: str, tmp_path: Path
):
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


def test_with_wait_another_process_is_waited_for(
    endpoint: Endpoint, run: Run, rum: Rum, stored: str, tmp_path: Path
):
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


def test_the_expected_time_is_printed_first_and_it_can_be_stopped(run: Run, rum: Rum, tmp_path: Path):
    for number in range(200):
        rum.store(**make_draft(f"Goal {number}"))
    at_work = started(tmp_path, rum, {"RUM_EMBEDDER": "builtin"})
    try:
        assert at_work.stderr
        assert at_work.stderr.readline().startswith("200 memories: about 1 min of one core.")
    finally:
        end(at_work)
    assert run("doctor").code == 0


def test_reindex_can_drop_the_vectors(endpoint: Endpoint, run: Run, stored: str):
    run("tidy")
    run("reindex")
    assert run("tidy", "--json").json["embedded"] == 0
    assert run("reindex", "--vectors").out == "Reindexed: 1\n"
    assert run("tidy", "--json").json["embedded"] == 1


@needs_terminal
def test_a_terminal_shows_a_progress_bar(endpoint: Endpoint, run: Run, stored: str):
    screen = on_terminal("tidy", "--wait")
    assert (screen.code, "Embedding" in screen.text, "Embedded: 1" in screen.text) == (0, True, True)


@needs_terminal
def test_the_bar_shows_amount_rate_and_remaining_time(endpoint: Endpoint, run: Run, rum: Rum):
    for number in range(70):
        rum.store(**make_draft(f"Goal {number}"))
    screen = on_terminal("tidy", "--wait", NO_COLOR="1")
    assert re.search(r"Embedding .* 70/70 \d:\d\d:\d\d \d+/s \d:\d\d:\d\d", screen.text)


def test_help_names_the_expected_time(run: Run):
    assert "20 to 50 minutes" in " ".join(run("tidy", "--help").out.split())


def test_internal_options_are_not_in_the_help(run: Run):
    assert "--idle" not in run("tidy", "--help").out


class FakeClockLines:
    """Progress lines with a clock that is moved by hand."""

    def __init__(self, total: int | None) -> None:
        self.clock = HandClock()
        self.lines: list[str] = []
        self.tell = Lines("Embedding", total, self.lines.append, self.clock)

    def after(self, seconds: float, done: int) -> str | None:
        """The line printed when the clock moves on and more is done."""
        self.clock.forward(seconds)
        self.lines.clear()
        self.tell(done)
        assert len(self.lines) <= 1
        return self.lines[0] if self.lines else None


def test_a_line_shows_amount_rate_and_remaining_time():
    shown = FakeClockLines(40_000)
    assert shown.after(20, 500) == "Embedding: 500 of 40000, 25 a second, about 26 min left"
    assert shown.after(1580, 39_900) == "Embedding: 39900 of 40000, 25 a second, about 4 s left"


@pytest.mark.parametrize(("done", "rate"), [(1, "0.05"), (30, "1.5"), (200, "10"), (24_690, "1234")])
def test_rates_have_two_significant_digits(done: int, rate: str):
    assert f", {rate} a second" in str(FakeClockLines(100_000).after(20, done))


def test_lines_are_printed_at_intervals_only():
    shown = FakeClockLines(100)
    assert shown.after(EVERY - 1, 10) is None
    assert shown.after(2, 20)
    assert shown.after(EVERY - 1, 30) is None
    assert shown.after(2, 40)


def test_without_a_total_no_remaining_time_is_shown():
    assert FakeClockLines(None).after(20, 500) == "Embedding: 500, 25 a second"


def test_without_progress_no_rate_is_shown():
    assert FakeClockLines(10).after(20, 0) == "Embedding: 0 of 10"


def test_a_later_total_is_used_and_may_be_exceeded():
    shown = FakeClockLines(None)
    shown.clock.forward(20)
    shown.tell(500, 1000)
    assert shown.lines == ["Embedding: 500 of 1000, 25 a second, about 20 s left"]
    assert shown.after(20, 1200) == "Embedding: 1200 of 1200, 30 a second"
