"""The benchmark of capture plays stories as the client would, and judges them by their labels."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from benchmarks.capture.checks import is_readable
from benchmarks.capture.client import Client
from benchmarks.capture.play import Options, Played, play
from benchmarks.capture.report import as_json, figures, story_lines
from benchmarks.capture.sheet import describe
from benchmarks.capture.stories import faults_of, read_stories, story_files

SAMPLES = Path(__file__).parents[1] / "data"
MEAN = "def mean(values):\n    return sum(values) / len(values)\n"
BROKEN = "    if values is None:\n        return 0.0\n    return sum(values) / len(values)"
CHECK = "from stats import mean\n\nassert mean([]) == 0.0\nprint('all checks passed')\n"
FIX: dict[str, Any] = {
    "name": "fix",
    "covers": "a failed attempt, then a fix",
    "files": {"stats.py": MEAN, "check_stats.py": CHECK},
    "runs": [
        {
            "prompt": "The mean of an empty list should be 0.0. Fix mean() in $PROJECT/stats.py.",
            "happened": ["ZeroDivisionError", "all checks passed"],
            "turns": [
                {"tool": "Read", "input": {"file_path": "$PROJECT/stats.py"}},
                {
                    "tool": "Edit",
                    "input": {
                        "file_path": "$PROJECT/stats.py",
                        "old_string": "    return sum(values) / len(values)",
                        "new_string": BROKEN,
                    },
                },
                {"tool": "Bash", "input": {"command": "python3 check_stats.py", "description": "Check"}},
                {
                    "tool": "Edit",
                    "input": {
                        "file_path": "$PROJECT/stats.py",
                        "old_string": "    if values is None:",
                        "new_string": "    if not values:",
                    },
                },
                {"tool": "Bash", "input": {"command": "python3 check_stats.py", "description": "Check"}},
                {"say": "mean([]) is 0.0 now. The list was divided by its length, which is zero."},
            ],
        }
    ],
    "checks": [
        {"kind": "title", "why": "goal", "run": 0, "need": 2, "words": ["mean", "empty list"]},
        {"kind": "must_say", "why": "cause", "where": ["memories"], "any": ["divided by its length"]},
        {
            "kind": "must_say",
            "why": "labelled wrongly",
            "where": ["memories"],
            "any": ["never said by anybody"],
        },
        {
            "kind": "must_not_say",
            "why": "no failure",
            "where": ["of:0"],
            "any": ["^false$"],
            "field": "outcome.success",
        },
        {"kind": "must_not_say", "why": "labelled wrongly", "where": ["goals"], "any": ["mean"]},
        {
            "kind": "must_not_warn",
            "why": "another file",
            "tool": "Read",
            "input": {"file_path": "$PROJECT/check_stats.py"},
        },
    ],
}
CORNERS: dict[str, Any] = {
    "prompt": "Try everything.",
    "turns": [
        {"tool": "Bash", "input": {"command": "cd sub && ls", "description": "List"}},
        {"tool": "Bash", "input": {"command": "cd /tmp", "description": "Leave"}},
        {"tool": "Bash", "input": {"command": "grep -rn nothinghere .", "description": "Search"}},
        {"tool": "Bash", "input": {"command": "echo broken >&2; exit 3", "description": "Fail"}},
        {"tool": "Read", "input": {"file_path": "$PROJECT/absent.txt"}},
        {"tool": "Read", "input": {"file_path": "$PROJECT/sub/a.py"}},
        {"tool": "Write", "input": {"file_path": "$PROJECT/notes.txt", "content": "one\n"}},
        {"tool": "Write", "input": {"file_path": "$PROJECT/notes.txt", "content": "two\n"}},
        {
            "tool": "Edit",
            "input": {"file_path": "$PROJECT/notes.txt", "old_string": "absent", "new_string": "x"},
        },
        {
            "tool": "Edit",
            "input": {"file_path": "$PROJECT/notes.txt", "old_string": "two", "new_string": "three"},
        },
        {
            "tool": "Agent",
            "input": {
                "description": "Look",
                "prompt": "Look around.",
                "subagent_type": "Explore",
                "run_in_background": False,
            },
        },
        {
            "tool": "Agent",
            "input": {
                "description": "Look",
                "prompt": "Look around.",
                "subagent_type": "general-purpose",
                "run_in_background": True,
            },
        },
        {"say": "A scout is on its way."},
        {"say": "The scout found one file."},
    ],
    "subagent_turns": [
        {"tool": "Bash", "input": {"command": "ls", "description": "Look"}},
        {"say": "There is one file."},
    ],
}


def shape(value: Any) -> Any:
    """The names of all fields, without the values."""
    if isinstance(value, dict):
        return {name: shape(inner) for name, inner in value.items()}
    return [shape(value[0])] if isinstance(value, list) and value else type(value).__name__


def recorded() -> Iterator[dict[str, Any]]:
    """The payloads of the real client."""
    text = (SAMPLES / "hook_samples" / "claude-code-whole.jsonl").read_text(encoding="utf-8")
    return (json.loads(line) for line in text.splitlines())


def played_payloads(folder: Path, *runs: dict[str, Any]) -> list[dict[str, Any]]:
    """What the player sends to hooks."""
    project = folder / "project"
    (project / "sub").mkdir(parents=True)
    (project / "sub" / "a.py").write_text("print(1)\n", encoding="utf-8")
    sent: list[dict[str, Any]] = []
    client = Client(
        project, folder / "home", {"PATH": "/usr/bin:/bin"}, lambda payload: sent.append(payload) or ""
    )
    for run in runs:
        client.play(run)
    return sent


def of_kind(payloads: Iterator[dict[str, Any]] | list[dict[str, Any]], **wanted: Any) -> list[dict[str, Any]]:
    """The payloads with these values."""
    return [
        payload for payload in payloads if all(payload.get(name) == value for name, value in wanted.items())
    ]


def test_all_stories_have_the_right_form():
    stories = read_stories(story_files())
    assert len(stories) >= 40
    kinds = {check["kind"] for story in stories for check in story["checks"]}
    assert kinds == {"must_say", "must_not_say", "title", "no_memory", "must_warn", "must_not_warn"}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"chekcs": []}, "unknown key chekcs"),
        ({"runs": []}, "no runs"),
        ({"runs": [{"prompt": "p", "turns": [{"tool": "Cook", "input": {}}]}]}, "unknown tool Cook"),
        (
            {"checks": [{"kind": "must_say", "why": "w", "where": ["attic"], "any": ["x"]}]},
            "unknown place attic",
        ),
        (
            {"checks": [{"kind": "must_say", "why": "w", "where": ["told"], "any": ["x"]}]},
            "told needs a task",
        ),
        ({"checks": [{"kind": "must_say", "why": "w", "where": ["goals"], "any": ["("]}]}, "is no regex"),
        ({"checks": [{"kind": "no_memory", "why": "w", "run": 1}]}, "there is no run 1"),
    ],
)
def test_a_fault_in_a_story_is_named(change: dict[str, Any], fault: str):
    assert faults_of(FIX) == []
    assert any(fault in one for one in faults_of({**FIX, **change}))


@pytest.mark.parametrize(
    "wanted",
    [
        {"hook_event_name": "SessionStart", "source": "startup"},
        {"hook_event_name": "SessionStart", "source": "resume"},
        {"hook_event_name": "UserPromptSubmit"},
        {"hook_event_name": "PreToolUse", "tool_name": "Bash"},
        {"hook_event_name": "PreToolUse", "tool_name": "Edit"},
        {"hook_event_name": "PostToolUse", "tool_name": "Bash"},
        {"hook_event_name": "PostToolUse", "tool_name": "Read"},
        {"hook_event_name": "PostToolUse", "tool_name": "Write"},
        {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash"},
        {"hook_event_name": "PostToolUseFailure", "tool_name": "Read"},
        {"hook_event_name": "SubagentStart"},
        {"hook_event_name": "SubagentStop"},
        {"hook_event_name": "Stop"},
        {"hook_event_name": "SessionEnd"},
    ],
)
def test_hooks_get_the_fields_that_the_real_client_sends(tmp_path: Path, wanted: dict[str, Any]):
    again = {"prompt": "go on", "turns": [{"say": "ok"}], "continue": True}
    real = [shape(payload) for payload in of_kind(recorded(), **wanted)]
    own = [shape(payload) for payload in of_kind(played_payloads(tmp_path, CORNERS, again), **wanted)]
    assert own
    assert all(payload in real for payload in own)


def test_files_subagents_and_the_folder_are_reported_as_by_the_real_client(tmp_path: Path):
    sent = played_payloads(tmp_path, CORNERS)
    assert [payload["cwd"].endswith("/sub") for payload in of_kind(sent, tool_name="Bash")][:4] == [
        False, True, True, False,
    ]  # fmt: skip
    edits = of_kind(sent, tool_name="Edit")
    assert [payload["hook_event_name"] for payload in edits] == [
        "PreToolUse",
        "PostToolUse",
    ]  # none for the refused one
    assert edits[1]["tool_response"]["structuredPatch"][0]["lines"] == ["-two", "+three"]
    agents = of_kind(sent, hook_event_name="PostToolUse", tool_name="Agent")
    assert [payload["tool_response"]["status"] for payload in agents] == ["completed", "async_launched"]
    real = next(payload for payload in recorded() if "isAsync" in str(payload))
    assert shape(agents[1]["tool_response"]) == shape(real["tool_response"])
    assert [payload["hook_event_name"] for payload in sent[-5:]] == [
        "Stop", "SubagentStop", "UserPromptSubmit", "Stop", "SessionEnd",
    ]  # fmt: skip
    assert "<result>There is one file.</result>" in sent[-3]["prompt"]


def test_the_transcript_has_the_form_of_the_real_one(tmp_path: Path):
    sent = played_payloads(tmp_path, CORNERS)
    lines = Path(sent[0]["transcript_path"]).read_text(encoding="utf-8").splitlines()
    own = [json.loads(line) for line in lines]
    text = (SAMPLES / "transcript_samples" / "claude-code.jsonl").read_text(encoding="utf-8")
    real = [json.loads(line) for line in text.splitlines()]
    for kind in ("user", "assistant"):
        known = {name for record in real if record.get("type") == kind for name in record}
        ours = {name for record in own if record["type"] == kind for name in record}
        assert {"message", "sessionId", "cwd", "uuid", "parentUuid", "timestamp"} <= ours & known
    assert [record["parentUuid"] for record in own[1:]] == [record["uuid"] for record in own[:-1]]


def test_a_closed_client_reports_no_end_of_the_command(tmp_path: Path):
    run = {
        "prompt": "Wait.",
        "turns": [{"tool": "Bash", "input": {"command": "echo a; exec sleep 60"}}, {"say": "never"}],
        "killed_at": 1,
    }
    names = [payload["hook_event_name"] for payload in played_payloads(tmp_path, run)]
    assert names == ["SessionStart", "UserPromptSubmit", "PreToolUse", "SessionEnd"]


def failing(played: Played) -> set[str]:
    return {verdict.check["why"] for verdict in played.verdicts if verdict.failure is not None}


def test_a_story_is_judged_by_its_labels_and_can_be_recorded_and_replayed(tmp_path: Path):
    first = play(FIX, Options(record=tmp_path, sheets=tmp_path))
    assert first.void == []
    assert failing(first) == {"labelled wrongly"}
    found = figures([first])
    assert (found["said"], found["false"], found["goals"], found["silent"]) == (
        (1, 2),
        (1, 2),
        (1, 1),
        (1, 1),
    )
    assert "labelled wrongly" in "\n".join(story_lines(first, verbose=True))
    assert len(json.loads(as_json([first]))["by_story"][0]["failures"]) == 2

    stream = (tmp_path / "fix.jsonl").read_text(encoding="utf-8")
    assert "$PROJECT/stats.py" in stream
    sheet = (tmp_path / "fix.txt").read_text(encoding="utf-8")
    assert "[ ] outcome.summary: mean([]) is 0.0 now." in sheet
    assert "assistant: Bash " in sheet
    again = play(FIX, Options(replay=tmp_path))
    assert failing(again) == failing(first)


def test_a_story_that_goes_another_way_is_void():
    story = copy.deepcopy(FIX)
    story["runs"][0]["happened"] = ["something else"]
    assert "'something else' did not happen" in play(story).void[0]


def test_a_goal_is_readable_if_it_states_the_task_on_one_line():
    check = {"need": 1, "words": ["mean"], "not": ["Traceback"]}
    assert is_readable("Fix the mean", check)
    assert not is_readable("Fix it", check)
    assert not is_readable("Fix the mean\nTraceback", check)
    assert not is_readable("Fix the mean" + " of it" * 60, check)


def test_what_a_real_transcript_yields_is_listed_with_what_happened():
    report = describe(SAMPLES / "transcript_samples" / "claude-code.jsonl")
    assert "[ ] outcome.summary: mean([]) divided by zero." in report
    assert "user: The mean of an empty list should be 0.0, but mean([]) crashes. Fix it." in report
    assert "assistant: Edit " in report
