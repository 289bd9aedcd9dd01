"""Figures of played stories, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from statistics import mean
from typing import Any, NamedTuple

from benchmarks.capture.checks import Verdict
from benchmarks.capture.play import Played

CHARACTERS_PER_TOKEN = 4


class Count(NamedTuple):
    """How many of the checks of a kind hold."""

    good: int
    all: int

    def __str__(self) -> str:
        share = f" ({100 * self.good / self.all:.1f} %)" if self.all else ""
        return f"{self.good} of {self.all}{share}"


def count(verdicts: Iterable[Verdict]) -> Count:
    """Count the verdicts that hold."""
    holds = [verdict.failure is None for verdict in verdicts]
    return Count(sum(holds), len(holds))


def figures(played: list[Played]) -> dict[str, Any]:
    """All figures of a set of stories."""
    verdicts = [verdict for one in played for verdict in one.verdicts]
    counts = {
        name: count(verdict for verdict in verdicts if verdict.figure == name)
        for name in ("said", "false", "goals", "warned", "silent")
    }
    told = [characters / CHARACTERS_PER_TOKEN for one in played for characters in one.told]
    wrong = counts.pop("false")
    return {
        **counts,
        "false": Count(wrong.all - wrong.good, wrong.all),
        "rules": count(verdict for verdict in verdicts if verdict.is_of_rules),
        "tokens": round(mean(told), 1) if told else 0.0,
        "stories": len(played),
        "void": sum(bool(one.void) for one in played),
    }


_LINES = (
    ("facts said", "said"),
    ("false statements", "false"),
    ("warned", "warned"),
    ("rightly silent", "silent"),
    ("readable goals", "goals"),
    ("corrections that became rules", "rules"),
    ("tokens per session", "tokens"),
    ("stories", "stories"),
    ("void stories", "void"),
)


def summary(played: list[Played]) -> str:
    """The figures, one per line."""
    found = figures(played)
    return "\n".join(f"{label:<30}  {found[name]}" for label, name in _LINES)


def story_lines(one: Played, *, verbose: bool) -> list[str]:
    """The line of a story, and with `verbose` its failing checks and what was found."""
    good = count(one.verdicts)
    word = "void" if one.void else "ok" if good.good == good.all else "FAIL"
    lines = [f"{word:<4} {one.story['name']:<34} {good.good:>3}/{good.all:<3} {one.seconds:5.1f} s"]
    lines += [f"       void: {reason}" for reason in one.void]
    if verbose:
        for verdict in one.verdicts:
            if verdict.failure is not None:
                lines.append(f"     {verdict.check['kind']}: {verdict.check['why']}")
                lines.append(f"       {verdict.failure}")
    return lines


def as_json(played: list[Played]) -> str:
    """Figures, stories and failing checks as JSON."""
    found: dict[str, Any] = {
        name: {"good": value.good, "all": value.all} if isinstance(value, Count) else value
        for name, value in figures(played).items()
    }
    found["by_story"] = [
        {
            "name": one.story["name"],
            "covers": one.story["covers"],
            "void": one.void,
            "tokens": [round(told / CHARACTERS_PER_TOKEN) for told in one.told],
            "seconds": round(one.seconds, 1),
            "holding": count(one.verdicts).good,
            "failures": [
                {"check": verdict.check, "found": verdict.failure}
                for verdict in one.verdicts
                if verdict.failure is not None
            ],
        }
        for one in played
    ]
    return json.dumps(found, indent=1, ensure_ascii=False)
