"""`rum layers`: episodic, semantic and procedural memory as layers of entries."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import click
import msgspec

from rum.app.layers.layers import Layers
from rum.app.layers.memory_manager import MemoryManager
from rum.inject.render import local_time
from rum.model.errors import InvalidQuery, NotFound
from rum.model.layers import FOUND_AT_MOST, KEEP_LAST, LASTING, MemoryEntry, MemoryStats
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.memories.forget import confirmed
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, Group
from rum.surfaces.cli.output import note, say
from rum.surfaces.cli.views import Fields, Table, View, Word, said

F = TypeVar("F", bound=Callable[..., Any])
Json = dict[str, Any]


class There(NamedTuple):
    """The layers a command is about, and the name that must be typed to empty them."""

    layers: Layers
    name: str


def _in_place(command: F) -> F:
    return click.option(
        "--dir", "folder", type=click.Path(), metavar="DIR", help="Work on the files of this directory."
    )(command)


@contextmanager
def _there(asked: Asked, folder: str | None) -> Generator[There]:
    """The layers of the project, or of a directory of files."""
    if folder is None:
        with opened(asked) as rum:
            yield There(rum.layers, rum.project.name)
        return
    if not os.path.isdir(folder):
        raise NotFound(f"There is no directory {folder}.", path=folder)
    with MemoryManager(folder, agent=asked.agent) as manager:
        yield There(manager, os.path.basename(manager.path))


@click.group("layers", cls=Group)
def layers() -> None:
    """Add to, search and compact layers of entries.

    They are episodic (what happened), semantic (facts) and procedural (rules); working memory lives in a
    program and ends with it. With --dir the files of a `.rlm-data/memory` directory are worked on in place.
    """


@layers.command("append")
@click.argument("layer", type=OneOf(LASTING))
@click.argument("content")
@click.option("--meta", multiple=True, metavar="NAME=VALUE", help="Metadata (repeat); VALUE may be JSON.")
@click.option("--key", help="The key of a fact: the same as --meta key=KEY.")
@click.option("--condition", help="The condition of a rule: the same as --meta condition=WHEN.")
@click.option("--id", "entry_id", metavar="ID", help="An id of your own.")
@_in_place
@click.pass_obj
def append(
    asked: Asked,
    layer: str,
    content: str,
    meta: tuple[str, ...],
    entry_id: str | None,
    folder: str | None,
    **named: str | None,
) -> None:
    """Add an entry to a layer.

    CONTENT is the text, or - for stdin.
    """
    told = sys.stdin.read().strip() if content == "-" else content
    metadata = _metadata(meta) | {name: value for name, value in named.items() if value is not None}
    given = {"content": told, "id": entry_id, "metadata": metadata or None}
    entry = {name: value for name, value in given.items() if value is not None}
    with _there(asked, folder) as there:
        kept = there.layers.append(layer, entry)
    say(asked.json, kept, lambda kept: said(kept.id, "id"))


def _metadata(given: Sequence[str]) -> Json:
    found: Json = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not name or not equals:
            raise click.UsageError(f"--meta {one}: write NAME=VALUE.")
        try:
            found[name] = msgspec.json.decode(value)
        except (msgspec.DecodeError, RecursionError):
            found[name] = value
    return found


@layers.command("search")
@click.argument("layer", type=OneOf(LASTING))
@click.argument("words", nargs=-1, required=True)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    default=FOUND_AT_MOST,
    show_default=True,
    help="How many.",
)
@_in_place
@click.pass_obj
def search(asked: Asked, layer: str, words: tuple[str, ...], limit: int, folder: str | None) -> None:
    """Find the entries of a layer that hold some words, best first."""
    with _there(asked, folder) as there:
        found = there.layers.search(layer, " ".join(words), limit)
    say(asked.json, found, _table)
    if not found and not asked.json:
        note("Nothing found.")


@layers.command("compact")
@click.argument("layer", type=OneOf(LASTING), default="episodic")
@click.option(
    "--keep-last",
    type=click.IntRange(min=0),
    metavar="N",
    default=KEEP_LAST,
    show_default=True,
    help="Entries that stay as they are.",
)
@click.option("--no-summary", is_flag=True, help="Drop the older ones instead of summarising them.")
@_in_place
@click.pass_obj
def compact(asked: Asked, layer: str, keep_last: int, no_summary: bool, folder: str | None) -> None:
    """Fold the older entries of a layer into one summary.

    LAYER is episodic unless you say otherwise. A language model writes the summary where one is set, and of
    that only is kept what the entries bear out; else it has a line for each entry. Facts need no compaction,
    and of rules only the last are kept. Memories are never touched.
    """
    with _there(asked, folder) as there:
        gone = there.layers.compact(layer, keep_last=keep_last, summarize_older=not no_summary)
    say(asked.json, {"compacted": gone}, lambda _: said(f"Compacted {gone} of the {layer} layer."))


@layers.command("stats")
@_in_place
@click.pass_obj
def stats(asked: Asked, folder: str | None) -> None:
    """Show the layers in figures."""
    with _there(asked, folder) as there:
        say(asked.json, there.layers.get_stats(), _figures)


@layers.command("clear")
@click.argument("layer", type=OneOf(LASTING), required=False)
@click.option("--confirm", metavar="NAME", help="The name of the project or directory, to be asked nothing.")
@_in_place
@click.pass_obj
def clear(asked: Asked, layer: str | None, confirm: str | None, folder: str | None) -> None:
    """Empty a layer, or all of them; memories are never touched."""
    with _there(asked, folder) as there:
        what = f"the {layer} layer" if layer else "all layers"
        if not confirmed(there.name, confirm, f"empty {what}"):
            raise InvalidQuery(f"The name is {there.name}; nothing was cleared.", field="confirm")
        gone = there.layers.clear(layer)
    say(asked.json, {"cleared": gone}, lambda _: said(f"Cleared {gone} entries."))


def _table(found: list[MemoryEntry]) -> View:
    rows = [
        (Word(entry.id, "id"), Word(_when(entry), "dim"), Word(entry.content), Word(_told(entry), "dim"))
        for entry in found
    ]
    return [Table(("id", "when", "content", "metadata"), rows)]


def _when(entry: MemoryEntry) -> str:
    try:
        return local_time(int(entry.timestamp // 1000)) if entry.timestamp else "-"
    except (ValueError, OverflowError, OSError):
        return str(entry.timestamp)


def _told(entry: MemoryEntry) -> str:
    return ", ".join(f"{name}={value}" for name, value in (entry.metadata or {}).items())


def _figures(stats: MemoryStats) -> View:
    figures = msgspec.to_builtins(stats)
    return [Fields((Word("layers", "strong"),), [(name, str(value)) for name, value in figures.items()])]
