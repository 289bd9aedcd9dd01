"""Compaction by a language model that answers well, badly, slowly or with a secret; and without one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rum import Rum
from support.language_models import STUCK, ModelServer, Trouble
from support.projects import Shop, open_shop

ENTRIES = (
    "Scanned src/auth.py for tokens",
    "The login of src/auth.py fails at night",
    "Decided to retry twice",
)
A_LINE_EACH = "\n".join(["[Summary of 3 entries]", *(f"- {entry}" for entry in ENTRIES)])
GOOD = ("src/auth.py was scanned", "Its login fails at night: retry twice")
KEY = "sk-ant-api03-" + "A1b2C3d4E5" * 9 + "-xyzAA"


@pytest.fixture
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    with open_shop(tmp_path_factory.mktemp("shop")) as opened:
        yield opened


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer().serving() as server:
        yield server


def compacted(shop: Shop, monkeypatch: pytest.MonkeyPatch, **settings: str) -> tuple[str, Rum]:
    """The summary of three entries, and the agent that compacted them."""
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    rum = shop.open()
    for entry in ENTRIES:
        rum.layers.append("episodic", {"content": entry})
    assert rum.layers.compact("episodic", keep_last=0) == 3
    [summary] = rum.layers.get_episodic_memory()
    return summary.content, rum


def spent(rum: Rum) -> tuple[int, int, int]:
    """Requests, tokens read and tokens written, of all days together."""
    days = [one for projects in rum.tokens().days.values() for one in projects.values()]
    return (
        sum(one.requests for one in days),
        sum(one.read for one in days),
        sum(one.written for one in days),
    )


def test_without_a_model_each_entry_becomes_a_line_and_no_tokens_are_used(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
):
    said, rum = compacted(shop, monkeypatch)
    assert said == A_LINE_EACH
    assert spent(rum) == (0, 0, 0)


def test_a_good_answer_is_stored_and_its_tokens_are_counted(
    shop: Shop, server: ModelServer, monkeypatch: pytest.MonkeyPatch
):
    server.script = [{"lines": list(GOOD)}]
    said, rum = compacted(shop, monkeypatch, **server.settings())
    assert said == "\n".join(["[Summary of 3 entries]", *(f"- {line}" for line in GOOD)])
    assert spent(rum) == (1, 100, 10)


def test_a_corrected_answer_costs_two_requests(
    shop: Shop, server: ModelServer, monkeypatch: pytest.MonkeyPatch
):
    server.script = ["I think that the entries are nice.", {"lines": list(GOOD)}]
    said, rum = compacted(shop, monkeypatch, **server.settings())
    assert GOOD[0] in said
    assert spent(rum) == (2, 200, 20)


def test_of_a_mixed_answer_only_supported_lines_are_kept(
    shop: Shop, server: ModelServer, monkeypatch: pytest.MonkeyPatch
):
    invented = "The payment of 700 invoices was moved to another database"
    server.script = [{"lines": [*GOOD, invented]}]
    said, _ = compacted(shop, monkeypatch, **server.settings())
    assert said == "\n".join(["[Summary of 3 entries]", *(f"- {line}" for line in GOOD)])


@pytest.mark.parametrize(
    ("answer", "questions"),
    [
        ({"lines": ["All is well with the world", "Buy more cheese and wine"]}, 1),
        ({"lines": ["The login of src/auth.py fails 9000 times"]}, 1),
        ({"lines": []}, 2),
        ({"summary": "no lines"}, 2),
        ("{{{{", 2),
        ({"lines": [f"The login of src/auth.py needs {KEY}"]}, 1),
    ],
    ids=["nonsense", "a number that nobody said", "nothing", "other fields", "no JSON", "a secret"],
)
def test_a_bad_answer_is_counted_and_discarded(
    shop: Shop, server: ModelServer, monkeypatch: pytest.MonkeyPatch, answer: object, questions: int
):
    server.script = [answer]
    said, rum = compacted(shop, monkeypatch, **server.settings())
    assert said == A_LINE_EACH
    assert spent(rum) == (questions, 100 * questions, 10 * questions)
    files = [path.read_bytes() for path in shop.home.rglob("*") if path.is_file()]
    assert not any(KEY.encode() in data for data in files)


@pytest.mark.parametrize("answer", [STUCK, Trouble(400), Trouble(500)], ids=["too slow", "refused", "broken"])
def test_without_an_answer_each_entry_becomes_a_line(
    shop: Shop, server: ModelServer, monkeypatch: pytest.MonkeyPatch, answer: object
):
    server.script = [answer]
    said, rum = compacted(shop, monkeypatch, **server.settings(llm_timeout=0.3))
    assert said == A_LINE_EACH
    # A server that never answers may have spent all that it was allowed to; one that refuses spent nothing.
    assert (spent(rum)[2] > 0) == (answer is STUCK)


def test_above_the_daily_token_limit_the_model_is_not_asked(
    shop: Shop, server: ModelServer, monkeypatch: pytest.MonkeyPatch
):
    said, rum = compacted(shop, monkeypatch, **server.settings(llm_daily_tokens=10))
    assert said == A_LINE_EACH
    assert server.requests == []
    assert spent(rum) == (0, 0, 0)
