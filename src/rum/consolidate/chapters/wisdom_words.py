"""The text of wisdom, extracted from chapters: insights, patterns and practices with their evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import combinations
from typing import NamedTuple

from rum.consolidate.chapters.chapter_words import best_claims, claims_of
from rum.consolidate.chapters.clusters import Cluster, Similarity, cluster_claims, clusters_by_text
from rum.consolidate.chapters.evidence import EvidenceFinder, make_evidence
from rum.consolidate.chapters.members import by_time, in_force, short_line
from rum.consolidate.chapters.statements import (
    LONGEST_CLAIM,
    WORK_MARK,
    ClaimKind,
    Statement,
    goal_of,
    is_meaningful,
    is_rule,
    weigh_claim,
)
from rum.consolidate.chapters.titles import LONGEST_TITLE, find_headings, goals_of
from rum.consolidate.counting import (
    belong_together,
    changed_files,
    days_text,
    file_counts,
    is_incidental,
    join_names,
    largest,
    memories,
    result_counts,
)
from rum.model.chapters import Chapter, Contradiction, Evidence, TextSource, WisdomText
from rum.model.memory import Memory
from rum.model.memory_layers import FailureCategory
from rum.text.word_weights import telling_words

MOST_INSIGHTS = 8
MOST_PATTERNS = 8
MOST_PRACTICES = 8
MOST_WARNINGS = 4  # Practices that say what failed
WARNS = 2  # How often work must have failed for a warning
MOST_CONTRADICTIONS = 20
_TITLES = 4  # Chapters that a summary names

_ADVICE = re.compile(
    r"""[,;:]\ (?:avoid|call|check|do\ not|don't|ensure|keep|make\ sure|pass|prefer|run|set|test|use
        |validate|wrap|write)\b|\b(?:has\ to|have\ to|must|needs?\ to|should)\b
        # Not what once happened: "it never put the connection back, so the pool ran dry".
        |\b(?:always|never)\b(?!.*\b(?:broke|came|did|got|had|lost|ran|was|went|were)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_RECORDED = (ClaimKind.GIVEN, ClaimKind.LEARNED, ClaimKind.NOTICED)
# How a claim begins that speaks as a rule; "Set of keys" and "Test runs take" do not.
_RULE = re.compile(
    r"""(?:always|avoid|do\ not|don't|ensure|make\ sure|must\ not|never|prefer|remember\ to)\b
        |(?:add|await|bump|call|catch|check|clear|close|commit|compare|configure|copy|create|declare|define|delete
        |disable|enable|escape|fetch|give
        |handle|import|increase|install|keep|limit|load|lock|log|mock|name|open|pass|pin|put|quote|read|register
        |release|remove|rename|reset|restart|retry|return|reuse|run|save|send|set|skip|sort|start|stop|store|test
        |treat|update|use|validate|verify|wait|wrap|write)\b
        (?!\ of\b|\ (?:[\w.-]+\ )?
            (?:is|are|was|were|can|cannot|fails?|failed|has|have|lives?|needs?|takes?|runs?)\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_COMMANDS = re.compile(r"\b(?:must|should)\b", re.IGNORECASE)


class Claim(NamedTuple):
    """A claim with its evidence."""

    text: str
    evidence: Evidence


def draw_wisdom(
    chapters: Sequence[Chapter],
    members: Mapping[str, Memory],
    similarity: Similarity | None = None,
    tags: Iterable[str] = (),
) -> WisdomText:
    """Extract wisdom from chapters: the same in any order of the chapters, and only what they state.

    `members` are the memories of all chapters by id; missing ones claim nothing. Claims of memories with all
    the `tags` come first.
    """
    by_chapter_id = {chapter.id: chapter for chapter in chapters}
    ordered_chapters = sorted(by_chapter_id.values(), key=lambda one: (one.start_ts, one.id))
    ids = (one for chapter in ordered_chapters for one in chapter.memory_ids)
    ordered = by_time(members[one] for one in ids if one in members)
    topics = telling_words(" ".join(heading.text for heading in find_headings(goals_of(ordered))))
    statements = [*claims_of(ordered), *_given(ordered_chapters, ordered, similarity)]
    by_id = {memory.id: memory for memory in ordered}
    tagged = frozenset(memory.id for memory in ordered if set(tags) <= set(memory.tags)) or by_id.keys()
    found = _by_support(cluster_claims(statements, topics, similarity), ordered_chapters, tagged)
    practices = _practices(found, by_id)
    insights = best_claims([one for one in found if one not in practices], MOST_INSIGHTS)
    # Patterns that mostly tagged memories show come first.
    patterns = sorted(
        find_patterns(in_force(ordered)),
        key=lambda one: 2 * sum(memory_id in tagged for memory_id in one.memory_ids) <= len(one.memory_ids),
    )
    claims = {
        "insights": [_claim(one.best.text, one, by_id) for one in insights],
        "patterns": [_claim(one.text, one, by_id) for one in patterns[:MOST_PATTERNS]],
        "best_practices": [_claim(one.best.text, one, by_id) for one in practices],
    }
    contradictions = _contradictions(found, by_id)
    summarised = [*claims["insights"], *claims["best_practices"]]
    return WisdomText(
        summary=_summary(ordered_chapters, ordered, summarised, contradictions),
        **{name: tuple(one.text for one in each) for name, each in claims.items()},
        evidence=tuple(one.evidence for each in claims.values() for one in each),
        contradictions=contradictions,
    )


def _claim(text: str, found: Cluster | Pattern, by_id: Mapping[str, Memory]) -> Claim:
    return Claim(text, make_evidence(found.memory_ids, found.against_ids, by_id))


def _given(
    chapters: Sequence[Chapter], ordered: Sequence[Memory], similarity: Similarity | None
) -> list[Statement]:
    """The learnings of chapters whose text was not extracted, as far as members support them."""
    current = {memory.id for memory in in_force(ordered)}
    finder = EvidenceFinder(ordered, similarity)
    found = list[Statement]()
    for chapter in chapters:
        if chapter.words is TextSource.DRAWN and "learnings" not in chapter.given:
            continue
        for text, evidence in zip(chapter.learnings, chapter.evidence, strict=True):
            line = short_line(text, LONGEST_CLAIM)
            ids = tuple(one for one in evidence.memory_ids if one in current)
            ids = ids or finder.evidence(line).memory_ids
            kind, line, weight = weigh_claim(ClaimKind.GIVEN, line)
            if ids and is_meaningful(line):
                found.append(Statement(line, kind, weight, ids))
    return found


def _by_support(found: Iterable[Cluster], chapters: Sequence[Chapter], tagged: Set[str]) -> list[Cluster]:
    """Claims sorted: of tagged memories first, then by how many memories and chapters state them."""
    sets = [frozenset(chapter.memory_ids) for chapter in chapters]

    def order(cluster: Cluster) -> tuple[bool, int, int, float]:
        spread = sum(not one.isdisjoint(cluster.memory_ids) for one in sets)
        return tagged.isdisjoint(cluster.memory_ids), -len(cluster.memory_ids), -spread, -cluster.rank

    return sorted(found, key=order)


def _practices(found: Sequence[Cluster], members: Mapping[str, Memory]) -> list[Cluster]:
    """Advice that success has confirmed, then warnings: what failed more than once, most often first."""
    advice, warnings = list[Cluster](), list[Cluster]()
    for cluster in found:
        results = [members[one].outcome.success for one in cluster.memory_ids if one in members]
        # The work that advice comes from must have succeeded more often than not.
        advised = 2 * sum(results) > len(results) and _advises(cluster.best)
        # What was recorded as a rule is one, also if failing taught it.
        if advised or (cluster.best.kind in _RECORDED and _RULE.match(cluster.best.text)):
            advice.append(cluster)
        if cluster.best.kind is ClaimKind.FAILED and results.count(False) >= WARNS:
            warnings.append(cluster)
    best_warnings = best_claims(warnings, MOST_WARNINGS)
    return [*best_claims(advice, MOST_PRACTICES - len(best_warnings)), *best_warnings]


def _advises(statement: Statement) -> bool:
    """Whether a claim says what to do; of a story's sentences only a rule that commands does."""
    if statement.kind in _RECORDED:
        return bool(_RULE.match(statement.text) or _ADVICE.search(statement.text))
    alone = WORK_MARK not in statement.text and is_rule(statement.text)
    return alone and bool(_COMMANDS.search(statement.text))


def _contradictions(found: Sequence[Cluster], members: Mapping[str, Memory]) -> tuple[Contradiction, ...]:
    """Every two claims that cannot both hold, once, the better supported one first."""
    by_text = clusters_by_text(found)
    pairs = dict[frozenset[str], Contradiction]()
    for cluster in found:
        for statement in cluster.against:
            # A claim beyond those that are compared still counts as evidence against, but is no side itself.
            other = by_text.get(statement.text, cluster)
            texts = frozenset((cluster.best.text, other.best.text))
            if len(texts) == 2 and texts not in pairs:
                pairs[texts] = Contradiction(
                    claim=cluster.best.text,
                    memory_ids=make_evidence(cluster.memory_ids, (), members).memory_ids,
                    against=other.best.text,
                    against_ids=make_evidence(other.memory_ids, (), members).memory_ids,
                )
    return tuple(pairs.values())[:MOST_CONTRADICTIONS]


def _summary(
    chapters: Sequence[Chapter],
    ordered: Sequence[Memory],
    claims: Sequence[Claim],
    contradictions: Sequence[Contradiction],
) -> str:
    """The chapters, the results of the work, the most common claim, and the number of contradictions."""
    if not ordered:
        return ""
    titles = _titles(chapter for chapter in chapters if chapter.title.strip())
    more = len(titles) - _TITLES
    named = f"{', '.join(titles[:_TITLES])} and {more} more" if more > 0 else join_names(titles)
    days = days_text(ordered[0].created_at, ordered[-1].created_at)
    count = _count(chapters)
    parts = [f"{count} with {memories(len(ordered))} {days}{f': {named}' if named else ''}."]
    failed = sum(not memory.outcome.success for memory in ordered)
    parts.append(f"{result_counts(len(ordered), failed)}.")
    best = max(claims, key=lambda one: one.evidence.supporting, default=None)
    if best and best.evidence.supporting > 1:
        often = memories(best.evidence.supporting)
        parts.append(f"Said most often, in {often}: {best.text.rstrip('.')}.")
    if contradictions:
        many = len(contradictions)
        parts.append(f"{many} contradiction{'s are' if many > 1 else ' is'} open.")
    return " ".join(parts)


def draw_headline(chapters: Sequence[Chapter], count: int) -> str:
    """A summary of chapters with `count` memories, without looking at these."""
    titles = _titles(chapters[:_TITLES])
    more = len(chapters) - len(titles)
    names = join_names([*titles, *([f"{more} more"] if more else [])])
    return f"{_count(chapters)} with {memories(count)}: {names}."


def _titles(chapters: Iterable[Chapter]) -> list[str]:
    return [f"“{short_line(chapter.title, LONGEST_TITLE)}”" for chapter in chapters]


def _count(chapters: Sequence[Chapter]) -> str:
    return f"{len(chapters)} chapters" if len(chapters) != 1 else "1 chapter"


FEWEST, FEWEST_FAILURES = 3, 2  # Minimum number of memories, and of failures, for a pattern
_OFTEN = 0.6  # The share of the changes to a file that another file is changed with
_SWEEPING = 20  # A change of more files says nothing about any two of them
_OFTEN_ENOUGH = 0.1  # The share of work that must fail for a pattern
_EACH = 3  # Patterns of one kind
_NAMED = 3  # Goals that a pattern names
_MANY = 20  # Minimum number of memories to tell whether a file is changed with another or with everything
_OFTENER = 2  # The factor by which two files must be changed together more often than by chance


class Pattern(NamedTuple):
    """Something that repeats, the memories that show it, and those that show the opposite."""

    text: str
    memory_ids: tuple[str, ...]
    against_ids: tuple[str, ...] = ()


def find_patterns(ordered: Sequence[Memory]) -> list[Pattern]:
    """Patterns in memories, oldest first, by kind; the most frequent first."""
    return [*_approaches(ordered), *_causes(ordered), *_failing(ordered), *_together(ordered)]


def _ids(members: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(memory.id for memory in members)


def _approaches(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Approaches that were chosen more than once, and whether they worked."""
    chosen = {memory.id: memory for memory in ordered if memory.reasoning.approach_chosen}
    approaches = {
        one: short_line(memory.reasoning.approach_chosen, LONGEST_CLAIM) for one, memory in chosen.items()
    }
    found = cluster_claims(
        Statement(text, ClaimKind.CHOSEN, 0.0, (one,))
        for one, text in approaches.items()
        if is_meaningful(text)
    )
    repeated = [cluster for cluster in found if len(cluster.memory_ids) >= FEWEST_FAILURES]
    for cluster in repeated[:_EACH]:
        worked = tuple(one for one in cluster.memory_ids if chosen[one].outcome.success)
        failed = tuple(one for one in cluster.memory_ids if not chosen[one].outcome.success)
        results = [("Worked", worked), ("Failed", failed)]
        (result, most), (_, fewer) = sorted(results, key=lambda one: -len(one[1]))
        often = (
            "repeatedly" if not fewer else "more often than not" if len(most) > len(fewer) else "and failed"
        )
        yield Pattern(f"{result} {often}: {cluster.best.text.rstrip('.')}.", most, fewer)


def _causes(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Causes that made work fail more than once."""
    failed = [memory for memory in ordered if not memory.outcome.success]
    reasons = Counter(category.value for memory in failed if (category := memory.outcome.failure_category))
    del reasons[FailureCategory.OTHER.value]
    for name, _ in largest(reasons, FEWEST_FAILURES, _EACH):
        members = [memory for memory in failed if memory.outcome.failure_category == name]
        is_one = len({goal_of(memory) for memory in members}) == 1
        failed_so = "Failed repeatedly" if is_one else "Several tasks failed"
        text = f"{failed_so}, by {name.replace('_', ' ')}: {_goals(members)}."
        yield Pattern(text, _ids(members))


def _failing(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Files on which work failed more than once."""
    failed = [memory for memory in ordered if not memory.outcome.success]
    changes = file_counts(ordered)
    often = Counter(
        {
            path: n
            for path, n in file_counts(failed).items()
            if n >= _OFTEN_ENOUGH * changes[path] and not is_incidental(path)
        }
    )
    named = set[tuple[str, ...]]()
    for path, _ in largest(often, FEWEST_FAILURES, len(often)):
        members = [memory for memory in failed if path in changed_files(memory)]
        if _ids(members) not in named and len(named) < _EACH:
            named.add(_ids(members))
            yield Pattern(f"Changes of {path} failed repeatedly: {_goals(members)}.", _ids(members))


def _goals(members: Sequence[Memory]) -> str:
    """The latest different goals of memories, in quotes."""
    goals = list(dict.fromkeys(f"“{goal_of(memory)}”" for memory in reversed(members)))
    more = [f"{len(goals) - _NAMED} more"] if len(goals) > _NAMED else []
    return join_names([*goals[:_NAMED], *more])


def _together(ordered: Sequence[Memory]) -> Iterator[Pattern]:
    """Files that are seldom changed without another, unless their names or sheer frequency explain it."""
    sets = [changed_files(memory) for memory in ordered]
    changes = Counter({path: n for path, n in file_counts(ordered).items() if not is_incidental(path)})
    pairs = Counter(
        pair
        for files in sets
        if len(files) <= _SWEEPING
        for pair in combinations(sorted(path for path in files if changes[path] >= FEWEST), 2)
        if not belong_together(*pair)
    )
    named = set[str]()
    for one, other in sorted(pairs, key=lambda pair: (-pairs[pair], pair)):
        led, leads = sorted((one, other), key=lambda path: (changes[path], path))
        by_chance = changes[led] * changes[leads] / len(ordered) if len(ordered) >= _MANY else 0
        fewest = max(FEWEST, _OFTEN * changes[led], _OFTENER * by_chance)
        if named & {led, leads} or pairs[one, other] < fewest:
            continue
        named |= {led, leads}
        both = [memory for memory, files in zip(ordered, sets, strict=True) if {led, leads} <= files]
        alone = [
            memory for memory, files in zip(ordered, sets, strict=True) if led in files and leads not in files
        ]
        often = "usually " if alone else ""
        # Only these chapters were counted: elsewhere the files may change apart.
        text = f"In these chapters, changes of {led} {often}came with changes of {leads}."
        yield Pattern(text, _ids(both), _ids(alone))
        if len(named) == 2 * _EACH:
            return
