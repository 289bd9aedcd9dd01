"""What a call is: a function of plain JSON arguments, most often of one checked question."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from msgspec import Struct

from rum.app.caller import Caller
from rum.model.parse import parse

Json = dict[str, Any]
Call = Callable[[Caller, Json], Struct]
Q = TypeVar("Q")


def asks(name: str, model: type[Q], use_case: Callable[[Caller, Q], Struct]) -> Call:
    """A call whose arguments are one checked question."""
    return lambda caller, given: use_case(caller, question(name, model, given))


def question(name: str, model: type[Q], given: Json) -> Q:
    """A checked question; null for a field says no more than leaving it out."""
    known: tuple[str, ...] = getattr(model, "__struct_fields__", ())
    told = {field: value for field, value in given.items() if value is not None or field not in known}
    return parse(told, model, name)
