"""What to try next when nothing was found; what is proposed as a wider question has been tried."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from functools import cached_property
from itertools import islice
from typing import Any

from msgspec.structs import replace

from rum.app.caller import Caller, Spell
from rum.app.project import Project
from rum.model.errors import InvalidQuery
from rum.model.memory import Memory
from rum.model.parse import nearest
from rum.model.requests import RecallRequest, Strategy
from rum.recall import cascade
from rum.recall.cascade import Answer
from rum.recall.files import paths_below
from rum.recall.fitted import MIN_CONFIDENCE
from rum.recall.query import Match, RecallQuery, filters_of, passes
from rum.store.base import ReadMode
from rum.store.filters import Filters
from rum.store.search import Search

SUGGESTED = 3
NAMED = 5
ECHOED = 60  # So many characters of what was asked are said again
TOLD = 250  # So many characters of what is wrong with an embedder are told; `rum doctor` tells all of it
NEAR = 2  # A confidence so many times too low is still worth a word; proposing more would invite filler
COMPARED = 2000  # So many known tags or files are compared with one that is unknown

_WORD = re.compile(r"[\w.@+-]*\w")

# What excludes, and its value when it does not.
FILTERS: dict[str, Any] = {
    "tags": (),
    "task_type": None,
    "agent_id": None,
    "session_id": None,
    "since": None,
    "before": None,
    "success_only": False,
    "failures_only": False,
}


def hint_for(caller: Caller, query: RecallQuery, answer: Answer) -> str:
    """One or two sentences that help to ask better, in the spelling of the calling interface."""
    if not _any_memory(query):
        return "There are no memories yet; store one when work is finished, or run `rum import git`."
    if query.question.memory_id:
        name = caller.spell("memory_id")
        return f"That memory is there, but another condition excludes it; ask for {name} alone."
    search, spell = query.store.search, caller.spell
    parts = [*unknown_tags(search, query.question.tags), *_unknown_agent(caller.project, query)]
    parts += [*_near_files(query, spell), *_misspelt(query), *_agent_named(caller, query)]
    parts += islice(_wider(query, answer, spell), max(1, SUGGESTED - len(parts)))
    if not parts:
        parts = [_otherwise(query)]
    return f"{_why_nothing(caller.project, query)}. Try: {'; '.join(parts)}."


def _any_memory(query: RecallQuery) -> bool:
    if query.text and query.words.terms:
        return query.words.any_memory
    return bool(query.store.search.by_filters(Filters(superseded=True), 1)[0])


def no_room(caller: Caller, question: RecallRequest, needed: int) -> str:
    """What to say when there is something, and not even the shortest of it may be given."""
    name = caller.spell("max_tokens")
    return f"Found, but nothing fits in {name} {question.max_tokens}; the shortest result needs {needed}."


def _why_nothing(project: Project, query: RecallQuery) -> str:
    """That nothing fits; or, where meaning alone was asked, what it lacks."""
    if query.issue:
        return f"No memory names #{query.issue}"
    if query.question.strategy is not Strategy.SEMANTIC:
        return "No matches"
    semantic = project.semantic
    if not query.text:
        lacks = "it needs words to go by"
    elif semantic.model is None:
        lacks = f"the setting embedder is none (by {project.settings.origin('embedder')}); set it to builtin"
    elif semantic.trouble:
        lacks = f"the embedder fails: {' '.join(semantic.trouble.split())[:TOLD].rstrip('.')}"
    elif pending := semantic.counts().pending:
        have = "1 memory has" if pending == 1 else f"{pending} memories have"
        lacks = f"{have} no vector yet; run `rum tidy`"
    else:
        return "No matches"
    return f"Nothing was found by meaning: {lacks}"


def _otherwise(query: RecallQuery) -> str:
    if query.issue:
        return "what it is about, in words"
    return "other words" if query.text else "another file" if query.files else "other filters"


def unknown_tags(search: Search, tags: Sequence[str]) -> Iterator[str]:
    """For each tag that no memory has, which to take instead."""
    common = [name for name, _ in search.tag_counts(COMPARED)] if tags else []
    for tag in tags[:NAMED]:
        if tag in common:
            continue
        if len(common) == COMPARED and search.by_filters(Filters(tags=(tag,), superseded=True), 1)[0]:
            continue
        near = nearest(tag, common)
        instead = f"`{near}`" if near else f"one of {', '.join(common[:NAMED])}" if common else "no tag"
        yield f"{instead} instead of the unknown tag `{tag[:ECHOED]}`"


def _unknown_agent(project: Project, query: RecallQuery) -> Iterator[str]:
    """The agents whose names are nearest to an unknown one, then those with most memories."""
    asked = query.question.agent_id
    if not asked:
        return
    names = {agent.id: agent.name or agent.id for agent in project.store.agents.all()}
    if asked in names:
        return
    alike = {name.casefold(): name for name in [*names.values()][-COMPARED:]}
    near = [alike[name] for name in get_close_matches(asked.casefold()[:ECHOED], alike, n=SUGGESTED)]
    most_active = [
        names.get(agent_id, agent_id) for agent_id in project.store.search.most_active_agents(NAMED)
    ]
    known = list(dict.fromkeys([*near, *most_active]))[:NAMED]
    yield f"one of the agents {', '.join(known)} instead of the unknown `{asked[:ECHOED]}`"


def _agent_named(caller: Caller, query: RecallQuery) -> Iterator[str]:
    """The agent that a question speaks of: who did something is no word of a memory."""
    if not query.text or query.question.agent_id:
        return
    asked = _spaced(query.text)
    for agent in caller.project.store.agents.all():
        if agent.name and (name := _spaced(agent.name)).strip() and name in asked:
            label = f"{caller.spell('agent_id')} {_quoted(agent.name)}"
            rest = asked.replace(name, " ").strip()
            found = _tried(query, label, agent_id=agent.id, query=rest or None, intent=None)
            yield next(found, f"{label} with other words")
            return


def _quoted(name: str) -> str:
    """A name as it can be given on a command line."""
    return f'"{name}"' if " " in name else name


def _spaced(text: str) -> str:
    """The words of a text between spaces, in lower case."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _misspelt(query: RecallQuery) -> Iterator[str]:
    """Words that were taken for typing errors, as memories spell them, if that would find something."""
    if query.files or not query.text:
        return
    question, told = query.question, list[str]()
    asked = {"query": question.query, "intent": question.intent}
    for typed, meant in islice(query.words.corrected(), NAMED):
        word = re.compile(rf"(?<![\w.-]){re.escape(typed)}(?![\w-])", re.IGNORECASE)
        if word.search(query.text):  # else it is a part of a name, which nobody asked for by itself
            asked = {name: text and word.sub(meant, text) for name, text in asked.items()}
            told.append(f"`{meant}` instead of `{typed}`")
    least = min(query.threshold, MIN_CONFIDENCE)
    if told and any(_tried(query, "", **asked, min_confidence=least)):
        yield from told


def _near_files(query: RecallQuery, spell: Spell) -> list[str]:
    found: list[str] = []
    files = [path for path in query.files if path not in query.known_files]
    folders = [posixpath.dirname(path) for path in files]
    starts = [folder + "/" if folder else "" for folder in folders]
    known_paths = query.find_paths(paths_below, starts)
    for path, folder, start in zip(files, folders, starts, strict=True):
        name = posixpath.basename(path)
        below = {known[len(start) :].split("/")[0] for known in known_paths[start]}
        if name in below:
            continue
        if close := nearest(name, sorted(below)[:COMPARED]):
            found.append(start + close)
        elif below and folder:
            found.append(start)
    return [f"{spell('file')} {' or '.join(list(dict.fromkeys(found))[:NAMED])}"] if found else []


def _wider(query: RecallQuery, answer: Answer, spell: Spell) -> Iterator[str]:
    """The wider questions that find something, with how much."""
    if query.text and not query.files and not query.words.known() and query.semantic is None:
        return
    found = _WithoutFilters(query) if query.text else None
    for label, change in _wider_questions(query, spell):
        if found is None:
            yield from _tried(query, label, **change)
            continue
        if "min_confidence" in change:
            count = sum(match.confidence >= change["min_confidence"] for match in answer.others)
        else:
            count = found.count(replace(query.question, **change))
        if count:
            limit = query.question.limit
            yield f"{label} ({f'{limit} or more' if count >= limit else count} found)"


def _wider_questions(query: RecallQuery, spell: Spell) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each wider question is called, and what it changes."""
    question = query.question
    if question.strategy is not Strategy.AUTO:
        yield f"{spell('strategy')} auto", {"strategy": Strategy.AUTO}
    if not question.include_superseded:
        yield spell("include_superseded"), {"include_superseded": True}
    for tag in question.tags[:NAMED] if len(question.tags) > 1 else ():
        yield f"without tag `{tag}`", {"tags": tuple(one for one in question.tags if one != tag)}
    set_ones = [name for name, unset in FILTERS.items() if getattr(question, name) != unset]
    for name in set_ones:
        yield f"without {spell(name)}", {name: FILTERS[name]}
    if query.text and (less := round(query.threshold / NEAR, 2)):
        yield f"{spell('min_confidence')} {less:.2f}", {"min_confidence": less}
    if len(set_ones) > 1:
        yield "without filters", {name: FILTERS[name] for name in set_ones}


class _WithoutFilters:
    """What a question finds if nothing excludes a memory.

    Each wider question finds those of them that pass its filters. To ask each of them would take ten times
    as long as the question itself.
    """

    def __init__(self, query: RecallQuery) -> None:
        question = query.question
        self._query = query
        self._matches: list[Match] = []
        self._near = set(query.find_nearest(archive=False).live)
        excluding = query.filters.any() or question.strategy is not Strategy.AUTO
        if excluding or (not question.include_superseded and query.words.superseded):
            widest = replace(question, **FILTERS, strategy=Strategy.AUTO, include_superseded=True)
            # Where words lead to memories, vectors are not asked again: a hint costs no more than an answer.
            answer = cascade.run(_asked_again(query, widest, by_meaning=not query.words.known()))
            sure = (match for match in answer.others if match.confidence >= query.threshold)
            self._matches = [*answer.matches, *sure]

    def count(self, wider: RecallRequest) -> int:
        """How many of them a wider question finds."""
        filters = filters_of(wider)
        found = [
            match.memory_id
            for match in self._matches
            if (filters.superseded or match.key not in self._query.words.superseded)
            and self._finds(wider.strategy, match)
        ]
        if not filters.any():
            return len(found)
        return sum(passes(filters, self._memories[memory_id]) for memory_id in found)

    def _finds(self, strategy: Strategy, match: Match) -> bool:
        if strategy is Strategy.EXACT:
            return match.level in ("exact", "structural")
        return strategy is Strategy.AUTO or match.key in self._near

    @cached_property
    def _memories(self) -> dict[str, Memory]:
        ids = [match.memory_id for match in self._matches]
        found = self._query.store.memories.get(ids, ReadMode.BEST_EFFORT)
        return {memory.id: memory for memory in found}


def _tried(query: RecallQuery, label: str, /, **change: Any) -> Iterator[str]:
    wider: RecallRequest = replace(query.question, **change)
    try:
        wider.check()
    except InvalidQuery:  # nothing would be left to look for
        return
    answer = cascade.run(_asked_again(query, wider, by_meaning=not (query.text and query.filters.any())))
    if answer.matches:
        given, limit = len(answer.matches), wider.limit
        text = answer.total if not query.text else f"{given} or more" if given == limit else given
        yield f"{label} ({text} found)"


def _asked_again(query: RecallQuery, question: RecallRequest, *, by_meaning: bool = False) -> RecallQuery:
    """Another question in place of one that found nothing; what was read for that is not read again."""
    return RecallQuery(
        question,
        query.store,
        query.files,
        session=query.session,
        semantic=query.semantic if by_meaning else None,
        patient=False,
        earlier=query,
    )
