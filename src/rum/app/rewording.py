"""Chapters and wisdom worded anew without what is gone: nothing of its words stays in them.

What RUM worded is drawn again from what is left. What was handed in stays, but for claims that rest on what
is gone, and texts with a word that only that had. Either way it is marked for renewal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from rum.app import chapter_making, wisdom_making
from rum.app.context import Context
from rum.app.handed_in import Given, handed_in_before
from rum.app.wording import Made
from rum.consolidate import chapter_words, wisdom_words
from rum.consolidate.evidence import Tracing
from rum.model.chapter import Chapter, Wording
from rum.model.memory import Memory
from rum.model.wisdom import Wisdom
from rum.store.index import indexed_text
from rum.store.terms import terms

Terms = frozenset[str]


def chapter_of(
    context: Context, chapter: Chapter, left: Sequence[Memory], gone: Terms | None = None
) -> Chapter:
    """A chapter of what is left of its members; `gone` are the words of the others, None if nobody knows."""
    stays = _staying(gone, lambda: terms_of(left))
    known = {memory.id for memory in left}
    given = _still_given(chapter, stays, {one for one in _named_in(chapter) if one not in known})
    words = chapter_making.composed(chapter_words.draw(left, None), given, Tracing(left))
    shell = replace(chapter, given=given.names, own_tags=tuple(filter(stays, chapter.own_tags)))
    new = chapter_making.said_by(context, shell, Made(words, _wording(given)), left)
    new = chapter_making.settled(chapter, new, context.now())
    return replace(new, forgotten=chapter.forgotten + len(chapter.members) - len(left))


def wisdom_of(
    context: Context, wisdom: Wisdom, chapters: Sequence[Chapter], gone: Terms | None = None
) -> Wisdom:
    """Wisdom of what is left of its chapters and their members; `gone` as above."""
    members = wisdom_making.members_of(context, chapters)
    stays = _staying(gone, lambda: terms_of(members.values()) | said_terms(chapters))
    missing = {one for one in _named_in(wisdom) if not context.store.memories.states([one])}
    given = _still_given(wisdom, stays, missing)
    words = wisdom_words.draw(chapters, members, None)
    words = wisdom_making.composed(words, given, Tracing(members.values()))
    shell = replace(wisdom, given=given.names, own_tags=tuple(filter(stays, wisdom.own_tags)))
    new = wisdom_making.said_by(context, shell, Made(words, _wording(given)), chapters)
    new = chapter_making.settled(wisdom, new, context.now())
    return replace(new, forgotten=wisdom.forgotten + max(1, len(wisdom.sources) - len(chapters)))


def _staying(gone: Terms | None, left: Callable[[], Terms]) -> Callable[[str], bool]:
    """Whether a text may stay: where it has no word that only what is gone had."""
    own = None if gone is None else gone - left()
    return lambda text: own is not None and own.isdisjoint(terms(text))


def _still_given(one: Chapter | Wisdom, stays: Callable[[str], bool], missing: set[str]) -> Given:
    claims = one.learnings if isinstance(one, Chapter) else one.claims
    shaken = {
        claim
        for claim, rests_on in zip(claims, one.evidence, strict=True)
        if not missing.isdisjoint(rests_on.memory_ids)
    }
    return handed_in_before(one).only(lambda said: said not in shaken and stays(said))


def _named_in(one: Chapter | Wisdom) -> set[str]:
    return {memory_id for evidence in one.evidence for memory_id in evidence.memory_ids}


def _wording(given: Given) -> Wording:
    return Wording.GIVEN if given.words else Wording.DRAWN


def terms_of(memories: Iterable[Memory]) -> Terms:
    """All words of some memories, as the index has them."""
    return frozenset(term for one in memories for field in indexed_text(one) for term in field.split())


def said_terms(chapters: Iterable[Chapter]) -> Terms:
    """All words that chapters say themselves."""
    return frozenset(
        term
        for chapter in chapters
        for text in (chapter.title, chapter.summary, *chapter.learnings, *chapter.tags)
        for term in terms(text)
    )
