"""Vectors from any OpenAI-compatible `/v1/embeddings`: a hosted one, or Ollama on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from rum.embed.base import CannotEmbed
from rum.embed.text import TEXT_VERSION

if TYPE_CHECKING:
    from rum.embed.base import Vectors

_AT_ONCE = 32
"""Texts in one request: few enough that a model on a processor answers in time."""
_LONGEST_TEXT = 8000
_MOST_DIMENSIONS = 16_384
_FIRST_REST, _LONGEST_REST = 5.0, 300.0


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Vector]


class EndpointEmbedder:
    """Asks an endpoint. After a failure it is left alone for a while, so that it delays no further call."""

    def __init__(
        self,
        url: str,
        model: str,
        *,
        key: str | None = None,
        timeout: float = 10.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._url = _full(url)
        self._name = model
        self._key = key
        self._timeout = timeout
        self._clock = clock
        self._dimensions: int | None = None
        self._rest = 0.0
        self._asked_again = 0.0
        self._trouble = ""

    @property
    def model(self) -> str:
        """Model and address: the same name elsewhere may be another model."""
        place = hashlib.sha256(self._url.encode()).hexdigest()[:8]
        return f"endpoint:{self._name}@{place}/{TEXT_VERSION}"

    @property
    def dimensions(self) -> int | None:
        """How long its vectors are, once it has given some."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text, in their order."""
        self._check_ready()
        try:
            rows: list[list[float]] = []
            for start in range(0, len(texts), _AT_ONCE):
                rows += self._ask(texts[start : start + _AT_ONCE])
            made = self._normalised(rows)
        except CannotEmbed as error:
            self._rest = min(max(self._rest * 2, _FIRST_REST), _LONGEST_REST)
            self._asked_again, self._trouble = self._clock() + self._rest, error.message
            raise
        self._rest = 0.0
        return made

    def _normalised(self, rows: list[list[float]]) -> Vectors:
        import numpy as np  # noqa: PLC0415 (heavy, and of no use before an answer has come)

        made = np.asarray(rows, dtype=np.float64).reshape(len(rows), self._dimensions or 0)
        with np.errstate(over="ignore"):
            lengths = np.sqrt(np.square(made).sum(axis=1))
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._failure("gave a vector without a length")
        return (made / lengths[:, None]).astype(np.float32)

    def _check_ready(self) -> None:
        if not self._url or not self._name:
            raise CannotEmbed(
                "The embedder is an endpoint, but `embedder_url` or `embedder_model` is not set.",
                field="embedder_model" if self._url else "embedder_url",
            )
        left = self._asked_again - self._clock() if self._rest else 0
        if left > 0:
            raise CannotEmbed(
                f"{self._trouble} It is asked again in {left:.0f} s.", retry_after=round(left, 1)
            )

    def _ask(self, texts: Sequence[str]) -> list[list[float]]:
        # Loads http and ssl, which is of no use before the first question.
        from rum.embed.post import PostError, post  # noqa: PLC0415

        # What is empty, or no valid text, would be refused, and with it the others.
        wanted = [text[:_LONGEST_TEXT].encode("utf-8", "replace").decode().strip() or "-" for text in texts]
        body = msgspec.json.encode({"model": self._name, "input": wanted})
        try:
            raw = post(self._url, body, self._key, self._timeout)
        except PostError as error:
            raise self._failure(str(error)) from None
        try:
            answer = msgspec.json.decode(raw, type=_Answer)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._failure(f"gave no embeddings ({error})") from None
        return self._in_order(answer.data, len(texts))

    def _in_order(self, found: list[_Vector], count: int) -> list[list[float]]:
        numbers = [place if one.index is None else one.index for place, one in enumerate(found)]
        if sorted(numbers) != list(range(count)):
            raise self._failure(f"gave {len(found)} vectors for {count} texts, or numbered them wrongly")
        expected = self._dimensions or len(found[0].embedding)
        if not 0 < expected <= _MOST_DIMENSIONS or any(len(one.embedding) != expected for one in found):
            raise self._failure("gave vectors of different or impossible lengths")
        self._dimensions = expected
        return [
            one.embedding for _, one in sorted(zip(numbers, found, strict=True), key=lambda pair: pair[0])
        ]

    def _failure(self, what: str) -> CannotEmbed:
        return CannotEmbed(
            f"The embeddings endpoint {self._url} {what}. See `embedder_url`, `embedder_model` and "
            "`embedder_key`, or set `embedder` to builtin.",
            endpoint=self._url,
        )


def _full(url: str) -> str:
    """The address to post to, from that of a server, of its API, or the whole."""
    url = url.rstrip("/")
    if not url or url.endswith("/embeddings"):
        return url
    return f"{url}/embeddings" if "/" in url.partition("://")[2] else f"{url}/v1/embeddings"
