"""`rum list` and `rum tags`: an agent's memories, or everybody's for the owner; and their tags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from rum.inject.render import local_time, memory_line, short_id
from rum.model.answers import ListedMemory, ListResult, Tag
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command, ids_option
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Table, View, Word, verdict


@command("list")
@options_of("list")
@ids_option
@click.pass_obj
def listing(asked: Asked, **given: Any) -> None:
    """List memories, newest first.

    With --agent only that agent's memories, else those of all agents.
    """
    with opened(asked) as rum:
        answer = rum.list(**given)
        if asked.ids:
            say_ids(memory.id for memory in answer.memories)
            return
        say(asked.json, answer, listed)
        if not asked.json and len(answer.memories) < max(answer.total, 1):
            note(f"{len(answer.memories)} of {answer.total}." if answer.memories else "No memories.")


def listed(answer: ListResult) -> View:
    """A row a memory."""
    rows = [
        (
            Word(short_id(memory.id), "id"),
            Word(local_time(memory.created_at), "dim"),
            verdict(memory.outcome_success),
            Word(memory.intent_goal, "strong"),
            Word(memory.result),
            Word(f"{memory.importance:g}", "dim"),
            Word(str(memory.access_count), "dim"),
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
def tags(asked: Asked) -> None:
    """List the tags and how many memories have each.

    Most frequent first.
    """
    with opened(asked) as rum:
        answer = rum.tags()
        if asked.ids:
            say_ids(one.tag for one in answer)
            return
        say(asked.json, answer, _tagged)
        if not answer and not asked.json:
            note("No tags yet.")


def _tagged(tags: Sequence[Tag]) -> View:
    rows = [(Word(one.tag, "strong"), Word(str(one.memories))) for one in tags]
    return [Table(("tag", "memories"), rows)] if rows else []
