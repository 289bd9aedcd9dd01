"""Vectors from any OpenAI-compatible `/v1/embeddings`: a hosted one, or Ollama on this machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from rum.embed.base import HARMLESS, CannotEmbed, OutOfTime
from rum.embed.text import TEXT_VERSION

if TYPE_CHECKING:
    from rum.embed.base import Vectors

_AT_ONCE = 32
"""Texts in one request: few enough that a model on a processor answers in time."""
_LONGEST_TEXT = 8000
_SHORTEST_TEXT = 200
"""A text that is refused is cut in half, and again, but not below so many characters."""
_REFUSALS = (400, 413, 422, 500)
"""What servers say to a text they cannot take; some of them also while they take none at all."""
_MOST_DIMENSIONS = 16_384


class _Refused(CannotEmbed):
    """It answered, but not with vectors of these texts: the reason may be one of them, or itself."""


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Vector]


class _Time:
    """How long a call may take: what the caller has, and never more than one answer for each text."""

    def __init__(self, timeout: float, texts: int, patience: float | None) -> None:
        most = timeout * texts
        self._hurried = patience is not None and patience < most
        self._timeout = timeout
        self._whole = patience if patience is not None and self._hurried else most
        self._began: float | None = None

    def left(self) -> float:
        """Seconds for the next answer; they are counted from the first on."""
        if self._began is None:
            self._began = monotonic()
            return max(0.0, min(self._timeout, self._whole))
        return max(0.0, min(self._timeout, self._began + self._whole - monotonic()))

    def is_callers(self) -> bool:
        """Whether it is over, and it was the caller who had no more."""
        return self._hurried and not self.left()


class EndpointEmbedder:
    """Asks an endpoint, and goes around single texts that it refuses."""

    fitted = False

    def __init__(self, url: str, model: str, *, key: str | None = None, timeout: float = 10.0) -> None:
        self._url = _full(url)
        self._name = model
        self._key = key
        self._timeout = timeout
        self._dimensions: int | None = None

    @property
    def model(self) -> str:
        """Model and address: the same name elsewhere may be another model."""
        place = hashlib.sha256(self._url.encode()).hexdigest()[:8]
        return f"endpoint:{self._name}@{place}/{TEXT_VERSION}"

    @property
    def dimensions(self) -> int | None:
        """How long its vectors are, once it has given some."""
        return self._dimensions

    def embed(self, texts: Sequence[str], patience: float | None = None) -> Vectors:
        """One vector for each text, in their order; of zeros if it is refused and others are not."""
        self._check_set()
        wanted = [_sendable(text) for text in texts]
        time = _Time(self._timeout, len(wanted), patience)
        batches = [
            self._batch(wanted[start : start + _AT_ONCE], time) for start in range(0, len(wanted), _AT_ONCE)
        ]
        import numpy as np  # noqa: PLC0415 (heavy, and of no use before an answer has come)

        return np.concatenate([np.empty((0, self._dimensions or 0), dtype=np.float32), *batches])

    def _batch(self, texts: list[str], time: _Time) -> Vectors:
        """One vector for each; what is refused is asked for again if the endpoint works at all."""
        try:
            return self._ask(texts, time)
        except _Refused:
            self._ask([HARMLESS], time)
        import numpy as np  # noqa: PLC0415 (as above)

        made = np.concatenate(self._apart(texts, time))
        if len(texts) > 1 and not made.any():
            raise self._failure(f"refused every one of {len(texts)} texts, though not a harmless one")
        return made

    def _apart(self, texts: list[str], time: _Time) -> list[Vectors]:
        """Vectors of texts among which some are refused, asked for in ever smaller parts."""
        with suppress(_Refused):
            return [self._ask(texts, time)]
        if len(texts) == 1:
            return [self._beginning(texts[0], time)]
        middle = len(texts) // 2
        return [*self._apart(texts[:middle], time), *self._apart(texts[middle:], time)]

    def _beginning(self, text: str, time: _Time) -> Vectors:
        """The vector of as much of a text as is not refused; of zeros if that is next to nothing."""
        import numpy as np  # noqa: PLC0415 (as above)

        while len(text := text[: len(text) // 2].strip()) >= _SHORTEST_TEXT:
            with suppress(_Refused):
                return self._ask([text], time)
        return np.zeros((1, self._dimensions or 0), dtype=np.float32)

    def _check_set(self) -> None:
        if not self._url or not self._name:
            raise CannotEmbed(
                "The embedder is an endpoint, but `embedder_url` or `embedder_model` is not set.",
                field="embedder_model" if self._url else "embedder_url",
            )

    def _ask(self, texts: list[str], time: _Time) -> Vectors:
        raw = self._answer(msgspec.json.encode({"model": self._name, "input": texts}), time)
        try:
            answer = msgspec.json.decode(raw, type=_Answer)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._refusal(f"gave no embeddings ({error})") from None
        made = self._normalised(self._in_order(answer.data, len(texts)))
        self._dimensions = made.shape[1]
        return made

    def _answer(self, body: bytes, time: _Time) -> bytes:
        # Loads http and ssl, which is of no use before the first question.
        from rum.net.post import NoAnswerYet, PostError, bearer, post  # noqa: PLC0415

        try:
            return post(self._url, body, time.left(), headers=bearer(self._key), key=self._key)
        except PostError as error:
            if isinstance(error, NoAnswerYet) and time.is_callers():
                raise OutOfTime(f"The embeddings endpoint {self._url} has not answered yet.") from None
            kind = self._refusal if error.status in _REFUSALS else self._failure
            raise kind(str(error)) from None

    def _normalised(self, rows: list[list[float]]) -> Vectors:
        """The same with length one; what has no length has none then either, but one of them must have."""
        import numpy as np  # noqa: PLC0415 (as above)

        made = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore"):
            lengths = np.sqrt(np.square(made).sum(axis=1))
        good = np.isfinite(lengths) & (lengths > 0)
        if not good.any():
            raise self._refusal("gave vectors without a length")
        made[~good], lengths[~good] = 0, 1
        return (made / lengths[:, None]).astype(np.float32)

    def _in_order(self, found: list[_Vector], count: int) -> list[list[float]]:
        numbers = [place if one.index is None else one.index for place, one in enumerate(found)]
        if sorted(numbers) != list(range(count)):
            raise self._refusal(f"gave {len(found)} vectors for {count} texts, or numbered them wrongly")
        expected = self._dimensions or len(found[0].embedding)
        if not 0 < expected <= _MOST_DIMENSIONS or any(len(one.embedding) != expected for one in found):
            raise self._refusal("gave vectors of different or impossible lengths")
        return [
            one.embedding for _, one in sorted(zip(numbers, found, strict=True), key=lambda pair: pair[0])
        ]

    def _refusal(self, what: str) -> _Refused:
        return _Refused(self._told(what), endpoint=self._url)

    def _failure(self, what: str) -> CannotEmbed:
        return CannotEmbed(self._told(what), endpoint=self._url)

    def _told(self, what: str) -> str:
        return (
            f"The embeddings endpoint {self._url} {what}. See `embedder_url`, `embedder_model` and "
            "`embedder_key`, or set `embedder` to builtin."
        )


def _sendable(text: str) -> str:
    """A text as it can be sent: what is empty, or no valid text, would be refused, and with it the others."""
    return text[:_LONGEST_TEXT].encode("utf-8", "replace").decode().strip() or "-"


def _full(url: str) -> str:
    """The address to post to, from that of a server, of its API, or the whole."""
    url = url.rstrip("/")
    if not url or url.endswith("/embeddings"):
        return url
    return f"{url}/embeddings" if "/" in url.partition("://")[2] else f"{url}/v1/embeddings"
