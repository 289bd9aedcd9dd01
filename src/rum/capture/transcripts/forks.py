"""Which prompts in a transcript of Claude Code were said in another session, of which this one is a fork.

A fork's file begins with all that was said before, under the fork's own session and one name for all prompts.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache

from rum.capture.clients.values import items, table, text
from rum.capture.transcripts.records import lines, parsed


def copied(path: str, last: int | None = None) -> dict[str, bool]:
    """Each prompt of a file, by its record, and whether it is a copy; nothing where there is no copy."""
    own = _sizes(path, last)
    doubtful = {record for record, size in own.items() if size > 1}
    if not doubtful:
        return {}
    found: set[str] = set()
    for beside in _beside(path):
        # Where it was said first, it shares its name with fewer others.
        sizes = _known(beside)
        found |= {record for record in doubtful & sizes.keys() if sizes[record] < own[record]}
    return {record: record in found for record in own} if found else {}


def _sizes(path: str, last: int | None) -> dict[str, int]:
    """The prompts of a file in their order, and how many have the same name."""
    named: dict[str, list[str]] = {}
    with suppress(OSError):
        for line in lines(path, last):
            # Most of a file are tools' results, which need not be read for this.
            if b'"promptId"' in line and b'"tool_result"' not in line:
                record = parsed(line)
                if _is_prompt(record):
                    named.setdefault(text(record.get("promptId")), []).append(text(record.get("uuid")))
    return {record: len(records) for records in named.values() for record in records}


def _known(path: str) -> dict[str, int]:
    """The same of a whole file, which is read once for all that lie beside it."""
    try:
        state = os.stat(path)
    except OSError:
        return {}
    return _read(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=1024)
def _read(path: str, changed: int, size: int) -> dict[str, int]:  # noqa: ARG001 (a file that grew is another)
    return _sizes(path, None)


def _is_prompt(record: dict[str, object]) -> bool:
    if record.get("type") != "user" or record.get("isMeta") or not text(record.get("uuid")):
        return False
    content = table(record.get("message")).get("content")
    return not any(table(block).get("type") == "tool_result" for block in items(content))


def _beside(path: str) -> list[str]:
    folder, own = os.path.split(path)
    try:
        names = sorted(os.listdir(folder or "."))
    except OSError:
        return []
    return [os.path.join(folder, name) for name in names if name.endswith(".jsonl") and name != own]
