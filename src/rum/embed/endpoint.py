"""Vectors from any OpenAI-compatible `/v1/embeddings` endpoint: hosted, or a local Ollama."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING

import msgspec

from rum.embed.base import PROBE_TEXT, TEXT_VERSION, CannotEmbed
from rum.net.post import PostError, bearer, post

if TYPE_CHECKING:
    from rum.embed.base import Vectors

_BATCH_SIZE = 32  # Texts in one request: few enough for a model without a GPU to answer in time
_MAX_TEXT = 8000
_MIN_TEXT = 200  # A refused text is halved repeatedly, but not below this number of characters
# Statuses for a text that a server cannot embed; some are also sent while it accepts none at all.
_REFUSAL_STATUSES = (400, 413, 422, 500)
_MAX_DIMENSIONS = 16_384


class _Refused(CannotEmbed):
    """The endpoint answered without vectors; the cause may be one of the texts, or the endpoint."""


class _Vector(msgspec.Struct):
    embedding: list[float]
    index: int | None = None


class _Answer(msgspec.Struct):
    data: list[_Vector]


class _TimeLimit:
    """The time limit of a call: one timeout for each text."""

    def __init__(self, timeout: float, texts: int) -> None:
        self._timeout = timeout
        self._seconds = timeout * texts
        self._started: float | None = None

    def remaining(self) -> float:
        """Seconds left for the next request; the clock starts with the first."""
        if self._started is None:
            self._started = monotonic()
            return max(0.0, min(self._timeout, self._seconds))
        return max(0.0, min(self._timeout, self._started + self._seconds - monotonic()))


class EndpointEmbedder:
    """Embeds through an endpoint; single texts that it refuses do not make the others fail."""

    fitted = False

    def __init__(self, url: str, model: str, *, key: str | None = None, timeout: float = 10.0) -> None:
        self._url = _endpoint_url(url)
        self._name = model
        self._key = key
        self._timeout = timeout
        self._dimensions: int | None = None

    @property
    def model(self) -> str:
        """Model and URL, as another server may use the same name for another model."""
        place = hashlib.sha256(self._url.encode()).hexdigest()[:8]
        return f"endpoint:{self._name}@{place}/{TEXT_VERSION}"

    @property
    def dimensions(self) -> int | None:
        """The length of its vectors; None before the first answer."""
        return self._dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text, in order; zeros for a text that is refused while others are not."""
        self._check_configured()
        wanted = [_sendable(text) for text in texts]
        time = _TimeLimit(self._timeout, len(wanted))
        batches = [
            self._embed_batch(wanted[start : start + _BATCH_SIZE], time)
            for start in range(0, len(wanted), _BATCH_SIZE)
        ]
        import numpy as np  # noqa: PLC0415 (slow to load, and not needed before there is an answer)

        return np.concatenate([np.empty((0, self._dimensions or 0), dtype=np.float32), *batches])

    def _embed_batch(self, texts: list[str], time: _TimeLimit) -> Vectors:
        """One vector for each text; after a refusal the texts are sent in parts if the endpoint works."""
        try:
            return self._request(texts, time)
        except _Refused:
            self._request([PROBE_TEXT], time)
        import numpy as np  # noqa: PLC0415 (slow to load)

        vectors = np.concatenate(self._embed_in_halves(texts, time))
        if len(texts) > 1 and not vectors.any():
            raise self._failure(f"refused all {len(texts)} texts, but accepts a test sentence")
        return vectors

    def _embed_in_halves(self, texts: list[str], time: _TimeLimit) -> list[Vectors]:
        """Vectors of texts of which some are refused, requested in smaller and smaller parts."""
        with suppress(_Refused):
            return [self._request(texts, time)]
        if len(texts) == 1:
            return [self._embed_beginning(texts[0], time)]
        middle = len(texts) // 2
        return [*self._embed_in_halves(texts[:middle], time), *self._embed_in_halves(texts[middle:], time)]

    def _embed_beginning(self, text: str, time: _TimeLimit) -> Vectors:
        """The vector of the longest beginning that is accepted; zeros if only a tiny part would be."""
        import numpy as np  # noqa: PLC0415 (slow to load)

        while len(text := text[: len(text) // 2].strip()) >= _MIN_TEXT:
            with suppress(_Refused):
                return self._request([text], time)
        return np.zeros((1, self._dimensions or 0), dtype=np.float32)

    def _check_configured(self) -> None:
        if not self._url or not self._name:
            raise CannotEmbed(
                "The embedder is an endpoint, but `embedder_url` or `embedder_model` is not set.",
                field="embedder_model" if self._url else "embedder_url",
            )

    def _request(self, texts: list[str], time: _TimeLimit) -> Vectors:
        raw = self._post(msgspec.json.encode({"model": self._name, "input": texts}), time)
        try:
            answer = msgspec.json.decode(raw, type=_Answer)
        except (msgspec.DecodeError, RecursionError) as error:
            raise self._refusal(f"sent no embeddings ({error})") from None
        vectors = self._normalise(self._vectors_in_order(answer.data, len(texts)))
        self._dimensions = vectors.shape[1]
        return vectors

    def _post(self, body: bytes, time: _TimeLimit) -> bytes:
        try:
            return post(self._url, body, time.remaining(), headers=bearer(self._key), key=self._key)
        except PostError as error:
            kind = self._refusal if error.status in _REFUSAL_STATUSES else self._failure
            raise kind(str(error)) from None

    def _normalise(self, rows: list[list[float]]) -> Vectors:
        """Scale rows to length one; a row without a valid length becomes zeros, unless all are invalid."""
        import numpy as np  # noqa: PLC0415 (slow to load)

        vectors = np.asarray(rows, dtype=np.float64)
        with np.errstate(over="ignore"):
            lengths = np.sqrt(np.square(vectors).sum(axis=1))
        good = np.isfinite(lengths) & (lengths > 0)
        if not good.any():
            raise self._refusal("sent only vectors of zero or infinite length")
        vectors[~good], lengths[~good] = 0, 1
        return (vectors / lengths[:, None]).astype(np.float32)

    def _vectors_in_order(self, items: list[_Vector], count: int) -> list[list[float]]:
        positions = [index if item.index is None else item.index for index, item in enumerate(items)]
        if sorted(positions) != list(range(count)):
            raise self._refusal(f"sent {len(items)} vectors for {count} texts, or wrong indexes")
        expected = self._dimensions or len(items[0].embedding)
        if not 0 < expected <= _MAX_DIMENSIONS or any(len(item.embedding) != expected for item in items):
            raise self._refusal("sent vectors of different or invalid lengths")
        return [
            item.embedding for _, item in sorted(zip(positions, items, strict=True), key=lambda pair: pair[0])
        ]

    def _refusal(self, what: str) -> _Refused:
        return _Refused(self._error_message(what), endpoint=self._url)

    def _failure(self, what: str) -> CannotEmbed:
        return CannotEmbed(self._error_message(what), endpoint=self._url)

    def _error_message(self, what: str) -> str:
        return (
            f"The embeddings endpoint {self._url} {what}. Check `embedder_url`, `embedder_model` and "
            "`embedder_key`, or set `embedder` to builtin."
        )


def _sendable(text: str) -> str:
    """A text without what makes servers refuse the whole batch: invalid Unicode, or an empty string."""
    return text[:_MAX_TEXT].encode("utf-8", "replace").decode().strip() or "-"


def _endpoint_url(url: str) -> str:
    """The URL to post to, from that of a server, of its API, or of the endpoint itself."""
    url = url.rstrip("/")
    if not url or url.endswith("/embeddings"):
        return url
    return f"{url}/embeddings" if "/" in url.partition("://")[2] else f"{url}/v1/embeddings"
