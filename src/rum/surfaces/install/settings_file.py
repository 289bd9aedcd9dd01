"""One file of a client's settings: how RUM gets into it, out of it, and how it is known to be sound."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple

from rum.surfaces.install import json_edit, jsonc, own_entries, toml_edit
from rum.surfaces.install.launch import Launch
from rum.surfaces.install.own_entries import Hook

Edit = Callable[[str], str]


class Target(NamedTuple):
    """A file with the edits it takes.

    `put` adds to a text that has nothing of RUM's, and is told what the text was before that, as people add
    to RUM's entry what they need; `drop` makes such a text of any; `said` is what a text means, by which two
    are compared. No link may lead out of `within`. `part` tells apart what is put into one file for different
    reasons.
    """

    path: str
    put: Callable[[str, str], str]
    drop: Edit
    said: Callable[[str], Any]
    within: str | None = None
    part: str = ""


class Place(NamedTuple):
    """Where a client's settings are to be: of a user, or of a project's folder."""

    scope: str
    home: str
    root: str | None
    environ: dict[str, str]

    def user(self, *names: str, under: str | None = None) -> str:
        """A file in the user's home, or in the folder that a variable names instead."""
        moved = self.environ.get(under, "") if under else ""
        return os.path.join(moved, *names[1:]) if moved else os.path.join(self.home, *names)

    def in_project(self, *names: str) -> str:
        """A file in the project."""
        assert self.root is not None
        return os.path.join(self.root, *names)


class Client(NamedTuple):
    """A program that can use RUM.

    `targets` says what to write for a place and a way to start RUM by it; `shared` whether the files of a
    project's scope are those that people commit; `guide` is its file of instructions, for a user and in a
    project; `afterwards` is what is left for a person to do.
    """

    name: str
    title: str
    programs: tuple[str, ...]
    folders: tuple[str, ...]
    targets: Callable[[Place, Launch], list[Target]]
    shared: bool
    guide: Callable[[Place], str | None]
    afterwards: Callable[[Place], list[str]]


def json_target(
    place: Place,
    path: str,
    server: tuple[tuple[str | int, ...], dict[str, Any]] | None = None,
    hooks: tuple[Hook, ...] = (),
) -> Target:
    """A JSON file that gets a server at a path, hooks, or both."""

    def put(text: str, was: str) -> str:
        if server is not None:
            path, entry = server
            text = json_edit.put(text, path, own_entries.with_more(entry, json_edit.value_at(was, path)))
        return own_entries.with_hooks(text, hooks)

    def drop(text: str) -> str:
        if server is not None:
            text = own_entries.without_server(text, server[0])
        return own_entries.without_hooks(text) if hooks else text

    part = ".".join(map(str, server[0])) if server else "hooks"
    return Target(path, put, drop, _said, _within(place, path), part)


def toml_target(place: Place, path: str, table: tuple[str, ...], entry: dict[str, Any]) -> Target:
    """A TOML file that gets a server as a table of its own."""

    def drop(text: str) -> str:
        own_entries.check_name(toml_edit.table_at(text, table), table)
        return toml_edit.drop(text, table)

    def put(text: str, was: str) -> str:
        return toml_edit.put(text, table, own_entries.with_more(entry, toml_edit.table_at(was, table)))

    return Target(path, put, drop, toml_edit.parse, _within(place, path), ".".join(table))


def _said(text: str) -> Any:
    if not text.strip("\ufeff \t\r\n"):
        return {}
    return jsonc.parse(text).value


def _within(place: Place, path: str) -> str | None:
    """A repository may hold links to anything; a user's own settings may be linked as the user likes."""
    inside = place.root is not None and place.scope == "project"
    return place.root if inside and path.startswith(os.path.join(str(place.root), "")) else None


def nothing(place: Place) -> list[str]:  # noqa: ARG001 (as others have it)
    """Nothing is left to do."""
    return []
