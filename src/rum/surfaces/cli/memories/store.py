"""`rum store`: store a finished piece of work."""

from __future__ import annotations

from typing import Any, cast

import click
from msgspec import UNSET

from rum.model.memory import StoreResult
from rum.surfaces.cli.memories.memory_input import flagged_links, given_flags, given_record, record_options
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command, quiet_option
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.views import View, text_view

NEEDED = {
    "intent.goal": "--goal",
    "intent.task_type": "--type",
    "outcome.summary": "--summary",
    "outcome.success": "--success or --failure",
}


@command("store")
@record_options
@click.option("--touched", multiple=True, metavar="FILE", help="A file that was changed (repeat).")
@click.option("--read", multiple=True, metavar="FILE", help="A file that was read (repeat).")
@quiet_option
@click.pass_obj
def store(
    options: Options, source: str | None, touched: tuple[str, ...], read: tuple[str, ...], **flags: Any
) -> None:
    """Store a finished piece of work.

    Give a JSON object on stdin or in --file, with intent, outcome and optional fields;
    or flags: --goal, --type, --summary, --success or --failure, and others.
    """
    steps = [("file_edit", path) for path in touched] + [("file_read", path) for path in read]
    actions = tuple({"type": kind, "file_path": path} for kind, path in steps)
    named = given_flags({**flags, "actions": actions})
    missing = [flag for field, flag in NEEDED.items() if field not in named]
    if named and source and source != "-" and not source.endswith(".json"):
        raise click.UsageError(
            f"--file is for JSON, without flags. For a file that was changed, write --touched {source}."
        )
    if named and missing and not source:
        raise click.UsageError(f"Missing flags: {', '.join(missing)}. Or give JSON without flags.")
    record = given_record(source, named)
    with open_rum(options) as rum:
        record = flagged_links(rum, record) if named else record
        answer = cast("StoreResult", rum.call("store", record))
    print_result(options.json, answer, _stored)
    if not options.json and not options.quiet:
        _remark(answer)


def _stored(answer: StoreResult) -> View:
    return text_view(answer.memory_id, "id")


def _remark(answer: StoreResult) -> None:
    if answer.identity is not UNSET:
        note(f"Stored as {answer.identity.agent_id} ({answer.identity.action}).")
    for other in answer.similar or ():
        note(f"Similar: {other.goal} [{other.id}]")
