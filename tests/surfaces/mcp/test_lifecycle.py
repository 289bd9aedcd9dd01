"""How the server begins, is interrupted and ends: nothing lost, nothing left, nothing stray on stdout."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

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
    """Until the tool at work has made the file."""
    deadline = time.monotonic() + 30
    while not path.exists():
        assert time.monotonic() < deadline, "the tool was never begun"
        time.sleep(0.005)


class TestBeginning:
    def test_the_door_opens_at_the_first_call_and_not_before(self, connect, tmp_path):
        log = tmp_path / "log"
        client = connect(log=log)
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list", "ping"):
            client.result(method)
        client.error("tools/call", {"name": "no_such_tool"})
        assert not log.exists()
        client.call("echo")
        client.call("echo")
        client.finish()
        assert log.read_text().split("\n")[:3] == ["opened", "called echo", "settled"]
        assert log.read_text().count("opened") == 1

    def test_serving_needs_only_the_light_part_of_the_standard_library(self):
        program = (
            "import sys; before = set(sys.modules); import rum.surfaces.mcp.server;"
            "import rum.surfaces.mcp.application;"
            "print(*(set(sys.modules) - before))"
        )
        loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert "json" in loaded.stdout.split()
        assert not HEAVY & {name.partition(".")[0] for name in loaded.stdout.split()}


class TestOutput:
    def test_stray_writing_never_reaches_the_client(self, client):
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

    def test_a_child_process_cannot_take_what_the_client_sent(self, legacy):
        first, second = legacy.ask("tools/call", {"name": "chatter"}), legacy.ask("ping")
        assert [message["id"] for message in legacy.finish()] == [first, second]

    def test_replies_larger_than_a_pipe_come_whole(self, client):
        text = "記憶" * 300_000
        assert client.call("echo", text=text)["structuredContent"] == {"text": text}

    def test_a_client_that_writes_much_before_it_reads_does_not_lock_up(self, legacy):
        asked = [
            legacy.ask("tools/call", {"name": "echo", "arguments": {"t": "x" * 50_000}}) for _ in range(60)
        ]
        assert [legacy.receive()["id"] for _ in asked] == asked


class TestCancelling:
    def test_a_request_cancelled_while_it_waits_is_neither_done_nor_answered(self, connect, tmp_path):
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
    def test_a_request_cancelled_while_it_is_worked_on_is_not_answered(self, client, tmp_path, request_id):
        started, go = tmp_path / "started", tmp_path / "go"
        arguments = {"started": str(started), "go": str(go)}
        client.ask("tools/call", {"name": "wait", "arguments": arguments}, request_id)
        wait_for(started)
        client.cancel(request_id)
        go.touch()
        after = client.ask("tools/list", request_id="after")
        assert [message["id"] for message in client.finish()] == [after]

    def test_cancelling_what_is_unknown_or_done_changes_nothing(self, client):
        done = client.ask("tools/list")
        client.receive()
        for target in (done, 999, "999", str(done)):
            client.cancel(target)
        assert client.request("tools/list", request_id=done)["id"] == done
        assert client.finish() == []

    @pytest.mark.parametrize("target", [None, True, 1.0, "1", [1], {"id": 1}])
    def test_a_cancellation_that_names_no_request_changes_nothing(self, modern, target):
        modern.ask("subscriptions/listen", {"notifications": {}}, 1)
        modern.receive()
        modern.cancel(target)
        modern.request("tools/list", request_id="other")
        assert [message["id"] for message in modern.finish()] == [1]

    def test_an_id_may_be_used_again_after_its_cancellation(self, legacy, tmp_path):
        started, go = tmp_path / "started", tmp_path / "go"
        legacy.ask("tools/call", {"name": "wait", "arguments": {"started": str(started), "go": str(go)}}, 5)
        wait_for(started)
        legacy.cancel(5)
        go.touch()
        assert legacy.request("tools/call", {"name": "echo"}, 5)["result"]["structuredContent"] == {}


class TestEnding:
    def test_it_ends_when_the_input_does_and_answers_first(self, connect, tmp_path):
        log = tmp_path / "log"
        client = connect(log=log)
        asked = [client.ask("tools/call", {"name": "echo", "arguments": {"n": n}}) for n in range(100)]
        assert [message["id"] for message in client.finish()] == asked
        assert client.process.returncode == 0
        assert client.stderr() == ""
        assert log.read_text().split("\n")[-3:] == ["settled", "closed", ""]

    def test_it_ends_when_nothing_was_ever_said(self, silent):
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
    def test_a_signal_ends_it_when_idle(self, connect, tmp_path, number):
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
    def test_a_signal_lets_the_request_at_work_be_finished_and_answered(self, connect, tmp_path, number):
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
    def test_insisting_ends_it_even_if_the_work_never_does(self, legacy, tmp_path):
        started, never = tmp_path / "started", tmp_path / "never"
        legacy.ask("tools/call", {"name": "wait", "arguments": {"started": str(started), "go": str(never)}})
        wait_for(started)
        for _ in range(1000):
            legacy.process.send_signal(signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                legacy.process.wait(0.02)
                break
        assert legacy.process.returncode == -signal.SIGTERM

    def test_a_client_that_stops_listening_ends_it_quietly(self, server_command, tmp_path):
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
