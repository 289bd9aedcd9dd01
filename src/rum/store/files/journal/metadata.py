"""The summary of a session, `metadata.yaml`: agents, task, start, end, number of entries."""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from typing import Any, cast

from rum.model.errors import RumError
from rum.model.journal import VERSION, Kind, format_timestamp
from rum.store.files.atomic_write import inside, locked, replace
from rum.store.files.journal.file import text_of
from rum.store.files.journal.locations import METADATA, Sessions
from rum.store.files.yaml import load
from rum.store.files.yaml_edit import changed
from rum.store.files.yaml_text import fields

SCHEMA = "session-metadata"


def metadata(sessions: Sessions, session: str) -> dict[str, Any]:
    """The content of the file; if RUM did not write it, computed from the journals."""
    path = os.path.join(sessions.place(session), METADATA)
    found = _read(inside(sessions.folder, path))[1]
    if found.get("schema") == SCHEMA:
        return found
    computed, broken = _computed(sessions, session)
    return computed | ({"task": f"(cannot be read: {broken[0]})"} if broken else {})


def update_session_metadata(
    sessions: Sessions,
    session: str,
    agent: str,
    now: float,
    *,
    kind: Kind | None = None,
    task: str | None = None,
) -> None:
    """Record that an agent has just written to its journal, with an entry of this kind if there is one.

    A file that another system wrote, or that cannot be read, stays unchanged.
    """
    path = inside(sessions.folder, os.path.join(sessions.place(session), METADATA))
    with locked(path):
        text, found = _read(path)
        if not text.strip():
            computed, _ = _computed(sessions, session)
            new = {**computed, "task": task or "", "end": format_timestamp(now)}
            replace(path, fields(new, 0).encode() + b"\n")
        elif found.get("schema") == SCHEMA:
            replace(path, changed(text, path, (), _changes(found, agent, now, kind, task)).encode())


def _read(path: str) -> tuple[str, dict[str, Any]]:
    text, found = "unreadable", None
    with suppress(RumError):
        text = text_of(path)
        found = load(text, path)
    return text, cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _changes(
    found: dict[str, Any], agent: str, now: float, kind: Kind | None, task: str | None
) -> dict[str, Any]:
    changes: dict[str, Any] = {"end": format_timestamp(now)}
    agents = cast("list[object]", found["agents"]) if isinstance(found.get("agents"), list) else []
    if agent not in agents:
        changes["agents"] = [*agents, agent]
    if task:
        changes["task"] = task
    if kind is not None:
        counts = found.get("counts")
        before = cast("dict[str, Any]", counts).get(kind.section) if isinstance(counts, dict) else 0
        changes["counts"] = {kind.section: (before if isinstance(before, int) else 0) + 1}
    return changes


def _computed(sessions: Sessions, session: str) -> tuple[dict[str, Any], list[str]]:
    """The metadata as far as the journals contain it, and the errors of those that cannot be read."""
    agents, starts, broken = list[str](), list[str](), list[str]()
    counts = Counter({kind.section: 0 for kind in Kind})
    for file in sessions.files(session):
        agents += [file.agent] if file.agent else []
        try:
            text = file.read()
            starts += [str(at)] if (at := text.scalar("createdAt")) else []
            counts.update({kind.section: text.count(kind) for kind in Kind})
        except RumError as error:
            broken.append(error.message)
    computed = {
        "version": VERSION,
        "schema": SCHEMA,
        "session": session,
        "task": "",
        "start": min(starts, default=""),
        "end": "",
        "agents": agents,
        "counts": dict(counts),
    }
    return computed, broken
