"""Journals for tests: examples of every section and field, and the difference of two texts."""

from __future__ import annotations

import difflib
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "data" / "journals"
HEADER = (FOLDER / "header.yaml").read_text(encoding="utf-8")
# Each example by its name; those without a header are parts of a journal.
FRAGMENTS = {
    path.stem: path.read_text(encoding="utf-8")
    for path in sorted(FOLDER.glob("*.yaml"))
    if path.stem != "header"
}


def wrapped(name: str) -> str:
    """An example as a complete journal."""
    text = FRAGMENTS[name]
    return text if text.startswith("version") else f"{HEADER}\n{text}"


def whole() -> str:
    """A journal with all four sections."""
    return f"{HEADER}\n" + "\n".join(
        FRAGMENTS[name] for name in ("discoveries", "attempts", "decisions", "context")
    )


def added_lines(old: str, new: str) -> list[str]:
    """The added lines; asserts that no other line changed."""
    differing = [
        line
        for line in difflib.ndiff(old.splitlines(keepends=True), new.splitlines(keepends=True))
        if line[0] in "+-"
    ]
    assert [line for line in differing if line[0] == "-"] == []
    return [line[2:] for line in differing]


def is_insertion(old: str, new: str) -> bool:
    """Whether a text equals another one with one inserted part."""
    start = len(commonprefix(old, new))
    return new.endswith(old[start:]) and len(new) >= len(old)


def commonprefix(one: str, other: str) -> str:
    """The common start of both texts."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return one[:place]
    return one[: min(len(one), len(other))]
