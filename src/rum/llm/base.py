"""The port: what a language model is asked, what it answers, and how it says that it cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

from rum.model.errors import RumError

T = TypeVar("T")
Json = dict[str, Any]


class CannotComplete(RumError):
    """No answer now: it is not fully set, not there, or too slow. Whoever asked goes on without it."""

    code = "STORAGE_ERROR"


class BadAnswer(CannotComplete):
    """It answered twice, and neither answer was what had been asked for; both are gone."""


class LimitReached(CannotComplete):
    """The tokens of this day are used up; details carry `retry_after` in seconds."""

    code = "RATE_LIMITED"


class LanguageModel(Protocol):
    """A language model, whoever runs it."""

    @property
    def name(self) -> str:
        """Which one it is, in words for people."""
        ...

    def complete(self, prompt: str, schema: type[T]) -> T:
        """The answer to a prompt, checked to be a `schema`; `CannotComplete` if there is none."""
        ...


class Message(NamedTuple):
    """One turn of a conversation."""

    role: Literal["user", "assistant"]
    text: str


class Reply(NamedTuple):
    """What a model said, and what that cost where it tells: tokens read and tokens written."""

    text: str
    read: int | None = None
    written: int | None = None


class Wire(Protocol):
    """How one kind of server is spoken to: one file a kind.

    It is made of an address that may be that of a server, of its API, or the whole; None is the usual one.
    """

    address: str
    """Where to post to."""

    def headers(self, key: str | None) -> Mapping[str, str]:
        """What is sent beside the body."""
        ...

    def body(self, model: str, said: Sequence[Message], schema: Json, most: int) -> Json:
        """The question, for an answer that fits the JSON Schema and has at most so many tokens."""
        ...

    def read(self, raw: bytes) -> Reply:
        """What it answered; ValueError if that is no answer."""
        ...
