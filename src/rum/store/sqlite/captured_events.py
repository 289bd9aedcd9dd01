"""Captured events and turns in SQLite: tables of the file that may lose its last second."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from rum.store.captured_events import (
    CapturedEvent,
    CapturedTurn,
    EventQuery,
    FoundEvent,
    RuleProposal,
    SessionKey,
    TurnKey,
)
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL

_NO_TURN = ("start", "end", "compact", "offered")
"""Kinds of events that open no turn."""


class SqliteCapturedEvents:
    """Events and turns of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def add(self, events: Iterable[CapturedEvent], now: int, *, replace: bool = False) -> list[str]:
        new: list[str] = []
        with self._database.transaction() as db:
            if replace:
                db.executemany(SQL["replace_events"], [_row(event, now) for event in events])
                return new
            for event in events:
                if any(turn.outcome == "forgotten" for turn in self.turns(event.key)):
                    continue
                if db.execute(SQL["insert_event_once"], _row(event, now)).rowcount:
                    new.append(event.id)
                    if event.kind not in _NO_TURN:
                        db.execute(SQL["touch_turn"], (*event.key, event.at))
        return new

    def events(self, scope: TurnKey | SessionKey, kinds: Sequence[str] = ()) -> list[CapturedEvent]:
        statement = "events_of_turn" if isinstance(scope, TurnKey) else "events_of_session"
        values = {**scope._asdict(), "kinds": json.dumps(list(kinds)) if kinds else None}
        return [_event(*row) for row in self._rows(statement, values)]

    def find(self, query: EventQuery) -> list[FoundEvent]:
        return [
            FoundEvent(_event(*event), outcome, memory_id, why, bool(is_open))
            for *event, outcome, memory_id, why, is_open in self._rows("find_events", query._asdict())
        ]

    def count(self) -> tuple[int, int]:
        ((events, open_turns),) = self._rows("count_captured")
        return events, open_turns

    def turns(self, scope: TurnKey | SessionKey) -> list[CapturedTurn]:
        statement = "turn_by_key" if isinstance(scope, TurnKey) else "turns_of_session"
        return [_turn(*row) for row in self._rows(statement, scope)]

    def open_turns(self, limit: int) -> list[CapturedTurn]:
        return [_turn(*row) for row in self._rows("open_turns", (limit,))]

    def conclude(self, turn: CapturedTurn, now: int) -> None:
        values = {**turn._asdict(), **turn.key._asdict(), "now": now}
        del values["key"]
        with self._database.transaction() as db:
            db.execute(SQL["conclude_turn"], values)

    def reopen(self, key: TurnKey) -> None:
        with self._database.transaction() as db:
            db.execute(SQL["reopen_turn"], key)

    def forget(self, memory_id: str, *, dry_run: bool = False) -> int:
        if dry_run:
            ((count,),) = self._rows("count_events_of_memory", (memory_id,))
            return count
        with self._database.transaction() as db:
            gone = db.execute(SQL["delete_events_of_memory"], (memory_id,)).rowcount
            db.execute(SQL["forget_turns"], (memory_id,))
            return gone

    def drop(self, before: int) -> int:
        with self._database.transaction() as db:
            return db.execute(SQL["drop_events"], {"before": before}).rowcount

    def transcript_stamp(self, path: str) -> str | None:
        return next((stamp for (stamp,) in self._rows("transcript_stamp", (path,))), None)

    def set_transcript_stamp(self, path: str, stamp: str, now: int) -> None:
        with self._database.transaction() as db:
            db.execute(SQL["set_transcript_stamp"], (path, stamp, now))

    def propose(self, proposals: Iterable[tuple[RuleProposal, str]]) -> None:
        with self._database.transaction() as db:
            db.executemany(SQL["propose_rule"], [{**one._asdict(), "turn": turn} for one, turn in proposals])

    def proposals(self) -> list[RuleProposal]:
        return [RuleProposal(*row) for row in self._rows("proposed_rules")]

    def settle(self, proposal_id: str, state: str) -> bool:
        with self._database.transaction() as db:
            return db.execute(SQL["settle_proposal"], (state, proposal_id)).rowcount > 0


def _row(event: CapturedEvent, now: int) -> tuple[Any, ...]:
    return event.id, *event.key, event.kind, event.at, event.data, now


def _event(
    event_id: str, client: str, session: str, agent: str, turn: str, kind: str, at: float, data: str
) -> CapturedEvent:
    return CapturedEvent(event_id, TurnKey(client, session, agent, turn), kind, at, data)


def _turn(
    client: str, session: str, agent: str, turn: str, first: float, last: float, is_open: int, *outcome: Any
) -> CapturedTurn:
    return CapturedTurn(TurnKey(client, session, agent, turn), first, last, bool(is_open), *outcome)
