"""What waits for review: proposed by capture and extraction, and found by nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.project import Project
from rum.capture.tombstones import fact_value_mark, marks, note_marks, rule_marks
from rum.model.layers import Fact, Rule
from rum.model.memory import Edge, Memory
from rum.model.notes import NoteDraft
from rum.store.files.notes.folder import slug_of
from rum.store.trash import TrashItem
from rum.text.shorten import one_line

CAPTURE = "capture"
EXTRACTION = "extraction"
SYNC = "sync"  # Of two changes of one thing, the one that is not in force
_FIRST = "first"
_LABEL = 120


class PendingMemory(Struct, frozen=True, kw_only=True):
    """A captured memory, and what its links are made of when it is accepted.

    `prompt` is None for the work of a subagent, which continues no story by itself.
    """

    memory: Memory
    prompt: str | None = None
    resumed: str | None = None
    links: list[Edge] = []


class PendingRule(Struct, frozen=True):
    """A rule, and where it was found."""

    rule: Rule
    found_in: str = ""


class PendingFact(Struct, frozen=True):
    """A fact, and where it was found."""

    fact: Fact
    found_in: str = ""


class PendingNote(Struct, frozen=True):
    """An entry of a note, and where it was found."""

    draft: NoteDraft
    found_in: str = ""


Pending = PendingMemory | PendingRule | PendingFact | PendingNote
TYPES: dict[str, type[Pending]] = {
    "memory": PendingMemory,
    "rule": PendingRule,
    "fact": PendingFact,
    "note": PendingNote,
}


def is_on(project: Project) -> bool:
    """Whether what is captured or extracted has to be accepted first."""
    return project.settings.review == _FIRST


def find(project: Project, kind: str, one: str) -> list[TrashItem]:
    """The pending items of a kind with exactly this id, the last proposed first."""
    return [item for item in project.store.trash.find(one, kind, pending=True) if item.id == one]


def withdraw(project: Project, kind: str, one: str, source: str | None = None) -> None:
    """Delete what was proposed under an id, by anyone or by one source, without a tombstone."""
    found = (item for item in find(project, kind, one) if source in (None, item.forgotten_by))
    project.store.trash.delete(item.number for item in found if item.number is not None)


def propose_memory(
    project: Project, pending: PendingMemory, *, is_update: bool = False, source: str = CAPTURE
) -> str:
    """Propose a captured memory, or a change of an existing one, in place of what was proposed before.

    The result is `pending`; `unchanged` if just this is pending, `forgotten` if it was rejected or forgotten.
    """
    memory = pending.memory
    if any(item.data == msgspec.json.encode(pending) for item in find(project, "memory", memory.id)):
        return "unchanged"
    found = marks(memory, project.tombstone_key)
    if is_update:
        found = found[1:2]  # of its content: the memory itself stays, whatever becomes of the change
    withdraw(project, "memory", memory.id)
    if project.store.memories.tombstones(found, pending=False):
        return "forgotten"
    _put(project, "memory", memory.id, memory.intent.goal, memory.agent_id, found, pending, source)
    return "pending"


def propose_rule(project: Project, pending: PendingRule, source: str) -> None:
    """Propose a rule."""
    rule = pending.rule
    found = rule_marks(rule, project.tombstone_key)
    _put(project, "rule", rule.id, f"{rule.condition}: {rule.action}", rule.agent_id, found, pending, source)


def propose_fact(project: Project, pending: PendingFact, source: str = EXTRACTION) -> None:
    """Propose a fact, in place of another value for its key."""
    fact = pending.fact
    found = [fact_value_mark(fact.key, fact.value, project.tombstone_key)]
    withdraw(project, "fact", fact.key)
    label = f"{fact.key} = {fact.value}"
    _put(project, "fact", fact.key, label, fact.agent_id, found, pending, source)


def propose_note(project: Project, pending: PendingNote) -> str:
    """Propose an entry of a note; the id under which it waits."""
    draft = pending.draft
    found = note_marks(draft.title, draft.content, project.tombstone_key).all
    one = slug_of(draft.title)
    _put(project, "note", one, draft.title, draft.discovered_by or "", found, pending, EXTRACTION)
    return one


def is_rejected(project: Project, key: str, value: str) -> bool:
    """Whether this value of a fact was rejected, or is pending."""
    mark = fact_value_mark(key, value, project.tombstone_key)
    return bool(project.store.memories.tombstones([mark]))


def replace_data(project: Project, item: TrashItem, changed: Pending) -> None:
    """Change what a pending item proposes."""
    project.store.trash.put(item._replace(data=msgspec.json.encode(changed)))


def decoded(item: TrashItem) -> Pending:
    """What an item proposes."""
    return msgspec.json.decode(item.data, type=TYPES[item.kind])


def label_of(text: str) -> str:
    """What an item says, short enough for a list."""
    return one_line(text, _LABEL)


def _put(
    project: Project,
    kind: str,
    one: str,
    label: str,
    author: str,
    found: Sequence[str],
    pending: Pending,
    source: str,
) -> None:
    project.store.trash.put(
        TrashItem(
            kind=kind,
            id=one,
            label=label_of(label),
            author=author,
            imported=False,
            forgotten_at=project.now(),
            forgotten_by=source,
            marks=tuple(dict.fromkeys(found)),
            data=msgspec.json.encode(pending),
            pending=True,
        )
    )


def merged_memory(kept: Memory, other: Memory) -> Memory:
    """A memory with what another one adds: learnings, follow-ups, files and tags."""
    paths = {file.path for file in kept.files}
    return replace(
        kept,
        outcome=replace(
            kept.outcome,
            learnings=_united(kept.outcome.learnings, other.outcome.learnings),
            follow_up_needed=_united(kept.outcome.follow_up_needed, other.outcome.follow_up_needed),
        ),
        tags=_united(kept.tags, other.tags),
        files=(*kept.files, *(file for file in other.files if file.path not in paths)),
    )


def _united(first: Sequence[str], second: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
