"""Tell what a user typed from what they pasted into a prompt: logs, tracebacks, code, JSON, diffs."""

from __future__ import annotations

import re
from typing import NamedTuple

from rum.text.sentences import closes_fence, fence_marker, is_prose

_START = re.compile(
    r"""
    Traceback\ \(most\ recent | \s*File\ "[^"]+",\ line\ \d | \s*at\ .+:\d+(?::\d+)?\)?$ | \s*at\ [\w.$<>]+\(
    | (?:\w+\.)*[A-Z]\w*(?:Error|Exception|Warning|Panic)\b(?::|$) | E\s{2,}\S | FAILED\ \S
    | ERROR\b.{0,3}\S+:: | (?:FAIL|PASS)\s+\S | \s*[●✕✗×✓]\s | panic:\s | goroutine\ \d
    | thread\ '.*'\ panicked | error(?:\[E\d+\]|\ TS\d+)?: | fatal:\s | npm\ (?:ERR!|error|WARN)
    | [Cc]aused\ by: | \s*\.{3}\ \d+\ more | make(?:\[\d+\])?:\ \*\*\*
    | \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d | \d\d:\d\d:\d\d[.,\s] | [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d\s
    | \[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\b[\]:\ ] | \d{1,3}(?:\.\d{1,3}){3}\ -\ -
    | HTTP/\d | (?:GET|POST|PUT|PATCH|DELETE)\ /\S*
    | [\$>%]\ \S | >>>\s | \.\.\.\ \S | PS\ [A-Z]:\\
    | diff\ --git | index\ [0-9a-f]{7} | [+]{3}\ \S | -{3}\ \S | @@\ -\d
    | [{}\[\]]\s*,?\s*$ | [{\[]\s*["{\[] | \s*"[^"]+"\s*: | </?[a-zA-Z][\w-]*[^>]*>\s*$ | <\?xml | <!DOCTYPE
    | [=_*~\#-]{5,} | \s*[~^]+\s*$ | \s*\d+\s*\|\s | \s*\|\s
    | (?:def|class|import|from\ \S+\ import|function|const|let|var|public|private|return|\#include
      |SELECT|INSERT|UPDATE\ \w+\ SET)\b.*[:;{()=,]\s*$
    """,
    re.VERBOSE,
)
_SHORT_TASK = 12  # Words of a line that has both code and words, up to which it may be a task


PASTE = "\x00"  # Stands in the typed text where something was pasted


class Prompt(NamedTuple):
    """The lines that the user typed, with `PASTE` where they pasted something, and the pasted lines."""

    typed: str
    pasted: str


def split_pasted(prompt: str) -> Prompt:
    """Separate a prompt: a pasted passage is in a code fence, or its lines look like a program's output."""
    typed: list[str] = []
    pasted: list[str] = []
    mark: str | None = None
    in_paste = in_diff = False
    for line in prompt.replace(PASTE, "").splitlines():
        if mark is not None:
            mark = None if closes_fence(line.lstrip(), mark) else mark
            pasted.append(line if mark else "")
            continue
        mark = fence_marker(line.lstrip())
        if mark is not None:
            typed.append(PASTE)
            continue
        # What is indented below a pasted line belongs to it: the code in a traceback.
        in_diff = line.startswith("@@ -") or (in_diff and line[:1] in ("+", "-", " "))
        below = in_diff or (in_paste and line.startswith(("  ", "\t")))
        in_paste = bool(line.strip()) and (below or _is_pasted(line))
        if in_paste:
            pasted.append(line)
        if not in_paste or typed[-1:] != [PASTE]:
            typed.append(PASTE if in_paste else line)
    return Prompt("\n".join(typed).strip(), "\n".join(pasted).strip())


def _is_pasted(line: str) -> bool:
    if _START.match(line):
        return True
    plain = line.strip()
    # Text without blanks, such as Chinese, is no program's output for its want of words.
    is_latin = plain.isascii()
    return is_latin and len(plain) > 40 and not is_prose(plain) and len(plain.split()) < _SHORT_TASK
