"""Read what a command stores: a JSON object from a file or stdin, or flags, each of which sets a field."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar, cast

import click
import msgspec

from rum.model.errors import InvalidQuery

F = TypeVar("F", bound=Callable[..., Any])
Json = dict[str, Any]


class Flag(NamedTuple):
    """A flag, or a pair `--on/--off`, and the field it sets; with `many` it can be repeated."""

    name: str
    field: str
    help: str
    type: Any = None
    many: bool = False


def flag_options(flags: Iterable[Flag]) -> Callable[[F], F]:
    """Add `--file` and an option for each flag to a command."""

    def add(command: F) -> F:
        for flag in reversed([*flags]):  # as decorators, the last is applied first
            command = _option(flag)(command)
        return click.option("--file", "source", metavar="FILE", help="Read JSON from this file (-: stdin).")(
            command
        )

    return add


def _option(flag: Flag) -> Callable[[F], F]:
    parameter = flag.field.replace(".", "__")
    if "/" in flag.name:
        return click.option(flag.name, parameter, default=None, help=flag.help)
    metavar = None if flag.type else "TEXT"
    return click.option(
        flag.name, parameter, type=flag.type, multiple=flag.many, metavar=metavar, help=flag.help
    )


def given_flags(flags: Json) -> Json:
    """Return the flags that were given, by field."""
    return {name.replace("__", "."): value for name, value in flags.items() if value not in (None, ())}


def given_record(source: str | None, flags: Json) -> Json:
    """Build the record from the given flags if there are any, else read JSON from the file or stdin."""
    if not flags:
        return _read_json(source)
    if source:
        raise click.UsageError("Give JSON or flags, not both.")
    record: Json = {}
    for field, value in flags.items():
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
