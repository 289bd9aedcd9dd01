"""Both indexes stay consistent in any order of archiving, restoring, changing and forgetting."""

from __future__ import annotations

import tempfile
from contextlib import closing

from hypothesis import given, settings
from hypothesis import strategies as st

from rum.model.memory import Memory
from rum.store.filters import Filters
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, add_memory, make_memory
from support.finding import archived_holders, holders

WORDS = ("ant", "bee", "cow", "dog", "elk", "größe", "東京都")
IDS = tuple(f"mem_{number}" for number in range(5))

goals = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)
steps = st.one_of(
    st.tuples(st.just("store"), st.sampled_from(IDS), goals),
    st.tuples(
        st.sampled_from(("archive", "bring back", "forget", "reindex")), st.sampled_from(IDS), st.just("")
    ),
)


class Model:
    """The expected state: every memory, and which of them are archived."""

    def __init__(self, store: SqliteStore) -> None:
        self.store = store
        self.kept: dict[str, Memory] = {}
        self.archived: set[str] = set()

    def do(self, step: str, one: str, goal: str) -> None:
        if step == "store":
            self._store(one, goal)
        elif step == "archive":
            assert self.store.archive.put([one], NOON) == (one in self.kept.keys() - self.archived)
            self.archived |= {one} & self.kept.keys()
        elif step == "bring back":
            assert self.store.archive.take_back([one]) == (one in self.archived)
            self.archived -= {one}
        elif step == "forget" and one in self.kept:
            self.store.memories.delete(one)
            del self.kept[one]
            self.archived -= {one}
        elif step == "reindex":
            self.store.upkeep.reindex(lambda _: None, lambda _: None)

    def _store(self, one: str, goal: str) -> None:
        if one in self.kept:
            self.kept[one] = make_memory(one, goal, version=self.kept[one].version + 1)
            self.store.memories.replace(self.kept[one])
            self.archived -= {one}
        else:
            self.kept[one] = add_memory(self.store, one, goal)

    def holders(self, term: str) -> tuple[set[str], set[str]]:
        """The live and the archived memories that contain a term."""
        rows = self.store.search.by_filters(Filters(superseded=True), 99)[0]
        names = {row[4]: row[0] for row in rows}
        live, packed = holders(self.store, term, 99), archived_holders(self.store, term, 99)
        return {names[one] for one in live}, {names[one] for one in packed}


@settings(max_examples=40)
@given(st.lists(steps, max_size=25))
def test_live_and_archived_indexes_stay_consistent(done: list[tuple[str, str, str]]):
    with tempfile.TemporaryDirectory() as folder, closing(SqliteStore(folder)) as store:
        model = Model(store)
        for step in done:
            model.do(*step)
        assert {memory.id: memory for memory in store.memories.get(IDS)} == model.kept
        assert store.memories.count(archived=True) == len(model.archived)
        texts = store.search.texts(model.kept)
        for term in {term for fields in texts.values() for field in fields for term in field.split()}:
            held = {one for one, fields in texts.items() if term in " ".join(fields).split()}
            assert model.holders(term) == (held - model.archived, held & model.archived)
        assert store.upkeep.problems() == []
