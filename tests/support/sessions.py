"""Sessions told to an open project, and what a new session is told then."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rum import Rum
from rum.capture.events import spool
from rum.capture.events.event import to_line
from rum.inject.offers import offers_for
from rum.model.answers import RetrievedMemory
from support.captured_events import NOON, Telling
from support.projects import Shop

if TYPE_CHECKING:
    from rum.capture.events.event import Event

DAY = 86_400


class Sessions:
    """Tells sessions to an open project."""

    def __init__(self, shop: Shop, rum: Rum) -> None:
        self._shop, self._rum, self._days = shop, rum, 0
        self._told: dict[Telling, int] = {}

    def begin(self, session: str = "s1") -> Telling:
        """Begin a session, a day after the one before."""
        at = NOON + self._days * DAY
        self._days += 1
        self._shop.clock.at = at + 600
        return Telling(cwd=str(self._shop.folder), session=session, at=at)

    def take(self, telling: Telling) -> list[RetrievedMemory]:
        """Take in what a session told since; return all memories, oldest first."""
        folder = os.path.join(self._rum.project.directory, "spool")
        for event in telling.events[self._told.get(telling, 0) :]:
            spool.append(folder, event["session"], to_line(event))
        self._told[telling] = len(telling.events)
        self._rum.take_in()
        found = [self._rum.show(one.id) for one in self._rum.list(limit=100).memories]
        return sorted(found, key=lambda one: (one.created_at, one.id))


def at_start(shop: Shop, rum: Rum) -> str:
    """What a new session is told."""
    event: Event = {
        "id": "claude-code:new:start", "client": "claude-code", "session": "new", "kind": "start",
        "at": shop.clock.at, "cwd": str(shop.folder), "source": "startup",
    }  # fmt: skip
    return "\n".join(one.text for one in offers_for(event, rum.project.directory, str(shop.folder)))
