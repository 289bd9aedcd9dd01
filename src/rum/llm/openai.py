"""Any server that speaks OpenAI's chat completions: a hosted one, vLLM, llama.cpp, LM Studio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import msgspec

from rum.llm.base import Json, Message, Reply
from rum.net.post import bearer

_OWN_HOST = "api.openai.com"


class _Said(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Said


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAiWire:
    """Chat completions. No `response_format` is sent, as servers differ in which they know."""

    def __init__(self, url: str | None = None) -> None:
        self.address = _full((url or f"https://{_OWN_HOST}/v1").rstrip("/"))
        # The newest models of the inventor refuse the one name that most others know.
        own = urlsplit(self.address).hostname == _OWN_HOST
        self._limit = "max_completion_tokens" if own else "max_tokens"

    def headers(self, key: str | None) -> Mapping[str, str]:
        """The key as a bearer's token."""
        return bearer(key)

    def body(self, model: str, said: Sequence[Message], schema: Json, most: int) -> Json:  # noqa: ARG002
        """The conversation; the schema is in its words."""
        messages = [{"role": one.role, "content": one.text} for one in said]
        return {"model": model, "messages": messages, self._limit: most, "stream": False}

    def read(self, raw: bytes) -> Reply:
        """The first choice."""
        answer = msgspec.json.decode(raw, type=_Answer)
        if not answer.choices:
            raise ValueError("there is no choice in it")
        usage = answer.usage or _Usage()
        return Reply(answer.choices[0].message.content or "", usage.prompt_tokens, usage.completion_tokens)


def _full(url: str) -> str:
    if url.endswith("/chat/completions"):
        return url
    has_path = "/" in url.partition("://")[2]
    return f"{url}/chat/completions" if has_path else f"{url}/v1/chat/completions"
