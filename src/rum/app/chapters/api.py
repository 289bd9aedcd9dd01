"""Chapters and wisdom for Python programs: `rum.chapters` and `rum.wisdom`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from rum.app.caller import Caller
from rum.app.calls import call, public
from rum.app.chapters.create import DEFAULT_LIMIT, refresh, suggestions
from rum.app.chapters.forget import CHAPTER, WISDOM_KIND
from rum.app.chapters.groups import CHAPTERS, WISDOM, find_one
from rum.app.chapters.staleness import with_staleness
from rum.app.memories.forget import forget_one
from rum.consolidate.suggest import Suggestion
from rum.model.answers import ForgetResult
from rum.model.chapters import (
    ChapterView,
    CreateChapterResult,
    ListChaptersResult,
    RecallWisdomResult,
    RefreshResult,
    SynthesizeResult,
    WisdomView,
    chapter_view,
    wisdom_view,
)

if TYPE_CHECKING:
    from rum.app.arguments import (
        CreateChapterArguments,
        ListChaptersArguments,
        RecallWisdomArguments,
        SynthesizeArguments,
    )


@public
class Chapters:
    """The chapters of an open project."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(self, **arguments: Unpack[CreateChapterArguments]) -> CreateChapterResult:
        """Create a chapter from memories, by ids or tags; the same memories again update the same chapter."""
        return call(self._caller, "create_chapter", arguments)

    def list(self, **arguments: Unpack[ListChaptersArguments]) -> ListChaptersResult:
        """Chapters with these tags, in a range of time, or with these ids; the last to end first."""
        return call(self._caller, "list_chapters", arguments)

    def show(self, chapter_id: str) -> ChapterView:
        """One chapter with its members, by its id or the end of it."""
        with self._caller.locked_call():
            project = self._caller.project
            found = with_staleness(project, [find_one(project, CHAPTERS, chapter_id)])
            return chapter_view(found[0], include_members=True)

    def suggest(self, limit: int = DEFAULT_LIMIT) -> Sequence[Suggestion]:
        """Groups of related memories that are in no chapter yet, each with the reason."""
        with self._caller.locked_call():
            return suggestions(self._caller.project, limit)

    def refresh(self, *chapter_ids: str, dry_run: bool = False) -> RefreshResult:
        """Refresh the chapters that are named, or all that are stale; returns what changed."""
        return refresh(self._caller, chapter_ids, kind="chapter", dry_run=dry_run)

    def forget(self, chapter_id: str) -> ForgetResult:
        """Delete a chapter but not its memories; only a keyed hash of their ids is kept."""
        with self._caller.locked_call():
            found = self._caller.project.find_id("chapter", chapter_id)
            return forget_one(self._caller, CHAPTER, found)


@public
class WisdomApi:
    """The wisdom of an open project."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def synthesize(self, **arguments: Unpack[SynthesizeArguments]) -> SynthesizeResult:
        """Create wisdom from chapters, by ids or tags; the same chapters again update the same wisdom."""
        return call(self._caller, "synthesize", arguments)

    def recall(self, **arguments: Unpack[RecallWisdomArguments]) -> RecallWisdomResult:
        """Wisdom by its id, by tags, or by a query."""
        return call(self._caller, "recall_wisdom", arguments)

    def show(self, wisdom_id: str) -> WisdomView:
        """One wisdom with its chapters, by its id or the end of it."""
        with self._caller.locked_call():
            project = self._caller.project
            found = with_staleness(project, [find_one(project, WISDOM, wisdom_id)])
            return wisdom_view(found[0], include_chapters=True)

    def refresh(self, *wisdom_ids: str, dry_run: bool = False) -> RefreshResult:
        """Refresh the wisdom that is named, or all that is stale; returns what changed."""
        return refresh(self._caller, wisdom_ids, kind="wisdom", dry_run=dry_run)

    def forget(self, wisdom_id: str) -> ForgetResult:
        """Delete wisdom but not its chapters; only a keyed hash of their ids is kept."""
        with self._caller.locked_call():
            found = self._caller.project.find_id("wisdom", wisdom_id)
            return forget_one(self._caller, WISDOM_KIND, found)
