"""The client of the official Python SDK with `rum mcp`, with a handshake and stateless."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters

TOOLS = [
    *("store", "recall", "trace", "update_memory", "why", "list", "link", "identity", "forget"),
    *("note", "journal", "learn", "brief"),
    *("create_chapter", "list_chapters", "synthesize", "recall_wisdom", "layers", "feedback"),
]
WORK = {
    "intent": {"goal": "Fix the flaky login test", "task_type": "test_write"},
    "outcome": {"success": True, "summary": "The clock is frozen now"},
    "actions": [{"type": "file_edit", "file_path": "tests/test_login.py"}],
}

# How the client opens, and the revision both sides then speak.
ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}

Conversation = Callable[[Client], Awaitable[None]]


def run_conversation(folder: Path, mode: str, talk: Conversation, *options: str) -> None:
    """Start `rum mcp` in a folder with its own home, and run a conversation with it."""
    environment = {
        **os.environ,
        "HOME": str(folder),
        "RUM_HOME": str(folder / "memory"),
        "RUM_IDLE_AFTER": "0",
    }
    project = folder / "project"
    project.mkdir(exist_ok=True)
    server = StdioServerParameters(
        command=sys.executable, args=["-m", "rum", "mcp", *options], env=environment, cwd=project
    )

    async def run() -> None:
        with anyio.fail_after(60):
            async with Client(server, mode=mode) as client:
                assert client.protocol_version == ERAS[mode]
                await talk(client)

    anyio.run(run)


def result_text(result: Any) -> Any:
    """The text of a result."""
    return json.loads(result.content[0].text)


def resource_text(result: Any) -> Any:
    """The text of a resource."""
    return json.loads(result.contents[0].text)


async def call(client: Client, tool: str, /, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool, which is the same as structured content and as text."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    assert result_text(result) == result.structured_content
    return result.structured_content


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdk_lists_every_tool_with_title_annotations_and_schema(tmp_path: Path, mode: str):
    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        assert all(tool.title and tool.description and tool.annotations for tool in tools)
        assert all(tool.input_schema["type"] == "object" for tool in tools)
        reading = {tool.name for tool in tools if tool.annotations.read_only_hint}
        assert reading == {"recall", "trace", "why", "list", "brief", "list_chapters", "recall_wisdom"}
        assert "Recall before" in (client.instructions or "")

    run_conversation(tmp_path, mode, talk)


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdk_calls_every_tool(tmp_path: Path, mode: str):
    async def talk(client: Client) -> None:
        agent = await call(client, "identity", action="register", type="main", name="developer")
        first = (await call(client, "store", **WORK))["memory_id"]
        second = (await call(client, "store", **{**WORK, "links": {"caused_by": [first]}}))["memory_id"]
        found = await call(client, "recall", file="tests/test_login.py")
        assert [memory["similar"] for memory in found["memories"]] == [1]  # the same text twice
        found = await call(client, "recall", file="tests/test_login.py", include_similar=True)
        assert {memory["id"] for memory in found["memories"]} == {first, second}
        chain = (await call(client, "trace", memory_id=second))["chain"]
        assert [node["memory"]["id"] for node in chain] == [first]
        changed = await call(client, "update_memory", memory_id=first, tags=["flaky"])
        assert changed["memory"]["tags"] == ["flaky"]
        listed = await call(client, "list")
        assert listed["total"] == 2
        again = await call(client, "link", source_id=second, target_id=first, link_type="caused_by")
        assert again["created"] is False
        chapters = [
            (await call(client, "create_chapter", memory_ids=ids))["chapter_id"]
            for ids in ([first, second], [second])
        ]
        assert (await call(client, "list_chapters", chapter_ids=chapters))["total"] == 2
        wisdom = (await call(client, "synthesize", chapter_ids=chapters))["wisdom_id"]
        recalled = await call(client, "recall_wisdom", wisdom_id=wisdom, include_chapters=True)
        assert recalled["wisdom"][0]["chapter_ids"] == chapters
        await call(client, "forget", id=first)
        info = await call(client, "identity", action="info")
        assert info["agent_id"] == agent["agent_id"]
        assert info["memory_count"] == 1

    run_conversation(tmp_path, mode, talk)


@pytest.mark.parametrize("mode", ERAS)
def test_an_error_is_a_result_with_a_message(tmp_path: Path, mode: str):
    async def talk(client: Client) -> None:
        result = await client.call_tool("recall", {"memory_id": "mem_unknown00"})
        assert result.is_error
        assert result_text(result)["code"] == "NOT_FOUND"
        empty = await call(client, "recall", query="anything")
        assert empty["code"] == "NO_RESULTS"

    run_conversation(tmp_path, mode, talk)


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdk_reads_the_resources(tmp_path: Path, mode: str):
    async def talk(client: Client) -> None:
        stored = (await call(client, "store", **WORK))["memory_id"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == ["rum://memory/{id}"]
        memory = resource_text(await client.read_resource(f"rum://memory/{stored}"))
        assert memory["intent"]["goal"] == WORK["intent"]["goal"]
        project = resource_text(await client.read_resource("rum://project"))
        assert project["memories"] == 1

    run_conversation(tmp_path, mode, talk)


def test_with_tools_core_only_core_tools_are_listed(tmp_path: Path):
    async def talk(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS[:4]

    run_conversation(tmp_path, "legacy", talk, "--tools", "core")


@pytest.mark.parametrize("mode", ERAS)
def test_the_sdk_lists_and_gets_the_prompt(tmp_path: Path, mode: str):
    async def talk(client: Client) -> None:
        (prompt,) = (await client.list_prompts()).prompts
        assert [argument.name for argument in prompt.arguments if argument.required] == ["task"]
        await call(client, "store", **WORK)
        result = await client.get_prompt(prompt.name, {"task": "Fix the flaky login test again"})
        (message,) = result.messages
        assert "- Fix the flaky login test: The clock is frozen now" in message.content.text
        assert message.content.text.endswith("Your task: Fix the flaky login test again")

    run_conversation(tmp_path, mode, talk)


FAILURE = {
    "intent": {"goal": "Sum up the cart", "task_type": "feature_add"},
    "outcome": {"success": False, "summary": "Wrong", "failure_reason": "Rounding differs by a cent"},
    "actions": [{"type": "file_edit", "file_path": "src/cart.py"}],
}


def store_failure(folder: Path) -> None:
    """Store a failure on src/cart.py in an earlier session."""

    async def talk(client: Client) -> None:
        await call(client, "store", **FAILURE)

    run_conversation(folder, "auto", talk)


def test_a_stateless_client_is_told_of_new_offers(tmp_path: Path):
    store_failure(tmp_path)

    async def talk(client: Client) -> None:
        async with client.listen(resource_subscriptions=["rum://offers", "rum://project"]) as subscription:
            assert subscription.honored.resource_subscriptions == ["rum://offers"]
            answer = await call(client, "recall", file="src/cart.py")
            assert "Rounding differs by a cent" in answer["warning"]
            async for event in subscription:
                assert event.uri == "rum://offers"
                break
        offers = resource_text(await client.read_resource("rum://offers"))["offers"]
        assert [one["text"] for one in offers if one["kind"] == "warning"] == [answer["warning"]]

    run_conversation(tmp_path, "auto", talk)


@pytest.mark.filterwarnings("ignore")  # the SDK calls subscribing by a handshake deprecated
def test_a_client_with_a_handshake_subscribes_to_offers(tmp_path: Path):
    store_failure(tmp_path)

    async def talk(client: Client) -> None:
        assert client.server_capabilities.resources.subscribe
        told = anyio.Event()

        async def notice(message: Any) -> None:
            if getattr(message, "method", "") == "notifications/resources/updated":
                assert message.params.uri == "rum://offers"
                told.set()

        client.session._message_handler = notice  # pyright: ignore[reportPrivateUsage]
        await client.subscribe_resource("rum://offers")
        await call(client, "recall", file="src/cart.py")
        await told.wait()
        await client.unsubscribe_resource("rum://offers")
        with pytest.raises(Exception, match=r"Only rum://offers"):
            await client.subscribe_resource("rum://project")

    run_conversation(tmp_path, "legacy", talk)
