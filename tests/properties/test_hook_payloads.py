"""Any payload of a client becomes an event that can be written, or none."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from rum.capture.clients.detect import CLIENTS, event_of
from rum.capture.events.cleaning import clean
from rum.capture.events.event import from_line, to_line
from rum.capture.events.ignored_paths import Ignored
from rum.redact.redactor import Redactor
from rum.surfaces.hooks.handle import parse_payload
from support.hooks import samples

REDACTOR = Redactor()
IGNORED = Ignored("/project", "*.env\nsecret/")
NAMES = sorted(
    {name for client in CLIENTS for payload in samples(client) for name in payload}
    | {"sessionId", "hookEventName", "conversation_id", "workspace_roots", "generation_id", "cursor_version"}
)
INNER = sorted(
    {
        name
        for client in CLIENTS
        for payload in samples(client)
        for part in ("tool_input", "tool_response")
        if isinstance(payload.get(part), dict)
        for name in payload[part]
    }
)
EVENTS = sorted({payload["hook_event_name"] for client in CLIENTS for payload in samples(client)})
TOOLS = sorted({p["tool_name"] for client in CLIENTS for p in samples(client) if "tool_name" in p})

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=50)
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(INNER), inner, max_size=4),
)
payloads = st.builds(
    lambda known, more: more | known,
    st.fixed_dictionaries(
        {"hook_event_name": st.sampled_from(EVENTS), "session_id": st.text(max_size=20) | plain},
        optional={
            "tool_name": st.sampled_from(TOOLS) | values,
            "tool_use_id": st.text(max_size=20) | values,
            "tool_input": values,
            "tool_response": values,
        },
    ),
    st.dictionaries(st.sampled_from(NAMES), values, max_size=8),
)


@settings(max_examples=400)
@given(payloads, st.sampled_from([*CLIENTS, "nobody"]), st.floats(0, 4e9))
def test_any_payload_becomes_one_line_or_none(payload: dict[str, Any], client: str, at: float):
    event = event_of(payload, client, at)
    if event is not None:
        line = to_line(clean(event, REDACTOR, IGNORED))
        assert line.count(b"\n") == 1
        assert from_line(line) is not None


@given(st.binary(max_size=200) | payloads.map(lambda payload: json.dumps(payload).encode()))
def test_any_bytes_are_an_object_or_none(raw: bytes):
    assert parse_payload(raw) is None or isinstance(parse_payload(raw), dict)
