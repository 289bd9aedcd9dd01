"""How long an embedder that failed is left alone, by this process and by those that start meanwhile."""

from __future__ import annotations

from collections.abc import Callable

from rum.store.activity import Activity

REST, LONGEST_REST = 60, 300
"""Seconds an embedder that failed is left alone, by this process and those that start meanwhile.

Here it is left alone for twice as long each time, up to the longest, as long as it fails.
"""


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
        self._noted = self._activity.fail(self._model, self._failure[1], self._failure[0])

    def works(self) -> None:
        """Forget the failures, and let others know."""
        self._rest = 0.0
        if self._failure is not None:
            self._failure, self._noted = None, False
            self._activity.works(self._model)
