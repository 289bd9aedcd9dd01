"""Wisdom: what chapters say together, for Python programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from rum.app.caller import Caller
from rum.app.calls import call
from rum.app.chapters import read_wisdom
from rum.app.chapters import refresh as refreshing
from rum.app.chapters.forgettable import WISDOM
from rum.app.chapters.staleness import judged_wisdom
from rum.app.error_origin import public
from rum.app.memories.forgettable import forgotten
from rum.model.answers import ForgetResult
from rum.model.chapter_answers import (
    RecallWisdomResult,
    RefreshResult,
    SynthesizeResult,
    WisdomView,
    wisdom_view,
)

if TYPE_CHECKING:
    from rum.app.arguments import RecallWisdomArguments, SynthesizeArguments


@public
class WisdomKept:
    """The wisdom of an open project."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def synthesize(self, **given: Unpack[SynthesizeArguments]) -> SynthesizeResult:
        """Make wisdom of chapters, by their ids or by tags; the same chapters again renew the same one."""
        return call(self._caller, "synthesize", given)

    def recall(self, **given: Unpack[RecallWisdomArguments]) -> RecallWisdomResult:
        """Wisdom by its id, by tags, or by the question it answers."""
        return call(self._caller, "recall_wisdom", given)

    def show(self, wisdom_id: str) -> WisdomView:
        """One wisdom by its id, or a tail of it, with its chapters."""
        with self._caller.turn():
            one = read_wisdom.known(self._caller.project, wisdom_id)
            return wisdom_view(judged_wisdom(self._caller.project, [one])[0], chapters=True)

    def refresh(self, *wisdom_ids: str, dry_run: bool = False) -> RefreshResult:
        """Renew the wisdom that is named, or else all that is stale; says what changed."""
        return refreshing.refresh(self._caller, wisdom_ids, kind="wisdom", dry_run=dry_run)

    def forget(self, wisdom_id: str) -> ForgetResult:
        """Delete wisdom, not its chapters; only a keyed hash of which they were stays."""
        with self._caller.turn():
            return forgotten(self._caller, WISDOM, read_wisdom.known(self._caller.project, wisdom_id).id)
