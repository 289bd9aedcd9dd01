"""Semantic search: find memories with vectors similar to a text's; no results while the embedder fails."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Set
from contextlib import suppress
from typing import TYPE_CHECKING

from rum.embed.base import PROBE_TEXT, CannotEmbed, Embedder, embedded_text
from rum.embed.calibration import TEXTS, UNCHANGED, Scale, measure_scale
from rum.model.errors import StorageError
from rum.store.activity import Activity
from rum.store.base import ReadMode, Store
from rum.store.vectors import Nearest, VectorCounts, VectorState, packed_vectors
from rum.store.vectors import Vectors as VectorStore

if TYPE_CHECKING:
    from rum.embed.base import Vectors
    from rum.store.packed_vectors import Floats

USE_RECORD_INTERVAL = 86400  # Seconds between two records that vectors are in use
MAX_BATCH_SIZE = 32  # Memories per batch; between batches other processes can write

# Seconds until a failed embedder is tried again, by this process and by those that start meanwhile.
#
# In this process the delay doubles with each further failure, up to the maximum.
RETRY_DELAY, MAX_RETRY_DELAY = 60, 300

NO_RESULTS = Nearest([], [])

_MAX_CACHED_QUERIES = 8  # Number of query vectors that are cached


class SemanticSearch:
    """Compares texts with the memories of one project, using the configured embedder.

    No method raises when the embedder fails: there are no results then, and `trouble` says why. Numpy and
    the model are loaded by the first query for which there are vectors to compare with.
    """

    def __init__(
        self,
        store: Store,
        embedder: Embedder | None,
        *,
        clean: Callable[[str], str],
        clock: Callable[[], float],
    ) -> None:
        self._store = store
        self._embedder = embedder
        self._clean = clean
        self._clock = clock
        self._has_unrecorded_use = False
        """Whether vectors were used since their use was last recorded."""
        self._record_use_after = 0.0
        self.write_error: str | None = None
        """Why the last vectors could not be stored."""
        self.has_pending = False
        """Whether the last query found memories without a vector."""
        self._query_vectors: OrderedDict[str, Floats | None] = OrderedDict()
        self._scale = UNCHANGED
        self._calibration = Calibration(store.vectors, embedder)
        self._backoff = EmbedderBackoff(store.activity, self.model or "", clock)

    @property
    def model(self) -> str | None:
        """The id of the embedding model; None if vectors are disabled."""
        return self._embedder.model if self._embedder else None

    @property
    def embedder(self) -> Embedder | None:
        """The embedder; None if vectors are disabled, and while it is paused after a failure."""
        return None if self._backoff.is_active else self._embedder

    @property
    def trouble(self) -> str | None:
        """Why the embedder failed last, unless it has worked since."""
        return self._backoff.trouble

    def counts(self) -> VectorCounts:
        """The numbers of memories with and without a vector."""
        return self._store.vectors.counts(self._embedder.model) if self._embedder else VectorCounts(0, 0, 0)

    def sync_failures(self) -> None:
        """Pause the embedder if this or another process has recorded a failure of it."""
        self._backoff.sync()

    def end_pause(self) -> None:
        """Use the embedder again even if it has just failed."""
        self._backoff.end()

    def record_use(self) -> None:
        """Record once a day that vectors are in use, so that they are kept; later if the store is locked."""
        now = self._clock()
        if (
            self._embedder is None
            or not self._has_unrecorded_use
            or now < self._record_use_after
            or not self._store.writable
        ):
            return
        self._record_use_after = now + RETRY_DELAY
        with suppress(StorageError), self._store.errors():
            self._store.vectors.record_use(self._embedder.model, int(now), int(now) - USE_RECORD_INTERVAL)
            self._has_unrecorded_use, self._record_use_after = False, now + USE_RECORD_INTERVAL

    def has_work(self) -> bool:
        """Whether a vector or the scale is missing, and can be made and stored now."""
        embedder = self._embedder
        if embedder is None or not self._store.writable or self._backoff.is_active:
            return False
        state = self._store.vectors.state(embedder.model)
        return state.pending or self._calibration.is_missing(state)

    @property
    def scale(self) -> Scale:
        """Converts the cosines to those that recall was fitted with; unchanged if it is not measured yet."""
        return self._calibration.scale

    def nearest(
        self, text: str, live: int, archived: int = 0, *, state: VectorState | None = None
    ) -> Nearest:
        """The memories nearest to a text: at most `live` live and `archived` archived ones.

        Pass `state` if it was just read from the store.
        """
        embedder, vectors = self._embedder, self._store.vectors
        if embedder is None or live + archived < 1:
            return NO_RESULTS
        state = state or vectors.state(embedder.model)
        if not (live and state.live) and not (archived and state.archived):
            return NO_RESULTS  # without vectors to compare with, the text need not be embedded
        query_vector = self._query_vector(embedder, text)
        if query_vector is None:
            return NO_RESULTS
        self._scale = self._calibration.of(state)
        found = vectors.nearest(embedder.model, query_vector, live, archived if state.archived else 0)
        return Nearest(*([(key, self._scale.of(cosine)) for key, cosine in part] for part in found))

    def similarities(self, text: str, keys: Set[int]) -> dict[int, float]:
        """The cosine similarity of memories to a text, by key; only of those that have a vector."""
        embedder, vectors = self._embedder, self._store.vectors
        if embedder is None or not keys:
            return {}
        if text not in self._query_vectors:  # `nearest` was not called for it
            state = vectors.state(embedder.model)
            if not state.live and not state.archived:
                return {}
            self._scale = self._calibration.of(state)
        query_vector = self._query_vector(embedder, text)
        if query_vector is None:
            return {}
        found = vectors.cosines(embedder.model, query_vector, keys)
        return {key: self._scale.of(cosine) for key, cosine in found.items()}

    def embed_pending(self, seconds: float, on_progress: Callable[[int], None] = lambda _: None) -> bool:
        """Embed memories without a vector, newest first, for `seconds`; return whether any are left.

        It may take long, so it is for processes that nobody waits for.
        """
        if self._embedder is None:
            return False
        if self.has_work():
            self.write_error = None
            try:
                self._embed_batches(self._embedder, time.monotonic() + seconds, on_progress)
            except (CannotEmbed, ImportError) as error:
                self._backoff.record_failure(error)
            except StorageError as error:  # disk full or store locked
                self.write_error = error.message
        return self._store.vectors.state(self._embedder.model).pending

    def _embed_batches(self, embedder: Embedder, deadline: float, on_progress: Callable[[int], None]) -> None:
        vectors = self._store.vectors
        vectors.adopt(embedder.model, int(self._clock()))
        done, batch_size = 0, 1
        while ids := vectors.pending(embedder.model, batch_size):
            memories = self._store.memories.get(ids, ReadMode.BEST_EFFORT)
            if not memories and batch_size == MAX_BATCH_SIZE:  # none of them can be read
                break
            batch_size = min(MAX_BATCH_SIZE, 2 * batch_size)
            if not memories:
                continue
            new_vectors = self._embed(embedder, [self._clean(embedded_text(memory)) for memory in memories])
            vectors.put(
                embedder.model,
                [
                    (memory.id, memory.version, packed_vectors().pack(row))
                    for memory, row in zip(memories, new_vectors, strict=True)
                ],
            )
            done += len(memories)
            on_progress(done)
            self._calibration.measure()
            if time.monotonic() >= deadline:
                return
        self._calibration.measure()

    def _embed(self, embedder: Embedder, texts: list[str]) -> Vectors:
        """Embed texts. Zero vectors are accepted if the embedder returns a usable one for another text."""
        has_direction = packed_vectors().has_direction
        new_vectors = embedder.embed(texts)
        if not any(map(has_direction, new_vectors)) and not has_direction(embedder.embed([PROBE_TEXT])[0]):
            raise CannotEmbed("The embedder returned no usable vectors, not even for a simple test sentence.")
        self._backoff.record_success()
        return new_vectors

    def _query_vector(self, embedder: Embedder, text: str) -> Floats | None:
        """The vector of a query, from the cache if possible; None if the embedder gives no usable one."""
        self._has_unrecorded_use = True
        if text not in self._query_vectors:
            if self._backoff.is_active:
                return None
            try:
                vector = embedder.embed([self._clean(text)])[0]
            except (CannotEmbed, ImportError) as error:
                self._backoff.record_failure(error)
                return None
            self._query_vectors[text] = self._usable_or_none(vector)
            if len(self._query_vectors) > _MAX_CACHED_QUERIES:
                self._query_vectors.popitem(last=False)
        self._query_vectors.move_to_end(text)
        return self._query_vectors[text]

    def _usable_or_none(self, vector: Floats) -> Floats | None:
        """A query's vector, or None if it is zero; a zero vector is neither a failure nor a success."""
        if not packed_vectors().has_direction(vector):
            return None
        self._backoff.record_success()
        return vector


class Calibration:
    """The scale of one embedder's cosines in one store; the built-in embedder needs none."""

    def __init__(self, vectors: VectorStore, embedder: Embedder | None) -> None:
        self._vectors = vectors
        self._unfitted = None if embedder is None or embedder.fitted else embedder

    @property
    def scale(self) -> Scale:
        """The stored scale; unchanged if there is none."""
        return self.of(self._vectors.state(self._unfitted.model)) if self._unfitted else UNCHANGED

    def of(self, state: VectorState) -> Scale:
        """The scale in a state read from the store; unchanged if there is none."""
        return Scale(*state.scale) if self._unfitted and state.scale else UNCHANGED

    def is_missing(self, state: VectorState) -> bool:
        """Whether there are vectors, but their scale is not measured yet."""
        return self._unfitted is not None and state.live and not state.scale

    def measure(self) -> None:
        """Measure and store the scale, unless it is known."""
        if self._unfitted and not self._vectors.state(self._unfitted.model).scale:
            scale = measure_scale(self._unfitted.embed(TEXTS))
            self._vectors.keep_scale(self._unfitted.model, scale)


class EmbedderBackoff:
    """The failures of one embedder, and how long it is paused after them."""

    def __init__(self, activity: Activity, model: str, clock: Callable[[], float]) -> None:
        """`model` is the key under which processes share its failures; empty if there is no embedder."""
        self._activity = activity
        self._model = model
        self._clock = clock
        self._failure: tuple[int, str] | None = None
        self._is_recorded = False
        """Whether the failure is recorded for other processes."""
        self._paused_until = 0.0
        self._delay = 0.0
        self.sync()

    @property
    def trouble(self) -> str | None:
        """Why the embedder failed last, unless it has worked since."""
        return self._failure and self._failure[1]

    @property
    def is_active(self) -> bool:
        """Whether the embedder is paused now."""
        return self._clock() < self._paused_until

    def sync(self) -> None:
        """Pause the embedder if this or another process has recorded a failure of it."""
        if not self._model:
            return
        recorded = self._activity.failure(self._model)
        if recorded:  # its time may be in the future, if a clock was wrong
            self._paused_until = max(self._paused_until, min(recorded[0], self._clock()) + RETRY_DELAY)
        elif self._is_recorded:  # another process has recorded since that it works
            self._paused_until = 0.0
        if recorded or self._is_recorded:
            self._failure, self._is_recorded = recorded, recorded is not None

    def end(self) -> None:
        """End the pause, so that the embedder is used again."""
        self._paused_until = 0.0

    def record_failure(self, error: Exception) -> None:
        """Start a pause, and record the failure for other processes."""
        self._failure = (int(self._clock()), str(error))
        self._delay = min(max(2 * self._delay, RETRY_DELAY), MAX_RETRY_DELAY)
        self._paused_until = self._clock() + self._delay
        self._is_recorded = self._activity.set_failure(self._model, self._failure[1], self._failure[0])

    def record_success(self) -> None:
        """Clear the failures, also for other processes."""
        self._delay = 0.0
        if self._failure is not None:
            self._failure, self._is_recorded = None, False
            self._activity.set_failure(self._model, None, int(self._clock()))
