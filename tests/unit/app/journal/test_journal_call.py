"""The call `journal`, as agents make it."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from rum import InvalidQuery, RateLimited, Rum
from support.projects import Shop


def call(rum: Rum, **arguments: Any) -> Any:
    return json.loads(json.dumps(msgspec.to_builtins(rum.call("journal", arguments))))


def test_it_adds_updates_and_shows(shop: Shop) -> None:
    rum = shop.open(agent="developer", session="s1")
    added = call(
        rum, action="add", kind="attempt", entry={"description": "Try", "kind": "odd"}, task="Export"
    )
    assert added == {
        "session": "s1",
        "agent": "developer",
        "path": ".rum/sessions/s1/developer/agent-memory.yaml",
        "id": "attempt-001",
    }
    call(rum, action="update", id="attempt-001", entry={"result": "failure", "output": "Timeout"})
    call(rum, action="context", entry={"currentPlanStep": 4})
    shown = call(rum, action="show")
    assert "- Try: Timeout" in shown["text"]
    assert "- Step: 4" in shown["text"]
    assert call(rum, action="show", id="attempt-001")["entry"]["kind"] == "odd"
    assert "**developer**: Last attempt (failure) - Try" in call(rum, action="arbiter")["text"]


def test_what_is_missing_is_named(shop: Shop) -> None:
    rum = shop.open(agent="developer", session="s1")
    for arguments, field in (
        ({"action": "add"}, "kind"),
        ({"action": "update"}, "id"),
        ({"action": "context"}, "entry"),
        ({"action": "burn"}, "action"),
        ({"action": "add", "kind": "dream"}, "kind"),
        ({"action": "show", "of": "x"}, "of"),
    ):
        with pytest.raises(InvalidQuery) as raised:
            rum.call("journal", arguments)
        assert raised.value.details["field"] == field


def test_where_nothing_is_noted_yet_the_latest_session_is_named(shop: Shop) -> None:
    shop.open(session="yesterday", agent="developer").journal().attempt("x")
    shown = call(shop.open(session="today", agent="developer"), action="show")
    assert shown["text"] == ""
    assert "`yesterday`" in shown["hint"]


def test_one_call_is_counted_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RUM_RATE_LIMIT", "2")
    rum = shop.open(agent="developer", session="s1")
    for _ in range(2):
        call(rum, action="add", kind="attempt", entry={"description": "x"})
    with pytest.raises(RateLimited):
        call(rum, action="show")
