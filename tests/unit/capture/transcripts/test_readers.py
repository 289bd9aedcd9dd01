"""Clients' transcripts are read as the events of their hooks; no file can stop a reader."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.capture.clients.detect import event_of
from rum.capture.observe.turn_memory import observe_turn
from rum.capture.observe.turns import split_turns, with_turns
from rum.capture.transcripts import READERS
from rum.capture.transcripts.records import MAX_LINE, records, unix_time
from support.captured_events import TRANSCRIPTS
from support.hooks import samples

if TYPE_CHECKING:
    from rum.capture.events.event import Event

FILES = {
    "claude-code": "claude-code.jsonl",
    "codex": "codex.jsonl",
    "codex-function-tools": "codex-function-tools.jsonl",
    "gemini": "gemini.json",
}


def read(name: str) -> list[Event]:
    client = "codex" if name.startswith("codex") else name
    return list(READERS[client].events([str(TRANSCRIPTS / FILES[name])]))


def memory(name: str) -> dict[str, Any]:
    (turn,) = split_turns(with_turns(read(name)))
    found = observe_turn(turn).fields
    assert found is not None
    return found


@pytest.mark.parametrize("name", FILES)
def test_every_clients_transcript_gives_the_same_memory(name: str):
    told = memory(name)
    assert told["intent"]["goal"].startswith("The mean of an empty list should be 0.0")
    assert told["outcome"]["success"] is True
    assert told["outcome"]["verified_by"]["command"] == "python3 check_stats.py"
    assert "/project/stats.py" in {one.get("file_path") for one in told["actions"]}


@pytest.mark.parametrize("name", ["claude-code", "codex", "codex-function-tools"])
def test_the_edit_that_failed_first_has_its_error(name: str):
    edits = [one for one in memory(name)["actions"] if one["type"] == "file_edit"]
    # The first edit in two parts: the line that stayed, and the one that was replaced.
    assert [one["result"]["success"] for one in edits] == [True, False, True]
    assert edits[1]["result"]["error"] == "ZeroDivisionError: division by zero in mean (stats.py)"


@pytest.mark.parametrize("client", ["claude-code", "codex"])
def test_an_event_has_the_same_id_from_hook_and_transcript(client: str):
    written = {event["id"] for event in read(client)}
    session = read(client)[0]["session"]
    told = [event for payload in samples(client) if (event := event_of(payload, client, 1.0))]
    kinds = ("prompt", "after", "failed", "stop")
    seen = {event["id"] for event in told if event["session"] == session and event["kind"] in kinds}
    assert seen
    assert seen <= written


def test_transcripts_have_exit_codes_that_hooks_lack():
    codes = [event["exit"] for event in read("codex") if event.get("tool") == "run" and "exit" in event]
    assert codes == [0, 1, 0]


@pytest.mark.parametrize("name", FILES)
def test_text_injected_by_hooks_is_not_read_as_a_prompt(name: str):
    told = json.dumps(read(name))
    assert "DEMO-CONTEXT" not in told
    assert "never keep this" not in told


def test_transcripts_of_claude_codes_subagents_are_found(tmp_path: Path):
    def record(kind: str, content: object, **more: Any) -> str:
        told = {"type": kind, "sessionId": "s1", "cwd": "/p", "timestamp": "2026-11-15T20:15:56Z", **more}
        return (
            json.dumps({**told, "message": {"role": kind, "content": content, "stop_reason": "end_turn"}})
            + "\n"
        )

    def call(name: str, **given: Any) -> list[dict[str, Any]]:
        return [{"type": "tool_use", "id": f"toolu_{name}", "name": name, "input": given}]

    def result(name: str) -> list[dict[str, Any]]:
        return [{"type": "tool_result", "tool_use_id": f"toolu_{name}", "content": "ok"}]

    gave = {"agentId": "abc", "agentType": "explorer", "content": [{"type": "text", "text": "Done."}]}
    main, below = tmp_path / "s1.jsonl", tmp_path / "s1" / "subagents"
    below.mkdir(parents=True)
    main.write_text(
        record("user", "Do it", promptId="p1")
        + record("assistant", call("Agent", prompt="Mend it"))
        + record("user", result("Agent"), promptId="p1", toolUseResult=gave)
        + record("assistant", [{"type": "text", "text": "All done."}])
    )
    (below / "agent-abc.jsonl").write_text(
        record("user", "Mend it", isSidechain=True)
        + record(
            "assistant", call("Edit", file_path="/p/a.py", old_string="a", new_string="b"), isSidechain=True
        )
        + record("user", result("Edit"), isSidechain=True)
        + record("assistant", [{"type": "text", "text": "Mended."}], isSidechain=True)
    )
    (session,) = READERS["claude-code"].files(str(tmp_path))
    assert READERS["claude-code"].cwd_of(session[0]) == "/p"
    one, other = split_turns(with_turns(READERS["claude-code"].events(session)))
    assert (one.key.agent, one.last_words) == ("", "All done.")
    assert (other.key.agent, other.key.turn, other.agent_type, other.last_words) == (
        "abc",
        "p1",
        "explorer",
        "Mended.",
    )
    assert other.prompt == "Mend it"


def test_a_session_of_gemini_may_be_json_lines(tmp_path: Path):
    whole = json.loads((TRANSCRIPTS / "gemini.json").read_text())
    lines = [{"sessionId": whole["sessionId"]}, *whole["messages"]]
    path = tmp_path / "chats" / "session-1.jsonl"
    path.parent.mkdir()
    path.write_text("\n".join(map(json.dumps, lines)))
    (tmp_path / ".project_root").write_text("/project\n")
    found = list(READERS["gemini"].events([str(path)]))
    assert [event["id"] for event in found] == [event["id"] for event in read("gemini")]
    assert {event["cwd"] for event in found} == {"/project"}


def test_a_line_that_is_too_long_is_skipped(tmp_path: Path):
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"a": 1}\n{"b": "' + b"x" * MAX_LINE + b'"}\n{"c": 3}\n')
    assert list(records(str(path))) == [{"a": 1}, {"c": 3}]


def test_only_the_end_of_a_file_is_read_where_that_is_enough(tmp_path: Path):
    path = tmp_path / "some.jsonl"
    path.write_text("".join(f'{{"n": {number:03d}}}\n'.replace("00", "") for number in range(9)))
    assert len(list(records(str(path), 20))) == 2


def test_history_copied_to_a_codex_subagent_is_skipped(tmp_path: Path):
    above, turn = "01a1e494-2724-77b0-9f36-c57e5c9a8b26", "01a1e494-274b-7602-b60d-019529836d12"
    own, later = "01a1e494-2931-7802-bc93-b8c9f8a20184", "01a1e494-299d-79a2-84c9-659fb7cd269d"

    def ran(turn: str, command: str) -> list[tuple[str, dict[str, Any]]]:
        told = {"turn_id": turn}
        call = {"name": "exec_command", "arguments": json.dumps({"cmd": command}), "call_id": command}
        return [
            ("event_msg", {"type": "task_started", **told}),
            ("response_item", {"type": "function_call", **call}),
            ("response_item", {"type": "function_call_output", "call_id": command, "output": "Exit code: 0"}),
        ]

    lines = [
        ("session_meta", {"id": own, "session_id": above, "cwd": "/project"}),
        ("session_meta", {"id": above, "session_id": above, "cwd": "/project"}),
        *ran(turn, "make all"),
        *ran(later, "make side"),
        ("event_msg", {"type": "task_complete", "turn_id": later, "last_agent_message": "It is made."}),
    ]
    path = tmp_path / "rollout-1.jsonl"
    at = "2026-11-16T13:37:57Z"
    path.write_text(
        "".join(json.dumps({"timestamp": at, "type": kind, "payload": told}) + "\n" for kind, told in lines)
    )
    told = list(READERS["codex"].events([str(path)]))
    assert [(one["kind"], one.get("turn")) for one in told] == [("after", later), ("agent_stop", later)]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("client", READERS)
def test_a_pipe_in_place_of_a_transcript_does_not_block(client: str, tmp_path: Path):
    path = tmp_path / "chats" / ("x.json" if client == "gemini" else "rollout-x.jsonl")
    path.parent.mkdir()
    os.mkfifo(path)
    os.mkfifo(tmp_path / ".project_root")
    assert list(READERS[client].files(str(tmp_path))) == [[str(path)]]
    assert list(READERS[client].events([str(path)])) == []
    assert READERS[client].cwd_of(str(path)) == ""


@pytest.mark.parametrize("value", [None, "yesterday", True, -1, 1e20, "9999-99-99", []])
def test_an_invalid_time_is_none(value: object):
    assert unix_time(value) is None


def test_a_time_may_be_written_in_several_ways():
    assert (
        unix_time("2026-11-15T20:15:56.361Z")
        == unix_time("2026-11-15T21:15:56.361+01:00")
        == unix_time(1794773756361)
    )


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=10,
)
WORDS = """
type message content timestamp sessionId promptId toolUseResult payload item id call_id turn_id messages
toolCalls args result status name input output changes command is_error text
"""
NAMES = st.sampled_from(WORDS.split())


def mutated(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value with every part put through a change."""
    if isinstance(value, dict):
        return change({key: mutated(inner, change) for key, inner in value.items()})
    if isinstance(value, list):
        return change([mutated(inner, change) for inner in value])
    return change(value)


@pytest.mark.parametrize("name", FILES)
@settings(max_examples=40)
@given(others=st.lists(JSON, min_size=1, max_size=4), rate=st.integers(3, 40), first=st.integers(0, 40))
def test_a_transcript_with_unexpected_values_is_still_read(
    name: str, tmp_path: Path, others: list[Any], rate: int, first: int
):
    client = "codex" if name.startswith("codex") else name
    source = (TRANSCRIPTS / FILES[name]).read_text()
    parts = [json.loads(source)] if name == "gemini" else [json.loads(line) for line in source.splitlines()]
    places = count(first)

    def change(value: Any) -> Any:
        place = next(places)
        return others[place % len(others)] if place % rate == 0 else value

    path = tmp_path / ("x.json" if name == "gemini" else "x.jsonl")
    changed = [mutated(part, change) for part in parts]
    path.write_text("\n".join(json.dumps(part) for part in changed), encoding="utf-8", errors="replace")
    for turn in split_turns(with_turns(READERS[client].events([str(path)]))):
        observe_turn(turn)


@settings(max_examples=60)
@given(st.lists(st.dictionaries(NAMES, JSON, max_size=6), max_size=5), st.binary(max_size=50))
def test_any_file_is_read_without_an_error(tmp_path: Path, told: list[dict[str, Any]], rest: bytes):
    path = tmp_path / "x.jsonl"
    path.write_bytes("\n".join(map(json.dumps, told)).encode("utf-8", "replace") + b"\n" + rest)
    for module in READERS.values():
        list(module.events([str(path)]))
        module.cwd_of(str(path))
