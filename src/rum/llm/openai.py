"""Any server with OpenAI's chat completions API: a hosted one, vLLM, llama.cpp, LM Studio."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from urllib.parse import urlsplit

import msgspec

from rum.llm.base import Json, Message, Reply
from rum.net.post import bearer

_OWN_HOST = "api.openai.com"


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class OpenAiFormat:
    """Chat completions. No `response_format` is sent, as servers support different ones."""

    def __init__(self, url: str | None = None) -> None:
        self.address = _endpoint_url((url or f"https://{_OWN_HOST}/v1").rstrip("/"))
        # OpenAI's newest models refuse `max_tokens`, the name that most other servers know.
        is_openai = urlsplit(self.address).hostname == _OWN_HOST
        self._limit = "max_completion_tokens" if is_openai else "max_tokens"

    def headers(self, key: str | None) -> Mapping[str, str]:
        return bearer(key)

    def body(self, model: str, messages: Sequence[Message], schema: Json, max_tokens: int) -> Json:  # noqa: ARG002
        turns = [{"role": message.role, "content": message.text} for message in messages]
        return {"model": model, "messages": turns, self._limit: max_tokens, "stream": False}

    def read(self, raw: bytes) -> Reply:
        answer = msgspec.json.decode(raw, type=_Answer)
        if not answer.choices:
            raise ValueError("it contains no choices")
        usage = answer.usage or _Usage()
        return Reply(answer.choices[0].message.content or "", usage.prompt_tokens, usage.completion_tokens)


def _endpoint_url(url: str) -> str:
    if url.endswith("/chat/completions"):
        return url
    has_path = "/" in url.partition("://")[2]
    return f"{url}/chat/completions" if has_path else f"{url}/v1/chat/completions"
