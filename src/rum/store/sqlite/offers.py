"""What was offered and what came of it, in SQLite: tables of the file that may lose its last second."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from rum.store.offers import Evidence, KindFigures, OfferRow, OffersSought
from rum.store.sqlite.connect import Database
from rum.store.sqlite.queries import SQL


class SqliteLedger:
    """The offers of one project."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def _rows(self, statement: str, values: Any = ()) -> list[tuple[Any, ...]]:
        return self._database.connection.execute(SQL[statement], values).fetchall()

    def add(self, offers: Iterable[OfferRow]) -> None:
        """Note what was offered; what is noted already stays as it is."""
        with self._database.transaction() as db:
            db.executemany(SQL["insert_offer"], [offer[:10] for offer in offers])

    def of_session(self, client: str, session: str, until: float) -> list[OfferRow]:
        """What was offered in a session up to a moment, in order."""
        return [_offer(row) for row in self._rows("offers_of_session", (client, session, until))]

    def judge(self, offers: Iterable[OfferRow]) -> None:
        """Note what came of offers, and renew how useful their memories are."""
        judged = list(offers)
        with self._database.transaction() as db:
            db.executemany(SQL["judge_offer"], [(*offer[10:], *offer[:3]) for offer in judged])
            for memory_id in dict.fromkeys(offer.memory_id for offer in judged if offer.memory_id):
                self._renew(memory_id)

    def feedback(self, memory_id: str, said_by: str, now: int, *, useful: bool) -> Evidence:
        """Note what somebody says of a memory; all that is known of its use by now."""
        with self._database.transaction() as db:
            db.execute(SQL["set_feedback"], (memory_id, said_by, int(useful), now))
            return self._renew(memory_id)

    def _renew(self, memory_id: str) -> Evidence:
        evidence = self.evidence(memory_id)
        db = self._database.connection
        if evidence.value:
            db.execute(SQL["set_usefulness"], (memory_id, evidence.value))
        else:
            db.execute(SQL["delete_usefulness"], (memory_id,))
        return evidence

    def evidence(self, memory_id: str) -> Evidence:
        """What is known of a memory's use."""
        return Evidence(*self._rows("evidence_of", {"id": memory_id})[0])

    def usefulness(self, ids: Iterable[str]) -> dict[str, float]:
        """How useful memories proved to be, for those that anything is known of."""
        return dict(self._rows("usefulness_of", (json.dumps(list(ids)),)))

    def all_usefulness(self, most: int) -> dict[str, float] | None:
        rows = self._rows("all_usefulness", (most + 1,))
        return dict(rows) if len(rows) <= most else None

    def find(self, sought: OffersSought) -> list[OfferRow]:
        """Offers, newest first."""
        return [_offer(row) for row in self._rows("find_offers", sought._asdict())]

    def figures(self) -> list[KindFigures]:
        """What came of offers, by kind."""
        return [KindFigures(*row) for row in self._rows("count_offers")]

    def silence(self, before: float) -> None:
        """Drop the words of older offers."""
        with self._database.transaction() as db:
            db.execute(SQL["silence_offers"], (before,))


def _offer(row: tuple[Any, ...]) -> OfferRow:
    known = [None if value is None else bool(value) for value in row[10:]]
    return OfferRow._make([*row[:10], *known])
