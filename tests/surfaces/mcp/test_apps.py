"""MCP Apps: clients that declare the extension get views and their tools, others do not (official SDK)."""

from __future__ import annotations

import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.extension import advertise
from mcp.server.apps import APP_MIME_TYPE, EXTENSION_ID

from rum.surfaces.mcp import apps
from rum.surfaces.mcp.apps import shows_apps

ERAS = ("legacy", "auto")
WORK = {
    "intent": {"goal": "Fix the flaky login test", "task_type": "test_write"},
    "outcome": {"success": True, "summary": "The clock is frozen now"},
}
VIEWS = ["ui://rum/memory", "ui://rum/causes", "ui://rum/review"]
Conversation = Callable[[Client], Awaitable[None]]


def talk_to(folder: Path, mode: str, talk: Conversation, *declared: Any) -> None:
    """Start `rum mcp` and talk to it as a client that declares these extensions."""
    variables = {"HOME": str(folder), "RUM_HOME": str(folder / "memory"), "RUM_IDLE_AFTER": "0"}
    (folder / "project").mkdir(exist_ok=True)
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "rum", "mcp"],
        env={**os.environ, **variables, "RUM_EMBEDDER": "none"},
        cwd=folder / "project",
    )

    async def run() -> None:
        with anyio.fail_after(60):
            async with Client(server, mode=mode, extensions=list(declared)) as client:
                await talk(client)

    anyio.run(run)


APPS = advertise(EXTENSION_ID, {"mimeTypes": [APP_MIME_TYPE]})


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_that_shows_apps_gets_views_and_tools_that_open_them(tmp_path: Path, mode: str):
    async def talk(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        linked = {name: tool.meta["ui"] for name, tool in tools.items() if tool.meta and "ui" in tool.meta}
        assert linked == {
            "show_memory": {"resourceUri": VIEWS[0]},
            "show_causes": {"resourceUri": VIEWS[1]},
            "show_review": {"resourceUri": VIEWS[2]},
            "page": {"resourceUri": VIEWS[0], "visibility": ["app"]},
        }
        assert {str(one.uri) for one in (await client.list_resources()).resources} >= set(VIEWS)
        for uri in VIEWS:
            [content] = (await client.read_resource(uri)).contents
            assert content.mime_type == APP_MIME_TYPE
            assert content.text.startswith("<!doctype html>")
            assert content.meta == {"ui": {"csp": {}, "prefersBorder": True}}
        stored = (await client.call_tool("store", WORK)).structured_content
        shown = (await client.call_tool("show_memory", {"memory_id": stored["memory_id"]})).structured_content
        assert (shown["goal"], shown["shown"]) == (WORK["intent"]["goal"], "memory")
        asked = {"method": "GET", "path": f"/api/v1/memories/{stored['memory_id']}"}
        page = (await client.call_tool("page", asked)).structured_content
        assert (page["status"], page["data"]["memory"]["id"]) == (200, stored["memory_id"])

    talk_to(tmp_path, mode, talk, APPS)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("declared", [[], [advertise(EXTENSION_ID, {"mimeTypes": ["text/plain"]})]])
def test_other_clients_see_and_reach_none_of_it(tmp_path: Path, mode: str, declared: list[Any]):
    async def talk(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert not names & {tool["name"] for tool in apps.TOOLS}
        assert not [
            one for one in (await client.list_resources()).resources if str(one.uri).startswith("ui:")
        ]
        for refused in (
            lambda: client.read_resource(VIEWS[0]),
            lambda: client.call_tool("page", {"method": "GET", "path": "/api/v1/me"}),
        ):
            with pytest.raises(Exception, match=r"not found|Unknown tool"):
                await refused()

    talk_to(tmp_path, mode, talk, *declared)


def test_a_view_acts_as_the_agent_and_a_person_still_reviews(tmp_path: Path):
    async def talk(client: Client) -> None:
        async def page(method: str, path: str, **body: Any) -> dict[str, Any]:
            arguments = {"method": method, "path": path, "body": body}
            return (await client.call_tool("page", arguments)).structured_content

        me = (await page("GET", "/api/v1/me"))["data"]
        assert (me["may_review"], me["csrf"]) == (False, "")
        refused = await page("PUT", "/api/v1/settings/recall_limit", value=3)
        assert (refused["status"], refused["data"]["error"]["code"]) == (403, "PERMISSION_DENIED")
        items = [{"kind": "memory", "id": "mem_nothing"}]
        assert (await page("POST", "/api/v1/review/accept", items=items))["status"] in (403, 404)
        assert (await page("GET", "/api/v1/nothing"))["status"] == 404
        assert (await page("GET", "/../etc/passwd"))["status"] == 400
        assert (await page("GET", "http://evil.example/"))["status"] == 400
        assert (await page("GET", "/api/v1/timeline?limit=0"))["data"]["error"]["details"]["field"] == "limit"

    talk_to(tmp_path, "auto", talk, APPS)


@pytest.mark.parametrize(
    "capabilities",
    [
        None,
        {},
        [],
        {"extensions": []},
        {"extensions": {apps.EXTENSION: None}},
        {"extensions": {apps.EXTENSION: {}}},
    ],
)
def test_a_malformed_declaration_is_none(capabilities: object):
    assert not shows_apps(capabilities)
