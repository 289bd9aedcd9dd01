"""Connect clients: `rum install`, `uninstall`, `completion`, and the help of `rum mcp` and `rum hook`."""

from __future__ import annotations

import os
import sys
from typing import Any, NamedTuple

import click
from click.shell_completion import ShellComplete, get_completion_class

from rum.app.rum import locate
from rum.capture.clients import detect
from rum.model.errors import InvalidQuery
from rum.repo import manage
from rum.repo.location import find_root
from rum.repo.project import record_question_shown
from rum.settings.home import find_home
from rum.surfaces.cli.commands import COMPLETE, root
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import ask, note, print_result, print_text
from rum.surfaces.cli.views import View, text_view
from rum.surfaces.install.changes import Change, apply, to_install, to_uninstall
from rum.surfaces.install.clients import (
    CLIENTS,
    HOOKS,
    Client,
    Launch,
    launch_from_path,
    launch_with_interpreter,
    present_clients,
    team_server_url,
)
from rum.surfaces.install.settings_file import ACCESS_VARIABLE, InstallLocation


class _Step(NamedTuple):
    """A client and the changes of its files."""

    client: Client
    changes: list[Change]

    @property
    def diff(self) -> str:
        return "".join(change.diff() for change in self.changes)


_clients = click.argument("clients", nargs=-1, type=click.Choice(list(CLIENTS)), metavar="[CLIENT]...")
_scope = click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    show_default=True,
    help="For all your projects (user) or only for this one (project).",
)
_dry_run = click.option("--dry-run", is_flag=True, help="Show what would change; change nothing.")
_ANY_COMMAND = Launch(("rum",), ("rum-hook",))


@command("install")
@_clients
@_scope
@_dry_run
@click.option(
    "--instructions", is_flag=True, help="Also add a few lines to CLAUDE.md, AGENTS.md or GEMINI.md."
)
@click.option("--server", metavar="URL", help="Use the team server at this address; hooks stay local.")
@click.option(
    "--anyway",
    is_flag=True,
    help="Allow a temporary interpreter (uvx, pipx run), whose path may stop working.",
)
def install(
    options: Options, clients: tuple[str, ...], scope: str, dry_run: bool, server: str | None, **how: bool
) -> None:
    """Connect the coding agents on this machine.

    Registers the MCP server, and hooks for clients that support them.

    CLIENT is claude-code, codex, gemini, cursor, vscode or opencode (default: ask for each one found on this
    machine). Other settings and comments in their files are not changed.

    With --server, clients read the token of the team server from the environment variable RUM_TOKEN; it is
    written to no file.
    """
    location = _install_location(scope)
    url = team_server_url(server) if server is not None else None
    steps: list[_Step] = []
    for client in _chosen_clients(clients, location, "install"):
        if url and client.name not in HOOKS:
            launch = _ANY_COMMAND  # it starts nothing on this machine
        elif scope == "project" and client.shared:
            # A shared file must not name an interpreter on one user's machine.
            launch = launch_from_path(client.targets(location, _ANY_COMMAND)[0].path)
        else:
            launch = launch_with_interpreter(os.environ, anyway=how["anyway"])
        launch = launch._replace(url=url)
        steps.append(_step(client, location, launch, steps, instructions=how["instructions"]))
    notes = [
        f"{step.client.title}: {text}"
        for step in steps
        for text in (step.client.next_step, step.client.project_step if scope == "project" else "")
        if text
    ]
    if url:
        notes.append(f"Set {ACCESS_VARIABLE} to your token for {url} in the environment of your clients.")
    _apply(options, steps, scope, dry_run, "installed", notes)
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
def uninstall(options: Options, clients: tuple[str, ...], scope: str, dry_run: bool) -> None:
    """Disconnect coding agents.

    Memories are kept.

    Files not changed since `rum install` are restored byte for byte; in other files only RUM's entries are
    removed.
    """
    location = _install_location(scope)
    steps: list[_Step] = []
    for client in _chosen_clients(clients, location, "uninstall"):
        steps.append(_step(client, location, None, steps, instructions=True))
    _apply(options, steps, scope, dry_run, "uninstalled", [])


def _step(
    client: Client,
    location: InstallLocation,
    launch: Launch | None,
    steps: list[_Step],
    *,
    instructions: bool,
) -> _Step:
    """The changes that install RUM for a client, or without `launch` remove it.

    Without those of earlier steps: several clients read the same AGENTS.md.
    """
    # For a removal any command will do: RUM's entries are recognised however they start RUM.
    targets = client.targets(location, launch or _ANY_COMMAND)
    if instructions and (one := client.instructions_target(location)):
        targets.append(one)
    planned = {(one.target.path, one.target.part) for step in steps for one in step.changes}
    home, plan_change = find_home({}, os.environ), to_install if launch else to_uninstall
    changes = [
        change
        for target in targets
        if (target.path, target.part) not in planned and (change := plan_change(home, target))
    ]
    return _Step(client, changes)


def _install_location(scope: str) -> InstallLocation:
    user_home = os.environ.get("USERPROFILE" if os.name == "nt" else "HOME") or os.path.expanduser("~")
    root = find_root(os.getcwd(), find_home({}, os.environ))
    if scope == "project" and root is None:
        raise InvalidQuery(
            "This folder is not in a project. Run this in a project folder, or use --scope user."
        )
    return InstallLocation(scope, os.path.abspath(user_home), root, dict(os.environ))


def _chosen_clients(names: tuple[str, ...], location: InstallLocation, verb: str) -> list[Client]:
    """Return the named clients, or else those on this machine that the user confirms."""
    if names:
        return [CLIENTS[name] for name in dict.fromkeys(names)]
    found = present_clients(location.home)
    if not found:
        raise InvalidQuery(
            f"No supported client was found on this machine. Name one to {verb} it anyway: "
            f"{', '.join(CLIENTS)}.",
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


def _apply(
    options: Options, steps: list[_Step], scope: str, dry_run: bool, done: str, notes: list[str]
) -> None:
    """Write all files and print the result; with `dry_run` print only what would change."""
    answer: list[dict[str, Any]] = []
    view: View = []
    unchanged = "already installed"
    if done != "installed":
        where = "this project" if scope == "project" else "all your projects"
        unchanged = f"was not installed for {where}"
    for step in steps:
        files = [change.path for change in step.changes]
        diff = {"diff": step.diff} if dry_run else {}
        answer.append({"client": step.client.name, "scope": scope, "changed": files, **diff})
        summary = f"{done} ({', '.join(files)})" if files else f"{unchanged}; nothing was changed"
        view += text_view(f"{step.client.title}: {summary}.")
    if dry_run and not options.json:
        print_text("".join(step.diff for step in steps) or "Nothing would change.")
        return
    changes = [] if dry_run else [change for step in steps for change in step.changes]
    backups = [f"Backup saved: {path}" for path in apply(find_home({}, os.environ), changes)]
    print_result(options, answer, view, notes=[*backups, *notes])


@command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(_options: Options, shell: str) -> None:
    """Print a shell completion script.

    For bash: `eval "$(rum completion bash)"` in ~/.bashrc; likewise for zsh in ~/.zshrc.
    For fish: `rum completion fish > ~/.config/fish/completions/rum.fish`.
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    # Not the class's own `source`: for bash it starts bash to check its version.
    sys.stdout.write(ShellComplete.source(completion_class(root, {}, "rum", COMPLETE)))


@command("mcp")
@click.option("--tools", type=click.Choice(["all", "core"]), expose_value=False, help="Which tools to offer.")
def mcp(_options: Options) -> None:
    """Serve the memory to an agent over MCP."""
    raise click.UsageError("Put `mcp` first and its options after it: `rum mcp [OPTIONS]`.")


# The server answers in its own protocol only.
mcp.params = [param for param in mcp.params if param.name != "json"]


@command("hook")
@click.argument("client", type=click.Choice(detect.CLIENTS), expose_value=False)
def hook(_options: Options) -> None:
    """Handle a hook event of a client.

    Clients run it, as `rum-hook CLIENT` or `rum hook CLIENT`. It prints context for the agent, or nothing;
    the exit code is always 0.
    """
    raise click.UsageError("Use `rum hook CLIENT` without options.")


# It answers in the client's format only, about the folder that the client names.
hook.params = [param for param in hook.params if param.name == "client"]
