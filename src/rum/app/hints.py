"""What to try next when nothing was found; what is proposed as a wider question has been tried."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from itertools import islice
from typing import Any

from msgspec.structs import replace

from rum.app.context import Context
from rum.model.errors import InvalidQuery
from rum.model.parse import nearest
from rum.model.questions import RecallQuestion, Strategy
from rum.recall import cascade
from rum.recall.inquiry import Inquiry
from rum.store.filters import Filters

SUGGESTED = 3
NAMED = 5
ECHOED = 60
"""So many characters of what was asked are said again."""
COMPARED = 2000
"""So many known tags or files are compared with one that is unknown."""

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
"""What excludes, and its value when it does not."""


def hint_for(context: Context, inquiry: Inquiry) -> str:
    """One sentence that helps to ask better."""
    if not context.store.search.size():
        return "There are no memories yet; store one when work is finished, or run `rum import git`."
    if inquiry.question.memory_id:
        return "That memory is there, but another condition excludes it; ask for the memory_id alone."
    parts = [*_unknown_tags(inquiry), *_unknown_agent(context, inquiry), *_near_files(inquiry)]
    parts += islice(_wider(inquiry), max(1, SUGGESTED - len(parts)))
    if not parts:
        parts = ["other words" if inquiry.text else "another file" if inquiry.files else "other filters"]
    return f"Nothing fits. Try: {'; '.join(parts)}."


def _unknown_tags(inquiry: Inquiry) -> Iterator[str]:
    search = inquiry.store.search
    for tag in inquiry.question.tags[:NAMED]:
        if search.by_filters(Filters(tags=(tag,), superseded=True), 1)[0]:
            continue
        common = search.common_tags(COMPARED)
        near = nearest(tag, common)
        instead = f"`{near}`" if near else f"one of {', '.join(common[:NAMED])}" if common else "no tag"
        yield f"{instead} instead of the unknown tag `{tag[:ECHOED]}`"


def _unknown_agent(context: Context, inquiry: Inquiry) -> Iterator[str]:
    asked = inquiry.question.agent_id
    if asked and not context.store.agents.named(asked):
        known = [agent.name or agent.id for agent in reversed(context.store.agents.all())]
        yield f"one of the agents {', '.join(known[:NAMED])} instead of the unknown `{asked[:ECHOED]}`"


def _near_files(inquiry: Inquiry) -> list[str]:
    found: list[str] = []
    for path in inquiry.files:
        folder, name = posixpath.split(path)
        start = folder + "/" if folder else ""
        below = {known[len(start) :].split("/")[0] for known in inquiry.store.search.known_paths(start)}
        if close := nearest(name, sorted(below - {name})[:COMPARED]):
            found.append(start + close)
        elif below and folder:
            found.append(start)
    return [f"file {' or '.join(list(dict.fromkeys(found))[:NAMED])}"] if found else []


def _wider(inquiry: Inquiry) -> Iterator[str]:
    """The wider questions that do find something, with how much."""
    question = inquiry.question
    if inquiry.text and not inquiry.files and not inquiry.words.known():
        return
    if question.strategy is not Strategy.AUTO:
        yield from _tried(inquiry, "strategy auto", strategy=Strategy.AUTO)
    if not question.include_superseded:
        yield from _tried(inquiry, "include_superseded", include_superseded=True)
    for tag in question.tags[:NAMED] if len(question.tags) > 1 else ():
        yield from _tried(inquiry, f"without tag `{tag}`", tags=tuple(t for t in question.tags if t != tag))
    set_ones = [name for name, unset in FILTERS.items() if getattr(question, name) != unset]
    for name in set_ones:
        yield from _tried(inquiry, f"without {name}", **{name: FILTERS[name]})
    if inquiry.text:
        yield from _tried(inquiry, "min_confidence 0 for weak matches", min_confidence=0.0)
    if len(set_ones) > 1:
        yield from _tried(inquiry, "without filters", **{name: FILTERS[name] for name in set_ones})


def _tried(inquiry: Inquiry, label: str, **change: Any) -> Iterator[str]:
    wider: RecallQuestion = replace(inquiry.question, **change)
    try:
        wider.check()
    except InvalidQuery:  # nothing would be left to look for
        return
    again = Inquiry(
        wider,
        inquiry.store,
        inquiry.now,
        inquiry.files,
        session=inquiry.session,
        meaning=inquiry.meaning,
    )
    answer = cascade.run(again)
    if answer.matches:
        yield f"{label} ({len(answer.matches)} found)"
