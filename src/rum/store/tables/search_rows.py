"""What the searches of all SQL databases make of the rows they find."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rum.store.base import ReadMode
from rum.store.derived import indexed_text
from rum.store.search import Details, Holders, Row, Wanted
from rum.text.terms import terms as terms_of
from rum.text.terms import unstemmed_words

if TYPE_CHECKING:
    from rum.store.tables.memories import MemoryTable

FIELDS = ("goal", "intent", "outcome", "learnings", "reasoning", "perception", "actions", "tags", "paths")
MAX_TEXT_LENGTH = 20_000  # Maximum length of a memory's text that is read for the spelling of its words
_ESCAPED = re.compile(r"\\[bfnrt]")


class Counts:
    """Estimates the number of holders of a term from their sequence numbers."""

    def __init__(self, last: int, archived: int, cap: int, archived_cap: int) -> None:
        self.size = last  # without counting: few memories are ever deleted
        self.archived = archived
        self._caps = cap, archived_cap

    def holders(self, live: list[int], archived: list[int], newest_archived: int) -> Holders:
        """The holders of a term, with estimates of their numbers from the density of those that were read."""
        cap, archived_cap = self._caps
        size = max(self.size, 1)
        own = max(size - self.archived, 1)
        count = len(live)
        if live and count >= cap:
            count = _estimate(count, own, min(own, size - live[-1] + 1))
        packed = len(archived)
        if archived and packed >= archived_cap:
            packed = _estimate(packed, self.archived, newest_archived - archived[-1] + 1)
        return Holders(live, count, archived, packed)


def _estimate(found: int, size: int, span: int) -> int:
    return min(size, found * size // max(1, span))


def details(row: Any) -> Details:
    """A memory in detail: place, `Row`, archived, newer, goal, paths, length, files, text."""
    archived, newer, goal, paths, length, files, text = row[6:]
    if archived:  # its terms are not stored, so they are derived from other columns
        goal, paths = " ".join(terms_of(goal)), " ".join(terms_of(paths or ""))
    return Details(
        Row(*row[1:6]), bool(archived), newer, goal or "", paths or "", length or 0, files or 0, text
    )


def words_for(term: str, text: str) -> Iterator[str]:
    """The words of a memory's JSON that stand for a term."""
    return (word for word in unstemmed_words(_ESCAPED.sub(" ", text)) if term in terms_of(word))


def in_order(keys: Sequence[int], wanted: Wanted) -> tuple[list[int], int]:
    """The keys to look up, each once, those of `wanted.always` first; and how many may pass."""
    first = dict.fromkeys(wanted.always)
    others = [key for key in dict.fromkeys(keys) if key not in first]
    return [*first, *others], wanted.cap if wanted.cap < 0 else wanted.cap + len(first)


class IndexedTexts(ABC):
    """The indexed terms of memories, field by field."""

    def __init__(self, memories: MemoryTable) -> None:
        self._memories = memories

    @abstractmethod
    def _stored_texts(self, ids: list[str]) -> dict[str, tuple[str, ...]]:
        """Those of live memories, by id."""

    def texts(self, ids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        wanted = list(dict.fromkeys(ids))
        found = self._stored_texts(wanted)
        # The terms of archived memories are not stored by field; deriving them again is slower.
        missing = [memory_id for memory_id in wanted if memory_id not in found]
        if missing:
            archived = self._memories.get(missing, ReadMode.BEST_EFFORT)
            found |= {memory.id: indexed_text(memory) for memory in archived}
        return {memory_id: found[memory_id] for memory_id in wanted if memory_id in found}
