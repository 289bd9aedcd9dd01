"""Calls by name with plain arguments, and how often they may come."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import rum
from rum import InvalidQuery, RateLimited, Rum
from rum.app.calls import CALLS, PYTHON, load
from rum.app.memories.forget import KINDS
from rum.model.answers import RecallResult
from support.builders import make_draft
from support.projects import Shop, edited, keep


def test_an_unknown_call_gets_the_nearest_one(rum: Rum) -> None:
    with pytest.raises(InvalidQuery, match="Did you mean `recall`") as caught:
        rum.call("recal", {})
    assert caught.value.details["nearest"] == "recall"
    assert "store" in str(caught.value.details["allowed"])


def test_everything_in_the_tables_can_be_loaded() -> None:
    places = [place for one in CALLS.values() for place in (one.use_case, one.request) if place]
    assert all(callable(load(place)) for place in [*places, *PYTHON.values()])


def test_everything_that_the_code_loads_by_name_exists() -> None:
    package = Path(rum.__file__).parent
    sources = [path.read_text(encoding="utf-8") for path in package.rglob("*.py")]
    places = {place for text in sources for place in re.findall(r'\bload\(\s*"([\w.]+:\w+)"', text)}
    assert len(places) > 3
    assert all(load(place) is not None for place in [*places, *KINDS.values()])


def test_a_field_that_a_setting_decides_is_one_of_the_request() -> None:
    for one in CALLS.values():
        assert not one.settings or set(one.settings) <= set(load(one.request or "").__struct_fields__)


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("recall", {"query": "login", "depth": None, "limit": None, "tags": None, "success_only": None}),
        ("recall", {"query": "login", "file": None, "since": None, "strategy": None, "include_links": None}),
        ("list", {"sort": None, "limit": None, "since": None, "session_id": None}),
        ("identity", {"action": "info", "type": None, "parent_id": None, "name": None, "agent_id": None}),
    ],
)
def test_null_says_no_more_than_leaving_a_field_out(rum: Rum, name: str, question: dict[str, Any]) -> None:
    keep(rum)
    said = {field: value for field, value in question.items() if value is not None}
    assert rum.call(name, question) == rum.call(name, said)


@pytest.mark.parametrize("name", ["recall", "trace", "list", "link", "identity", "forget", "store"])
def test_null_for_what_does_not_exist_is_refused(rum: Rum, name: str) -> None:
    with pytest.raises(InvalidQuery, match="there is no field `nonsense`"):
        rum.call(name, {"nonsense": None})


def test_what_json_cannot_say_is_refused(rum: Rum) -> None:
    with pytest.raises(InvalidQuery, match="JSON"):
        rum.recall(tags=object())


@pytest.mark.parametrize("depth", [10, 300, 2_000, 100_000])
def test_what_is_nested_too_deeply_is_refused(rum: Rum, depth: int) -> None:
    nested: Any = "goal"
    for _ in range(depth):
        nested = [nested]
    for name, given in (("store", make_draft() | {"intent": {"goal": nested}}), ("recall", {"tags": nested})):
        with pytest.raises(InvalidQuery):
            rum.call(name, given)


def test_a_path_may_be_a_path_object(rum: Rum) -> None:
    kept = keep(rum, actions=edited("src/a.py"))
    assert rum.recall(file=Path("src") / "a.py").memories[0].id == kept
    assert rum.recall(file=[Path("src"), "b.py"]).memories[0].id == kept


def test_settings_are_the_defaults_of_a_recall(shop: Shop) -> None:
    shop.home.mkdir(mode=0o700)
    (shop.home / "config.toml").write_text('recall_depth = "outcome"\nrecall_limit = 2\nmin_confidence = 1\n')
    rum = shop.open()
    for number in range(3):
        keep(rum, f"Fix the login {number}", tags=["x"])
    plain = rum.recall(tags=["x"])
    assert (len(plain.memories), bool(plain.memories[0].agent_id)) == (2, True)
    asked = rum.recall(tags=["x"], limit=3, depth="summary")
    assert (len(asked.memories), bool(asked.memories[0].agent_id)) == (3, False)
    assert rum.recall(query="login").memories == []
    assert len(rum.recall(query="login", min_confidence=0).memories) == 2


class TestRate:
    @pytest.fixture
    def limited(self, shop: Shop) -> Rum:
        shop.home.mkdir(mode=0o700)
        (shop.home / "config.toml").write_text("rate_limit = 3\n")
        return shop.open()

    def test_calls_over_the_rate_are_refused_with_when_to_come_again(self, limited: Rum) -> None:
        for _ in range(3):
            limited.list()
        for _ in range(2):
            with pytest.raises(RateLimited) as caught:
                limited.store(**make_draft())
            assert caught.value.code == "RATE_LIMITED"
            assert 0 < caught.value.details["retry_after"] <= 60  # type: ignore[operator]

    def test_looking_after_the_memory_is_no_call(self, limited: Rum) -> None:
        for _ in range(3):
            limited.idle()
            limited.tidy(0)
            assert (limited.pending, limited.doctor().healthy, limited.reindex()) == (0, True, 0)
        for _ in range(3):
            limited.list()
        with pytest.raises(RateLimited):
            limited.list()
        limited.tidy(0)

    def test_without_a_limit_any_number_may_come(self, rum: Rum) -> None:
        keep(rum)
        answers = [rum.recall(query="login") for _ in range(700)]
        assert all(isinstance(answer, RecallResult) for answer in answers)

    def test_each_process_has_its_own_count(self, limited: Rum, shop: Shop) -> None:
        for _ in range(3):
            limited.list()
        assert shop.open().list().total == 0
