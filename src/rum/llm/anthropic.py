"""Anthropic's messages API, or a compatible server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from rum.llm.base import Json, Message, Reply


class _Block(msgspec.Struct):
    type: str
    text: str = ""


class _Usage(msgspec.Struct):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None

    def read(self) -> int:
        cached = (self.cache_read_input_tokens or 0) + (self.cache_creation_input_tokens or 0)
        return self.input_tokens + cached


class _Answer(msgspec.Struct):
    content: list[_Block]
    usage: _Usage | None = None


class AnthropicFormat:
    """The messages API. It takes no schema, so the prompt contains it."""

    def __init__(self, url: str | None = None) -> None:
        self.address = _endpoint_url((url or "https://api.anthropic.com").rstrip("/"))

    def headers(self, key: str | None) -> Mapping[str, str]:
        return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}

    def body(self, model: str, messages: Sequence[Message], schema: Json, max_tokens: int) -> Json:  # noqa: ARG002
        turns = [{"role": message.role, "content": message.text} for message in messages]
        return {"model": model, "max_tokens": max_tokens, "messages": turns}

    def read(self, raw: bytes) -> Reply:
        answer = msgspec.json.decode(raw, type=_Answer)
        text = "".join(block.text for block in answer.content if block.type == "text")
        usage = answer.usage
        return Reply(text, usage.read(), usage.output_tokens) if usage else Reply(text)


def _endpoint_url(url: str) -> str:
    if url.endswith("/messages"):
        return url
    return f"{url}/messages" if url.endswith("/v1") else f"{url}/v1/messages"
