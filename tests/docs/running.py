"""Run the snippets of a document in order, and compare their output with the document."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from docs.snippets import RUN, BadDocumentError, Snippet


@dataclass(frozen=True)
class Step:
    """A command, its line, and the output in the document (None: not shown)."""

    command: str
    line: int
    expected: list[str] | None = None


def steps(snippet: Snippet, scratch: Path) -> list[Step]:
    """The commands of a snippet; Python code is written to a file in `scratch` and becomes one command."""
    if snippet.language == "console":
        return _console_steps(snippet)
    if snippet.language == "bash":
        return _bash_steps(snippet)
    script = scratch / f"line_{snippet.line}.py"
    script.write_text(snippet.text + "\n", encoding="utf-8")
    return [Step(f'python "{script.as_posix()}"', snippet.line)]


def _console_steps(snippet: Snippet) -> list[Step]:
    found: list[Step] = []
    lines = snippet.text.splitlines()
    number = 0
    while number < len(lines):
        line = snippet.line + 1 + number
        if not lines[number].startswith("$ "):
            raise BadDocumentError(f"line {line}: output without a command (a command starts with `$ `)")
        command, number = _whole_command(lines, number, lines[number][2:])
        end = next((n for n in range(number, len(lines)) if lines[n].startswith("$ ")), len(lines))
        found.append(Step(command, line, lines[number:end] if end > number else None))
        number = end
    return found


def _bash_steps(snippet: Snippet) -> list[Step]:
    found: list[Step] = []
    lines = snippet.text.splitlines()
    number = 0
    while number < len(lines):
        start = number
        command, number = _whole_command(lines, number, lines[number])
        if command.strip():
            found.append(Step(command, snippet.line + 1 + start))
    return found


def _whole_command(lines: list[str], number: int, command: str) -> tuple[str, int]:
    """Join the lines of a command: after a backslash, in quotes, in a here-document."""
    number += 1
    while number < len(lines) and _is_open(command):
        command += "\n" + lines[number].removeprefix("> ")
        number += 1
    return command, number


def _is_open(command: str) -> bool:
    if command.endswith("\\"):
        return True
    checked = subprocess.run(["bash", "-n", "-c", command], capture_output=True, text=True)
    return bool(re.search(r"unexpected (EOF|end of file)|here-document", checked.stderr))


@dataclass(frozen=True)
class Finished:
    """The output of a step (both streams) and its exit code; None if it never ended."""

    output: str
    code: int | None


def run(todo: list[Step], scratch: Path, timeout: float = 120) -> list[Finished]:
    """Run the steps in one shell, so that `cd` and variables persist, in a new project and home."""
    project, home = scratch / "project", scratch / "home"
    project.mkdir()
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Reader\n\temail = reader@example.com\n[init]\n\tdefaultBranch = main\n"
    )
    driver = scratch / "driver.sh"
    driver.write_text(_driver(todo, scratch), encoding="utf-8")
    shell = subprocess.Popen(
        ["bash", "--noprofile", "--norc", str(driver)],
        cwd=project,
        env=_environment(home),
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    with suppress(subprocess.TimeoutExpired):
        shell.wait(timeout)
    # Processes that a document started in the background must not outlive it.
    with suppress(ProcessLookupError):
        os.killpg(shell.pid, signal.SIGKILL)
    shell.wait()
    return [_finished(scratch, number) for number in range(len(todo))]


def _driver(todo: list[Step], scratch: Path) -> str:
    script = ["code=0"]
    for number, step in enumerate(todo):
        command = scratch / f"{number}.sh"
        command.write_text(step.command + "\n", encoding="utf-8")
        # `(exit $code)` restores the last exit code, so that a document can show `echo $?`.
        script.append(f'(exit $code); source "{command}" >"{scratch}/{number}.out" 2>&1 </dev/null')
        script.append(f'code=$?; echo $code >"{scratch}/{number}.code"')
    return "\n".join(script) + "\n"


def _environment(home: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "TMPDIR") if name in os.environ}
    programs = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return kept | {
        "PATH": programs,
        "HOME": str(home),
        "RUM_HOME": str(home / ".rum"),
        "LANG": "C.UTF-8",
        "PYTHONUTF8": "1",
        "TERM": "dumb",
        "COLUMNS": "100",
    }


def _finished(scratch: Path, number: int) -> Finished:
    output, code = scratch / f"{number}.out", scratch / f"{number}.code"
    return Finished(
        output.read_text(encoding="utf-8", errors="replace") if output.exists() else "",
        int(code.read_text()) if code.exists() else None,
    )


KINDS = "mem|chapter|wisdom|agent|rule|event|link"
CUT_ID = re.compile(rf"\b({KINDS})_[0-9a-z]+\.\.\.")
VARYING = [
    (re.compile(rf"\b({KINDS})_[0-9a-z]{{26}}\b"), r"\1_ID"),
    (re.compile(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"), "UUID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?"), "TIME"),
    (re.compile(r"\b1[6-9]\d{8}(\.\d+)?\b"), "TIME"),
    (re.compile(r"\b(?=[a-f]*\d)[0-9a-f]{7,64}\b"), "HEX"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|µs|s|seconds?|minutes?|min)\b"), "DURATION"),
    (re.compile(r"\bjust now\b|\b(DURATION|\d+[a-z]?) ago\b"), "AGO"),
    (re.compile(r"[ \t]+"), " "),
]


def _settled(line: str) -> str:
    for pattern, word in VARYING:
        line = pattern.sub(word, line)
    return line.strip()


def agrees(expected: list[str], output: str) -> bool:
    """Whether the output matches the document; `...` matches anything, on its own line any lines."""
    wanted = ""
    for line in "\n".join(expected).strip().splitlines():
        if line.strip() == "...":
            wanted += r"(?:.*\n)*?"
        else:
            parts = CUT_ID.sub(r"\1_...", line).split("...")
            wanted += ".*".join(re.escape(_settled(part)) for part in parts) + r"\n"
    got = "".join(_settled(line) + "\n" for line in output.strip().splitlines())
    return re.fullmatch(wanted, got) is not None


def complaints(found: list[Snippet], scratch: Path) -> list[str]:
    """Every difference between the document and what happened."""
    todo = [
        step
        for snippet in found
        if snippet.runs and snippet.language in RUN
        for step in steps(snippet, scratch)
    ]
    wrong: list[str] = []
    for number, (step, finished) in enumerate(zip(todo, run(todo, scratch), strict=True)):
        where = f"line {step.line}: $ {step.command}\n{finished.output}"
        if finished.code is None:
            wrong.append(f"{where}\nnever ended")
        elif finished.code and not _exit_code_is_shown(todo[number + 1 :]):
            wrong.append(f"{where}\nexit code {finished.code}")
        elif step.expected is not None and not agrees(step.expected, finished.output):
            wrong.append(f"{where}\nbut the document shows:\n" + "\n".join(step.expected))
    return wrong


def _exit_code_is_shown(following: list[Step]) -> bool:
    """A command may fail in a document only if the next one shows its exit code."""
    return bool(following) and following[0].command.strip() == "echo $?" and following[0].expected is not None
