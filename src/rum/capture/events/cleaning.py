"""Make an event fit to be kept: without what is private, ignored or secret, and no longer than need be."""

from __future__ import annotations

import re

from rum.capture.clients.rum_tools import is_rum_command, memories_in
from rum.capture.clients.values import CHANGED, GAVE, LEFT_OUT, NAME, PATH, SAID, condensed
from rum.capture.events.event import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event, Touched
    from rum.capture.events.ignored_paths import Ignored
    from rum.redact.redactor import Redactor

_NAMES = ("id", "session", "turn", "agent", "call")
"""Names that clients gave: they tie events together, and so stay as they are unless they are secrets."""
_OURS = ("client", "kind", "at", "tool", "memories", "exit", "project", "withheld")
"""Values that are no one else's words."""
_LENGTHS = {"text": SAID, "output": GAVE, "command": SAID}
_LOOKED_THROUGH = 4 * GAVE
"""Characters of each end of an output in which ignored files are looked for; no more of it is kept."""
_MOST_FILES = 50
_MOST_CHANGED = 128_000
"""Characters of changed lines, all files together, that are looked at."""


def clean(event: Event, redactor: Redactor, ignored: Ignored | None = None) -> Event:
    """The event as it may be written down."""
    found: dict[str, Any] = dict(event)
    _leave_out_own(found)
    for name in _LENGTHS:
        if name in found:
            found[name] = without_withheld(found[name])
    if "files" in found:
        found["files"] = _bounded(found["files"])
    if ignored is not None:
        _leave_out_ignored(found, ignored)
    told = {name: value for name, value in found.items() if name not in _NAMES and name not in _OURS}
    found.update(cast("dict[str, Any]", redactor.redact_tree(told)))
    _hide_secret_names(found, redactor)
    _shorten(found)
    return cast("Event", found)


def bare(event: Event) -> Event:
    """What is kept of an event that could not be cleaned: that it was, and when."""
    found: Event = {
        "id": _hidden(event["id"]),
        "client": event["client"],
        "session": _hidden(event["session"]),
        "kind": event["kind"],
        "at": event["at"],
        "cwd": "",
        "withheld": "unredacted",
    }
    return found


def _leave_out_own(found: dict[str, Any]) -> None:
    """What `rum` printed on a command line is known already; which memories it named is worth keeping."""
    if is_rum_command(found.get("command", "")):
        found["tool"] = "rum"
        if named := memories_in(found.pop("output", "")):
            found["memories"] = named


def _bounded(files: list[Touched]) -> list[Touched]:
    left = _MOST_CHANGED
    kept: list[Touched] = []
    for file in files[:_MOST_FILES]:
        one: dict[str, Any] = dict(file)
        for name in ("added", "removed"):
            changed: str = one.pop(name, "")
            left -= len(changed)
            if changed and left >= 0:
                one[name] = without_withheld(changed)
        kept.append(cast("Touched", one))
    return kept


def _leave_out_ignored(found: dict[str, Any], ignored: Ignored) -> None:
    base = found["cwd"]
    files = cast("list[Touched]", found.get("files", []))
    kept = [file for file in files if not ignored.covers(file["path"], base)]
    hidden = len(kept) < len(files) or ignored.named_in(found.get("command", ""), base)
    if hidden:
        found["withheld"] = "ignored"
        for name in ("command", "output", "text"):
            found.pop(name, None)
    if files:
        found["files"] = kept
    if "output" in found:
        found["output"] = ignored.without_lines(found["output"], base, _LOOKED_THROUGH)
    if "text" in found:
        found["text"] = ignored.without_named(found["text"], base)


def _hide_secret_names(found: dict[str, Any], redactor: Redactor) -> None:
    for name in _NAMES:
        if name in found and redactor.find(found[name]):
            found[name] = _hidden(found[name])


def _hidden(name: str) -> str:
    """Another name that is the same whenever the first one is."""
    import hashlib  # noqa: PLC0415 (loads OpenSSL, and hardly any name needs it)

    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _shorten(found: dict[str, Any]) -> None:
    for name, most in _LENGTHS.items():
        if name in found:
            found[name] = condensed(found[name], most)
    for file in cast("list[dict[str, str]]", found.get("files", [])):
        file["path"] = file["path"][:PATH]
        for name in ("added", "removed"):
            if name in file:
                file[name] = file[name][:CHANGED]
    for name in ("tool_name", "source", "agent_type"):
        if name in found:
            found[name] = found[name][:NAME]


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
