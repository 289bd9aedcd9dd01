"""Anthropic's messages API, or a server that speaks it."""

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
        """Everything that was read, wherever it came from."""
        cached = (self.cache_read_input_tokens or 0) + (self.cache_creation_input_tokens or 0)
        return self.input_tokens + cached


class _Answer(msgspec.Struct):
    content: list[_Block]
    usage: _Usage | None = None


class AnthropicWire:
    """Messages."""

    def __init__(self, url: str | None = None) -> None:
        self.address = _full((url or "https://api.anthropic.com").rstrip("/"))

    def headers(self, key: str | None) -> Mapping[str, str]:
        """The key, and which form of the API is spoken."""
        return {"anthropic-version": "2023-06-01", **({"x-api-key": key} if key else {})}

    def body(self, model: str, said: Sequence[Message], schema: Json, most: int) -> Json:  # noqa: ARG002
        """The conversation; the schema is in its words."""
        messages = [{"role": one.role, "content": one.text} for one in said]
        return {"model": model, "max_tokens": most, "messages": messages}

    def read(self, raw: bytes) -> Reply:
        """All text of the answer."""
        answer = msgspec.json.decode(raw, type=_Answer)
        text = "".join(block.text for block in answer.content if block.type == "text")
        usage = answer.usage
        return Reply(text, usage.read(), usage.output_tokens) if usage else Reply(text)


def _full(url: str) -> str:
    if url.endswith("/messages"):
        return url
    return f"{url}/messages" if url.endswith("/v1") else f"{url}/v1/messages"
