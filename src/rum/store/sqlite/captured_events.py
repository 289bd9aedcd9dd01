"""What was seen of agents at work, in SQLite: tables of the file that may lose its last second."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rum.store.captured_events import Found, Proposal, SeenEvent, SeenTurn, Sought, TurnKey
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL

_ASIDE = ("start", "end", "compact", "offered")
"""Kinds of events that open no turn."""


class SqliteSeen:
    """Events and turns of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def add(self, events: Iterable[SeenEvent], now: int) -> list[str]:
        """Keep events that are not here yet, and open their turns; the ids of those that were new."""
        new: list[str] = []
        with self._database.transaction() as db:
            for event in events:
                known = self.turn(event.key)
                if known is not None and known.became == "forgotten":
                    continue
                if db.execute(SQL["insert_seen"], _row(event, now)).rowcount:
                    new.append(event.id)
                    if event.kind not in _ASIDE:
                        db.execute(SQL["touch_turn"], (*event.key, event.at))
        return new

    def fill(self, events: Iterable[SeenEvent], now: int) -> None:
        """Keep events as they are known by now, and leave turns as they are."""
        with self._database.transaction() as db:
            db.executemany(SQL["fill_seen"], [_row(event, now) for event in events])

    def of_turn(self, key: TurnKey) -> list[SeenEvent]:
        """The events of a turn in their order."""
        return [_event(row) for row in self._rows("seen_of_turn", key)]

    def of_session(self, client: str, session: str, kinds: Sequence[str]) -> list[SeenEvent]:
        """The events of a session that are of some kinds, in their order."""
        return [
            _event(row) for row in self._rows("seen_of_session", (client, session, json.dumps(list(kinds))))
        ]

    def open_turns(self, most: int) -> list[SeenTurn]:
        """Turns of which something was seen since they were concluded, the quietest first."""
        return [_turn(row) for row in self._rows("open_turns", (most,))]

    def turn(self, key: TurnKey) -> SeenTurn | None:
        """One turn, if it is known."""
        return next(map(_turn, self._rows("turn_row", key)), None)

    def turns_of(self, client: str, session: str) -> list[SeenTurn]:
        """The turns of a session in their order."""
        return [_turn(row) for row in self._rows("turns_of_session", (client, session))]

    def turns_of_memory(self, memory_id: str) -> list[SeenTurn]:
        """The turns that a memory was made of."""
        return [_turn(row) for row in self._rows("turns_of_memory", (memory_id,))]

    def conclude(self, turn: SeenTurn, now: int) -> None:
        """Note what became of a turn."""
        told = {"became": turn.became, "memory_id": turn.memory_id, "why": turn.why, "now": now}
        with self._database.transaction() as db:
            db.execute(
                SQL["conclude_turn"], turn.key._asdict() | {"first": turn.first, "last": turn.last} | told
            )

    def reopen(self, key: TurnKey) -> None:
        """Have a turn looked at again."""
        with self._database.transaction() as db:
            db.execute(SQL["reopen_turn"], key)

    def count_of(self, memory_id: str) -> int:
        """How many events a memory was made of."""
        return self._rows("count_seen_of_memory", (memory_id,))[0][0]

    def forget(self, memory_id: str) -> int:
        """Delete the events that a memory was made of, and make nothing of their turns any more; how many."""
        with self._database.transaction() as db:
            gone = db.execute(SQL["forget_seen"], (memory_id,)).rowcount
            db.execute(SQL["forget_turns"], (memory_id,))
            return gone

    def drop(self, before: int) -> int:
        """Delete events whose turns were concluded before then; how many there were."""
        with self._database.transaction() as db:
            return db.execute(SQL["drop_seen"], {"before": before}).rowcount

    def find(self, sought: Sought) -> list[Found]:
        """Events with what became of them, newest first."""
        rows = self._rows("find_seen", sought._asdict())
        return [Found(_event(row[:8]), row[8], row[9], row[10], bool(row[11])) for row in rows]

    def count(self) -> tuple[int, int]:
        """How many events there are, and how many turns are open."""
        return self._rows("count_seen")[0][0], self._rows("count_open_turns")[0][0]

    def stamp_of(self, path: str) -> str | None:
        """What a transcript looked like when it was read last."""
        return next((stamp for (stamp,) in self._rows("transcript_stamp", (path,))), None)

    def stamp(self, path: str, stamp: str, now: int) -> None:
        """Note that a transcript was read."""
        with self._database.transaction() as db:
            db.execute(SQL["set_transcript_stamp"], (path, stamp, now))

    def propose(self, proposals: Iterable[tuple[Proposal, str]]) -> None:
        """Keep rules that somebody may have meant, each with the turn it was told in."""
        with self._database.transaction() as db:
            for one, turn in proposals:
                told = (one.condition, one.action, one.said, one.client, one.session, turn, one.at)
                db.execute(SQL["propose_rule"], (one.id, *told))

    def proposals(self) -> list[Proposal]:
        """Those that nobody has taken or dropped, the last one told first."""
        return [Proposal(*row) for row in self._rows("candidates")]

    def settle(self, proposal_id: str, state: str) -> bool:
        """Note that one was taken or dropped; False when there is none."""
        with self._database.transaction() as db:
            return db.execute(SQL["settle_candidate"], (state, proposal_id)).rowcount > 0


def _row(event: SeenEvent, now: int) -> tuple[Any, ...]:
    return event.id, *event.key, event.kind, event.at, event.data, now


def _event(row: tuple[Any, ...]) -> SeenEvent:
    return SeenEvent(row[0], TurnKey(*row[1:5]), *row[5:8])


def _turn(row: tuple[Any, ...]) -> SeenTurn:
    return SeenTurn(TurnKey(*row[:4]), row[4], row[5], bool(row[6]), *row[7:])
