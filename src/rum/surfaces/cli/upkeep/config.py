"""`rum config` and `rum trust`: every setting with its source, and trust in a repository's settings."""

from __future__ import annotations

import json
import os
import sys

import click

from rum.app.rum import locate
from rum.model.errors import InvalidQuery, NotFound
from rum.recall.fitted import MIN_CONFIDENCE
from rum.repo.location import find_root
from rum.repo.project import ProjectLocation
from rum.settings import trust as trusted_roots
from rum.settings.home import find_home
from rum.settings.load import Settings, load, untrusted_keys
from rum.settings.table import AGENT_SETTINGS, SETTINGS
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import ask, note, print_result
from rum.surfaces.cli.views import Table, TextPart, View, text_view

SettingValues = dict[str, dict[str, object]]
_BUILT_IN = {"min_confidence": MIN_CONFIDENCE}  # Built-in values of settings that have no default


@command("config")
@click.pass_obj
def config(options: Options) -> None:
    """Show every setting and where it came from.

    Sources, each overriding the ones before: the defaults, config.toml in RUM's home, .rum/config.toml in
    the repository, RUM_ variables, flags.
    """
    settings, project = _settings(options)
    for warning in settings.warnings:
        note(warning)
    print_result(options, _values(settings), _settings_view)
    if project and not project.exists and options.as_text:
        note(f"No memory here yet: nothing is stored for {project.name}.")


def _settings(options: Options) -> tuple[Settings, ProjectLocation | None]:
    """Return the settings of this project, or outside of any project those of the user."""
    cwd = os.getcwd()
    try:
        settings, project = locate(cwd, options.settings())
        if project.note:
            note(project.note)
        return settings, project
    except InvalidQuery as error:
        settings = load(None, flags=options.settings(), cwd=cwd)
        note(error.message)
        return settings, None


def _values(settings: Settings) -> SettingValues:
    values: dict[str, object] = {setting.name: getattr(settings, setting.name) for setting in SETTINGS}
    values |= {one.name: "(set, not shown)" for one in SETTINGS if one.secret and values[one.name]}
    for agent in settings.agents():
        own = settings.for_agent(agent)._asdict()
        values |= {f"agents.{agent}.{setting.name}": own[setting.name] for setting in AGENT_SETTINGS}
    return {name: {"value": value, "origin": settings.origin(name)} for name, value in values.items()}


def _settings_view(values: SettingValues) -> View:
    rows = [
        (
            TextPart(name, "strong"),
            TextPart(_value_text(name, one["value"])),
            TextPart(str(one["origin"]), "dim"),
        )
        for name, one in values.items()
    ]
    return [Table(("setting", "value", "from"), rows)]


def _value_text(name: str, value: object) -> str:
    if value is None:
        return f"- (built in: {_BUILT_IN[name]})" if name in _BUILT_IN else "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@command("trust")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--revoke", is_flag=True, help="Revoke the trust.")
@click.pass_obj
def trust(options: Options, yes: bool, revoke: bool) -> None:
    """Trust this repository's settings.

    Harmless settings need no trust. It holds for the current .rum/config.toml only: after a change you have
    to trust it again.
    """
    home = find_home({}, os.environ)
    root = find_root(os.getcwd(), home)
    if root is None:
        raise NotFound("This is not a repository or project folder: there is nothing to trust.")
    if revoke:
        status = "is no longer trusted" if trusted_roots.untrust(home, root) else "was not trusted"
        keys: dict[str, object] = {}
    elif trusted_roots.is_trusted(home, root):
        status, keys = "is already trusted", {}
    else:
        keys = untrusted_keys(home, root)
        _confirm(root, keys, yes)
        trusted_roots.trust(home, root)
        status = "is trusted"
    answer = {"root": root, "trusted": trusted_roots.is_trusted(home, root), "keys": keys}
    print_result(options, answer, lambda _: text_view(f"{root} {status}."))


def _confirm(root: str, keys: dict[str, object], yes: bool) -> None:
    for name, value in keys.items():
        note(f"{name} = {json.dumps(value, ensure_ascii=False, default=str)}")
    if not keys or yes:
        return
    if not sys.stdin.isatty():
        raise click.UsageError("To allow this, give --yes.")
    if ask(f"Allow this for {root}? [y/N]").lower() not in ("y", "yes"):
        raise InvalidQuery("Not allowed; nothing was changed.")
