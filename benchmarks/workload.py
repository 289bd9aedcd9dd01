"""Coding memories and questions about them, made up from a seed: the same everywhere, every time.

A project of about 12,000 files, some of them far busier than others, as in life. A memory comes in two
forms: the arguments of a `store` call, and a flat text of about 800 bytes for what only keeps text.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

SEED = 4711
FULL_ANSWER = 5  # The default number of results
# What is asked in words: a goal, the words that stuck, a file's name without extension, a ticket, a path.
KINDS = ("goal", "words", "file name without extension", "identifier", "path")

AREAS = {
    name: ending
    for ending, names in {
        "py": "billing catalog checkout forecast ingest ledger mailer payroll pricing reports search sync",
        "ts": "admin calendar canvas charts composer editor gallery inbox onboarding preview sidebar wizard",
        "go": "broker cluster dispatch edge proxy queue registry relay scheduler shard",
        "rs": "codec compactor journal lexer planner storage",
    }.items()
    for name in names.split()
}
NOUNS = tuple(
    """
    account address batch budget cursor customer deadline discount draft export filter header image invoice
    label layout lease locale message order parcel payment permission quota receipt refund session snapshot
    tariff webhook
    """.split()  # noqa: SIM905 (a list of thirty lines says no more)
)
ROLES = ("handler", "model", "store", "client", "view", "parser", "worker", "cache", "schema", "events")
WORK = {
    "bug_fix": "fix repair stop correct",
    "feature_add": "add support introduce",
    "refactor": "split extract simplify rename",
    "optimization": "speed-up batch memoise",
    "test_write": "cover test",
    "security_fix": "harden restrict",
    "investigation": "trace explain",
    "dependency_update": "upgrade pin",
}
SYMPTOMS = (
    "duplicate rows after a retry",
    "empty page when the filter has no match",
    "timeout under parallel load",
    "wrong total after rounding",
    "lost update when two tabs save at once",
    "unbounded growth of the pending list",
    "crash on a missing optional field",
    "stale value served from the local cache",
    "off by one day around midnight UTC",
    "broken link in the weekly digest",
    "permission check skipped for guests",
    "slow first request after a deployment",
    "unicode names cut in the middle",
    "retry storm against the upstream service",
    "ordering that changes between runs",
    "connection left open after an exception",
    "validation that accepts negative amounts",
    "event delivered twice to subscribers",
    "flaky assertion on elapsed time",
    "migration that locks the whole table",
)
CAUSES = (
    "the transaction committed before the file was renamed",
    "an index was built on the untrimmed column",
    "both callers mutated the same default argument",
    "the upstream gateway gives up after nine seconds",
    "the comparison mixed naive and aware datetimes",
    "the background task swallowed its own exception",
    "the identity map kept objects from the previous request",
    "pagination continued from an offset instead of a key",
    "the feature switch was evaluated once, at import",
    "the serializer dropped fields that were falsy",
    "a semaphore was acquired twice on the error path",
    "the lock file pointed to a yanked release",
)
LESSONS = (
    "reproduce it with four workers, one never shows the race",
    "regenerate the fixtures with scripts/fixtures.sh after a schema change",
    "the integration suite needs the emulator on port 9042",
    "keep amounts in cents until they are rendered",
    "the generated client must not be edited by hand",
    "call flush before the handle goes out of scope",
    "prefer the bulk endpoint, the single one is limited to ten a second",
    "staging keeps its data for two days only",
    "snapshot the clock once a request and hand it down",
    "this package is imported by the installer, so no heavy imports at the top",
    "the linter's cache hides new warnings, clear it first",
    "write the regression test before the change, the old code passes half of it",
)
TOLD_APART = ("hourly", "nightly", "regional", "internal", "public", "shared", "partial", "cached", "legacy")


@dataclass(frozen=True)
class Memory:
    """One finished piece of work."""

    number: int
    goal: str
    task_type: str
    symptom: str
    area: str
    noun: str
    files: tuple[str, ...]
    symbol: str
    ticket: str
    cause: str
    summary: str
    lessons: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def failed(self) -> bool:
        """One in eight did not work out."""
        return self.number % 8 == 5

    @property
    def text(self) -> str:
        """Everything in one note."""
        lessons = "".join(f"\n- {lesson}" for lesson in self.lessons)
        return (
            f"{self.goal}\n\n{self.summary}\nCause: {self.cause}.\nLearned:{lessons}\n"
            f"Files: {' '.join(self.files)}\nTags: {' '.join(self.tags)}"
        )

    @property
    def layers(self) -> dict[str, Any]:
        """The arguments of a `store` call."""
        edits = [
            {
                "type": "file_edit",
                "file_path": path,
                "lines_affected": f"{10 + at}-{34 + at}",
                "diff_summary": f"{self.symbol} takes the {self.noun} as an argument",
            }
            for at, path in enumerate(self.files)
        ]
        check = {
            "type": "command_run",
            "command": f"make test AREA={self.area}",
            "result": {"success": not self.failed},
        }
        outcome: dict[str, Any] = {
            "success": not self.failed,
            "summary": self.summary,
            "learnings": list(self.lessons),
        }
        if self.failed:
            outcome |= {"failure_reason": self.cause, "failure_category": "unexpected_side_effect"}
        return {
            "intent": {
                "goal": self.goal,
                "task_type": self.task_type,
                "context": f"{self.ticket}: users of {self.area} report {self.symptom}",
            },
            "perception": {
                "observations": [
                    {"what": self.cause, "where": f"{self.files[0]}:34", "significance": "the cause"}
                ]
            },
            "reasoning": {"approach_chosen": f"change {self.symbol}", "why_chosen": self.cause},
            "actions": [*edits, check],
            "outcome": outcome,
            "tags": list(self.tags),
        }


@dataclass(frozen=True)
class Question:
    """Something an agent would ask; it has at least one answer."""

    kind: str
    text: str


def memories(seed: int = SEED) -> Iterator[Memory]:
    """Memories without end."""
    dice = random.Random(seed)
    number = 0
    while True:
        yield _memory(number, dice)
        number += 1


def _memory(number: int, dice: random.Random) -> Memory:
    area, noun = _busy(dice, list(AREAS)), _busy(dice, NOUNS)
    task_type = _busy(dice, list(WORK))
    verb, symptom, cause = dice.choice(WORK[task_type].split()), dice.choice(SYMPTOMS), dice.choice(CAUSES)
    files = dict.fromkeys(_path(area, _busy(dice, NOUNS), dice) for _ in range(dice.randint(2, 4)))
    symbol = f"{verb.partition('-')[0]}{noun.title()}{dice.choice(ROLES).title()}"
    ticket = f"{area[:3].upper()}-{10_000 + number}"
    apart = dice.choice(TOLD_APART)
    tests, clients, minutes = dice.randint(3, 90), dice.randint(2, 40), dice.randint(5, 55)
    summary = (
        f"{ticket}: the {apart} {noun} path of {area} showed {symptom}, since {cause}. Changed {symbol}() "
        f"and its callers; {tests} tests of {area} pass, and a run against staging with {clients} parallel "
        f"clients stayed clean for {minutes} minutes. Still open: {dice.choice(SYMPTOMS)} in the "
        f"{dice.choice(NOUNS)} {dice.choice(ROLES)}."
    )
    return Memory(
        number=number,
        goal=f"{verb.capitalize()} {symptom} in the {apart} {noun} {dice.choice(ROLES)} of {area}",
        task_type=task_type,
        symptom=symptom,
        area=area,
        noun=noun,
        files=tuple(files),
        symbol=symbol,
        ticket=ticket,
        cause=cause,
        summary=summary,
        lessons=tuple(dice.sample(LESSONS, 2)),
        tags=(area, noun, task_type.replace("_", "-"), AREAS[area]),
    )


def _busy(dice: random.Random, names: Sequence[str]) -> str:
    """One of the names; the first ones far more often than the last."""
    return names[int(len(names) * dice.random() ** 2)]


def _path(area: str, noun: str, dice: random.Random) -> str:
    return f"src/{area}/{noun}_{dice.choice(ROLES)}.{AREAS[area]}"


def questions(stored: list[Memory], count: int, seed: int = SEED) -> list[Question]:
    """Questions in words about some of the memories, the kinds in turn."""
    dice = random.Random(seed + 1)
    return [_question(KINDS[at % len(KINDS)], dice.choice(stored)) for at in range(count)]


def _question(kind: str, about: Memory) -> Question:
    stem = about.files[0].rpartition("/")[2].partition(".")[0]
    texts = {
        "goal": about.goal,
        "words": f"{about.area} {about.noun} {about.symptom}",
        "file name without extension": stem,
        "identifier": about.ticket,
        "path": about.files[0],
    }
    return Question(kind, texts[kind])


def worded_otherwise(stored: list[Memory], count: int, seed: int = SEED) -> dict[str, int]:
    """Questions as somebody asks who does not know how it was called, each with its memory's number."""
    dice = random.Random(seed + 3)
    some = dice.sample(stored, min(count, len(stored)))
    return {
        f"What was behind the {one.symptom} that people saw in {one.noun} of {one.area}?": one.number
        for one in some
    }


def paths(stored: list[Memory], count: int, seed: int = SEED) -> list[str]:
    """Files with a full answer, so that sizes compare; a busier file is asked about more often."""
    dice = random.Random(seed + 2)
    times = Counter(path for memory in stored for path in memory.files)
    busy = [path for memory in stored for path in memory.files if times[path] >= FULL_ANSWER]
    return [dice.choice(busy) for _ in range(count)]
