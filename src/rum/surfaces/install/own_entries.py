"""Which hooks and servers in somebody's settings are RUM's, and edits that add or remove them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from itertools import dropwhile
from typing import Any, NamedTuple, cast

from rum.model.errors import InvalidQuery
from rum.surfaces.install import json_edit

NAME = "rum"
"""What the MCP server is called in every client."""

_RUM = re.compile(r"(?:^|[/\\])rum(?:\.exe)?$")
_RUM_HOOK = re.compile(r"(?:^|[/\\])rum-hook(?:\.exe)?$")
_SET = re.compile(r"[A-Za-z_]\w*=")


class Hook(NamedTuple):
    """One group of a hook event: which tools it is for (all where None), and what is run."""

    event: str
    matcher: str | None
    handler: dict[str, Any]


def with_hooks(text: str, hooks: Iterable[Hook]) -> str:
    """Settings with RUM's hooks after those that are there."""
    for hook in hooks:
        group: dict[str, Any] = {"matcher": hook.matcher} if hook.matcher else {}
        text = json_edit.append(text, ("hooks", hook.event), {**group, "hooks": [hook.handler]})
    return text


def without_hooks(text: str) -> str:
    """Settings without RUM's hooks; what is empty then goes with them."""
    while (found := _first_hook(json_edit.value_at(text, ("hooks",)))) is not None:
        text = json_edit.drop(text, ("hooks", *found))
    return text


def _first_hook(events: Any) -> tuple[str | int, ...] | None:
    """Where one of RUM's hooks stands; the whole group where there is nothing else in it."""
    for event, groups in _table(events).items():
        for number, group in enumerate(_list(groups)):
            handlers = _list(_table(group).get("hooks"))
            for place, handler in enumerate(handlers):
                if is_hook(handler):
                    return (event, number) if len(handlers) == 1 else (event, number, "hooks", place)
    return None


def is_hook(handler: Any) -> bool:
    """Whether a handler runs RUM's hook, wherever RUM was then."""
    words = list(dropwhile(_SET.match, _split(handler)))
    *start, client = words or [""]
    # All of it, not a part: a line of somebody else's may well speak of ours.
    if not start or not client or client.startswith("-"):
        return False
    if len(start) == 1:
        return bool(_RUM_HOOK.search(start[0]))
    runs = bool(_RUM.search(start[0])) if len(start) == 2 else _is_module(start[:-1])
    return runs and start[-1] == "hook"


def is_server(entry: Any) -> bool:
    """Whether an entry starts RUM's MCP server, wherever RUM was then."""
    words = _words(entry)
    runs = bool(_RUM.search(words[0])) or _is_module(words[:4]) or _is_module(words[:3])
    return runs and "mcp" in words[1:]


def _is_module(words: list[str]) -> bool:
    """Whether the words are an interpreter that runs our package."""
    return words[1:] in (["-P", "-m", "rum"], ["-m", "rum"])


def with_more(entry: dict[str, Any], old: Any) -> dict[str, Any]:
    """An entry of RUM's server with what was added to an older one: variables, limits, what is approved."""
    return {**entry, **{name: value for name, value in _table(old).items() if name not in entry}}


def without_server(text: str, path: tuple[str | int, ...]) -> str:
    """Settings without RUM's MCP server; refused where another's has its name."""
    entry = json_edit.value_at(text, path)
    check_name(entry, path)
    return text if entry is None else json_edit.drop(text, path)


def check_name(entry: Any, path: tuple[str | int, ...]) -> None:
    """Refuse to take the place of somebody else's server."""
    if entry is not None and not is_server(entry):
        named = ".".join(map(str, path))
        raise InvalidQuery(f"`{named}` is another program's MCP server. Rename that entry.")


def _words(entry: Any) -> list[str]:
    """A command and its arguments, which some clients keep in one list."""
    given = _table(entry)
    command = given.get("command")
    words = [*(_list(command) or [command]), *_list(given.get("args"))]
    return [word if isinstance(word, str) else "" for word in words]


def _split(handler: Any) -> list[str]:
    """The words of a command, which is one line of a shell where no arguments stand beside it."""
    words = _words(handler)
    if len(words) > 1:
        return words
    try:
        return shlex.split(words[0].replace("\\", "/"))
    except ValueError:
        return []


def _table(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
