"""What is known already when something was found in a run: handed in, noted, remembered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from rum.app.caller import Caller
from rum.app.memories.similar import sharing
from rum.app.project import Project
from rum.extract.check import KnownText, known_text, share_of
from rum.model.errors import InvalidQuery, RumError
from rum.model.extraction import FinishedRun, KnownMemory
from rum.model.memory import Memory
from rum.model.notes import Entry
from rum.store.files.notes.folder import Stamp
from rum.text.terms import terms
from rum.text.word_weights import telling_words

_MAY_BE_ALIKE = 0.5
"""The share of its words that a file must have to be worth taking apart: a little less than says the same."""
_ASKED = 12
"""Rare words by which memories are found that may say the same."""


class Known:
    """All that may say what a text says, as of now.

    Notes are read where they lie, and there may be many: each is read once, and again only after somebody
    changed it. So whoever has asked before taking a lock does not make others wait for that.
    """

    def __init__(self, caller: Caller, run: FinishedRun, text: str) -> None:
        self._caller = caller
        self._text = text
        self._words = telling_words(text)
        self._handed_in = [
            known_text(_named(one, at), one.text) for at, one in enumerate(run.existing_memories, 1)
        ]
        self._noted: dict[str, tuple[Stamp, list[KnownText]]] = {}

    def texts(self) -> list[KnownText]:
        """The notes and memories to compare a finding with."""
        return [*self._handed_in, *self._notes(), *self._memories()]

    def _notes(self) -> Iterator[KnownText]:
        if not self._words:
            return
        try:
            folder = self._caller.project.note_store.folder
        except InvalidQuery:  # there are no notes here
            return
        noted: dict[str, tuple[Stamp, list[KnownText]]] = {}
        for slug, stamp in folder.stamps().items():
            before = self._noted.get(slug)
            noted[slug] = before if before and before[0] == stamp else (stamp, self._read(slug))
            yield from noted[slug][1]
        self._noted = noted

    def _read(self, slug: str) -> list[KnownText]:
        """The entries of a note; none of one whose words alone show that it says something else."""
        with suppress(RumError):  # somebody may be editing it just now
            words = frozenset(
                terms(self._caller.project.note_store.folder.bytes(slug).decode(errors="replace"))
            )
            if share_of(self._words, words) >= _MAY_BE_ALIKE:
                return [_entry(slug, one) for one in self._caller.project.note_store.note(slug).entries]
        return []

    def _memories(self) -> Iterator[KnownText]:
        """Memories that share rare words with the text; this session's may be of the same run."""
        for memory in self._caller.project.store.memories.best(
            sharing(self._caller.project, self._text, _ASKED)
        ):
            if memory.session_id != self._caller.session_id and not memory.superseded_by:
                yield known_text(f"the memory {memory.id}", _told(memory), (memory.created_at, 0))


def titles(project: Project, run: FinishedRun) -> Sequence[str]:
    """The names of what is known, that which shares most words with a run first."""
    handed_in = [_named(one, at) for at, one in enumerate(run.existing_memories, 1)]
    words = telling_words(f"{run.task}\n{run.agent_output}")
    noted = [head.title for head in project.note_store.heads()[0].values()]
    return [*handed_in, *sorted(noted, key=lambda title: -len(words & telling_words(title)))]


def _named(memory: KnownMemory, number: int) -> str:
    title = memory.text.partition("\n")[0]
    return f"`{title}`" if title else f"existing memory {number}"


def _entry(slug: str, entry: Entry) -> KnownText:
    when = (entry.discovered_at or 0, entry.n)
    return known_text(f"the note {slug}#{entry.n}", f"{entry.title}\n{entry.content}", when)


def _told(memory: Memory) -> str:
    """What a memory says, a line each."""
    outcome, seen, reasoning = memory.outcome, memory.perception, memory.reasoning
    parts = (
        memory.intent.goal,
        memory.result,
        outcome.failure_reason,
        *outcome.learnings,
        *(one.what for one in seen.observations),
        *seen.patterns_noticed,
        *seen.anomalies,
        reasoning.approach_chosen,
        reasoning.why_chosen,
    )
    return "\n".join(filter(None, parts))
