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
    RuleCandidate,
    SessionKey,
    TurnKey,
)
from rum.store.sqlite.records import SQL, Row, Table

_NO_TURN = ("start", "end", "compact", "offered", "muted")  # Kinds of events that open no turn


class SqliteCapturedEvents(Table):
    """Events and turns of one project."""

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
        return [_event(row) for row in self._rows(statement, values)]

    def find(self, query: EventQuery) -> list[FoundEvent]:
        return [
            FoundEvent(_event(row), row["outcome"], row["memory_id"], row["why"], bool(row["is_open"]))
            for row in self._rows("find_events", query._asdict())
        ]

    def count(self) -> tuple[int, int]:
        [row] = self._rows("count_captured")
        return row["events"], row["open_turns"]

    def count_kinds(self, since: float) -> dict[str, int]:
        return {row["kind"]: row["number"] for row in self._rows("count_kinds", (since,))}

    def count_outcomes(self, since: float) -> dict[str, int]:
        return {row["became"]: row["number"] for row in self._rows("count_outcomes", (since,))}

    def turns(self, scope: TurnKey | SessionKey | None = None, limit: int = -1) -> list[CapturedTurn]:
        if scope is None:
            rows = self._rows("open_turns", (limit,))
        else:
            statement = "turn_by_key" if isinstance(scope, TurnKey) else "turns_of_session"
            rows = self._rows(statement, (*scope, limit))
        return [
            CapturedTurn(
                _key(row),
                first=row["first"],
                last=row["last"],
                is_open=bool(row["is_open"]),
                outcome=row["outcome"],
                memory_id=row["memory_id"],
                why=row["why"],
                concluded_at=row["concluded_at"],
            )
            for row in rows
        ]

    def conclude(self, turn: CapturedTurn, now: int) -> None:
        values = {**turn._asdict(), **turn.key._asdict(), "now": now}
        del values["key"]
        with self._database.transaction() as db:
            db.execute(SQL["conclude_turn"], values)

    def reopen(self, key: TurnKey) -> None:
        with self._database.transaction() as db:
            db.execute(SQL["reopen_turn"], key)

    def rule_candidates(self) -> list[RuleCandidate]:
        return [RuleCandidate(*row) for row in self._rows("rule_candidates")]

    def delete_candidates(self) -> None:
        with self._database.transaction() as db:
            db.execute(SQL["delete_candidates"])

    def delete(self, ids: Iterable[str]) -> None:
        with self._database.transaction():
            for _ in self._execute_for("delete_captured", ids):
                pass

    def clear(self) -> None:
        with self._database.transaction() as db:
            for statement in ("clear_captured", "forget_all_turns", "clear_offers"):
                db.execute(SQL[statement])

    def with_traces(self, ids: Iterable[str]) -> list[str]:
        return [row["memory_id"] for row in self._rows("memories_with_traces", (json.dumps(list(ids)),))]

    def forget(self, memory_id: str, *, dry_run: bool = False) -> int:
        if dry_run:
            return self._values("count_events_of_memory", (memory_id,))[0]
        with self._database.transaction() as db:
            gone = db.execute(SQL["delete_events_of_memory"], (memory_id,)).rowcount
            db.execute(SQL["forget_turns"], (memory_id,))
            return gone

    def drop(self, before: int) -> int:
        with self._database.transaction() as db:
            db.execute(SQL["clear_offer_texts"], (before,))
            return db.execute(SQL["drop_events"], {"before": before}).rowcount

    def transcript_stamps(self, paths: Iterable[str]) -> dict[str, str]:
        rows = self._rows("transcript_stamps", (json.dumps(list(paths)),))
        return {row["path"]: row["stamp"] for row in rows}

    def set_transcript_stamp(self, path: str, stamp: str, now: int) -> None:
        with self._database.transaction() as db:
            db.execute(SQL["set_transcript_stamp"], (path, stamp, now))


def _row(event: CapturedEvent, now: int) -> tuple[Any, ...]:
    return event.id, *event.key, event.kind, event.at, event.data, now


def _event(row: Row) -> CapturedEvent:
    return CapturedEvent(row["id"], _key(row), row["kind"], row["at"], row["data"])


def _key(row: Row) -> TurnKey:
    return TurnKey(row["client"], row["session"], row["agent"], row["turn"])
