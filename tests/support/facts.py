"""Builders for facts, rules and events with default values."""

from __future__ import annotations

from typing import Any

import msgspec

from rum.model.layers import Event, Fact, Rule
from rum.store.base import Store
from support.builders import NOON, make_agent

MILLISECONDS = NOON * 1000  # Noon in milliseconds, as in layer files


def make_fact(key: str, value: str = "CSV", **more: Any) -> Fact:
    return msgspec.convert(
        {"key": key, "value": value, "agent_id": "agent_ann", "created_at": NOON, **more}, Fact
    )


def make_rule(
    rule_id: str, condition: str = "auth|login", action: str = "Run the tests", **more: Any
) -> Rule:
    said = {"id": rule_id, "condition": condition, "action": action}
    return msgspec.convert({**said, "agent_id": "agent_ann", "created_at": NOON, **more}, Rule)


def make_event(event_id: str, content: str = "It happened", **more: Any) -> Event:
    said = {"id": event_id, "content": content, "timestamp": MILLISECONDS}
    who = {"agent_id": "agent_ann", "session_id": "session_1", "created_at": NOON}
    return msgspec.convert({**said, **who, **more}, Event)


def add_author(store: Store, agent_id: str = "agent_ann") -> None:
    if store.agents.get(agent_id) is None:
        store.agents.add(make_agent(agent_id))


def all_facts(store: Store) -> list[Fact]:
    return [fact for batch in store.facts.pages() for fact in batch]


def all_rules(store: Store) -> list[Rule]:
    return [rule for batch in store.rules.pages() for rule in batch]


def all_events(store: Store) -> list[Event]:
    return [event for batch in store.events.pages() for event in batch]
