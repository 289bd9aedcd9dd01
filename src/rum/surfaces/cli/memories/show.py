"""`rum show`, `rum list`, `rum tags` and `rum history`: read memories without searching."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, cast

import click

from rum.inject.render import local_time, memory_line, short_id
from rum.model.answers import ListedMemory, ListResult, Tag
from rum.model.memory import Version
from rum.model.requests import Depth
from rum.surfaces.cli.memories.memory_view import agent_names, as_fields
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.option_types import OneOf
from rum.surfaces.cli.options import Options, command, ids_option
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.request_options import options_of
from rum.surfaces.cli.views import Table, TextPart, View, verdict

Json = dict[str, Any]


@command("show")
@click.argument("memory_id", metavar="ID")
@click.option("--depth", type=OneOf(Depth), default=Depth.COMPLETE.value, help="How much of it to show.")
@click.pass_obj
def show(options: Options, memory_id: str, depth: str) -> None:
    """Show one memory with everything in it.

    ID is a memory's id or the end of it, 8 characters or more.
    """
    with open_rum(options) as rum:
        memory = rum.show(stored_id(rum, memory_id), depth)
        print_result(options, memory, lambda memory: [as_fields(memory, agent_names(rum, [memory]))])


@command("list")
@options_of("list")
@ids_option
@click.pass_obj
def list_memories(options: Options, **arguments: Any) -> None:
    """List memories, newest first.

    With --agent only that agent's memories, else those of all agents.
    """
    with open_rum(options) as rum:
        answer = rum.list(**arguments)
        print_result(options, answer, _list_view, ids=(memory.id for memory in answer.memories))
        if options.as_text and len(answer.memories) < max(answer.total, 1):
            note(f"{len(answer.memories)} of {answer.total}." if answer.memories else "No memories.")


def _list_view(answer: ListResult) -> View:
    rows = [
        (
            TextPart(short_id(memory.id), "id"),
            TextPart(local_time(memory.created_at), "dim"),
            verdict(memory.outcome_success),
            TextPart(memory.intent_goal, "strong"),
            TextPart(memory.full_summary),
            TextPart(f"{memory.importance:g}", "dim"),
            TextPart(str(memory.access_count), "dim"),
        )
        for memory in answer.memories
    ]
    lines = [_line(memory) for memory in answer.memories]
    return [Table(("id", "when", "", "goal", "outcome", "weight", "uses"), rows, lines)]


def _line(memory: ListedMemory) -> str:
    line = memory_line(memory.id, memory.intent_goal, memory.outcome_success, memory.full_summary)
    return f"{local_time(memory.created_at)} {line}"


@command("tags")
@ids_option
@click.pass_obj
def tags(options: Options) -> None:
    """List the tags and how many memories have each.

    Most frequent first.
    """
    with open_rum(options) as rum:
        answer = rum.tags()
        print_result(options, answer, _tags_view, ids=(tag.tag for tag in answer), empty="No tags yet.")


def _tags_view(tags: Sequence[Tag]) -> View:
    rows = [(TextPart(tag.tag, "strong"), TextPart(str(tag.memories))) for tag in tags]
    return [Table(("tag", "memories"), rows)] if rows else []


@command("history")
@click.argument("memory_id", metavar="ID")
@click.pass_obj
def history(options: Options, memory_id: str) -> None:
    """Show every version of a memory.

    Oldest first, with who changed what. --json prints each version in full.
    """
    with open_rum(options) as rum:
        versions = rum.history(stored_id(rum, memory_id))
        print_result(options, versions, _versions_view)


def _versions_view(versions: Sequence[Version]) -> View:
    changes = ["stored"]
    changes += [", ".join(_changed_fields(old.memory, new.memory)) for old, new in pairwise(versions)]
    rows = [
        (
            TextPart(str(version.version), "id"),
            TextPart(local_time(version.changed_at), "dim"),
            TextPart(version.changed_by, "dim"),
            TextPart(change or "nothing"),
        )
        for version, change in zip(versions, changes, strict=True)
    ]
    return [Table(("version", "when", "by", "changed"), rows)]


def _changed_fields(old: Json, new: Json, path: str = "") -> Iterator[str]:
    """Yield the paths of the fields that differ."""
    for name in dict.fromkeys([*old, *new]):
        old_value, new_value = old.get(name), new.get(name)
        if isinstance(old_value, dict) and isinstance(new_value, dict):
            yield from _changed_fields(cast("Json", old_value), cast("Json", new_value), f"{path}{name}.")
        elif old_value != new_value:
            yield f"{path}{name}"
