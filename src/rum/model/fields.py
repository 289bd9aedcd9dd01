"""What the fields of a question are called and described as; schema, options and signatures use it."""

from __future__ import annotations

import typing
from typing import Any

from msgspec import Meta


def about(
    help: str,
    *,
    note: str | None = None,
    option: str | None = None,
    metavar: str | None = None,
    tool: bool = True,
) -> Meta:
    """Describe a field.

    `help` is the text for people, `note` the shorter one for the tool list, where every token counts and
    most names need none. `option` is the name on the command line where it is not the field's own. A field
    with the metavar PATH takes path objects in Python. With `tool` false the tool list leaves it out.
    """
    return Meta(extra={"help": help, "note": note, "option": option, "metavar": metavar, "tool": tool})


def field_info(annotation: Any) -> dict[str, Any]:
    """What `about` says of a field with this annotation; empty where it says nothing."""
    if typing.get_origin(annotation) is typing.Annotated:
        for meta in typing.get_args(annotation)[1:]:
            if isinstance(meta, Meta) and meta.extra and "help" in meta.extra:
                return dict(meta.extra)
    return {}
