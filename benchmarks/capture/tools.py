"""Execute an agent's tool calls and report them as Claude Code does."""

from __future__ import annotations

import difflib
import os
import shlex
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

LONGEST_OUTPUT = 30_000  # Characters of a command's output that the client passes on
_KILLED_AFTER = 0.5  # Seconds that a command runs before the client is closed
_CONTEXT = 3  # Unchanged lines around a change in a patch
# Exit codes that the client takes as an answer, not as an error.
_ANSWERS = {
    "grep": "No matches found",
    "rg": "No matches found",
    "diff": "Files differ",
    "test": "Condition is false",
    "[": "Condition is false",
}


class Result(NamedTuple):
    """What became of a tool call.

    `response` is the hook's `tool_response`; `error` the text of a failure; `silent` tells that the client
    refuses the call without running any hook; `content` is what the agent and the transcript get.
    """

    content: str
    response: dict[str, Any] | None = None
    error: str | None = None
    silent: bool = False


def tool_input(name: str, given: dict[str, Any]) -> dict[str, Any]:
    """The input as hooks see it, with the client's defaults."""
    return {**given, "replace_all": given.get("replace_all", False)} if name == "Edit" else given


class Shell:
    """The client's shell: it stays in the folder to which a command went, if that is in the project."""

    def __init__(self, project: Path, env: dict[str, str]) -> None:
        self.project = project
        self.folder = project
        self._env = env

    def run(self, command: str, *, killed: bool = False) -> Result:
        """Run a command; with `killed` only for a moment."""
        with tempfile.NamedTemporaryFile("r", suffix=".pwd", encoding="utf-8") as place:
            ending = f"\n__code=$?; pwd -P > {shlex.quote(place.name)}; exit $__code"
            process = subprocess.Popen(
                ["bash", "-c", f"eval {shlex.quote(command)}{ending}"],
                cwd=self.folder, env=self._env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, start_new_session=True,
            )  # fmt: skip
            try:
                raw, _ = process.communicate(timeout=_KILLED_AFTER if killed else 120)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, 9)
                raw, _ = process.communicate()
                return Result("Exit code 137", error="Exit code 137")
            output = raw.decode("utf-8", "replace").strip("\n")[:LONGEST_OUTPUT].rstrip()
            note = self._follow(place.read().strip())
        meaning = _meaning(command) if process.returncode == 1 else None
        if process.returncode and meaning is None:
            error = f"Exit code {process.returncode}" + (f"\n{output}" if output else "")
            return Result(error, error=error)
        response: dict[str, Any] = {
            "stdout": output,
            "stderr": note,
            "interrupted": False,
            "isImage": False,
            **({"returnCodeInterpretation": meaning} if meaning else {}),
            "noOutputExpected": False,
        }
        return Result((output + note) or "(Bash completed with no output)", response)

    def _follow(self, folder: str) -> str:
        if folder and Path(folder).is_relative_to(self.project):
            self.folder = Path(folder)
            return ""
        self.folder = self.project
        return f"\nShell cwd was reset to {self.project}" if folder else ""


def _meaning(command: str) -> str | None:
    if "&&" in command or ";" in command:
        return None
    last = command.split("|")[-1].split()
    return _ANSWERS.get(last[0]) if last else None


def read_file(given: dict[str, Any], folder: Path) -> Result:
    """Read a file, or a part of it."""
    path = Path(given["file_path"])
    if not path.is_file():
        error = f"File does not exist. Note: your current working directory is {folder}."
        return Result(f"<tool_use_error>{error}</tool_use_error>", error=error)
    text = path.read_text(encoding="utf-8", errors="replace")
    lines = text.split("\n")
    first = given.get("offset", 1)
    shown = lines[first - 1 :][: given.get("limit")] if "limit" in given else lines[first - 1 :]
    file = {
        "filePath": str(path),
        "content": "\n".join(shown),
        "numLines": len(shown),
        "startLine": first,
        "totalLines": len(lines),
    }
    numbered = "\n".join(f"{first + number}\t{line}" for number, line in enumerate(shown))
    return Result(numbered, {"type": "text", "file": file})


def edit_file(given: dict[str, Any]) -> Result:
    """Replace a text in a file; without the text the client refuses, and no hook hears of it."""
    path, old, new = Path(given["file_path"]), given["old_string"], given["new_string"]
    everywhere = given.get("replace_all", False)
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    if old == "" and not before:
        after = new
    elif not path.is_file():
        return _refused("File does not exist.")
    elif old not in before:
        return _refused(f"String to replace not found in file.\nString: {old}")
    elif before.count(old) > 1 and not everywhere:
        return _refused(
            f"Found {before.count(old)} matches of the string to replace, but replace_all is false."
        )
    else:
        after = before.replace(old, new) if everywhere else before.replace(old, new, 1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(after, encoding="utf-8")
    response = {
        "filePath": str(path),
        "oldString": old,
        "newString": new,
        "originalFile": before,
        "structuredPatch": _patch(before, after),
        "userModified": False,
        "replaceAll": everywhere,
    }
    return Result(f"The file {path} has been updated successfully.", response)


def write_file(given: dict[str, Any]) -> Result:
    """Create a file, or write it anew."""
    path, content = Path(given["file_path"]), given["content"]
    before = path.read_text(encoding="utf-8") if path.is_file() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    response = {
        "type": "create" if before is None else "update",
        "filePath": str(path),
        "content": content,
        "structuredPatch": [] if before is None else _patch(before, content),
        "originalFile": before,
        "userModified": False,
    }
    done = "created" if before is None else "updated"
    return Result(f"The file {path} has been {done} successfully.", response)


def _refused(error: str) -> Result:
    return Result(f"<tool_use_error>{error}</tool_use_error>", error=error, silent=True)


def _patch(before: str, after: str) -> list[dict[str, Any]]:
    old, new = before.splitlines(), after.splitlines()
    hunks: list[dict[str, Any]] = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(_CONTEXT):
        lines: list[str] = []
        for tag, low, high, new_low, new_high in group:
            if tag == "equal":
                lines += [f" {line}" for line in old[low:high]]
            else:
                lines += [f"-{line}" for line in old[low:high]]
                lines += [f"+{line}" for line in new[new_low:new_high]]
        first, last = group[0], group[-1]
        hunks.append(
            {
                "oldStart": first[1] + 1,
                "oldLines": last[2] - first[1],
                "newStart": first[3] + 1,
                "newLines": last[4] - first[3],
                "lines": lines,
            }
        )
    return hunks


def milliseconds_since(began: float) -> int:
    """How long a call took."""
    return max(1, int((time.monotonic() - began) * 1000))
