"""The fields of a journal's entries and context as flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from rum.model.journal import DecisionType, DiscoveryType, Kind, Result
from rum.model.notes import Importance
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.memories.memory_input import Flag

F = TypeVar("F", bound=Callable[..., Any])

ENTRY = (
    Flag("--type", "type", "Type of a discovery or decision.", OneOf([*DiscoveryType, *DecisionType])),
    Flag("--importance", "importance", "Importance of a discovery.", OneOf(Importance)),
    Flag("--content", "content", "Text of a discovery."),
    Flag("--related-file", "relatedFiles", "A file related to a discovery (repeat).", many=True),
    Flag("--action-item", "actionItems", "An action item of a discovery (repeat).", many=True),
    Flag("--description", "description", "What is attempted or decided."),
    Flag("--plan-step", "planStep", "The step of the plan.", click.INT),
    Flag("--approach", "approach", "Approach of an attempt."),
    Flag("--command", "commands", "A step of an attempt (repeat).", many=True),
    Flag("--result", "result", "The outcome of an attempt.", OneOf(Result)),
    Flag("--output", "output", "Output of an attempt."),
    Flag("--error", "error", "Error of an attempt."),
    Flag("--lessons", "lessons", "Lessons of an attempt."),
    Flag("--duration-ms", "duration_ms", "Its duration; by default the time since its start.", click.INT),
    Flag("--next-step", "nextStep", "The next step."),
    Flag("--reasoning", "reasoning", "Reasons of a decision."),
    Flag("--alternative", "alternatives", "A rejected alternative (repeat).", many=True),
    Flag("--impact", "impact", "The impact of a decision."),
    Flag("--related-discovery", "relatedDiscoveries", "A discovery it is based on (repeat).", many=True),
)
REVERSIBLE = "--reversible/--irreversible"
CONTEXT = (
    Flag("--plan-step", "currentPlanStep", "The step of the plan.", click.INT),
    Flag("--plan-step-status", "planStepStatus", "Its status."),
    Flag("--constraint", "constraints", "A constraint (repeat).", many=True),
    Flag("--open-question", "openQuestions", "An open question (repeat).", many=True),
    Flag("--next-step", "nextSteps", "A next step (repeat).", many=True),
    Flag("--blocker", "blockers", "A blocker (repeat).", many=True),
    Flag("--assumption", "assumptions", "An assumption (repeat).", many=True),
)


def entry_options(command: F) -> F:
    """Add the fields of entries to a command."""
    option = click.option(REVERSIBLE, "reversible", default=None, help="Whether a decision can be undone.")
    return _options(option(command), ENTRY)


def refuse_others(kind: Kind, given: Iterable[str]) -> None:
    """Refuse flags of another kind of entry; the error lists the flags of each kind."""
    odd = [_flag(field) for field in given if field not in kind.fields]
    if odd:
        takes = "; ".join(f"{one}: {', '.join(_flags(one))}" for one in Kind)
        which = "an attempt" if kind is Kind.ATTEMPT else f"a {kind}"
        raise click.UsageError(f"{', '.join(odd)}: not of {which}. Flags by kind: {takes}.")


def _flags(kind: Kind) -> list[str]:
    named = [flag.name for flag in ENTRY if flag.field in kind.fields]
    return [*named, REVERSIBLE] if "reversible" in kind.fields else named


def _flag(field: str) -> str:
    return next((flag.name for flag in ENTRY if flag.field == field), REVERSIBLE)


def context_options(command: F) -> F:
    """Add the fields of the context to a command."""
    return _options(command, CONTEXT)


def _options(command: F, flags: Iterable[Flag]) -> F:
    for flag in reversed([*flags]):
        metavar = None if flag.type else "TEXT"
        option = click.option(
            flag.name, flag.field, type=flag.type, multiple=flag.many, metavar=metavar, help=flag.help
        )
        command = option(command)
    return click.option("--file", "source", metavar="FILE", help="Read JSON from this file (-: stdin).")(
        command
    )
