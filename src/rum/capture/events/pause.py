"""Pauses of capturing: for one project or everywhere, now and in the past."""

from __future__ import annotations

import json
import os

from rum.capture.events.event import cast
from rum.model.errors import StorageError
from rum.settings.home import ensure_private_dir, file_lock, read_bounded, write_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypedDict

    class Pause(TypedDict):
        """A span of time in which nothing is captured, in Unix seconds."""

        project: str | None  # None: everywhere
        since: int
        until: int | None  # None: until capturing is resumed


_FILE = "paused.json"
_LIMIT = 256 * 1024
# Past pauses are needed when a transcript is imported later: it holds what was written during them.
_MAX_PAUSES = 500


def is_paused(home: str, project_id: str | None, at: float) -> bool:
    """Whether capturing was paused for a project at a time; for an unknown one (None), any pause counts."""
    try:
        return any(
            (project_id is None or pause["project"] in (None, project_id))
            and pause["since"] <= at
            and (pause["until"] is None or at < pause["until"])
            for pause in _read(home)
        )
    except (OSError, ValueError, TypeError, KeyError):
        return True  # a damaged file means that something was paused: capture nothing


def pause(home: str, project_id: str | None, now: int, until: int | None) -> None:
    """Pause capturing of a project, or of all (None); a current pause of the same is replaced."""

    def add(pauses: list[Pause]) -> list[Pause]:
        ended = [_end(pause, now) if pause["project"] == project_id else pause for pause in pauses]
        return [*ended, {"project": project_id, "since": now, "until": until}]

    _change(home, add)


def resume(home: str, project_id: str | None, now: int) -> bool:
    """End the pauses of a project, or all (None); return False if there was none."""
    was_paused = False

    def end(pauses: list[Pause]) -> list[Pause]:
        nonlocal was_paused
        ended = [_end(pause, now) if project_id in (None, pause["project"]) else pause for pause in pauses]
        was_paused = ended != pauses
        return ended

    _change(home, end)
    return was_paused


def pauses_now(home: str, project_id: str, now: int) -> list[Pause]:
    """The current pauses of a project."""
    return [
        pause for pause in _valid(home) if pause["project"] in (None, project_id) and not _is_over(pause, now)
    ]


def _end(pause: Pause, now: int) -> Pause:
    return pause if _is_over(pause, now) else {**pause, "until": now}


def _is_over(pause: Pause, now: int) -> bool:
    return pause["until"] is not None and pause["until"] <= now


def _read(home: str) -> list[Pause]:
    try:
        raw, _ = read_bounded(os.path.join(home, _FILE), _LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return cast("list[Pause]", json.loads(raw)["pauses"])


def _valid(home: str) -> list[Pause]:
    """All pauses; empty for a damaged file, which the next change replaces."""
    try:
        return [
            {"project": pause["project"], "since": int(pause["since"]), "until": pause["until"]}
            for pause in _read(home)
        ]
    except (OSError, ValueError, TypeError, KeyError):
        return []


def _change(home: str, change: Callable[[list[Pause]], list[Pause]]) -> None:
    path = os.path.join(home, _FILE)
    try:
        ensure_private_dir(home)
        with file_lock(f"{path}.lock"):
            pauses = change(_valid(home))[-_MAX_PAUSES:]
            write_private(path, json.dumps({"version": 1, "pauses": pauses}, indent=1).encode())
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror or error}. Nothing was changed.", path=path) from error
