"""RUM's section in a Markdown file of the user: between two marks; the rest stays unchanged."""

from __future__ import annotations

import re

from rum.model.errors import InvalidQuery


def put(text: str, name: str, body: str) -> str:
    """The text with the section replaced, or appended if there is none."""
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [_begin(name), *body.strip("\n").split("\n"), _end(name)]
    section = newline.join(lines)
    if found := _find(text, name):
        return text[: found[0]] + section + text[found[1] :]
    if not text.strip("\ufeff \t\r\n"):
        return text + section + newline
    return text + (newline if text.endswith("\n") else newline * 2) + section + newline


def drop(text: str, name: str) -> str:
    """The text without a section, and without the blank line that was put before it."""
    found = _find(text, name)
    if found is None:
        return text
    before, after = text[: found[0]], text[found[1] :]
    ending = "\r\n" if after.startswith("\r\n") else after[:1] if after[:1] == "\n" else ""
    after = after[len(ending) :]
    if not after:
        # A section at the end was added with a blank line before it.
        before = before.removesuffix("\n").removesuffix("\r") if before.endswith("\n") else before
    return before + after


def _begin(name: str) -> str:
    return f"<!-- {name}: begin (kept by RUM; edits here are lost) -->"


def _end(name: str) -> str:
    return f"<!-- {name}: end -->"


def _find(text: str, name: str) -> tuple[int, int] | None:
    """Where a section begins and ends; InvalidQuery if its marks do not match."""
    begins = [found.start() for found in re.finditer(re.escape(f"<!-- {name}: begin"), text)]
    ends = [found.end() for found in re.finditer(re.escape(_end(name)), text)]
    if not begins and not ends:
        return None
    if len(begins) != 1 or len(ends) != 1 or begins[0] > ends[0]:
        raise InvalidQuery(
            f"The marks `{name}: begin` and `{name}: end` must occur once each, in this order, or not at all."
        )
    return begins[0], ends[0]
