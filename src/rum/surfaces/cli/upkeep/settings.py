"""Agents and settings: `rum identity`, `agents`, `config` and `trust`."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import Any, Literal

import click
import msgspec

from rum.app.rum import Rum, locate
from rum.inject.render import local_time
from rum.model.agents import Identity
from rum.model.errors import InvalidQuery, NotFound
from rum.recall.fitted import MIN_CONFIDENCE
from rum.repo.location import find_root
from rum.settings import trust as trusted_roots
from rum.settings.home import find_home
from rum.settings.load import Settings, load, untrusted_keys
from rum.settings.table import AGENT_NAME, AGENT_SETTINGS, SETTINGS
from rum.surfaces.cli.open_project import Output, open_rum, rum_command
from rum.surfaces.cli.options import Options, command, given_options, ids_option, options_of, quiet_option
from rum.surfaces.cli.output import ask, note, print_result
from rum.surfaces.cli.views import Field, Fields, TextPart, View, table

SettingValues = dict[str, dict[str, object]]
_BUILT_IN = {"min_confidence": MIN_CONFIDENCE}  # Built-in values of settings that have no default


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


@command("config")
def config(options: Options) -> None:
    """Show every setting and where it came from.

    Sources, each overriding the ones before: the defaults, config.toml in RUM's home, .rum/config.toml in
    the repository, RUM_ variables, flags.
    """
    settings = _settings(options)
    for warning in settings.warnings:
        note(warning)
    values: dict[str, object] = {setting.name: getattr(settings, setting.name) for setting in SETTINGS}
    values |= {one.name: "(set, not shown)" for one in SETTINGS if one.secret and values[one.name]}
    for agent in settings.agents():
        own = settings.for_agent(agent)._asdict()
        values |= {f"agents.{agent}.{setting.name}": own[setting.name] for setting in AGENT_SETTINGS}
    answer = {name: {"value": value, "origin": settings.origin(name)} for name, value in values.items()}
    print_result(options, answer, _settings_view)


def _settings(options: Options) -> Settings:
    """The settings of this project, or outside of any project those of the user."""
    cwd = os.getcwd()
    try:
        settings, project = locate(cwd, options.settings())
        if project.note:
            note(project.note)
        return settings
    except InvalidQuery as error:
        note(error.message)
        return load(None, flags=options.settings(), cwd=cwd)


def _settings_view(values: SettingValues) -> View:
    rows = [(name, _value_text(name, one["value"]), str(one["origin"])) for name, one in values.items()]
    return table({"setting": "strong", "value": "", "from": "dim"}, rows)


def _value_text(name: str, value: object) -> str:
    if value is None:
        return f"- (built in: {_BUILT_IN[name]})" if name in _BUILT_IN else "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@command("trust")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--revoke", is_flag=True, help="Revoke the trust.")
def trust(options: Options, yes: bool, revoke: bool) -> None:
    """Trust this repository's settings.

    Harmless settings need no trust. It holds for the current .rum/config.toml only: after a change you have
    to trust it again.
    """
    home = find_home({}, os.environ)
    root = find_root(os.getcwd(), home)
    if root is None:
        raise NotFound("This is not a repository or project folder: there is nothing to trust.")
    keys: dict[str, object] = {}
    if revoke:
        status = "is no longer trusted" if trusted_roots.untrust(home, root) else "was not trusted"
    elif trusted_roots.is_trusted(home, root):
        status = "is already trusted"
    else:
        keys = untrusted_keys(home, root)
        _confirm(root, keys, yes)
        trusted_roots.trust(home, root)
        status = "is trusted"
    answer = {"root": root, "trusted": trusted_roots.is_trusted(home, root), "keys": keys}
    print_result(options, answer, f"{root} {status}.")


def _confirm(root: str, keys: dict[str, object], yes: bool) -> None:
    for name, value in keys.items():
        note(f"{name} = {json.dumps(value, ensure_ascii=False, default=str)}")
    if not keys or yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("To allow this, give --yes.")
    if ask(f"Allow this for {root}? [y/N]").lower() not in ("y", "yes"):
        raise InvalidQuery("Not allowed; nothing was changed.")
