"""The brief: what is asked for it, and the block of background knowledge that comes back."""

from __future__ import annotations

from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.fields import about
from rum.model.memory_layers import Layer
from rum.model.notes import Broken

USUAL_TOKENS = 600
MOST_TOKENS = 100_000

Tokens = Annotated[int, Meta(ge=1, le=MOST_TOKENS)]


class BriefRequest(Layer, frozen=True):
    """What an agent is about to do; the brief covers only what is given."""

    task: Annotated[str | None, about("The task.", metavar="TEXT")] = None
    plan: Annotated[str | None, about("The plan.", metavar="TEXT")] = None
    file: Annotated[str | tuple[str, ...] | None, about("A file of the task (repeat).", metavar="PATH")] = (
        None
    )
    agent: str | None = None
    session: Annotated[
        str | None, about("The session whose journal is used.", metavar="NAME", tool=False)
    ] = None
    tokens: Annotated[Tokens, about("Maximum number of tokens.")] = USUAL_TOKENS
    explain: Annotated[bool, about("Also list what was chosen, and why.", tool=False)] = False

    @property
    def files(self) -> tuple[str, ...]:
        """The files at hand, each once."""
        given = (self.file,) if isinstance(self.file, str) else self.file or ()
        return tuple(dict.fromkeys(path for path in given if path))


class Taken(Struct, frozen=True):
    """One thing a brief says: what it is, why it was taken, what it costs, and whether it was cut short."""

    kind: str
    id: str
    points: float
    tokens: int
    shortened: bool = False


class Brief(Struct, frozen=True, kw_only=True):
    """The text for the prompt, empty if nothing fits; `left_out` counts what exceeded the budget."""

    text: str
    tokens: int
    left_out: int | UnsetType = UNSET
    taken: list[Taken] | UnsetType = UNSET
    broken: list[Broken] | UnsetType = UNSET
    warning: str | UnsetType = UNSET  # What failed in one of the files; once in a session
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET
