"""Ask a language model: send a cleaned prompt, check the answer, ask once more if it is invalid."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import TypeVar, cast

import msgspec

from rum.llm.anthropic import AnthropicFormat
from rum.llm.base import CannotComplete, Json, LanguageModel, Message, NoValidAnswer, Reply, WireFormat
from rum.llm.meter import Meter, TokenUsage
from rum.llm.ollama import OllamaFormat
from rum.llm.openai import OpenAiFormat
from rum.model.errors import InvalidQuery
from rum.model.fields import parse
from rum.net.post import NoAnswerYet, PostError, post
from rum.settings.load import Settings
from rum.text.tokens import estimate_tokens

T = TypeVar("T")
Clean = Callable[[object], object]  # Removes secrets from a text, or from every text in a JSON value

_MAX_ANSWER_TOKENS = 2000  # Limit on an answer's tokens
_MAX_QUOTED_ANSWER = 4000  # Characters of an invalid answer that are sent back to the model
_MAX_QUOTED_ERROR = 1000  # Characters of the error sent back with it, which may quote the answer
_RETRY_STATUSES = (408, 425, 429, 500, 502, 503, 504, 529)  # HTTP statuses after which a retry may succeed
_PAUSES = (0.5, 2.0)  # Seconds before each retry, unless the server sends `Retry-After`
_MARGIN = 1.5  # Safety factor on the estimated tokens of a prompt, as every model counts differently
_MAX_ANSWER_CHARS = 200_000
_THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_FORMATS: dict[str, Callable[[str | None], WireFormat]] = {
    "openai": OpenAiFormat,
    "anthropic": AnthropicFormat,
    "ollama": OllamaFormat,
}


class ModelClient:
    """A language model at a provider; it is not contacted before the first prompt."""

    def __init__(self, provider: Provider, *, clean: Clean, timeout: float) -> None:
        self._provider = provider
        self._clean = clean
        self._timeout = timeout

    @property
    def name(self) -> str:
        """The model's name at the provider."""
        return self._provider.model

    def complete(self, prompt: str, schema: type[T]) -> T:
        """The answer, within the configured time; after an invalid one the model gets a second try."""
        deadline = time.monotonic() + self._timeout
        answer_schema = json_schema(schema)
        instruction = "Answer with one JSON object that fits this JSON Schema, and with nothing else:"
        shown_schema = msgspec.json.encode(answer_schema).decode()
        messages = [Message("user", f"{self._clean_text(prompt)}\n\n{instruction}\n{shown_schema}")]
        first = self._provider.ask(messages, answer_schema, _MAX_ANSWER_TOKENS, deadline)
        try:
            return parse_answer(first.text, schema, self._clean)
        except InvalidAnswer as error:
            shown = self._clean_text(first.text[:_MAX_QUOTED_ANSWER]).strip() or "(nothing)"
            again = "Answer again, with one JSON object that fits the schema, and with nothing else."
            correction = f"{str(error)[:_MAX_QUOTED_ERROR]} {again}"
            messages += [Message("assistant", shown), Message("user", correction)]
        second = self._provider.ask(messages, answer_schema, _MAX_ANSWER_TOKENS, deadline)
        try:
            return parse_answer(second.text, schema, self._clean)
        except InvalidAnswer as error:
            raise NoValidAnswer(
                f"The language model {self.name} gave two invalid answers. The last error: {error} "
                "Neither was used."
            ) from None

    def _clean_text(self, text: str) -> str:
        return cast("str", self._clean(text))


def wire_format_for(kind: str, url: str | None) -> WireFormat:
    """The wire format for a value of the setting `llm`; without `url`, at the provider's default URL."""
    return _FORMATS[kind](url)


class Provider:
    """Sends requests to one model: retries while the server is busy, and never exceeds the token limit."""

    def __init__(
        self,
        wire_format: WireFormat,
        model: str,
        meter: Meter,
        *,
        key: str | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model = model
        self._format = wire_format
        self._url = wire_format.address
        self._key = key
        self._meter = meter
        self._pause = pause

    def ask(self, messages: Sequence[Message], schema: Json, max_tokens: int, deadline: float) -> Reply:
        """The reply to a conversation, before `deadline` on the monotonic clock."""
        body = msgspec.json.encode(self._format.body(self.model, messages, schema, max_tokens))
        prompt_tokens = round(_MARGIN * sum(estimate_tokens(message.text) for message in messages)) + 50
        for wait in (*_PAUSES, None):
            try:
                return self._send_once(body, TokenUsage(1, prompt_tokens, max_tokens), deadline)
            except PostError as error:
                pause = wait if error.wait is None else error.wait
                # A retry may succeed if the server is busy or the connection broke.
                is_cut = not error.status and not isinstance(error, NoAnswerYet)
                is_temporary = is_cut or error.status in _RETRY_STATUSES
                if wait is None or pause is None or not is_temporary or time.monotonic() + pause >= deadline:
                    raise self._failure(str(error)) from None
            self._pause(pause)
        raise AssertionError("the last iteration returns or raises")

    def _send_once(self, body: bytes, reserved: TokenUsage, deadline: float) -> Reply:
        day, headers = self._meter.reserve(reserved.read, reserved.written), self._format.headers(self._key)
        try:
            raw = post(self._url, body, deadline - time.monotonic(), headers=headers, key=self._key)
        except NoAnswerYet:
            raise  # keep the reservation: the server may still answer and charge for it
        except PostError:
            self._meter.settle(day, reserved, TokenUsage(1))
            raise
        try:
            reply = self._format.read(raw)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise self._failure(f"sent an invalid answer ({error})") from None
        output_tokens = reply.written if reply.written is not None else estimate_tokens(reply.text)
        input_tokens = reply.read if reply.read is not None else reserved.read
        self._meter.settle(day, reserved, TokenUsage(1, max(0, input_tokens), max(0, output_tokens)))
        return reply

    def _failure(self, problem: str) -> CannotComplete:
        return CannotComplete(
            f"The language model at {self._url} {problem}. Check `llm_url`, `llm_model` and `llm_key`, or "
            "set `llm` to none.",
            endpoint=self._url,
        )


class InvalidAnswer(Exception):
    """An answer does not match the schema; the message is sent to the model so that it can correct it."""


def json_schema(schema: type) -> Json:
    """The JSON Schema of a type, without references, as not every server supports them."""
    root = msgspec.json.schema(schema)
    return cast("Json", _inline_references(root, root.pop("$defs", {})))


def _inline_references(node: object, definitions: Json) -> object:
    if isinstance(node, list):
        return [_inline_references(item, definitions) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    mapping = cast("Json", node)
    if "$ref" in mapping:
        return _inline_references(definitions[mapping["$ref"].rpartition("/")[2]], definitions)
    return {name: _inline_references(value, definitions) for name, value in mapping.items()}


def parse_answer(text: str, schema: type[T], clean: Callable[[object], object]) -> T:
    """Parse the JSON object in a text as `schema`, without secrets; InvalidAnswer if it does not match."""
    try:
        found = msgspec.json.decode(_extract_json(text))
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
        raise InvalidAnswer(f"That is not one JSON object: {error}.") from None
    if not isinstance(found, dict):
        raise InvalidAnswer("That is JSON, but not an object.")
    try:
        return parse(clean(cast("Json", found)), schema, "answer")
    except InvalidQuery as error:
        raise InvalidAnswer(error.message) from None


def _extract_json(text: str) -> str:
    """The JSON object without a thinking block, code fence or text around it."""
    if len(text) > _MAX_ANSWER_CHARS:
        raise InvalidAnswer(f"That is longer than {_MAX_ANSWER_CHARS} characters.")
    text = _THINKING.sub("", text)
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise InvalidAnswer("The answer has no JSON object.")
    return text[start : end + 1]


def open_meter(settings: Settings, project: str, clock: Callable[[], float]) -> Meter:
    """The token counter of a project."""
    return Meter(settings.home, project, settings.llm_daily_tokens, clock)


def open_model(settings: Settings, meter: Meter, clean: Callable[[object], object]) -> LanguageModel | None:
    """The configured language model, not contacted yet; None if `llm` is none."""
    if settings.llm == "none":
        return None
    if not settings.llm_model:
        raise CannotComplete(
            f"`llm` is {settings.llm}, but `llm_model` is not set. Set it to a model's name.",
            field="llm_model",
        )
    wire_format = wire_format_for(settings.llm, settings.llm_url)
    provider = Provider(wire_format, settings.llm_model, meter, key=settings.llm_key)
    return ModelClient(provider, clean=clean, timeout=settings.llm_timeout)
