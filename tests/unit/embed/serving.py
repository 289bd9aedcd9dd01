"""A real embeddings server on this machine, which answers, fails or delays as a test requires."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """One request as it came in."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        return self.body["input"]


def vector(text: str) -> list[float]:
    """A stand-in for a model: three numbers that depend on the text."""
    return [float(len(text)), float(text.count("a")), 1.0]


def embeddings(asked: Asked) -> bytes:
    """What a good server answers."""
    data = [{"index": number, "embedding": vector(text)} for number, text in enumerate(asked.texts)]
    return json.dumps({"object": "list", "model": asked.body["model"], "data": data}).encode()


class Server:
    """Where it listens, what it was asked, and what it does: `answer` may be changed at any time."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.asked: list[Asked] = []
        self.status = 200
        self.refuses: Callable[[str], bool] = lambda _: False
        """A request with such a text gets `refusal` instead of an answer."""
        self.refusal = 400
        self.headers: dict[str, str] = {}
        self.answer: Callable[[Asked], bytes] = embeddings
        self.drip = 0.0
        """Seconds between the bytes of an answer."""
        self.closing = threading.Event()


@contextmanager
def serving() -> Iterator[Server]:
    """A server for as long as the test needs it."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            asked = Asked(self.path, dict(self.headers), json.loads(raw))
            server.asked.append(asked)
            refused = any(map(server.refuses, asked.texts))
            self._send(server.answer(asked), server.refusal if refused else server.status)

        def do_GET(self) -> None:
            server.asked.append(Asked(self.path, dict(self.headers), {}))
            self._send(b"{}", server.status)

        def _send(self, body: bytes, status: int) -> None:
            self.send_response(status)
            for name, value in server.headers.items():
                self.send_header(name, value)
            self.end_headers()
            if not server.drip:
                self.wfile.write(body)
            else:
                for number in range(len(body)):
                    self.wfile.write(body[number : number + 1])
                    if server.closing.wait(server.drip):
                        return

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    class Quiet(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            """A client that hangs up is part of the test."""

    listening = Quiet(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{listening.server_port}/v1")
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        server.closing.set()
        listening.shutdown()
        listening.server_close()
        thread.join()
