"""One server with a model: asked within a time, again while it is only busy, and never beyond the limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import msgspec

from rum.llm.base import CannotComplete, Json, Message, Reply, Wire
from rum.llm.meter import Meter, Spent
from rum.net.post import NoAnswerYet, PostError, post
from rum.text.tokens import estimate_tokens

_BUSY = (408, 425, 429, 500, 502, 503, 504, 529)
"""What servers say that may do better in a moment."""
_PAUSES = (0.5, 2.0)
"""Seconds before a request is made again, where the server asks for no other time."""
_MARGIN = 1.5
"""How much more than estimated a prompt may be, as every model counts otherwise."""


class Provider:
    """Asks one model for its words."""

    def __init__(
        self,
        wire: Wire,
        model: str,
        meter: Meter,
        *,
        key: str | None = None,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model = model
        self._wire = wire
        self._url = wire.address
        self._key = key
        self._meter = meter
        self._pause = pause

    def ask(self, said: Sequence[Message], schema: Json, most: int, deadline: float) -> Reply:
        """Its answer to a conversation, by `deadline` of the monotonic clock."""
        body = msgspec.json.encode(self._wire.body(self.model, said, schema, most))
        expected = round(_MARGIN * sum(estimate_tokens(one.text) for one in said)) + 50
        for wait in (*_PAUSES, None):
            try:
                return self._asked_once(body, Spent(1, expected, most), deadline)
            except PostError as error:
                again = wait if error.wait is None else error.wait
                if wait is None or again is None or not _passing(error) or not _time_for(again, deadline):
                    raise self._failure(str(error)) from None
            self._pause(again)
        raise AssertionError("the last turn of the loop ends it")

    def _asked_once(self, body: bytes, most: Spent, deadline: float) -> Reply:
        day = self._meter.reserve(most.read, most.written)
        try:
            raw = post(
                self._url,
                body,
                deadline - time.monotonic(),
                headers=self._wire.headers(self._key),
                key=self._key,
            )
        except NoAnswerYet:
            raise  # it may be at work on an answer, and be paid for it
        except PostError:
            self._meter.settle(day, most, Spent(1))
            raise
        try:
            reply = self._wire.read(raw)
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise self._failure(f"gave no answer that can be understood ({error})") from None
        written = reply.written if reply.written is not None else estimate_tokens(reply.text)
        read = reply.read if reply.read is not None else most.read
        self._meter.settle(day, most, Spent(1, max(0, read), max(0, written)))
        return reply

    def _failure(self, what: str) -> CannotComplete:
        return CannotComplete(
            f"The language model at {self._url} {what}. See `llm_url`, `llm_model` and `llm_key`, or set "
            "`llm` to none.",
            endpoint=self._url,
        )


def _passing(error: PostError) -> bool:
    """Whether another try may do better: it is busy, or the connection broke."""
    return error.status in _BUSY if error.status else not isinstance(error, NoAnswerYet)


def _time_for(pause: float, deadline: float) -> bool:
    return time.monotonic() + pause < deadline
