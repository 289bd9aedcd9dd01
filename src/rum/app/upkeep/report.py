"""The project's memory on one page: memories counted as they are read, and what was learned of them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rum.app.caller import Caller
from rum.app.chapters.make_wisdom import split
from rum.app.chapters.staleness import judged_wisdom
from rum.app.project import Project
from rum.consolidate.report.counts import Tally, most_of
from rum.consolidate.report.markdown_page import render_report
from rum.model.chapters import Evidence, Wisdom
from rum.model.links import LinkType
from rum.model.memory import Memory
from rum.model.parse import parse
from rum.model.report import Insight, Report, ReportQuestion
from rum.model.times import seconds
from rum.text.invisible import without_unseen

AREAS = FILES = INSIGHTS = AGENTS = 10
FOLLOW_UPS = 15
KINDS, PLACES = 3, 2
"""Kinds of work, and areas, named for one month."""
SOURCES = 3
"""Memories named for one claim: those whose words it has, then the newest."""
PATTERNS = 2
"""Patterns that are told beside what was learned."""
_NUMBERS = re.compile(r"\d+")


def report(caller: Caller, since: float | None = None) -> Report:
    """What was worked on, where it succeeded and failed, what is left to do and what was learned."""
    asked = parse({"since": since}, ReportQuestion, "report")
    begin = None if asked.since is None else seconds(asked.since)
    tally = Tally()
    for batch in caller.project.store.memories.in_time_order(since=begin or 0):
        causes = _causes(caller.project, batch)
        for memory in batch:
            tally.add(memory, causes.get(memory.id, ()))
    figures = Report(
        project=caller.project.location.name,
        written_at=caller.project.now(),
        since=begin,
        memories=tally.memories,
        successes=tally.successes,
        unverified=tally.unverified,
        superseded=tally.superseded,
        first_at=tally.first_at,
        last_at=tally.last_at if tally.memories else None,
        periods=tally.periods(KINDS, PLACES),
        areas=tally.areas(AREAS),
        area_count=tally.area_count,
        failing_files=tally.failing_files(FILES),
        failing_file_count=tally.failing_file_count,
        failure_categories=most_of(tally.categories, len(tally.categories)),
        follow_ups=tally.open.newest(FOLLOW_UPS),
        follow_up_count=len(tally.open),
        follow_ups_exact=tally.open.exact,
        agents=tally.agents(_names(caller.project), AGENTS),
        agent_count=tally.agent_count,
        **_insights(caller.project, tally, begin or 0),
    )
    return render_report(figures, without_unseen)


def _causes(project: Project, batch: Sequence[Memory]) -> Mapping[str, list[str]]:
    """What led to each memory, by id."""
    causes: defaultdict[str, list[str]] = defaultdict(list)
    for source, target, kind in project.store.links.of([memory.id for memory in batch]):
        if kind is LinkType.CAUSED_BY:
            causes[source].append(target)
    return causes


def _names(project: Project) -> dict[str, str]:
    return {agent.id: agent.name or agent.id for agent in project.store.agents.all()}


def _insights(project: Project, tally: Tally, since: int) -> dict[str, Any]:
    """What wisdom says; where it says nothing, what memories learned."""
    known = [one for batch in project.store.wisdom.all() for one in batch if one.end_ts >= since]
    learned, patterns = _learned(known), _patterns(known)
    if not learned and not patterns:
        return {"insights": tally.lessons.best(INSIGHTS), "insight_count": len(tally.lessons)}
    told = patterns[:PATTERNS]
    return {
        "insights": (*learned[: INSIGHTS - len(told)], *told),
        "insight_count": len(learned) + len(patterns),
        "insights_from": "wisdom",
        "stale_wisdom": sum(bool(one.stale) for one in judged_wisdom(project, known)),
    }


def _learned(wisdom: Sequence[Wisdom]) -> list[Insight]:
    """What was learned and what is to be done, without what only repeats."""
    told = ((one, split(one)) for one in wisdom)
    return _claims(
        pair
        for one, (insights, _, practices) in told
        for pair in (
            *zip(one.insights, insights, strict=True),
            *zip(one.best_practices, practices, strict=True),
        )
    )


def _patterns(wisdom: Sequence[Wisdom]) -> list[Insight]:
    """What repeats; what differs only in how often once."""
    found = _claims(pair for one in wisdom for pair in zip(one.patterns, split(one)[1], strict=True))
    return list({_NUMBERS.sub("#", one.text): one for one in reversed(found)}.values())[::-1]


def _claims(told: Iterable[tuple[str, Evidence]]) -> list[Insight]:
    """Every claim that memories make, once, with the most of them that any wisdom names; those first."""
    claims: dict[str, Insight] = {}
    for claim, evidence in told:
        if evidence.supporting:
            said = Insight(
                text=claim,
                supporting=evidence.supporting,
                against=evidence.against,
                memory_ids=evidence.memory_ids[:SOURCES],
                last_confirmed=evidence.last_confirmed,
            )
            before = claims.get(claim)
            if before is None or said.supporting > before.supporting:
                claims[claim] = said
    return sorted(
        claims.values(), key=lambda one: (-one.supporting, one.against, -one.last_confirmed, one.text)
    )
