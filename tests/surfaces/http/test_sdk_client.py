"""The client of the official Python SDK with `rum serve`, with a session and stateless."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client
from mcp.client.extension import ClientExtension, advertise
from mcp.client.streamable_http import streamable_http_client
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID
from mcp.shared._httpx_utils import create_mcp_http_client

from rum.app.calls import CALLS
from surfaces.http.running import WORK, Server, start

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}


def talk_to(
    server: Server,
    mode: str,
    token: str | None,
    talk: Callable[[Client], Awaitable[None]],
    *extensions: ClientExtension,
) -> None:
    async def run() -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        with anyio.fail_after(60):
            async with create_mcp_http_client(headers=headers) as http:
                transport = streamable_http_client(server.url, http_client=http)
                async with Client(transport, mode=mode, extensions=list(extensions)) as client:
                    assert client.protocol_version == ERAS[mode]
                    await talk(client)

    anyio.run(run)


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdk_stores_and_finds_memories(server: Server, mode: str):
    async def talk(client: Client) -> None:
        assert {tool.name for tool in (await client.list_tools()).tools} == set(CALLS)
        assert "Recall before" in (client.instructions or "")
        stored = (await call(client, "store", **WORK))["memory_id"]
        found = await call(client, "recall", file="tests/test_login.py", limit=50)
        assert stored in {memory["id"] for memory in found["memories"]}
        resource = await client.read_resource(f"rum://memory/{stored}")
        assert json.loads(resource.contents[0].text)["intent"]["goal"] == WORK["intent"]["goal"]
        prompt = await client.get_prompt("brief", {"task": "Fix the flaky login test"})
        assert "Your task: Fix the flaky login test" in prompt.messages[0].content.text
        unknown = await client.call_tool("recall", {"memory_id": "mem_unknown00"})
        assert unknown.is_error
        assert json.loads(unknown.content[0].text)["code"] == "NOT_FOUND"

    talk_to(server, mode, server.tokens["writer"], talk)


def test_who_a_client_is_lasts_as_long_as_its_session(server: Server):
    async def talk(client: Client) -> None:
        registered = await call(client, "identity", action="register", type="main", name="session-agent")
        assert (await call(client, "identity", action="info"))["agent_id"] == registered["agent_id"]
        await call(client, "layers", action="append", type="working", entry={"content": "Look at the clock"})
        assert (await call(client, "layers", action="list", type="working"))["total"] == 1

    talk_to(server, "legacy", server.tokens["writer"], talk)


def test_the_sdk_needs_no_token_where_none_is_asked_for(tmp_path: Path):
    work = tmp_path / "shop"
    work.mkdir()
    server = start(tmp_path / "home", "--no-auth", cwd=work)

    async def talk(client: Client) -> None:
        stored = (await call(client, "store", **WORK))["memory_id"]
        assert (await call(client, "list"))["memories"][0]["id"] == stored

    try:
        talk_to(server, "auto", None, talk)
        talk_to(server, "legacy", None, talk)
    finally:
        assert server.stop() == 0
    assert server.complaints == []


@pytest.mark.parametrize("mode", ERAS)
def test_views_are_given_to_clients_that_show_them_and_act_with_the_role_of_the_token(
    server: Server, mode: str
):
    async def talk(client: Client) -> None:
        assert "show_memory" in {tool.name for tool in (await client.list_tools()).tools}
        [content] = (await client.read_resource("ui://rum/causes")).contents
        assert content.mime_type == APP_MIME_TYPE
        me = await call(client, "page", method="GET", path="/api/v1/me")
        assert (me["status"], me["data"]["role"]) == (200, "reader")
        refused = await call(client, "page", method="POST", path="/api/v1/calls/store", body=WORK)
        assert (refused["status"], refused["data"]["error"]["code"]) == (403, "PERMISSION_DENIED")

    declared = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})
    talk_to(server, mode, server.tokens["reader"], talk, declared)
