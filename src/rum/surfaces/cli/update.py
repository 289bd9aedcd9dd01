"""`rum update`: correct or complete a memory."""

from __future__ import annotations

from typing import Any, cast

import click

from rum.model.answers import UpdateResult
from rum.surfaces.cli.asked import Asked, command
from rum.surfaces.cli.opening import opened
from rum.surfaces.cli.output import say
from rum.surfaces.cli.record import given_flags, given_record, record_options
from rum.surfaces.cli.views import View, said


@command("update")
@click.argument("memory_id", metavar="ID")
@record_options
@click.pass_obj
def update(asked: Asked, memory_id: str, source: str | None, **flags: Any) -> None:
    """Correct or complete a memory.

    Only what is given changes: objects are merged, lists are replaced, null clears, links are added.
    It is a JSON object on stdin or in --file, or flags. What the memory said before stays in its history.
    """
    changes = given_record(source, given_flags(flags))
    with opened(asked) as rum:
        answer = cast("UpdateResult", rum.call("update_memory", {**changes, "memory_id": memory_id}))
    say(asked.json, answer, updated)


def updated(answer: UpdateResult) -> View:
    """Which version it is now."""
    return said(f"{answer.memory_id} is now version {answer.memory.version}.")
