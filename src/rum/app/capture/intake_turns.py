"""Which turns are over, and all that is known of one: what hooks told, and what the transcript adds."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from rum.app.project import Project
from rum.capture.events.cleaning import clean
from rum.capture.events.event import cast
from rum.capture.events.ignored_paths import read_ignored
from rum.capture.events.pause import is_paused
from rum.capture.observe.turns import Turn, key_of, merge_events, parents, tasks
from rum.capture.transcripts.readers import READERS, SAME_NAMES
from rum.repo.location import find_root
from rum.store.captured_events import CapturedEvent, CapturedTurn, SessionKey, TurnKey

if TYPE_CHECKING:
    from rum.capture.events.event import Event


def is_sound(event: Event) -> bool:
    """Whether the parts that everything goes by are what they should be."""
    texts = (
        event.get(name, "") for name in ("id", "client", "session", "kind", "cwd", "turn", "agent", "text")
    )
    at: object = dict(event).get("at")
    return all(isinstance(one, str) for one in texts) and isinstance(at, int | float) and 0 <= at < 1e11


def as_row(event: Event) -> CapturedEvent:
    """An event as the store keeps it."""
    data = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
    return CapturedEvent(
        event["id"], key_of(event), event["kind"], event["at"], data.encode("utf-8", "replace").decode()
    )


def as_event(row: CapturedEvent) -> Event:
    """An event as it was seen."""
    return cast("Event", json.loads(row.data) | {"turn": row.key.turn})


QUIET = 30 * 60
"""Seconds after which a turn is over of which nothing more was heard."""
_TAIL = 8 * 1024 * 1024
"""Bytes of a transcript's end in which a turn is looked for that was just over."""
_MOST = 1000
_ENDS = ("stop", "agent_stop")


class Closing:
    """The open turns of a project; each session is looked at once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._sessions: dict[SessionKey, list[CapturedEvent]] = {}

    def closed(self) -> Iterator[CapturedTurn]:
        """The turns that are over and not yet concluded, oldest first."""
        for row in self._project.store.captured.open_turns(_MOST):
            if self._is_over(row):
                yield row

    def _is_over(self, row: CapturedTurn) -> bool:
        if row.last < self._project.now() - QUIET:
            return True
        for event in self._told(row.key):
            if event.kind in _ENDS and event.key == row.key:
                return True
            if event.kind == "end" and event.at >= row.last:
                return True
            later = event.kind == "prompt" and event.at > row.first and event.key.turn != row.key.turn
            if later and not row.key.agent and not event.key.agent:
                return True
        return False

    def _told(self, key: TurnKey) -> list[CapturedEvent]:
        """What marks the beginnings and ends of a session's turns."""
        session = SessionKey(key.client, key.session)
        if session not in self._sessions:
            self._sessions[session] = self._project.store.captured.events(session, ("prompt", "end", *_ENDS))
        return self._sessions[session]

    def around(self, row: CapturedTurn) -> list[CapturedTurn]:
        """All turns of the session that a turn is of."""
        return self._project.store.captured.turns(SessionKey(row.key.client, row.key.session))

    def turn(self, row: CapturedTurn) -> Turn | None:
        """All that is known of a turn; None where nothing is."""
        events = self._events(row.key)
        if not events:
            return None
        turn = Turn(row.key, tuple(events))
        if row.key.agent:
            return turn._replace(task=self._task(row))
        prompts = [one for one in self._told(row.key) if one.kind == "prompt" and not one.key.agent]
        before = [one for one in prompts if one.at < row.first and one.key.turn != row.key.turn]
        after = [one for one in prompts if one.at > row.first and one.key.turn != row.key.turn]
        return turn._replace(
            earlier=_text(before[-1]) if before else "", reply=_text(after[0]) if after else ""
        )

    def _task(self, row: CapturedTurn) -> str:
        around = self.around(row)
        related = parents([(one.key, one.first) for one in around])
        above = related.get(row.key)
        if above is None:
            return ""
        calls = [event for event in self._events(above) if event.get("tool") == "agent"]
        begun = [(one.key, one.first) for one in around if related.get(one.key) == above]
        return tasks(calls, begun).get(row.key, "")

    def _events(self, key: TurnKey) -> list[Event]:
        told = [as_event(row) for row in self._project.store.captured.events(key)]
        more = self._in_transcript(key, told) if told else []
        whole = merge_events([*told, *more])
        known = {event["id"]: event for event in told}
        added = [event for event in whole if known.get(event["id"]) != event]
        if added:
            self._project.store.captured.add(
                [as_row(event) for event in added], self._project.now(), replace=True
            )
        return whole

    def _in_transcript(self, key: TurnKey, told: list[Event]) -> list[Event]:
        """What the client itself wrote down of a turn; hooks are not told of everything."""
        path = _transcript(key, told)
        if path is None or key.client not in SAME_NAMES:
            return []
        found: list[Event] = []
        with suppress(OSError):
            found = [event for event in READERS[key.client].events([path], _TAIL) if key_of(event) == key]
        return cleaned(self._project, found)


def _transcript(key: TurnKey, told: list[Event]) -> str | None:
    named = list(dict.fromkeys(path for event in told if (path := event.get("transcript"))))
    if key.agent:
        named = [path for path in named if key.agent in os.path.basename(path)]
    return next((path for path in named if os.path.isabs(path) and os.path.isfile(path)), None)


def cleaned(project: Project, events: list[Event]) -> list[Event]:
    """Events as a hook would have kept them: nothing private, ignored or secret, and nothing from a pause."""
    home = project.settings.home
    roots: dict[str, str | None] = {}
    kept: list[Event] = []
    for event in events:
        cwd = event["cwd"]
        if cwd not in roots:
            roots[cwd] = find_root(cwd, home) if os.path.isdir(cwd) else project.location.root
        if not is_paused(home, project.location.id, event["at"]):
            kept.append(clean(event, project.redactor, read_ignored(roots[cwd])))
    return kept


def _text(row: CapturedEvent) -> str:
    return as_event(row).get("text", "")
