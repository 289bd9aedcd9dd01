"""The options that every command takes, before its name or after it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar

import click

from rum.model.errors import InvalidQuery

F = TypeVar("F", bound=Callable[..., Any])


class WrongUsage(InvalidQuery):
    """Options that contradict each other, or are missing or out of range; the exit code is 2."""


@contextmanager
def check_usage(*, wrong: bool = True) -> Generator[None]:
    """Treat INVALID_QUERY raised inside as wrong usage, for calls that refuse nothing but the options."""
    try:
        yield
    except InvalidQuery as error:
        raise WrongUsage(error.message, **error.details) if wrong else error from None


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


def _flag(help: str) -> dict[str, Any]:
    """The arguments of a flag that is stored in `Options`."""
    return {"is_flag": True, "expose_value": False, "callback": _set, "help": help}


def _shared_options() -> list[click.Parameter]:
    """Return the options that are added to those of each command."""
    project = "Project name, id or folder (default: the current folder)."
    agent = "Act as this agent instead of the owner."
    named: dict[str, Any] = {"metavar": "NAME", "expose_value": False, "callback": _set}
    return [
        click.Option(["--project"], help=project, **named),
        click.Option(["--agent"], help=agent, **named),
        # First, so that an error about another option is printed as JSON too.
        click.Option(["--json"], is_eager=True, **_flag("Print JSON, as the API returns it.")),
    ]


def ids_option(function: F) -> F:
    """Add `--ids` to a command that lists things."""
    return click.option("--ids", **_flag("Print only the ids, one per line."))(function)


def quiet_option(function: F) -> F:
    """Add `--quiet` to a command that stores something."""
    return click.option("-q", "--quiet", **_flag("Print only the id."))(function)


class Command(click.Command):
    """A command that takes the shared options too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _shared_options()


class Group(click.Group):
    """A group of commands that takes the shared options too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params += _shared_options()


def command(
    name: str, group: click.Group | None = None, *, help: str | None = None
) -> Callable[[Callable[..., None]], Command]:
    """Make a function that takes `Options` a command, of a group or of `rum`; its docstring is the help."""

    def make(function: Callable[..., None]) -> Command:
        made = click.command(name, cls=Command, help=help)(click.pass_obj(function))
        if group is not None:
            group.add_command(made)
        return made

    return make
