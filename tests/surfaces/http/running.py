"""A real `rum serve` on a free port, its tokens, and plain HTTP requests to it."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rum.app.access import AccessTokens
from rum.app.caller import Role
from rum.app.rum import locate

PATIENCE = 60
WORK = {
    "intent": {"goal": "Fix the flaky login test", "task_type": "test_write"},
    "outcome": {"success": True, "summary": "The clock is frozen now"},
    "actions": [{"type": "file_edit", "file_path": "tests/test_login.py"}],
}


@dataclass
class Answer:
    """An HTTP answer."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def tool(self) -> Any:
        """What a tool answered."""
        return json.loads(self.json["result"]["content"][0]["text"])


@dataclass
class Server:
    """A running server; `tokens` are the secrets by name."""

    home: Path
    process: subprocess.Popen[str]
    port: int
    tokens: dict[str, str] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def create(self, name: str, role: Role = "writer", project: str = "shop", per_minute: int = 600) -> str:
        """A new token."""
        made = create_token(self.home, name, role, project, per_minute)
        self.tokens[name] = made
        return made

    def ask(
        self,
        method: str = "POST",
        path: str = "/mcp",
        body: object = None,
        token: str | None = None,
        **headers: str | None,
    ) -> Answer:
        """Send a request; None as a header leaves it out."""
        data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        given = {"Content-Type": "application/json", "Host": f"127.0.0.1:{self.port}"}
        if token is not None:
            given["Authorization"] = f"Bearer {token}"
        for name, value in headers.items():
            given.pop(name.replace("_", "-"), None)
            if value is not None:
                given[name.replace("_", "-")] = value
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True)
            for name, value in given.items():
                connection.putheader(name, value)
            connection.putheader("Content-Length", str(len(data)))
            connection.endheaders(data)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()

    def call(self, tool: str, token: str | None = None, /, **arguments: Any) -> Answer:
        """Call a tool as a client that made no handshake."""
        params = {"name": tool, "arguments": arguments}
        return self.ask(
            body={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, token=token
        )

    def stop(self) -> int:
        """End it as a process manager does, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(PATIENCE)
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
            self.process.stderr.close()


def create_token(home: Path, name: str, role: Role, project: str, per_minute: int = 600) -> str:
    _, location = locate(str(home.parent), {"project": project, "home": str(home)}, create=True)
    return AccessTokens(str(home)).create(name, role, location.id, per_minute)[1]


def start(
    home: Path,
    *options: str,
    cwd: Path | None = None,
    limits: Mapping[str, float] | None = None,
    store: str | None = None,
    environ: Mapping[str, str] | None = None,
    defect: str = "",
) -> Server:
    """Start a server; `limits` replace those of the module of that name, `defect` is run before it starts."""
    program = "import sys; from rum.surfaces.http import limits; "
    program += "".join(f"limits.{name} = {value}; " for name, value in (limits or {}).items())
    program += f"{defect}; " if defect else ""
    program += "from rum.__main__ import main; sys.exit(main())"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
    environment |= {"RUM_HOME": str(home), "RUM_IDLE_AFTER": "0", "RUM_EMBEDDER": "none"}
    environment |= {"RUM_STORE": store} if store else {}
    environment |= environ or {}
    process = subprocess.Popen(
        [sys.executable, "-c", program, "serve", "--port", "0", *options],
        cwd=cwd or home.parent,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    first = process.stderr.readline()
    found = re.search(r":(\d+)/mcp", first)
    if not found:
        rest = process.communicate()[1]
        raise AssertionError(first + rest)
    server = Server(home, process, int(found[1]))

    def drain() -> None:
        server.complaints.extend(process.stderr)

    threading.Thread(target=drain, daemon=True).start()
    return server
