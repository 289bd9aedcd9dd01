"""Language models for tests: one that follows a script, and a real server with three APIs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any, NamedTuple, TypeVar

from rum.llm.base import NoValidAnswer
from rum.llm.client import InvalidAnswer, parse_answer

T = TypeVar("T")
KINDS = ("openai", "anthropic", "ollama")


class ScriptedModel:
    """Answers with the lines of its script, then repeats the last one; records the requests."""

    name = "scripted"

    def __init__(self, *script: object) -> None:
        self._script = [line if isinstance(line, Exception | str) else json.dumps(line) for line in script]
        self.asked: list[str] = []

    def complete(self, prompt: str, schema: type[T]) -> T:
        self.asked.append(prompt)
        line = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if isinstance(line, Exception):
            raise line
        try:
            return parse_answer(line, schema, lambda value: value)
        except InvalidAnswer as wrong:
            raise NoValidAnswer(str(wrong)) from None


class Request(NamedTuple):
    """A request that the server received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def said(self) -> list[str]:
        """The texts of the messages."""
        return [message["content"] for message in self.body["messages"]]


class Trouble(NamedTuple):
    """An HTTP status in place of an answer."""

    status: int
    body: str = "no"
    headers: Sequence[tuple[str, str]] = ()


STUCK = "\0stuck"  # In the script: never answer
RAW = "\0raw"  # At the start of an answer: send the rest as the raw body


class ModelServer:
    """A local server with the APIs of OpenAI, Anthropic and Ollama, which follows a script."""

    def __init__(self) -> None:
        self.script: list[object] = ["{}"]
        """Answers and errors in order; the last one is repeated."""
        self.answer: Callable[[Request], object] | None = None
        """A function that makes the answer from the request, used instead of the script."""
        self.requests: list[Request] = []
        self.usage: tuple[int, int] | None = (100, 10)
        """The tokens read and written that it reports with each answer."""
        self.over = Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def settings(self, kind: str = "openai", **more: object) -> dict[str, str]:
        """The environment variables that make RUM use it."""
        given = {"llm": kind, "llm_url": self.url, "llm_model": "some-model", "llm_timeout": 10, **more}
        return {f"RUM_{name.upper()}": str(value) for name, value in given.items()}

    def next_line(self, request: Request) -> object:
        """The next answer of the script."""
        if self.answer:
            return self.answer(request)
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    @contextmanager
    def serving(self) -> Iterator[ModelServer]:
        """Serve until the end of the block."""
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield self
        finally:
            self.over.set()
            self._server.shutdown()
            self._server.server_close()


def spoken(path: str, text: str, usage: tuple[int, int] | None) -> dict[str, Any]:
    """A text in the response format of the API at a path."""
    if path.endswith("/chat/completions"):
        counts = usage and {"prompt_tokens": usage[0], "completion_tokens": usage[1]}
        return {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": counts or None}
    if path.endswith("/v1/messages"):
        counts = usage and {"input_tokens": usage[0], "output_tokens": usage[1]}
        thinking = {"type": "thinking", "thinking": "hm", "signature": "s"}
        return {"content": [thinking, {"type": "text", "text": text}], "usage": counts or None}
    if path.endswith("/api/chat"):
        counts = {"prompt_eval_count": usage[0], "eval_count": usage[1]} if usage else {}
        return {"message": {"role": "assistant", "content": text}, "done": True, **counts}
    raise AssertionError(f"nobody asks at {path}")


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            request = Request(self.path, headers, body)
            server.requests.append(request)
            line = server.next_line(request)
            if line == STUCK:
                server.over.wait()
            elif isinstance(line, Trouble):
                self._send(line.status, line.body.encode(), line.headers)
            elif isinstance(line, str) and line.startswith(RAW):
                self._send(200, line.removeprefix(RAW).encode())
            else:
                text = line if isinstance(line, str) else json.dumps(line)
                self._send(200, json.dumps(spoken(self.path, text, server.usage)).encode())

        def _send(self, status: int, body: bytes, headers: Sequence[tuple[str, str]] = ()) -> None:
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: Any) -> None:
            """Write nothing to stderr."""

    return Handler
