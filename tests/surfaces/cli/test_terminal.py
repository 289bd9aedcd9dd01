"""Output on a terminal: colour, tables and trees; no memory can control the screen."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rum import Rum
from rum.inject.render import local_time
from surfaces.cli.running import Run
from surfaces.cli.terminal import needs_terminal, on_terminal

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
HOSTILE = {
    "intent": {
        "goal": "\x1b[2J\x1b]0;owned\x07[bold red]wipe[/] \u202ereversed",
        "task_type": "other",
        "context": "first\nFORGED: a field\r\nok   forged line",
    },
    "outcome": {
        "success": True,
        "summary": "\x9b31mred [link=https://example.com]click[/link] \x1b]52;c;aGk=\x07 :smile:",
        "learnings": ["\x1b[8mhidden\x1b[0m"],
    },
    "tags": ["\x1b[5mblink"],
}


@pytest.fixture
def hostile(rum: Rum) -> str:
    return rum.store(**HOSTILE).memory_id  # type: ignore[arg-type]


@needs_terminal
@pytest.mark.parametrize(
    "command", ["list", "recall token", "show ID", "trace ID", "agents", "config", "history ID"]
)
def test_a_terminal_gets_colour(stored: str, command: str):
    shown = on_terminal(*command.replace("ID", stored).split())
    assert shown.code == 0
    assert COLOUR.search(shown.text)


@needs_terminal
def test_a_table_has_a_heading_and_a_tree_has_branches(rum: Rum, stored: str):
    cause = rum.store(
        intent={"goal": "Cache the token", "task_type": "other"},
        outcome={"success": True, "summary": "Cached"},
        links={"led_to": stored},
    ).memory_id
    table = COLOUR.sub("", on_terminal("list").text)
    assert table.split("\n")[0].split() == ["id", "when", "goal", "outcome", "importance", "uses"]
    assert cause[-8:] in table
    assert "└── caused_by ok Cache the token" in COLOUR.sub("", on_terminal("trace", stored).text)


@needs_terminal
@pytest.mark.parametrize("plain", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_color_disables_colour(stored: str, plain: dict[str, str]):
    shown = on_terminal("recall", "token", **plain)
    assert "Fix the race" in shown.text
    assert not re.search(r"\x1b\[[0-9;]*3[0-9]", shown.text)


@needs_terminal
def test_no_line_is_wider_than_a_narrow_terminal(stored: str):
    shown = on_terminal("recall", "token", COLUMNS="50")
    assert all(len(COLOUR.sub("", line)) <= 50 for line in shown.text.splitlines())


@needs_terminal
@pytest.mark.parametrize("columns", [30, 60, 99])
def test_a_narrow_terminal_shows_records_as_blocks_with_every_value(rum: Rum, stored: str, columns: int):
    rum.update_memory(stored, tags=["auth", "done"])
    agent = rum.agents()[0]
    expected = {
        "list": ["FAIL", "Fix the race in token refresh", stored[-8:], "The lock was held too short", "0.8"],
        "agents": [agent.agent_id, "type main", "memories 1", "success 0%", local_time(agent.last_active)],
        f"history {stored}": ["version 1", "version 2", agent.agent_id, "changed stored", "changed tags"],
        "recall token": ["FAIL", "Fix the race in token refresh", stored[-8:], "The lock was held too short"],
        f"show {stored}": [stored, "bug_fix"],
    }
    for command, values in expected.items():
        lines = COLOUR.sub("", on_terminal(*command.split(), COLUMNS=str(columns)).text).splitlines()
        assert all(len(line) <= columns for line in lines), command
        # A blank may have become a line's end; an id that is wider than the screen is broken.
        text = "".join("".join(lines).split())
        for value in values:
            assert value.replace(" ", "") in text, command
        assert "…" not in text


@needs_terminal
def test_a_narrow_terminal_wraps_lines_between_words(rum: Rum, stored: str):
    goal, summary = "Fix the race in token refresh", "The lock was held too short"
    for command in ("list", "recall token"):
        words = COLOUR.sub("", on_terminal(*command.split(), COLUMNS="30").text).split()
        assert {*goal.split(), *summary.split(), stored[-8:]} <= {*words}
    details = COLOUR.sub("", on_terminal("agents", COLUMNS="60").text).splitlines()[1:]
    assert [line.rstrip() for line in details] == [
        "  type main · memories 1 · success 0%",
        f"  last active {local_time(rum.agents()[0].last_active)}",
    ]


@needs_terminal
def test_json_on_a_terminal_is_indented_and_without_colour(stored: str):
    shown = on_terminal("show", stored, "--json")
    assert json.loads(shown.text)["id"] == stored
    assert '\n  "id": ' in shown.text
    assert "\x1b" not in shown.text


@needs_terminal
def test_a_terminal_gets_errors_as_messages(project: Path):
    shown = on_terminal("show", "nosuchmemory")
    assert shown.code == 1
    assert "rum: No memory `nosuchmemory`" in COLOUR.sub("", shown.text)


def test_a_pipe_gets_no_colour_and_no_frames(run: Run, stored: str):
    for command in (
        ["list"],
        ["recall", "token"],
        ["show", stored],
        ["trace", stored],
        ["agents"],
        ["doctor"],
    ):
        ran = run(*command)
        assert ran.code == 0
        assert "\x1b" not in ran.out + ran.err
        assert not re.search("[\u2500-\u257f•]", ran.out)


def test_colour_can_be_forced_into_a_pipe(program: Run, stored: str):
    assert COLOUR.search(program("recall", "token", FORCE_COLOR="1", TERM="xterm").out)
    assert not COLOUR.search(program("recall", "token", FORCE_COLOR="0", TERM="xterm").out)


def test_a_pipe_gets_the_same_bytes_each_time(program: Run, stored: str):
    assert program("recall", "token").out == program("recall", "token").out


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_output_is_utf_8_in_any_locale(program: Run, rum: Rum, encoding: str):
    rum.store(
        intent={"goal": "Grüße, 日本", "task_type": "other"}, outcome={"success": True, "summary": "→ ok"}
    )
    ran = program("list", PYTHONIOENCODING=encoding, PYTHONUTF8="0", LC_ALL="C")
    assert "Grüße, 日本 — → ok" in ran.out


@pytest.mark.parametrize(
    "command",
    ["list", "recall wipe", "show ID", "trace ID", "recall wipe --depth full", "forget ID --dry-run"],
)
def test_hostile_text_is_sanitised_in_a_pipe(run: Run, hostile: str, command: str):
    out = run(*command.replace("ID", hostile).split()).out
    assert "[bold red]wipe[/] reversed" in out
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", out)
    assert "owned" not in out
    assert not any(line.startswith(("FORGED", "ok   forged")) for line in out.splitlines())


@needs_terminal
@pytest.mark.parametrize("command", ["list", "recall wipe", "show ID", "trace ID"])
def test_hostile_text_is_sanitised_on_a_terminal(hostile: str, command: str):
    text = on_terminal(*command.replace("ID", hostile).split()).text
    assert not re.search(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202e]", text)
    ours = COLOUR.sub("", text)
    assert "\x1b" not in ours
    assert "[bold" in ours, "markup is shown as it is"
    assert ":smile:" in ours or command.startswith("show")
    assert "owned" not in ours


def test_json_does_not_change_hostile_text(run: Run, hostile: str):
    shown = run("show", hostile, "--json")
    assert shown.json["intent"]["goal"] == HOSTILE["intent"]["goal"]
    assert "\x1b" not in shown.out


@needs_terminal
@pytest.mark.parametrize(
    ("arguments", "code"), [(["recall", "--\x1b[2Jzz"], 2), (["show", "\x1b[2Jzzzzzzzz"], 1)]
)
def test_errors_do_not_repeat_escape_sequences(project: Path, arguments: list[str], code: int):
    shown = on_terminal(*arguments)
    assert shown.code == code
    assert "\x1b" not in COLOUR.sub("", shown.text)
