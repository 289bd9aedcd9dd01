"""Agents: `rum identity` and `agents`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import click
import msgspec

from rum.app.rum import Rum
from rum.inject.render import local_time
from rum.model.agents import Identity
from rum.model.errors import InvalidQuery
from rum.settings.table import AGENT_NAME
from rum.surfaces.cli.open_project import Output, open_rum, rum_command
from rum.surfaces.cli.options import Options, command, given_options, ids_option, options_of, quiet_option
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.views import Field, Fields, TextPart, View, table


@command("identity")
@click.argument("action", type=click.Choice(["register", "resume", "info"]))
@options_of("identity")
@quiet_option
def identity(options: Options, action: Literal["register", "resume", "info"], **fields: Any) -> None:
    """Register, resume or look up an agent.

    `resume` without an id resumes the last main agent used on the command line.
    """
    arguments = given_options(fields)
    if action == "register" and "name" in arguments:
        try:
            arguments["name"] = str(AGENT_NAME.check(arguments["name"]))
        except ValueError:  # `--agent` would not accept it either
            raise InvalidQuery(f"--name must be {AGENT_NAME.allowed}.", field="name") from None
    with open_rum(options) as rum:
        answer = rum.identity(action, **arguments)
        print_result(options, answer, _identity_view, ids=[answer.agent_id])


def _identity_view(agent: Identity) -> View:
    fields = msgspec.to_builtins(agent)
    fields.pop("name", None)
    name = agent.label or "(no name)"
    children: list[str] = fields.pop("children", [])
    shown: list[Field] = []
    for key, value in fields.items():
        text = local_time(value) if key in ("created_at", "last_active") else str(value)
        shown.append((key, _rate(value) if key == "success_rate" else text))
    return [Fields((TextPart(name, "strong"),), shown + ([("children", children)] if children else []))]


@rum_command("agents")
@ids_option
def agents(rum: Rum) -> Output:
    """List the agents of this project."""
    answer = rum.agents()
    ids = (agent.agent_id for agent in answer)
    return Output(answer, _agents_view, ids=ids, empty="No agents yet.")


def _agents_view(agents: Sequence[Identity]) -> View:
    rows = [
        (
            agent.label or "-",
            agent.agent_id,
            agent.type.value,
            str(agent.memory_count),
            _rate(agent.success_rate),
            local_time(agent.last_active),
        )
        for agent in agents
    ]
    columns = {"name": "strong", "id": "id", "type": "", "memories": "", "success": "", "last active": "dim"}
    return table(columns, rows)


def _rate(share: object) -> str:
    return f"{share:.0%}" if isinstance(share, float) else "-"
