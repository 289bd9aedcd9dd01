"""A recall query with everything looked up for it, and the matches found so far."""

from __future__ import annotations

import math
import re
from functools import cached_property
from typing import NamedTuple, cast

from rum.model.fields import seconds
from rum.model.requests import RecallRequest
from rum.recall import fitted, limits
from rum.recall.neighbours import Neighbourhood
from rum.recall.words import Words, asked_terms
from rum.store.derived import indexed_text
from rum.store.filters import Filters
from rum.store.search import Wanted
from rum.text.terms import query_terms, says_little, terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from rum.model.memory import Memory
    from rum.recall.semantic import SemanticSearch
    from rum.store.base import Store
    from rum.store.search import Details, Row, Search


_MAX_ISSUE_LENGTH = 200  # A longer question asks for more than an issue's number

_NUMBER = r"([0-9]{1,9})(?!\w)"
_ISSUE = re.compile(
    rf"https?://\S+/(?:issues|pull|merge_requests)/{_NUMBER}\S*"
    rf"|(?:(?<!\w)[\w.-]+/[\w.-]+)?#{_NUMBER}"
    rf"|(?<!\w)(?:gh-|!){_NUMBER}"
    rf"|(?<!\w)(?:issue|bug|ticket|pr|mr|(?:pull|merge) request)\s+#?{_NUMBER}",
    re.IGNORECASE,
)
# Words beside a number that do not ask for anything else.
_WORDS_BESIDE_NUMBER = frozenset(
    terms(
        "issue issues bug ticket pr pull merge request fix fixes fixed close closes closed resolve resolves "
        "resolved refs references see show find tell give happened"
    )
)

_NO_FILTERS = Filters(superseded=True)


FILTER_FACTOR = 25  # How many times more of the nearest memories are read if filters exclude some


class TooManyCalls(Exception):
    """A question would need more calls of the store than it may make."""


class CallCounter:
    """Counts the calls of the store, as each may be a round trip, and refuses those beyond a limit."""

    def __init__(self) -> None:
        self.made = 0
        self.limit = math.inf

    def count(self, calls: int = 1) -> None:
        """Count calls that follow now."""
        self.made += calls
        if self.made > self.limit:
            raise TooManyCalls


class _CountedSearch:
    """The search of a store whose calls are counted."""

    def __init__(self, search: Search, calls: CallCounter) -> None:
        self._search = search
        self._calls = calls

    def __getattr__(self, name: str) -> Any:
        # These may need a second statement: for the total, or for the archive.
        self._calls.count(2 if name in ("by_filters", "by_commit", "by_path") else 1)
        return getattr(self._search, name)


class NearestKeys(NamedTuple):
    """The keys of the memories nearest by meaning, nearest first."""

    live: list[int]
    archived: list[int]
    with_archive: bool  # Whether the archive was searched


class RecallQuery:
    """One checked request with everything the levels of the cascade need to answer it."""

    def __init__(
        self,
        request: RecallRequest,
        store: Store,
        files: tuple[str, ...] = (),
        *,
        session: str = "",
        semantic: SemanticSearch | None = None,
        earlier: RecallQuery | None = None,
        is_part: bool = False,
    ) -> None:
        """`earlier` is a query made just before, with the same words or some of them.

        What was read for it is not read again.
        """
        self.is_part = is_part
        """Whether its text is a part of a longer question, not another wording by the caller."""
        self.request = request
        self.store = store
        self.calls = earlier.calls if earlier else CallCounter()
        """The calls of the store so far, also those of earlier queries."""
        self.search = cast("Search", _CountedSearch(store.search, self.calls))
        self.files = files
        """The file patterns, relative to the repository."""
        self.session = session
        """The session that asks."""
        self.semantic = semantic
        self._set_text()
        self._set_limits()
        self.filters = filters_of(request)
        self.known_files = set[str]()
        """Those of `files` that memories are tied to, whether the memories pass the filters or not."""
        self.texts: dict[str, str] = {}
        """The indexed terms of memories, by id, if they were read separately."""
        self.archived_masks: dict[int, int] = {}
        """Which words archived memories hold, by key; only of those that were not found by words."""
        self._reuse_lookups(earlier)

    def _set_text(self) -> None:
        self.text = self.request.text.strip()
        self.issue = None
        """The number of the issue or pull request that is asked for, if nothing else is."""
        if not self.text:
            return
        if self.files and says_little(query_terms(self.text)):
            self.text = ""  # "why?" beside a file asks for the file
        self.issue = issue_asked_for(self.text)
        if self.issue:
            self.text = self.issue  # the word "PR" beside it would match other memories

    def _set_limits(self) -> None:
        request = self.request
        self.threshold = fitted.MIN_CONFIDENCE if request.min_confidence is None else request.min_confidence
        self.strict = request.min_confidence != 0
        """Whether to leave out memories that match only by their neighbours; 0 asks for the best there is."""
        self.sure = max(self.threshold, limits.SURE)
        """The confidence from which a memory counts as found, so that the next level may be skipped."""
        self.enough = max(limits.ENOUGH, request.limit)
        """The number of matches after which weaker ones are not looked for."""
        self.pool = max(limits.POOL, request.limit)
        """The number of memories that are examined closely."""
        ranked = self.text or len(self.files) > 1 or (self.files and request.task_type)
        self.candidates = self.pool if ranked else request.limit
        """The maximum number of memories from one level: more than the limit if they have to be ranked."""

    def _reuse_lookups(self, earlier: RecallQuery | None) -> None:
        """Start with what an earlier query has looked up; with nothing if there is none."""
        same_text = earlier if earlier and earlier.text == self.text else None
        self._earlier = earlier
        self.details: dict[int, Details] = earlier.details if earlier else {}
        """The details of memories, by key."""
        self._passed: dict[int, bool] = {}
        """Whether memories pass the filters, by key, if it was looked up."""
        if earlier and self.filters == earlier.filters:
            self._passed = earlier._passed
        elif self.filters.superseded and not self.filters.any():
            self._passed = dict.fromkeys(self.details, True)
        self.neighbourhood = earlier.neighbourhood if earlier else Neighbourhood()
        """Which memories are next to which, of those that were described."""
        self._similarities: dict[int, float | None] = same_text._similarities if same_text else {}
        """The cosine similarity of memories, by key; None for those without a vector."""
        self._archived_with: dict[str, list[list[int]]] = earlier._archived_with if earlier else {}
        """Which archived memories hold terms, by the arguments of the call."""
        self._paths: dict[tuple[object, str], list[str]] = earlier._paths if earlier else {}
        """The known files that patterns and names stand for, if they were looked up."""
        self._nearest: NearestKeys | None = same_text._nearest if same_text else None
        self.usefulness: dict[str, float] = earlier.usefulness if earlier else {}
        """How useful memories proved to be, by id, if it was looked up."""
        self.all_usefulness: dict[str, float] | None = earlier.all_usefulness if earlier else None
        """The usefulness of all memories, if few have evidence of it."""

    @cached_property
    def words(self) -> Words:
        """The words of the question, looked up once."""
        return Words(
            self.search,
            self.text,
            superseded=self.filters.superseded,
            session=self.session,
            timeline=bool(self.files),
            model=(self.semantic and self.semantic.model) or "",
            found=self._earlier.words.lookup(asked_terms(self.text)) if self._earlier else None,
            earlier=self._earlier.words if self._earlier else None,
        )

    @property
    def has_archive(self) -> bool:
        """Whether any memory is archived."""
        return self.words.found.archived > 0

    def find_nearest(self, *, archive: bool) -> NearestKeys:
        """The memories nearest by meaning; also archived ones if they were requested now or before."""
        if self.semantic is None:
            return NearestKeys([], [], archive)
        if self._nearest is None or (archive and not self._nearest.with_archive):
            factor = FILTER_FACTOR if self.filters.any() else 1
            archived = limits.ARCHIVED * factor if archive and self.has_archive else 0
            self.calls.count()
            found = self.semantic.nearest(
                self.text, self.pool * factor, archived, state=self.words.found.vectors
            )
            live_keys, archived_keys = ([key for key, _ in part] for part in found)
            self._nearest = NearestKeys(live_keys, archived_keys, archive)
        return self._nearest

    def find_paths(
        self, look_up: Callable[[Search, Sequence[str]], dict[str, list[str]]], names: Sequence[str]
    ) -> dict[str, list[str]]:
        """The known files that patterns or names stand for, each looked up once."""
        unknown = [name for name in names if (look_up, name) not in self._paths]
        if unknown:
            found = look_up(self.search, unknown)
            self._paths.update({(look_up, name): paths for name, paths in found.items()})
        return {name: self._paths[look_up, name] for name in names if (look_up, name) in self._paths}

    def archived_with(
        self,
        sets: Sequence[tuple[Sequence[str], Sequence[str]]],
        cap: int,
        among: Sequence[int] | None = None,
    ) -> list[list[int]]:
        """The archived memories with terms, as `Search.archived_with`; each call is made once."""
        asked = repr((sets, cap, among))
        if asked not in self._archived_with:
            self._archived_with[asked] = self.search.archived_with(sets, cap, among)
        return self._archived_with[asked]

    def next_candidates(self) -> list[int]:
        """The memories that the next level may add, so that their data are read in the same call."""
        nearest = self._nearest.archived if self._nearest else ()
        return [key for key in nearest if self._passed.get(key)]

    def similarities(self, keys: set[int], soon: set[int]) -> dict[int, float]:
        """The cosine similarity of memories, for those with a vector; `soon` are keys to read ahead."""
        if self.semantic is None:
            return {}
        if keys - self._similarities.keys():
            self.calls.count()
            unknown = (keys | soon) - self._similarities.keys()
            self._similarities.update(dict.fromkeys(unknown))
            self._similarities.update(self.semantic.similarities(self.text, unknown))
        known = {key: self._similarities[key] for key in keys}
        return {key: cosine for key, cosine in known.items() if cosine is not None}

    def passing(self, keys: Sequence[int], *, cap: int = -1, always: Sequence[int] = ()) -> dict[int, Row]:
        """The memories that pass the filters, by key: all of `always`, then the first `cap` of `keys`."""
        first = dict.fromkeys(always)
        new_first = [key for key in first if key not in self._passed]
        new = [key for key in keys if key not in self._passed and key not in first]
        if new or new_first:
            excluded = sum(not self._passed.get(key, True) for key in first)
            found = self._describe(new, self.filters, cap if cap < 0 else cap + excluded, new_first)
            last = max((position for position, key in enumerate(new) if key in found), default=-1)
            # If the limit was reached, the keys after the last that passed were not checked.
            reached = 0 <= cap <= sum(key in found for key in new)
            self._passed.update(
                (key, key in found) for key in (*new_first, *new[: last + 1 if reached else None])
            )
        passed = [key for key in first if self._passed[key]]
        others = [key for key in keys if self._passed.get(key) and key not in first]
        # For each of `always` that does not pass, one more of the others fits.
        max_others = None if cap < 0 else cap + len(first) - len(passed)
        return {key: self.details[key].row for key in (*passed, *others[:max_others])}

    def describe(self, keys: Iterable[int]) -> None:
        """Look up the details of memories that are not known yet."""
        if unknown := [key for key in keys if key not in self.details]:
            self._describe(unknown, _NO_FILTERS)

    def _describe(
        self, keys: Sequence[int], filters: Filters, cap: int = -1, always: Sequence[int] = ()
    ) -> dict[int, Row]:
        wanted = Wanted(
            cap=cap,
            always=always,
            session_limit=limits.TOGETHER,
            known_sessions=self.neighbourhood.sessions,
            files=bool(self.files),
            texts=not self.words.complete(),
        )
        found = self.search.describe(keys, filters, wanted)
        self.neighbourhood.learn(found)
        self.details.update((details.row.key, details) for details in found.memories)
        return {details.row.key: details.row for details in found.memories}

    def is_unread(self, key: int) -> bool:
        """Whether a memory is archived and it was not looked up which words it holds."""
        return self.details[key].archived and key not in self.words.archived


def issue_asked_for(text: str) -> str | None:
    """The issue number, if a question mentions an issue and nothing else; a bare number does not count."""
    if len(text) > _MAX_ISSUE_LENGTH:
        return None
    numbers = {number for found in _ISSUE.finditer(text) for number in found.groups() if number}
    beside = [term for term in terms(_ISSUE.sub(" ", text)) if term not in _WORDS_BESIDE_NUMBER]
    return numbers.pop() if len(numbers) == 1 and says_little(beside) else None


def passes(filters: Filters, memory: Memory) -> bool:
    """Whether a memory passes the filters; `superseded` is ignored."""
    return (
        filters.task_type in (None, memory.intent.task_type.value)
        and filters.agent_id in (None, memory.agent_id)
        and filters.session_id in (None, memory.session_id)
        and filters.success in (None, memory.outcome.success)
        and (filters.since is None or memory.created_at >= filters.since)
        and (filters.before is None or memory.created_at < filters.before)
        and set(filters.tags) <= set(memory.tags)
        and (not filters.symbol or set(filters.symbol) <= set(" ".join(indexed_text(memory)).split()))
    )


def filters_of(request: RecallRequest) -> Filters:
    """The conditions that a request sets."""
    success = True if request.success_only else False if request.failures_only else None
    return Filters(
        task_type=request.task_type and request.task_type.value,
        agent_id=request.agent_id,
        session_id=request.session_id,
        success=success,
        since=None if request.since is None else seconds(request.since),
        before=None if request.before is None else seconds(request.before),
        tags=request.tags,
        symbol=request.symbol_terms,
        superseded=request.include_superseded,
    )


class Match:
    """A memory that was found, its signals, and its confidence."""

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
        "outdated",
        "score",
        "session_id",
        "signals",
        "useful",
    )

    def __init__(self, row: Row, level: str) -> None:
        self.memory_id, self.created_at, self.importance, self.session_id, self.key = row
        self.level = level
        self.literal: float | None = None
        """The fixed confidence of an exact match; None for others."""
        self.signals: dict[str, float] = {}
        self.useful = 0.0
        """How useful it proved to be, from -1 to 1; 0 without evidence."""
        self.outdated = 0.0
        """How much of the code that it states something about has changed, from 0 to 1."""
        self.goal = ""
        """The indexed terms of its goal."""
        self.mask = 0
        """Which words of the question it holds."""
        self.score = 0.0
        self.confidence = 0.0

    @property
    def has_own_evidence(self) -> bool:
        """Whether it matches itself, not only by its neighbours: by a file, a filter, a word, or meaning."""
        return self.literal is not None or self.level != "pattern" or bool(self.signals.get("words"))


class Found:
    """The matches of the levels so far."""

    def __init__(self) -> None:
        self.matches: dict[str, Match] = {}
        self.tied: list[Tied] = []
        """Which memories are tied to each of the files asked for."""
        self.ran: list[str] = []
        """The levels that searched, in order."""
        self.by_meaning = False
        """Whether enough of the best matches have a vector, so that vectors count."""
        self.is_long = False
        """Whether the query is a long text, not a question."""
        self.total = 0
        self.total_exact = True

    @property
    def column(self) -> str:
        """The name of the fitted weights: for long queries, with files, with vectors, or without them."""
        kind = ("long " if self.is_long else "") + ("files" if self.any_tied else "words")
        return kind + ("+meaning" if self.by_meaning else "")

    @property
    def any_tied(self) -> bool:
        """Whether any memory is tied to a file asked for."""
        return any(tied.ranks for tied in self.tied)

    def add(self, row: Row, level: str, literal: float | None = None) -> None:
        """Add a memory; if it is added twice, the higher `literal` confidence counts."""
        match = self.matches.get(row.id)
        if match is None:
            match = self.matches[row.id] = Match(row, level)
        if literal is not None:
            match.literal = max(literal, match.literal or 0.0)

    def best_without_vectors(self) -> list[Match]:
        """The best matches by words and files; they decide whether vectors count."""
        found = [match for match in self.matches.values() if match.level != "semantic"]
        return sorted(found, key=lambda match: match.score, reverse=True)[: limits.FOREMOST]

    def best(self, threshold: float, limit: int, *, own: bool = False) -> list[Match]:
        """The matches with the highest confidence, at least `threshold`; among equals the newest first.

        `own` leaves out those that match only by their neighbours.
        """
        sure = [
            match
            for match in self.matches.values()
            if match.confidence >= threshold and (match.has_own_evidence or not own)
        ]
        return sorted(sure, key=by_confidence, reverse=True)[:limit]


def by_confidence(match: Match) -> tuple[float, float, int, str]:
    """The key that sorts matches: by confidence, among equals the newest last."""
    return match.confidence, match.score, match.created_at, match.memory_id


class Tied:
    """The newest memories tied to one file, folder or pattern, and how many there are."""

    __slots__ = ("ranks", "total")

    def __init__(self, keys: list[int], total: int) -> None:
        self.ranks = {key: rank for rank, key in enumerate(keys)}
        """The number of newer ones, by key."""
        self.total = total
