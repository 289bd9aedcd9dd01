"""Whether a journal, an entry or a change of one is as it should be: every problem with its field."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple, cast

import msgspec

from rum.model.errors import InvalidQuery
from rum.model.journal import VERSION, Journal, Kind, Part, Period, Situation, is_newer, seconds_of
from rum.model.parse import parse, required

Path = tuple[str | int, ...]
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_LISTS: Mapping[str, type[Part]] = {**{kind.section: kind.model for kind in Kind}, "history": Period}
_TIMES = ("timestamp", "createdAt", "archivedAt", "since", "until")
_SECTIONS = (*_LISTS, "context")


class Problem(NamedTuple):
    """What is wrong, and where: keys and positions from the top."""

    path: Path
    message: str


def spelt(model: type[Part], given: Mapping[str, Any]) -> dict[str, Any]:
    """Fields as a file spells and orders them: `related_files` is `relatedFiles`; unknown ones come last."""
    names = {field.name: field.encode_name for field in msgspec.structs.fields(model)}
    told = {names.get(name, name): one for name, one in given.items()}
    return {name: told[name] for name in names.values() if name in told} | told


def refuse_problems(model: type[Part], given: Mapping[str, Any], what: str, *, whole: bool) -> None:
    """InvalidQuery for the first problem of a part; unless it is `whole`, fields may be missing."""
    for path, message in problems_of(model, given, what, whole=whole):
        raise InvalidQuery(message, field=".".join(map(str, path)))


def problems_of(
    model: type[Part], given: Mapping[str, Any], what: str, *, whole: bool = True
) -> Iterator[Problem]:
    """What is wrong with the fields of one part."""
    known = msgspec.structs.fields(model)
    for name in [field.encode_name for field in known if field.required]:
        if (whole and name not in given) or (name in given and given[name] is None):
            yield Problem((name,), required(model, name, what))
    left = {name: one for name, one in given.items() if one is not None}
    for name in [field.encode_name for field in known if field.encode_name in _TIMES]:
        if name in left and seconds_of(left.pop(name)) is None:
            yield Problem((name,), f"{what}: `{name}` is not a time such as 2026-01-23T10:31:05.000Z.")
    while (problem := _first(left, model, what)) is not None:
        yield problem
        del left[str(problem.path[0])]


def _first(given: dict[str, Any], model: type[Part], what: str) -> Problem | None:
    try:
        parse(given, _without_demands(model), what)
    except InvalidQuery as error:
        path = _steps(str(error.details.get("field", "")))
        if not path or path[0] not in given:
            raise
        return Problem(path, error.message)
    return None


def problems(journal: object) -> Iterator[Problem]:
    """What is wrong with a whole journal."""
    if not isinstance(journal, dict):
        yield Problem((), "A journal is a map with version, schema, sessionId, agent and sections.")
        return
    given = cast("dict[str, Any]", journal)
    header = {name: one for name, one in given.items() if name not in _SECTIONS}
    yield from problems_of(Journal, header, "journal")
    if is_newer(given.get("version")):
        yield Problem(
            ("version",), f"journal: version {given['version']} is newer than {VERSION}; RUM only reads it."
        )
    seen: set[object] = set()
    for section, model in _LISTS.items():
        yield from _list_problems(section, model, given.get(section), seen)
    if (context := given.get("context")) is not None:
        yield from _part_problems(("context",), "context", Situation, context)


def _list_problems(section: str, model: type[Part], found: object, seen: set[object]) -> Iterator[Problem]:
    if found is None:
        return
    if not isinstance(found, list):
        yield Problem((section,), f"{section} is a list of entries, each after a dash.")
        return
    for place, entry in enumerate(cast("list[object]", found)):
        yield from _part_problems((section, place), f"{section}[{place}]", model, entry)
        name = cast("dict[str, Any]", entry).get("id") if isinstance(entry, dict) else None
        if isinstance(name, str):
            if name in seen:
                yield Problem(
                    (section, place, "id"), f"{section}[{place}]: there is another entry `{name[:60]}`."
                )
            seen.add(name)


def _part_problems(at: Path, what: str, model: type[Part], found: object) -> Iterator[Problem]:
    if not isinstance(found, dict):
        yield Problem(at, f"{what} is a map of fields.")
        return
    for path, message in problems_of(model, cast("dict[str, Any]", found), what):
        yield Problem((*at, *path), message)


@cache
def _without_demands(model: type[Part]) -> type[Part]:
    """The same part with every field optional, so that each can be checked by itself."""
    hints = msgspec.structs.fields(model)
    fields: Any = [
        (field.name, field.type, msgspec.field(default=None, name=field.encode_name)) for field in hints
    ]
    return cast("type[Part]", msgspec.defstruct(model.__name__, fields, frozen=True, kw_only=True))


def _steps(field: str) -> Path:
    return tuple(int(number) if number else word for number, word in _STEP.findall(field))
