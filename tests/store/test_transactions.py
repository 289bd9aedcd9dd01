"""Several changes count as one, for those who make them and for those who look on."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.model.memory import Edge, LinkType
from rum.store.base import Store
from rum.store.filters import Filters
from rum.store.records import Revision
from support.builders import NOON, add_memory, make_agent, make_file, make_memory
from support.facts import all_facts, all_rules, make_fact, make_rule
from support.finding import holders, known_paths


class Interrupted(BaseException):
    """Stands for whatever may end a call in the middle."""


def change_everything(store: Store) -> None:
    store.agents.add(make_agent("agent_bob"))
    add_memory(store, "mem_new", "Fresh words", agent_id="agent_bob", tags=["t"], files=[make_file("n.py")])
    store.links.add(Edge.of("mem_new", "mem_old", LinkType.SUPERSEDES), NOON)
    store.history.add("memory", "mem_old", Revision(1, NOON, "owner", ("{}",)))
    store.memories.replace(make_memory("mem_old", "Other words", files=[make_file("o2.py")]))
    store.memories.add_tombstones(["aa"], "memory", NOON)
    store.memories.delete("mem_gone")
    store.facts.put(make_fact("format", agent_id="agent_bob"))
    store.history.add("fact", "format", Revision(1, NOON, "owner", ("before",)))
    store.rules.put(make_rule("rule_new", agent_id="agent_bob"))


def fail_in_the_middle(store: Store, error: type[BaseException]) -> None:
    with store.transaction():
        change_everything(store)
        raise error("in the middle")


def fail_in_an_inner_change(store: Store) -> None:
    with store.transaction():
        change_everything(store)
        with store.transaction():
            store.memories.add(make_memory("mem_x", agent_id="agent_unknown"))


def everything(store: Store) -> dict[str, object]:
    names = [memory.id for batch in store.memories.pages() for memory in batch]
    return {
        "memories": store.memories.get(names),
        "agents": store.agents.all(),
        "links": store.links.of(),
        "versions": [store.history.of("memory", [name])[name] for name in names],
        "tombstones": store.memories.tombstones(["aa"]),
        "texts": store.search.texts(names),
        "words": [holders(store, word, 9) for word in ("fresh", "other", "login", "gone")],
        "paths": sorted(known_paths(store, "")),
        "tags": [tag for tag, _ in store.search.tag_counts(9)],
        "found": store.search.by_filters(Filters(), 9),
        "facts": (all_facts(store), store.history.of("fact", ["format"])["format"]),
        "rules": all_rules(store),
    }


@pytest.fixture
def before(store: Store) -> dict[str, object]:
    add_memory(store, "mem_old", files=[make_file("o.py")])
    add_memory(store, "mem_gone", "Soon gone")
    return everything(store)


@pytest.mark.parametrize("error", [ValueError, NotFound, KeyboardInterrupt, Interrupted])
def test_what_fails_in_the_middle_changes_nothing(store: Store, before: object, error: type[BaseException]):
    with pytest.raises(error):
        fail_in_the_middle(store, error)
    assert everything(store) == before
    assert store.upkeep.problems() == []


def test_after_a_failure_the_next_change_works(store: Store, before: object):
    with pytest.raises(Interrupted):
        fail_in_the_middle(store, Interrupted)
    change_everything(store)
    assert everything(store) != before
    assert store.upkeep.problems() == []


def test_a_failure_inside_an_inner_change_undoes_the_outer(store: Store, before: object):
    with pytest.raises(StorageError):
        fail_in_an_inner_change(store)
    assert everything(store) == before


def test_others_see_all_of_it_once_it_is_done(store: Store, other: Store, before: object):
    with store.transaction():
        change_everything(store)
        assert everything(other) == before
    assert everything(other) == everything(store) != before


def test_a_second_writer_waits_for_the_first(store: Store, other: Store):
    add_memory(store, "mem_0")
    done = threading.Event()

    def write() -> None:
        add_memory(other, "mem_second")
        done.set()

    with store.transaction():
        add_memory(store, "mem_first")
        writer = threading.Thread(target=write)
        writer.start()
        assert not done.wait(0.5)
    writer.join(10)
    assert done.is_set()
    assert store.memories.count() == 3


def test_errors_come_out_in_plain_words(store: Store):
    add_memory(store, "mem_a")
    with pytest.raises(StorageError) as caught, store.errors():
        store.memories.add(make_memory("mem_a"))
    assert caught.value.code == "STORAGE_ERROR"
    assert caught.value.message


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied"), FileNotFoundError(2, "No such file")]
)
def test_trouble_with_files_is_a_storage_error(store: Store, error: OSError):
    with pytest.raises(StorageError, match=error.strerror), store.errors():
        raise error


def test_half_a_character_is_refused_in_plain_words(store: Store):
    with pytest.raises(InvalidQuery, match="half a character"), store.errors():
        add_memory(store, "mem_a", "half \ud83e of a brain")
    assert store.memories.count() == 0


def test_a_number_that_does_not_fit_is_refused_in_plain_words(store: Store):
    add_memory(store, "mem_a")
    with pytest.raises(InvalidQuery, match="too large"), store.errors():
        store.search.by_filters(Filters(since=10**30), 5)


def test_what_one_writes_another_sees(store: Store, other: Store):
    for number in range(3):
        add_memory(store, f"mem_{number}")
        other.refresh()
        assert other.memories.count() == number + 1


def test_a_store_opened_later_has_everything(store: Store, before: object, open_store: Callable[[], Store]):
    change_everything(store)
    kept = everything(store)
    store.close()
    assert everything(open_store()) == kept
