"""A client that talks to a server over stdio and validates every message it receives."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
from mcp_types import methods
from mcp_types.jsonrpc import JSONRPCError, JSONRPCNotification, JSONRPCResponse

SERVER = [sys.executable, str(Path(__file__).with_name("echo_server.py"))]
STATELESS = "2026-07-28"
HANDSHAKES = ("2025-06-18", "2025-11-25")
PATIENCE = 30  # seconds until a missing answer counts as missing


class StdioClient:
    """A server process and the conversation with it.

    The models of `mcp_types` gate every method by revision. They check shapes by the 2026-07-28 schema for
    that revision and by the 2025-11-25 schema for all before it, which for what a server sends is 2025-06-18
    plus optional fields.
    """

    def __init__(self, revision: str = HANDSHAKES[-1], log: Path | None = None) -> None:
        self.revision = revision
        self._asked: dict[Any, str] = {}
        self._count = 0
        environment = {**os.environ, "ECHO_LOG": str(log or "")}
        self.process = subprocess.Popen(
            SERVER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
        )
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._errors: list[bytes] = []
        self._readers = [
            threading.Thread(target=self._collect_lines, daemon=True),
            threading.Thread(target=self._collect_errors, daemon=True),
        ]
        for reader in self._readers:
            reader.start()

    def _collect_lines(self) -> None:
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def _collect_errors(self) -> None:
        self._errors.extend(self.process.stderr or ())

    # ------------------------------------------------------------------ sending

    def write(self, data: bytes) -> None:
        """Send bytes unchanged."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        if isinstance(message, dict) and "id" in message and isinstance(message["id"], str | int):
            self._asked[message["id"]] = str(message.get("method"))
        self.write(json.dumps(message).encode() + b"\n")

    def ask(self, method: str, params: dict | None = None, request_id: Any = None) -> Any:
        """Send a request in this client's revision, without waiting; return its id."""
        if request_id is None:
            self._count += 1
            request_id = self._count
        params = dict(params or {})
        if self.revision == STATELESS and "_meta" not in params:
            params["_meta"] = self.meta()
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params})
        return request_id

    def meta(self, **changes: Any) -> dict:
        """The metadata of a stateless request; a keyword changes a field, None omits it."""
        fields = {
            "protocolVersion": STATELESS,
            "clientInfo": {"name": "test", "version": "0"},
            "clientCapabilities": {},
            **changes,
        }
        return {
            f"io.modelcontextprotocol/{name}": value for name, value in fields.items() if value is not None
        }

    def notify(self, method: str, **params: Any) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def cancel(self, request_id: Any) -> None:
        """Cancel, and return only once the server has surely read it.

        A blank line means nothing, and one longer than a pipe can hold is written only when what stands
        before it was taken out.
        """
        self.notify("notifications/cancelled", requestId=request_id, reason="changed my mind")
        self.write(b" " * 2_000_000 + b"\n")

    # ---------------------------------------------------------------- receiving

    def raw(self) -> bytes:
        """The next line; empty at the end of the stream."""
        return self._lines.get(timeout=PATIENCE)

    def receive(self) -> dict:
        """The next message, checked."""
        line = self.raw()
        assert line, "the server closed its output"
        return self.check(line)

    def check(self, line: bytes) -> dict:
        assert line.endswith(b"\n")
        message = json.loads(line.decode("utf-8"))
        if "error" in message:
            JSONRPCError.model_validate(message)
        elif "method" in message:
            JSONRPCNotification.model_validate(message)
            methods.parse_server_notification(message["method"], self.revision, message["params"])
        else:
            JSONRPCResponse.model_validate(message)
            methods.validate_server_result(self._asked[message["id"]], self.revision, message["result"])
        return message

    def request(self, method: str, params: dict | None = None, request_id: Any = None) -> dict:
        """Send a request and return the reply, which must be the next message."""
        request_id = self.ask(method, params, request_id)
        message = self.receive()
        assert message["id"] == request_id
        return message

    def result(self, method: str, params: dict | None = None) -> dict:
        return self.request(method, params)["result"]

    def error(self, method: str, params: dict | None = None) -> dict:
        return self.request(method, params)["error"]

    def call(self, name: str, **arguments: Any) -> dict:
        return self.result("tools/call", {"name": name, "arguments": arguments})

    def initialize(self, revision: str | None = None) -> dict:
        self.revision = revision or self.revision
        info = {"name": "test", "version": "0"}
        wanted = {"protocolVersion": self.revision, "capabilities": {}, "clientInfo": info}
        result = self.result("initialize", wanted)
        self.notify("notifications/initialized")
        return result

    # ------------------------------------------------------------------- ending

    def finish(self) -> list[dict]:
        """Close the input; return the messages that still came, once the server has ended by itself."""
        if not self.process.stdin.closed:
            self.process.stdin.close()
        return self.leftover()

    def leftover(self) -> list[dict]:
        """The messages up to the end of the output; the server must end."""
        self.process.wait(PATIENCE)
        return [self.check(line) for line in iter(self.raw, b"")]

    def stderr(self) -> str:
        """Everything the ended server wrote to its stderr."""
        self._readers[1].join(PATIENCE)
        return b"".join(self._errors).decode()

    def __enter__(self) -> StdioClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        for reader in self._readers:
            reader.join(PATIENCE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(OSError):
                stream.close()


@pytest.fixture
def server_command() -> list[str]:
    """The command that starts the echo server."""
    return SERVER


@pytest.fixture
def connect() -> Iterator[Callable[..., StdioClient]]:
    """Start echo servers: `connect(revision, log=path)` returns a client after its handshake."""
    with ExitStack() as stack:

        def start(revision: str = HANDSHAKES[-1], log: Path | None = None) -> StdioClient:
            client = stack.enter_context(StdioClient(revision, log))
            if revision != STATELESS:
                client.initialize()
            return client

        yield start


@pytest.fixture(params=[*HANDSHAKES, STATELESS])
def client(request: pytest.FixtureRequest, connect: Callable[..., StdioClient]) -> StdioClient:
    """A connected client of each revision in turn."""
    return connect(request.param)


@pytest.fixture
def legacy(connect: Callable[..., StdioClient]) -> StdioClient:
    """A client after its handshake, in the newest version with one."""
    return connect(HANDSHAKES[-1])


@pytest.fixture
def modern(connect: Callable[..., StdioClient]) -> StdioClient:
    """A client of the stateless revision."""
    return connect(STATELESS)


@pytest.fixture
def silent() -> Iterator[StdioClient]:
    """A client that has not sent anything yet."""
    with StdioClient() as client:
        yield client


@pytest.fixture(scope="module")
def lasting() -> Iterator[StdioClient]:
    """One server for all the examples of a property."""
    with StdioClient() as client:
        client.initialize()
        yield client
