"""The options that every command takes, before its name or after it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


class Options:
    """Values of the options that every command takes."""

    def __init__(self) -> None:
        self.project: str | None = None
        self.agent: str | None = None
        self.json = False
        self.ids = False
        self.quiet = False

    @property
    def only_ids(self) -> bool:
        """Whether ids are printed instead of a result."""
        return (self.ids or self.quiet) and not self.json

    @property
    def as_text(self) -> bool:
        """Whether a person reads the output: results with hints, not JSON or only ids."""
        return not (self.ids or self.quiet or self.json)

    def settings(self) -> dict[str, str]:
        """The options that override settings."""
        return given_options({"project": self.project, "agent": self.agent})


def given_options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options given on the command line; zero counts as given, a flag that is off does not."""
    return {
        name: value
        for name, value in options.items()
        if value is not None and value is not False and value != ()
    }


def _set(ctx: click.Context, param: click.Parameter, value: object) -> None:
    # The option can be given before the command or after it: its absence in one place means nothing.
    if value is None or value is False:
        return
    options = ctx.ensure_object(Options)
    setattr(options, param.name or "", value)
    if options.json and options.ids:
        raise click.UsageError("Use either --json or --ids.", ctx)


def shared_options() -> list[click.Option]:
    """Return the options that are added to those of each command."""
    texts = [
        ("--project", "NAME", "Project name, id or folder (default: the current folder)."),
        ("--agent", "NAME", "Act as this agent instead of the owner."),
    ]
    options = [
        click.Option([flag], metavar=metavar, expose_value=False, callback=_set, help=help)
        for flag, metavar, help in texts
    ]
    in_json = click.Option(
        ["--json"],
        is_flag=True,
        expose_value=False,
        callback=_set,
        help="Print JSON, as the API returns it.",
    )
    return [*options, in_json]


def ids_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--ids` to a command that lists things."""
    return click.option(
        "--ids", is_flag=True, expose_value=False, callback=_set, help="Print only the ids, one per line."
    )(function)


def quiet_option(function: Callable[..., None]) -> Callable[..., None]:
    """Add `--quiet` to a command that stores something."""
    return click.option(
        "-q", "--quiet", is_flag=True, expose_value=False, callback=_set, help="Print only the id."
    )(function)


def limit_option(default: int | None = None, most: int | None = None) -> Callable[[F], F]:
    """Add `--limit` to a command; without a default there is no limit."""
    return click.option(
        "--limit",
        type=click.IntRange(1, most),
        metavar="N",
        default=default,
        show_default=default is not None,
        help="Maximum number of results.",
    )


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
