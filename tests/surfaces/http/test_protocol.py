"""Headers, sessions and statuses of MCP over HTTP in both eras."""

from __future__ import annotations

import http.client
import json
from typing import Any

import pytest

from surfaces.http.running import Answer, Server

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def rpc(method: str, /, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}


@pytest.fixture
def token(server: Server) -> str:
    return server.tokens["writer"]


def initialize(server: Server, token: str) -> Answer:
    info = {"name": "tester", "version": "1"}
    body = rpc("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=info)
    return server.ask(body=body, token=token)


def test_a_session_id_is_valid_for_its_token_only(server: Server, token: str):
    session = initialize(server, token).headers["mcp-session-id"]
    assert server.ask(body=rpc("ping"), token=token, Mcp_Session_Id=session).json["result"] == {}
    for other, changed in (
        (server.tokens["other"], session),
        (server.tokens["owner"], session),
        (token, session[:-1] + ("0" if session[-1] != "0" else "1")),
        (token, "a" + session[1:] if session[0] != "a" else "b" + session[1:]),
        (token, "nonsense"),
    ):
        refused = server.ask(body=rpc("ping"), token=other, Mcp_Session_Id=changed)
        assert refused.status == 404
    assert server.ask("DELETE", token=token, Mcp_Session_Id=session).status == 204
    assert server.ask(body=rpc("ping"), token=token, Mcp_Session_Id=session).status == 404
    assert server.ask("DELETE", token=token, Mcp_Session_Id="nonsense").status == 404


def test_a_notification_is_accepted_without_an_answer(server: Server, token: str):
    answer = server.ask(body={"jsonrpc": "2.0", "method": "notifications/initialized"}, token=token)
    assert (answer.status, answer.body) == (202, b"")


def test_there_is_no_stream_of_unrequested_messages(server: Server, token: str):
    answer = server.ask("GET", token=token)
    assert answer.status == 405
    assert answer.headers["allow"] == "POST, DELETE"


@pytest.mark.parametrize("body", [b"{", b"[]", b"[{}]", b"null", b'{"jsonrpc":"2.0","id":1}', b"[" * 100_000])
def test_what_is_no_message_is_refused(server: Server, token: str, body: bytes):
    answer = server.ask(body=body, token=token)
    assert answer.status == 400
    assert answer.json["error"]["code"] in (-32700, -32600)


def test_an_unknown_version_is_refused_with_the_known_ones(server: Server, token: str):
    answer = server.ask(body=rpc("tools/list"), token=token, MCP_Protocol_Version="2031-01-01")
    assert answer.status == 400
    assert answer.json["error"]["code"] == -32022
    assert "2026-07-28" in answer.json["error"]["data"]["supported"]


def stateless(server: Server, token: str, body: dict[str, Any], **headers: str | None) -> Answer:
    given: dict[str, str | None] = {"MCP_Protocol_Version": "2026-07-28", "Mcp_Method": body["method"]}
    body["params"]["_meta"] = META
    return server.ask(body=body, token=token, **{**given, **headers})


def test_a_stateless_request_gets_metadata_and_no_session(server: Server, token: str):
    answer = stateless(server, token, rpc("server/discover"))
    assert answer.status == 200
    assert answer.json["result"]["resultType"] == "complete"
    assert "2026-07-28" in answer.json["result"]["supportedVersions"]
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize(
    "headers",
    [
        {"Mcp_Method": "tools/list"},
        {"Mcp_Method": None},
        {"Mcp_Name": "recall"},
        {"Mcp_Name": None},
        {"Mcp_Name": "=?base64?!!?="},
        {"MCP_Protocol_Version": None},
        {"MCP_Protocol_Version": "2025-11-25"},
    ],
)
def test_headers_that_contradict_the_body_are_refused(
    server: Server, token: str, headers: dict[str, str | None]
):
    body = rpc("tools/call", name="list", arguments={})
    answer = stateless(server, token, body, **{"Mcp_Name": "list", **headers})
    assert answer.status == 400
    assert answer.json["error"]["code"] == -32020


def test_a_name_in_base64_is_read(server: Server, token: str):
    body = rpc("tools/call", name="list", arguments={})
    assert stateless(server, token, body, Mcp_Name="=?base64?bGlzdA==?=").status == 200


def test_an_unknown_method_has_a_status_only_in_the_stateless_era(server: Server, token: str):
    for method in ("no/such", "initialize", "ping", "logging/setLevel"):
        answer = stateless(server, token, rpc(method))
        assert (answer.status, answer.json["error"]["code"]) == (404, -32601)
    answer = server.ask(body=rpc("no/such"), token=token)
    assert (answer.status, answer.json["error"]["code"]) == (200, -32601)


def test_a_stream_stays_open_until_the_client_leaves(server: Server, token: str):
    body = rpc("subscriptions/listen", notifications={})
    body["params"]["_meta"] = META
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {
        "Authorization": f"Bearer {token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen",
    }
    connection.request("POST", "/mcp", json.dumps(body), headers)
    answer = connection.getresponse()
    assert answer.getheader("content-type", "").startswith("text/event-stream")
    assert answer.readline() == b"event: message\r\n"
    assert b"notifications/subscriptions/acknowledged" in answer.readline()
    answer.close()
    connection.close()
    refused = stateless(
        server, token, rpc("subscriptions/listen", notifications={}), Accept="application/json"
    )
    assert refused.status == 406


def test_health_and_figures(server: Server, token: str):
    assert server.ask("GET", "/healthz").json == {"status": "ok"}
    server.call("list", token)
    assert server.ask("GET", "/metrics").status == 401
    answer = server.ask("GET", "/metrics", token=token)
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    text = answer.body.decode()
    assert 'rum_calls_total{call="list",result="ok"}' in text
    assert 'rum_http_requests_total{status="200"}' in text
    assert "shop" not in text
    assert "bank" not in text
    for line in text.splitlines():
        assert line.startswith("# TYPE rum_") or float(line.rpartition(" ")[2]) >= 0
