"""Sheets for reading by hand: each captured sentence with a box to tick, beside what happened."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.capture.answers import Answers, Memory, part
from benchmarks.capture.place import Place

_SAID = (
    "intent.goal", "outcome.success", "outcome.summary", "outcome.failure_reason", "outcome.learnings",
    "outcome.verified_by", "outcome.follow_up_needed", "reasoning",
)  # fmt: skip
_LONGEST_EVENT = 300  # Characters


def sheet(answers: Answers, records: list[dict[str, Any]]) -> str:
    """All memories, sentence by sentence, each with the events of its turn; the rules; what is told."""
    lines: list[str] = []
    memories = answers.memories()
    for memory in memories:
        lines += [*_sentences(memory), *_events(memory, records), ""]
    goals = [part(memory, "intent.goal") or "" for memory in memories[-1:]]
    told = [
        *("Rules:", answers.rum("rules", "list"), answers.rum("rules", "candidates")),
        *("At the start of a session:", answers.hook("SessionStart", source="startup")),
        *(f"Brief for {goal}:\n{answers.rum('brief', '--task', goal)}" for goal in goals),
    ]
    return "\n".join((*lines, *told))


def read_records(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """The records of transcripts."""
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return [json.loads(line) for line in lines if line.strip()]


def describe(transcript: Path) -> str:
    """The memories that `rum import` makes of a transcript: each sentence, then the events of its turn."""
    records = read_records([transcript])
    folder = next((record["cwd"] for record in records if record.get("cwd")), None)
    if folder is None:
        raise SystemExit(f"{transcript} is no transcript of Claude Code: no record names a working folder.")
    with tempfile.TemporaryDirectory(prefix="rum-transcript-") as root:
        place = Place(Path(root))
        place.build({"files": {"README.md": "A stand-in for the project of the transcript.\n"}})
        copy = place.root / transcript.name
        # As if it had been written here: a transcript is imported into the project of its folder.
        copy.write_text(
            transcript.read_text(encoding="utf-8").replace(folder, str(place.project)), encoding="utf-8"
        )
        report = place.rum("import", "claude-code", str(copy))
        if not place.rum_home.is_dir():
            return f"{report}\nNothing was captured."
        place.settle()
        with Answers(place) as answers:
            return f"{report}\n{sheet(answers, records)}"


def _sentences(memory: Memory) -> list[str]:
    lines = [f"== {memory['id']}"]
    for field in _SAID:
        for text in _texts(part(memory, field)):
            lines += [
                f"  [ ] {field}: {sentence}"
                for sentence in re.split(r"(?<=[.!?。！？])\s+|\n+", text)
                if sentence
            ]
    for action in memory.get("actions", []):
        details = json.dumps(action["details"], ensure_ascii=False)
        lines.append(f"  [ ] {action['type']}: {details[:_LONGEST_EVENT]} → {json.dumps(action['result'])}")
    return lines


def _texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{name}: {text}" for name, inner in value.items() for text in _texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _texts(inner)]
    return [] if value in (None, "") else [str(value)]


def _events(memory: Memory, records: list[dict[str, Any]]) -> list[str]:
    """The records of the memory's turn: from its prompt to the next one."""
    turn = (memory.get("origin") or {}).get("reference")
    lines = ["  from:"]
    inside = False
    for record in records:
        message = record.get("message") or {}
        content = message.get("content")
        if record.get("type") == "user" and isinstance(content, str):
            inside = record.get("promptId") == turn
        if inside and record.get("type") in ("user", "assistant"):
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content or []
            lines += [f"    {message.get('role')}: {_block(block)[:_LONGEST_EVENT]}" for block in blocks]
    return lines


def _block(block: dict[str, Any]) -> str:
    if block.get("type") == "tool_use":
        return f"{block['name']} {json.dumps(block['input'], ensure_ascii=False)}"
    if block.get("type") == "tool_result":
        return "result " + " ".join(json.dumps(block.get("content"), ensure_ascii=False).split())
    return " ".join(str(block.get("text", block.get("type"))).split())
