"""Answering: recall, show, trace and list."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from rum.app.agents import describe
from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.freshness.check import freshness_of, shown
from rum.app.memories.hints import hint_for, too_few_tokens_hint
from rum.app.project import Project
from rum.inject.render import MAX_LINE, local_time
from rum.model.anchors import FRESH, MOVED, UNKNOWN, Freshness, add_label
from rum.model.answers import (
    DEPTHS,
    LeftOut,
    ListedMemory,
    ListResult,
    NearMatch,
    RecallResult,
    RetrievedMemory,
    Tag,
    TraceNode,
    TraceResult,
    Usage,
    at_depth,
    to_json,
)
from rum.model.code import VerifyResult
from rum.model.errors import NO_RESULTS
from rum.model.fields import seconds
from rum.model.memory import LinkedIds, Memory, OriginKind, links_seen
from rum.model.requests import MAX_LIMIT, Depth, Direction, ListRequest, RecallRequest, TraceRequest
from rum.recall import cascade
from rum.recall import trace as tracing
from rum.recall.cascade import Answer
from rum.recall.explain import explain
from rum.recall.files import is_below
from rum.recall.limits import MAX_NEAR, MIN_NEAR
from rum.recall.outdated import lower
from rum.recall.query import Found, Match, RecallQuery, passes
from rum.recall.wordings import wordings_of
from rum.repo.files import strip_line
from rum.store.base import ReadMode
from rum.store.filters import Filters
from rum.store.search import Row
from rum.text.shorten import one_line
from rum.text.terms import query_terms, says_little, terms
from rum.text.tokens import estimate_tokens

ENVELOPE = 35  # Tokens of an answer without its memories
LEFT_OUT = 15  # Tokens of the note that something was left out
FOLDED = 4  # How many times more memories are read if some of the first have the same subject
MAX_PATHS = 3  # Maximum number of paths that are looked for in a question
# A path within a question: not a part of a URL, nor `and/or`, which no memory is tied to.
_PATH = re.compile(r"(?<![\w/:.@-])(?:[\w.@+-]{1,100}/){1,20}[\w.@+-]{0,100}")
# Words beside a path that ask for nothing but the work on it.
_ABOUT_WORK = frozenset(
    terms(
        "latest last recent newest new previous past history work changes changed commits memories happened"
    )
)
_WARNING_TOKENS = 100  # Of a warning at most
MAX_TAGS = 10_000  # Maximum number of tags listed


def recall(caller: Caller, request: RecallRequest) -> RecallResult:
    """The memories that answer a question, highest confidence first."""
    request.check(caller.parameter_name)
    query, *wordings = _queries(caller, request)
    if request.agent_id:
        query.calls.count(2)  # for the agent's full id
    query.calls.count()  # for the anchors
    by_id = bool(request.memory_id)
    answer = _by_id(caller.project, query) if by_id else cascade.run(query, *wordings, fill=True)
    found, fresh = _with_freshness(caller.project, request, query, answer, wordings)
    why = {match.memory_id: explain(*answer.source(match), match) for _, match, _ in found if request.explain}
    if request.depth is Depth.SUMMARY:
        found = _with_reasons(caller.project, query, found)
    renders = _renders(caller.project, request, found, fresh, why, _weigher(answer, found))
    returned, left_out = _fit_memories(request, renders)
    caller.count_uses(memory.id for memory in returned)
    if not returned and renders:
        return _nothing_fits(caller, request, answer, renders)
    if not returned and request.fresh_only and answer.matches:
        return _nothing_fresh(caller, answer)
    if not returned:
        nothing = _with_knowledge(caller.project, query, _nothing_found(caller, query, answer))
        return _with_warning(caller, query, nothing)
    result = RecallResult(
        memories=returned,
        query_strategy_used=answer.strategy,
        confidence=returned[0].confidence,
        total_matches=answer.total,
        token_estimate=0,
        total_exact=UNSET if answer.total_exact else False,
        left_out=left_out or UNSET,
    )
    return _with_warning(caller, query, _with_knowledge(caller.project, query, _with_token_estimate(result)))


def _queries(caller: Caller, request: RecallRequest) -> list[RecallQuery]:
    """A query for each wording of a question; later ones reuse what was read for the first."""
    files, resolved = _requested_paths(caller, request), _resolved(caller.project, request)
    queries, wordings = list[RecallQuery](), wordings_of(request.wordings)
    if not files and request.memory_id is None and len(wordings) == 1:
        files, wordings = _paths_in_words(caller.project, wordings[0])
    for wording in wordings or (None,):
        is_part = bool(queries) and len(request.wordings) == 1
        queries.append(
            RecallQuery(
                msgspec.structs.replace(resolved, query=wording, intent=None),
                caller.project.store,
                files,
                session=caller.session_id,
                semantic=caller.project.semantic,
                earlier=queries[0] if queries else None,
                is_part=is_part,
            )
        )
    return queries


def _paths_in_words(project: Project, question: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The known paths that a question names, and the question; empty if it asks for nothing else."""
    named = [path.rstrip("/.") for path in _PATH.findall(question)] if "/" in question else []
    named = list(dict.fromkeys(path for path in named if "/" in path))[:MAX_PATHS]
    if not named:
        return (), (question,)
    known = project.store.search.known_paths(named)
    files = tuple(
        path for path, below in zip(named, known, strict=True) if any(is_below(one, path) for one in below)
    )
    rest = query_terms(_PATH.sub(" ", question))
    asks_more = not says_little(rest) and any(term not in _ABOUT_WORK for term in rest)
    return files, (question,) if asks_more or len(files) < len(named) else ()


def _with_warning(caller: Caller, query: RecallQuery, result: RecallResult) -> RecallResult:
    """The answer with what failed in the files that the question names, if it fits into `max_tokens`."""
    most = query.request.max_tokens
    if (
        caller.owner
        or not query.files
        or (most is not None and most < result.token_estimate + _WARNING_TOKENS)
    ):
        return result
    # Memories that are shown with their reasons need no warning.
    deep = query.request.depth in (Depth.FULL, Depth.COMPLETE)
    shown = {memory.id for memory in result.memories} if deep else ()
    warning = load("app.session_offers:file_warning")(caller, query.files, shown)
    return _with_token_estimate(msgspec.structs.replace(result, warning=warning)) if warning else result


def _with_knowledge(project: Project, query: RecallQuery, result: RecallResult) -> RecallResult:
    """The answer with matching chapters and wisdom, if they fit into `max_tokens`."""
    if not query.text or not query.words.found.has_chapters:
        return result
    # Loaded here, as few projects have chapters.
    for one in load("app.memories.knowledge:matching_knowledge")(project, query, result.memories):
        extended = msgspec.structs.replace(
            result,
            knowledge=[*(result.knowledge or ()), one],
            confidence=result.confidence if result.memories else max(result.confidence, one.confidence),
            code=UNSET,
            hint=UNSET,
        )
        extended = _with_token_estimate(extended)
        if query.request.max_tokens is None or extended.token_estimate <= query.request.max_tokens:
            result = extended
    return result


def _fetched(project: Project, depth: Depth, ids: list[str]) -> dict[str, Memory]:
    """The memories by id, with the layers that the depth shows."""
    mode = ReadMode.HEADLINE if depth is Depth.SUMMARY else ReadMode.BEST_EFFORT
    return {memory.id: memory for memory in project.store.memories.get(ids, mode)}


def _is_explained(memory: Memory) -> bool:
    """Whether one line of the memory also says why: of a commit, or a failure."""
    return memory.origin.kind is OriginKind.COMMIT or not memory.outcome.success


Weigh = Callable[[str], float]
Shown = tuple[Memory, Match, int]  # A memory, how it was found, and how many similar ones it stands for


def _shown(
    project: Project, query: RecallQuery, answer: Answer, wordings: Sequence[RecallQuery] = ()
) -> list[Shown]:
    """The memories to return; of those with the same subject only the best, and others in their places.

    What was asked for by its id, its commit or its issue is never left out.
    """
    request = query.request
    folds = not (request.include_similar or _is_literal(query, answer))
    goals = [match.goal for match in answer.matches if match.goal]
    has_equal = any(match.goal in goals for match in answer.rest)
    # What `_folded` needs is read at once where goals show that it will be needed.
    is_known = folds and (has_equal or len(set(goals)) < len(goals))
    read = _foldable(request, answer) if is_known else answer.matches
    memories = _fetched(project, request.depth, [match.memory_id for match in read])
    shown = [(memories[match.memory_id], match, 0) for match in answer.matches if match.memory_id in memories]
    if not folds or len(shown) + len(answer.rest) < 2:
        return shown
    subjects = {_subject(memory) for memory, _, _ in shown}
    if len(subjects) == len(shown) and not has_equal:
        return shown
    if len(subjects) < len(shown) and not query.text:  # only as many as requested were read
        answer = cascade.run(
            *(_with_limit(one, min(request.limit * FOLDED, MAX_LIMIT)) for one in (query, *wordings)),
            fill=True,
        )
    return _folded(project, request, answer, memories)


def _with_freshness(
    project: Project,
    request: RecallRequest,
    query: RecallQuery,
    answer: Answer,
    wordings: Sequence[RecallQuery],
) -> tuple[list[Shown], dict[str, Freshness]]:
    """The memories to return, and what became of their code; with `fresh_only` more are looked at.

    Those about changed code come after those that are now surer; none is left out for it.
    """
    if request.fresh_only and request.memory_id is None:
        more = min(request.limit * FOLDED, MAX_LIMIT)
        query, *wordings = (_with_limit(one, more) for one in (query, *wordings))
        answer = cascade.run(query, *wordings, fill=True)
    found = _shown(project, query, answer, wordings)
    fresh = freshness_of(project, [memory.id for memory, _, _ in found])
    if request.fresh_only:
        unchanged = {one for one, state in fresh.items() if state.state in (FRESH, MOVED)}
        found = [one for one in found if one[0].id in unchanged][: request.limit]
    lower([(memory, match) for memory, match, _ in found], fresh)
    return sorted(found, key=lambda one: -one[1].confidence), fresh


def _nothing_fresh(caller: Caller, answer: Answer) -> RecallResult:
    name = caller.parameter_name("fresh_only")
    return _with_token_estimate(
        RecallResult(
            memories=[],
            query_strategy_used=answer.strategy,
            confidence=0.0,
            total_matches=answer.total,
            token_estimate=0,
            code=NO_RESULTS,
            hint=f"The code of all matches has changed, or is not known. Leave out {name} to see them.",
        )
    )


def _with_reasons(project: Project, query: RecallQuery, found: list[Shown]) -> list[Shown]:
    """The same, with all layers where one line needs them to say why."""
    explained = [memory.id for memory, _, _ in found if _is_explained(memory)]
    if not explained:
        return found
    query.calls.count()
    whole = _fetched(project, Depth.REASONING, explained)
    return [(whole.get(memory.id, memory), match, similar) for memory, match, similar in found]


def _weigher(answer: Answer, found: list[Shown]) -> Weigh | None:
    """The weight of the question's words in indexed terms, as the best memory was found by them."""
    if not found or not answer.source(found[0][1])[0].text:
        return None
    words = answer.source(found[0][1])[0].words
    return lambda text: words.weight(words.mask_in(text))


def _is_literal(query: RecallQuery, answer: Answer) -> bool:
    return bool(query.request.memory_id) or bool(
        query.text and answer.matches and answer.matches[0].literal is not None
    )


def _with_limit(query: RecallQuery, limit: int) -> RecallQuery:
    """The same query with room for more memories."""
    return RecallQuery(
        msgspec.structs.replace(query.request, limit=limit),
        query.store,
        query.files,
        session=query.session,
        semantic=query.semantic,
        earlier=query,
        is_part=query.is_part,
    )


def _foldable(request: RecallRequest, answer: Answer) -> Sequence[Match]:
    """The matches among which memories of the same subject are looked for."""
    return (*answer.matches, *answer.rest)[: request.limit * FOLDED + MAX_LIMIT]


def _folded(
    project: Project, request: RecallRequest, answer: Answer, known: dict[str, Memory]
) -> list[Shown]:
    """One memory for each subject, highest confidence first, up to the limit; `known` were read before."""
    matches = _foldable(request, answer)
    missing = [match.memory_id for match in matches if match.memory_id not in known]
    memories = known | (_fetched(project, request.depth, missing) if missing else {})
    groups: dict[tuple[object, ...], list[tuple[Memory, Match]]] = {}
    for match in matches:
        if memory := memories.get(match.memory_id):
            groups.setdefault(_subject(memory), []).append((memory, match))
    # Matches of the requested files keep their places, however low their confidence is.
    first = sorted([*groups.values()][: request.limit], key=lambda group: -group[0][1].confidence)
    return [(*group[0], len(group) - 1) for group in first]


def _subject(memory: Memory) -> tuple[object, ...]:
    """What memories of the same subject share: commits the goal, others all that was read of them."""
    goal = " ".join(memory.intent.goal.casefold().split()).rstrip(".")
    rest = None if memory.origin.kind is OriginKind.COMMIT else (memory.outcome, memory.reasoning)
    return goal, rest, memory.outcome.success, memory.reverted_by is not None, bool(memory.reverts)


def _resolved(project: Project, request: RecallRequest) -> RecallRequest:
    """The request with the full id of its agent; an unknown one matches nothing."""
    if request.agent_id is None:
        return request
    found = project.store.agents.find_ids(request.agent_id)
    agent_id = project.single_id("agent", request.agent_id, found) if found else request.agent_id
    return msgspec.structs.replace(request, agent_id=agent_id)


def _requested_paths(caller: Caller, request: RecallRequest) -> tuple[str, ...]:
    """The requested files, folders and globs, relative to the repository."""
    return tuple(caller.relative(strip_line(path)) for path in request.files)


def _by_id(project: Project, query: RecallQuery) -> Answer:
    """The memory with the requested id, if it passes the filters."""
    memory = project.memory(query.request.memory_id or "")
    match = Match(Row(memory.id, memory.created_at, memory.importance, memory.session_id, 0), "exact")
    match.literal = match.confidence = 1.0
    passed = passes(query.filters, memory)
    found = Found()
    found.matches[memory.id] = match
    return Answer([match] if passed else [], "exact", int(passed), True, asked=[(query, found)])


def _renders(
    project: Project,
    request: RecallRequest,
    found: list[Shown],
    fresh: dict[str, Freshness],
    why: dict[str, list[str]],
    weigh: Weigh | None,
) -> list[Render]:
    """For each memory a function that renders it at a depth, as `max_tokens` may ask for several depths."""
    if not found:
        return []
    ids = [memory.id for memory, _, _ in found]
    uses = project.use_counts(ids) if request.depth is Depth.COMPLETE else {}
    links = _links(project, ids) if request.include_links or request.depth is Depth.COMPLETE else {}
    return [
        partial(
            _render,
            memory,
            match,
            uses.get(memory.id, Usage()),
            links.get(memory.id),
            why.get(memory.id, UNSET),
            {"similar": similar or UNSET, **shown(fresh.get(memory.id))},
            None if place else weigh,
        )
        for place, (memory, match, similar) in enumerate(found)
    ]


def _render(
    memory: Memory,
    match: Match,
    use: Usage,
    links: LinkedIds | None,
    why: list[str] | UnsetType,
    more: dict[str, Any],
    weigh: Weigh | None,
    depth: Depth,
) -> RetrievedMemory:
    if depth is Depth.SUMMARY:
        memory, more = _as_line(memory, weigh), {**more, "code_since": UNSET}
    fuzzy = "fuzzy" if match.level == "semantic" else UNSET
    return at_depth(memory, depth, match.confidence, use, links, match=fuzzy, why=why, **more)


def _as_line(memory: Memory, weigh: Weigh | None = None) -> Memory:
    """The memory with a summary that says why."""
    if not _is_explained(memory):
        return memory
    summary = load("app.memories.reasons:summary_with_reason")(memory, weigh)
    return msgspec.structs.replace(memory, outcome=msgspec.structs.replace(memory.outcome, summary=summary))


def _links(project: Project, ids: list[str]) -> dict[str, LinkedIds]:
    edges = project.store.links.of(ids)
    return {one: links_seen(one, (edge for edge in edges if one in edge[:2])) for one in ids}


def _fit_memories(
    request: RecallRequest, renders: list[Render]
) -> tuple[list[RetrievedMemory], LeftOut | None]:
    """The memories that fit into `max_tokens`, and how many were left out or shortened."""
    memories = [render(request.depth) for render in renders]
    if request.max_tokens is None or ENVELOPE + estimate_tokens(to_json(memories)) <= request.max_tokens:
        return memories, None
    fit = fitted(renders, request.depth, request.max_tokens - ENVELOPE - LEFT_OUT)
    missing = len(renders) - len(fit)
    shortened = sum(depth is not request.depth for _, depth in fit)
    left_out = LeftOut(missing, shortened) if missing or shortened else None
    return [memory for memory, _ in fit], left_out


def _nothing_found(caller: Caller, query: RecallQuery, answer: Answer) -> RecallResult:
    query.calls.count()
    near = _near(caller.project, answer)
    return _with_token_estimate(
        RecallResult(
            memories=[],
            query_strategy_used=answer.strategy,
            confidence=0.0,
            total_matches=0,
            token_estimate=0,
            code=NO_RESULTS,
            hint=hint_for(caller, query, answer),
            near=near or UNSET,
        )
    )


def _near(project: Project, answer: Answer) -> list[NearMatch]:
    """The memories that came closest, if any is better than chance."""
    closest = [match for match in answer.others if match.confidence >= MIN_NEAR][:MAX_NEAR]
    memories = _fetched(project, Depth.REASONING, [match.memory_id for match in closest])
    fresh = freshness_of(project, memories)
    found = [(memories[match.memory_id], match) for match in closest if match.memory_id in memories]
    lower(found, fresh)
    found.sort(key=lambda one: -one[1].confidence)
    return [
        NearMatch(memory.id, round(match.confidence, 3), _near_text(memory, fresh.get(memory.id)))
        for memory, match in found
    ]


def _near_text(memory: Memory, fresh: Freshness | None) -> str:
    result, told = "ok" if memory.outcome.success else "FAIL", _as_line(memory).full_summary
    day, goal = local_time(memory.created_at)[:10], one_line(memory.intent.goal, 120)
    line = f"{day} {result} {goal} — {one_line(told, MAX_LINE)}"
    # That reverted code is no longer there goes without saying.
    state = fresh.state if fresh and not memory.reverted_by else UNKNOWN
    return add_label(line, state, fresh and fresh.unmerged)


def _nothing_fits(
    caller: Caller, request: RecallRequest, answer: Answer, renders: list[Render]
) -> RecallResult:
    needed = ENVELOPE + min(map(min_tokens, renders)) + (LEFT_OUT if len(renders) > 1 else 0)
    return _with_token_estimate(
        RecallResult(
            memories=[],
            query_strategy_used=answer.strategy,
            confidence=0.0,
            total_matches=answer.total,
            token_estimate=0,
            left_out=LeftOut(len(renders), 0),
            code=NO_RESULTS,
            hint=too_few_tokens_hint(caller, request, needed),
        )
    )


def _with_token_estimate(result: RecallResult) -> RecallResult:
    return msgspec.structs.replace(result, token_estimate=estimate_tokens(to_json(result)))


def show(caller: Caller, memory_id: str, depth: Depth) -> RetrievedMemory:
    """One memory by id, with its links."""
    memory = caller.project.memory(memory_id)
    retrieved = retrieve(caller.project, memory, depth)
    caller.count_uses([memory.id])
    return retrieved


def retrieve(project: Project, memory: Memory, depth: Depth) -> RetrievedMemory:
    """A memory at a depth, with its links. At `Depth.COMPLETE` it also says how often it was used."""
    use = project.use_counts([memory.id]).get(memory.id, Usage())
    fresh = shown(freshness_of(project, [memory.id]).get(memory.id))
    return at_depth(memory, depth, 1.0, use, _links(project, [memory.id])[memory.id], **fresh)


def trace(caller: Caller, request: TraceRequest) -> TraceResult:
    """What led to a memory, or what it led to."""
    origin = caller.project.memory(request.memory_id)
    steps = tracing.walk(caller.project.store.links, origin.id, request.direction, request.max_depth)
    depth = Depth(request.depth)
    read = Depth.REASONING if depth is Depth.SUMMARY else depth  # a line says why
    memories = _fetched(caller.project, read, [step.memory_id for step in steps])
    fresh = freshness_of(caller.project, [origin.id, *memories])
    chain = [
        TraceNode(
            _traced(memories[step.memory_id], depth, fresh),
            step.relationship,
            step.distance,
            UNSET if step.via == origin.id else step.via,
        )
        for step in steps
    ]
    caller.count_uses([origin.id, *(node.memory.id for node in chain)])
    hint = _other_direction(caller.project, origin.id, request.direction)
    return TraceResult(_traced(origin, depth, fresh), chain, len(chain), hint)


def _traced(memory: Memory, depth: Depth, fresh: dict[str, Freshness]) -> RetrievedMemory:
    told = _as_line(memory) if depth is Depth.SUMMARY else memory
    return at_depth(told, depth, **shown(fresh.get(memory.id)))


def _other_direction(project: Project, memory_id: str, direction: Direction) -> str | UnsetType:
    """That memories in the other direction are known; what a failure led to is often its fix."""
    if direction is Direction.BOTH:
        return UNSET
    other = Direction.EFFECTS if direction is Direction.CAUSES else Direction.CAUSES
    count = len(tracing.walk(project.store.links, memory_id, other, 1))
    if not count:
        return UNSET
    kind = other.value[:-1] if count == 1 else other.value
    return f"{count} {kind} known too; trace with the direction `{other.value}`."


def listing(caller: Caller, request: ListRequest) -> ListResult:
    """The calling agent's own memories; all memories for the owner if no agent is set.

    With `stale` what is about changed code, of all agents.
    """
    if request.stale:
        found: VerifyResult = load("app.freshness.verify:verify")(caller, (), request.limit)
        if not found.stale:
            return ListResult(
                [], 0, NO_RESULTS, f"Compared {found.checked} with the code: none went stale.", []
            )
        hint = "Read the code; say `feedback` with `still_true` of what holds, and correct what does not."
        return ListResult([], found.stale, hint=hint, stale=found.files)
    own = caller.current_agent()
    if own is None and not caller.owner:
        return ListResult([], 0, NO_RESULTS, "You have stored nothing yet.")
    since, before = (None if at is None else seconds(at) for at in (request.since, request.before))
    filters = Filters(
        agent_id=own and own.id, session_id=request.session_id, since=since, before=before, superseded=True
    )
    uses: list[tuple[str, int]] = []
    if request.sort == "access_count":
        uses = [(one, use.times) for one, use in caller.project.store.activity.uses().items()]
    rows, total = caller.project.store.search.by_filters(filters, request.limit, request.sort, uses)
    ids = [row.id for row in rows]
    counts = caller.project.use_counts(ids)
    memories = caller.project.store.memories.get(ids, ReadMode.BEST_EFFORT)
    fresh = freshness_of(caller.project, ids)
    hint = "No memory of your own is like that; `recall` finds those of all agents."
    return ListResult(
        [_listed(memory, counts, fresh.get(memory.id)) for memory in memories],
        total,
        UNSET if memories else NO_RESULTS,
        UNSET if memories else hint,
    )


def _listed(memory: Memory, uses: dict[str, Usage], fresh: Freshness | None) -> ListedMemory:
    return ListedMemory(
        memory.id,
        memory.created_at,
        memory.intent.goal,
        memory.outcome.success,
        _as_line(memory).outcome.summary,
        memory.importance,
        uses.get(memory.id, Usage()).times,
        memory.reverted_by or UNSET,
        fresh.state if fresh and fresh.state != UNKNOWN else UNSET,
        (fresh and fresh.unmerged) or UNSET,
    )


def tags(caller: Caller) -> list[Tag]:
    """The tags, most used first."""
    return [Tag(tag, count) for tag, count in caller.project.store.search.tag_counts(MAX_TAGS)]


def summary(caller: Caller) -> dict[str, Any]:
    """The main figures of the project."""
    project = caller.project
    location, agents = project.location, project.store.agents.all()
    is_local = caller.role is None  # the folders of a server are not shown to its team
    return {
        "project_id": location.id,
        "name": location.name,
        "root": location.root if is_local else None,
        "memories": project.store.memories.count(),
        "agents": [msgspec.to_builtins(describe(project, agent)) for agent in agents],
        "warnings": list(project.warnings()) if is_local else [],
    }


Render = Callable[[Depth], RetrievedMemory]  # Returns one memory at a depth


def fitted(renders: Sequence[Render], depth: Depth, budget: int) -> list[tuple[RetrievedMemory, Depth]]:
    """The first memories as far as they fit, each with the depth it got.

    A memory that is too long at any depth is skipped.
    """
    depths = DEPTHS[: DEPTHS.index(depth) + 1]
    chosen: list[Render] = []
    for render in [render for render in renders if min_tokens(render) <= budget]:
        if min_tokens(render) > budget:
            break
        chosen.append(render)
        budget -= min_tokens(render)
    fit: list[tuple[RetrievedMemory, Depth]] = []
    for render in chosen:
        room = budget + min_tokens(render)
        deepest = next((depth for depth in reversed(depths) if _cost(render(depth)) <= room), depths[0])
        budget = room - _cost(render(deepest))
        fit.append((render(deepest), deepest))
    return fit


def min_tokens(render: Render) -> int:
    """The number of tokens of a memory at the smallest depth."""
    return _cost(render(DEPTHS[0]))


def _cost(memory: RetrievedMemory) -> int:
    return estimate_tokens(to_json(memory)) + 1
