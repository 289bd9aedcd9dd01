"""The tables of how memories are used, and of captured events, which never block a memory's write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rum.model.memory import Usage
from rum.store.activity import Evidence, OfferCounts, OfferQuery, OfferRow
from rum.store.captured_events import (
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


class ActivityTable(Table):
    """Uses, offers, feedback and failures of one project."""

    def add_uses(self, times: Mapping[str, int], now: int) -> bool:
        rows = [{"id": memory_id, "times": count, "last": now} for memory_id, count in times.items()]
        return self._db.write_now("add_use", rows)

    def set_use(self, memory_id: str, use: Usage) -> None:
        with self._db.transaction():
            self._db.run("set_use", (memory_id, use.times, use.last_used_at or 0))

    def uses(self, ids: Iterable[str] | None = None) -> dict[str, Usage]:
        rows = self._db.rows("all_uses") if ids is None else self._db.rows("uses_of", (self._db.array(ids),))
        return {row["memory_id"]: Usage(row["times"], row["last"]) for row in rows}

    def delete(self, memory_id: str, *, texts_only: bool = False) -> None:
        statements = ("delete_offered", "delete_offers")
        if not texts_only:
            statements += ("delete_use", "delete_feedback", "delete_usefulness")
        with self._db.transaction():
            for statement in statements:
                self._db.run(statement, (memory_id,))

    def set_failure(self, part: str, why: str | None, now: int) -> bool:
        if why is None:
            return self._db.write_now("delete_failure", [{"part": part}])
        return self._db.write_now("note_failure", [{"part": part, "failed_at": now, "why": why}])

    def failure(self, part: str) -> tuple[int, str] | None:
        rows = self._db.rows("failure_of", (part,))
        return (rows[0]["failed_at"], rows[0]["why"]) if rows else None

    def add_offers(self, offers: Iterable[OfferRow], *, wait: bool = True) -> None:
        rows = [offer._asdict() for offer in offers]
        if not wait:
            self._db.write_now("insert_offer", rows)
            return
        with self._db.transaction():
            self._db.run_many("insert_offer", rows)

    def find_offers(self, query: OfferQuery) -> list[OfferRow]:
        values = query._asdict()
        place = values.pop("after")
        values |= dict(zip(_PLACE, place or (None,) * len(_PLACE), strict=True))
        if place is not None:  # the index of times is then read from there on
            values["until"] = min(place.at, place.at if query.until is None else query.until)
        statement = "find_offers"  # the others do the same by their index
        if query.memory is not None:
            statement = "offers_of_memory"
        elif query.client is not None and query.session is not None:
            statement = "offers_of_session"
        return [_offer(row) for row in self._db.rows(statement, values)]

    def offer_tokens(self, periods: Sequence[tuple[float, float]]) -> list[tuple[int, int]]:
        starts, ends = ([period[at] for period in periods] for at in (0, 1))
        rows = self._db.rows("offer_tokens", {"starts": self._db.array(starts), "ends": self._db.array(ends)})
        return [(texts, tokens) for texts, tokens in (json.loads(row["numbers"]) for row in rows)]

    def set_outcomes(self, offers: Iterable[OfferRow]) -> None:
        changed = list(offers)
        with self._db.transaction():
            self._db.run_many("set_offer_outcome", [offer._asdict() for offer in changed])
            for memory_id in dict.fromkeys(offer.memory_id for offer in changed if offer.memory_id):
                self._update_usefulness(memory_id)

    def offer_counts(self, since: float = 0) -> list[OfferCounts]:
        rows = self._db.rows("offer_counts", (since,))
        return [OfferCounts(**{name: row[name] for name in OfferCounts._fields}) for row in rows]

    def add_feedback(self, memory_id: str, author: str, now: int, *, useful: bool) -> Evidence:
        with self._db.transaction():
            self._db.run("set_feedback", (memory_id, author, int(useful), now))
            return self._update_usefulness(memory_id)

    def _update_usefulness(self, memory_id: str) -> Evidence:
        [row] = self._db.rows("evidence_of", {"id": memory_id})
        evidence = Evidence(**{name: row[name] for name in Evidence._fields})
        if evidence.value:
            self._db.run("set_usefulness", (memory_id, evidence.value))
        else:
            self._db.run("delete_usefulness", (memory_id,))
        return evidence

    def confirmed(self, ids: Iterable[str]) -> dict[str, int]:
        rows = self._db.rows("confirmed", (self._db.array(ids),))
        return {row["memory_id"]: row["at"] for row in rows}

    def usefulness(self, ids: Iterable[str]) -> dict[str, float]:
        rows = self._db.rows("usefulness_of", (self._db.array(ids),))
        return {row["memory_id"]: row["value"] for row in rows}

    def all_usefulness(self, limit: int) -> dict[str, float] | None:
        rows = self._db.rows("all_usefulness", (limit + 1,))
        return {row["memory_id"]: row["value"] for row in rows} if len(rows) <= limit else None


_PLACE = ("after_at", "after_event", "after_number", "after_memory")


def _offer(row: Row) -> OfferRow:
    values = {name: row[name] for name in OfferRow._fields}
    for name in ("fetched", "followed", "contradicted", "success"):
        values[name] = None if values[name] is None else bool(values[name])
    return OfferRow(**values)


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

    def count(self) -> tuple[int, int]:
        [row] = self._db.rows("count_captured")
        return row["events"], row["open_turns"]

    def count_kinds(self, since: float) -> dict[str, int]:
        return {row["kind"]: row["number"] for row in self._db.rows("count_kinds", (since,))}

    def count_outcomes(self, since: float) -> dict[str, int]:
        return {row["became"]: row["number"] for row in self._db.rows("count_outcomes", (since,))}

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

    def delete(self, ids: Iterable[str]) -> None:
        with self._db.transaction():
            self._db.run_for("delete_captured", ids)

    def clear(self) -> None:
        with self._db.transaction():
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
