"""What making chapters of memories and wisdom of chapters have in common: from a pick to all that is said.

Words are made outside of any transaction: a language model may be asked for them, and drawing takes time too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Generic, NamedTuple, TypeVar

from msgspec.structs import replace

from rum.app.caller import Caller
from rum.app.chapters.given_words import Given, handed_in_before
from rum.app.chapters.members import Tagged
from rum.app.chapters.word_source import Made, drawn, made, told
from rum.app.project import Project
from rum.consolidate.chapters.by_model import ModelWords
from rum.consolidate.chapters.clusters import Similarity
from rum.consolidate.chapters.evidence import EvidenceFinder
from rum.llm.base import LanguageModel
from rum.model.chapters import MOST_TAGS, Chapter, ChapterWords, Member, Origin, Wisdom, WisdomWords, Wording
from rum.model.memory import Memory
from rum.store.chapters import Grouped

G = TypeVar("G", Chapter, Wisdom)
P = TypeVar("P", Memory, Chapter)
W = TypeVar("W", ChapterWords, WisdomWords)


class Pick(NamedTuple, Generic[G, P]):
    """What something is to be made of, how that was picked, what was handed in, and what there is of it.

    `members` are all memories underneath; of a chapter they are its parts.
    """

    parts: Sequence[P]
    members: Mapping[str, Memory]
    tagged: Tagged = Tagged()
    own: Given = Given()
    old: G | None = None
    origin: Origin = Origin.MANUAL

    @property
    def given(self) -> Given:
        """What is handed in now, over what was handed in before."""
        return self.own.over(handed_in_before(self.old))

    @property
    def former(self) -> tuple[str, ...]:
        """Memories that are not picked, but may have had a say in words that were handed in before."""
        if self.old is None or set(self.old.given) <= set(self.own.names):
            return ()
        return tuple(sorted({*self.old.former, *self.old.memory_ids} - self.members.keys()))


class Craft(ABC, Generic[G, P, W]):
    """How one of both kinds is made."""

    kind: ClassVar[str]
    part_called: ClassVar[str]
    parts_called: ClassVar[str]
    named_by: ClassVar[str]
    """The parameter that names its parts."""
    least: ClassVar[int]
    """So few parts that tags find are no longer what they found before."""
    asked_for: ClassVar[frozenset[str]]
    """The parts of the words that a language model is asked for."""

    @abstractmethod
    def kept(self, caller: Caller) -> Grouped[G]:
        """Where it is kept."""

    @abstractmethod
    def parts(self, caller: Caller, ids: Sequence[str]) -> list[P]:
        """Those of its parts that are there, as they are now."""

    @abstractmethod
    def members(self, caller: Caller, parts: Sequence[P]) -> dict[str, Memory]:
        """All memories underneath, as they are now."""

    @abstractmethod
    def marks(self, ids: Iterable[str], key: bytes, one: str | None = None) -> list[str]:
        """The hashes by which a forgotten one is known again."""

    @abstractmethod
    def asked(self, model: LanguageModel, pick: Pick[G, P]) -> ModelWords[W]:
        """The words of a language model."""

    @abstractmethod
    def drawn(self, pick: Pick[G, P], similarity: Similarity | None) -> W:
        """The words that the members themselves have."""

    @abstractmethod
    def composed(self, words: W, given: Given, tracing: EvidenceFinder) -> W:
        """Words with the parts that were handed in; the members that say a claim are looked for."""

    @abstractmethod
    def blank(self, one: str, caller: Caller, agent_id: str) -> G:
        """A new one that says nothing yet."""

    @abstractmethod
    def saying(self, caller: Caller, one: G, made: Made[W], pick: Pick[G, P]) -> G:
        """One that says these words of what was picked."""


def worded(project: Project, craft: Craft[G, P, W], pick: Pick[G, P], *, ask: bool = True) -> Made[W]:
    """Words without those that are handed in; no model is asked where nothing else is needed."""

    def asked(model: LanguageModel) -> Made[W]:
        answer = craft.asked(model, pick)
        return told(answer.words, answer.dropped)

    wanted = ask and craft.asked_for - pick.given.words
    return made(project, asked if wanted else None, lambda similarity: craft.drawn(pick, similarity))


def composed(project: Project, craft: Craft[G, P, W], pick: Pick[G, P], words: Made[W]) -> Made[W]:
    """The same words with those that are handed in, or were before."""
    given = pick.given

    def draw(similarity: Similarity | None) -> W:
        return craft.composed(words.words, given, EvidenceFinder(pick.members.values(), similarity))

    by = Wording.GIVEN if given.words else words.by
    return words._replace(words=drawn(project, draw), by=by)


def as_members(memories: Iterable[Memory]) -> tuple[Member, ...]:
    """Memories as they are when words are made of them."""
    return tuple(Member(one.id, one.version, bool(one.superseded_by)) for one in memories)


def all_tags(first: Iterable[str], each: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """Some tags, then those of the parts, the most common first."""
    counted = Counter(tag for tags in each for tag in dict.fromkeys(tags))
    common = sorted(counted, key=lambda tag: (-counted[tag], tag))
    return tuple(dict.fromkeys((*first, *common)))[:MOST_TAGS]


def settled(old: G, new: G, now: int) -> G:
    """The new state of a chapter or wisdom; its version grows if it comes to say something else."""
    version = old.version + (old.content != new.content)
    return replace(new, version=version, updated_at=max(now, old.updated_at), stale=())
