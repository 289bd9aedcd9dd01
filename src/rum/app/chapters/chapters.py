"""Chapters: memories that tell one story, for Python programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Unpack

from rum.app.caller import Caller
from rum.app.calls import call
from rum.app.chapters import read_chapters
from rum.app.chapters import refresh as refreshing
from rum.app.chapters import suggest as suggesting
from rum.app.chapters.forgettable import CHAPTER
from rum.app.chapters.staleness import judged
from rum.app.error_origin import public
from rum.app.memories.forgettable import forgotten
from rum.consolidate.suggest.groups import Suggestion
from rum.model.answers import ForgetResult
from rum.model.chapter_answers import (
    ChapterView,
    CreateChapterResult,
    ListChaptersResult,
    RefreshResult,
    chapter_view,
)

if TYPE_CHECKING:
    from rum.app.arguments import CreateChapterArguments, ListChaptersArguments


@public
class Chapters:
    """The chapters of an open project."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def create(self, **given: Unpack[CreateChapterArguments]) -> CreateChapterResult:
        """Make a chapter of memories, by their ids or by tags; the same memories again renew the same one."""
        return call(self._caller, "create_chapter", given)

    def list(self, **given: Unpack[ListChaptersArguments]) -> ListChaptersResult:
        """Chapters with these tags, in a range of time, or with these ids; the last to end first."""
        return call(self._caller, "list_chapters", given)

    def show(self, chapter_id: str) -> ChapterView:
        """One chapter by its id, or a tail of it, with its members."""
        with self._caller.turn():
            one = read_chapters.known(self._caller.project, chapter_id)
            return chapter_view(judged(self._caller.project, [one])[0], members=True)

    def suggest(self, limit: int = suggesting.USUAL) -> Sequence[Suggestion]:
        """Groups of memories that look like one story and are in no chapter yet, each with the reason."""
        with self._caller.turn():
            return suggesting.suggestions(self._caller.project, limit)

    def refresh(self, *chapter_ids: str, dry_run: bool = False) -> RefreshResult:
        """Renew the chapters that are named, or else all that are stale; says what changed."""
        return refreshing.refresh(self._caller, chapter_ids, kind="chapter", dry_run=dry_run)

    def forget(self, chapter_id: str) -> ForgetResult:
        """Delete a chapter, not its memories; only a keyed hash of which they were stays."""
        with self._caller.turn():
            return forgotten(self._caller, CHAPTER, read_chapters.known(self._caller.project, chapter_id).id)
