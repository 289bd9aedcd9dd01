"""A question to a language model and its answer: cleaned both ways, checked, asked for once more if wrong."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar, cast

import msgspec

from rum.llm.answer_check import NotAsAsked, checked, json_schema
from rum.llm.base import BadAnswer, Json, Message
from rum.llm.server import Provider

T = TypeVar("T")
Clean = Callable[[object], object]
"""Cuts secrets out of a text, or out of every text in a JSON value."""

MOST = 2000
"""Tokens of an answer."""
_SHOWN = 4000
"""Characters of a wrong answer that its author gets to see again."""
_TOLD = 1000
"""Characters of what is wrong with it, which may quote it."""


class AskedModel:
    """A language model behind a provider. Nothing is asked, and nothing loaded, before the first prompt."""

    def __init__(self, provider: Provider, *, clean: Clean, timeout: float) -> None:
        self._provider = provider
        self._clean = clean
        self._timeout = timeout

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._provider.model

    def complete(self, prompt: str, schema: type[T]) -> T:
        """The answer, within the time that is set for it; a wrong one is complained of once, then dropped."""
        deadline = time.monotonic() + self._timeout
        form = json_schema(schema)
        said = [Message("user", f"{self._cleaned(prompt)}\n\n{_asked_for(form)}")]
        first = self._provider.ask(said, form, MOST, deadline)
        try:
            return checked(first.text, schema, self._clean)
        except NotAsAsked as wrong:
            shown = self._cleaned(first.text[:_SHOWN]).strip() or "(nothing)"
            said += [Message("assistant", shown), Message("user", _complaint(str(wrong)))]
        second = self._provider.ask(said, form, MOST, deadline)
        try:
            return checked(second.text, schema, self._clean)
        except NotAsAsked as wrong:
            raise BadAnswer(
                f"The language model {self.name} gave two answers that cannot be used. The last: {wrong} "
                "Nothing was kept of them."
            ) from None

    def _cleaned(self, text: str) -> str:
        return cast("str", self._clean(text))


def _asked_for(form: Json) -> str:
    schema = msgspec.json.encode(form).decode()
    return f"Answer with one JSON object that fits this JSON Schema, and with nothing else:\n{schema}"


def _complaint(wrong: str) -> str:
    return f"{wrong[:_TOLD]} Answer again, with one JSON object that fits the schema, and with nothing else."
