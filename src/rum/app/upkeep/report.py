"""The project's memory on one page: counts of memories as they are read, and what was learned."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from rum.app.caller import Caller
from rum.app.chapters.staleness import with_staleness
from rum.app.freshness.texts import count_stale
from rum.app.project import Project
from rum.consolidate.report_figures import Tally, most_of
from rum.consolidate.report_page import render_report
from rum.model.chapters import Wisdom
from rum.model.fields import parse, seconds
from rum.model.memory import LinkType
from rum.model.report import Insight, Report, ReportRequest
from rum.text.shorten import without_invisible

AREAS = FILES = INSIGHTS = AGENTS = 10
FOLLOW_UPS = 15
CLAIMS = 1000  # Newest memories that are compared with the code
KINDS, PLACES = 3, 2  # Task types, and areas, named for one month
SOURCES = 3  # Memories named for one claim: those it quotes, then the newest
PATTERNS = 2  # Patterns among the insights
_NUMBERS = re.compile(r"\d+")


def report(caller: Caller, since: float | None = None) -> Report:
    """What was worked on, where it succeeded and failed, what is left to do and what was learned."""
    asked = parse({"since": since}, ReportRequest, "report")
    begin = None if asked.since is None else seconds(asked.since)
    tally = Tally()
    for batch in caller.store.memories.pages(since=begin or 0):
        causes: defaultdict[str, list[str]] = defaultdict(list)
        for source, target, kind in caller.store.links.of([memory.id for memory in batch]):
            if kind is LinkType.CAUSED_BY:
                causes[source].append(target)
        for memory in batch:
            tally.add(memory, causes[memory.id])
    names = {agent.id: agent.name or agent.id for agent in caller.store.agents.all()}
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
        stale_memories=count_stale(caller.project, CLAIMS),
        agents=tally.agents(names, AGENTS),
        agent_count=tally.agent_count,
        **_insights(caller.project, tally, begin or 0),
    )
    return render_report(figures, without_invisible)


def _insights(project: Project, tally: Tally, since: int) -> dict[str, Any]:
    """The claims of wisdom; where there are none, the lessons of memories."""
    wisdom = [one for batch in project.store.wisdom.pages() for one in batch if one.end_ts >= since]
    learned, found = _claims(wisdom, "insights", "best_practices"), _claims(wisdom, "patterns")
    # Of patterns that differ only in numbers the first.
    patterns = list({_NUMBERS.sub("#", one.text): one for one in reversed(found)}.values())[::-1]
    if not learned and not patterns:
        return {"insights": tally.lessons.best(INSIGHTS), "insight_count": len(tally.lessons)}
    shown = patterns[:PATTERNS]
    return {
        "insights": (*learned[: INSIGHTS - len(shown)], *shown),
        "insight_count": len(learned) + len(patterns),
        "insights_from": "wisdom",
        "stale_wisdom": sum(bool(one.stale) for one in with_staleness(project, wisdom)),
    }


def _claims(wisdom: Sequence[Wisdom], *lists: str) -> list[Insight]:
    """The supported claims of these lists, each once with its best evidence; the best supported first."""
    claims: dict[str, Insight] = {}
    for one in wisdom:
        by_list = one.claims_by_list
        for claim, evidence in (pair for name in lists for pair in by_list[name]):
            before = claims.get(claim)
            if evidence.supporting and (before is None or evidence.supporting > before.supporting):
                claims[claim] = Insight(
                    text=claim,
                    supporting=evidence.supporting,
                    against=evidence.against,
                    memory_ids=evidence.memory_ids[:SOURCES],
                    last_confirmed=evidence.last_confirmed,
                )
    return sorted(
        claims.values(), key=lambda one: (-one.supporting, one.against, -one.last_confirmed, one.text)
    )
