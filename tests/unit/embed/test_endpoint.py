"""Vectors from an endpoint: valid ones are used, invalid ones refused, failures reported."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import pytest

from rum.embed.base import CannotEmbed
from rum.embed.endpoint import EndpointEmbedder
from unit.embed.serving import Asked, Server, embeddings, serving, vector

if TYPE_CHECKING:
    from rum.embed.base import Vectors

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def opened(server: Server, **how: object) -> EndpointEmbedder:
    return EndpointEmbedder(server.url, "some-model", **how)


def refusal(embedder: EndpointEmbedder, texts: list[str] | None = None) -> str:
    with pytest.raises(CannotEmbed) as caught:
        embedder.embed(texts or ["a", "b"])
    assert KEY not in str(caught.value)
    assert KEY not in json.dumps(caught.value.to_dict())
    return caught.value.message


def answering(data: object) -> Callable[[Asked], bytes]:
    return lambda _: json.dumps({"data": data}).encode()


def item(*numbers: object, index: int | None = None) -> dict[str, object]:
    vector: dict[str, object] = {"embedding": list(numbers)}
    return vector if index is None else vector | {"index": index}


def test_each_text_gets_its_vector_made_length_one(server: Server):
    embedder = opened(server)
    assert embedder.dimensions is None
    made = embedder.embed(["banana", "", "x"])
    expected = np.array([vector("banana"), vector("-"), vector("x")])
    assert np.allclose(made, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert made.dtype == np.float32
    assert embedder.dimensions == 3
    assert server.asked[0].body == {"model": "some-model", "input": ["banana", "-", "x"]}


def test_many_texts_are_sent_in_several_requests(server: Server):
    texts = ["a" * (1 + number % 7) + "b" * number for number in range(100)]
    made = opened(server).embed(texts)
    assert [len(asked.texts) for asked in server.asked] == [32, 32, 32, 4]
    expected = np.array([vector(text) for text in texts])
    assert np.allclose(made, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)


def test_vectors_are_ordered_by_their_index(server: Server):
    server.answer = answering([item(0, 2, index=1), item(2, 0, index=0)])
    assert opened(server).embed(["a", "b"]).tolist() == [[1, 0], [0, 1]]


def test_vectors_without_an_index_keep_their_order(server: Server):
    server.answer = answering([item(2, 0), item(0, 2)])
    assert opened(server).embed(["a", "b"]).tolist() == [[1, 0], [0, 1]]


def test_no_texts_send_no_request(server: Server):
    assert len(opened(server).embed([])) == 0
    assert server.asked == []


def test_unsendable_texts_are_replaced(server: Server):
    opened(server).embed(["\ud800", "x" * 1_000_000, "\x00"])
    assert server.asked[0].texts[0] == "?"
    assert len(server.asked[0].texts[1]) == 8000


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/embeddings", "/v1/embeddings/"])
def test_the_url_may_be_of_the_server_its_api_or_the_endpoint(server: Server, path: str):
    EndpointEmbedder(server.url.removesuffix("/v1") + path, "m").embed(["a"])
    assert server.asked[0].path == "/v1/embeddings"


def test_an_api_below_another_path_is_used(server: Server):
    EndpointEmbedder(f"{server.url}/proxy/openai", "m").embed(["a"])
    assert server.asked[0].path == "/v1/proxy/openai/embeddings"


def test_the_key_is_sent_and_nothing_is_sent_without_one(server: Server):
    opened(server, key=KEY).embed(["a"])
    opened(server).embed(["a"])
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "Authorization" not in server.asked[1].headers


def test_the_model_name_differs_by_model_and_url():
    stamps = {
        EndpointEmbedder(url, model).model
        for url in ("http://one.test/v1", "http://two.test/v1")
        for model in ("small", "large")
    }
    assert len(stamps) == 4
    assert (
        EndpointEmbedder("http://one.test", "m").model == EndpointEmbedder("http://one.test/v1/", "m").model
    )
    assert "one.test" not in "".join(stamps)


@pytest.mark.parametrize(
    "data",
    [
        [item(1, 2)] * 3,
        [],
        [item(1, 2, index=0), item(1, 2, index=0)],
        [item(1, 2, index=1), item(1, 2, index=2)],
        [item(1, 2), item(1, 2, 3)],
        [item(), item()],
        [item(*[1] * 20_000)] * 2,
        [item(0, 0), item(0, 0)],
        [item(1, "2"), item(1, 2)],
        [item(1, None), item(1, 2)],
        [item(1e300, 1), item(1e300, 1)],
        ["AACAPwAAAEA=", "AACAPwAAAEA="],
        {"0": [1, 2]},
        None,
    ],
)
def test_an_answer_with_wrong_vectors_is_refused(server: Server, data: object):
    server.answer = answering(data)
    assert server.url in refusal(opened(server))


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<html>It works!</html>",
        b'{"data": [{"embedding": [NaN, 1]}, {"embedding": [1, 2]}]}',
        b'{"data": [{"embedding": [1e999, 1]}, {"embedding": [1, 2]}]}',
        b'{"error": "no such model"}',
        b"[" * 100_000,
        b"\xff\xfe\x00",
        b'{"data": [{"embedding": [1, 2]}',
    ],
)
def test_garbage_is_refused(server: Server, raw: bytes):
    server.answer = lambda _: raw
    assert server.url in refusal(opened(server))


def test_vectors_that_change_their_length_are_refused(server: Server):
    embedder = opened(server)
    server.answer = answering([item(1, 2)])
    embedder.embed(["a"])
    server.answer = answering([item(1, 2, 3)])
    assert "lengths" in refusal(embedder, ["a"])
    assert embedder.dimensions == 2


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_an_error_of_the_server_is_reported_without_the_key(server: Server, status: int):
    server.status = status
    server.answer = lambda asked: f"bad key: {asked.headers['Authorization']}\n\x1b[31m".encode()
    message = refusal(opened(server, key=KEY))
    assert f"status {status}" in message
    assert "bad key: Bearer ***" in message
    assert "\x1b" not in message
    assert "embedder_model" in message


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nX-Other: 1", f"{KEY}€"])
def test_a_key_that_cannot_be_sent_is_not_shown(server: Server, key: str):
    assert "invalid characters" in refusal(opened(server, key=key))
    assert server.asked == []


def test_the_message_of_a_server_is_shortened(server: Server):
    server.status = 500
    server.answer = lambda _: b"x" * 1_000_000
    assert len(refusal(opened(server))) < 600


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(server: Server, status: int):
    with serving() as other:
        server.status = status
        server.headers = {"Location": f"{other.url}/embeddings"}
        assert f"status {status}" in refusal(opened(server, key=KEY))
        assert other.asked == []


def test_a_huge_answer_is_refused(server: Server):
    server.answer = lambda _: b" " * (33 * 1024 * 1024)
    assert "more than 32 MB" in refusal(opened(server))


def test_an_answer_cut_off_is_refused(server: Server):
    server.headers = {"Content-Length": "100000"}
    server.answer = lambda asked: embeddings(asked)[:-9]
    assert server.url in refusal(opened(server))


def test_a_slow_answer_is_given_up_in_time(server: Server):
    # Byte by byte it would take a minute, though no single byte is late.
    server.drip = 0.5
    assert "did not answer within 0.3 s" in refusal(opened(server, timeout=0.3))


def test_a_silent_server_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert "within 0.2 s" in refusal(EndpointEmbedder(url, "m", timeout=0.2))


def test_a_refused_connection_is_reported():
    with socket.create_server(("127.0.0.1", 0)) as closing:
        url = f"http://127.0.0.1:{closing.getsockname()[1]}"
    assert "cannot be reached" in refusal(EndpointEmbedder(url, "m"))


def test_an_invalid_http_answer_is_reported():
    with socket.create_server(("127.0.0.1", 0)) as other:
        embedder = EndpointEmbedder(f"https://127.0.0.1:{other.getsockname()[1]}", "m", timeout=0.2)
        assert "https" in refusal(embedder)


def test_no_proxy_is_used_for_local_addresses(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert len(opened(server).embed(["a"])) == 1


def test_an_endpoint_that_works_again_is_used_again(server: Server):
    embedder = opened(server)
    server.status = 503
    refusal(embedder)
    server.status = 200
    assert len(embedder.embed(["a"])) == 1


def test_an_incomplete_answer_is_refused(server: Server):
    server.answer = lambda asked: embeddings(asked) if len(asked.texts) == 32 else b"oops"
    refusal(opened(server), ["a"] * 40)


@pytest.mark.parametrize(("url", "model"), [("", "m"), ("http://one.test", ""), ("", "")])
def test_a_missing_setting_of_an_endpoint_is_named(url: str, model: str):
    with pytest.raises(CannotEmbed) as caught:
        EndpointEmbedder(url, model).embed(["a"])
    assert caught.value.details["field"] == ("embedder_model" if url else "embedder_url")


def lengths(made: Vectors) -> list[float]:
    return np.linalg.norm(made, axis=1).round(5).tolist()


@pytest.mark.parametrize("status", [400, 413, 422, 500])
@pytest.mark.parametrize("bad", [0, 17, 31])
def test_a_refused_text_does_not_affect_others(server: Server, status: int, bad: int):
    server.refusal, server.refuses = status, lambda text: "bad" in text
    texts = [f"text {number} {'bad' if number == bad else 'good'}" for number in range(32)]
    made = opened(server).embed(texts)
    assert lengths(made) == [0.0 if number == bad else 1.0 for number in range(32)]
    assert len(server.asked) < 20


def test_refused_texts_get_zero_vectors(server: Server):
    server.refuses = lambda text: "bad" in text
    texts = ["bad"] * 3 + ["good"] * 38 + ["bad", "good"]
    assert lengths(opened(server).embed(texts)) == [float("good" in text) for text in texts]


@pytest.mark.parametrize("given", [item(0, 0), item(0), item(), item(1e300, 1e300)])
@pytest.mark.parametrize("texts", [["bad"], ["bad", "good"], ["good", "bad", "good"]])
def test_a_text_with_an_invalid_vector_gets_a_zero_vector(server: Server, texts: list[str], given: object):
    def answer(asked: Asked) -> bytes:
        return json.dumps({"data": [given if "bad" in one else item(3, 4) for one in asked.texts]}).encode()

    server.answer = answer
    assert lengths(opened(server).embed(texts)) == [float("good" in text) for text in texts]


def test_a_text_that_breaks_the_answer_gets_a_zero_vector(server: Server):
    server.answer = lambda asked: (
        b'{"data": [{"embedding": [NaN]}]}' if "bad" in asked.texts else embeddings(asked)
    )
    assert lengths(opened(server).embed(["good", "bad", "good"])) == [1, 0, 1]


def test_a_text_that_is_too_long_is_embedded_by_its_beginning(server: Server):
    server.refuses = lambda text: len(text) > 600
    short = "good " * 100
    made = opened(server).embed([short, "long " * 400])
    assert lengths(made) == [1, 1]
    assert server.asked[-1].texts == [("long " * 100).strip()]


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422, 429, 500, 503])
@pytest.mark.parametrize("count", [1, 40])
def test_an_endpoint_that_refuses_everything_has_failed(server: Server, status: int, count: int):
    server.status = status
    assert f"status {status}" in refusal(opened(server), ["text"] * count)
    assert len(server.asked) <= 2


def test_an_endpoint_that_accepts_only_the_test_text_has_failed(server: Server):
    server.refuses = lambda text: "memory" in text
    assert "all 5 texts" in refusal(opened(server), [f"memory {number}" for number in range(5)])


def test_texts_are_sent_one_at_a_time_if_the_server_requires_it(server: Server):
    server.answer = lambda asked: embeddings(asked) if len(asked.texts) == 1 else b"{}"
    assert lengths(opened(server).embed(["a", "b", "c"])) == [1, 1, 1]


def test_a_silent_endpoint_is_given_up_after_the_timeout():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        embedder = EndpointEmbedder(f"http://127.0.0.1:{silent.getsockname()[1]}", "m", timeout=0.2)
        with pytest.raises(CannotEmbed, match=r"within 0\.2 s"):
            embedder.embed(["a"])


def test_all_attempts_together_respect_the_time_limit(server: Server):
    server.refuses = lambda text: "bad" in text
    slow = server.answer

    def dawdling(asked: Asked) -> bytes:
        server.closing.wait(0.15)
        return slow(asked)

    server.answer = dawdling
    assert "did not answer" in refusal(opened(server, timeout=0.4), ["bad " * 1000])
