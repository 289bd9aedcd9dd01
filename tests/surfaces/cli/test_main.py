"""Dispatch, exit codes, errors, values of options, and which modules a command loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import click
import pytest

from rum._version import __version__
from rum.model.fields import point_in_time
from rum.surfaces.cli.commands import ALL, SECTIONS, root
from surfaces.cli.running import JSON, Run
from surfaces.cli.terminal import interrupted_on_terminal, needs_terminal

LOADED = (
    "import sys, rum.__main__ as m; code = m.main(); print(*sys.modules, file=sys.stderr); sys.exit(code)"
)


def loaded_by(*arguments: str) -> set[str]:
    """The modules that one command loads."""
    ran = subprocess.run([sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True, input="")
    assert ran.returncode == 0, ran.stderr
    return set(ran.stderr.split())


def test_version_is_printed(program: Run):
    ran = program("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"rum {__version__}\n", "")


def test_help_lists_every_command_with_its_purpose(run: Run):
    ran = run("--help")
    assert ran.code == 0
    for name, (_, help) in ALL.items():
        assert any(line.split()[:1] == [name] and help in line for line in ran.out.splitlines())


def test_without_a_command_help_is_printed(run: Run):
    assert run().out == run("--help").out


@pytest.mark.parametrize("name", ALL)
def test_the_help_of_a_command_matches_the_table(name: str):
    command = root.get_command(click.Context(root), name)
    assert command is not None
    assert command.get_short_help_str(limit=200) == ALL[name][1]


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("mcp", "hook")])
def test_every_command_has_help_with_the_shared_options(run: Run, name: str):
    ran = run(name, "--help")
    assert ran.code == 0
    assert all(option in ran.out for option in ("--project", "--agent", "--json"))


def test_no_command_is_in_two_sections():
    assert sum(map(len, SECTIONS.values())) == len(ALL)


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["recall", "x"], ["list", "--json"]])
def test_in_a_pipe_rich_is_not_loaded(project: Path, arguments: list[str]):
    assert not any(name.partition(".")[0] == "rich" for name in loaded_by(*arguments))


def test_only_the_command_that_runs_is_loaded(project: Path):
    loaded = loaded_by("recall", "x")
    commands = {f"rum.surfaces.cli.{module}" for module, _ in ALL.values()}
    assert loaded & commands == {"rum.surfaces.cli.memories.find"}
    assert not loaded_by("--help") & commands


@pytest.mark.parametrize(
    "arguments",
    [
        ["mcp"],
        ["--project", "other", "mcp", "--tools", "core"],
        ["--project=other", "--json", "mcp"],
        ["mcp", "--project", "other"],
    ],
)
def test_the_server_starts_without_the_command_line(project: Path, arguments: list[str]):
    loaded = loaded_by(*arguments)
    assert "rum.surfaces.mcp.main" in loaded
    assert not loaded & {"click", "rich", "rum.surfaces.cli.main"}


def test_the_server_has_help_with_its_options(program: Run):
    ran = program("--project", "other", "mcp", "--help")
    assert ran.code == 0
    assert all(option in ran.out for option in ("--project", "--tools"))


@pytest.mark.parametrize("arguments", [["store", "mcp"], ["--nonsense", "mcp"], ["--project"], ["--", "mcp"]])
def test_mcp_as_an_argument_starts_no_server(program: Run, arguments: list[str]):
    ran = program(*arguments)
    assert ran.code == 2
    assert ran.err.startswith("rum: ")


def test_the_project_can_be_named_before_or_after_the_command(run: Run):
    run("--project", "one", "store", stdin=JSON)
    assert run("list", "--project", "one", "--json").json["total"] == 1
    assert run("--project", "one", "--json", "list").json["total"] == 1
    assert run("list", "--json").json["total"] == 0


def test_the_last_project_option_wins(run: Run):
    run("--project", "one", "store", "--project", "two", stdin=JSON)
    assert run("--project", "two", "list", "--json").json["total"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["recal"], "Did you mean `recall`?"),
        (["search"], "Did you mean `recall`?"),
        (["find"], "Did you mean `recall`?"),
        (["remember"], "Did you mean `store`?"),
        (["zzz"], "There is no command `zzz`"),
        (["recall", "--nonsense"], "--nonsense"),
        (["show"], "ID"),
        (["link", "one", "two"], "TARGET"),
        (["restore"], "--all"),
        (["restore", "one", "two", "--version", "1"], "--version"),
        (["recall", "x", "--depth", "deep"], "summary"),
        (["recall", "x", "--limit", "many"], "many"),
        (["recall", "x", "--limit", "101"], "100"),
        (["recall", "x", "--min-confidence", "1.5"], "--min-confidence"),
        (["recall", "x", "--max-tokens", "0"], "--max-tokens"),
        (["list", "--limit", "0"], "--limit"),
        (["trace", "x", "--max-depth", "21"], "--max-depth"),
        (["identity", "become"], "register"),
        (["import"], "FILE"),
        (["completion", "csh"], "bash"),
        (["store", "--goal", "x"], "--type, --summary, --success or --failure"),
        (["update", "x", "--file", "x.json", "--goal", "y"], "not both"),
        (["forget"], "--tag"),
        (["forget", "x", "--all"], "--tag"),
        (["recall", "\udcff"], "UTF-8"),
        (["recall"], "Give at least one of WORDS, --file"),
        (["recall", "x", "--success-only", "--failures-only"], "exclude each other"),
        (["recall", "x", "--limit", "abc"], "'abc' is not a whole number from 1 to 100."),
        (["recall", "x", "--limit", "0"], "'0' is not a whole number from 1 to 100."),
        (["recall", "x", "--min-confidence", "high"], "'high' is not a number from 0 to 1."),
        (["import", "git", "--max", "0"], "'0' is not a whole number of at least 1."),
        (["update", "x", "--importance", "5"], "'5' is not a number from 0 to 1."),
        (["update", "x", "--importance", "abc"], "'abc' is not a number from 0 to 1."),
        (["update", "x", "--success", "--failure"], "--success and --failure exclude each other"),
        (["journal", "update", "x", "--reversible", "--irreversible"], "exclude each other"),
        (["archive", "--importance", "5"], "`--importance` is a number from 0 to 1"),
        (["archive", "--uses", "-1"], "`--uses` is a number from 0"),
        (["chapter", "create"], "`--tag`"),
        (["wisdom", "synthesize"], "`--tag`"),
    ],
)
def test_a_usage_error_is_exit_code_2_with_a_message(run: Run, arguments: list[str], message: str):
    ran = run(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("rum: ")
    assert message in ran.err


def test_a_usage_error_is_exit_code_2_of_the_program(program: Run):
    assert program("recall", "--nonsense").code == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["show", "nosuchmemory"],
        ["update", "nosuchmemory", "--goal", "x"],
        ["trace", "nosuchmemory"],
        ["link", "nosuchmemory", "led_to", "other"],
        ["forget", "nosuchmemory"],
        ["history", "nosuchmemory"],
        ["restore", "nosuchmemory", "--version", "1"],
        ["identity", "info", "--name", "nobody"],
        ["projects", "join", "nosuch-00000000"],
        ["trust"],
        ["import", "nosuchfile"],
        ["store", "--file", "nosuchfile"],
        ["backup", "nosuchfolder/copy.db"],
        ["export", "nosuchfolder/all.jsonl"],
    ],
)
def test_an_error_is_exit_code_1_with_a_message(run: Run, arguments: list[str]):
    ran = run(*arguments)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("rum: ")
    assert "Traceback" not in ran.err


def test_an_error_is_exit_code_1_of_the_program(program: Run):
    assert program("show", "nosuchmemory").code == 1


def test_with_json_an_error_is_the_json_of_the_api(run: Run):
    ran = run("show", "nosuchmemory", "--json")
    assert (ran.code, ran.out) == (1, "")
    error = json.loads(ran.err)
    assert error["code"] == "NOT_FOUND"
    assert error["details"]["id"] == "nosuchmemory"


def test_an_unknown_field_is_named_with_a_similar_one(run: Run):
    wrong = {**JSON, "intent": {"goal": "x", "task_tpye": "bug_fix"}}
    ran = run("store", stdin=wrong)
    assert (ran.code, ran.out) == (1, "")
    assert "intent.task_tpye" in ran.err
    assert "Did you mean `task_type`?" in ran.err
    assert "\nallowed: constraints, context, goal, task_type\n" in ran.err, (
        "details that the message lacks follow it"
    )


@pytest.mark.skipif(os.name == "nt", reason="closes a POSIX pipe")
def test_a_closed_pipe_ends_the_command_without_an_error(run: Run, project: Path):
    for _ in range(3):
        run("store", stdin=JSON)
    script = f'"{sys.executable}" -m rum export | head -c 1 >/dev/null; echo "${{PIPESTATUS[0]}}"'
    big = json.dumps({**JSON, "intent": {**JSON["intent"], "context": "long " * 100_000}})
    run("store", stdin=big.encode())
    ran = subprocess.run(["bash", "-c", script], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("0\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_output_that_cannot_be_written_is_an_error(project: Path):
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "rum", "config"], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert ran.returncode == 1
    assert ran.stderr.startswith("rum: ")
    assert len(ran.stderr.splitlines()) == 1


@needs_terminal
def test_ctrl_c_is_exit_code_130_without_a_traceback(run: Run):
    run("store", stdin=JSON)
    screen = interrupted_on_terminal("forget", "--all", wait_for="(shop):")
    assert screen.code == 130
    assert "Traceback" not in screen.text
    assert run("list", "--json").json["total"] == 1


def test_warnings_are_printed_once_to_stderr(run: Run, project: Path):
    (project / ".rum").mkdir()
    (project / ".rum" / "config.toml").write_text("rate_limit = 1\n")
    for command in (["list"], ["config"], ["list", "--json"]):
        ran = run(*command)
        assert ran.code == 0
        assert ran.err.count("rum trust") == 1
        assert "rum trust" not in ran.out


NOW = 1_763_240_000.5


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1763230000", 1763230000),
        ("1763230000.25", 1763230000),
        ("1763230000000", 1763230000),
        ("90s", NOW - 90),
        ("30m", NOW - 30 * 60),
        ("12h", NOW - 12 * 3600),
        ("7d", NOW - 7 * 86400),
        ("2w", NOW - 14 * 86400),
        ("1.5d", NOW - 36 * 3600),
        (" 7 d ", NOW - 7 * 86400),
        ("2026-01-31T14:00Z", datetime(2026, 1, 31, 14, tzinfo=UTC).timestamp()),
        ("2026-01-31T14:00+02:00", datetime(2026, 1, 31, 12, tzinfo=UTC).timestamp()),
        ("2026-01-31", datetime(2026, 1, 31).timestamp()),
        ("2026-01-31 14:00", datetime(2026, 1, 31, 14).timestamp()),
    ],
)
def test_seconds_dates_and_ages_are_parsed(written: str, expected: float):
    assert point_in_time(written, NOW) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("written", ["", "soon", "7x", "-5d", "2026-13-01", "d", "1" * 400 + "w"])
def test_an_invalid_time_is_a_usage_error_with_examples(run: Run, written: str):
    ran = run("recall", "x", "--since", written)
    assert ran.code == 2
    assert "2026-01-31" in ran.err
