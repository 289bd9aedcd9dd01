"""Read what a command stores: a JSON object from a file or stdin, or flags, each of which sets a field."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar, cast

import click
import msgspec

from rum.model.errors import InvalidQuery
from rum.surfaces.cli.options import WrongUsage

F = TypeVar("F", bound=Callable[..., Any])
Json = dict[str, Any]


class Flag(NamedTuple):
    """A flag, or a pair `--on/--off`, and the field it sets; with `many` it can be repeated."""

    name: str
    field: str
    help: str
    type: Any = None
    many: bool = False


class _Pair(click.Option):
    """A flag `--on/--off`; both at once are refused."""

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:  # noqa: ARG002
        """Let the parser collect what was given, as otherwise the last one would win."""
        for opts, value in ((self.opts, True), (self.secondary_opts, False)):
            parser.add_option(
                obj=self, opts=opts, dest=self.name, action="append_const", const=value, nargs=0
            )

    def consume_value(self, ctx: click.Context, opts: Mapping[str, Any]) -> Any:
        """The value that was given."""
        given: list[bool] = opts.get(self.name or "") or []
        if len(set(given)) > 1:
            on, off = self.opts[0], self.secondary_opts[0]
            raise WrongUsage(f"{on} and {off} exclude each other; leave one out.", field=on[2:])
        return super().consume_value(ctx, {**opts, self.name or "": given[0]} if given else opts)


def flag_options(flags: Iterable[Flag]) -> Callable[[F], F]:
    """Add `--file` and an option for each flag to a command."""

    def add(command: F) -> F:
        for flag in reversed([*flags]):  # as decorators, the last is applied first
            parameter = flag.field.replace(".", "__")
            if "/" in flag.name:
                option = click.option(flag.name, parameter, cls=_Pair, default=None, help=flag.help)
            else:
                metavar = None if flag.type else "TEXT"
                kind: dict[str, Any] = {"type": flag.type, "multiple": flag.many, "metavar": metavar}
                option = click.option(flag.name, parameter, help=flag.help, **kind)
            command = option(command)
        return click.option("--file", "source", metavar="FILE", help="Read JSON from this file (-: stdin).")(
            command
        )

    return add


def given_flags(flags: Json) -> Json:
    """Return the flags that were given, by field."""
    return {name.replace("__", "."): value for name, value in flags.items() if value not in (None, ())}


def given_record(source: str | None, flags: Json) -> Json:
    """Build the record from the given flags if there are any, else read JSON from the file or stdin."""
    if not flags:
        return _read_json(source)
    if source:
        raise click.UsageError("Give JSON or flags, not both.")
    return nested(flags)


def nested(fields: Json) -> Json:
    """Fields with dotted names as nested objects."""
    record: Json = {}
    for field, value in fields.items():
        *path, last = field.split(".")
        part = record
        for name in path:
            part = part.setdefault(name, {})
        part[last] = [*cast("tuple[Any, ...]", value)] if isinstance(value, tuple) else value
    return record


def _read_json(source: str | None) -> Json:
    if source is None and sys.stdin.isatty():
        raise click.UsageError("Give JSON on stdin or with --file, or flags.")
    where = source_name(source or "-")
    data = read_source(source or "-")
    if where == "stdin" and not data.strip():
        command = click.get_current_context().command_path
        raise InvalidQuery(f"stdin is empty; give a JSON object or flags ({command} --help).")
    record = parse_json(decode_text(data, where), where)
    if not isinstance(record, dict):
        raise InvalidQuery(f"{where} must hold one JSON object.")
    return cast("Json", record)


def source_name(file: str) -> str:
    """The name of a file in messages; `-` is stdin."""
    return "stdin" if file == "-" else file


def read_source(file: str) -> bytes:
    """Read a file; `-` is stdin."""
    if file == "-":
        return sys.stdin.buffer.read()
    with open(file, "rb") as source:
        return source.read()


def decode_text(data: bytes, where: str, **details: str) -> str:
    """Decode UTF-8 text, with or without a byte order mark."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidQuery(f"{where} is not UTF-8 text.", **details) from None


def parse_json(text: str, where: str, **details: str) -> object:
    """Parse one JSON document."""
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise InvalidQuery(f"{where} is nested too deeply.", **details) from None
    except msgspec.DecodeError as error:
        raise InvalidQuery(f"{where} is not JSON: {error}.", **details) from None
