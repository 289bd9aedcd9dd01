"""Writing chapters and wisdom down: one for the same parts, unless somebody changed them meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple

from msgspec.structs import replace

from rum.app.agents.identity import somebody
from rum.app.caller import Caller
from rum.app.chapters.grouping import Craft, G, P, Pick, W, composed, settled, worded
from rum.app.chapters.word_source import Made
from rum.app.project import Project
from rum.model.chapters import MOST_TAGS, Chapter
from rum.model.errors import InvalidQuery, NotFound, StorageError
from rum.model.ids import new_id

TRIES = 5
"""How often words are made anew when their parts change meanwhile."""
NAMED = 3
"""Parts that an error names."""
_CHANGED = "The {} changed while the words were made; these are drawn from them as they are now."


class Kept(NamedTuple, Generic[G]):
    """What was written, whether it is new, and what to know about it."""

    one: G
    created: bool
    note: str


def same(caller: Caller, craft: Craft[G, P, W], parts: Sequence[P], found_by: Sequence[str]) -> G | None:
    """What there is of the same parts, or else what was found by the same tags."""
    kept = craft.kept(caller)
    ids = kept.made_of(one.id for one in parts)
    if not ids and found_by:
        ids = kept.found_by(found_by)
    return kept.get(ids[:1])[0] if ids else None


def is_forgotten(project: Project, craft: Craft[G, P, W], ids: Sequence[str]) -> bool:
    """Whether one of these parts was forgotten."""
    return bool(project.store.memories.buried(craft.marks(ids, project.tombstone_key)))


def keep(caller: Caller, craft: Craft[G, P, W], pick: Pick[G, P], *, ask: bool = True) -> Kept[G]:
    """Make something of what was picked, or renew what there is, and write it down.

    Nobody waits for the words, which are made between two turns. If parts, memories or what was handed in
    changed meanwhile, they are made again, of all as it is by then and without asking a model.
    """
    words = worded(caller.project, craft, pick, ask=ask)
    for _ in range(TRIES):
        made = composed(caller.project, craft, pick, words)
        with caller.project.turn(), caller.identity_undone_on_error(), caller.project.store.transaction():
            now = _of_now(caller, craft, pick)
            if now == pick:
                return _written(caller, craft, pick, made)
        if (now.parts, now.members) != (pick.parts, pick.members):
            words = worded(caller.project, craft, now, ask=False)._replace(
                note=_CHANGED.format(craft.parts_called)
            )
        pick = now
    raise StorageError(f"The {craft.parts_called} are being changed all the time; try again in a moment.")


def _of_now(caller: Caller, craft: Craft[G, P, W], pick: Pick[G, P]) -> Pick[G, P]:
    """The same pick as everything is now."""
    parts = craft.parts(caller, [one.id for one in pick.parts])
    if not parts:
        raise NotFound(f"All of these {craft.parts_called} were forgotten meanwhile.")
    old = same(caller, craft, parts, pick.tagged.found_by)
    return pick._replace(parts=parts, members=craft.members(caller, parts), old=old)


def _written(caller: Caller, craft: Craft[G, P, W], pick: Pick[G, P], made: Made[W]) -> Kept[G]:
    """Write it down, in a transaction of the caller's."""
    old, now = pick.old, caller.project.now()
    new = craft.saying(caller, _shell(caller, craft, pick, now), made, pick)
    if old is None:
        craft.kept(caller).put(new)
    else:
        new = settled(old, new, now)
        if old.content != new.content or is_over(caller, old):
            may_change(caller, craft, old)
            craft.kept(caller).put(new)
    return Kept(new, old is None, " ".join(filter(None, (pick.tagged.note, made.note))))


def _shell(caller: Caller, craft: Craft[G, P, W], pick: Pick[G, P], now: int) -> G:
    """One without its words: what there is, or a new one of whoever acts."""
    agent, _ = somebody(caller)
    caller.project.store.agents.touch(agent.id, now)
    one = pick.old or craft.blank(new_id(craft.kind), caller, agent.id)
    if isinstance(one, Chapter):
        one = replace(one, origin=pick.origin)
    return replace(
        one,
        found_by=pick.tagged.found_by,
        own_tags=tuple(dict.fromkeys((*one.own_tags, *pick.tagged.own)))[:MOST_TAGS],
        given=pick.given.names,
    )


def is_over(caller: Caller, one: G) -> bool:
    """Whether whoever acts may change this."""
    return caller.is_over(one.agent_id, imported=one.imported_at is not None)


def may_change(caller: Caller, craft: Craft[G, P, W], one: G) -> None:
    """Refuse an agent that may not change it."""
    instead = f"Make one of other {craft.parts_called} instead."
    caller.may_change_of(one.id, one.agent_id, imported=one.imported_at is not None, instead=instead)


def beside_old(caller: Caller, craft: Craft[G, P, W], pick: Pick[G, P], *, again: bool = False) -> Pick[G, P]:
    """A pick with what there is of it already; refused if tags found what was forgotten, unless `again`."""
    old = same(caller, craft, pick.parts, pick.tagged.found_by)
    ids = [one.id for one in pick.parts]
    if old is not None or not is_forgotten(caller.project, craft, ids):
        return pick._replace(old=old)
    what = f"What was made of these {len(ids)} {craft.parts_called} was forgotten"
    if again or not pick.tagged.found_by:
        asked = "asked for" if again else "they were named"
        return pick._replace(tagged=pick.tagged._replace(note=f"{what}; as {asked}, it was made again."))
    by, flag = caller.spell(craft.named_by), caller.spell("again")
    named = f"{', '.join(ids[:NAMED])}{', …' if len(ids) > NAMED else ''}"
    raise InvalidQuery(
        f"{what} ({named}). To make it again, say so with `{flag}`, or name them with `{by}`.",
        field="tags",
        count=len(ids),
        **{craft.named_by: ids[:NAMED]},
    )
