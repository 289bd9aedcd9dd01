"""The files of a client's settings: RUM's hooks and MCP server in them, found, added and removed again."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable, Iterable
from itertools import dropwhile
from typing import Any, NamedTuple, cast

from rum.model.errors import InvalidQuery
from rum.store.files import toml_edit
from rum.surfaces.install import json_edit

SERVER_NAME = "rum"  # The name of the MCP server in every client
ACCESS_VARIABLE = "RUM_TOKEN"  # The variable of the environment with the token of a team server
_STDIO_FIELDS = {"command", "args", "env", "env_vars", "environment", "envFile", "cwd"}
_HTTP_FIELDS = {
    *("url", "httpUrl", "headers", "http_headers", "env_http_headers"),
    *("bearer_token_env_var", "oauth"),
}

_RUM = re.compile(r"(?:^|[/\\])rum(?:\.exe)?$")
_RUM_HOOK = re.compile(r"(?:^|[/\\])rum-hook(?:\.exe)?$")
_VARIABLE = re.compile(r"[A-Za-z_]\w*=")


class Hook(NamedTuple):
    """A hook of an event: the tools it is for (None: all), and the command."""

    event: str
    matcher: str | None
    handler: dict[str, Any]


class Target(NamedTuple):
    """A file and how it is edited.

    `add` takes a text without RUM's entries and the current text, as users extend RUM's entries by hand and
    these additions are kept. `remove` removes RUM's entries from any text. `parse` returns the content, by
    which two texts are compared. No link may lead out of the folder `within`. `part` distinguishes targets
    in the same file.
    """

    path: str
    add: Callable[[str, str], str]
    remove: Callable[[str], str]
    parse: Callable[[str], Any]
    within: str | None = None
    part: str = ""


class InstallLocation(NamedTuple):
    """Where settings are written: for a user or for a project."""

    scope: str
    home: str
    root: str | None
    environ: dict[str, str]

    def in_home(self, *names: str, variable: str | None = None) -> str:
        """A file in the user's home; `variable` may name another folder instead of the first name."""
        folder = self.environ.get(variable, "") if variable else ""
        return os.path.join(folder, *names[1:]) if folder else os.path.join(self.home, *names)

    def in_project(self, *names: str) -> str:
        """A file in the project."""
        assert self.root is not None
        return os.path.join(self.root, *names)

    def file(self, folder: str, name: str, *, variable: str | None = None) -> str:
        """A file in the client's folder, which is in the project or in the user's home."""
        if self.scope == "project":
            return self.in_project(folder, name)
        return self.in_home(folder, name, variable=variable)

    def fence(self, path: str) -> str | None:
        """The folder that links may not lead out of.

        A repository may hold links to anything; users may link their own settings to any place.
        """
        inside = self.scope == "project" and path.startswith(os.path.join(str(self.root), ""))
        return self.root if inside else None


def json_target(
    location: InstallLocation,
    path: str,
    server: tuple[tuple[str | int, ...], dict[str, Any]] | None = None,
    hooks: tuple[Hook, ...] = (),
) -> Target:
    """A JSON file with RUM's server at a path, RUM's hooks, or both."""

    def add(text: str, current: str) -> str:
        if server is not None:
            path, entry = server
            entry = _with_additions(entry, json_edit.value_at(current, path))
            text = json_edit.set_value(text, path, entry)
        return add_hooks(text, hooks)

    def remove(text: str) -> str:
        if server is not None:
            entry = json_edit.value_at(text, server[0])
            _check_name(entry, server[0])
            text = text if entry is None else json_edit.remove(text, server[0])
        return _remove_hooks(text) if hooks else text

    part = ".".join(map(str, server[0])) if server else "hooks"
    return Target(path, add, remove, json_edit.parse_value, location.fence(path), part)


def toml_target(
    location: InstallLocation, path: str, table: tuple[str, ...], entry: dict[str, Any]
) -> Target:
    """A TOML file with RUM's server as a table."""

    def add(text: str, current: str) -> str:
        new = _with_additions(entry, toml_edit.table_at(current, table))
        return toml_edit.add_table(text, table, new)

    def remove(text: str) -> str:
        _check_name(toml_edit.table_at(text, table), table)
        return toml_edit.remove_table(text, table)

    return Target(path, add, remove, toml_edit.parse, location.fence(path), ".".join(table))


def add_hooks(text: str, hooks: Iterable[Hook]) -> str:
    """Add RUM's hooks after the existing ones."""
    for hook in hooks:
        group: dict[str, Any] = {"matcher": hook.matcher} if hook.matcher else {}
        text = json_edit.append(text, ("hooks", hook.event), {**group, "hooks": [hook.handler]})
    return text


def _remove_hooks(text: str) -> str:
    """Remove RUM's hooks, and the groups and events that are empty then."""
    while (found := _first_hook(json_edit.value_at(text, ("hooks",)))) is not None:
        text = json_edit.remove(text, ("hooks", *found))
    return text


def _first_hook(events: Any) -> tuple[str | int, ...] | None:
    """The path of one of RUM's hooks, or of its group if that holds nothing else."""
    for event, groups in _table(events).items():
        for index, group in enumerate(_list(groups)):
            handlers = _list(_table(group).get("hooks"))
            for position, handler in enumerate(handlers):
                if is_rum_hook(handler):
                    return (event, index) if len(handlers) == 1 else (event, index, "hooks", position)
    return None


def is_rum_hook(handler: Any) -> bool:
    """Whether a handler runs RUM's hook, wherever RUM is installed."""
    words = list(dropwhile(_VARIABLE.match, _split(handler)))
    *start, client = words or [""]
    # The whole command must match: another program's command may mention RUM's.
    if not start or not client or client.startswith("-"):
        return False
    if len(start) == 1:
        return bool(_RUM_HOOK.search(start[0]))
    runs = bool(_RUM.search(start[0])) if len(start) == 2 else _is_module(start[:-1])
    return runs and start[-1] == "hook"


def is_rum_server(entry: Any) -> bool:
    """Whether an entry starts RUM's MCP server, wherever RUM is installed, or names a team server."""
    if _is_remote(entry):
        table = _table(entry)
        sent = str(_table(table.get("headers")).get("Authorization", ""))
        names_variable = table.get("bearer_token_env_var") == ACCESS_VARIABLE
        # `claude mcp add` writes the token itself.
        return names_variable or ACCESS_VARIABLE in sent or sent.startswith("Bearer rum_")
    words = _words(entry)
    # With -P and without it, as people may have written it.
    runs = bool(_RUM.search(words[0])) or _is_module(words[:4]) or _is_module(words[:3])
    return runs and "mcp" in words[1:]


def _is_module(words: list[str]) -> bool:
    """Whether the words are an interpreter that runs this package."""
    return words[1:] in (["-P", "-m", "rum"], ["-m", "rum"])


def _with_additions(entry: dict[str, Any], old: Any) -> dict[str, Any]:
    """An entry of RUM's server with what users added to the old one: variables, limits, approvals.

    Fields that say how the old one is reached are left out if the new one is reached in another way.
    """
    table = _table(old)
    left_out = set(entry)
    if _is_remote(entry) != _is_remote(old):
        left_out |= _STDIO_FIELDS | _HTTP_FIELDS | {"type"}
    elif "headers" in entry:
        entry = {**entry, "headers": {**_table(table.get("headers")), **entry["headers"]}}
    return {**entry, **{name: value for name, value in table.items() if name not in left_out}}


def _is_remote(entry: Any) -> bool:
    """Whether an entry names an address instead of a command."""
    return not {"url", "httpUrl"}.isdisjoint(_table(entry))


def _check_name(entry: Any, path: tuple[str | int, ...]) -> None:
    """Refuse to replace another program's server."""
    if entry is not None and not is_rum_server(entry):
        name = ".".join(map(str, path))
        raise InvalidQuery(f"`{name}` is another program's MCP server. Rename that entry.")


def _words(entry: Any) -> list[str]:
    """A command and its arguments, which some clients store as one list."""
    table = _table(entry)
    command = table.get("command")
    words = [*(_list(command) or [command]), *_list(table.get("args"))]
    return [word if isinstance(word, str) else "" for word in words]


def _split(handler: Any) -> list[str]:
    """The words of a command; without a list of arguments it is one line of a shell."""
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
