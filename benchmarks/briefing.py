"""The brief in a store with many memories and notes: time, tokens, and whether repeated calls agree."""

from __future__ import annotations

import json
import os
import random
from typing import NamedTuple

from benchmarks.floors import Floor
from benchmarks.timing import Pair, compare
from benchmarks.workload import AREAS, LESSONS, NOUNS, SEED, SYMPTOMS, paths
from benchmarks.workspace import Workspace

NOTES, RULES, FACTS = 500, 50, 100
ASKED = 40
SIZE = 10_000
TOKENS = 600


class Task(NamedTuple):
    """What an agent is about to do, and the file at hand."""

    text: str
    file: str


class Briefed(NamedTuple):
    """What was measured."""

    size: int
    time: Pair
    most_tokens: int
    same: int  # How many briefs were the same, byte by byte, when they were asked for again
    asked: int

    @property
    def holds(self) -> bool:
        """Whether every brief fits, and is the same again."""
        return self.most_tokens <= TOKENS and self.same == self.asked


def measure(workspace: Workspace, asked: int = ASKED) -> Briefed:
    """Add notes, rules and facts, and ask for briefs beside what the floor finds."""
    known = add_knowledge(workspace)
    questions = tasks(workspace, asked)
    floor = workspace.open_floor()
    with workspace.open_rum() as rum:

        def brief(task: Task) -> tuple[str, int]:
            brief = rum.brief(task=task.text, file=task.file, tokens=TOKENS)
            return brief.text, brief.tokens

        first = [brief(task) for task in questions]
        time = compare(lambda task: _floor(floor, known, task), brief, questions, 2)
        again = [brief(task) for task in questions]
    floor.close()
    same = sum(one == other for one, other in zip(first, again, strict=True))
    return Briefed(len(workspace.stored), time, max(tokens for _, tokens in first + again), same, asked)


def _floor(floor: Floor, known: str, task: Task) -> str:
    """The least: the file's and the text's memories, and the notes whose words are in the task."""
    notes = [body for words, body in json.loads(known) if any(word in task.text for word in words)]
    return json.dumps([floor.by_file(task.file), floor.by_text(task.text), notes[:5]])


def tasks(workspace: Workspace, count: int) -> list[Task]:
    """Tasks like earlier ones, on files that others worked on."""
    dice = random.Random(SEED + 4)
    return [Task(dice.choice(workspace.stored).goal, path) for path in paths(workspace.stored, count)]


def add_knowledge(workspace: Workspace) -> str:
    """Notes in the checkout, rules and facts in the store; the notes again as the floor has them, in JSON."""
    dice = random.Random(SEED + 5)
    folder = os.path.join(workspace.checkout, ".rum", "notes")
    os.makedirs(folder, exist_ok=True)
    known: list[tuple[list[str], str]] = []
    for number in range(NOTES):
        area, noun, symptom = dice.choice(list(AREAS)), dice.choice(NOUNS), dice.choice(SYMPTOMS)
        title, words = f"The {noun} of {area}, part {number}", [f"{noun} {area}", symptom]
        body = f"{symptom.capitalize()} was seen here. " + " ".join(dice.sample(LESSONS, 4))
        known.append((words, body))
        with open(os.path.join(folder, f"part-{number}.md"), "w", encoding="utf-8") as file:
            file.write(
                f'---\ntitle: "{title}"\nwhenToUse:\n  - "{area}.*{noun}|{symptom}"\n'
                f'  - "working on {noun}"\n'
                f"tags: [{area}, {noun}]\nimportance: {dice.choice(('low', 'medium', 'high'))}\n"
                f"discoveredAt: 2026-01-23T10:30:00Z\ndiscoveredBy: benchmark\n---\n\n{body}\n"
            )
    with workspace.open_rum() as rum:
        for number in range(RULES):
            rum.rules.add(f"{NOUNS[number % len(NOUNS)]}.*{dice.choice(list(AREAS))}", dice.choice(LESSONS))
        for number in range(FACTS):
            rum.facts.set(f"{dice.choice(list(AREAS))}-{dice.choice(NOUNS)}-{number}", dice.choice(LESSONS))
    return json.dumps(known)
