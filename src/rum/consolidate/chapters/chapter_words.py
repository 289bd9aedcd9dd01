"""The words of a chapter, drawn from its members: title, summary, topics, learnings with evidence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import dropwhile
from typing import NamedTuple

from msgspec.structs import replace

from rum.consolidate.chapters.clusters import Cluster, Similarity, cluster_claims, clusters_by_text
from rum.consolidate.chapters.evidence import make_evidence
from rum.consolidate.chapters.members import by_time, in_force, short_line
from rum.consolidate.chapters.statements import (
    FEWEST_WORDS,
    WORK_MARK,
    ClaimKind,
    Statement,
    goal_of,
    is_meaningful,
    statements_of,
    tells_what_it_does,
    weigh_claim,
)
from rum.consolidate.chapters.titles import (
    Heading,
    find_headings,
    goal_text,
    goals_of,
    make_title,
    telling_goals,
)
from rum.consolidate.counting import (
    changed_files,
    day_text,
    days_text,
    file_counts,
    is_incidental,
    join_names,
    largest,
    memories,
    result_counts,
    times,
)
from rum.model.chapters import ChapterText
from rum.model.memory import Memory
from rum.text.claim_comparison import differs
from rum.text.claims import parse_statement
from rum.text.sentences import prose_sentences
from rum.text.word_weights import Vocabulary, telling_words

MOST_LEARNINGS = 8
MOST_SIDES = 2  # Claims that are shown beside one that they contradict
LEAST_RANK = 1.25  # The rank from which a claim is worth showing: better none than an empty one

_GOALS = 4  # Goals that a summary names
_LONGEST_GOAL = 90
_FILES = 3
_FAILED = 2
_LONGEST_RESULT = 160
# How a summary begins that only names a commit and counts its lines.
_COMMIT_LINE = re.compile(r"[0-9a-f]{7,40}(?: by [^:]{1,80})?: ")
_NEW_WORDS = 4  # Words that a memory's summary must have beyond its goal to be worth repeating


def draw_chapter(members: Sequence[Memory], similarity: Similarity | None = None) -> ChapterText:
    """The words of a chapter: the same for the same members in any order, and nothing they do not say."""
    ordered = by_time(members)
    words = draw_headline(ordered)
    claims = cluster_claims(claims_of(ordered), telling_words(" ".join(words.topics)), similarity)
    learnings = _with_contradicting(best_claims(claims, MOST_LEARNINGS), claims)
    by_id = {memory.id: memory for memory in ordered}
    return replace(
        words,
        learnings=tuple(cluster.best.text for cluster in learnings),
        evidence=tuple(make_evidence(one.memory_ids, one.against_ids, by_id) for one in learnings),
    )


def draw_headline(ordered: Sequence[Memory]) -> ChapterText:
    """Title, summary and topics of members, oldest first: the fields that need no comparison of claims."""
    goals = goals_of(ordered)
    headings = find_headings(goals)
    topics = tuple(heading.text for heading in headings)
    summary = _summary(ordered, headings)
    return ChapterText(title=make_title(goals, headings), summary=summary, topics=topics)


def claims_of(ordered: Sequence[Memory]) -> list[Statement]:
    """All claims of memories, oldest first, and what failed; superseded memories claim nothing."""
    current = in_force(ordered)
    failed = [failure.statement for failure in find_failures(current)]
    failures = "\n".join(statement.text for statement in failed)
    claims = list[Statement](failed)
    for one in (statement for memory in current for statement in statements_of(memory)):
        # A story, such as that of a revert, may only say why the work failed.
        reason = one.text.partition(WORK_MARK)[2] or one.text
        if one.kind is not ClaimKind.STORY or reason not in failures:
            claims.append(one)
    return claims


def best_claims(found: Sequence[Cluster], count: int) -> list[Cluster]:
    """The best claims. A memory that made one already adds only what it recorded as learned or noticed."""
    chosen, used = list[Cluster](), set[str]()
    for cluster in found:
        if len(chosen) == count:
            break
        if cluster.rank < LEAST_RANK:
            continue
        new = used.isdisjoint(cluster.memory_ids)
        if new or cluster.best.kind in (ClaimKind.LEARNED, ClaimKind.NOTICED):
            chosen.append(cluster)
            used.update(cluster.memory_ids)
    return chosen


def _with_contradicting(chosen: Sequence[Cluster], found: Sequence[Cluster]) -> list[Cluster]:
    """Claims, each followed by those that contradict it, so that no side stands alone."""
    by_text = clusters_by_text(found)
    shown = dict[str, Cluster]()
    for cluster in chosen:
        others = [by_text[statement.text] for statement in cluster.against if statement.text in by_text]
        for one in (cluster, *sorted(others, key=lambda other: -other.rank)[:MOST_SIDES]):
            shown.setdefault(one.best.text, one)
    return list(shown.values())


def _summary(ordered: Sequence[Memory], headings: Sequence[Heading]) -> str:
    """Two to four sentences about memories, oldest first, that share these headings."""
    if not ordered:
        return ""
    if len(ordered) == 1:
        memory = ordered[0]
        result = "succeeded" if memory.outcome.success else "failed"
        reason = failure_reason_of(memory) or _result(memory)
        why = f": {reason.rstrip('.')}" if reason else ""
        return f"“{goal_of(memory)}” of {day_text(memory.created_at)} {result}{why}."
    parts = [_subject(ordered, headings), _results(ordered)]
    counts = Counter({path: n for path, n in file_counts(ordered).items() if not is_incidental(path)})
    if found := largest(counts, 2, _FILES):
        parts.append(f"Changed most often: {join_names([path for path, _ in found])}.")
    if result := _result(ordered[-1]):
        parts.append(f"Last, “{_goal(ordered[-1])}”: {result.rstrip('.')}.")
    return " ".join(parts)


def _subject(ordered: Sequence[Memory], headings: Sequence[Heading]) -> str:
    """How many memories there are, from when, and their most telling goals in order of time."""
    span = days_text(ordered[0].created_at, ordered[-1].created_at)
    goals = list(dict.fromkeys(map(_goal, ordered)))
    telling = [short_line(goal, _LONGEST_GOAL) for goal in telling_goals(goals_of(ordered), headings)]
    shown = [f"“{goal}”" for goal in goals if len(goals) <= _GOALS or goal in telling[:_GOALS]]
    more = len(goals) - len(shown)
    named = f"{', '.join(shown)} and {more} more" if more else join_names(shown)
    return f"{memories(len(ordered))} {span}: {named}."


def _goal(memory: Memory) -> str:
    return short_line(goal_text(goals_of([memory])[0].text), _LONGEST_GOAL)


def _results(ordered: Sequence[Memory]) -> str:
    """How many succeeded and failed, the latest failures by name."""
    failed = [memory for memory in ordered if not memory.outcome.success]
    counts = result_counts(len(ordered), len(failed))
    if len(failed) in (0, len(ordered)):
        return f"{counts}."
    done = {_goal(memory) for memory in ordered if memory.outcome.success}
    # With the number of its commit where work of the same name succeeded.
    shown = [f"“{goal_of(one) if _goal(one) in done else _goal(one)}”" for one in failed[-_FAILED:]]
    more = len(failed) - len(shown)
    rest = f" and {more} more" if more else ""
    return f"{counts}: {join_names(shown) if not more else ', '.join(shown)}{rest}."


def _result(memory: Memory) -> str:
    """A memory's outcome, where its summary says more than its goal."""
    summary = memory.full_summary
    new = telling_words(summary[:_LONGEST_RESULT]) - telling_words(memory.intent.goal)
    if _COMMIT_LINE.match(summary) or len(new) < _NEW_WORDS:
        return ""
    return short_line(summary, _LONGEST_RESULT)


LONGEST_REASON = 220  # Characters of a reason inside a claim
# The share of a goal's words, the rarer counting more, from which on another goal is about the same work.
SAME_WORK = 0.5
_GOAL = 1000  # Characters of a goal that are read
# How a sentence begins that gives no reason.
_NO_REASON = re.compile(
    r"(?:(?:reverted|taken back) without a reason|this reverts|revert(?:s|ing)? )", re.IGNORECASE
)
# How the message of a revert begins that says what it does instead of why, and references in it.
_NO_CAUSE = re.compile(r"(?:always|also|never|only|reproduces?|supersedes?)\b", re.IGNORECASE)
_REFERENCE = re.compile(r"#\d+|https?://\S+")
_UNDOING = re.compile(r"(?:revert|undo|roll(?:ed)? back|back out)\b", re.IGNORECASE)
_NO_REASON_WEIGHT = 1.0  # Taken off where no reason is known


class Failure(NamedTuple):
    """Work that failed, each attempt, and what succeeded after it."""

    attempts: tuple[Memory, ...]  # Oldest first
    reason: str  # In the words of the latest that gives one; may be empty
    source: Memory  # The attempt whose reason this is
    remedy: Memory | None
    # Whether the remedy had the same goal and changed the same files, and is not only similar work.
    proven: bool

    @property
    def text(self) -> str:
        """Work, reason and remedy in one claim."""
        often = f" {times(len(self.attempts))}" if len(self.attempts) > 1 else ""
        claim = f"{goal_of(self.source)} failed{often}"
        claim += f": {self.reason}" if self.reason else "."
        if self.remedy is None:
            return claim
        how = "What worked" if self.proven else "Later succeeded"
        return f"{claim if claim.endswith(('.', '!')) else f'{claim}.'} {how}: {goal_of(self.remedy)}"

    @property
    def statement(self) -> Statement:
        """The claim, made by all memories that it names."""
        kind, text, weight = weigh_claim(ClaimKind.FAILED, self.text)
        named = [self.source, *([self.remedy] if self.remedy else []), *reversed(self.attempts)]
        ids = tuple(dict.fromkeys(memory.id for memory in named))
        return Statement(text, kind, weight if self.reason else weight - _NO_REASON_WEIGHT, ids)


def failure_reason_of(memory: Memory) -> str:
    """Why a memory's work failed, in its own words; empty where it succeeded or gives no reason."""
    reason = memory.outcome.failure_reason
    if memory.outcome.success or not reason:
        return ""
    opening = _opening(reason)
    if _COMMIT_LINE.match(memory.full_summary) and (_NO_CAUSE.match(opening) or tells_what_it_does(opening)):
        return ""
    new = telling_words(_REFERENCE.sub("", opening)) - telling_words(memory.intent.goal)
    return opening if len(new) >= FEWEST_WORDS and is_meaningful(opening) else ""


def find_failures(ordered: Sequence[Memory]) -> list[Failure]:
    """The failures with a known reason or proven remedy, repeated work as one; memories are oldest first."""
    work = _Work(ordered)
    groups = dict[int, list[int]]()
    for place, memory in enumerate(ordered):
        if memory.outcome.success or _undoes(memory):
            continue
        first = next((one for one in work.alike(place) if one in groups and work.one_aim(one, place)), place)
        groups.setdefault(first, []).append(place)
    found = list[Failure]()
    for group in groups.values():
        attempts = tuple(ordered[place] for place in group)
        source = next((memory for memory in reversed(attempts) if failure_reason_of(memory)), attempts[-1])
        reason, last = failure_reason_of(source), group[-1]
        later = [
            one
            for one in work.alike(last)
            if one > last and ordered[one].outcome.success and not _undoes(ordered[one])
        ]
        proven = [one for one in later if work.one_aim(last, one) and work.share_files(last, one)]
        if reason or proven:
            remedy = next((ordered[one] for one in proven or later), None)
            found.append(Failure(attempts, reason, source, remedy, bool(proven)))
    return found


class _Work:
    """Memories by their places in time, compared by goals and files."""

    def __init__(self, ordered: Sequence[Memory]) -> None:
        self._goals = [memory.intent.goal[:_GOAL] for memory in ordered]
        self._words = list(map(telling_words, self._goals))
        self._files = [changed_files(memory) for memory in ordered]
        self._vocabulary = Vocabulary(self._words)
        self._weights = list(map(self._vocabulary.weight, self._words))
        self._holders: dict[str, list[int]] = {}
        for place, words in enumerate(self._words):
            for word in words:
                self._holders.setdefault(word, []).append(place)

    def alike(self, place: int) -> list[int]:
        """Memories of similar work, oldest first: their goals share most words, and their files overlap."""
        near, words = set[int](), self._words[place]
        left = whole = self._weights[place]
        for word in self._vocabulary.rarest(words, len(words)):
            if left < SAME_WORK * whole:
                break  # a goal without any of the rarer words cannot be similar enough
            near.update(self._holders[word])
            left -= self._vocabulary.weight(frozenset((word,)))
        return [other for other in sorted(near - {place}) if self._same(place, other)]

    def _same(self, one: int, other: int) -> bool:
        if self._files[one] and self._files[other] and not self.share_files(one, other):
            return False
        shared = self._vocabulary.weight(self._words[one] & self._words[other])
        return bool(shared) and shared >= SAME_WORK * max(self._weights[one], self._weights[other])

    def share_files(self, one: int, other: int) -> bool:
        """Whether two memories changed the same file."""
        return not self._files[one].isdisjoint(self._files[other])

    def one_aim(self, one: int, other: int) -> bool:
        """Whether nothing in two goals shows that they differ."""
        return not differs(parse_statement(self._goals[one]), parse_statement(self._goals[other]))


def _undoes(memory: Memory) -> bool:
    return bool(_UNDOING.match(memory.intent.goal)) or "revert" in memory.tags


def _opening(text: str) -> str:
    """The first sentences of a reason, within `LONGEST_REASON`."""
    opening = ""
    for sentence in dropwhile(_NO_REASON.match, prose_sentences(text)):
        if opening and (len(opening) + len(sentence) >= LONGEST_REASON or not sentence.endswith((".", "!"))):
            break
        opening = short_line(f"{opening} {sentence}", LONGEST_REASON)
        if not opening.endswith((".", "!")):
            break
    return opening.rstrip(" :;,")
