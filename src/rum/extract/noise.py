"""Which lines are nobody's words: logs, listings, progress, traces, diffs, what was typed into a shell."""

from __future__ import annotations

import re

_LOOKED_AT = 300
"""Characters of a line by which it is judged."""
_SOURCES = (
    # typed into a shell, or into an interpreter
    r"[$%❯] \S",
    r">>> ",
    # a log: its time or its level first
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d",
    r"\[?\d\d:\d\d:\d\d",
    r"\[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE|NOTICE)\b[\]: ]",
    # package managers and builds
    r"(?:npm|yarn|pnpm) (?:WARN|ERR!|warn|error|notice|info)\b",
    r"added \d+ packages|found \d+ vulnerabilit|\d+ packages are looking|run `npm (?:fund|audit)",
    r"(?:Collecting|Downloading|Installing|Unpacking|Selecting|Resolving|Fetched|Using cached) \S+",
    r"(?:Building|Compiling|Linking|Running|Starting|Loading|Checking|Copying|Writing|Reading) [^a-z]",
    r"(?:building|loading|reading|writing|copying|checking) [\[\w ]{1,30}(?:\]:|\.\.\.)",
    r"=> |\[\+\] |\[\d+/\d+\] |Step \d+/\d+|Get:\d+|Hit:\d+|(?:build|compilation) (?:succeeded|failed)\b",
    # tests
    r"(?:PASS|FAIL|PASSED|FAILED|ok|not ok|--- PASS|--- FAIL)(?:[:\s]|$)",
    r"(?:Test Suites|Tests|Snapshots|Test Files|Time|Duration|Elapsed|Ran|Finished)\b[: ]+\S*\d",
    r"collected \d+ items|rootdir: |platform \w+ -- |plugins: |\d+ (?:passed|failed|passing|failing)\b",
    r"\S+\.(?:py|js|ts|rb|go) [.sFEx]{3,}",
    # rulers, and tables that a program drew
    r"={3,}|-{4,}|\*{4,}|_{4,}|[-+|= ]{6,}$|\(\d+ rows?\)",
    # traces
    r"at \S.*[(:/]\S*:\d+|File \".*\", line \d+|Traceback \(|\^+\s*$|goroutine \d+ \[",
    r"(?:[\w.]{1,80}\.)?[A-Z]\w{1,60}(?:Error|Exception|Warning)(?::|$)",
    # diffs and listings
    r"diff --git |index [0-9a-f]{6,}\.\.|--- [ab/]|\+\+\+ [ab/]|@@ -\d",
    r"[bcdlps-](?:[r-][w-][xsStT-]){3}|total \d+$",
)
_NOISE = re.compile("|".join(_SOURCES))
_PROGRESS = re.compile(r"\[\s*\d{1,3}%\]|\b\d{1,3}%\s*[|█#=]|[█▓░]{2}")


def is_noise(line: str) -> bool:
    """Whether a program said this line, or somebody typed it for one."""
    shown = line.strip()[:_LOOKED_AT]
    return bool(_NOISE.match(shown) or _PROGRESS.search(shown))


def is_mostly_noise(lines: list[str]) -> bool:
    """Whether a block of lines is a program's: then those that look like words are its words too."""
    is_diff = any(line.startswith(("diff --git ", "@@ -")) for line in lines)
    return is_diff or sum(map(is_noise, lines)) * 2 > len(lines)
