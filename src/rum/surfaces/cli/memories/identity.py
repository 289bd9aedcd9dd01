"""`rum identity` and `rum agents`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import click
import msgspec

from rum.inject.render import local_time
from rum.model.agents import Identity
from rum.model.errors import InvalidQuery
from rum.settings.table import AGENT_NAME
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command, given_options, ids_option, quiet_option
from rum.surfaces.cli.output import note, print_ids, print_result
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Field, Fields, Table, TextPart, View


@command("identity")
@click.argument("action", type=click.Choice(["register", "resume", "info"]))
@options_of("identity")
@quiet_option
@click.pass_obj
def identity(options: Options, action: Literal["register", "resume", "info"], **given: Any) -> None:
    """Register, resume or look up an agent.

    `resume` without an id resumes the last main agent used on the command line.
    """
    question = given_options(given)
    if action == "register" and "name" in question:
        question["name"] = _name(question["name"])
    with open_rum(options) as rum:
        answer = rum.identity(action, **question)
        if options.quiet and not options.json:
            print_ids([answer.agent_id])
        else:
            print_result(options.json, answer, _described)


def _name(given: str) -> str:
    """A name that `--agent` takes too."""
    try:
        return str(AGENT_NAME.check(given))
    except ValueError:
        raise InvalidQuery(f"--name must be {AGENT_NAME.allowed}.", field="name") from None


def _described(agent: Identity) -> View:
    fields = msgspec.to_builtins(agent)
    name = fields.pop("name", "(no name)")
    children: list[str] = fields.pop("children", [])
    shown: list[Field] = [(key, _shown(key, value)) for key, value in fields.items()]
    return [Fields((TextPart(name, "strong"),), shown + ([("children", children)] if children else []))]


def _shown(name: str, value: Any) -> str:
    if name in ("created_at", "last_active"):
        return local_time(value)
    return _rate(value) if name == "success_rate" else str(value)


@command("agents")
@ids_option
@click.pass_obj
def agents(options: Options) -> None:
    """List the agents of this project."""
    with open_rum(options) as rum:
        answer = rum.agents()
        if options.ids:
            print_ids(agent.agent_id for agent in answer)
            return
        print_result(options.json, answer, _table)
        if not answer and not options.json:
            note("No agents yet.")


def _table(agents: Sequence[Identity]) -> View:
    rows = [
        (
            TextPart(agent.name or "-", "strong"),
            TextPart(agent.agent_id, "id"),
            TextPart(agent.type.value),
            TextPart(str(agent.memory_count)),
            TextPart(_rate(agent.success_rate)),
            TextPart(local_time(agent.last_active), "dim"),
        )
        for agent in agents
    ]
    return [Table(("name", "id", "type", "memories", "success", "last active"), rows)] if rows else []


def _rate(share: object) -> str:
    return f"{share:.0%}" if isinstance(share, float) else "-"
