"""A report as one page of Markdown: figures in, text out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from rum.consolidate.counting import day_text
from rum.consolidate.markdown import code, table, text
from rum.model.report import Counted, Insight, Report

MARK = "<!-- Written by `rum report`, which writes it anew. -->"
"""The last line. A file that ends with it may be overwritten."""
GOAL, TEXT = 80, 240
"""Characters of a goal, and of the main text of a line."""
TAIL = 8
"""The last characters of an id, which are enough to name it."""

Clean = Callable[[str], str]
"""Takes invisible and control characters out of a text."""


def render_report(report: Report, clean: Clean) -> Report:
    """The report with its text."""
    page = _Page(clean)
    parts = page.parts(report) if report.memories else page.empty(report)
    return replace(report, text="\n\n".join((*parts, MARK)) + "\n")


class _Page:
    """The parts of the page; empty ones are left out."""

    def __init__(self, clean: Clean) -> None:
        self._clean = clean

    def parts(self, report: Report) -> Iterator[str]:
        yield self._title(report)
        yield self._in_all(report)
        yield from self._over_time(report)
        yield from self._by_area(report)
        yield from self._failures(report)
        yield from self._follow_ups(report)
        yield from self._insights(report)
        yield from self._agents(report)

    def empty(self, report: Report) -> Iterator[str]:
        yield self._title(report)
        if report.since is not None:
            day = day_text(report.since)
            yield f"There is no memory since {day}. Without `--since` the report is about all of them."
        else:
            yield (
                "There are no memories yet. Agents store them over MCP (`rum mcp`), `rum store` keeps one by "
                "hand, and `rum import git` makes them of the history of a repository."
            )

    def _text(self, content: str, most: int) -> str:
        return text(self._clean(content), most)

    def _code(self, name: str) -> str:
        return code(self._clean(name))

    def _title(self, report: Report) -> str:
        return f"# What is remembered of {self._text(report.project, GOAL)}"

    def _in_all(self, report: Report) -> str:
        since = "" if report.since is None else f" since {day_text(report.since)}"
        line = (
            f"{_some(report.memories, 'memory', 'memories')}{since} by {_some(report.agent_count, 'agent')}, "
            f"{_days(report)}: {report.successes} succeeded ({_share(report.successes, report.memories)}), "
            f"{report.memories - report.successes - report.unverified} failed."
        )
        if report.unverified:
            line += f" Of {report.unverified} nobody said how they ended."
        if report.superseded:
            line += f" {report.superseded} more were superseded, and are not counted."
        return f"{line} As of {day_text(report.written_at)} (UTC)."

    def _over_time(self, report: Report) -> Iterator[str]:
        rows = [
            [
                one.name,
                str(one.memories),
                _share(one.successes, one.memories),
                _counts(one.kinds),
                ", ".join(self._code(area.name) for area in one.areas) or "–",
            ]
            for one in report.periods
        ]
        yield "## Over time"
        yield table(("when", "memories", "success", "mostly", "where"), (1, 2), rows)

    def _by_area(self, report: Report) -> Iterator[str]:
        rows = [
            [
                self._code(one.path),
                str(one.memories),
                _share(one.successes, one.memories),
                str(one.memories - one.successes - one.unverified),
                day_text(one.last_at),
            ]
            for one in report.areas
        ]
        if rows:
            yield "## By area"
            yield table(("folder", "memories", "success", "failed", "last"), (1, 2, 3), rows)
            yield from _more(report.area_count - len(rows), "folder")

    def _failures(self, report: Report) -> Iterator[str]:
        rows = [
            [
                self._code(one.path),
                str(one.failures),
                str(one.memories),
                f"{day_text(one.last_at)}: {self._text(one.last_goal, GOAL)} ({self._id(one.last_id)})",
            ]
            for one in report.failing_files
        ]
        if report.failure_categories:
            yield "## Where it failed"
        if rows:
            yield table(("file", "failed", "of", "last failure"), (1, 2), rows)
            yield from _more(report.failing_file_count - len(rows), "file")
        if report.failure_categories:
            yield f"Why: {_counts(report.failure_categories)}."

    def _follow_ups(self, report: Report) -> Iterator[str]:
        lines = [
            f"- {day_text(one.at)}: {self._text(one.text, TEXT)} "
            f"(after “{self._text(one.goal, GOAL)}”, {self._id(one.memory_id)})"
            for one in report.follow_ups
        ]
        if lines:
            yield "## Open follow-ups"
            yield "\n".join(lines)
            least = "" if report.follow_ups_exact else "At least "
            yield from _more(report.follow_up_count - len(lines), "follow-up", least)

    def _insights(self, report: Report) -> Iterator[str]:
        by_wisdom = report.insights_from == "wisdom"
        lines = [f"- “{self._text(one.text, TEXT)}” – {self._sources(one)}" for one in report.insights]
        if lines:
            yield "## Wisdom" if by_wisdom else "## What was learned"
            yield "\n".join(lines)
            yield from _more(report.insight_count - len(lines), "claim" if by_wisdom else "lesson")
        if report.stale_wisdom:
            yield f"{report.stale_wisdom} of the wisdom needs renewal: `rum refresh`."

    def _sources(self, one: Insight) -> str:
        line = _some(one.supporting, "memory", "memories") if one.supporting else "no memory says so"
        if one.against:
            line += f", {one.against} against"
        if one.last_confirmed:
            line += f", last {day_text(one.last_confirmed)}"
        named = ", ".join(map(self._id, one.memory_ids))
        return f"{line}: {named}" if named else line

    def _agents(self, report: Report) -> Iterator[str]:
        rows = [
            [
                self._text(one.name, GOAL),
                str(one.memories),
                _share(one.successes, one.memories),
                str(one.sessions),
                day_text(one.last_at),
            ]
            for one in report.agents
        ]
        yield "## By whom"
        yield table(("agent", "memories", "success", "sessions", "last"), (1, 2, 3), rows)
        yield from _more(report.agent_count - len(rows), "agent")

    def _id(self, memory_id: str) -> str:
        return self._code(memory_id[-TAIL:])


def _some(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


def _more(count: int, one: str, before: str = "") -> Iterator[str]:
    if count > 0:
        yield f"{before}{count} more {one if count == 1 else one + 's'}."


def _share(some: int, of: int) -> str:
    """A percentage; 0 and 100 only where it is exactly so."""
    return f"{some * 100 // of if some in (0, of) else min(99, max(1, round(some * 100 / of)))} %"


def _counts(counts: Sequence[Counted]) -> str:
    return ", ".join(f"{one.name} {one.count}" for one in counts)


def _days(report: Report) -> str:
    first, last = day_text(report.first_at or 0), day_text(report.last_at or 0)
    return f"on {first}" if first == last else f"from {first} to {last}"
