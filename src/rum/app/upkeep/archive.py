"""Archiving: what is old and rarely used is packed away, and found all the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import UNSET, Struct, UnsetType

from rum.app.caller import Caller
from rum.app.project import Progress, Project
from rum.model.errors import InvalidQuery
from rum.store.base import ReadMode
from rum.store.upkeep import Weighed

BATCH = 100  # Memories archived at once, so that other writers get their turn in between
WORTH_IT = 0.05  # From such a share of memories archived, or of space unused, the file is made smaller
DAY = 86400
LONGEST = 36_500  # Days that a memory may be asked to be old: beyond that times make no sense


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


def archive(
    caller: Caller,
    older_than: float | None,
    importance: float | None,
    uses: int | None,
    *,
    dry_run: bool,
    progress: Progress,
) -> Archived:
    """Archive what is old, unimportant and rarely used: superseded memories first, then the oldest.

    The settings decide what the caller leaves out.
    """
    project, store, settings = caller.project, caller.store, caller.project.settings
    days = _number(caller, "older_than", older_than, settings.archive_after, 1, LONGEST)
    least = _number(caller, "importance", importance, settings.archive_importance, 0, 1)
    most = _number(caller, "uses", uses, settings.archive_uses, 0, 10**9)
    bytes_before = store.local_upkeep.size().bytes
    ripe, kept = _sort_candidates(project, int(project.now() - days * DAY), least, int(most))
    done, hint = 0, None
    if dry_run:
        done = len(ripe)
    else:
        with store.transaction():
            pass  # where nothing can be written, this says so before anything is packed
        for start in range(0, len(ripe), BATCH):
            batch = [one.memory_id for one in ripe[start : start + BATCH]]
            done += store.archive.put(batch, project.now())
            progress(start + len(batch), len(ripe))
        # A smaller share is left to what comes next.
        if done and max(done / store.memories.count(), store.local_upkeep.size().unused) >= WORTH_IT:
            hint = store.local_upkeep.shrink(settings.busy_timeout)
    return Archived(
        archived=done,
        superseded=sum(one.superseded for one in ripe),
        kept=kept,
        in_archive=store.memories.count(archived=True) + (done if dry_run else 0),
        bytes_before=bytes_before,
        bytes_after=store.local_upkeep.size().bytes,
        dry_run=dry_run,
        hint=f"The file did not get smaller: {hint}." if hint else UNSET,
    )


def _number(caller: Caller, name: str, given: float | None, setting: float, low: float, high: float) -> float:
    value = setting if given is None else given
    # Written so that NaN fails too; callers may not check types.
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InvalidQuery(
            f"archive: `{caller.parameter_name(name)}` is a number from {low:g} to {high:g}.", field=name
        )
    return value


def _sort_candidates(
    project: Project, before: int, importance: float, most_uses: int
) -> tuple[list[Weighed], dict[str, int]]:
    """What may be archived, in the order in which it will be, and why the rest may not."""
    ripe: list[Weighed] = []
    kept: Counter[str] = Counter()
    for batch in project.store.archive.weigh(before, importance):
        uses = project.use_counts(one.memory_id for one in batch)
        for one in batch:
            use = uses.get(one.memory_id)
            used = use is not None and (use.times > most_uses or (use.last_used_at or 0) >= before)
            against = one.against or ("used" if used and not one.superseded else "")
            if against:
                kept[against] += 1
            else:
                ripe.append(one)
    ripe.sort(key=lambda one: not one.superseded)
    return ripe, dict(sorted(kept.items()))


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
