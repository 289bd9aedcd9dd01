"""The text of chapters and wisdom: given by the caller, compared by vectors, cleaned for storing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from rum.app.caller import Caller
from rum.app.project import Project
from rum.consolidate.chapters.clusters import Similarity
from rum.embed.base import CannotEmbed
from rum.model.chapters import MAX_CLAIM_LENGTH, MAX_TEXT_LENGTH, MAX_TITLE_LENGTH, Chapter, Wisdom
from rum.model.errors import InvalidQuery
from rum.text.shorten import without_invisible

TEXTS = Chapter.TEXTS
CLAIM_LISTS = (*Chapter.CLAIM_LISTS, *Wisdom.CLAIM_LISTS)
GIVEN_FIELDS = (*TEXTS, *CLAIM_LISTS, "topics")  # What callers can give
NAMES = frozenset(("title", "topics"))  # Fields that claim nothing
MAX_TEXTS = 200  # Texts of one group that get a vector; each takes some hundredths of a second
_SIDES = ("claim", "against")
_MAX_LENGTHS = {"title": MAX_TITLE_LENGTH, "summary": MAX_TEXT_LENGTH}

R = TypeVar("R")


def given_text(caller: Caller, request: msgspec.Struct) -> dict[str, Any]:
    """The fields that a request gives, cleaned for storing; each claim once."""
    values = {name: getattr(request, name, None) for name in GIVEN_FIELDS}
    present = {name: value for name, value in values.items() if value is not None}
    clean = sanitise_fields(caller.project, msgspec.to_builtins(present))
    for name, value in clean.items():
        if not all(text.strip() for text in ([value] if name in TEXTS else value)):
            raise InvalidQuery(f"`{caller.parameter_name(name)}` has a text that shows nothing.", field=name)
    return {name: value if name in TEXTS else tuple(dict.fromkeys(value)) for name, value in clean.items()}


def draw_with_vectors(project: Project, draw: Callable[[Similarity | None], R]) -> R:
    """The result of `draw`, with the similarity of vectors if an embedder works.

    The similarity is 0 for texts beyond the first `MAX_TEXTS`.
    """
    embedder = project.semantic.embedder
    if embedder is None:
        return draw(None)
    redact, scale = project.redactor.redact, project.semantic.scale
    vectors: dict[str, list[float]] = {}

    def similarity(one: str, other: str) -> float:
        for text in (one, other):
            if text not in vectors:
                if len(vectors) == MAX_TEXTS:
                    return 0.0
                vectors[text] = embedder.embed([redact(text)])[0].tolist()
        return scale.of(sum(map(float.__mul__, vectors[one], vectors[other])))

    try:
        return draw(similarity)
    except (CannotEmbed, ImportError):
        return draw(None)


def sanitise_fields(project: Project, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields of a text without secrets and invisible characters, within limits; no claim is dropped.

    Invisible characters are removed first, as they could hide a secret.
    """
    return _map_texts(project.clean(_map_texts(fields, _visible)), _within_limit)


def _map_texts(fields: dict[str, Any], change: Callable[[str, str], str]) -> dict[str, Any]:
    """Apply `change` to the name and the text of every field."""
    changed = dict(fields)
    for name, value in fields.items():
        if name in TEXTS:
            changed[name] = change(name, value)
        elif name in CLAIM_LISTS or name == "topics":
            changed[name] = [change(name, text) for text in value]
        elif name == "contradictions":
            changed[name] = [
                {**pair, **{side: change(name, pair[side]) for side in _SIDES}} for pair in value
            ]
    return changed


def _visible(name: str, text: str) -> str:
    shown = without_invisible(text)
    return shown if name == "summary" else " ".join(shown.split())


def _within_limit(name: str, text: str) -> str:
    # The marks that replace secrets can make a text too long.
    return text[: _MAX_LENGTHS.get(name, MAX_CLAIM_LENGTH)].rstrip()
