"""A question on its way through the cascade, and what was found so far."""

from __future__ import annotations

import re
from functools import cached_property
from typing import NamedTuple

from rum.model.fields import seconds
from rum.model.requests import RecallRequest
from rum.recall import fitted, limits
from rum.recall.neighbours import Neighbourhood
from rum.recall.words import Words
from rum.store.filters import Filters
from rum.text.terms import query_terms, says_little, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rum.model.memory import Memory
    from rum.recall.semantic import SemanticSearch
    from rum.store.base import Store
    from rum.store.search import Details, Row, Search


_LONGEST_ISSUE = 200  # A longer question asks for more than an issue's number

_NUMBER = r"([0-9]{1,9})(?!\w)"
_ISSUE = re.compile(
    rf"https?://\S+/(?:issues|pull|merge_requests)/{_NUMBER}\S*"
    rf"|(?:(?<!\w)[\w.-]+/[\w.-]+)?#{_NUMBER}"
    rf"|(?<!\w)(?:gh-|!){_NUMBER}"
    rf"|(?<!\w)(?:issue|bug|ticket|pr|mr|(?:pull|merge) request)\s+#?{_NUMBER}",
    re.IGNORECASE,
)
# What may stand beside a number without asking for anything else.
_BESIDE = frozenset(
    terms(
        "issue issues bug ticket pr pull merge request fix fixes fixed close closes closed resolve resolves "
        "resolved refs references see show find tell give happened"
    )
)

_EVERYTHING = Filters(superseded=True)


FAR = 25  # How much further the nearest are looked for where filters exclude many of them


class NearestKeys(NamedTuple):
    """The keys of the memories nearest by meaning, nearest first."""

    live: list[int]
    archived: list[int]
    with_archive: bool  # Whether the archive was looked at


class Inquiry:
    """One checked question with everything the levels need to answer it."""

    def __init__(
        self,
        question: RecallRequest,
        store: Store,
        files: tuple[str, ...] = (),
        *,
        session: str = "",
        semantic: SemanticSearch | None = None,
        patient: bool = True,
        earlier: Inquiry | None = None,
    ) -> None:
        """`earlier` is a question asked just before, in the same or some of the same words.

        What was read for it is not read again.
        """
        self.question = question
        self.store = store
        self.files = files
        """The file patterns, relative to the repository."""
        self.session = session
        """The session in which is asked."""
        self.semantic = semantic
        self.patient = patient
        """Whether vectors that are missing may be waited for."""
        self.text = question.text.strip()
        if files and says_little(query_terms(self.text)):
            self.text = ""  # "why?" beside a file asks for the file
        self.issue = issue_asked_for(self.text)
        """The number of the issue or pull request that is asked for, if nothing else is."""
        if self.issue:
            self.text = self.issue  # "PR" beside it would find whoever says so
        self.threshold = fitted.MIN_CONFIDENCE if question.min_confidence is None else question.min_confidence
        self.strict = question.min_confidence != 0
        """Whether a memory that only its neighbours speak for is left out; 0 asks for the best there is."""
        self.sure = max(self.threshold, limits.SURE)
        """From here on a memory counts as found, so that the next level may be left out."""
        self.pool = max(limits.POOL, question.limit)
        """How many memories are looked at closely."""
        ranked = self.text or len(files) > 1 or (files and question.task_type)
        self.candidates = self.pool if ranked else question.limit
        """How many memories a level may bring: more than are asked for where the best have to be picked."""
        self.filters = filters_of(question)

        self._earlier = earlier
        self._same_text = earlier is not None and earlier.text == self.text
        self.details: dict[int, Details] = earlier.details if earlier else {}
        """What is known of memories, by key."""
        self._passed: dict[int, bool] = {}
        """Whether memories pass the filters, by key, as far as it was looked up."""
        if earlier and self.filters == earlier.filters:
            self._passed = earlier._passed
        elif self.filters.superseded and not self.filters.any():
            self._passed = dict.fromkeys(self.details, True)
        self.neighbourhood = earlier.neighbourhood if earlier else Neighbourhood()
        """Which memories are next to which, as far as they were described."""
        self._similarities: dict[int, float | None] = (
            earlier._similarities if earlier and self._same_text else {}
        )
        """How near memories are by meaning, by key; None for those without a vector."""
        self.known_files = set[str]()
        """Those of the files that memories are tied to, whether they pass the filters or not."""
        self._paths: dict[tuple[object, str], list[str]] = earlier._paths if earlier else {}
        """The known files that patterns and names stand for, as far as they were looked up."""
        self._nearest: NearestKeys | None = earlier._nearest if earlier and self._same_text else None
        self.texts: dict[str, str] = {}
        """The indexed terms of memories, by id, as far as they were read by themselves."""
        self.archived_masks: dict[int, int] = {}
        """Which words archived memories hold, by key, that words did not lead to."""
        self.usefulness: dict[str, float] = earlier.usefulness if earlier else {}
        """How useful memories proved to be, by id, as far as it was asked for."""
        self.all_usefulness: dict[str, float] | None = (earlier.all_usefulness or {}) if earlier else None
        """The same of all memories, if there are few with evidence."""

    @cached_property
    def words(self) -> Words:
        """The words of the question, looked up once."""
        return Words(
            self.store.search,
            self.text,
            superseded=self.filters.superseded,
            session=self.session,
            timeline=bool(self.files),
            model=(self.semantic and self.semantic.model) or "",
            found=self._earlier.words.lookup(query_terms(self.text)) if self._earlier else None,
            earlier=self._earlier.words if self._earlier else None,
        )

    @property
    def has_archive(self) -> bool:
        """Whether any memory is archived."""
        return self.words.archived_size > 0

    def find_nearest(self, *, archive: bool) -> NearestKeys:
        """The memories nearest by meaning; those of the archive if they were asked for once."""
        if self.semantic is None:
            return NearestKeys([], [], archive)
        if self._nearest is None or (archive and not self._nearest.with_archive):
            far = FAR if self.filters.any() else 1
            archived = limits.ARCHIVED * far if archive and self.has_archive else 0
            # Where vectors were pending, some may have been made since.
            state = None if self.words.vectors.pending else self.words.vectors
            found = self.semantic.nearest(self.text, self.pool * far, archived, state=state)
            live, packed = ([key for key, _ in part] for part in found)
            self._nearest = NearestKeys(live, packed, archive)
        return self._nearest

    def find_paths(
        self, look_up: Callable[[Search, Sequence[str]], dict[str, list[str]]], names: Sequence[str]
    ) -> dict[str, list[str]]:
        """The known files that patterns or names stand for, each looked up once."""
        unknown = [name for name in names if (look_up, name) not in self._paths]
        if unknown:
            found = look_up(self.store.search, unknown)
            self._paths.update({(look_up, name): paths for name, paths in found.items()})
        return {name: self._paths[look_up, name] for name in names if (look_up, name) in self._paths}

    def next_candidates(self) -> list[int]:
        """The memories that the next level may add: what it needs to know of them is asked in one call."""
        nearest = self._nearest.archived if self._nearest else ()
        return [key for key in nearest if self._passed.get(key)]

    def similarities(self, keys: set[int], soon: set[int]) -> dict[int, float]:
        """How near memories are to the question by meaning, for those with a vector; `soon` asks ahead."""
        if self.semantic is None:
            return {}
        if keys - self._similarities.keys():
            unknown = (keys | soon) - self._similarities.keys()
            self._similarities.update(dict.fromkeys(unknown))
            self._similarities.update(self.semantic.similarities(self.text, unknown))
        known = {key: self._similarities[key] for key in keys}
        return {key: cosine for key, cosine in known.items() if cosine is not None}

    def passing(self, keys: Sequence[int], *, cap: int = -1, always: Sequence[int] = ()) -> dict[int, Row]:
        """The memories that pass the filters, by key: of `always` all, then of `keys` the first `cap`."""
        first = dict.fromkeys(always)
        new_first = [key for key in first if key not in self._passed]
        new = [key for key in keys if key not in self._passed and key not in first]
        if new or new_first:
            excluded = sum(not self._passed.get(key, True) for key in first)
            found = self._described(new, self.filters, cap if cap < 0 else cap + excluded, new_first)
            last = max((place for place, key in enumerate(new) if key in found), default=-1)
            # Where the limit was reached, nothing is known of the keys behind the last that passed.
            reached = 0 <= cap <= sum(key in found for key in new)
            self._passed.update(
                (key, key in found) for key in (*new_first, *new[: last + 1 if reached else None])
            )
        passed = [key for key in first if self._passed[key]]
        others = [key for key in keys if self._passed.get(key) and key not in first]
        # Those of `always` that do not pass leave room for others.
        most = None if cap < 0 else cap + len(first) - len(passed)
        return {key: self.details[key].row for key in (*passed, *others[:most])}

    def describe(self, keys: Iterable[int]) -> None:
        """Look up what is not known yet of some memories."""
        if unknown := [key for key in keys if key not in self.details]:
            self._described(unknown, _EVERYTHING)

    def _described(
        self, keys: Sequence[int], filters: Filters, cap: int = -1, always: Sequence[int] = ()
    ) -> dict[int, Row]:
        found = self.store.search.describe(
            keys,
            filters,
            cap=cap,
            always=always,
            session_limit=limits.TOGETHER,
            known_sessions=self.neighbourhood.sessions,
            texts=not self.words.complete(),
        )
        self.neighbourhood.learn(found)
        self.details.update((one.row.key, one) for one in found.memories)
        return {one.row.key: one.row for one in found.memories}

    def is_unread(self, key: int) -> bool:
        """Whether a memory is archived and the question's words were not looked up for it."""
        return self.details[key].archived and key not in self.words.archived


def issue_asked_for(text: str) -> str | None:
    """The number, if a question names an issue and says nothing else; a number alone may be any number."""
    if len(text) > _LONGEST_ISSUE:
        return None
    numbers = {number for found in _ISSUE.finditer(text) for number in found.groups() if number}
    beside = [term for term in terms(_ISSUE.sub(" ", text)) if term not in _BESIDE]
    return numbers.pop() if len(numbers) == 1 and says_little(beside) else None


def passes(filters: Filters, memory: Memory) -> bool:
    """Whether a memory passes; whether others supersede it is not looked at."""
    return (
        filters.task_type in (None, memory.intent.task_type.value)
        and filters.agent_id in (None, memory.agent_id)
        and filters.session_id in (None, memory.session_id)
        and filters.success in (None, memory.outcome.success)
        and (filters.since is None or memory.created_at >= filters.since)
        and (filters.before is None or memory.created_at < filters.before)
        and set(filters.tags) <= set(memory.tags)
    )


def filters_of(question: RecallRequest) -> Filters:
    """The conditions that a question sets."""
    success = True if question.success_only else False if question.failures_only else None
    return Filters(
        task_type=question.task_type and question.task_type.value,
        agent_id=question.agent_id,
        session_id=question.session_id,
        success=success,
        since=None if question.since is None else seconds(question.since),
        before=None if question.before is None else seconds(question.before),
        tags=question.tags,
        superseded=question.include_superseded,
    )


class Match:
    """A memory that was found, what speaks for it, and how sure we are."""

    __slots__ = (
        "confidence",
        "created_at",
        "goal",
        "importance",
        "key",
        "level",
        "literal",
        "mask",
        "memory_id",
        "score",
        "session_id",
        "signals",
        "useful",
    )

    def __init__(self, row: Row, level: str) -> None:
        self.memory_id, self.created_at, self.importance, self.session_id, self.key = row
        self.level = level
        self.literal: float | None = None
        """The confidence of what was asked for literally, which no signal changes."""
        self.signals: dict[str, float] = {}
        self.useful = 0.0
        """How useful it proved to be, from -1 to 1; nothing without evidence."""
        self.goal = ""
        """The indexed terms of its goal."""
        self.mask = 0
        """Which words of the question it holds."""
        self.score = 0.0
        self.confidence = 0.0

    @property
    def speaks_for_itself(self) -> bool:
        """Whether more than its neighbours speaks for it: a file or filter, a word of its own, or meaning."""
        return self.literal is not None or self.level != "pattern" or bool(self.signals.get("words"))


class Found:
    """What the levels found so far."""

    def __init__(self) -> None:
        self.matches: dict[str, Match] = {}
        self.tied: list[Tied] = []
        """Which memories are tied to each of the files asked for."""
        self.ran: list[str] = []
        """The levels that really looked, in order."""
        self.by_meaning = False
        """Whether enough of the foremost have a vector for vectors to count."""
        self.total = 0
        self.total_exact = True

    @property
    def column(self) -> str:
        """Which of the fitted weights apply: with files or without, with vectors or without."""
        return ("files" if self.any_tied else "words") + ("+meaning" if self.by_meaning else "")

    @property
    def any_tied(self) -> bool:
        """Whether any memory is tied to a file asked for."""
        return any(tied.ranks for tied in self.tied)

    def add(self, row: Row, level: str, literal: float | None = None) -> None:
        """Add a memory; of what it is certain by, the strongest stands."""
        match = self.matches.get(row.id)
        if match is None:
            match = self.matches[row.id] = Match(row, level)
        if literal is not None:
            match.literal = max(literal, match.literal or 0.0)

    def foremost(self) -> list[Match]:
        """The best by words and files: those whose vectors decide most."""
        found = [match for match in self.matches.values() if match.level != "semantic"]
        return sorted(found, key=lambda match: match.score, reverse=True)[: limits.FOREMOST]

    def best(self, threshold: float, limit: int, *, own: bool = False) -> list[Match]:
        """The surest memories from the threshold on; among equals the newest first.

        `own`: only those that something of their own speaks for, not their neighbours alone.
        """
        sure = [
            match
            for match in self.matches.values()
            if match.confidence >= threshold and (match.speaks_for_itself or not own)
        ]
        sure.sort(
            key=lambda match: (match.confidence, match.score, match.created_at, match.memory_id), reverse=True
        )
        return sure[:limit]


class Tied:
    """The memories tied to one file, folder or pattern: the newest by key, and how many there are."""

    __slots__ = ("ranks", "total")

    def __init__(self, keys: list[int], total: int) -> None:
        self.ranks = {key: rank for rank, key in enumerate(keys)}
        """How many newer ones each has."""
        self.total = total
