"""Claims of a language model, each with the numbers of its sources: kept if they say it, else dropped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Generic, NamedTuple, TypeVar

from msgspec import Meta, Struct

from rum.consolidate.chapters.evidence import HALF_SAID, Tracing, evidence_of
from rum.consolidate.chapters.evidence_check import said_share, unsaid_figures
from rum.consolidate.compaction_by_model import CUT
from rum.consolidate.statements import says_something
from rum.model.chapters import Evidence
from rum.model.memory import Memory
from rum.text.shorten import one_line
from rum.text.word_weights import Words, telling_words

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
            problem = _problem(text, cited) or self._disputed(text, cited)
            if problem:
                self.dropped.append(f"“{text}”: {problem}")
            elif (words := telling_words(text)) not in heard:
                heard.add(words)
                found.append(Kept(text, self._evidence(text, cited)))
        return found

    def _disputed(self, text: str, cited: Sequence[Memory]) -> str:
        """Why a claim does not stand although its sources have the words; empty if it does."""
        named = {memory.id for memory in cited}
        whole, *rest = self._tracing.traced_parts(text)
        if any(not named.isdisjoint(one.against) for one in (whole, *rest)):
            return "a memory that it names says otherwise"
        if named & whole.elsewhere and named.isdisjoint(whole.saying):
            return "a memory that it names says it of something else"
        return ""

    def says(self, text: str) -> bool:
        """Whether the members as a whole have the words of a text, and its numbers, and none denies it."""
        everyone = list(self._by_id.values())
        worked = sum(memory.outcome.success for memory in everyone)
        counts = frozenset(map(str, (len(everyone), worked, len(everyone) - worked)))
        line = one_line(text)
        denied = any(one.against and not one.saying for one in self._tracing.traced_parts(line))
        return not denied and not _problem(line, everyone, counts)

    def _evidence(self, text: str, cited: Sequence[Memory]) -> Evidence:
        """The cited memories that say some of it themselves, and others that say it too."""
        traced = self._tracing.traced(text)
        sources = [memory for memory in cited if memory.id not in traced.elsewhere]
        near = {memory.id: said_share(text, [memory]) for memory in sources}
        closest = sorted(near, key=lambda one: (-near[one], one))
        saying = [one for number, one in enumerate(closest) if not number or near[one] >= HALF_SAID]
        ids = tuple(dict.fromkeys((*saying, *traced.saying)))
        return evidence_of(ids, traced.against, self._by_id)


def _problem(text: str, cited: Sequence[Memory], counts: Words = frozenset()) -> str:
    """Why a claim cannot be kept; empty if it can."""
    if not cited:
        return "it names no memory that was shown"
    if not says_something(text):
        return "it says too little, or gives orders"
    if CUT in text:
        return "a secret was cut out of it"
    if unsaid := unsaid_figures(text, cited) - counts:
        return f"its sources do not say {', '.join(sorted(unsaid))}"
    share = said_share(text, cited)
    return "" if share >= ENOUGH_SAID else f"its sources say only {share:.0%} of its words"
