"""The text of chapters and wisdom: written by the caller, by a model, or extracted; cleaned for storing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec

from rum.app.caller import Caller
from rum.app.project import Project
from rum.consolidate.chapters.clusters import Similarity
from rum.embed.base import CannotEmbed, Embedder
from rum.embed.calibration import Scale
from rum.llm.base import CannotComplete, LanguageModel
from rum.model.chapters import (
    MAX_CLAIM_LENGTH,
    MAX_TEXT_LENGTH,
    MAX_TITLE_LENGTH,
    Chapter,
    ChapterText,
    Group,
    TextSource,
    Wisdom,
    WisdomText,
)
from rum.model.errors import InvalidQuery
from rum.text.shorten import without_invisible

TEXTS = Chapter.TEXTS
# The fields of chapters and of wisdom that callers can give.
CLAIM_LISTS = (*Chapter.CLAIM_LISTS, *Wisdom.CLAIM_LISTS)
MAX_TEXTS = 200  # Texts of one group that get a vector; each takes some hundredths of a second
_SIDES = ("claim", "against")
_MAX_LENGTHS = {"title": MAX_TITLE_LENGTH, "summary": MAX_TEXT_LENGTH}

R = TypeVar("R")
W = TypeVar("W", ChapterText, WisdomText)
Draw = Callable[[Similarity | None], R]


class GivenText(NamedTuple):
    """The fields of a text that the caller wrote: texts, and lists of claims."""

    texts: Mapping[str, str] = {}
    claims: Mapping[str, tuple[str, ...]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that the caller wrote, always in the same order."""
        return tuple(name for name in (*TEXTS, *CLAIM_LISTS) if name in self.texts or name in self.claims)

    @property
    def without_title(self) -> set[str]:
        """The fields besides a title, which is only a name."""
        return set(self.names) - {"title"}

    def merged_over(self, previous: GivenText) -> GivenText:
        """These fields, and the previous ones that are not among them."""
        return GivenText({**previous.texts, **self.texts}, {**previous.claims, **self.claims})


def given_text(caller: Caller, request: msgspec.Struct) -> GivenText:
    """The text that a request gives, cleaned for storing; each claim once."""
    fields = {
        name: value for name in (*TEXTS, *CLAIM_LISTS) if (value := getattr(request, name, None)) is not None
    }
    clean = sanitise_fields(caller.project, msgspec.to_builtins(fields))
    for name, value in clean.items():
        if not all(text.strip() for text in ([value] if name in TEXTS else value)):
            raise InvalidQuery(f"`{caller.spell(name)}` has a text that shows nothing.", field=name)
    return GivenText(
        {name: clean[name] for name in TEXTS if name in clean},
        {name: tuple(dict.fromkeys(clean[name])) for name in CLAIM_LISTS if name in clean},
    )


def previously_given_text(group: Group | None) -> GivenText:
    """The text of a group that the caller wrote."""
    names = group.given if group else ()
    return GivenText(
        {name: getattr(group, name) for name in TEXTS if name in names},
        {name: getattr(group, name) for name in CLAIM_LISTS if name in names},
    )


class SourcedText(NamedTuple, Generic[W]):
    """A text, who wrote it, and a note about that."""

    text: W
    source: TextSource
    note: str | None = None


def write_text(
    project: Project, ask: Callable[[LanguageModel], SourcedText[W]] | None, draw: Draw[W]
) -> SourcedText[W]:
    """Let the configured language model write a text; extract it if there is none, or if it fails.

    This may take long: call it outside of turns and transactions.
    """
    try:
        model = project.language_model if ask else None
        if model is not None and ask is not None:
            return ask(model)
    except CannotComplete as error:
        note = f"The words are drawn from the memories, as the language model was no help: {error.message}"
        return SourcedText(draw_with_vectors(project, draw), TextSource.DRAWN, note)
    return SourcedText(draw_with_vectors(project, draw), TextSource.DRAWN)


def by_model(text: W, dropped: Sequence[str]) -> SourcedText[W]:
    """The text of a model, with a note about the claims that were dropped."""
    claims = f"{len(dropped)} claims" if len(dropped) != 1 else "1 claim"
    note = f"{claims} of the language model left out, as no memory supports it." if dropped else None
    return SourcedText(text, TextSource.MODEL, note)


def draw_with_vectors(project: Project, draw: Draw[R]) -> R:
    """The result of `draw`, with the similarity of vectors if an embedder works."""
    embedder = project.semantic.embedder
    if embedder is None:
        return draw(None)
    try:
        return draw(_VectorSimilarity(embedder, project.redactor.redact, project.semantic.scale))
    except (CannotEmbed, ImportError):
        return draw(None)


class _VectorSimilarity:
    """How near texts are in meaning; 0 for texts beyond the first `MAX_TEXTS`."""

    def __init__(self, embedder: Embedder, clean: Callable[[str], str], scale: Scale) -> None:
        self._embedder = embedder
        self._clean = clean
        self._scale = scale
        self._vectors: dict[str, list[float]] = {}

    def __call__(self, one: str, other: str) -> float:
        for text in (one, other):
            if text not in self._vectors:
                if len(self._vectors) == MAX_TEXTS:
                    return 0.0
                self._vectors[text] = self._embedder.embed([self._clean(text)])[0].tolist()
        return self._scale.of(sum(map(float.__mul__, self._vectors[one], self._vectors[other])))


def sanitise_text(project: Project, text: W) -> W:
    """A text cleaned for storing."""
    return msgspec.convert(sanitise_fields(project, msgspec.to_builtins(text)), type(text))


def sanitise_fields(project: Project, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a text without secrets and invisible characters, within limits; no claim is dropped.

    Invisible characters are removed first, as they could hide a secret.
    """
    return _map_texts(project.clean(_map_texts(fields, _visible)), _within_limit)


def _map_texts(fields: dict[str, Any], change: Callable[[str, str], str]) -> dict[str, Any]:
    """Apply `change` to the name and the text of every field."""
    return {name: _map_field(name, value, change) for name, value in fields.items()}


def _map_field(name: str, value: Any, change: Callable[[str, str], str]) -> Any:
    if name in TEXTS:
        return change(name, value)
    if name in CLAIM_LISTS or name == "topics":
        return [change(name, text) for text in value]
    if name == "contradictions":
        return [{**pair, **{side: change(name, pair[side]) for side in _SIDES}} for pair in value]
    return value


def _visible(name: str, text: str) -> str:
    shown = without_invisible(text)
    return shown if name == "summary" else " ".join(shown.split())


def _within_limit(name: str, text: str) -> str:
    # The marks that replace secrets can make a text too long.
    return text[: _MAX_LENGTHS.get(name, MAX_CLAIM_LENGTH)].rstrip()
