"""Many entries in one: a line each, cut short, put together without a language model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from rum.consolidate.markdown import cut
from rum.model.layers import MemoryEntry

LONGEST = 100
"""Characters kept of an entry's content; its metadata gets as many again."""

_ID = re.compile(r"(?:(?:\A|[_-])ids?|(?<=[a-z0-9])I[dD]s?)\Z")
_SUMMARY = re.compile(r"\[Summary of (\d{1,9}) entries\](?:\n|\Z)")


def worth_folding(entries: Sequence[MemoryEntry]) -> bool:
    """Whether there is anything to summarise but a summary."""
    return len(entries) > 1 or any(not _SUMMARY.match(entry.content) for entry in entries)


def summarised(entries: Sequence[MemoryEntry]) -> str:
    """How many entries there were, and a line for each; those of an earlier summary are taken over whole."""
    count, earlier, new = lines_of(entries, LONGEST)
    return headed(count, [*earlier, *new])


def headed(count: int, lines: Sequence[str]) -> str:
    """The text of a summary."""
    return "\n".join([f"[Summary of {count} entries]", *lines])


def lines_of(entries: Sequence[MemoryEntry], longest: int) -> tuple[int, list[str], list[str]]:
    """How many entries these stand for, the lines of earlier summaries, and a line for each other entry."""
    count, earlier, new = 0, list[str](), list[str]()
    for entry in entries:
        if summary := _SUMMARY.match(entry.content):
            count += int(summary[1])
            earlier += entry.content[summary.end() :].splitlines()
        else:
            count += 1
            new.append(_line(entry, longest))
    return count, earlier, new


def _line(entry: MemoryEntry, longest: int) -> str:
    said = f"- {cut(entry.content, longest)}"
    told = _told(entry.metadata or {})
    return f"{said} [{told}]" if told else said


def _told(metadata: Mapping[str, Any]) -> str:
    """What is known of an entry, without the ids by which only programs know things."""
    parts = [f"{name}={_plain(value)}" for name, value in metadata.items() if not _ID.search(name)]
    return cut(", ".join(parts), LONGEST)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
