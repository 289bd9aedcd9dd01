"""Chapters and wisdom without what is gone: nothing that only it said stays in them.

It happens while others wait to write, so it only cuts: claims that do not rest on what is gone stay as they
are, and of the rest only what is quickly found is worded anew. Either way it is marked for renewal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import to_builtins
from msgspec.structs import replace

from rum.app.chapters.grouping import G, all_tags, settled
from rum.app.chapters.sanitise_words import CLAIMS, TEXTS, presentable
from rum.app.project import Project
from rum.consolidate.chapters import chapter_words, wisdom_words
from rum.consolidate.chapters.members import by_time
from rum.model.chapters import Chapter, Evidence, Wisdom, Wording
from rum.model.memory import Memory
from rum.store.indexed_text import indexed_text
from rum.text.terms import says_little, terms

Terms = frozenset[str]


class Without:
    """Takes memories that are gone out of chapters and wisdom.

    `gone` are their words. Where nobody knows these, nothing stays but what the memories that are left say.
    """

    def __init__(self, project: Project, ids: Iterable[str], gone: Terms | None) -> None:
        self._project = project
        self._ids = frozenset(ids)
        self._gone = gone
        self._terms: dict[str, Terms] = {}

    def chapter(self, chapter: Chapter) -> Chapter | None:
        """A chapter of what is left of its members; None without any."""
        left = by_time(self._left(chapter.memory_ids))
        if not left:
            return None
        cut = self._cut(chapter, left, Terms())
        drawn = chapter_words.draw_headline(left)
        words = presentable(self._project, to_builtins(drawn))
        new = replace(
            cut,
            title=cut.title if "title" in cut.given else words["title"],
            summary=cut.summary if "summary" in cut.given else words["summary"],
            topics=tuple(words["topics"]),
            tags=all_tags((*cut.found_by, *cut.own_tags), (memory.tags for memory in left)),
            start_ts=left[0].created_at,
            end_ts=left[-1].created_at,
            forgotten=chapter.forgotten + max(1, len(chapter.members) - len(left)),
        )
        return settled(chapter, new, self._project.now())

    def wisdom(self, wisdom: Wisdom) -> Wisdom | None:
        """Wisdom of what is left of its chapters; None without any."""
        chapters = self._project.store.chapters.get(wisdom.chapter_ids)
        if not chapters:
            return None
        ids = {*wisdom.memory_ids, *(one for chapter in chapters for one in chapter.memory_ids)}
        left = self._left(sorted(ids))
        cut = self._cut(wisdom, left, said_terms(chapters))
        words = presentable(self._project, {"summary": wisdom_words.draw_headline(chapters, len(left))})
        known = {chapter.id for chapter in chapters}
        new = replace(
            cut,
            summary=cut.summary if "summary" in cut.given else words["summary"],
            tags=all_tags((*cut.found_by, *cut.own_tags), (chapter.tags for chapter in chapters)),
            start_ts=min(chapter.start_ts for chapter in chapters),
            end_ts=max(chapter.end_ts for chapter in chapters),
            sources=tuple(source for source in wisdom.sources if source.chapter_id in known),
            forgotten=wisdom.forgotten + max(1, len(wisdom.sources) - len(chapters)),
        )
        return settled(wisdom, new, self._project.now())

    def _left(self, ids: Sequence[str]) -> list[Memory]:
        """What is left of some memories; one that is damaged must not keep another from being forgotten."""
        return self._project.store.memories.best([one for one in ids if one not in self._ids])

    def _cut(self, one: G, left: Sequence[Memory], spoken: Terms) -> G:
        """The same without claims, sides of contradictions, tags and members that have to go."""
        own = self._own(one, left, spoken)
        times = {memory.id: memory.created_at for memory in left}
        claims: dict[str, list[str]] = {}
        evidence: list[Evidence] = []
        for name, claim, rests_on in _claims(one):
            now = self._resting(rests_on, times)
            kept = claims.setdefault(name, [])
            # In what was handed in, the words are the caller's: it is enough that another memory says so.
            said = now.memory_ids == rests_on.memory_ids or (name in one.given and now.supporting)
            if said and _free(claim, own):
                kept.append(claim)
                evidence.append(now)
        lost = {name for name, kept in claims.items() if not kept}
        lost |= {name for name in TEXTS if not _free(getattr(one, name, ""), own)}
        given = tuple(name for name in one.given if name not in lost)
        cut = replace(
            one,
            **{name: tuple(kept) for name, kept in claims.items()},
            evidence=tuple(evidence),
            given=given,
            words=_wording(one, given, evidence),
            found_by=one.found_by if _free(" ".join(one.found_by), own) else (),
            own_tags=tuple(tag for tag in one.own_tags if _free(tag, own)),
            members=tuple(member for member in one.members if member.memory_id in times),
            former=tuple(memory_id for memory_id in one.former if memory_id not in self._ids),
        )
        return cut if isinstance(cut, Chapter) else self._less_contradicted(cut, own)

    def _less_contradicted(self, wisdom: Wisdom, own: Terms) -> Wisdom:
        kept = (
            two
            for two in wisdom.contradictions
            if self._ids.isdisjoint((*two.memory_ids, *two.against_ids))
            and _free(f"{two.claim} \n {two.against}", own)
        )
        return replace(wisdom, contradictions=tuple(kept))

    def _own(self, one: Chapter | Wisdom, left: Iterable[Memory], spoken: Terms) -> Terms:
        """The words in it that only what is gone had."""
        said = {term for text in _texts(one) for term in terms(text)} - spoken
        odd = {term for term in said if self._gone is None or term in self._gone}
        odd -= {term for term in odd if says_little((term,))}
        for memory in left:
            if not odd:
                break
            odd -= self._terms_of(memory)
        return frozenset(odd)

    def _terms_of(self, memory: Memory) -> Terms:
        if memory.id not in self._terms:
            self._terms[memory.id] = terms_of([memory])
        return self._terms[memory.id]

    def _resting(self, evidence: Evidence, times: dict[str, int]) -> Evidence:
        """What a claim still rests on."""
        named = tuple(one for one in evidence.memory_ids if one not in self._ids)
        against = tuple(one for one in evidence.against_ids if one not in self._ids)
        less = len(evidence.memory_ids) - len(named)
        latest = max((times[one] for one in named if one in times), default=0)
        return replace(
            evidence,
            memory_ids=named,
            supporting=evidence.supporting - less,
            against=evidence.against - (len(evidence.against_ids) - len(against)),
            against_ids=against,
            last_confirmed=latest if less else evidence.last_confirmed,
        )


def _claims(one: Chapter | Wisdom) -> Iterable[tuple[str, str, Evidence]]:
    """Every claim with the name of its part and what it rests on."""
    rests_on = iter(one.evidence)
    for name in CLAIMS:
        for claim in getattr(one, name, ()):
            yield name, claim, next(rests_on)


def _texts(one: Chapter | Wisdom) -> Iterable[str]:
    """All that it says in words, but for what is quickly found anew."""
    yield from (getattr(one, name, "") for name in TEXTS)
    yield from (*one.claims, *one.own_tags, *one.found_by)
    for two in one.contradictions if isinstance(one, Wisdom) else ():
        yield from (two.claim, two.against)


def _free(text: str, own: Terms) -> bool:
    return own.isdisjoint(terms(text))


def _wording(one: Chapter | Wisdom, given: Sequence[str], claims: Sequence[object]) -> Wording:
    """Whose the words are that are left: the memories' own where all that others worded went."""
    left = set(given) - {"title"} if one.words is Wording.GIVEN else claims
    return one.words if left else Wording.DRAWN


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
