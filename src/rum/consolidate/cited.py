"""Claims of a language model, each with the numbers of its sources: kept if they say it, else dropped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Generic, NamedTuple, TypeVar

from msgspec import Meta, Struct

from rum.consolidate.evidence import HALF_SAID, Tracing, evidence_of
from rum.consolidate.members import one_line
from rum.consolidate.sourcing import said_share, unsaid_figures
from rum.consolidate.statements import says_something
from rum.consolidate.vocabulary import Words, telling_words
from rum.model.chapter import Evidence
from rum.model.memory import Memory

W = TypeVar("W")
ENOUGH_SAID = 0.6
"""The share of a claim's words that its sources must have."""

Text = Annotated[str, Meta(min_length=1, max_length=400)]
Number = Annotated[int, Meta(ge=1)]


class Cited(Struct, frozen=True):
    """A claim, and the numbers of the memories that say it."""

    text: Text
    sources: Annotated[tuple[Number, ...], Meta(min_length=1, max_length=20)]


Claims = Annotated[tuple[Cited, ...], Meta(max_length=12)]


class Kept(NamedTuple):
    """A claim that its sources say."""

    text: str
    evidence: Evidence


class Worded(NamedTuple, Generic[W]):
    """A model's words as far as they could be traced, and why the others were dropped."""

    words: W
    dropped: tuple[str, ...] = ()


class Sources:
    """The memories that a model was shown, by their numbers, among all members."""

    def __init__(self, seen: Sequence[Memory], members: Iterable[Memory]) -> None:
        self._seen = dict(enumerate(seen, 1))
        everyone = list(members)
        self._by_id = {memory.id: memory for memory in everyone}
        self._tracing = Tracing(everyone)
        self.dropped: list[str] = []
        """What was not kept, and why."""

    def kept(self, claims: Iterable[Cited]) -> list[Kept]:
        """The claims that their sources say, each once."""
        found, heard = list[Kept](), set[frozenset[str]]()
        for claim in claims:
            text = one_line(claim.text)
            cited = [self._seen[number] for number in dict.fromkeys(claim.sources) if number in self._seen]
            traced = self._tracing.evidence(text)
            if problem := _problem(text, cited) or _denied(cited, traced):
                self.dropped.append(f"“{text}”: {problem}")
            elif (words := telling_words(text)) not in heard:
                heard.add(words)
                found.append(Kept(text, self._evidence(text, cited, traced)))
        return found

    def says(self, text: str) -> bool:
        """Whether the members as a whole have the words of a text, and its numbers."""
        everyone = list(self._by_id.values())
        worked = sum(memory.outcome.success for memory in everyone)
        counts = frozenset(map(str, (len(everyone), worked, len(everyone) - worked)))
        return not _problem(one_line(text), everyone, counts)

    def _evidence(self, text: str, cited: Sequence[Memory], traced: Evidence) -> Evidence:
        """The cited memories that say some of it themselves, and others that say it too."""
        closest = sorted(cited, key=lambda memory: (-said_share(text, [memory]), memory.id))
        saying = [memory.id for memory in closest[1:] if said_share(text, [memory]) >= HALF_SAID]
        ids = (closest[0].id, *saying, *traced.memory_ids)
        return evidence_of(tuple(dict.fromkeys(ids)), traced.against_ids, self._by_id)


def _denied(cited: Sequence[Memory], traced: Evidence) -> str:
    others = {memory.id for memory in cited} & set(traced.against_ids)
    return "a memory that it names says otherwise" if others else ""


def _problem(text: str, cited: Sequence[Memory], counts: Words = frozenset()) -> str:
    """Why a claim cannot be kept; empty if it can."""
    if not cited:
        return "it names no memory that was shown"
    if not says_something(text):
        return "it says too little, or gives orders"
    if unsaid := unsaid_figures(text, cited) - counts:
        return f"its sources do not say {', '.join(sorted(unsaid))}"
    share = said_share(text, cited)
    return "" if share >= ENOUGH_SAID else f"its sources say only {share:.0%} of its words"
