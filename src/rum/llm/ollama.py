"""Ollama's own API, which makes even small models follow a JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from rum.llm.base import Json, Message, Reply
from rum.net.post import bearer


class _Message(msgspec.Struct):
    content: str = ""


class _Answer(msgspec.Struct):
    message: _Message
    prompt_eval_count: int | None = None
    eval_count: int | None = None


class OllamaFormat:
    """The chat API without streaming."""

    def __init__(self, url: str | None = None) -> None:
        self.address = _endpoint_url((url or "http://localhost:11434").rstrip("/"))

    def headers(self, key: str | None) -> Mapping[str, str]:
        # Ollama itself needs no key; a proxy in front of it may.
        return bearer(key)

    def body(self, model: str, messages: Sequence[Message], schema: Json, max_tokens: int) -> Json:
        return {
            "model": model,
            "messages": [{"role": message.role, "content": message.text} for message in messages],
            "format": schema,
            "options": {"num_predict": max_tokens, "temperature": 0},
            "stream": False,
        }

    def read(self, raw: bytes) -> Reply:
        answer = msgspec.json.decode(raw, type=_Answer)
        return Reply(answer.message.content, answer.prompt_eval_count, answer.eval_count)


def _endpoint_url(url: str) -> str:
    if url.endswith("/api/chat"):
        return url
    # The URL may be that of its OpenAI-compatible API, as used for embeddings.
    base = url.removesuffix("/v1")
    return f"{base}/chat" if base.endswith("/api") else f"{base}/api/chat"
