"""What an import did, in words that all imports share."""

from __future__ import annotations

from rum.app.exchange.chapters import ChapterImport
from rum.app.exchange.json_lines import ImportResult
from rum.app.exchange.layers import LayerImport
from rum.app.imports.import_batch import Imported
from rum.app.rum import Rum
from rum.surfaces.cli.output import note
from rum.surfaces.cli.views import View, said

_BESIDES = {
    "unchanged": "here already",
    "updated": "updated",
    "different": "changed here and left so",
    "forgotten": "forgotten",
}
"""What may become of a piece that is not added, and how it is called."""
_MANY = 200
"""Memories without a vector from which on it is said how they get one."""


def taken(
    answer: Imported | ImportResult, *, would: bool = False, one: str = "memory", many: str = "memories"
) -> View:
    """How many memories an import brought, and what became of the rest where there is one."""
    word, noun = ("Would add" if would else "Added"), one if answer.added == 1 else many
    took = f" in {answer.seconds} s" if isinstance(answer, Imported) and not would else ""
    besides = counts({called: getattr(answer, name, 0) for name, called in _BESIDES.items()})
    view = said(f"{word} {answer.added} {noun}{took}{f' ({besides})' if besides else ''}.")
    if isinstance(answer, ImportResult) and answer.layers:
        view += layers_taken(answer.layers)
    if isinstance(answer, ImportResult) and answer.chapters:
        view += _added(answer.chapters, "chapters and wisdom")
    if isinstance(answer, Imported) and answer.skipped:
        most_first = sorted(answer.skipped.items(), key=lambda one: -one[1])
        view += said(f"Skipped: {counts(dict(most_first))}.")
    return view


def layers_taken(answer: LayerImport) -> View:
    """How many facts, rules and events an import brought, and what became of the rest."""
    return _added(answer, "entry of layers" if answer.added == 1 else "entries of layers")


def _added(answer: LayerImport | ChapterImport, noun: str) -> View:
    besides = counts({called: getattr(answer, name, 0) for name, called in _BESIDES.items()})
    return said(f"Added {answer.added} {noun}{f' ({besides})' if besides else ''}.")


def counts(found: dict[str, int]) -> str:
    """Counts that are not zero, each after its name."""
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in found.items() if count)


def tell_of_vectors(rum: Rum) -> None:
    """Say how memories will be found by meaning, if many cannot be yet."""
    waiting = rum.pending
    if waiting >= _MANY:
        note(
            f"{waiting} memories are found by words only, until they have a vector: "
            "`rum tidy --wait` makes them now, `rum mcp` in quiet moments."
        )
