"""`rum identity` and `rum agents`: who remembers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import click
import msgspec

from rum.inject.render import local_time
from rum.model.agents import Identity
from rum.model.errors import InvalidQuery
from rum.settings.table import AGENT_NAME
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, command, ids_option, quiet_option, those_given
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Field, Fields, Table, View, Word


@command("identity")
@click.argument("action", type=click.Choice(["register", "resume", "info"]))
@options_of("identity")
@quiet_option
@click.pass_obj
def identity(asked: Asked, action: Literal["register", "resume", "info"], **given: Any) -> None:
    """Register, resume or look up an agent.

    `resume` without an id resumes the last main agent used on the command line.
    """
    question = those_given(given)
    if action == "register" and "name" in question:
        question["name"] = _name(question["name"])
    with opened(asked) as rum:
        answer = rum.identity(action, **question)
        if asked.quiet and not asked.json:
            say_ids([answer.agent_id])
        else:
            say(asked.json, answer, _described)


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
    return [Fields((Word(name, "strong"),), shown + ([("children", children)] if children else []))]


def _shown(name: str, value: Any) -> str:
    if name in ("created_at", "last_active"):
        return local_time(value)
    return _rate(value) if name == "success_rate" else str(value)


@command("agents")
@ids_option
@click.pass_obj
def agents(asked: Asked) -> None:
    """List the agents of this project."""
    with opened(asked) as rum:
        answer = rum.agents()
        if asked.ids:
            say_ids(agent.agent_id for agent in answer)
            return
        say(asked.json, answer, _table)
        if not answer and not asked.json:
            note("No agents yet.")


def _table(agents: Sequence[Identity]) -> View:
    rows = [
        (
            Word(agent.name or "-", "strong"),
            Word(agent.agent_id, "id"),
            Word(agent.type.value),
            Word(str(agent.memory_count)),
            Word(_rate(agent.success_rate)),
            Word(local_time(agent.last_active), "dim"),
        )
        for agent in agents
    ]
    return [Table(("name", "id", "type", "memories", "success", "last active"), rows)] if rows else []


def _rate(share: object) -> str:
    return f"{share:.0%}" if isinstance(share, float) else "-"
