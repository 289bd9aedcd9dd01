"""A language model that follows a script, with the APIs that Claude Code and Codex use."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Json = dict[str, Any]
# A text, or a tool and its arguments. Codex calls a tool with a line of JavaScript.
Step = str | tuple[str, Json]
# A step, or what makes one of the request that it answers.
Planned = Step | Callable[[Json], Step]


class ScriptedModel:
    """Answers each request of a conversation with the next step, and keeps the requests it was asked."""

    def __init__(self, steps: list[Planned]) -> None:
        self._steps = iter(steps)
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.requests: list[Json] = []
        """The bodies of the requests of the conversation, in their order."""

    def __enter__(self) -> ScriptedModel:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def texts(self, number: int) -> str:
        """Everything that a request put before the model, as one text."""
        body = self.requests[number]
        return "\n".join(_strings([body.get("messages"), body.get("input")]))

    def answer(self, path: str, body: Json) -> Iterator[tuple[str, Json]]:
        """The events of one answer."""
        with self._lock:
            if not _offered(body, ""):
                step: Step = "ok"  # a title, or something else beside the conversation
            else:
                self.requests.append(body)
                planned = next(self._steps, "Done.")
                step = planned(body) if callable(planned) else planned
            number = len(self.requests)
        return _messages(step, number) if path.endswith("/messages") else _responses(step, number, body)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

            def do_GET(self) -> None:
                self._send("application/json", b'{"data": [], "models": []}')

            def do_HEAD(self) -> None:
                self.do_GET()

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
                path = self.path.partition("?")[0].rstrip("/")
                if not path.endswith(("/messages", "/responses")):
                    self._send("application/json", b'{"input_tokens": 1}')
                    return
                events = model.answer(path, body)
                lines = (
                    f"event: {kind}\ndata: {json.dumps({'type': kind, **said})}\n\n" for kind, said in events
                )
                self._send("text/event-stream", "".join(lines).encode())

            def _send(self, kind: str, data: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(data)

        return Handler


def _messages(step: Step, number: int) -> Iterator[tuple[str, Json]]:
    """An answer as Anthropic's Messages API streams it."""
    if isinstance(step, str):
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": step}
    else:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": step[0], "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(step[1])}
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "m", "content": []}
    yield (
        "message_start",
        {"message": {**message, "stop_reason": None, "stop_sequence": None, "usage": usage}},
    )
    yield "content_block_start", {"index": 0, "content_block": block}
    yield "content_block_delta", {"index": 0, "delta": delta}
    yield "content_block_stop", {"index": 0}
    reason = "end_turn" if isinstance(step, str) else "tool_use"
    yield "message_delta", {"delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}
    yield "message_stop", {}


def _responses(step: Step, number: int, body: Json) -> Iterator[tuple[str, Json]]:
    """An answer as OpenAI's Responses API streams it, as far as Codex looks."""
    if isinstance(step, str):
        said = [{"type": "output_text", "text": step}]
        item: Json = {"type": "message", "id": f"msg_{number}", "role": "assistant", "content": said}
    else:
        code = f"text(await tools.{step[0]}({json.dumps(step[1])}));"
        item = {"type": "custom_tool_call", "id": f"ctc_{number}", "call_id": f"call_{number}", "input": code}
        item |= {"name": "exec", **_offered(body, "exec")}
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    made = {"id": f"resp_{number}"}
    yield "response.created", {"response": made}
    yield "response.output_item.done", {"output_index": 0, "item": item}
    yield "response.completed", {"response": {**made, "output": [item], "usage": usage}}


def _offered(body: Json, name: str) -> Json:
    """Where a tool stands among those offered: its namespace, if any; without a name, whether any are."""
    found = [*body.get("tools", [])]
    for item in body.get("input") or []:
        found += item.get("tools", []) if item.get("type") == "additional_tools" else []
    for tool in found:
        if not name or tool.get("name") == name:
            return {"offered": True} if not name else {}
        if any(inner.get("name") == name for inner in tool.get("tools", [])):
            return {"namespace": tool["name"]}
    return {}


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from _strings(one)
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
