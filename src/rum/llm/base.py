"""The interface of language models: prompts, answers, errors, and the protocol of wire formats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from rum.model.errors import RumError

T = TypeVar("T")
Json = dict[str, Any]


class CannotComplete(RumError):
    """No answer: the model is not configured, not reachable or too slow. The caller continues without it."""

    code = "STORAGE_ERROR"


class NoValidAnswer(CannotComplete):
    """Both answers of the model were invalid; neither was used."""


class LimitReached(CannotComplete):
    """The daily token limit is reached; details carry `retry_after` in seconds."""

    code = "RATE_LIMITED"


class LanguageModel(Protocol):
    """A language model of any provider."""

    @property
    def name(self) -> str:
        """The model's name for messages."""
        ...

    def complete(self, prompt: str, schema: type[T]) -> T:
        """The answer to a prompt, validated as a `schema`; `CannotComplete` if there is none."""
        ...


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


class Reply(NamedTuple):
    """A model's answer, and the tokens it read and wrote where the server reports them."""

    text: str
    read: int | None = None
    written: int | None = None


class WireFormat(Protocol):
    """The request and response format of one kind of server; one file for each kind.

    Created with the URL of a server, of its API or of the endpoint itself; None is the provider's default.
    """

    address: str  # The URL to post to

    def headers(self, key: str | None) -> Mapping[str, str]:
        """The headers of a request, with the key if there is one."""
        ...

    def body(self, model: str, messages: Sequence[Message], schema: Json, max_tokens: int) -> Json:
        """The request body, for an answer that fits the JSON Schema and has at most `max_tokens` tokens."""
        ...

    def read(self, raw: bytes) -> Reply:
        """Parse the response; ValueError if it is invalid."""
        ...
