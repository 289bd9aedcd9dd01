"""Clean events before they are stored: without private, ignored and secret parts, and of limited length."""

from __future__ import annotations

import re

from rum.capture.clients.rum_tools import is_rum_command, memories_in
from rum.capture.clients.values import (
    LEFT_OUT,
    MAX_CHANGE,
    MAX_NAME,
    MAX_OUTPUT,
    MAX_PATH,
    MAX_TEXT,
    cut_middle,
)
from rum.capture.events.event import cast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.capture.events.event import Event, FileAccess
    from rum.capture.events.ignored_paths import Ignored
    from rum.redact.redactor import Redactor

# Ids that clients gave: they connect events, so they are unchanged unless they are secrets.
_NAMES = ("session", "turn", "agent", "call")
# Values that RUM itself sets, which hold no secrets; the id of an event is made of its names.
_OWN_FIELDS = ("id", "client", "kind", "at", "tool", "memories", "exit", "project", "withheld")
_LENGTHS = {"text": MAX_TEXT, "output": MAX_OUTPUT, "command": MAX_TEXT}
# Characters at each end of an output that are searched for ignored files; the rest is dropped.
_MAX_SEARCHED = 4 * MAX_OUTPUT
_MAX_FILES = 50
# Characters of changed lines, of all files together; the lines of further files are dropped.
_MAX_CHANGES = 128_000


def clean(event: Event, redactor: Redactor, ignored: Ignored | None = None) -> Event:
    """Return an event as it may be stored."""
    cleaned: dict[str, Any] = dict(event)
    _drop_own_output(cleaned)
    for name in _LENGTHS:
        if name in cleaned:
            cleaned[name] = without_private_parts(cleaned[name])
    if "files" in cleaned:
        cleaned["files"] = _limit_files(cleaned["files"])
    if ignored is not None:
        _drop_ignored(cleaned, ignored)
    # Redaction comes before cutting: half a secret is not recognised.
    texts = {name: value for name, value in cleaned.items() if name not in _NAMES and name not in _OWN_FIELDS}
    cleaned.update(cast("dict[str, Any]", redactor.redact_tree(texts)))
    _hash_secret_names(cleaned, redactor)
    _shorten(cleaned)
    return cast("Event", cleaned)


def minimal_event(event: Event) -> Event:
    """What is stored of an event that could not be cleaned: its kind and its time."""
    minimal: Event = {
        "id": _hashed(event["id"]),
        "client": event["client"],
        "session": _hashed(event["session"]),
        "kind": event["kind"],
        "at": event["at"],
        "cwd": "",
        "withheld": "unredacted",
    }
    return minimal


def _drop_own_output(event: dict[str, Any]) -> None:
    """Drop what `rum` printed on a command line, which is stored already; keep the ids of memories in it."""
    if is_rum_command(event.get("command", "")):
        event["tool"] = "rum"
        if memories := memories_in(event.pop("output", "")):
            event["memories"] = memories


def _limit_files(files: list[FileAccess]) -> list[FileAccess]:
    remaining = _MAX_CHANGES
    limited_files: list[FileAccess] = []
    for file in files[:_MAX_FILES]:
        limited: dict[str, Any] = dict(file)
        for name in ("added", "removed"):
            changed: str = limited.pop(name, "")
            remaining -= len(changed)
            if changed and remaining >= 0:
                limited[name] = without_private_parts(changed)
        limited_files.append(cast("FileAccess", limited))
    return limited_files


def _drop_ignored(event: dict[str, Any], ignored: Ignored) -> None:
    base = event["cwd"]
    files = cast("list[FileAccess]", event.get("files", []))
    allowed = [file for file in files if not ignored.covers(file["path"], base)]
    # With one ignored file, command, output and text may contain its content: all of them are dropped.
    is_hidden = len(allowed) < len(files) or ignored.named_in(event.get("command", ""), base)
    if is_hidden:
        event["withheld"] = "ignored"
        for name in ("command", "output", "text"):
            event.pop(name, None)
    if files:
        event["files"] = allowed
    if "output" in event:
        event["output"] = ignored.without_lines(event["output"], base, _MAX_SEARCHED)
    if "text" in event:
        event["text"] = ignored.without_named(event["text"], base)


def _hash_secret_names(event: dict[str, Any], redactor: Redactor) -> None:
    names = {name: cast("str", event[name]) for name in _NAMES if name in event}
    known = {event["client"], event["kind"], *names.values()}
    # Of the id only what is in no other field: some clients' ids have a time or the name of a tool in them.
    names["id"] = ":".join(part for part in event["id"].split(":") if part not in known)
    values = list(names.values())
    if redactor.redact_tree(values) is values:  # all at once, as hardly any event has a secret there
        return
    secrets = [name for name, value in names.items() if redactor.find(value)]
    for name in (*secrets, *(["id"] if secrets and "id" not in secrets else [])):
        event[name] = _hashed(event[name])


def _hashed(name: str) -> str:
    """A name that is equal for equal names, so that events stay connected."""
    import hashlib  # noqa: PLC0415 (it loads OpenSSL, and hardly any event needs it)

    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _shorten(event: dict[str, Any]) -> None:
    for name, max_length in _LENGTHS.items():
        if name in event:
            event[name] = cut_middle(event[name], max_length)
    for file in cast("list[dict[str, str]]", event.get("files", [])):
        file["path"] = file["path"][:MAX_PATH]
        for name in ("added", "removed"):
            if name in file:
                file[name] = file[name][:MAX_CHANGE]
    for name in ("tool_name", "source", "agent_type"):
        if name in event:
            event[name] = event[name][:MAX_NAME]


# The names of the tags around a brief and a journal in a prompt; those of offers begin with `rum-`.
BRIEF, JOURNAL = "background-knowledge", "session-journal"
PRIVATE = "[private]"  # Replaces private text

# Not compiled on import: few texts need them.
_PRIVATE_TAG = r"(?i)<(/?)private(?:\s[^<>]{0,100})?>"
_OWN_TAG = rf"<((?:{BRIEF}|{JOURNAL}|rum-[a-z])[a-z0-9-]{{0,60}})>"


def without_private_parts(text: str) -> str:
    """A text without its private parts and without what RUM itself put into the prompt."""
    return without_private(without_own(text)) if "<" in text else text


def without_private(text: str) -> str:
    """A text with each `<private>…</private>` replaced; a tag that is not closed extends to the end."""
    parts: list[str] = []
    at = depth = 0
    for mark in re.finditer(_PRIVATE_TAG, text):
        if not mark[1]:
            if not depth:
                parts += (text[at : mark.start()], PRIVATE)
            depth += 1
        elif depth:
            depth -= 1
            at = mark.end()
        elif not parts and (seam := text.find(LEFT_OUT, at, mark.start())) >= 0:
            # The opening tag is in the part that was cut out.
            parts += (text[at : seam + len(LEFT_OUT)], PRIVATE)
            at = mark.end()
    if not parts:
        return text
    return "".join(parts) + ("" if depth else text[at:])


def without_own(text: str) -> str:
    """A text without the tags that RUM puts into prompts, and what they enclose."""
    parts: list[str] = []
    at = 0
    pattern = re.compile(_OWN_TAG)
    while opening := pattern.search(text, at):
        closing = f"</{opening[1]}>"
        end = text.find(closing, opening.end())
        if end < 0:
            parts.append(text[at : opening.end()])
            at = opening.end()
        else:
            parts.append(text[at : opening.start()])
            at = end + len(closing)
    return "".join(parts) + text[at:] if parts else text
