"""`rum store`, `rum update`, `rum restore` and `rum link`: store and change memories."""

from __future__ import annotations

from typing import Any, cast

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.model.answers import UpdateResult
from rum.model.errors import InvalidQuery
from rum.model.ids import TAIL
from rum.model.memory import LinkType, StoreResult
from rum.model.memory_layers import FailureCategory, TaskType
from rum.surfaces.cli.open_project import Output, open_rum, rum_command, stored_id
from rum.surfaces.cli.options import Number, OneOf, Options, command, quiet_option
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.record_input import Flag, Json, flag_options, given_flags, given_record
from rum.surfaces.cli.views import text_view

# The flags of `rum store` and `rum update`.
FLAGS = (
    Flag("--success/--failure", "outcome.success", "Whether it worked."),
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
    Flag("--importance", "importance", "Importance, from 0 to 1.", Number(0, 1, in_help=False)),
    Flag("--caused-by", "links.caused_by", "A memory that caused it (repeat).", many=True),
    Flag("--led-to", "links.led_to", "A memory that it led to (repeat).", many=True),
    Flag("--related-to", "links.related_to", "A related memory (repeat).", many=True),
    Flag("--supersedes", "links.supersedes", "A memory that it replaces (repeat).", many=True),
    Flag("--blocked-by", "links.blocked_by", "A memory that blocks it (repeat).", many=True),
)
NEEDED = {
    "intent.goal": "--goal",
    "intent.task_type": "--type",
    "outcome.summary": "--summary",
    "outcome.success": "--success or --failure",
}


@command("store")
@flag_options(FLAGS)
@click.option("--touched", multiple=True, metavar="FILE", help="A file that was changed (repeat).")
@click.option("--read", multiple=True, metavar="FILE", help="A file that was read (repeat).")
@click.option("--for", "target", metavar="AGENT", help="The agent that did the work (name or id).")
@quiet_option
def store(
    options: Options,
    source: str | None,
    touched: tuple[str, ...],
    read: tuple[str, ...],
    target: str | None,
    **flags: Any,
) -> None:
    """Store a finished piece of work.

    Give a JSON object on stdin or in --file, with intent, outcome and optional fields;
    or flags: --goal, --type, --summary, --success or --failure, and others.
    """
    steps = [("file_edit", path) for path in touched] + [("file_read", path) for path in read]
    actions = tuple({"type": kind, "file_path": path} for kind, path in steps)
    given = given_flags({**flags, "actions": actions})
    missing = [flag for field, flag in NEEDED.items() if field not in given]
    if given and source and source != "-" and not source.endswith(".json"):
        raise click.UsageError(
            f"--file is for JSON, without flags. For a file that was changed, write --touched {source}."
        )
    if given and missing and not source:
        raise click.UsageError(f"Missing flags: {', '.join(missing)}. Or give JSON without flags.")
    record = given_record(source, given)
    with open_rum(options) as rum:
        # JSON comes from programs and is passed on unchanged; flags are typed by people.
        record = _with_stored_ids(rum, record) if given else record
        record |= {"target_agent_id": target} if target else {}
        answer = cast("StoreResult", rum.call("store", record))
    identity = answer.identity
    notes = [] if identity is UNSET else [f"Stored as {identity.agent_id} ({identity.action})."]
    notes += [f"Similar: {other.goal} [{other.id}]" for other in answer.similar or ()]
    print_result(options, answer, text_view(answer.memory_id, "id"), notes=notes)


@command("update")
@click.argument("memory_id", metavar="ID")
@flag_options(FLAGS)
@quiet_option
def update(options: Options, memory_id: str, source: str | None, **flags: Any) -> None:
    """Correct or complete a memory.

    Only the given fields change: objects are merged, lists are replaced, null clears, links are added.
    Give a JSON object on stdin or in --file, or flags. Earlier versions stay in the history.
    """
    given = given_flags(flags)
    changes = given_record(source, given)
    given_id: object = changes.pop("memory_id", memory_id)
    # Each of the two ids may be only the end of one.
    short, long = sorted((str(given_id).lower(), memory_id.lower()), key=len)
    if not isinstance(given_id, str) or not (short == long or (len(short) >= TAIL and long.endswith(short))):
        raise InvalidQuery(
            f"The memory_id in the JSON is not {memory_id}; nothing was changed.", field="memory_id"
        )
    with open_rum(options) as rum:
        changes = _with_stored_ids(rum, changes) if given else changes
        changes["memory_id"] = stored_id(rum, memory_id)
        answer = cast("UpdateResult", rum.call("update_memory", changes))
    text = f"{answer.memory_id} is now version {answer.memory.version}."
    print_result(options, answer, text, ids=[answer.memory_id])


def _with_stored_ids(rum: Rum, record: Json) -> Json:
    """Return a record with the ids in its links completed, as people type only their ends."""
    links = {
        kind: [stored_id(rum, link_id) for link_id in ids] for kind, ids in record.get("links", {}).items()
    }
    return {**record, "links": links} if links else record


@rum_command("link")
@click.argument("source_id", metavar="SOURCE")
@click.argument("link_type", metavar="TYPE", type=OneOf(LinkType))
@click.argument("target_id", metavar="TARGET")
@quiet_option
def link(rum: Rum, source_id: str, link_type: str, target_id: str) -> Output:
    """Link two memories.

    TYPE is caused_by, led_to, related_to, supersedes or blocked_by: `rum link FIX caused_by BUG`.
    """
    answer = rum.link(stored_id(rum, source_id), stored_id(rum, target_id), link_type)
    text = f"{'Linked' if answer.created else 'Linked already'}: {answer.link_id}"
    return Output(answer, text, ids=[answer.link_id])
