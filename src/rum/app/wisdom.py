"""Wisdom: what chapters say together, for Python programs."""

from __future__ import annotations

from typing import Unpack

from rum.app import refreshing, wisdom_reading, wisdom_writing
from rum.app.asked import RecalledWisdom, Synthesized
from rum.app.asking import question
from rum.app.calls import plain
from rum.app.chapter_kinds import WISDOM
from rum.app.context import Context
from rum.app.forgettable import forgotten
from rum.app.staleness import judged_wisdom
from rum.model.answers import ForgetResult
from rum.model.chapter_answers import RefreshResult
from rum.model.wisdom_answers import (
    RecallWisdomQuestion,
    RecallWisdomResult,
    SynthesizeQuestion,
    SynthesizeResult,
    WisdomView,
    wisdom_view,
)


class WisdomKept:
    """The wisdom of an open project."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def synthesize(self, **given: Unpack[Synthesized]) -> SynthesizeResult:
        """Make wisdom of chapters, by their ids or by tags; the same chapters again renew the same one."""
        return wisdom_writing.synthesize(
            self._context, question("synthesize", SynthesizeQuestion, plain(given))
        )

    def recall(self, **given: Unpack[RecalledWisdom]) -> RecallWisdomResult:
        """Wisdom by its id, by tags, or by the question it answers."""
        with self._context.turn():
            asked = question("recall_wisdom", RecallWisdomQuestion, plain(given))
            return wisdom_reading.recall(self._context, asked)

    def show(self, wisdom_id: str) -> WisdomView:
        """One wisdom by its id, or a tail of it, with its chapters."""
        with self._context.turn():
            one = wisdom_reading.known(self._context, wisdom_id)
            return wisdom_view(judged_wisdom(self._context, [one])[0], chapters=True)

    def refresh(self, *wisdom_ids: str, dry_run: bool = False) -> RefreshResult:
        """Renew the wisdom that is named, or else all that is stale; says what changed."""
        return refreshing.refresh(self._context, wisdom_ids, kind="wisdom", dry_run=dry_run)

    def forget(self, wisdom_id: str) -> ForgetResult:
        """Delete wisdom, not its chapters; only a keyed hash of which they were stays."""
        with self._context.turn():
            return forgotten(self._context, WISDOM, wisdom_reading.known(self._context, wisdom_id).id)
