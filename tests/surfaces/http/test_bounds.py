"""Huge, slow and broken requests, and the end of a server."""

from __future__ import annotations

import json
import socket
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from rum import Rum
from surfaces.http.running import PATIENCE, WORK, Server, create_token, start

LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


@pytest.fixture(scope="module")
def hurried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with little patience."""
    limits = {"HEADERS_WITHIN": 0.5, "BODY_WITHIN": 0.5, "MAX_ANSWER": 20_000, "MAX_STREAMS_EACH": 1}
    home = tmp_path_factory.mktemp("hurried") / "home"
    token = create_token(home, "anna", "writer", "shop")
    server = start(home, limits=limits)
    server.tokens["anna"] = token
    yield server
    assert server.stop() == 0


def exchange(server: Server, *parts: bytes) -> bytes:
    """Everything that the server sends until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        received = b""
        with suppress(ConnectionError):  # it need not take all before it refuses
            for part in parts:
                connection.sendall(part)
            while chunk := connection.recv(65536):
                received += chunk
        return received


def headers(server: Server, *more: str) -> bytes:
    given = [f"Host: 127.0.0.1:{server.port}", f"Authorization: Bearer {server.tokens['anna']}"]
    lines = ["POST /mcp HTTP/1.1", *given, "Content-Type: application/json", *more]
    return "\r\n".join(lines).encode() + b"\r\n\r\n"


def is_well(server: Server) -> bool:
    return server.ask(body=LIST, token=server.tokens["anna"]).status == 200


def test_a_connection_that_never_sends_its_headers_is_closed(hurried: Server):
    assert exchange(hurried, b"POST /mcp HTTP/1.1\r\nHost: x\r\n") == b""
    assert exchange(hurried) == b""
    assert is_well(hurried)


def test_a_second_request_that_never_ends_is_closed_too(hurried: Server):
    answer = exchange(hurried, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", b"GET /healthz HTT")
    assert answer.startswith(b"HTTP/1.1 200")
    assert is_well(hurried)


def test_a_body_that_never_arrives_is_refused(hurried: Server):
    answer = exchange(hurried, headers(hurried, "Content-Length: 1000"), b'{"jsonrpc"')
    assert answer.startswith(b"HTTP/1.1 408")
    assert is_well(hurried)


def test_a_body_that_is_announced_too_long_is_not_read(hurried: Server):
    answer = exchange(hurried, headers(hurried, "Content-Length: 99999999999"))
    assert answer.startswith(b"HTTP/1.1 413")
    assert is_well(hurried)


def test_a_body_that_grows_too_long_is_refused(hurried: Server):
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    answer = exchange(hurried, headers(hurried, "Transfer-Encoding: chunked"), *[chunk] * 65)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 413")
    assert is_well(hurried)


def test_headers_that_are_too_long_are_refused(hurried: Server):
    answer = exchange(hurried, headers(hurried, "X-Long: " + "x" * 100_000, "Connection: close"))
    assert answer.startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))
    assert is_well(hurried)


@pytest.mark.parametrize(
    "garbage",
    [b"\x16\x03\x01\x02\x00", b"GET / HTTP/9.9\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\0" * 5000],
)
def test_what_is_no_http_is_refused(hurried: Server, garbage: bytes):
    answer = exchange(hurried, garbage)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert is_well(hurried)


@pytest.mark.parametrize("version", ["HTTP/1.0", "HTTP/1.1"])
def test_a_request_without_a_host_is_refused(hurried: Server, version: str):
    lines = [
        f"GET /metrics {version}",
        f"Authorization: Bearer {hurried.tokens['anna']}",
        "Connection: close",
    ]
    answer = exchange(hurried, "\r\n".join(lines).encode() + b"\r\n\r\n")
    assert answer == b"" or answer.startswith((b"HTTP/1.1 421", b"HTTP/1.1 400"))
    assert b"rum_" not in answer


def test_two_lengths_are_refused(hurried: Server):
    answer = exchange(hurried, headers(hurried, "Content-Length: 5", "Content-Length: 6"))
    assert answer.startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "path", ["/access.json", "/mcp/", "/mcp/../access.json", "//", "/metrics/x", "/%2e%2e/access.json"]
)
def test_other_paths_are_not_found(server: Server, path: str):
    answer = server.ask("GET", path, token=server.tokens["owner"])
    assert answer.status in (307, 404)
    assert b"digest" not in answer.body


def test_an_answer_that_is_too_long_says_so(hurried: Server):
    token = hurried.tokens["anna"]
    learned = [f"{number} {'words ' * 40}" for number in range(100)]
    long = {**WORK, "outcome": {**WORK["outcome"], "learnings": learned}}
    stored = hurried.call("store", token, **long).tool["memory_id"]
    answer = hurried.call("recall", token, memory_id=stored, depth="complete")
    assert answer.tool["code"] == "INVALID_QUERY"
    assert "Ask for less" in answer.tool["message"]
    assert hurried.call("recall", token, memory_id=stored, depth="summary").tool["memories"]


def test_what_many_clients_store_at_once_is_all_there_after_the_end(tmp_path: Path):
    home = tmp_path / "home"
    tokens = [create_token(home, f"agent-{number}", "writer", "shop") for number in range(4)]
    server = start(home)
    stored: list[str] = []

    def work(token: str) -> None:
        stored.extend(server.call("store", token, **WORK).tool["memory_id"] for _ in range(10))

    threads = [threading.Thread(target=work, args=(token,)) for token in tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert server.stop() == 0
    assert server.complaints == []
    with Rum.open(tmp_path, project="shop", home=home, owner=True) as rum:
        assert len(set(stored)) == 40
        assert rum.summary()["memories"] == 40
        assert len(rum.agents()) == 4


def test_a_call_that_takes_too_long_goes_on_without_its_client(tmp_path: Path):
    home = tmp_path / "home"
    token = create_token(home, "anna", "writer", "shop")
    server = start(home, limits={"CALL_WITHIN": 1.0, "MAX_WAITING": 1})
    try:
        first = server.call("store", token, **WORK).tool["memory_id"]
        (project,) = (home / "projects").iterdir()
        blocker = sqlite3.connect(project / "rum.db", isolation_level=None)
        blocker.execute("BEGIN IMMEDIATE")
        slow = server.call("store", token, **WORK)
        assert (slow.status, "goes on" in slow.json["error"]["message"]) == (504, True)
        busy = server.call("list", token)
        assert (busy.status, busy.headers["retry-after"]) == (503, "1")
        assert server.ask("GET", "/healthz").status == 200
        blocker.execute("ROLLBACK")
        blocker.close()
        while (listed := server.call("list", token)).status == 503:
            pass
        assert listed.tool["total"] == 2
        assert first in {memory["id"] for memory in listed.tool["memories"]}
    finally:
        assert server.stop() == 0


def test_damaged_tokens_let_nobody_in(tmp_path: Path):
    home = tmp_path / "home"
    token = create_token(home, "anna", "owner", "shop")
    server = start(home)
    try:
        assert server.ask(body=LIST, token=token).status == 200
        (home / "access.json").write_text("{")
        refused = server.ask(body=LIST, token=token)
        assert refused.status == 503
        assert str(home).encode() not in refused.body
        by_page = server.ask("GET", "/api/v1/me", token=token)
        assert by_page.status == 503
        assert str(home).encode() not in by_page.body
        by_login = server.ask("POST", "/api/v1/login", {"token": token})
        assert (by_login.status, str(home).encode() in by_login.body) == (503, False)
    finally:
        assert server.stop() == 0


def test_the_end_does_not_wait_for_open_streams(tmp_path: Path):
    server = start(tmp_path / "home", "--no-auth")
    params = {"notifications": {}, "_meta": META}
    listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
    body = json.dumps(listen).encode()
    lines = [
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: subscriptions/listen",
        f"Content-Length: {len(body)}",
    ]
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
        received = b""
        while b"acknowledged" not in received:
            received += connection.recv(65536)
        assert server.stop() == 0
        while chunk := connection.recv(65536):
            received += chunk
    assert b'"resultType":"complete"' in received


def test_a_memory_that_cannot_be_read_names_no_file_of_the_server(tmp_path: Path):
    home = tmp_path / "home"
    token = create_token(home, "anna", "owner", "shop")
    with Rum.open(tmp_path, project="shop", home=home) as rum:
        rum.call("store", WORK)
        folder = Path(rum.project.directory)
    for file in folder.glob("rum.db*"):
        file.write_bytes(b"no database " * 1000)
    server = start(home)
    try:
        read = {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "rum://project"}}
        answers = [
            server.call("list", token),
            server.call("store", token, **WORK),
            server.ask(body=read, token=token),
            server.ask("GET", "/api/v1/overview", token=token),
            server.ask("POST", "/api/v1/calls/store", WORK, token=token),
        ]
        for answer in answers:
            assert b"STORAGE_ERROR" in answer.body, answer.body
            assert str(tmp_path).encode() not in answer.body, answer.body
        assert any(str(folder) in line for line in server.complaints)
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_body_that_is_not_http_is_answered_once(tmp_path: Path, method: str):
    (tmp_path / "home").mkdir()
    server = start(tmp_path / "home")
    # The server would answer this path before it looks at the body.
    head = f"{method} /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as connection:
        connection.sendall(head.encode() + b"zz\r\n{}\r\n0\r\n\r\n")
        received = b"".join(iter(lambda: connection.recv(65_536), b""))
    assert received.count(b"HTTP/1.1 ") <= 1
    assert server.ask("GET", "/healthz").status == 200
    assert server.stop() == 0
    assert "Traceback" not in "".join(server.complaints)
