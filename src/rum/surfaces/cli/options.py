"""Commands and their options: those that all take, types of values, and options made from a request."""

from __future__ import annotations

import time
import types
import typing
from collections.abc import Callable, Container, Generator, Iterable
from contextlib import contextmanager
from enum import Enum
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
import msgspec
from msgspec import Meta, Struct

from rum.app.calls import CALLS, load
from rum.model.errors import InvalidQuery
from rum.model.fields import SPAN, SPAN_UNITS, Time, field_info, nearest, point_in_time

if TYPE_CHECKING:
    _Choice = click.Choice[str]
    _Type = click.ParamType[int]
else:
    # Earlier releases of click have no type arguments.
    _Choice, _Type = click.Choice, click.ParamType


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


_LONGEST = 366 * 86400  # Maximum of a time span, in seconds


class OneOf(_Choice):
    """One of several words; `bug-fix` is read as `bug_fix`."""

    def __init__(self, words: Iterable[str]) -> None:
        super().__init__([str(word) for word in words])

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The word as the API spells it."""
        word = str(value).replace("-", "_")
        if word not in self.choices and (close := nearest(word, list(self.choices))):
            self.fail(f"{value!r} is unknown. Did you mean {close}?", param, ctx)
        return super().convert(word, param, ctx)


class Span(_Type):
    """The type of `--for`."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Seconds of the option's text."""
        found = SPAN.fullmatch(str(value).strip())
        if found is None or not 1 <= (length := float(found[1]) * SPAN_UNITS[found[2]]) <= _LONGEST:
            self.fail(f"{value!r} is not a time span. Write 30m, 12h, 7d or 2w; at most a year.", param, ctx)
        return int(length)


class When(_Type):
    """The type of `--since` and `--before`."""

    name = "when"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Unix seconds of the option's text."""
        try:
            return point_in_time(str(value), time.time())
        except ValueError as error:
            self.fail(str(error), param, ctx)


since_option = click.option(
    "--since", type=When(), help="Not older than this: Unix seconds, ISO date, or 7d, 12h, 2w."
)


def _fail(
    kind: click.IntRange | click.FloatRange,
    value: object,
    param: click.Parameter | None,
    ctx: click.Context | None,
) -> NoReturn:
    """Say which numbers an option takes."""
    noun = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    low, high = kind.min, kind.max
    limits = f" from {low} to {high}" if high is not None else "" if low is None else f" of at least {low}"
    kind.fail(f"{str(value)!r} is not {noun}{limits}.", param, ctx)


class WholeNumber(click.IntRange):
    """A whole number within limits."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number; the error says which ones are allowed."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            _fail(self, value, param, ctx)


class Number(click.FloatRange):
    """A number within limits, which the help names in its own words if `in_help` is false."""

    def __init__(self, low: float | None, high: float | None, *, in_help: bool = True) -> None:
        super().__init__(low, high)
        self._in_help = in_help
        self.name = self.name if in_help else "float"

    def _describe_range(self) -> str:
        return super()._describe_range() if self._in_help else ""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; the error says which ones are allowed."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            _fail(self, value, param, ctx)


def limit_option(default: int | None = None, most: int | None = None) -> Callable[[F], F]:
    """Add `--limit` to a command; without a default there is no limit."""
    return click.option(
        "--limit",
        type=WholeNumber(1, most),
        metavar="N",
        default=default,
        show_default=default is not None,
        help="Maximum number of results.",
    )


def options_of(
    request: str | type[Struct],
    *,
    leave_out: tuple[str, ...] = (),
    by_setting: Container[str] = (),
    **changes: dict[str, Any],
) -> Callable[[F], F]:
    """Add an option for each described field of a request: of a call by its name, or of a type.

    `by_setting` are fields whose default is a setting. `changes` are arguments of `click.option` by field,
    where the command line differs from the API.
    """
    if isinstance(request, str):
        call = CALLS[request]
        return options_of(load(call.request or ""), leave_out=leave_out, by_setting=call.settings, **changes)
    hints = typing.get_type_hints(request, include_extras=True)
    options = [
        _option(
            field, hints[field.name], has_default=field.name not in by_setting, **changes.get(field.name, {})
        )
        for field in msgspec.structs.fields(request)
        if field.name not in leave_out and field_info(hints[field.name])
    ]

    def add(function: F) -> F:
        for option in reversed(options):  # as decorators, the last is applied first
            function = option(function)
        return function

    return add


def _option(
    field: msgspec.structs.FieldInfo, annotation: Any, *, has_default: bool, **changes: Any
) -> Callable[[F], F]:
    about = field_info(annotation)
    options: dict[str, Any] = {"help": about["help"], "required": field.required} | _type(annotation)
    if about["metavar"]:
        options["metavar"] = about["metavar"]
    default = field.default
    if isinstance(default, str | int | float) and default is not False and has_default:
        options |= {"default": str(default) if isinstance(default, str) else default, "show_default": True}
    name = about["option"] or "--" + field.name.replace("_", "-")
    return click.option(name, field.name, **(options | changes))


def _type(annotation: Any) -> dict[str, Any]:
    """Return the arguments of `click.option` for a type."""
    members = _members(annotation)
    if any(typing.get_origin(member) is tuple for member in members):
        return {"multiple": True}
    (member,) = members
    if member == Time:
        return {"type": When()}
    plain = typing.get_args(member)[0] if typing.get_origin(member) is typing.Annotated else member
    if plain is bool:
        return {"is_flag": True}
    if typing.get_origin(plain) is typing.Literal:
        return {"type": OneOf(typing.get_args(plain))}
    if isinstance(plain, type) and issubclass(plain, Enum):
        return {"type": OneOf(member.value for member in plain)}
    if plain in (int, float):
        metas: list[Meta] = [meta for meta in getattr(member, "__metadata__", ()) if isinstance(meta, Meta)]
        low = next((meta.ge for meta in metas if meta.ge is not None), None)
        high = next((meta.le for meta in metas if meta.le is not None), None)
        kind: Any = WholeNumber if plain is int else Number
        return {"type": kind(low, high), "metavar": "N"}
    return {}


def _members(annotation: Any) -> list[Any]:
    """Return the types of a union without None, with their limits but without their descriptions."""
    if typing.get_origin(annotation) is typing.Annotated and field_info(annotation):
        limits = [meta for meta in annotation.__metadata__ if not field_info(typing.Annotated[str, meta])]
        inner = typing.get_args(annotation)[0]
        return _members(typing.Annotated[(inner, *limits)] if limits else inner)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return [member for part in typing.get_args(annotation) for member in _members(part)]
    if typing.get_origin(annotation) is typing.Annotated:
        inner = typing.get_args(annotation)[0]
        return [inner] if typing.get_origin(inner) is tuple else [annotation]
    return [] if annotation is type(None) else [annotation]
