"""`rum identity` and `rum agents`: the agents that store memories."""

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
from rum.surfaces.cli.output import print_result
from rum.surfaces.cli.request_options import options_of
from rum.surfaces.cli.views import Field, Fields, Table, TextPart, View


@command("identity")
@click.argument("action", type=click.Choice(["register", "resume", "info"]))
@options_of("identity")
@quiet_option
@click.pass_obj
def identity(options: Options, action: Literal["register", "resume", "info"], **fields: Any) -> None:
    """Register, resume or look up an agent.

    `resume` without an id resumes the last main agent used on the command line.
    """
    question = given_options(fields)
    if action == "register" and "name" in question:
        question["name"] = _check_name(question["name"])
    with open_rum(options) as rum:
        answer = rum.identity(action, **question)
        print_result(options, answer, _identity_view, ids=[answer.agent_id])


def _check_name(name: str) -> str:
    """Return a name if `--agent` accepts it too."""
    try:
        return str(AGENT_NAME.check(name))
    except ValueError:
        raise InvalidQuery(f"--name must be {AGENT_NAME.allowed}.", field="name") from None


def _identity_view(agent: Identity) -> View:
    fields = msgspec.to_builtins(agent)
    name = fields.pop("name", "(no name)")
    children: list[str] = fields.pop("children", [])
    shown: list[Field] = [(key, _field_text(key, value)) for key, value in fields.items()]
    return [Fields((TextPart(name, "strong"),), shown + ([("children", children)] if children else []))]


def _field_text(name: str, value: Any) -> str:
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
        ids = (agent.agent_id for agent in answer)
        print_result(options, answer, _agents_view, ids=ids, empty="No agents yet.")


def _agents_view(agents: Sequence[Identity]) -> View:
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
