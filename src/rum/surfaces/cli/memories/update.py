"""`rum update`: correct or complete a memory."""

from __future__ import annotations

from typing import Any, cast

import click

from rum.model.answers import UpdateResult
from rum.model.errors import InvalidQuery
from rum.model.ids import TAIL
from rum.surfaces.cli.memories.memory_input import flagged_links, given_flags, given_record, record_options
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.options import Options, command, quiet_option
from rum.surfaces.cli.output import print_ids, print_result
from rum.surfaces.cli.views import View, text_view


@command("update")
@click.argument("memory_id", metavar="ID")
@record_options
@quiet_option
@click.pass_obj
def update(options: Options, memory_id: str, source: str | None, **flags: Any) -> None:
    """Correct or complete a memory.

    Only the given fields change: objects are merged, lists are replaced, null clears, links are added.
    Give a JSON object on stdin or in --file, or flags. Earlier versions stay in the history.
    """
    named = given_flags(flags)
    changes = given_record(source, named)
    given_id = changes.pop("memory_id", memory_id)
    if not _same(given_id, memory_id):
        raise InvalidQuery(
            f"The memory_id in the JSON is not {memory_id}; nothing was changed.",
            field="memory_id",
        )
    with open_rum(options) as rum:
        changes = flagged_links(rum, changes) if named else changes
        changes["memory_id"] = stored_id(rum, memory_id)
        answer = cast("UpdateResult", rum.call("update_memory", changes))
    if options.quiet and not options.json:
        print_ids([answer.memory_id])
    else:
        print_result(options.json, answer, updated_view)


def _same(given_id: object, memory_id: str) -> bool:
    """Whether two ids, each perhaps only a tail, can be of one memory."""
    if not isinstance(given_id, str):
        return False
    short, long = sorted((given_id.lower(), memory_id.lower()), key=len)
    return short == long or (len(short) >= TAIL and long.endswith(short))


def updated_view(answer: UpdateResult) -> View:
    """Which version it is now."""
    return text_view(f"{answer.memory_id} is now version {answer.memory.version}.")
