"""What is asked of any command, before its name or after it: which project, as whom, in which form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click


class Asked:
    """The options every command has."""

    def __init__(self) -> None:
        self.project: str | None = None
        self.agent: str | None = None
        self.json = False
        self.ids = False
        self.quiet = False

    def flags(self) -> dict[str, str]:
        """Those that are settings, as settings take them."""
        given = {"project": self.project, "agent": self.agent}
        return {name: value for name, value in given.items() if value is not None}


def those_given(options: dict[str, Any]) -> dict[str, Any]:
    """The options that were on the command line; zero is one of them, a flag that is off is not."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value is not False and value != ()
    }


def _keep(ctx: click.Context, param: click.Parameter, value: object) -> None:
    if value is None or value is False:
        return
    asked = ctx.ensure_object(Asked)
    setattr(asked, param.name or "", value)
    if asked.json and asked.ids:
        raise click.UsageError("Use either --json or --ids.", ctx)


def shared_options() -> list[click.Option]:
    """The options, to be added to a command's own."""
    words = [
        ("--project", "NAME", "Project name, id or folder (default: the current folder)."),
        ("--agent", "NAME", "Act as this agent instead of the owner."),
    ]
    options = [
        click.Option([flag], metavar=metavar, expose_value=False, callback=_keep, help=help)
        for flag, metavar, help in words
    ]
    in_json = click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=_keep,
        help="Print JSON, as the API returns it.",
    )
    return [*options, in_json]


def ids_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--ids` to a command that lists things."""
    return click.option(
        "--ids", is_flag=True, expose_value=False, callback=_keep, help="Print only the ids, one per line."
    )(function)


def quiet_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--quiet` to a command that stores something."""
    return click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_keep, help="Print only the id."
    )(function)


class Command(click.Command):
    """A command that takes the shared options too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += shared_options()


class Group(click.Group):
    """A group of commands that takes the shared options too."""

    command_class = Command

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += shared_options()


def command(name: str) -> Callable[[Callable[..., None]], Command]:
    """Make a function a command; its docstring is the help."""
    return click.command(name, cls=Command)
