"""A language model over real HTTP: a valid answer, a second try, or an error."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.llm.base import CannotComplete, LimitReached, NoValidAnswer
from rum.llm.client import InvalidAnswer, ModelClient, Provider, json_schema, parse_answer, wire_format_for
from rum.llm.meter import Meter, TokenUsage
from support.builders import HandClock
from support.language_models import KINDS, RAW, STUCK, ModelServer, Trouble
from support.secrets import redact_tree

KEY = "key-1234567890-very-secret"
TOKEN = "ghp_" + "a1B2" * 9


class Colour(msgspec.Struct):
    name: str
    shade: int


class Palette(msgspec.Struct):
    colours: list[Colour]
    best: Colour


GOOD = {"name": "red", "shade": 3}


class Scene:
    """A model behind a real server, with a meter of its own; it notes pauses instead of making them."""

    def __init__(self, server: ModelServer, home: Path) -> None:
        self.server = server
        self.clock = HandClock()
        self.home = home
        self.pauses: list[float] = []

    def meter(self, limit: int = 100_000) -> Meter:
        return Meter(str(self.home), "shop", limit, self.clock)

    def model(self, kind: str = "openai", *, limit: int = 100_000, timeout: float = 10) -> ModelClient:
        provider = Provider(
            wire_format_for(kind, self.server.url),
            "some-model",
            self.meter(limit),
            key=KEY,
            pause=self.pauses.append,
        )
        return ModelClient(provider, clean=redact_tree, timeout=timeout)

    @property
    def spent(self) -> TokenUsage:
        return next(iter(self.meter().days().values()))["shop"]


@pytest.fixture
def scene(server: ModelServer, tmp_path: Path) -> Scene:
    return Scene(server, tmp_path / "home")


def failure(model: ModelClient, kind: type[Exception] = CannotComplete) -> str:
    with pytest.raises(kind) as caught:
        model.complete("Which colour?", Colour)
    assert KEY not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_a_valid_answer_is_returned(scene: Scene, kind: str):
    scene.server.script = [GOOD]
    assert scene.model(kind).complete("Which colour?", Colour) == Colour("red", 3)
    assert len(scene.server.requests) == 1
    assert "Which colour?" in scene.server.requests[0].said[0]


@pytest.mark.parametrize("kind", KINDS)
def test_each_api_gets_its_key_its_path_and_its_limit_of_tokens(scene: Scene, kind: str):
    scene.server.script = [GOOD]
    scene.model(kind).complete("Which colour?", Colour)
    request = scene.server.requests[0]
    assert request.body["model"] == "some-model"
    if kind == "openai":
        assert request.path == "/v1/chat/completions"
        assert request.headers["authorization"] == f"Bearer {KEY}"
        assert request.body["max_tokens"] == 2000
    elif kind == "anthropic":
        assert request.path == "/v1/messages"
        assert request.headers["x-api-key"] == KEY
        assert request.headers["anthropic-version"] == "2023-06-01"
        assert request.body["max_tokens"] == 2000
    else:
        assert request.path == "/api/chat"
        assert request.body["options"]["num_predict"] == 2000
        assert request.body["format"]["required"] == ["name", "shade"]
        assert request.body["stream"] is False


def test_the_schema_in_the_prompt_has_no_references(scene: Scene):
    scene.server.script = [{"colours": [GOOD], "best": GOOD}]
    assert scene.model("ollama").complete("?", Palette).best == Colour("red", 3)
    request = scene.server.requests[0]
    assert "$ref" not in json.dumps(request.body["format"])
    assert '"shade"' in request.said[0]


@pytest.mark.parametrize(
    "said",
    [
        f"```json\n{json.dumps(GOOD)}\n```",
        f"Here it is:\n{json.dumps(GOOD)}\nAnything else?",
        f"<think>red {{or}} blue?</think>{json.dumps(GOOD)}",
        json.dumps({**GOOD, "more": "than was asked for"}),
    ],
)
def test_text_around_an_answer_is_ignored(scene: Scene, said: str):
    scene.server.script = [said]
    assert scene.model().complete("Which colour?", Colour) == Colour("red", 3)
    assert len(scene.server.requests) == 1


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ("I'd say red.", "no JSON object"),
        ('{"name": "red", "shade": ', "no JSON object"),
        ('{"name": red}', "not one JSON object"),
        ({"name": "red"}, "`shade` is required"),
        ({"name": "red", "shade": "dark"}, "`shade`"),
        ("", "no JSON object"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_after_an_invalid_answer_the_model_gets_a_second_try(
    scene: Scene, kind: str, bad: Any, complaint: str
):
    scene.server.script = [bad, GOOD]
    assert scene.model(kind).complete("Which colour?", Colour) == Colour("red", 3)
    first, second = scene.server.requests
    assert second.said[0] == first.said[0]
    assert second.said[1]
    assert complaint in second.said[2]


def test_two_invalid_answers_are_an_error(scene: Scene):
    scene.server.script = ["red", "blue", GOOD]
    assert "two invalid answers" in failure(scene.model(), NoValidAnswer)
    assert len(scene.server.requests) == 2


def test_an_endless_answer_is_invalid(scene: Scene):
    scene.server.script = ['{"name": "' + "x" * 300_000 + '", "shade": 1}']
    assert "longer than" in failure(scene.model(), NoValidAnswer)


def test_an_endlessly_nested_answer_is_invalid(scene: Scene):
    scene.server.script = ['{"a":' * 50_000 + "1" + "}" * 50_000]
    failure(scene.model(), NoValidAnswer)


def test_no_request_contains_a_secret(scene: Scene):
    scene.server.script = [f"The token {TOKEN} is red", {"name": f"use {TOKEN}", "shade": 1}]
    answer = scene.model().complete(f"The token is {TOKEN}", Colour)
    assert answer.name == "use [REDACTED:github-token]"
    sent = json.dumps([request.body for request in scene.server.requests])
    assert TOKEN not in sent
    assert len(scene.server.requests) == 2


@pytest.mark.parametrize("kind", KINDS)
def test_a_busy_server_is_asked_again(scene: Scene, kind: str):
    scene.server.script = [Trouble(429), Trouble(503), GOOD]
    assert scene.model(kind).complete("?", Colour) == Colour("red", 3)
    assert scene.pauses == [0.5, 2.0]


def test_retry_after_is_respected(scene: Scene):
    scene.server.script = [Trouble(429, headers=[("Retry-After", "4")]), GOOD]
    assert scene.model().complete("?", Colour) == Colour("red", 3)
    assert scene.pauses == [4.0]


def test_a_retry_after_the_deadline_is_not_attempted(scene: Scene):
    scene.server.script = [Trouble(429, headers=[("Retry-After", "3600")]), GOOD]
    assert "status 429" in failure(scene.model())
    assert scene.pauses == []


def test_a_busy_server_gets_at_most_three_requests(scene: Scene):
    scene.server.script = [Trouble(500)]
    assert "status 500" in failure(scene.model())
    assert len(scene.server.requests) == 3


@pytest.mark.parametrize("status", [400, 401, 403, 404])
def test_a_refusal_is_not_retried(scene: Scene, status: int):
    scene.server.script = [Trouble(status, f"wrong key {KEY}"), GOOD]
    assert f"status {status}" in failure(scene.model())
    assert len(scene.server.requests) == 1


def test_a_redirect_is_not_followed(scene: Scene):
    scene.server.script = [Trouble(307, headers=[("Location", f"{scene.server.url}/elsewhere")])]
    assert "status 307" in failure(scene.model())
    assert len(scene.server.requests) == 1


def test_a_silent_server_is_given_up(scene: Scene):
    scene.server.script = [STUCK]
    assert "did not answer within" in failure(scene.model(timeout=0.3))
    assert len(scene.server.requests) == 1


def test_an_unreachable_server_is_named(scene: Scene):
    scene.server.url = "http://127.0.0.1:9"
    message = failure(scene.model())
    assert "cannot be reached" in message
    assert "`llm_url`" in message


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", ["", "[]", "{}", "<html>", '{"choices": []}', "[" * 100_000, "null"])
def test_an_answer_in_another_format_is_an_error(scene: Scene, kind: str, body: str):
    scene.server.script = [RAW + body]
    assert "sent an invalid answer" in failure(scene.model(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_tokens_are_counted_as_the_server_reports(scene: Scene, kind: str):
    scene.server.script = ["nonsense", GOOD]
    scene.model(kind).complete("?", Colour)
    assert scene.spent == TokenUsage(requests=2, read=200, written=20)


def test_tokens_are_estimated_without_a_report(scene: Scene):
    scene.server.script, scene.server.usage = [GOOD], None
    scene.model().complete("Which colour is it?", Colour)
    assert scene.spent.read > 50
    assert 1 < scene.spent.written < 30


def test_a_refused_request_costs_no_tokens(scene: Scene):
    scene.server.script = [Trouble(401)]
    failure(scene.model())
    assert scene.spent == TokenUsage(requests=1)


def test_a_request_without_an_answer_keeps_its_reservation(scene: Scene):
    scene.server.script = [STUCK]
    failure(scene.model(timeout=0.3))
    assert scene.spent.written == 2000


def test_no_request_is_sent_above_the_daily_limit(scene: Scene):
    scene.server.script = [GOOD]
    scene.model(limit=3000).complete("?", Colour)
    assert "of 2200 tokens a day" in failure(scene.model(limit=2200), LimitReached).lower()
    assert len(scene.server.requests) == 1
    scene.clock.forward(86_400)
    scene.model(limit=2200).complete("?", Colour)
    assert len(scene.server.requests) == 2


def test_a_limit_of_zero_sends_no_request(scene: Scene):
    failure(scene.model(limit=0), LimitReached)
    assert scene.server.requests == []


def test_a_long_invalid_answer_is_shortened(scene: Scene):
    scene.server.script = [{"x" * 50_000: 1}, GOOD]
    assert scene.model().complete("Which colour?", Colour) == Colour("red", 3)
    _, shown, complaint = scene.server.requests[1].said
    assert len(shown) <= 4000
    assert len(complaint) <= 1200
    assert complaint.endswith(
        "Answer again, with one JSON object that fits the schema, and with nothing else."
    )


class Inner(msgspec.Struct):
    words: list[str]


class Form(msgspec.Struct):
    kind: Literal["one", "two"]
    inner: Inner | None = None


def same(value: object) -> object:
    return value


@given(st.text())
def test_any_text_gives_a_value_or_an_error(text: str):
    with suppress(InvalidAnswer):
        assert isinstance(parse_answer(text, Form, same), Form)


@given(st.builds(Form, st.sampled_from(["one", "two"]), st.none() | st.builds(Inner, st.lists(st.text()))))
def test_a_valid_answer_is_found_in_other_text(form: Form):
    text = msgspec.json.encode(form).decode()
    assert parse_answer(f"Sure!\n```json\n{text}\n```\nDone.", Form, same) == form


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("{}", "`kind` is required"),
        ('{"kind": "three"}', "must be one of one, two"),
        ('{"kind": "one", "inner": {"words": [1]}}', "inner.words"),
        ('{"kind": "\\ud800"}', "JSON"),
        ('{"kind": NaN}', "JSON"),
    ],
)
def test_an_error_names_the_problem(said: str, complaint: str):
    with pytest.raises(InvalidAnswer) as caught:
        parse_answer(said, Form, same)
    assert complaint in str(caught.value)


def test_a_schema_is_complete():
    schema = json_schema(Form)
    assert "$" not in json.dumps(schema)
    assert schema["properties"]["inner"]["anyOf"][0]["properties"]["words"]["items"] == {"type": "string"}
