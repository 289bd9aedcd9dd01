"""Likeness of meaning: which memories are near a text by their vectors; none while there is trouble."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from itertools import accumulate
from typing import TYPE_CHECKING

from rum.embed.base import HARMLESS, CannotEmbed, Embedder, OutOfTime
from rum.embed.calibration import TEXTS, UNCHANGED, Scale, measure_scale
from rum.embed.text import embedded_text
from rum.model.errors import StorageError
from rum.store.activity import Activity
from rum.store.base import ReadMode, Store
from rum.store.vectors import Nearest, VectorCounts, VectorState
from rum.store.vectors import Vectors as VectorStore

if TYPE_CHECKING:
    from rum.embed.base import Vectors
    from rum.store.packed_vectors import Floats

# So many memories that an embedder has never seen are taken note of while somebody waits for an answer.
MANY = 1000
USE_NOTED = 86400  # Seconds after which it is noted anew that vectors are in use
AT_ONCE = 32  # The most memories embedded in one step; then they are written, and others get their turn

# Seconds an embedder that failed is left alone, by this process and those that start meanwhile.
#
# Here it is left alone for twice as long each time, up to the longest, as long as it fails.
REST, LONGEST_REST = 60, 300

NOTHING = Nearest([], [])

_QUESTIONS = 8  # How many questions' vectors are kept
_LEAST, _MOST = 0.05, 30.0  # Seconds that others are waited for by whom somebody waits for


class Meaning:
    """Compares texts with the memories of one project by the embedder in force.

    Nothing here raises when the embedder fails: there are no results then, and `trouble` says why. Numpy and
    the model are loaded with the first text that has something to be compared with.
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
        self._asked = False
        """Whether vectors were used since that was last noted."""
        self._note_after = 0.0
        self._slow_until = 0.0
        self.hindrance: str | None = None
        """Why the last vectors that were made could not be kept."""
        self.behind = False
        """Whether memories were still waiting for a vector when this was asked last."""
        self.waited = False
        """Whether a question has waited for vectors already; those after it wait less."""
        self._questions: OrderedDict[str, Floats | None] = OrderedDict()
        self._scale = UNCHANGED
        self._scaling = Scaling(store.vectors, embedder)
        self._resting = Resting(store.activity, self.model or "", clock)

    @property
    def model(self) -> str | None:
        """The stamp of the vectors in use; None where there shall be none."""
        return self._embedder.model if self._embedder else None

    @property
    def embedder(self) -> Embedder | None:
        """What makes vectors; None where there shall be none, and while it is left alone after a failure."""
        return None if self._resting.goes_on else self._embedder

    @property
    def trouble(self) -> str | None:
        """Why the embedder failed last, unless it has worked since."""
        return self._resting.trouble

    def counts(self) -> VectorCounts:
        """How many memories have a vector, and how many wait for one."""
        return self._store.vectors.counts(self._embedder.model) if self._embedder else VectorCounts(0, 0, 0)

    def heed_failures(self) -> None:
        """Leave the embedder alone for as long as somebody has to who met a failure, here or elsewhere."""
        self._resting.heed()

    def ask_again(self) -> None:
        """Ask the embedder even if it failed, or took too long, just now."""
        self._resting.end()
        self._slow_until = 0.0

    def note_use(self) -> None:
        """Note that vectors were used, once a day, so that they are kept; if others write now, later."""
        now = self._clock()
        if self._embedder is None or not self._asked or now < self._note_after or not self._store.writable:
            return
        self._note_after = now + REST
        with suppress(StorageError), self._store.errors():
            self._store.vectors.renew(self._embedder.model, int(now), int(now) - USE_NOTED)
            self._asked, self._note_after = False, now + USE_NOTED

    def has_work(self) -> bool:
        """Whether memories wait for a vector, and one can be made and kept now."""
        embedder = self._embedder
        if embedder is None or not self._store.writable or self._resting.goes_on:
            return False
        return self._waits(self._store.vectors.state(embedder.model))

    def _waits(self, state: VectorState) -> bool:
        """Whether there is a vector or a scale to be made."""
        return state.pending or self._scaling.is_missing(state)

    @property
    def scale(self) -> Scale:
        """How the embedder's cosines compare to those that recall was fitted with, as far as it is known."""
        return self._scaling.scale

    def nearest(
        self, text: str, live: int, archived: int = 0, *, state: VectorState | None = None
    ) -> Nearest:
        """Up to that many live and archived memories nearest to a text; `state` if the store just told it."""
        embedder, vectors = self._embedder, self._store.vectors
        if embedder is None or live + archived < 1:
            return NOTHING
        state = state or vectors.state(embedder.model)
        if not (live and state.live) and not (archived and state.archived):
            return NOTHING  # there is nothing to compare it with, so it need not be embedded
        question = self._vector(embedder, text)
        if question is None:
            return NOTHING
        self._scale = self._scaling.of(state)
        found = vectors.nearest(embedder.model, question, live, archived if state.archived else 0)
        return Nearest(*([(key, self._scale.of(cosine)) for key, cosine in part] for part in found))

    def likeness(self, text: str, keys: Set[int]) -> dict[int, float]:
        """How near memories are to a text, as cosines by their keys, for those that have a vector."""
        embedder, vectors = self._embedder, self._store.vectors
        if embedder is None or not keys:
            return {}
        if text not in self._questions:  # the nearest to it were not looked for
            state = vectors.state(embedder.model)
            if not state.live and not state.archived:
                return {}
            self._scale = self._scaling.of(state)
        question = self._vector(embedder, text)
        if question is None:
            return {}
        found = vectors.cosines(embedder.model, question, keys)
        return {key: self._scale.of(cosine) for key, cosine in found.items()}

    def catch_up(
        self,
        seconds: float,
        tell: Callable[[int], None] = lambda _: None,
        *,
        first: Sequence[tuple[int, str]] = (),
        thorough: bool = False,
        state: VectorState | None = None,
    ) -> bool:
        """Embed memories that have no vector, the newest first, for that long; whether some still have none.

        `first`, by key and id, come before all others. `thorough` is for whom nobody waits: then an
        endpoint may take its time, and a store of any size is begun with. `state` is what the store has just
        told of the vectors.
        """
        embedder, vectors = self._embedder, self._store.vectors
        if embedder is None or not self._waits(state or vectors.state(embedder.model)):
            self.behind = False
            return False
        if self.has_work() and (thorough or self._clock() >= self._slow_until):
            self.hindrance, self.waited = None, True
            try:
                self._embed_pending(embedder, time.monotonic() + seconds, tell, first, thorough)
            except OutOfTime:
                self._slow_until = self._clock() + REST
            except (CannotEmbed, ImportError) as error:
                self._resting.failed(error)
            except StorageError as error:  # no room, or others are writing: no reason to stop a question
                self.hindrance = error.message
        self.behind = bool(vectors.pending(embedder.model, 1))
        return self.behind

    def _embed_pending(
        self,
        embedder: Embedder,
        deadline: float,
        tell: Callable[[int], None],
        first: Sequence[tuple[int, str]],
        thorough: bool,
    ) -> None:
        if not self._begun(embedder.model, deadline, thorough):
            return
        from rum.store.packed_vectors import pack  # noqa: PLC0415 (loads numpy)

        vectors, done, share, pace = self._store.vectors, 0, 1, 0.0
        waiting = vectors.pending(embedder.model, len(first), among=[key for key, _ in first])
        missing = [memory_id for _, memory_id in first if memory_id in set(waiting)]
        while share and (ids := missing[:share] or vectors.pending(embedder.model, share)):
            missing = missing[share:]
            began = time.monotonic()
            memories = self._store.memories.get(ids, ReadMode.BEST_EFFORT)
            texts = [self._clean(embedded_text(memory)) for memory in memories]
            if done and not thorough:
                texts = texts[: _fitting(texts, pace * (deadline - began))]
                memories = memories[: len(texts)]
            if not texts:
                break
            made = self._made(embedder, texts, None if thorough else _left(deadline))
            rows = [
                (memory.id, memory.version, pack(row)) for memory, row in zip(memories, made, strict=True)
            ]
            vectors.put(embedder.model, rows, None if thorough else _left(deadline))
            done += len(texts)
            tell(done)
            if thorough:
                self._scaling.find(None)
            now = time.monotonic()
            pace = sum(map(len, texts)) / max(now - began, 1e-6)
            share = min(AT_ONCE, 2 * share) if now < deadline else 0
        if share:
            self._scaling.find(_left(deadline))

    def _made(self, embedder: Embedder, texts: list[str], patience: float | None) -> Vectors:
        """The vectors of texts; one that points nowhere is its text's fault where another's does not."""
        from rum.store.packed_vectors import has_direction  # noqa: PLC0415 (loads numpy)

        made = embedder.embed(texts, patience)
        if not any(map(has_direction, made)) and not has_direction(embedder.embed([HARMLESS], patience)[0]):
            raise CannotEmbed("The embedder returned no usable vectors, not even for a harmless text.")
        self._resting.works()
        return made

    def _begun(self, model: str, deadline: float, thorough: bool) -> bool:
        """Whether the store knows what this embedder has yet to see; to note that of many takes a while."""
        vectors = self._store.vectors
        known = not thorough and model in vectors.models()
        if not thorough and not known and self._store.memories.count() > MANY:
            return False
        if not known:
            vectors.adopt(model, int(self._clock()), None if thorough else _left(deadline))
        return True

    def _vector(self, embedder: Embedder, text: str) -> Floats | None:
        """The vector of a question; None when there is none to be had."""
        self._asked = True
        if text not in self._questions:
            if self._resting.goes_on:
                return None
            try:
                vector = embedder.embed([self._clean(text)])[0]
            except (CannotEmbed, ImportError) as error:
                self._resting.failed(error)
                return None
            self._questions[text] = self._told(vector)
            if len(self._questions) > _QUESTIONS:
                self._questions.popitem(last=False)
        self._questions.move_to_end(text)
        return self._questions[text]

    def _told(self, vector: Floats) -> Floats | None:
        """A question's vector; of one that points nowhere nothing, which says nothing of the embedder."""
        from rum.store.packed_vectors import has_direction  # noqa: PLC0415 (loads numpy)

        if not has_direction(vector):
            return None
        self._resting.works()
        return vector


def _fitting(texts: list[str], characters: float) -> int:
    """How many of the texts have together no more than so many characters, so that a short limit holds."""
    return sum(length <= characters for length in accumulate(map(len, texts)))


def _left(deadline: float) -> float:
    """How long others, who write or make vectors, are waited for by somebody who wants to be done by then."""
    return min(_MOST, max(_LEAST, deadline - time.monotonic()))


class Scaling:
    """The scale of one embedder's vectors in one store; there is nothing to measure of the built-in one."""

    def __init__(self, vectors: VectorStore, embedder: Embedder | None) -> None:
        self._vectors = vectors
        self._other = None if embedder is None or embedder.fitted else embedder

    @property
    def scale(self) -> Scale:
        """How its cosines compare, as far as it is known."""
        return self.of(self._vectors.state(self._other.model)) if self._other else UNCHANGED

    def of(self, state: VectorState) -> Scale:
        """The same, of what the store knows."""
        return Scale(*state.scale) if self._other and state.scale else UNCHANGED

    def is_missing(self, state: VectorState) -> bool:
        """Whether there are vectors whose scale nobody has measured."""
        return self._other is not None and state.live and not state.scale

    def find(self, patience: float | None) -> None:
        """Measure it, unless that was done."""
        if self._other and not self._vectors.state(self._other.model).scale:
            scale = measure_scale(self._other.embed(TEXTS, patience))
            self._vectors.keep_scale(self._other.model, scale, patience)


class Resting:
    """The failures of one embedder, and until when they keep it from being asked."""

    def __init__(self, activity: Activity, model: str, clock: Callable[[], float]) -> None:
        """`model` is the embedder's stamp, by which others know of its failures; empty if there is none."""
        self._activity = activity
        self._model = model
        self._clock = clock
        self._failure: tuple[int, str] | None = None
        self._noted = False
        """Whether others can know of the failure."""
        self._until = 0.0
        self._rest = 0.0
        self.heed()

    @property
    def trouble(self) -> str | None:
        """Why the embedder failed last, unless it has worked since."""
        return self._failure and self._failure[1]

    @property
    def goes_on(self) -> bool:
        """Whether the embedder is to be left alone now."""
        return self._clock() < self._until

    def heed(self) -> None:
        """Leave the embedder alone for as long as somebody has to who met a failure, here or elsewhere."""
        if not self._model:
            return
        noted = self._activity.failure(self._model)
        if noted:  # it may bear the time of a clock that was wrong
            self._until = max(self._until, min(noted[0], self._clock()) + REST)
        elif self._noted:  # somebody has noted since that it works
            self._until = 0.0
        if noted or self._noted:
            self._failure, self._noted = noted, noted is not None

    def end(self) -> None:
        """Let the embedder be asked again, whatever happened."""
        self._until = 0.0

    def failed(self, error: Exception) -> None:
        """Begin a rest, and let others know."""
        self._failure = (int(self._clock()), str(error))
        self._rest = min(max(2 * self._rest, REST), LONGEST_REST)
        self._until = self._clock() + self._rest
        self._noted = self._activity.set_failure(self._model, self._failure[1], self._failure[0])

    def works(self) -> None:
        """Forget the failures, and let others know."""
        self._rest = 0.0
        if self._failure is not None:
            self._failure, self._noted = None, False
            self._activity.set_failure(self._model, None, int(self._clock()))
