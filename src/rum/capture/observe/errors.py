"""Find the error in a program's output: one line for people, and a fingerprint that is equal in every run."""

from __future__ import annotations

import re
from typing import NamedTuple

_MAX_LENGTH = 300
_SAYING = 10  # Characters of a message from which on it is not there by chance
_MAX_LINES = 400  # Lines at the end of an output that are searched

_ERROR_NAME = (
    r"(?:[\w$]+[.:]{1,2})*[A-Z][\w$]*(?:Error|Exception|Failure|Panic|Interrupt|Exit|Timeout|Fault)"
    r"|(?:[\w$]+\.)+[A-Z][\w$]*(?=: )"
)
_THROWN = re.compile(
    rf"^(?:E\s+|\s*Uncaught |\s*Caused by: |Exception in thread \"[^\"]*\" |\s*FAILED \S+ - |error: )?"
    rf"({_ERROR_NAME})(?:: ?(.*))?$"
)
_REPORTED: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("panic", re.compile(r"^panic: (.+)")),
    ("panic", re.compile(r"^thread '[^']*'.* panicked at (.+)")),
    ("", re.compile(r"\berror (TS\d{3,5}: .+)")),
    ("", re.compile(r"^(error\[E\d+\]: .+)")),
    ("error", re.compile(r"^\S+?:\d+(?::\d+)?:? (?:fatal )?error:? (.+)")),
    ("error", re.compile(r"^\s+\d+:\d+\s+error\s+(\S.+)")),  # eslint and its like, below the file's name
    ("AssertionError", re.compile(r"^E\s+assert (.+)")),
    ("failed", re.compile(r"^FAILED (\S+(?: - .+)?)$")),
    ("failed", re.compile(r"^\s*--- FAIL: (\S+)")),
    ("failed", re.compile(r"^not ok \d+ -? ?(.+)")),
    ("failed", re.compile(r"^FAIL: (\S.*)")),
    ("failed", re.compile(r"^\s*[✕✗×] (.+)")),
    ("command not found", re.compile(r"^(?:\S+: )?(?:line \d+: )?(\S+): (?:command )?not found$")),
    ("fatal", re.compile(r"^fatal: (.+)")),
    ("error", re.compile(r"^(?:npm ERR!|npm error|ERROR:?|Error:|error:|E:|\*\*\*) (.+)")),
    ("error", re.compile(r"^(.+: (?:No such file or directory|Permission denied|not found).*)$")),
)
_FRAMES = (
    re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+), in (?P<name>\S+)'),
    re.compile(
        r"^\s*(?:at|❯) (?:async )?(?:(?P<name>[\w$.<>\[\] ]+?) \(?)?(?:file://)?(?P<file>[^():\s]+):(?P<line>\d+):\d+\)?$"
    ),
    re.compile(r"^\s*at (?P<name>[\w.$<>]+)\((?P<file>\w+\.\w+):(?P<line>\d+)\)"),
    re.compile(r"^\s*at (?P<name>[\w.$<>`]+)\(.*\) in (?P<file>\S+):line (?P<line>\d+)"),
    re.compile(r"^\s*# (?P<file>\S+\.rb):(?P<line>\d+)(?::in [`'](?P<name>[^']+)')?"),
    re.compile(r"^\s*--> (?P<file>\S+?):(?P<line>\d+):\d+"),
    re.compile(r"^\s*thread '[^']*'.* panicked at (?:'.*', )?(?P<file>\S+?):(?P<line>\d+):\d+"),
    re.compile(r"^\t(?P<file>\S+\.go):(?P<line>\d+)"),
    re.compile(r"^(?P<file>[\w./-]+\.py):(?P<line>\d+): in (?P<name>\w+)$"),
    re.compile(r"^(?P<file>[\w./-]+\.\w{1,5})[:(](?P<line>\d+)(?:[:,]\d+\)?)?: "),
    re.compile(r"^\s+(?P<file>[\w./-]+\.go):(?P<line>\d+): "),
    re.compile(r"^(?P<file>/\S+\.php):(?P<line>\d+)$"),
)
# The head of a function in the source that pytest shows above the place of an error.
_SHOWN_FUNCTION = re.compile(r"^[> ]\s+(?:async )?def (?P<name>\w+)\(")
# Parts of paths that belong to libraries and runtimes, not to the project.
_FOREIGN = (
    "site-packages", "node_modules", "/lib/python", "<frozen", "<string>", "node:", "internal/", "/usr/",
    ".cargo/registry", "/rustc/", "dist-packages", "/go/src/", "/go/pkg/",
)  # fmt: skip
# Folders that differ from machine to machine. Other words with a slash (`text/html`, `1/2`, `/api/users`) and
# the escapes of a string (`a\xa0`) are part of the message.
_PATH = re.compile(
    r"(?:file://|(?<![\w:/.]))(?:[A-Za-z]:[/\\]|(?:~|\.{1,2})?/|[\w.@+-]+[/\\])(?:[\w.@~+-]+[/\\])*"
    r"([\w@+-][\w.@+-]*\.[A-Za-z]\w{0,7})(?![\w/\\])"
    r"|(?:file://|(?<![\w:/.]))(?:[A-Za-z]:\\|/(?:home|Users|tmp|private|root|var|usr|opt|srv|mnt|builds?|workspaces?)/|~/)"
    r"(?:[\w.@~+-]+[/\\])*([\w.@+-]+)"
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
# A line number stands after a file's name; `10:30` and `localhost:80` are part of the message.
_PLACE = re.compile(r",? (?:at |on )?line \d+\b|(\.[A-Za-z]\w{0,4}):\d+(?::\d+)?\b")
_HASH = re.compile(r"\b(?:[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,})\b")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


class Frame(NamedTuple):
    """A place in the project's code that an output names; `function` is empty where it does not say."""

    file: str
    line: int
    function: str


class Fault(NamedTuple):
    """An error: its type, its message, and the place in the project."""

    kind: str
    message: str
    frame: str = ""

    @property
    def line(self) -> str:
        """The error in one line, without folders, addresses and line numbers."""
        text = ": ".join(filter(None, (self.kind, self.message)))
        return (text[:_MAX_LENGTH] + (f" in {self.frame}" if self.frame else "")) or "failed"

    @property
    def fingerprint(self) -> str:
        """Equal for the same error, even with other numbers."""
        return _NUMBER.sub("#", self.line).casefold()


def fault_in(output: str) -> Fault | None:
    """Return the error that an output reports; None if it reports none."""
    lines = [line.rstrip() for line in output.splitlines()[-_MAX_LINES:]]
    # pytest's list of failures cuts messages to the width of the terminal; the whole ones are above it.
    whole = [line for line in lines if not (line.startswith("FAILED ") and line.endswith("..."))]
    error = _exception(whole) or _reported_error(whole) or _exception(lines) or _reported_error(lines)
    if error is None:
        return None
    kind, message = error
    return Fault(kind, _plain(message), _frame(lines))


def last_line(output: str) -> Fault:
    """Return the last line of an output without a known error, as an error without a type."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return Fault("", _plain(lines[-1]) if lines else "")


# A line that reports a problem at a place: `src/a.py:3: os imported but unused`.
_PROBLEM = re.compile(r"^\s*[\w./\\@+-]+\.\w{1,5}[:(]\d+.*[^\W\d_]{3}")


def problems_in(output: str) -> frozenset[str]:
    """The lines of an output that report a problem at a place, without what differs in every run."""
    return frozenset(_plain(line) for line in output.splitlines()[-_MAX_LINES:] if _PROBLEM.match(line))


def is_shown(fault: Fault, output: str) -> bool:
    """Whether an output has the words of an error."""
    return len(fault.message) >= _SAYING and any(
        fault.message in _plain(line) for line in output.splitlines()
    )


def _exception(lines: list[str]) -> tuple[str, str] | None:
    matches = [match for line in lines if (match := _THROWN.match(line))]
    if not matches:
        return None
    # Python prints the exception that ended the program last; others print causes below it.
    python = any(line.startswith(("Traceback (", "E  ")) for line in lines)
    chosen = matches[-1] if python else matches[0]
    return chosen[1].rpartition(".")[2] or chosen[1], chosen[2] or ""


def _reported_error(lines: list[str]) -> tuple[str, str] | None:
    for kind, pattern in _REPORTED:
        for line in lines:
            if match := pattern.search(line):
                return kind, match[1]
    return None


def _frame(lines: list[str]) -> str:
    """The innermost place in the project's own code, by function and file."""
    python = any(line.startswith("Traceback (") for line in lines)
    frames = _frames(lines)
    if not frames:
        return ""
    frame = frames[-1] if python else frames[0]
    file = frame.file.rpartition("/")[2]
    return f"{frame.function} ({file})" if frame.function else file


def frames_in(output: str) -> tuple[Frame, ...]:
    """All places in the project's own code that an output names, in its order."""
    return tuple(_frames([line.rstrip() for line in output.splitlines()[-_MAX_LINES:]], shown=True))


def _frames(lines: list[str], *, shown: bool = False) -> list[Frame]:
    """The frames in some lines; with `shown`, one without a function gets the one shown above it."""
    frames: list[Frame] = []
    above = ""
    for line in lines:
        if shown and (head := _SHOWN_FUNCTION.match(line)):
            above = head["name"]
        match = next((match for pattern in _FRAMES if (match := pattern.match(line))), None)
        if match is None or any(sign in match["file"] for sign in _FOREIGN):
            continue
        name = (match.groupdict().get("name") or "").strip()
        name = "" if name.startswith("<") else name
        frames.append(Frame(match["file"].replace("\\", "/"), int(match["line"]), name or above))
        above = ""
    return frames


def _plain(message: str) -> str:
    """A message without folders, addresses and line numbers."""
    for pattern, instead in ((_PATH, r"\1\2"), (_ADDRESS, "0x…"), (_HASH, "…"), (_PLACE, r"\1")):
        message = pattern.sub(instead, message)
    return " ".join(message.split())[:_MAX_LENGTH]
