"""`rum list` and `rum tags`: an agent's memories, or everybody's for the owner; and their tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rum.inject.render import local_time, memory_line, short_id
from rum.model.answers import ListedMemory, ListResult, Tag
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command, ids_option
from rum.surfaces.cli.output import note, print_ids, print_result
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Table, TextPart, View, verdict


@command("list")
@options_of("list")
@ids_option
@click.pass_obj
def listing(options: Options, **arguments: Any) -> None:
    """List memories, newest first.

    With --agent only that agent's memories, else those of all agents.
    """
    with open_rum(options) as rum:
        answer = rum.list(**arguments)
        if options.ids:
            print_ids(memory.id for memory in answer.memories)
            return
        print_result(options.json, answer, list_view)
        if not options.json and len(answer.memories) < max(answer.total, 1):
            note(f"{len(answer.memories)} of {answer.total}." if answer.memories else "No memories.")


def list_view(answer: ListResult) -> View:
    """A row a memory."""
    rows = [
        (
            TextPart(short_id(memory.id), "id"),
            TextPart(local_time(memory.created_at), "dim"),
            verdict(memory.outcome_success),
            TextPart(memory.intent_goal, "strong"),
            TextPart(memory.result),
            TextPart(f"{memory.importance:g}", "dim"),
            TextPart(str(memory.access_count), "dim"),
        )
        for memory in answer.memories
    ]
    lines = [_line(memory) for memory in answer.memories]
    return [Table(("id", "when", "", "goal", "outcome", "weight", "uses"), rows, lines)]


def _line(memory: ListedMemory) -> str:
    line = memory_line(memory.id, memory.intent_goal, memory.outcome_success, memory.result)
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
        if options.ids:
            print_ids(one.tag for one in answer)
            return
        print_result(options.json, answer, _tagged)
        if not answer and not options.json:
            note("No tags yet.")


def _tagged(tags: Sequence[Tag]) -> View:
    rows = [(TextPart(one.tag, "strong"), TextPart(str(one.memories))) for one in tags]
    return [Table(("tag", "memories"), rows)] if rows else []
