"""All figures as rows: the floor, RUM, their ratio, the budget, and whether it is met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.briefing import NOTES, TOKENS, Briefed
from benchmarks.busy_server import LONG, SIZE, STORES, BusyServer
from benchmarks.growth import Growth
from benchmarks.hooks import Cost
from benchmarks.importing import Imported
from benchmarks.semantic import SemanticTimes
from benchmarks.server_start import ServerStart
from benchmarks.speed import Speed
from benchmarks.timing import Pair, Times
from benchmarks.writers import Writers

FLAT = 1.5  # How much slower the largest size may be than the smallest to be called flat
HELD = 45  # Megabytes that a server may hold before the first semantic question
FIRST = 500  # Milliseconds from the start to the first semantic answer
# Milliseconds for later semantic answers, by the most memories there may be.
LATER = {10_000: 20, 100_000: 40}
# How many times as long as the floor recall by words may take, by the most memories there may be.
BY_WORDS = {1_000: 2, 10_000: 0.7, 100_000: 0.1}
HELD_LATER = 120  # Megabytes that a server may hold after a long session


class Line(NamedTuple):
    """One row of the table; `met` is None where there is no budget."""

    what: str
    floor: str
    rum: str
    ratio: str
    budget: str
    met: bool | None


def lines(
    start: ServerStart,
    speeds: list[Speed],
    growth: tuple[Growth, Growth] | None,
    semantic_times: list[SemanticTimes],
    imported: Imported,
    writers: Writers,
    busy: BusyServer,
    briefed: Briefed | None = None,
    hooked: Sequence[Cost] = (),
) -> Iterator[Line]:
    """Everything that was measured, each against its budget."""
    yield from _server_start(start)
    for speed in speeds:
        yield from _at_size(speed)
    if growth:
        first, before, last = speeds[0].size, speeds[-2].size, speeds[-1].size
        yield _growth("recall by file, growth of the median", (first, last), growth[0], FLAT)
        yield _growth("recall by text, growth of the 95th percentile", (before, last), growth[1], 3)
    for meaning in semantic_times:
        yield from _by_meaning(meaning)
    yield from _brief(briefed) if briefed else ()
    yield from hook_lines(hooked)
    yield from _busy_server(busy)
    yield from _imports(imported)
    yield Line(
        "stores by 4 processes at once",
        "",
        f"{writers.acknowledged} acknowledged, {writers.found} found, {len(writers.errors)} errors",
        "",
        f"{writers.asked}, {writers.asked}, 0",
        writers.acknowledged == writers.found == writers.asked and not writers.errors,
    )


def hook_lines(costs: Sequence[Cost]) -> Iterator[Line]:
    """What hooks cost, each beside an interpreter that does nothing."""
    for cost in costs:
        yield _against(f"`rum-hook`, {cost.event}, {cost.size:,} memories", cost.time, cost.most)


def _server_start(start: ServerStart) -> Iterator[Line]:
    yield _against("start of `rum mcp` → tools listed", start.listed, 1.5)
    yield _against("start of `rum mcp` → first recall answered", start.answered, 4)
    yield _held("RSS after listing the tools", start.resident, HELD)
    for which, most in (("all", 3_800), ("core", 1_500)):
        count = start.tokens[which]
        yield Line(f"tool list, `--tools {which}`", "", f"{count:,} tokens", "", f"≤ {most:,}", count <= most)


def _by_meaning(meaning: SemanticTimes) -> Iterator[Line]:
    at = f"{meaning.size:,} memories"
    most = next((most for size, most in LATER.items() if meaning.size <= size), None)
    yield _within(f"start of `rum mcp` → first semantic answer, {at}", meaning.first, FIRST)
    yield _held(f"RSS before the first semantic answer, {at}", meaning.before, HELD)
    yield _held(f"RSS after the first semantic answer, {at}", meaning.after, None)
    yield _within(f"later semantic recall, {at}", meaning.asked, most)
    yield _within(f"later semantic recall through MCP, {at}", meaning.served, most)
    yield _against(f"recall by text and meaning (default), through MCP, {at}", meaning.usual, 1.6)


def _imports(imported: Imported) -> Iterator[Line]:
    commits, first, again = imported.commits, imported.first, imported.again
    yield Line(
        f"`rum import git`, {commits:,} commits",
        f"{commits / imported.floor_seconds:,.0f} per second",
        f"{commits / first.seconds:,.0f} per second",
        f"{first.seconds / imported.floor_seconds:.2f} ×",
        "",
        None,
    )
    yield Line("peak RSS while importing", "", f"{first.resident:.0f} MB", "", "", None)
    floor, rum = imported.floor_bytes / commits, imported.bytes / commits
    yield Line(
        "database size after the import, bytes per commit",
        f"{floor:,.0f}",
        f"{rum:,.0f}",
        f"{rum / floor:.2f} ×",
        "",
        None,
    )
    yield Line(
        "`rum import git`, repeated",
        "",
        f"{again.said['added']} added, {again.said['unchanged']:,} unchanged, {again.seconds:.1f} s",
        "",
        "0 added",
        imported.complete,
    )
    yield _against("`rum import git` with nothing new, beside `git rev-list`", imported.nothing_new, 3)


def _busy_server(busy: BusyServer) -> Iterator[Line]:
    what = (
        f"recall right after {STORES} stores, vectors pending, beside before them; {SIZE:,} memories at first"
    )
    yield _against(what, busy.pending, 1.3)
    held = f"{busy.resident:.0f} MB"
    what = f"RSS after {LONG:,} stores and {LONG:,} recalls"
    yield Line(what, "", held, "", f"≤ {HELD_LATER} MB", busy.resident <= HELD_LATER)


def _brief(briefed: Briefed) -> Iterator[Line]:
    yield _against(f"brief, {briefed.size:,} memories and {NOTES} notes", briefed.time, None)
    yield Line(
        "tokens of the brief; identical when repeated",
        "",
        f"at most {briefed.most_tokens}, {briefed.same} of {briefed.asked} identical",
        "",
        f"≤ {TOKENS}, all identical",
        briefed.holds,
    )


def _at_size(speed: Speed) -> Iterator[Line]:
    at = f"{speed.size:,} memories"
    most = next((most for size, most in BY_WORDS.items() if speed.size <= size), None)
    yield _against(f"store, {at}", speed.store, 4)
    yield _against(f"recall by file, {at}", speed.file, None)
    yield _against(f"recall by file through MCP, {at}", speed.file_served, 4)
    yield _against(f"recall by text, {at}", speed.text, most)
    yield _against(f"recall by text through MCP, {at}", speed.text_served, None)


def _growth(what: str, sizes: tuple[int, int], growth: Growth, most: float) -> Line:
    span = f"from {sizes[0]:,} to {sizes[1]:,} memories"
    floor, rum = (f"× {factor:.2f}" for factor in growth)
    return Line(f"{what} {span}", floor, rum, "", f"≤ × {most:g}", growth.rum <= most)


def _against(what: str, pair: Pair, most: float | None) -> Line:
    times = ratio(pair)
    met = None if most is None else times <= most
    budget = "" if most is None else f"≤ {most:g} ×"
    return Line(what, shown(pair.floor), shown(pair.rum), f"{times:.2f} ×", budget, met)


def _within(what: str, pair: Pair, most: float | None) -> Line:
    """Against a budget in milliseconds, which the median has to keep."""
    met = None if most is None else pair.rum.p50 <= most
    budget = "" if most is None else f"≤ {most:g} ms"
    return Line(what, shown(pair.floor), shown(pair.rum), f"{ratio(pair):.2f} ×", budget, met)


def _held(what: str, megabytes: tuple[float, float], most: float | None) -> Line:
    floor, rum = (f"{held:.0f} MB" for held in megabytes)
    met = None if most is None else megabytes[1] <= most
    return Line(what, floor, rum, "", "" if most is None else f"≤ {most} MB", met)


def ratio(pair: Pair) -> float:
    """How many times as long RUM takes as the floor."""
    return pair.rum.p50 / pair.floor.p50


def shown(times: Times) -> str:
    """Least, median, 95th percentile."""
    return " / ".join(map(rounded, times))


def rounded(milliseconds: float) -> str:
    """A time in as many digits as mean something."""
    return f"{milliseconds:.3g}" if milliseconds < 1 else f"{milliseconds:.1f}"
