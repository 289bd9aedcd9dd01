"""Archiving: what is old and rarely used is packed away, and found all the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType

from rum.app.caller import Caller
from rum.app.project import Project
from rum.model.errors import InvalidQuery
from rum.store.base import ReadMode
from rum.store.upkeep import Weighed

BATCH = 100  # Memories archived at once, so that other writers get their turn in between
WORTH_IT = 0.05  # From such a share of memories archived, or of space unused, the file is made smaller
DAY = 86400
LONGEST = 36_500  # Days that a memory may be asked to be old: beyond that times make no sense

Progress = Callable[[int, int], None]  # Told how many memories have been archived, and how many will be


class Archived(Struct, frozen=True, kw_only=True):
    """What was archived, or would be; what was not and why; and what that did to the file."""

    archived: int
    superseded: int  # So many of them are superseded by others
    # Live memories that stay as they are, by reason: young, important, follow_ups, linked, used.
    kept: dict[str, int]
    in_archive: int
    bytes_before: int
    bytes_after: int
    dry_run: bool = False
    hint: str | UnsetType = UNSET  # Why the file did not get smaller, where it should have


class Restored(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Memories that are live again, those that were anyway, and those that are damaged and stay archived."""

    restored: Sequence[str]
    live: Sequence[str]
    unreadable: Sequence[str] = ()


class Rule(NamedTuple):
    """What may be archived: made and changed before then, less important, and used at most so often."""

    before: int
    importance: float
    uses: int


def _rule(caller: Caller, older_than: float | None, importance: float | None, uses: int | None) -> Rule:
    """The rule of the settings, with what the caller wants otherwise."""
    settings = caller.project.settings
    days = settings.archive_after if older_than is None else older_than
    least = settings.archive_importance if importance is None else importance
    most = settings.archive_uses if uses is None else uses
    return Rule(
        before=int(caller.project.now() - _checked(caller, "older_than", days, 1, LONGEST) * DAY),
        importance=_checked(caller, "importance", least, 0, 1),
        uses=int(_checked(caller, "uses", most, 0, 10**9)),
    )


def _checked(caller: Caller, name: str, value: float, low: float, high: float) -> float:
    # Written so that NaN fails too; callers may not check types.
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(
            f"archive: `{caller.spell(name)}` is a number from {low:g} to {high:g}.", field=name
        )
    return value


def archive(
    caller: Caller,
    older_than: float | None,
    importance: float | None,
    uses: int | None,
    *,
    dry_run: bool = False,
    progress: Progress = lambda _done, _total: None,
) -> Archived:
    """Archive what the rule allows, superseded memories first, then the oldest."""
    rule, project = _rule(caller, older_than, importance, uses), caller.project
    store = project.store
    before = _size(project)
    ripe, kept = _sort_candidates(project, rule)
    if dry_run:
        done, hint = len(ripe), None
    else:
        with store.transaction():
            pass  # where nothing can be written, this says so before anything is packed
        done = _archive(project, [one.memory_id for one in ripe], progress)
        hint = _shrink_file(project, done)
    return Archived(
        archived=done,
        superseded=sum(one.superseded for one in ripe),
        kept=kept,
        in_archive=store.memories.count(archived=True) + (done if dry_run else 0),
        bytes_before=before,
        bytes_after=_size(project),
        dry_run=dry_run,
        hint=f"The file did not get smaller: {hint}." if hint else UNSET,
    )


def _sort_candidates(project: Project, rule: Rule) -> tuple[list[Weighed], dict[str, int]]:
    """What may be archived, in the order in which it will be, and why the rest may not."""
    ripe: list[Weighed] = []
    kept: Counter[str] = Counter()
    for batch in project.store.archive.weigh(rule.before, rule.importance):
        uses = project.use_counts(one.memory_id for one in batch)
        for one in batch:
            use = uses.get(one.memory_id)
            used = use is not None and (use.times > rule.uses or (use.last_used_at or 0) >= rule.before)
            against = one.against or ("used" if used and not one.superseded else "")
            if against:
                kept[against] += 1
            else:
                ripe.append(one)
    ripe.sort(key=lambda one: not one.superseded)
    return ripe, dict(sorted(kept.items()))


def _archive(project: Project, ids: list[str], progress: Progress) -> int:
    done = 0
    for start in range(0, len(ids), BATCH):
        done += project.store.archive.put(ids[start : start + BATCH], project.now())
        progress(min(start + BATCH, len(ids)), len(ids))
    return done


def _shrink_file(project: Project, done: int) -> str | None:
    """Give space back if there is enough of it; why that was not possible, if it was not."""
    store = project.store
    if not done or max(done / store.memories.count(), store.local_upkeep.size().unused) < WORTH_IT:
        return None  # what comes next takes it
    return store.local_upkeep.shrink(project.settings.busy_timeout)


def _size(project: Project) -> int:
    """Bytes of the file that holds the memories, its log included."""
    return project.store.local_upkeep.size().bytes


def restore(project: Project, names: Sequence[str]) -> Restored:
    """Make archived memories live again; it counts as a use, so that the next time they stay."""
    memories, archive = project.store.memories, project.store.archive
    with project.store.transaction():
        ids = list(dict.fromkeys(project.find_id("memory", name) for name in names))
        readable = [memory.id for memory in memories.get(ids, ReadMode.SKIP_DAMAGED)]
        if not readable:
            memories.get(ids)  # which says what is wrong with them
        back = [one for one in readable if archive.take_back([one])]
    project.uses.update(back)
    live = [one for one in readable if one not in back]
    lost = [one for one in ids if one not in readable]
    return Restored(restored=back, live=live, unreadable=tuple(lost))
