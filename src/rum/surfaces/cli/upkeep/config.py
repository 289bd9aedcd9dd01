"""`rum config`: every setting, its value, and where that came from."""

from __future__ import annotations

import json
import os

import click

from rum.model.errors import InvalidQuery
from rum.recall.fitted import MIN_CONFIDENCE
from rum.repo.project import open_project
from rum.settings.load import Settings, load
from rum.settings.table import AGENT_SETTINGS, SETTINGS
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.views import Table, TextPart, View

Shown = dict[str, dict[str, object]]
_BUILT_IN = {"min_confidence": MIN_CONFIDENCE}
"""What holds where a setting is unset, for those that fall back to a figure."""


@command("config")
@click.pass_obj
def config(options: Options) -> None:
    """Show every setting and where it came from.

    Sources, each overriding the ones before: the defaults, config.toml in RUM's home, .rum/config.toml in
    the repository, RUM_ variables, flags.
    """
    settings = _settings(options)
    for warning in settings.warnings:
        note(warning)
    print_result(options.json, _shown(settings), _table)


def _settings(options: Options) -> Settings:
    """The settings here; outside of any project those that hold everywhere."""
    cwd = os.getcwd()
    try:
        settings, project = open_project(cwd, flags=options.flags())
        if project.note:
            note(project.note)
        return settings
    except InvalidQuery as error:
        settings = load(None, flags=options.flags(), cwd=cwd)
        note(error.message)
        return settings


def _shown(settings: Settings) -> Shown:
    values: dict[str, object] = {setting.name: getattr(settings, setting.name) for setting in SETTINGS}
    values |= {one.name: "(set, not shown)" for one in SETTINGS if one.secret and values[one.name]}
    for agent in settings.agents():
        own = settings.for_agent(agent)._asdict()
        values |= {f"agents.{agent}.{setting.name}": own[setting.name] for setting in AGENT_SETTINGS}
    return {name: {"value": value, "origin": settings.origin(name)} for name, value in values.items()}


def _table(shown: Shown) -> View:
    rows = [
        (
            TextPart(name, "strong"),
            TextPart(_written(name, one["value"])),
            TextPart(str(one["origin"]), "dim"),
        )
        for name, one in shown.items()
    ]
    return [Table(("setting", "value", "from"), rows)]


def _written(name: str, value: object) -> str:
    if value is None:
        return f"- (built in: {_BUILT_IN[name]})" if name in _BUILT_IN else "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
