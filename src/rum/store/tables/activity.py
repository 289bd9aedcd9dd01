"""The tables of how memories are used, which never block a memory's write."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

from rum.model.memory import Usage
from rum.store.activity import Evidence, OfferCounts, OfferQuery, OfferRow, WorkOutcome
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

    def followed_work(self, since: float) -> dict[str, WorkOutcome | None]:
        found: dict[str, WorkOutcome | None] = {}
        for row in self._db.rows("followed_work", (since,)):
            outcome = WorkOutcome(_flag(row["success"]), _flag(row["kept"]))
            found[row["work"]] = None if row["work"] in found else outcome
        return found

    def set_work_outcomes(self, works: Mapping[str, WorkOutcome]) -> None:
        with self._db.transaction():
            for work, outcome in works.items():
                self._db.run("set_work_outcome", {"work": work, **outcome._asdict()})
                for row in self._db.rows("offered_before_work", (work,)):
                    self._update_usefulness(row["memory_id"])

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

    def usefulness(self, ids: Iterable[str] | None = None, limit: int = -1) -> dict[str, float]:
        if ids is None:
            rows = self._db.rows("all_usefulness", (limit,))
        else:
            rows = self._db.rows("usefulness_of", (self._db.array(ids),))
        return {row["memory_id"]: row["value"] for row in rows}


_PLACE = ("after_at", "after_event", "after_number", "after_memory")


def _offer(row: Row) -> OfferRow:
    values = {name: row[name] for name in OfferRow._fields}
    for name in ("fetched", "followed", "contradicted", "success", "kept"):
        values[name] = _flag(values[name])
    return OfferRow(**values)


def _flag(value: int | None) -> bool | None:
    return None if value is None else bool(value)
