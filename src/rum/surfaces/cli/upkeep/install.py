"""`rum install` and `rum uninstall`: connect and disconnect clients."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import click

from rum.app.rum import locate
from rum.model.errors import InvalidQuery
from rum.repo import manage
from rum.repo.location import find_root
from rum.repo.project import record_question_shown
from rum.settings.home import find_home
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import ask, note, print_result, print_text
from rum.surfaces.cli.views import View, text_view
from rum.surfaces.install.changes import Change, apply, to_install, to_uninstall
from rum.surfaces.install.clients import CLIENTS, present_clients
from rum.surfaces.install.launch import Launch, launch_from_path, launch_with_interpreter
from rum.surfaces.install.settings_file import Client, InstallLocation, Target, instructions_target


class _Step(NamedTuple):
    """A client and the changes of its files."""

    client: Client
    location: InstallLocation
    changes: list[Change]


_clients = click.argument("clients", nargs=-1, type=click.Choice(list(CLIENTS)), metavar="[CLIENT]...")
_scope = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="For all your projects (user) or only for this one (project).",
)
_SCOPE_TEXT = {"user": "all your projects", "project": "this project"}
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")


@command("install")
@_clients
@_scope
@_dry_run
@click.option(
    "--instructions", is_flag=True, help="Also add a few lines to CLAUDE.md, AGENTS.md or GEMINI.md."
)
@click.option(
    "--anyway",
    is_flag=True,
    help="Allow a temporary interpreter (uvx, pipx run), whose path may stop working.",
)
@click.pass_obj
def install(
    options: Options, clients: tuple[str, ...], scope: str, dry_run: bool, instructions: bool, anyway: bool
) -> None:
    """Connect the coding agents on this machine.

    Registers the MCP server, and hooks for clients that support them.

    CLIENT is claude-code, codex, gemini, cursor, vscode or opencode (default: ask for each one found on this
    machine). Other settings and comments in their files are not changed.
    """
    location, home = _install_location(scope), find_home({}, os.environ)
    steps: list[_Step] = []
    for client in _chosen_clients(clients, location, "install"):
        launch = _launch(client, location, anyway)
        targets = client.targets(location, launch)
        if instructions and (one := instructions_target(client, location)):
            targets.append(one)
        steps.append(_step(home, client, location, targets, steps, to_install))
    _apply(options, home, steps, dry_run, "installed")
    if not dry_run and not options.json:
        _ask_to_join(options)


def _ask_to_join(options: Options) -> None:
    """Ask whether this folder belongs to a project that it may be part of; without a terminal, say so."""
    try:
        settings, here = locate(os.getcwd(), options.settings())
    except InvalidQuery:  # the home directory is no project
        return
    if not here.question or not here.maybe:
        return
    note(here.question)
    if sys.stdin.isatty() and ask(f"Join {here.maybe}? [y/N]").lower() in ("y", "yes"):
        joined = manage.join(here.maybe, os.getcwd(), settings, here)
        note(f"{joined.root} is now part of {joined.id}.")
    elif here.exists:
        record_question_shown(settings.home, here.id, settings.busy_timeout)


@command("uninstall")
@_clients
@_scope
@_dry_run
@click.pass_obj
def uninstall(options: Options, clients: tuple[str, ...], scope: str, dry_run: bool) -> None:
    """Disconnect coding agents.

    Memories are kept.

    Files not changed since `rum install` are restored byte for byte; in other files only RUM's entries are
    removed.
    """
    location, home = _install_location(scope), find_home({}, os.environ)
    steps: list[_Step] = []
    for client in _chosen_clients(clients, location, "uninstall"):
        # Any command will do: RUM's entries are recognised however they start RUM.
        targets = client.targets(location, Launch(("rum",), ("rum-hook",)))
        if one := instructions_target(client, location):
            targets.append(one)
        steps.append(_step(home, client, location, targets, steps, to_uninstall))
    _apply(options, home, steps, dry_run, "uninstalled")


def _step(
    home: str,
    client: Client,
    location: InstallLocation,
    targets: list[Target],
    steps: list[_Step],
    plan_change: Callable[[str, Target], Change | None],
) -> _Step:
    """The changes for a client, without those of earlier steps: several clients read the same AGENTS.md."""
    planned = {(one.target.path, one.target.part) for step in steps for one in step.changes}
    new = [target for target in targets if (target.path, target.part) not in planned]
    return _Step(client, location, [one for target in new if (one := plan_change(home, target))])


def _install_location(scope: str) -> InstallLocation:
    user_home = os.environ.get("USERPROFILE" if os.name == "nt" else "HOME") or os.path.expanduser("~")
    root = find_root(os.getcwd(), find_home({}, os.environ))
    if scope == "project" and root is None:
        raise InvalidQuery(
            "This folder is not in a project. Run this in a project folder, or use --scope user."
        )
    return InstallLocation(scope, os.path.abspath(user_home), root, dict(os.environ))


def _launch(client: Client, location: InstallLocation, anyway: bool) -> Launch:
    if location.scope == "project" and client.shared:
        # A shared file must not name an interpreter on one user's machine.
        return launch_from_path(client.targets(location, Launch(("rum",), ("rum-hook",)))[0].path)
    return launch_with_interpreter(os.environ, anyway=anyway)


def _chosen_clients(names: tuple[str, ...], location: InstallLocation, verb: str) -> list[Client]:
    """Return the named clients, or else those on this machine that the user confirms."""
    if names:
        return [CLIENTS[name] for name in dict.fromkeys(names)]
    found = present_clients(location.home)
    if not found:
        raise InvalidQuery(
            f"No supported client was found on this machine. Supported: {', '.join(CLIENTS)}.",
            allowed=list(CLIENTS),
        )
    if not sys.stdin.isatty():
        listed = " ".join(client.name for client in found)
        raise InvalidQuery(
            f"Cannot ask without a terminal. Clients found: {listed}. Name those you want, for example "
            f"`rum {verb} {listed}`."
        )
    return [
        client
        for client in found
        if ask(f"{verb.capitalize()} RUM for {client.title}? [Y/n]").lower() in ("", "y", "yes")
    ]


def _apply(options: Options, home: str, steps: list[_Step], dry_run: bool, done: str) -> None:
    """Write all files and print the result; with `dry_run` print only what would change."""
    answer = [_step_json(step, dry_run) for step in steps]
    backups = [] if dry_run else apply(home, [change for step in steps for change in step.changes])
    if dry_run and not options.json:
        print_text(
            "".join(change.diff() for step in steps for change in step.changes) or "Nothing would change."
        )
        return
    print_result(options, answer, lambda _: _view(steps, done))
    if options.json:
        return
    for path in backups:
        note(f"Backup saved: {path}")
    for step in steps:
        for text in step.client.next_steps(step.location) if done == "installed" else []:
            note(f"{step.client.title}: {text}")


def _step_json(step: _Step, dry_run: bool) -> dict[str, Any]:
    changed = [change.path for change in step.changes]
    summary: dict[str, Any] = {"client": step.client.name, "scope": step.location.scope, "changed": changed}
    if dry_run:
        summary["diff"] = "".join(change.diff() for change in step.changes)
    return summary


def _view(steps: list[_Step], done: str) -> View:
    lines: View = []
    for step in steps:
        files = ", ".join(change.path for change in step.changes)
        unchanged = (
            "already installed"
            if done == "installed"
            else f"was not installed for {_SCOPE_TEXT[step.location.scope]}"
        )
        summary = f"{done} ({files})" if files else f"{unchanged}; nothing was changed"
        lines += text_view(f"{step.client.title}: {summary}.")
    return lines
