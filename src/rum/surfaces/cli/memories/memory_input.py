"""A memory, or a change of one, as the command line gives it: JSON from stdin or a file, or flags."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, cast

import click
import msgspec

from rum.app.rum import Rum
from rum.model.errors import InvalidQuery
from rum.model.links import LinkType
from rum.model.memory_layers import FailureCategory, TaskType
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.open_project import stored_id

F = TypeVar("F", bound=Callable[..., Any])
Json = dict[str, Any]


class Flag(NamedTuple):
    """A flag, the field it sets, and what it takes."""

    name: str
    field: str
    help: str
    type: Any = None
    many: bool = False


FLAGS = (
    Flag("--goal", "intent.goal", "The goal."),
    Flag("--type", "intent.task_type", "Task type.", OneOf(TaskType)),
    Flag("--context", "intent.context", "Why the work was needed."),
    Flag("--constraint", "intent.constraints", "A constraint (repeat).", many=True),
    Flag("--summary", "outcome.summary", "The outcome."),
    Flag("--learning", "outcome.learnings", "Something learned (repeat).", many=True),
    Flag("--failure-reason", "outcome.failure_reason", "Why it failed."),
    Flag(
        "--failure-category", "outcome.failure_category", "Category of the failure.", OneOf(FailureCategory)
    ),
    Flag("--follow-up", "outcome.follow_up_needed", "Work left to do (repeat).", many=True),
    Flag("--approach", "reasoning.approach_chosen", "The approach chosen."),
    Flag("--why", "reasoning.why_chosen", "Why that approach."),
    Flag("--tag", "tags", "A tag (repeat).", many=True),
    Flag("--importance", "importance", "Importance, from 0 to 1.", click.FLOAT),
    *(
        Flag(
            f"--{kind.value.replace('_', '-')}",
            f"links.{kind.value}",
            "Link to a memory (repeat).",
            many=True,
        )
        for kind in LinkType
    ),
)


def record_options(command: F) -> F:
    """Add `--file` and the flags to a command."""
    for flag in reversed(FLAGS):
        metavar = None if flag.type else "TEXT"
        command = click.option(
            flag.name, _name(flag.field), type=flag.type, multiple=flag.many, metavar=metavar, help=flag.help
        )(command)
    command = click.option(
        "--success/--failure", _name("outcome.success"), default=None, help="Whether it worked."
    )(command)
    return click.option("--file", "source", metavar="FILE", help="Read JSON from this file (-: stdin).")(
        command
    )


def _name(field: str) -> str:
    """A field as the name of a parameter."""
    return field.replace(".", "__")


def given_flags(flags: Json) -> Json:
    """Field to value, for those that were given."""
    return {name.replace("__", "."): value for name, value in flags.items() if value not in (None, ())}


def given_record(source: str | None, named: Json) -> Json:
    """What was given: the flags if there are any, else JSON from the file or stdin."""
    if not named:
        return _from_json(source)
    if source:
        raise click.UsageError("Give JSON or flags, not both.")
    record: Json = {}
    for field, value in named.items():
        *path, last = field.split(".")
        part = record
        for name in path:
            part = part.setdefault(name, {})
        part[last] = [*cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value
    return record


def flagged_links(rum: Rum, record: Json) -> Json:
    """A record made of flags, with the ids in its links as they are stored."""
    links = {kind: [stored_id(rum, one) for one in ids] for kind, ids in record.get("links", {}).items()}
    return {**record, "links": links} if links else record


def _from_json(source: str | None) -> Json:
    where = "stdin" if source in (None, "-") else source
    data = _read(source)
    if where == "stdin" and not data.strip():
        command = click.get_current_context().command_path
        raise InvalidQuery(f"stdin is empty; give a JSON object or flags ({command} --help).")
    try:
        record = msgspec.json.decode(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidQuery(f"{where} is not UTF-8 text.") from None
    except RecursionError:
        raise InvalidQuery(f"{where} is nested too deeply.") from None
    except msgspec.DecodeError as error:
        raise InvalidQuery(f"{where} is not JSON: {error}.") from None
    if not isinstance(record, dict):
        raise InvalidQuery(f"{where} must hold one JSON object.")
    return cast("Json", record)


def _read(source: str | None) -> bytes:
    if source not in (None, "-"):
        with open(source, "rb") as file:
            return file.read()
    if sys.stdin.isatty() and source is None:
        raise click.UsageError("Give JSON on stdin or with --file, or flags.")
    return sys.stdin.buffer.read()
