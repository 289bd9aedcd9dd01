"""Ollama on this machine, by its own API, which holds small models to a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from rum.llm.base import Json, Message, Reply
from rum.net.post import bearer


class _Said(msgspec.Struct):
    content: str = ""


class _Answer(msgspec.Struct):
    message: _Said
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class OllamaWire:
    """Chat, whole answers."""

    def __init__(self, url: str | None = None) -> None:
        self.address = _full((url or "http://localhost:11434").rstrip("/"))

    def headers(self, key: str | None) -> Mapping[str, str]:
        """A key only where somebody put a door before it."""
        return bearer(key)

    def body(self, model: str, said: Sequence[Message], schema: Json, most: int) -> Json:
        """The conversation and the form of its answer."""
        return {
            "model": model,
            "messages": [{"role": one.role, "content": one.text} for one in said],
            "format": schema,
            "options": {"num_predict": most, "temperature": 0},
            "stream": False,
        }

    def read(self, raw: bytes) -> Reply:
        """The message."""
        answer = msgspec.json.decode(raw, type=_Answer)
        return Reply(answer.message.content, answer.prompt_eval_count, answer.eval_count)


def _full(url: str) -> str:
    if url.endswith("/api/chat"):
        return url
    # Whoever has set it for embeddings has the address of its other API.
    base = url.removesuffix("/v1")
    return f"{base}/chat" if base.endswith("/api") else f"{base}/api/chat"
