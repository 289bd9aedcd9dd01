"""What to try next when nothing was found; wider requests are only proposed if they find something."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from difflib import get_close_matches
from itertools import islice
from typing import Any

from msgspec.structs import replace

from rum.app.caller import Caller, ParameterName
from rum.app.project import Project
from rum.model.errors import InvalidQuery
from rum.model.fields import nearest
from rum.model.memory import SHORT_SHA
from rum.model.requests import RecallRequest, Strategy
from rum.recall import cascade
from rum.recall.cascade import Answer
from rum.recall.files import paths_below
from rum.recall.fitted import MIN_CONFIDENCE
from rum.recall.levels import COMMIT
from rum.recall.query import RecallQuery, TooManyCalls
from rum.repo.git_process import run_git
from rum.store.filters import Filters
from rum.store.search import Search

MAX_SUGGESTIONS = 3
MAX_NAMES = 5
MAX_ECHO_LENGTH = 60  # Maximum length of a quoted part of the question
MAX_TROUBLE_LENGTH = 250  # Maximum length of an embedder's error; `rum doctor` shows all of it
THRESHOLD_DIVISOR = 2  # The lowest threshold to propose is this part of the present one; less finds filler
MAX_COMPARED = 2000  # Maximum number of known tags or files compared with an unknown one

_WORD = re.compile(r"[\w.@+-]*\w")

MAX_TRIES = 3  # Wider requests that are tried: each costs up to half as much as the first one

# Calls of the store that a question in words and its hint may make together; else the hint proposes less.
MAX_CALLS = 15

# The filters of a request, with their values when unset.
FILTERS: dict[str, Any] = {
    "tags": (),
    "symbol": None,
    "task_type": None,
    "agent_id": None,
    "session_id": None,
    "since": None,
    "before": None,
    "success_only": False,
    "failures_only": False,
}


def hint_for(caller: Caller, query: RecallQuery, answer: Answer) -> str:
    """One or two sentences on what to ask instead, with the option names of the calling interface."""
    if not _any_memory(query):
        return "There are no memories yet; store one when work is finished, or run `rum import git`."
    if query.request.memory_id:
        name = caller.parameter_name("memory_id")
        return f"That memory is there, but another condition excludes it; ask for {name} alone."
    parameter_name, parts = caller.parameter_name, list[str]()
    if query.text:
        query.calls.limit = MAX_CALLS
    for proposals in (
        unknown_tags(query.search, query.request.tags),
        _unknown_agent(caller.project, query),
        _near_files(query, parameter_name),
        _misspelt(query),
        _agent_named(caller, query),
    ):
        with suppress(TooManyCalls):
            parts += proposals
    parts += islice(_wider(query, answer, parameter_name), max(1, MAX_SUGGESTIONS - len(parts)))
    if not parts:
        parts = [_otherwise(query)]
    return f"{_why_nothing(caller.project, query)}. Try: {'; '.join(parts)}."


def _any_memory(query: RecallQuery) -> bool:
    if query.text and query.words.terms:
        return query.words.found.size > 0
    return bool(query.search.by_filters(Filters(superseded=True), 1)[0])


def too_few_tokens_hint(caller: Caller, request: RecallRequest, needed: int) -> str:
    """The hint if there are matches, but not even the shortest fits."""
    name = caller.parameter_name("max_tokens")
    return f"Found, but nothing fits in {name} {request.max_tokens}; the shortest result needs {needed}."


def _why_nothing(project: Project, query: RecallQuery) -> str:
    """That there are no matches; or, for a semantic search only, why it could not work."""
    if query.issue:
        return f"No memory names #{query.issue}"
    if not query.files and COMMIT.fullmatch(query.text) and (commit := _commit(project, query.text)):
        return commit
    if query.request.strategy is not Strategy.SEMANTIC:
        is_unknown = len(query.files) == 1 and not query.known_files and not query.filters.any()
        file = query.files[0] if is_unknown else None
        if file:
            return f"No matches for the file `{file[:MAX_ECHO_LENGTH]}`"
        return _only_by_words(project, query) or "No matches"
    semantic = project.semantic
    if not query.text:
        lacks = "it needs words to go by"
    elif semantic.model is None:
        lacks = f"the setting embedder is none (by {project.settings.origin('embedder')}); set it to builtin"
    elif semantic.trouble:
        lacks = f"the embedder fails: {' '.join(semantic.trouble.split())[:MAX_TROUBLE_LENGTH].rstrip('.')}"
    elif query.words.found.vectors.pending and (pending := semantic.counts().pending):
        have = "1 memory has" if pending == 1 else f"{pending} memories have"
        lacks = f"{have} no vector yet; run `rum tidy`"
    else:
        return "No matches"
    return f"Nothing was found by meaning: {lacks}"


def _only_by_words(project: Project, query: RecallQuery) -> str | None:
    """That a question was hardly compared by meaning, as most memories have no vector yet; else None."""
    if not query.text or project.semantic.embedder is None or not query.words.found.vectors.pending:
        return None
    done, pending, _ = project.semantic.counts()
    if pending <= done:
        return None
    return "No matches by words, and most memories have no vector yet (`rum tidy --wait` computes them)"


def _commit(project: Project, text: str) -> str | None:
    """Why no memory is of a commit that git knows; None if git knows none."""
    repository = project.repository()
    if text.isalpha() or repository is None:  # it may be a word, such as `defaced`
        return None
    printed = run_git(repository.git_dir, "rev-list", "--no-walk", "--parents", f"{text}^{{commit}}", "--")
    sha, *parents = (printed or "").split() or [""]
    if not sha:
        return None
    if len(parents) > 1:
        return f"Commit {text[:SHORT_SHA]} is a merge, which is not imported; its commits are"
    return f"Commit {text[:SHORT_SHA]} is in git, but not in the memory; run `rum import git`"


def _otherwise(query: RecallQuery) -> str:
    if query.issue:
        return "what it is about, in words"
    return "other words" if query.text else "another file" if query.files else "other filters"


def unknown_tags(search: Search, tags: Sequence[str]) -> Iterator[str]:
    """Yield for each unknown tag which to use instead."""
    common = [name for name, _ in search.tag_counts(MAX_COMPARED)] if tags else []
    for tag in tags[:MAX_NAMES]:
        if tag in common:
            continue
        if len(common) == MAX_COMPARED and search.by_filters(Filters(tags=(tag,), superseded=True), 1)[0]:
            continue
        near = nearest(tag, common)
        instead = f"`{near}`" if near else f"one of {', '.join(common[:MAX_NAMES])}" if common else "no tag"
        yield f"{instead} instead of the unknown tag `{tag[:MAX_ECHO_LENGTH]}`"


def _unknown_agent(project: Project, query: RecallQuery) -> Iterator[str]:
    """The agents whose names are nearest to an unknown one, then those with most memories."""
    asked = query.request.agent_id
    if not asked:
        return
    query.calls.count()
    names = {agent.id: agent.name or agent.id for agent in project.store.agents.all()}
    if asked in names:
        return
    alike = {name.casefold(): name for name in [*names.values()][-MAX_COMPARED:]}
    near = [
        alike[name]
        for name in get_close_matches(asked.casefold()[:MAX_ECHO_LENGTH], alike, n=MAX_SUGGESTIONS)
    ]
    query.calls.count()
    figures = project.store.agents.figures(names)
    most_active = sorted(
        (one for one in names if figures[one].memories), key=lambda one: (-figures[one].memories, one)
    )
    known = list(dict.fromkeys([*near, *(names[one] for one in most_active)]))[:MAX_NAMES]
    yield f"one of the agents {', '.join(known)} instead of the unknown `{asked[:MAX_ECHO_LENGTH]}`"


def _agent_named(caller: Caller, query: RecallQuery) -> Iterator[str]:
    """Propose the agent that a question names, as memories do not contain the agent's name."""
    if not query.text or query.request.agent_id:
        return
    asked = _spaced(query.text)
    query.calls.count()
    for agent in caller.project.store.agents.all():
        if agent.name and (name := _spaced(agent.name)).strip() and name in asked:
            label = f"{caller.parameter_name('agent_id')} {_quoted(agent.name)}"
            rest = asked.replace(name, " ").strip()
            found = _try_request(query, label, agent_id=agent.id, query=rest or None, intent=None)
            yield next(found, f"{label} with other words")
            return


def _quoted(name: str) -> str:
    """A name, quoted for a command line if necessary."""
    return f'"{name}"' if " " in name else name


def _spaced(text: str) -> str:
    """The words of a text in lower case, separated and surrounded by spaces."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _misspelt(query: RecallQuery) -> Iterator[str]:
    """Yield corrections of typos, if the corrected question finds something."""
    if query.files or not query.text:
        return
    corrected, corrections = query.request.text, list[str]()
    for typed, meant in islice(query.words.corrected(), MAX_NAMES):
        word = re.compile(rf"(?<![\w.-]){re.escape(typed)}(?![\w-])", re.IGNORECASE)
        if word.search(query.text):  # else it is only a part of a name
            corrected = word.sub(meant, corrected)
            corrections.append(f"`{meant}` instead of `{typed}`")
    min_confidence = min(query.threshold, MIN_CONFIDENCE)
    if corrections and any(_try_request(query, "", query=corrected, min_confidence=min_confidence)):
        yield from corrections


def _near_files(query: RecallQuery, parameter_name: ParameterName) -> Iterator[str]:
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
        if close := nearest(name, sorted(below)[:MAX_COMPARED]):
            found.append(start + close)
        elif below and folder:
            found.append(start)
    if found:
        yield f"{parameter_name('file')} {' or '.join(list(dict.fromkeys(found))[:MAX_NAMES])}"


def _wider(query: RecallQuery, answer: Answer, parameter_name: ParameterName) -> Iterator[str]:
    """Yield the wider requests that find something, with the number of matches."""
    if query.text and not query.files and not query.words.known() and query.semantic is None:
        return
    tries = MAX_TRIES
    for label, change in _wider_requests(query, parameter_name):
        if "min_confidence" in change:  # what is below the threshold is known already
            count = sum(match.confidence >= change["min_confidence"] for match in answer.others)
            if count:
                yield f"{label} ({_number(count, query.request.limit)} found)"
        elif tries:
            tries -= 1
            try:
                yield from _try_request(query, label, **change)
            except TooManyCalls:
                tries = 0


def _number(count: int, limit: int) -> str:
    return f"{limit} or more" if count >= limit else str(count)


def _wider_requests(
    query: RecallQuery, parameter_name: ParameterName
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a label for each wider request, and the fields it changes."""
    request = query.request
    if request.strategy is not Strategy.AUTO:
        yield f"{parameter_name('strategy')} auto", {"strategy": Strategy.AUTO}
    if not request.include_superseded and not (query.text and not query.words.found.superseded):
        yield parameter_name("include_superseded"), {"include_superseded": True}
    for tag in request.tags[:MAX_NAMES] if len(request.tags) > 1 else ():
        yield f"without tag `{tag}`", {"tags": tuple(other for other in request.tags if other != tag)}
    set_filters = [name for name, unset in FILTERS.items() if getattr(request, name) != unset]
    for name in set_filters:
        yield f"without {parameter_name(name)}", {name: FILTERS[name]}
    if query.text and (less := round(query.threshold / THRESHOLD_DIVISOR, 2)):
        yield f"{parameter_name('min_confidence')} {less:.2f}", {"min_confidence": less}
    if len(set_filters) > 1:
        yield "without filters", {name: FILTERS[name] for name in set_filters}


def _try_request(query: RecallQuery, label: str, /, **change: Any) -> Iterator[str]:
    wider: RecallRequest = replace(query.request, **change)
    try:
        wider.check()
    except InvalidQuery:  # no condition would be left
        return
    answer = cascade.run(_changed_query(query, wider))
    if answer.matches:
        count = _number(len(answer.matches), wider.limit) if query.text else answer.total
        yield f"{label} ({count} found)"


def _changed_query(query: RecallQuery, request: RecallRequest) -> RecallQuery:
    """A query for another request that reuses what was read for one that found nothing."""
    return RecallQuery(
        request, query.store, query.files, session=query.session, semantic=query.semantic, earlier=query
    )
