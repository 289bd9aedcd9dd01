"""The text index of chapters and wisdom, ranked as FTS5 does it."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from rum.store.tables.chapters import GroupIndex, Ranked

# FTS5's formula for BM25, and the weights of title, text and tags.
_K1, _B = 1.2, 0.75
_LEAST = 1e-6  # The weight of a term that most rows have
_WEIGHTS = {"title": 3.0, "said": 1.0, "tags": 3.0}


class PostgresGroupIndex(GroupIndex):
    """Finds chapters and wisdom by terms; there are few, so those with any of the terms are read."""

    def _ranked(self, wanted: Sequence[str], limit: int) -> Ranked:
        rows = self._db.rows("knowledge_with_terms", (self._db.array(wanted),))
        [(total, terms)] = self._db.rows("knowledge_size")
        fields = {row["number"]: {name: row[name].split() for name in _WEIGHTS} for row in rows}
        held = {number: {term for words in own.values() for term in words} for number, own in fields.items()}
        counts = {term: sum(term in own for own in held.values()) for term in wanted}
        rarity = {term: log((total - count + 0.5) / (count + 0.5)) for term, count in counts.items()}
        mean = terms / total if total else 1.0
        scores: dict[int, float] = {}
        for row in rows:
            number, size = row["number"], row["size"] / mean
            scores[number] = 0.0
            for term in wanted:
                times = sum(weight * fields[number][name].count(term) for name, weight in _WEIGHTS.items())
                share = times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * size))
                scores[number] += max(rarity[term], _LEAST) * share if times else 0.0
        best = sorted(scores, key=lambda number: (-scores[number], -number))[:limit]
        titles = {number: {*fields[number]["title"], *fields[number]["tags"]} for number in best}
        return Ranked(
            {number: held[number].intersection(wanted) for number in best},
            {number: titles[number].intersection(wanted) for number in best},
            counts,
        )
