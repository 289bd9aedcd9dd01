"""The tables of captured events, turns and sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rum.store.captured_events import (
    CaptureCounts,
    CapturedEvent,
    CapturedTurn,
    EventQuery,
    FoundEvent,
    RuleCandidate,
    SessionFigures,
    SessionKey,
    TurnKey,
)
from rum.store.tables.statements import Row, Table

_LATEST = 1e18  # A time after all others
_NO_TURN = ("start", "end", "compact", "offered", "muted")  # Kinds of events that open no turn


class CapturedEventTable(Table):
    """Events and turns of one project."""

    def add(self, events: Iterable[CapturedEvent], now: int, *, replace: bool = False) -> list[str]:
        new: list[str] = []
        with self._db.transaction():
            if replace:
                self._db.run_many("replace_events", [_row(event, now) for event in events])
                return new
            for event in events:
                if any(turn.outcome == "forgotten" for turn in self.turns(event.key)):
                    continue
                if self._db.run("insert_event_once", _row(event, now)):
                    new.append(event.id)
                    if event.kind not in _NO_TURN:
                        self._db.run("touch_turn", (*event.key, event.at))
        return new

    def events(self, scope: TurnKey | SessionKey, kinds: Sequence[str] = ()) -> list[CapturedEvent]:
        statement = "events_of_turn" if isinstance(scope, TurnKey) else "events_of_session"
        values = {**scope._asdict(), "kinds": self._db.array(kinds) if kinds else None}
        return [_event(row) for row in self._db.rows(statement, values)]

    def find(self, query: EventQuery) -> list[FoundEvent]:
        return [
            FoundEvent(_event(row), row["outcome"], row["memory_id"], row["why"], bool(row["is_open"]))
            for row in self._db.rows("find_events", query._asdict())
        ]

    def counts(self, since: float = 0) -> CaptureCounts:
        kinds = {row["kind"]: row["number"] for row in self._db.rows("count_kinds", (since,))}
        outcomes = {row["became"]: row["number"] for row in self._db.rows("count_outcomes", (since,))}
        return CaptureCounts(kinds, outcomes, self._values("count_open_turns")[0])

    def turns(self, scope: TurnKey | SessionKey | None = None, limit: int = -1) -> list[CapturedTurn]:
        if scope is None:
            rows = self._db.rows("open_turns", (limit,))
        else:
            statement = "turn_by_key" if isinstance(scope, TurnKey) else "turns_of_session"
            rows = self._db.rows(statement, (*scope, limit))
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

    def sessions(
        self, limit: int, after: tuple[float, SessionKey] | None = None, client: str | None = None
    ) -> list[SessionFigures]:
        last, key = after or (_LATEST, SessionKey("", ""))
        values = {"last": last, "after_client": key.client, "after_session": key.session}
        rows = self._db.rows("sessions", {**values, "client": client, "limit": limit})
        return [
            SessionFigures(
                SessionKey(row["client"], row["session"]),
                *(row[name] for name in ("first", "last", "turns", "open_turns", "memories")),
            )
            for row in rows
        ]

    def conclude(self, turn: CapturedTurn, now: int) -> None:
        values = {**turn._asdict(), **turn.key._asdict(), "now": now}
        del values["key"]
        with self._db.transaction():
            self._db.run("conclude_turn", values)

    def reopen(self, key: TurnKey) -> None:
        with self._db.transaction():
            self._db.run("reopen_turn", key)

    def rule_candidates(self) -> list[RuleCandidate]:
        return [RuleCandidate(*row) for row in self._db.rows("rule_candidates")]

    def delete_candidates(self) -> None:
        with self._db.transaction():
            self._db.run("delete_candidates")

    def delete(self, ids: Iterable[str] | None = None) -> None:
        with self._db.transaction():
            if ids is not None:
                self._db.run_for("delete_captured", ids)
                return
            for statement in ("clear_captured", "forget_all_turns", "clear_offers"):
                self._db.run(statement)

    def with_traces(self, ids: Iterable[str]) -> list[str]:
        return [row["memory_id"] for row in self._db.rows("memories_with_traces", (self._db.array(ids),))]

    def forget(self, memory_id: str, *, dry_run: bool = False) -> int:
        if dry_run:
            return self._values("count_events_of_memory", (memory_id,))[0]
        with self._db.transaction():
            gone = self._db.run("delete_events_of_memory", (memory_id,))
            self._db.run("forget_turns", (memory_id,))
            return gone

    def drop(self, before: int) -> int:
        with self._db.transaction():
            self._db.run("clear_offer_texts", (before,))
            return self._db.run("drop_events", {"before": before})

    def transcript_stamps(self, paths: Iterable[str]) -> dict[str, str]:
        rows = self._db.rows("transcript_stamps", (self._db.array(paths),))
        return {row["path"]: row["stamp"] for row in rows}

    def set_transcript_stamp(self, path: str, stamp: str, now: int) -> None:
        with self._db.transaction():
            self._db.run("set_transcript_stamp", (path, stamp, now))


def _row(event: CapturedEvent, now: int) -> tuple[Any, ...]:
    return event.id, *event.key, event.kind, event.at, event.data, now


def _event(row: Row) -> CapturedEvent:
    return CapturedEvent(row["id"], _key(row), row["kind"], row["at"], row["data"])


def _key(row: Row) -> TurnKey:
    return TurnKey(row["client"], row["session"], row["agent"], row["turn"])
