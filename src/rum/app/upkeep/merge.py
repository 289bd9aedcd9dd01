"""Copy everything from one project into another, and check that all of it is there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from rum.app.exchange.json_lines import export, import_lines
from rum.app.project import Project
from rum.model.memory import Memory
from rum.store.base import ReadMode


class Merged(Struct, frozen=True, kw_only=True):
    """What the other project has by now: memories, and other items (facts, rules, chapters, wisdom).

    `different` names those that are not there, or not the same: damaged, changed or forgotten in one of both.
    """

    complete: bool
    memories: int
    others: int
    different: list[str]


def merge(source: Project, target: Project, progress: Callable[[int], None]) -> Merged:
    """Copy all items of a project; it can be repeated, and nothing is removed from the source."""
    damaged: list[str] = []
    with source.locked(), target.locked():
        for kind, hashes in source.store.memories.all_tombstones().items():
            target.store.memories.add_tombstones(hashes, kind, target.now())
        import_lines(target, export(source, damaged.append), progress)
        _copy_trash(source, target)
        different = [*damaged]
        memories = others = 0
        for batch in source.store.memories.pages():
            memories += len(batch)
            different += _check_memories(target, batch)
        for kind, page, there in _other_items(source, target):
            others += len(page)
            different += [
                f"{kind} {name}" for name, is_there in zip(page, there, strict=True) if not is_there
            ]
    return Merged(
        complete=not different, memories=memories, others=others, different=list(dict.fromkeys(different))
    )


def _copy_trash(source: Project, target: Project) -> None:
    """Copy what can be restored or accepted; the clocks of both projects are one, so the days left stay."""
    for pending in (False, True):
        here = {item[:6] for item in target.store.trash.items(pending=pending)}
        for item in reversed(source.store.trash.items(pending=pending)):
            if item[:6] not in here and item.number is not None:
                with target.store.transaction():
                    for whole in source.store.trash.get([item.number]):
                        target.store.trash.put(whole._replace(number=None))


def _check_memories(target: Project, batch: Sequence[Memory]) -> Iterator[str]:
    """Yield the ids of memories that are not the same there; an item of one's own is no import."""
    known = {
        memory.id: memory
        for memory in target.store.memories.get([one.id for one in batch], ReadMode.BEST_EFFORT)
    }
    changed = list[Memory]()
    for memory in batch:
        here = known.get(memory.id)
        if here is None or _content(here) != _content(memory):
            yield memory.id
        elif here.imported_at != memory.imported_at:
            changed.append(replace(here, imported_at=memory.imported_at))
    if changed:
        with target.store.transaction():
            for memory in changed:
                target.store.memories.replace(memory)


def _content(memory: Memory) -> Memory:
    """A memory without what differs by project, or is derived from links."""
    return replace(memory, project_id="", imported_at=None, superseded_by=(), reverts=())


class _WithId(Protocol):
    @property
    def id(self) -> str: ...


def _other_items(source: Project, target: Project) -> Iterator[tuple[str, list[str], list[bool]]]:
    """Yield for each page of other items their kind and names, and whether each is there."""
    for facts in source.store.facts.pages():
        values = {fact.key: fact.value for fact in target.store.facts.get([fact.key for fact in facts])}
        yield "fact", [fact.key for fact in facts], [values.get(fact.key) == fact.value for fact in facts]
    for rules in source.store.rules.pages():
        known = {rule.id: (rule.condition, rule.action) for rule in target.store.rules.get(_ids(rules))}
        yield "rule", _ids(rules), [known.get(one.id) == (one.condition, one.action) for one in rules]
    for chapters in source.store.chapters.pages():
        there = set(_ids(target.store.chapters.get(_ids(chapters))))
        yield "chapter", _ids(chapters), [one.id in there for one in chapters]
    for wisdom in source.store.wisdom.pages():
        there = set(_ids(target.store.wisdom.get(_ids(wisdom))))
        yield "wisdom", _ids(wisdom), [one.id in there for one in wisdom]


def _ids(items: Sequence[_WithId]) -> list[str]:
    return [item.id for item in items]
