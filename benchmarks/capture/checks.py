"""Hold a story's checks against RUM's answers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from benchmarks.capture.answers import Answers, part
from benchmarks.capture.stories import Check, with_project

LONGEST_GOAL = 240
WARNING = r"(?i)rum-warning|tried before"
_SHOWN = 700  # Characters of an answer in a report


class Verdict(NamedTuple):
    """A check of a story, and what was found if it does not hold."""

    story: str
    check: Check
    failure: str | None

    @property
    def figure(self) -> str:
        """The figure to which the check belongs."""
        return FIGURES[self.check["kind"]]

    @property
    def is_of_rules(self) -> bool:
        """Whether the check asks if a person's words became a rule."""
        places = set(self.check.get("where", ()))
        return self.check["kind"] == "must_say" and bool(places) and places <= {"rules", "candidates"}


FIGURES = {
    "must_say": "said",
    "must_not_say": "false",
    "no_memory": "false",
    "title": "goals",
    "must_warn": "warned",
    "must_not_warn": "silent",
}


def judge(check: Check, answers: Answers, made: dict[int, list[str]]) -> str | None:
    """None if the check holds, else what was found instead. `made` has the memories of each run."""
    kind = check["kind"]
    if kind in ("title", "no_memory"):
        goals = [
            part(memory, "intent.goal") or ""
            for memory in answers.memories()
            if memory["id"] in made.get(check["run"], [])
        ]
        if kind == "no_memory":
            return f"made {goals}" if goals else None
        return None if any(is_readable(goal, check) for goal in goals) else f"goals: {goals}"
    if kind in ("must_warn", "must_not_warn"):
        given = with_project(check["input"], answers.place.project)
        said = answers.hook("PreToolUse", tool_name=check["tool"], tool_input=given)
        hit = _find(check.get("any", [WARNING]), [said])
        return None if (hit is not None) == (kind == "must_warn") else f"said {said[:_SHOWN]!r}"
    patterns = [_with_ids(pattern, made) for pattern in check["any"]]
    texts = [text for where in check["where"] for text in answers.texts(where, check, made)]
    hit = _find(patterns, texts)
    if kind == "must_not_say":
        return None if hit is None else f"says {hit!r}"
    if hit is not None and all(_find([pattern], texts) is not None for pattern in check.get("all", ())):
        return None
    if set(check["where"]) <= {"memories", "kept"} and "field" not in check:
        texts = [str(part(memory, "outcome.summary")) for memory in answers.memories()]
    shown = " | ".join(_without_fence(text) for text in texts if text)
    return f"not in {', '.join(check['where'])}: {shown[:_SHOWN]!r}"


def is_readable(goal: str, check: Check) -> bool:
    """Whether a goal is a statement of the task on one line."""
    words = sum(bool(re.search(word, goal, re.IGNORECASE)) for word in check["words"])
    is_bad = any(re.search(pattern, goal, re.IGNORECASE) for pattern in check.get("not", ()))
    return words >= check["need"] and not is_bad and len(goal) <= LONGEST_GOAL and "\n" not in goal.strip()


def _with_ids(pattern: str, made: dict[int, list[str]]) -> str:
    return re.sub(r"\{id:(\d+)\}", lambda run: "|".join(made.get(int(run[1]), [])) or "(?!)", pattern)


def _find(patterns: Iterable[str], texts: Iterable[str]) -> str | None:
    for text in texts:
        for pattern in patterns:
            if hit := re.search(pattern, text):
                return " ".join(text[max(0, hit.start() - 100) : hit.end() + 140].split())
    return None


def _without_fence(text: str) -> str:
    return " ".join(re.sub(r"</?rum-[^>]*>|Recalled by RUM[^\n]*", "", text).split())
