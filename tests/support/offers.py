"""Offers for tests: events as hooks pass them on, and actions of memories."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from rum.inject.offers import offers_for
from support.builders import NOON

if TYPE_CHECKING:
    from rum.capture.events.event import Event
    from rum.inject.offers.text import Offer

SESSION = "the session that acts"
LATER = NOON + 3600


def make_event(kind: str, **more: Any) -> Event:
    told = {"id": f"test:{kind}", "client": "claude-code", "session": SESSION, "kind": kind, "at": LATER}
    return {**told, "cwd": "/work", **more}  # pyright: ignore[reportReturnType]


def make_run(command: str, kind: str = "before", **more: Any) -> Event:
    return make_event(kind, tool="run", command=command, **more)


def make_edit(path: str, added: str, kind: str = "before", **more: Any) -> Event:
    files = [{"path": path, "operation": "edit", "added": added}]
    return make_event(kind, tool="edit", files=files, **more)


def offered(event: Event, folder: Path) -> list[Offer]:
    return offers_for(event, str(folder), "/work")


def failed_run(command: str, error: str, at: int = NOON) -> dict[str, Any]:
    result = {"success": False, "error": error}
    return {"type": "command_run", "timestamp": at, "details": {"command": command}, "result": result}


def ran(command: str, at: int = NOON) -> dict[str, Any]:
    return {
        "type": "command_run",
        "timestamp": at,
        "details": {"command": command},
        "result": {"success": True},
    }


def edited(path: str, diff: str, error: str | None = None, at: int = NOON) -> dict[str, Any]:
    details = {"file_path": path, "diff_summary": diff}
    return {
        "type": "file_edit",
        "timestamp": at,
        "details": details,
        "result": {"success": error is None, "error": error},
    }
