"""Agents are found by id, end of an id or name, with their statistics."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from rum.app.caller import is_ancestor
from rum.model.errors import StorageError
from rum.store.base import AgentFigures, Store
from support.builders import NOON, add_memory, make_agent, make_outcome


def test_an_agent_reads_back_as_it_was_written(store: Store):
    parent = make_agent("agent_parent")
    agent = make_agent(
        "agent_child",
        type="subagent",
        parent_id="agent_parent",
        name="developer",
        client="claude-code",
        created_at=NOON + 1,
        last_active=NOON + 2,
        imported_at=NOON + 3,
        metadata={"model": "x", "depth": [1, {"a": None}], "say": "naïve 記憶"},
    )
    store.agents.add(parent)
    store.agents.add(agent)
    assert store.agents.get("agent_child") == agent
    assert store.agents.get("agent_unknown") is None
    assert store.agents.all() == [parent, agent]


def test_agents_come_oldest_first(store: Store):
    for name, at in (("agent_b", NOON), ("agent_c", NOON - 5), ("agent_a", NOON)):
        store.agents.add(make_agent(name, created_at=at))
    assert [agent.id for agent in store.agents.all()] == ["agent_c", "agent_a", "agent_b"]


def test_an_id_a_name_or_a_tail_names_an_agent(store: Store):
    store.agents.add(make_agent("agent_01jabcdefgh", name="developer"))
    store.agents.add(make_agent("agent_02jabcdefgh"))
    assert store.agents.find_ids("agent_01jabcdefgh") == ["agent_01jabcdefgh"]
    assert store.agents.find_ids("developer") == ["agent_01jabcdefgh"]
    assert store.agents.find_ids("agent_1jabcdefgh") == ["agent_01jabcdefgh"]
    assert sorted(store.agents.find_ids("jabcdefgh")) == ["agent_01jabcdefgh", "agent_02jabcdefgh"]
    assert store.agents.find_ids("abcdefg") == []
    assert store.agents.find_ids("%" * 8) == []
    assert store.agents.find_ids("x" * 100_000) == []


@pytest.mark.parametrize("name", ["O'Brien; --", "100%", "a_b", "開発者", "dev eloper", "*"])
def test_a_name_is_taken_literally(store: Store, name: str):
    store.agents.add(make_agent("agent_01jabcdefgh", name=name))
    store.agents.add(make_agent("agent_02jabcdefgh", name="other"))
    assert store.agents.find_ids(name) == ["agent_01jabcdefgh"]


def test_a_name_belongs_to_one_agent_and_no_name_to_many(store: Store):
    store.agents.add(make_agent("agent_a", name="developer"))
    with pytest.raises(StorageError):
        store.agents.add(make_agent("agent_b", name="developer"))
    store.agents.add(make_agent("agent_c"))
    store.agents.add(make_agent("agent_d"))
    assert [agent.id for agent in store.agents.all()] == ["agent_a", "agent_c", "agent_d"]


def test_a_subagent_needs_a_parent_that_exists(store: Store):
    with pytest.raises(StorageError):
        store.agents.add(make_agent("agent_child", type="subagent", parent_id="agent_unknown"))
    assert store.agents.all() == []


def test_the_last_main_agent_of_a_client_is_the_one_active_last(store: Store):
    store.agents.add(make_agent("agent_old", last_active=NOON))
    store.agents.add(make_agent("agent_new", last_active=NOON + 1))
    store.agents.add(make_agent("agent_elsewhere", client="other", last_active=NOON + 9))
    store.agents.add(make_agent("agent_imported", imported_at=NOON, last_active=NOON + 9))
    store.agents.add(make_agent("agent_sub", type="subagent", parent_id="agent_old", last_active=NOON + 9))
    store.agents.add(make_agent("agent_nameless", client=None))
    last = store.agents.last_main("test")
    assert last == make_agent("agent_new", last_active=NOON + 1)
    assert store.agents.last_main("unknown") is None
    assert store.agents.last_main(None) == make_agent("agent_nameless", client=None)


def test_being_active_never_goes_back_in_time(store: Store):
    agent = make_agent("agent_a")
    store.agents.add(agent)
    assert store.agents.update("agent_a", last_active=NOON + 60)
    assert store.agents.update("agent_a", last_active=NOON + 10)
    assert not store.agents.update("agent_unknown", last_active=NOON)
    assert store.agents.get("agent_a") == replace(agent, last_active=NOON + 60)


def test_figures_count_memories_successes_sessions_and_children(store: Store):
    store.agents.add(make_agent("agent_ann"))
    for name, at in (("agent_z", NOON), ("agent_y", NOON + 1)):
        store.agents.add(make_agent(name, type="subagent", parent_id="agent_ann", created_at=at))
    assert store.agents.figures(["agent_ann"])["agent_ann"] == AgentFigures(0, 0, 0, ["agent_z", "agent_y"])
    for number, (session, success) in enumerate([("s1", True), ("s1", False), ("s2", True)]):
        add_memory(store, f"mem_{number}", session_id=session, outcome=make_outcome(success=success))
    add_memory(store, "mem_other", agent_id="agent_z")
    assert store.agents.figures(["agent_ann"])["agent_ann"] == AgentFigures(3, 2, 2, ["agent_z", "agent_y"])


def test_ancestors_are_known_over_generations(store: Store):
    store.agents.add(make_agent("agent_1"))
    for number in (2, 3, 4):
        parent = f"agent_{number - 1}"
        store.agents.add(make_agent(f"agent_{number}", type="subagent", parent_id=parent))
    store.agents.add(make_agent("agent_other"))
    assert is_ancestor(store.agents, "agent_1", "agent_4")
    assert is_ancestor(store.agents, "agent_3", "agent_4")
    assert not is_ancestor(store.agents, "agent_4", "agent_1")
    assert not is_ancestor(store.agents, "agent_1", "agent_1")
    assert not is_ancestor(store.agents, "agent_other", "agent_4")
    assert not is_ancestor(store.agents, "agent_unknown", "agent_4")
