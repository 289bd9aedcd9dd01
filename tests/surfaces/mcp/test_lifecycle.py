"""First messages, subscriptions, cancellation and end: no answer is lost, stdout has nothing else."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters

ONLY_UNIX = pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
HEAVY = {
    "asyncio",
    "click",
    "dataclasses",
    "logging",
    "msgspec",
    "pathlib",
    "rich",
    "sqlite3",
    "subprocess",
    "tomllib",
    "typing",
}


def wait_for(path) -> None:
    """Wait until the running tool has created the file."""
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, "the tool was never begun"
        time.sleep(0.005)


class TestStart:
    def test_the_application_is_opened_at_the_first_call(self, connect, tmp_path):
        log = tmp_path / "log"
        client = connect(log=log)
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"):
            client.result(method)
        client.error("tools/call", {"name": "no_such_tool"})
        assert not log.exists()
        client.call("echo")
        client.call("echo")
        client.finish()
        lines = [line for line in log.read_text().splitlines() if line != "settled"]
        assert lines == ["opened", "called echo", "called echo", "closed"]

    def test_serving_needs_only_the_light_part_of_the_standard_library(self):
        program = (
            "import sys; before = set(sys.modules); import rum.surfaces.mcp.server;"
            "import rum.surfaces.mcp.protocol;"
            "print(*(set(sys.modules) - before))"
        )
        loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert "json" in loaded.stdout.split()
        assert not HEAVY & {name.partition(".")[0] for name in loaded.stdout.split()}


class TestOutput:
    def test_other_output_never_reaches_the_client(self, client):
        result = client.call("chatter")
        assert result["structuredContent"] == {"child_read": 0}
        assert client.call("echo", after="noise")["structuredContent"] == {"after": "noise"}
        assert client.finish() == []
        noise = client.stderr()
        assert noise.splitlines() == [
            "stray original print",
            "stray print",
            "stray descriptor write",
            "stray child",
        ]

    def test_a_child_process_cannot_read_the_clients_input(self, legacy):
        first, second = legacy.ask("tools/call", {"name": "chatter"}), legacy.ask("ping")
        assert [message["id"] for message in legacy.finish()] == [first, second]

    def test_replies_larger_than_a_pipe_are_complete(self, client):
        text = "記憶" * 300_000
        assert client.call("echo", text=text)["structuredContent"] == {"text": text}

    def test_a_client_that_writes_much_before_it_reads_does_not_lock_up(self, legacy):
        ids = [
            legacy.ask("tools/call", {"name": "echo", "arguments": {"t": "x" * 50_000}}) for _ in range(60)
        ]
        assert [legacy.receive()["id"] for _ in ids] == ids


class TestCancellation:
    def test_a_request_cancelled_in_the_queue_is_neither_run_nor_answered(self, connect, tmp_path):
        started, go, log = tmp_path / "started", tmp_path / "go", tmp_path / "log"
        client = connect(log=log)
        at_work = client.ask(
            "tools/call", {"name": "wait", "arguments": {"started": str(started), "go": str(go)}}
        )
        cancelled = client.ask("tools/call", {"name": "echo"})
        wait_for(started)
        client.cancel(cancelled)
        go.touch()
        kept = client.ask("ping")
        assert [message["id"] for message in client.finish()] == [at_work, kept]
        assert "called echo" not in log.read_text()

    @pytest.mark.parametrize("request_id", [0, 17, "", "seventeen"])
    def test_a_request_cancelled_while_it_runs_is_not_answered(self, client, tmp_path, request_id):
        started, go = tmp_path / "started", tmp_path / "go"
        arguments = {"started": str(started), "go": str(go)}
        client.ask("tools/call", {"name": "wait", "arguments": arguments}, request_id)
        wait_for(started)
        client.cancel(request_id)
        go.touch()
        after = client.ask("tools/list", request_id="after")
        assert [message["id"] for message in client.finish()] == [after]

    def test_cancelling_an_unknown_or_finished_request_changes_nothing(self, client):
        done = client.ask("tools/list")
        client.receive()
        for target in (done, 999, "999", str(done)):
            client.cancel(target)
        assert client.request("tools/list", request_id=done)["id"] == done
        assert client.finish() == []

    @pytest.mark.parametrize("target", [None, True, 1.0, "1", [1], {"id": 1}])
    def test_a_cancellation_without_a_request_changes_nothing(self, modern, target):
        modern.ask("subscriptions/listen", {"notifications": {}}, 1)
        modern.receive()
        modern.cancel(target)
        modern.request("tools/list", request_id="other")
        assert [message["id"] for message in modern.finish()] == [1]

    def test_an_id_can_be_reused_after_its_cancellation(self, legacy, tmp_path):
        started, go = tmp_path / "started", tmp_path / "go"
        legacy.ask("tools/call", {"name": "wait", "arguments": {"started": str(started), "go": str(go)}}, 5)
        wait_for(started)
        legacy.cancel(5)
        go.touch()
        assert legacy.request("tools/call", {"name": "echo"}, 5)["result"]["structuredContent"] == {}


class TestEnd:
    def test_the_server_answers_everything_and_ends_with_the_input(self, connect, tmp_path):
        log = tmp_path / "log"
        client = connect(log=log)
        ids = [client.ask("tools/call", {"name": "echo", "arguments": {"n": n}}) for n in range(100)]
        assert [message["id"] for message in client.finish()] == ids
        assert client.process.returncode == 0
        assert client.stderr() == ""
        assert log.read_text().endswith("closed\n")

    def test_the_server_ends_if_the_input_is_empty(self, silent):
        assert silent.finish() == []
        assert silent.process.returncode == 0

    def test_a_last_request_without_its_line_end_is_answered(self, silent):
        silent.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}')
        silent.process.stdin.close()
        silent.process.wait(30)
        assert json.loads(silent.raw()) == {"jsonrpc": "2.0", "id": 1, "result": {}}

    def test_an_input_that_ends_inside_a_message_is_a_parse_error(self, silent):
        silent.write(b'{"jsonrpc":"2.0","id":1,"meth')
        assert [message["error"]["code"] for message in silent.finish()] == [-32700]
        assert silent.process.returncode == 0

    @ONLY_UNIX
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_a_signal_ends_an_idle_server(self, connect, tmp_path, number):
        log = tmp_path / "log"
        client = connect("2026-07-28", log=log)
        client.call("echo")
        client.ask("subscriptions/listen", {"notifications": {}}, "stream")
        client.receive()
        client.process.send_signal(number)
        assert [message["id"] for message in client.leftover()] == ["stream"]
        assert client.process.returncode == 0
        assert client.stderr() == ""
        assert log.read_text().endswith("closed\n")

    @ONLY_UNIX
    @pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
    def test_after_a_signal_the_current_request_is_finished_and_answered(self, connect, tmp_path, number):
        started, go, log = tmp_path / "started", tmp_path / "go", tmp_path / "log"
        client = connect(log=log)
        at_work = client.ask(
            "tools/call", {"name": "wait", "arguments": {"started": str(started), "go": str(go)}}
        )
        client.ask("tools/call", {"name": "echo"})
        wait_for(started)
        client.cancel("nothing")  # so that the request behind has surely been taken in
        client.process.send_signal(number)
        go.touch()
        assert [message["id"] for message in client.leftover()] == [at_work]
        assert client.process.returncode == 0
        assert log.read_text().endswith("closed\n")

    @ONLY_UNIX
    def test_a_second_signal_ends_a_server_whose_tool_never_returns(self, legacy, tmp_path):
        started, never = tmp_path / "started", tmp_path / "never"
        legacy.ask("tools/call", {"name": "wait", "arguments": {"started": str(started), "go": str(never)}})
        wait_for(started)
        for _ in range(1000):
            legacy.process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                legacy.process.wait(0.02)
                break
        assert legacy.process.returncode == -signal.SIGTERM

    def test_a_client_that_closes_the_output_ends_the_server_without_an_error(self, server_command, tmp_path):
        log = tmp_path / "log"
        source, sink = os.pipe()
        with subprocess.Popen(
            server_command,
            stdin=subprocess.PIPE,
            stdout=sink,
            stderr=subprocess.PIPE,
            env={**os.environ, "ECHO_LOG": str(log)},
        ) as process:
            os.close(sink)
            os.close(source)
            process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}\n')
            process.stdin.flush()
            process.wait(30)
            assert process.stderr.read() == b""
        assert process.returncode == 0
        assert log.read_text() == "opened\ncalled echo\nclosed\n"


SERVER_INFO = "io.modelcontextprotocol/serverInfo"
SUBSCRIPTION_ID = "io.modelcontextprotocol/subscriptionId"
OURS = {"name": "echo", "version": "1.2.3"}
NEWS = {"notifications": {"toolsListChanged": True, "resourceSubscriptions": ["echo://all"]}}


class TestSubscriptions:
    def test_a_stream_is_acknowledged_without_notifications(self, modern):
        modern.ask("subscriptions/listen", NEWS, "stream-1")
        message = modern.receive()
        assert message["method"] == "notifications/subscriptions/acknowledged"
        assert message["params"] == {"notifications": {}, "_meta": {SUBSCRIPTION_ID: "stream-1"}}

    def test_a_stream_stays_open_until_the_server_ends(self, modern):
        modern.ask("subscriptions/listen", NEWS, 0)
        modern.receive()
        modern.call("echo")
        assert modern.finish() == [
            {
                "jsonrpc": "2.0",
                "id": 0,
                "result": {"resultType": "complete", "_meta": {SERVER_INFO: OURS, SUBSCRIPTION_ID: 0}},
            }
        ]

    def test_a_cancelled_stream_gets_no_response(self, modern):
        kept, cancelled = "kept", "cancelled"
        for name in (kept, cancelled):
            modern.ask("subscriptions/listen", NEWS, name)
            modern.receive()
        modern.cancel(cancelled)
        modern.call("echo")
        assert [message["id"] for message in modern.finish()] == [kept]

    @pytest.mark.parametrize("params", [{}, {"notifications": None}, {"notifications": ["toolsListChanged"]}])
    def test_a_stream_without_a_filter_is_refused(self, modern, params):
        assert modern.error("subscriptions/listen", params)["code"] == -32602
        assert modern.finish() == []


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
