"""Vectors from an endpoint: right ones are used, wrong ones refused, and a failing one left alone."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from rum.embed.base import CannotEmbed
from rum.embed.endpoint import EndpointEmbedder
from unit.embed.serving import Asked, Server, embeddings, serving, vector

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def opened(server: Server, **how: object) -> EndpointEmbedder:
    return EndpointEmbedder(server.url, "some-model", **how)


def wait_asked_for(embedder: EndpointEmbedder) -> float:
    with pytest.raises(CannotEmbed, match="asked again in") as caught:
        embedder.embed(["a"])
    wait = caught.value.details["retry_after"]
    assert isinstance(wait, float)
    return wait


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


def test_many_texts_are_asked_in_several_requests_and_come_back_in_order(server: Server):
    texts = ["a" * (1 + number % 7) + "b" * number for number in range(100)]
    made = opened(server).embed(texts)
    assert [len(asked.texts) for asked in server.asked] == [32, 32, 32, 4]
    expected = np.array([vector(text) for text in texts])
    assert np.allclose(made, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)


def test_vectors_are_taken_by_their_number_not_their_place(server: Server):
    server.answer = answering([item(0, 2, index=1), item(2, 0, index=0)])
    assert opened(server).embed(["a", "b"]).tolist() == [[1, 0], [0, 1]]


def test_vectors_without_numbers_are_taken_by_their_place(server: Server):
    server.answer = answering([item(2, 0), item(0, 2)])
    assert opened(server).embed(["a", "b"]).tolist() == [[1, 0], [0, 1]]


def test_no_texts_are_no_question(server: Server):
    assert len(opened(server).embed([])) == 0
    assert server.asked == []


def test_texts_that_cannot_be_sent_as_they_are_do_no_harm(server: Server):
    opened(server).embed(["\ud800", "x" * 1_000_000, "\x00"])
    assert server.asked[0].texts[0] == "?"
    assert len(server.asked[0].texts[1]) == 8000


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/embeddings", "/v1/embeddings/"])
def test_the_address_may_be_that_of_the_server_its_api_or_the_whole(server: Server, path: str):
    EndpointEmbedder(server.url.removesuffix("/v1") + path, "m").embed(["a"])
    assert server.asked[0].path == "/v1/embeddings"


def test_an_api_below_another_path_is_asked_there(server: Server):
    EndpointEmbedder(f"{server.url}/proxy/openai", "m").embed(["a"])
    assert server.asked[0].path == "/v1/proxy/openai/embeddings"


def test_the_key_is_sent_and_nothing_is_sent_without_one(server: Server):
    opened(server, key=KEY).embed(["a"])
    opened(server).embed(["a"])
    assert server.asked[0].headers["Authorization"] == f"Bearer {KEY}"
    assert "Authorization" not in server.asked[1].headers


def test_the_stamp_tells_models_and_places_apart():
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
        [item(1, 2)],
        [item(1, 2)] * 3,
        [],
        [item(1, 2, index=0), item(1, 2, index=0)],
        [item(1, 2, index=1), item(1, 2, index=2)],
        [item(1, 2), item(1, 2, 3)],
        [item(), item()],
        [item(*[1] * 20_000)] * 2,
        [item(0, 0), item(1, 1)],
        [item(1, "2"), item(1, 2)],
        [item(1, None), item(1, 2)],
        [item(1e300, 1), item(1, 2)],
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
def test_an_error_of_the_server_is_told_without_the_key(server: Server, status: int):
    server.status = status
    server.answer = lambda asked: f"bad key: {asked.headers['Authorization']}\n\x1b[31m".encode()
    message = refusal(opened(server, key=KEY))
    assert f"status {status}" in message
    assert "bad key: Bearer ***" in message
    assert "\x1b" not in message
    assert "embedder_model" in message


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nX-Other: 1", f"{KEY}€"])
def test_a_key_that_cannot_be_sent_is_not_shown(server: Server, key: str):
    assert "characters that are not allowed" in refusal(opened(server, key=key))
    assert server.asked == []


def test_the_words_of_a_server_are_cut_short(server: Server):
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


def test_an_answer_that_drips_is_given_up_in_time(server: Server):
    # Byte by byte it would take a minute, though no single byte is late.
    server.drip = 0.5
    assert "did not answer within 0.3 s" in refusal(opened(server, timeout=0.3))


def test_a_server_that_says_nothing_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        assert "within 0.2 s" in refusal(EndpointEmbedder(url, "m", timeout=0.2))


def test_a_closed_door_is_told():
    with socket.create_server(("127.0.0.1", 0)) as closing:
        url = f"http://127.0.0.1:{closing.getsockname()[1]}"
    assert "cannot be reached" in refusal(EndpointEmbedder(url, "m"))


def test_what_is_no_http_is_told():
    with socket.create_server(("127.0.0.1", 0)) as other:
        embedder = EndpointEmbedder(f"https://127.0.0.1:{other.getsockname()[1]}", "m", timeout=0.2)
        assert "https" in refusal(embedder)


def test_a_proxy_is_not_asked_for_what_is_on_this_machine(server: Server, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    assert len(opened(server).embed(["a"])) == 1


def test_after_a_failure_the_endpoint_is_left_alone_for_a_while(server: Server):
    embedder = opened(server)
    server.status = 500
    refusal(embedder)
    assert 0 < wait_asked_for(embedder) <= 5
    assert len(server.asked) == 1


def test_an_endpoint_that_works_again_is_used_again(server: Server):
    now = [1000.0]
    embedder = opened(server, clock=lambda: now[0])
    server.status = 500
    waits: list[float] = []
    for _ in range(9):
        refusal(embedder)
        waits.append(wait_asked_for(embedder))
        now[0] += waits[-1]
    assert waits == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    server.status = 200
    assert len(embedder.embed(["a"])) == 1
    server.status = 500
    refusal(embedder)
    assert wait_asked_for(embedder) == 5


def test_half_an_answer_is_none(server: Server):
    server.answer = lambda asked: embeddings(asked) if len(asked.texts) == 32 else b"oops"
    refusal(opened(server), ["a"] * 40)


@pytest.mark.parametrize(("url", "model"), [("", "m"), ("http://one.test", ""), ("", "")])
def test_an_endpoint_that_is_not_fully_set_says_what_is_missing(url: str, model: str):
    with pytest.raises(CannotEmbed) as caught:
        EndpointEmbedder(url, model).embed(["a"])
    assert caught.value.details["field"] == ("embedder_model" if url else "embedder_url")
