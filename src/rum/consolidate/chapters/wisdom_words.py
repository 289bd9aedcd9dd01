"""The words of wisdom, drawn from chapters: insights, patterns and practices, and what each rests on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import NamedTuple

from rum.consolidate.chapters.chapter_words import claims_of, picked
from rum.consolidate.chapters.evidence import MOST_NAMED, Tracing, evidence_of
from rum.consolidate.chapters.members import day, in_force, in_order, shortened
from rum.consolidate.chapters.patterns import Pattern, patterns
from rum.consolidate.chapters.titles import LONGEST_TITLE, aims_of, headings
from rum.consolidate.clusters import Cluster, Likeness, by_text, clustered
from rum.consolidate.counting import listed, memories, went
from rum.consolidate.sentence_weight import is_rule
from rum.consolidate.statements import LONGEST_CLAIM, SAID_OF, Kind, Statement, says_something, weighed
from rum.model.chapters import Chapter, Evidence, Wording
from rum.model.memory import Memory
from rum.model.wisdom import Contradiction, WisdomWords
from rum.text.word_weights import telling_words

MOST_INSIGHTS = 8
MOST_PATTERNS = 8
MOST_PRACTICES = 8
MOST_WARNINGS = 4
"""Practices that say what failed."""
WARNS = 2
"""What failed so often is a warning; what failed once is only known."""
MOST_CONTRADICTIONS = 20
_TITLES = 4

_ADVICE = re.compile(
    r"""(?:\A|[,;:]\ )(?:avoid|call|check|do\ not|don't|ensure|keep|make\ sure|pass|prefer|run|set|test|use
        |validate|wrap|write)\b|\b(?:always|has\ to|have\ to|must|needs?\ to|never|should)\b""",
    re.IGNORECASE | re.VERBOSE,
)


_COMMANDS = re.compile(r"\b(?:must|should)\b", re.IGNORECASE)


class _Said(NamedTuple):
    """A claim with its evidence."""

    text: str
    evidence: Evidence


def draw(
    chapters: Sequence[Chapter],
    members: Mapping[str, Memory],
    likeness: Likeness | None = None,
    tags: Iterable[str] = (),
) -> WisdomWords:
    """What chapters say together: the same for the same ones in any order, and nothing they do not say.

    `members` are the memories of all chapters by id; one that is gone says nothing. What memories with all
    the `tags` say comes first.
    """
    told = sorted(
        {chapter.id: chapter for chapter in chapters}.values(), key=lambda one: (one.start_ts, one.id)
    )
    ordered = in_order(members[one] for chapter in told for one in chapter.memory_ids if one in members)
    topics = telling_words(" ".join(heading.text for heading in headings(aims_of(ordered))))
    claims = [*claims_of(ordered), *_given(told, ordered, likeness)]
    by_id = {memory.id: memory for memory in ordered}
    tagged = frozenset(memory.id for memory in ordered if set(tags) <= set(memory.tags)) or by_id.keys()
    found = _by_support(clustered(claims, topics, likeness), told, tagged)
    practices = _practices(found, by_id)
    insights = picked([one for one in found if one not in practices], MOST_INSIGHTS)
    seen = sorted(patterns(in_force(ordered)), key=lambda one: not _mostly(one.memory_ids, tagged))
    del seen[MOST_PATTERNS:]
    said = [
        *(_said(one.best.text, one, by_id) for one in insights),
        *(_said(one.text, one, by_id) for one in seen),
        *(_said(one.best.text, one, by_id) for one in practices),
    ]
    texts = [one.text for one in said]
    until, then = len(insights), len(insights) + len(seen)
    contradictions = _contradictions(found, by_id)
    return WisdomWords(
        summary=_summary(told, ordered, [*said[:until], *said[then:]], contradictions),
        insights=tuple(texts[:until]),
        patterns=tuple(texts[until:then]),
        best_practices=tuple(texts[then:]),
        evidence=tuple(one.evidence for one in said),
        contradictions=contradictions,
    )


def _said(text: str, found: Cluster | Pattern, by_id: Mapping[str, Memory]) -> _Said:
    return _Said(text, evidence_of(found.memory_ids, found.against_ids, by_id))


def _given(
    chapters: Sequence[Chapter], ordered: Sequence[Memory], likeness: Likeness | None
) -> list[Statement]:
    """The learnings of chapters whose words were not drawn, those that members say, with these members."""
    living = {memory.id for memory in in_force(ordered)}
    tracing = Tracing(ordered, likeness)
    found = list[Statement]()
    for chapter in chapters:
        if chapter.words is Wording.DRAWN and "learnings" not in chapter.given:
            continue
        for number, text in enumerate(chapter.learnings):
            line = shortened(text, LONGEST_CLAIM)
            named = chapter.evidence[number].memory_ids if number < len(chapter.evidence) else ()
            ids = tuple(one for one in named if one in living) or tracing.evidence(line).memory_ids
            kind, line, weight = weighed(Kind.GIVEN, line)
            if ids and says_something(line):
                found.append(Statement(line, kind, weight, ids))
    return found


def _by_support(found: Iterable[Cluster], chapters: Sequence[Chapter], tagged: Set[str]) -> list[Cluster]:
    """Claims, those of tagged memories first, of these what most memories say, then what most chapters do."""
    sets = [frozenset(chapter.memory_ids) for chapter in chapters]

    def order(cluster: Cluster) -> tuple[bool, int, int, float]:
        spread = sum(not one.isdisjoint(cluster.memory_ids) for one in sets)
        return tagged.isdisjoint(cluster.memory_ids), -len(cluster.memory_ids), -spread, -cluster.rank

    return sorted(found, key=order)


def _practices(found: Sequence[Cluster], members: Mapping[str, Memory]) -> list[Cluster]:
    """Advice that success has confirmed, and warnings: what failed more than once, most often first."""
    advice = [one for one in found if _advises(one.best) and _confirmed(one, members)]
    warnings = [one for one in found if one.best.kind is Kind.FAILED and _failed(one, members) >= WARNS]
    kept = picked(warnings, MOST_WARNINGS)
    return [*picked(advice, MOST_PRACTICES - len(kept)), *kept]


def _advises(statement: Statement) -> bool:
    """Whether a claim says what to do; of what a story tells only a rule that commands does."""
    if statement.kind in (Kind.GIVEN, Kind.LEARNED, Kind.NOTICED):
        return bool(_ADVICE.search(statement.text))
    alone = SAID_OF not in statement.text and is_rule(statement.text)
    return alone and bool(_COMMANDS.search(statement.text))


def _confirmed(cluster: Cluster, members: Mapping[str, Memory]) -> bool:
    """Whether the work that a claim comes from succeeded more often than not."""
    went = [members[one].outcome.success for one in cluster.memory_ids if one in members]
    return 2 * sum(went) > len(went)


def _mostly(ids: Sequence[str], tagged: Set[str]) -> bool:
    return 2 * sum(one in tagged for one in ids) > len(ids)


def _failed(cluster: Cluster, members: Mapping[str, Memory]) -> int:
    """How often the work failed that a claim tells of."""
    return sum(not members[one].outcome.success for one in cluster.memory_ids if one in members)


def _contradictions(found: Sequence[Cluster], members: Mapping[str, Memory]) -> tuple[Contradiction, ...]:
    """Every two claims that cannot both hold, once, the better supported one first."""
    places = by_text(found)
    pairs = dict[frozenset[str], Contradiction]()
    for cluster in found:
        for statement in cluster.against:
            # A claim beyond those that are told still counts as evidence against, but has no side of its own.
            other = places.get(statement.text, cluster)
            texts = frozenset((cluster.best.text, other.best.text))
            if len(texts) == 2:
                pairs.setdefault(texts, _contradiction(cluster, other, members))
    return tuple(pairs.values())[:MOST_CONTRADICTIONS]


def _contradiction(one: Cluster, other: Cluster, members: Mapping[str, Memory]) -> Contradiction:
    return Contradiction(
        claim=one.best.text,
        memory_ids=evidence_of(one.memory_ids, (), members).memory_ids[:MOST_NAMED],
        against=other.best.text,
        against_ids=evidence_of(other.memory_ids, (), members).memory_ids[:MOST_NAMED],
    )


def _summary(
    chapters: Sequence[Chapter],
    ordered: Sequence[Memory],
    claims: Sequence[_Said],
    contradictions: Sequence[Contradiction],
) -> str:
    """What it is made of, how the work went, what is said most, and what is open."""
    if not ordered:
        return ""
    titles = [f"“{shortened(chapter.title, LONGEST_TITLE)}”" for chapter in chapters if chapter.title.strip()]
    more = len(titles) - _TITLES
    named = f"{', '.join(titles[:_TITLES])} and {more} more" if more > 0 else listed(titles)
    first, last = day(ordered[0].created_at), day(ordered[-1].created_at)
    count = f"{len(chapters)} chapters" if len(chapters) != 1 else "1 chapter"
    told = [f"{count} with {memories(len(ordered))} from {first} to {last}{f': {named}' if named else ''}."]
    failed = sum(not memory.outcome.success for memory in ordered)
    told.append(f"{went(len(ordered), failed)}.")
    best = max(claims, key=lambda one: one.evidence.supporting, default=None)
    if best and best.evidence.supporting > 1:
        often = memories(best.evidence.supporting)
        told.append(f"Said most often, in {often}: {best.text.rstrip('.')}.")
    if contradictions:
        many = len(contradictions)
        told.append(f"{many} contradiction{'s are' if many > 1 else ' is'} open.")
    return " ".join(told)
