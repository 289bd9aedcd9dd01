"""Run and score the trial of agents.

python -m benchmarks.agents questions [REPOSITORY]
python -m benchmarks.agents call --arm git|rum --question ID --log FILE --folder DIR -- COMMAND [ARGUMENT ...]
python -m benchmarks.agents answer --arm git|rum --question ID --log FILE TEXT
python -m benchmarks.agents score --log FILE
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

QUESTIONS = Path(__file__).with_name("questions.jsonl")
# The programs of each arm.
ARMS = {"git": ("git", "grep"), "rum": ("rum",)}
MAX_OUTPUT = 30_000  # Characters of a call that are shown and counted
_SHA = re.compile(r"(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def call(arm: str, command: list[str], folder: str) -> str:
    """The output of one call of an arm."""
    if not command or Path(command[0]).name not in ARMS[arm]:
        raise SystemExit(f"The arm {arm} may call only {', '.join(ARMS[arm])}.")
    ran = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return (ran.stdout + ran.stderr).decode("utf-8", "replace")[:MAX_OUTPUT]


def is_right(answer: str, commits: list[str]) -> bool:
    """Whether the first commit that an answer names is one of the right ones."""
    named = _SHA.search(answer.lower())
    return named is not None and any(one.startswith(named[0]) or named[0].startswith(one) for one in commits)


def score(log: list[dict[str, Any]], questions: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """For each arm: answered questions, right ones, and calls and characters for each answered one."""
    right = {one["id"]: one["commits"] for one in questions}
    figures: dict[str, dict[str, float]] = {}
    for arm in sorted({line["arm"] for line in log}):
        lines = [line for line in log if line["arm"] == arm and line["question"] in right]
        answers = {line["question"]: line["answer"] for line in lines if "answer" in line}
        calls = [line for line in lines if "command" in line and line["question"] in answers]
        count = max(len(answers), 1)
        figures[arm] = {
            "answered": len(answers),
            "right": sum(is_right(answer, right[one]) for one, answer in answers.items()),
            "calls": round(len(calls) / count, 2),
            "characters": round(sum(line["characters"] for line in calls) / count),
        }
    return figures


def _append(log: str, line: dict[str, Any]) -> None:
    with Path(log).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def main() -> None:
    """Run one step of the trial."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.agents", usage=__doc__)
    parser.add_argument("step", choices=["questions", "call", "answer", "score"])
    parser.add_argument("--arm", choices=list(ARMS))
    parser.add_argument("--question")
    parser.add_argument("--log")
    parser.add_argument("--folder", default=".")
    parser.add_argument("words", nargs="*")
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    options = parser.parse_intermixed_args(given[:end])
    options.words += given[end + 1 :]
    questions = read_lines(QUESTIONS)
    if options.step == "questions":
        shown = [one for one in questions if not options.words or one["repository"] in options.words]
        print("\n".join(f"{one['id']}: {one['question']}" for one in shown))
        return
    if not options.log:
        parser.error("--log is missing")
    if options.step == "score":
        print(json.dumps(score(read_lines(Path(options.log)), questions), indent=1))
        return
    if not options.arm or options.question not in {one["id"] for one in questions}:
        parser.error("--arm or --question is missing or unknown")
    line = {"arm": options.arm, "question": options.question}
    if options.step == "answer":
        _append(options.log, line | {"answer": " ".join(options.words)})
        return
    output = call(options.arm, options.words, options.folder)
    _append(options.log, line | {"command": options.words, "characters": len(output)})
    sys.stdout.write(output)


if __name__ == "__main__":
    main()
