"""What is never kept of a text: what its writer marked as private, and what RUM itself had said."""

from __future__ import annotations

import re

from rum.capture.clients.values import LEFT_OUT

BRIEF, JOURNAL = "background-knowledge", "session-journal"
"""The names of the fences around a brief and a journal; those of offers begin with `rum-`."""
INSTEAD = "[private]"
"""What stands in place of private text."""

# Not compiled beforehand: few texts need them.
_PRIVATE = r"(?i)<(/?)private(?:\s[^<>]{0,100})?>"
_OWN = rf"<((?:{BRIEF}|{JOURNAL}|rum-[a-z])[a-z0-9-]{{0,60}})>"


def without_withheld(text: str) -> str:
    """A text without what is private and without RUM's own words."""
    return without_private(without_own(text)) if "<" in text else text


def without_private(text: str) -> str:
    """A text with each `<private>…</private>` replaced; one that is not closed goes on to the end."""
    kept: list[str] = []
    at = depth = 0
    for mark in re.finditer(_PRIVATE, text):
        if not mark[1]:
            if not depth:
                kept += (text[at : mark.start()], INSTEAD)
            depth += 1
        elif depth:
            depth -= 1
            at = mark.end()
        elif not kept and (seam := text.find(LEFT_OUT, at, mark.start())) >= 0:
            # It was opened in the part that was left out.
            kept += (text[at : seam + len(LEFT_OUT)], INSTEAD)
            at = mark.end()
    if not kept:
        return text
    return "".join(kept) + ("" if depth else text[at:])


def without_own(text: str) -> str:
    """A text without what stands behind RUM's fences."""
    kept: list[str] = []
    at = 0
    pattern = re.compile(_OWN)
    while opening := pattern.search(text, at):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            kept.append(text[at : opening.end()])
            at = opening.end()
        else:
            kept.append(text[at : opening.start()])
            at = end + len(closing)
    return "".join(kept) + text[at:] if kept else text
