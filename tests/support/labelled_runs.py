"""Labelled finished runs, and how well extraction by rules judges them.

`PYTHONPATH=tests python -m support.labelled_runs known held_out unseen` measures each of these sets.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import UNSET
from ruamel.yaml import YAML

from rum import Rum
from support.projects import open_shop

FOLDER = Path(__file__).parents[1] / "data" / "labelled_runs"


class Labelled(NamedTuple):
    """A run and its label."""

    name: str
    run: dict[str, Any]
    create: bool
    kinds: tuple[str, ...]
    why: str | None
    holds: tuple[str, ...]
    facts: dict[str, str] | None  # All facts; None if they are not labelled
    rules: tuple[str, ...] | None
    title: tuple[str, ...]
    not_title: tuple[str, ...]


def labelled(name: str) -> list[Labelled]:
    """The runs of one file."""
    return [
        _labelled(dict(case)) for case in YAML(typ="safe").load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    ]


def _labelled(case: dict[str, Any]) -> Labelled:
    expected, name = case.pop("expected"), case.pop("name")
    kinds = expected.get("kind", ())
    return Labelled(
        name=name,
        run=case,
        create=expected["create"],
        kinds=(kinds,) if isinstance(kinds, str) else tuple(kinds),
        why=expected.get("why"),
        holds=tuple(expected.get("holds", ())),
        facts=expected.get("facts"),
        rules=tuple(expected["rules"]) if "rules" in expected else None,
        title=tuple(expected.get("title", ())),
        not_title=tuple(expected.get("not_title", ())),
    )


class Score(NamedTuple):
    """The number of correctly judged runs, and the names of the others."""

    right_yes: int
    wrong_yes: tuple[str, ...]
    wrong_no: tuple[str, ...]
    right_no: int
    right_kind: int

    @property
    def precision(self) -> float:
        """The share of expected ones among the notes."""
        return self.right_yes / (self.right_yes + len(self.wrong_yes))

    @property
    def recall(self) -> float:
        """The share of expected notes that were made."""
        return self.right_yes / (self.right_yes + len(self.wrong_no))

    @property
    def kinds(self) -> float:
        """The share of the right kind among the expected notes."""
        return self.right_kind / self.right_yes


def score(cases: list[Labelled], found: dict[str, str | None]) -> Score:
    """Compare the found kinds (None: no note), by the name of the run, with the labels."""
    yes = [case for case in cases if case.create and found[case.name]]
    return Score(
        right_yes=len(yes),
        wrong_yes=tuple(case.name for case in cases if not case.create and found[case.name]),
        wrong_no=tuple(case.name for case in cases if case.create and not found[case.name]),
        right_no=sum(not case.create and not found[case.name] for case in cases),
        right_kind=sum(found[case.name] in case.kinds for case in yes),
    )


def measured(rum: Rum, cases: list[Labelled]) -> Score:
    """The score of extraction on the runs."""
    answers = {case.name: rum.extract(dry_run=True, **case.run) for case in cases}
    kinds = {name: None if answer.kind is UNSET else answer.kind for name, answer in answers.items()}
    return score(cases, {name: kind.value if kind else None for name, kind in kinds.items()})


class Statements(NamedTuple):
    """The facts or rules found in runs where all of them are labelled: right, wrong and missing ones."""

    right: int
    wrong: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def precision(self) -> float:
        """The share of right ones among those found."""
        return self.right / (self.right + len(self.wrong)) if self.right or self.wrong else 1.0

    @property
    def recall(self) -> float:
        """The share of the labelled ones that were found."""
        return self.right / (self.right + len(self.missing)) if self.right or self.missing else 1.0


def measured_facts(rum: Rum, cases: list[Labelled]) -> Statements:
    """The facts found, compared with the labels; the value must hold what the label says."""
    right, wrong, missing = 0, list[str](), list[str]()
    for case in cases:
        if case.facts is None:
            continue
        found = {fact.key: fact.value for fact in rum.extract(dry_run=True, **case.run).facts}
        good = {key for key, value in case.facts.items() if value in found.get(key, "")}
        right += len(good)
        wrong += [f"{case.name}: {key} = {value}" for key, value in found.items() if key not in good]
        missing += [f"{case.name}: {key}" for key in case.facts if key not in good]
    return Statements(right, tuple(wrong), tuple(missing))


def measured_rules(rum: Rum, cases: list[Labelled]) -> Statements:
    """The rules found, compared with the labels."""
    right, wrong, missing = 0, list[str](), list[str]()
    for case in cases:
        if case.rules is None:
            continue
        rules = rum.extract(dry_run=True, **case.run).rules
        found = [f"{rule.condition} → {rule.action}" for rule in rules]
        right += sum(any(words in rule for words in case.rules) for rule in found)
        wrong += [f"{case.name}: {rule}" for rule in found if not any(words in rule for words in case.rules)]
        missing += [
            f"{case.name}: {words}" for words in case.rules if not any(words in rule for rule in found)
        ]
    return Statements(right, tuple(wrong), tuple(missing))


class Given(NamedTuple):
    """Whether a note matches its own task, and the tasks of other runs."""

    name: str
    own: bool
    others: float  # The share of other tasks that it matches


def given(rum: Rum, cases: list[Labelled], tasks: list[str]) -> list[Given]:
    """For each note of the runs, once it is stored, the tasks that it matches."""
    notes: dict[str, Labelled] = {}
    for case in cases:
        answer = rum.extract(dry_run=True, **case.run)
        if case.create and answer.should_create_memory:
            told = answer.frontmatter
            added = rum.notes.add(
                f"{told.title} ({case.name})",
                answer.content,
                told.when_to_use,
                importance=told.importance,
            )
            notes[added.id] = case
    to: dict[str, set[str]] = {note: set() for note in notes}
    for task in dict.fromkeys([*tasks, *(case.run["task"] for case in cases)]):
        for note in rum.notes.match(task, max_injected=50).notes:
            to[note.id].add(task)
    return [
        Given(case.name, (own := case.run["task"]) in to[note], len(to[note] - {own}) / len(tasks))
        for note, case in notes.items()
    ]


def report(names: list[str]) -> None:
    """Print the score of each of these sets."""
    every = [case for name in names for case in labelled(name)]
    with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
        for name in names:
            cases = labelled(name)
            found = measured(shop.open(), cases)
            print(
                f"{name}: {len(cases)} runs, {sum(case.create for case in cases)} worth keeping; precision "
                f"{found.precision:.2f}, recall {found.recall:.2f}, right kind {found.kinds:.2f}"
            )
            for what, stated in (
                ("facts", measured_facts(shop.open(), cases)),
                ("rules", measured_rules(shop.open(), cases)),
            ):
                figures = f"precision {stated.precision:.2f}, recall {stated.recall:.2f}"
                print(f"  {what}: {stated.right} right, {figures}")
                for one in stated.wrong:
                    print(f"    wrong: {one}")
                for one in stated.missing:
                    print(f"    missing: {one}")
        for name in names:
            with tempfile.TemporaryDirectory() as apart, open_shop(Path(apart)) as other:
                to = given(other.open(), labelled(name), [case.run["task"] for case in every])
            others = [one.others for one in to]
            print(
                f"{name}: {sum(one.own for one in to)} of {len(to)} notes are given for their own task; for "
                f"other runs' tasks {sum(others) / len(others):.2%}, at most {max(others):.1%}"
            )


if __name__ == "__main__":
    report(sys.argv[1:])
