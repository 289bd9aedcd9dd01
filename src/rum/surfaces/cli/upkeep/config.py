"""Settings: `rum config`, which also changes them, and `rum trust`."""

from __future__ import annotations

import json
import os
import sys
from typing import cast

import click

from rum.app.rum import locate
from rum.model.errors import InvalidQuery, NotFound
from rum.recall.fitted import MIN_CONFIDENCE
from rum.repo.location import find_root
from rum.settings import trust as trusted_roots
from rum.settings.config_file import REPOSITORY_CONFIG
from rum.settings.home import ensure_private_dir, find_home
from rum.settings.load import Settings, find_setting, load, needs_trust, parse_value, untrusted_keys
from rum.settings.table import AGENT_SETTINGS, HARMLESS, INSIDE, OUTSIDE, SETTINGS, Setting
from rum.store.files.atomic_write import inside, make_folder
from rum.store.files.toml_edit import edit_file
from rum.surfaces.cli.options import Group, Options, command
from rum.surfaces.cli.output import ask, note, print_result
from rum.surfaces.cli.views import View, table

SettingValues = dict[str, dict[str, object]]
_BUILT_IN = {"min_confidence": MIN_CONFIDENCE}  # Built-in values of settings that have no default


@click.group("config", cls=Group, invoke_without_command=True)
@click.pass_context
def config(ctx: click.Context) -> None:
    """Show every setting and where it came from, or change one.

    Sources, each overriding the ones before: the defaults, config.toml in RUM's home, .rum/config.toml in
    the repository, RUM_ variables, flags.
    """
    if ctx.invoked_subcommand is None:
        _show(ctx.ensure_object(Options))


def _show(options: Options) -> None:
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


_scope = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="In your own config.toml, for all projects (user), or in this repository's (project).",
)


@command("set", config)
@click.argument("key")
@click.argument("value", required=False)
@_scope
def set_setting(options: Options, key: str, value: str | None, scope: str) -> None:
    """Set a setting; comments in the file stay.

    A list is given as words between commas or as a JSON array. Without VALUE it is read from standard input,
    so that a key for a service does not end up in the shell's history.
    """
    setting, path = find_setting(key)
    if value is None:
        value = ask(f"{key}:", hidden=setting.secret)
    parsed = parse_value(setting, value, key)
    listed = list(cast("tuple[str, ...]", parsed)) if isinstance(parsed, tuple) else parsed
    file = _change_file(setting, path, listed, scope)
    shown = "set" if setting.secret else f"set to {json.dumps(listed, ensure_ascii=False)}"
    _report(options, key, file, shown)


@command("unset", config)
@click.argument("key")
@_scope
def unset_setting(options: Options, key: str, scope: str) -> None:
    """Remove a setting from the file; comments in the file stay."""
    setting, path = find_setting(key)
    file = _change_file(setting, path, None, scope)
    _report(options, key, file, "no longer set")


def _report(options: Options, key: str, file: str, change: str) -> None:
    """Print what was done, and note it if another source still decides about the setting."""
    try:
        origin = _settings(options).origin(key)
    except InvalidQuery:  # another setting is wrong, and `_settings` noted it
        origin = file
    if origin not in (file, "default"):
        note(f"Here `{key}` is set by {origin}, which overrides {file}.")
    print_result(options, {"key": key, "file": file, "origin": origin}, f"`{key}` is {change} in {file}.")


def _change_file(setting: Setting, path: tuple[str, ...], value: object, scope: str) -> str:
    """Edit the file of this scope and return its path."""
    home = find_home({}, os.environ)
    if setting.scope == OUTSIDE:
        raise InvalidQuery(f"No config file sets `{setting.name}`. Set {setting.env}.", field=setting.name)
    if scope == "user":
        ensure_private_dir(home)
        file = os.path.join(home, "config.toml")
        edit_file(os.path.realpath(file), path, value, new_mode=0o600)
        return file
    root = find_root(os.getcwd(), home)
    if root is None:
        raise NotFound("This is not a repository or project folder. Use --scope user.")
    if value is not None and (setting.scope not in (HARMLESS, INSIDE) or needs_trust(setting, value, root)):
        raise InvalidQuery(
            f"A repository cannot set `{setting.name}` to this by itself. Use --scope user.",
            field=setting.name,
        )
    file = os.path.join(root, REPOSITORY_CONFIG)
    trusted = trusted_roots.is_trusted(home, root)
    make_folder(os.path.dirname(inside(root, file)))
    edit_file(inside(root, file), path, value)
    if trusted:  # this change was the user's own
        trusted_roots.trust(home, root)
    return file


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
