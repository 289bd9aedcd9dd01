"""The result of an import as text, the same for all imports."""

from __future__ import annotations

from rum.app.exchange.chapters import ChapterImport
from rum.app.exchange.json_lines import ImportResult
from rum.app.exchange.layers import LayerImport
from rum.app.imports.batch import Imported
from rum.app.imports.transcripts import TranscriptImport
from rum.app.rum import Rum
from rum.surfaces.cli.output import note
from rum.surfaces.cli.views import View, text_view

Answer = Imported | ImportResult | LayerImport
Nouns = tuple[str, str]
"""What one imported thing is called, and several."""
MEMORIES: Nouns = ("memory", "memories")
LAYERS: Nouns = ("layer entry", "layer entries")
_CHAPTERS: Nouns = ("chapters and wisdom", "chapters and wisdom")

_NOT_ADDED = {
    "unchanged": "already present",
    "updated": "updated",
    "different": "changed here and not overwritten",
    "forgotten": "forgotten",
}
_FOUND = {
    "failures": "failures",
    "links": "links",
    "rewritten": "rewritten",
    "cut": "too large to store every file",
}
_SESSIONS = {"sessions": "read", "known": "read before", "elsewhere": "of other projects"}
_MANY = 200
"""Number of memories without a vector from which a hint is printed."""


def import_view(answer: Answer, nouns: Nouns = MEMORIES) -> View:
    """How many things an import added, what happened to the rest, and what else it found."""
    view = _added(answer, nouns)
    if isinstance(answer, ImportResult):
        view += _added(answer.layers, LAYERS) if answer.layers else []
        view += _added(answer.chapters, _CHAPTERS) if answer.chapters else []
    if isinstance(answer, Imported):
        skipped = sorted(answer.skipped.items(), key=lambda reason: -reason[1])
        view += _line("Skipped", _join({name.replace("_", " "): count for name, count in skipped}))
        view += _line("Found", _counts(answer, _FOUND))
    if isinstance(answer, TranscriptImport):
        view += _line("Sessions", _counts(answer, _SESSIONS)) or text_view("No sessions found.")
    return view


def _added(answer: Answer | ChapterImport, nouns: Nouns) -> View:
    dry_run = getattr(answer, "dry_run", False)
    noun = nouns[0] if answer.added == 1 else nouns[1]
    time = f" in {answer.seconds} s" if isinstance(answer, Imported) and not dry_run else ""
    others = _join_counts(answer)
    verb = "Would add" if dry_run else "Added"
    return text_view(f"{verb} {answer.added} {noun}{time}{f' ({others})' if others else ''}.")


def _join_counts(answer: object) -> str:
    counts = {words: getattr(answer, name, 0) for name, words in _NOT_ADDED.items()}
    return ", ".join(f"{count} {words}" for words, count in counts.items() if count)


def _counts(answer: object, names: dict[str, str]) -> str:
    return _join({words: getattr(answer, name, 0) for name, words in names.items()})


def _join(counts: dict[str, int]) -> str:
    """Counts that are not zero, each after its name."""
    return ", ".join(f"{words} {count}" for words, count in counts.items() if count)


def _line(title: str, counts: str) -> View:
    return text_view(f"{title}: {counts}.") if counts else []


def note_missing_vectors(rum: Rum) -> None:
    """Say how memories will be found by meaning, if many cannot be yet."""
    waiting = rum.pending
    if waiting >= _MANY:
        note(
            f"{waiting} memories have no vector yet and are found by words only. "
            "Run `rum tidy --wait` to compute vectors now; `rum mcp` does it when idle."
        )
