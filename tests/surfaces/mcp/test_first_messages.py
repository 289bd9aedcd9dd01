"""The first messages of common clients, as recorded, and the official client."""

from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

STATELESS = "2026-07-28"


class TestOpeningsOfRealClients:
    def test_claude_code(self, modern):
        info = {
            "name": "claude-code",
            "title": "Claude Code",
            "version": "2.1.325",
            "websiteUrl": "https://x.test",
        }
        capabilities = {"roots": {"listChanged": True}, "elicitation": {"form": {}, "url": {}}}
        meta = modern.meta(clientInfo=info, clientCapabilities=capabilities)
        news = {"toolsListChanged": True, "promptsListChanged": True, "resourcesListChanged": True}
        assert "result" in modern.request("server/discover", {"_meta": meta}, "server-discover-probe-1")
        modern.ask("subscriptions/listen", {"_meta": meta, "notifications": news}, 0)
        assert modern.receive()["method"] == "notifications/subscriptions/acknowledged"
        for number, method in enumerate(("prompts/list", "resources/list", "tools/list"), start=1):
            assert "result" in modern.request(method, {"_meta": meta}, number)
        call = {"name": "whoami", "_meta": {**meta, "claudecode/toolUseId": "toolu_1", "progressToken": 4}}
        assert modern.result("tools/call", call)["structuredContent"]["client"] == "claude-code"

    def test_codex(self, silent):
        silent.revision = "2025-06-18"
        greeting = {
            "protocolVersion": "2025-06-18",
            "capabilities": {
                "experimental": {"codex/auth-change": {}},
                "elicitation": {"form": {}, "url": {}},
            },
            "clientInfo": {"name": "codex-mcp-client", "title": "Codex", "version": "0.166.0"},
        }
        assert silent.request("initialize", greeting, 0)["result"]["protocolVersion"] == "2025-06-18"
        silent.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert "tools" in silent.request("tools/list", {"_meta": {"progressToken": 0}}, 1)["result"]
        call = {"_meta": {"callId": "call_1", "sessionId": "01a1", "progressToken": 1}, "name": "whoami"}
        assert silent.result("tools/call", call)["structuredContent"] == {
            "client": "codex-mcp-client",
            "session": "01a1",
        }

    def test_opencode(self, silent):
        greeting = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"roots": {}},
            "clientInfo": {"name": "opencode", "version": "1.18.33"},
        }
        assert silent.request("initialize", greeting, 0)["result"]["protocolVersion"] == "2025-11-25"
        silent.notify("notifications/initialized")
        silent.send({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        assert silent.receive()["id"] == 1

    def test_gemini_cli(self, silent):
        silent.revision = "2025-06-18"
        greeting = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "g", "version": "0"},
        }
        assert silent.request("initialize", greeting, 0)["result"]["protocolVersion"] == "2025-06-18"
        silent.notify("notifications/initialized")
        silent.send({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert silent.receive() == {"jsonrpc": "2.0", "id": 1, "result": {}}

    @pytest.mark.parametrize(("mode", "agreed"), [("auto", STATELESS), ("legacy", "2025-11-25")])
    def test_the_official_client(self, server_command, mode, agreed):
        async def run_conversation() -> None:
            server = StdioServerParameters(command=server_command[0], args=server_command[1:])
            async with Client(server, mode=mode) as client:
                assert client.protocol_version == agreed
                assert client.instructions == "Use echo to hear yourself."
                assert [tool.name for tool in (await client.list_tools()).tools][:2] == ["echo", "whoami"]
                assert (await client.call_tool("echo", {"a": 1})).structured_content == {"a": 1}
                assert (await client.call_tool("refuse", {})).is_error
                read: Any = await client.read_resource("echo://one/1")
                assert read.contents[0].text == "hé"
                with pytest.raises(MCPError):
                    await client.call_tool("crash", {})

        anyio.run(run_conversation)
