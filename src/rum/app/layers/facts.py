"""Facts: what is known under a key, for all agents of the project."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from rum.app.agents.identity import somebody
from rum.app.error_origin import public
from rum.app.memories.forgettable import Counts, Kind, forgotten
from rum.app.project import Context
from rum.capture.tombstones import fact_marks
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery, NotFound
from rum.model.facts import Fact, FactVersion, GivenFact
from rum.model.parse import nearest, parse

EVERY = 10**9
"""More than there can be."""
_INSTEAD = "To correct it, set it."
_KEYS_COMPARED = 2000


@public
class Facts:
    """The facts of an open project."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def set(self, key: str, value: str) -> Fact:
        """Learn a fact; what was known under its key goes into its history."""
        with self._context.turn():
            return learn(self._context, key, value)

    def get(self, key: str) -> Fact | None:
        """The fact under a key, if there is one."""
        with self._context.turn():
            return self._context.store.facts.get(key)

    def show(self, key: str) -> Fact:
        """The fact under a key; NOT_FOUND names the nearest one where there is none."""
        with self._context.turn():
            return known(self._context, key)

    def list(self, prefix: str = "", limit: int | None = None) -> Sequence[Fact]:
        """The facts whose keys begin so, the one changed last at the front."""
        with self._context.turn():
            return self._context.store.facts.latest(prefix, first(limit))

    def history(self, key: str) -> Sequence[FactVersion]:
        """All that was ever known under a key, oldest first."""
        with self._context.turn():
            return history(self._context, key)

    def forget(self, key: str) -> ForgetResult:
        """Delete a fact with its history; only a keyed hash of its key stays."""
        with self._context.turn():
            return forgotten(self._context, KIND, known(self._context, key).key)

    def forgotten(self, key: str) -> bool:
        """Whether a fact under this key was forgotten: then nothing but its being set brings it back."""
        with self._context.turn():
            return is_forgotten(self._context, key)


def learn(context: Context, key: str, value: str, timestamp: float | None = None) -> Fact:
    """Keep a fact; `timestamp` is in milliseconds, now if not told.

    Any agent corrects what another said, which stays its author's all the same. Learning what is known
    already says that it still holds.
    """
    given = parse({"key": key, "value": value}, GivenFact, "fact")
    clean = parse(context.clean(msgspec.to_builtins(given)), GivenFact, "fact")
    at = int(context.clock() * 1000) if timestamp is None else timestamp
    with context.identity_undone_on_error(), context.store.transaction():
        agent, _ = somebody(context)
        old = context.store.facts.get(clean.key)
        fact = Fact(
            key=clean.key, value=clean.value, agent_id=agent.id, created_at=context.now(), timestamp=at
        )
        fact = fact if old is None else _renewed(context, old, fact)
        context.store.facts.put(fact)
        context.store.agents.touch(agent.id, context.now())
    return fact


def _renewed(context: Context, old: Fact, new: Fact) -> Fact:
    """A fact that takes the place of an earlier one, which goes into its history if it said otherwise."""
    now = max(new.created_at, old.updated_at or old.created_at)
    version = old.version
    if old.value != new.value:
        context.store.facts.add_version(old.key, version, now, new.agent_id, old.value)
        version += 1
    return replace(old, value=new.value, timestamp=new.timestamp, updated_at=now, version=version)


def set_by(context: Context, fact: Fact) -> str:
    """Who said last what a fact says: the id of an agent."""
    before = context.store.facts.versions(fact.key) if fact.version > 1 else []
    return before[-1][2] if before else fact.agent_id


def must_be_over(context: Context, fact: Fact, may: str = "forget") -> None:
    """Refuse an agent that is not over a fact's author; `may` is what only those who are may do."""
    imported = fact.imported_at is not None
    context.may_change_of(f"The fact {fact.key}", fact.agent_id, imported=imported, instead=_INSTEAD, may=may)


def known(context: Context, key: str) -> Fact:
    """The fact under a key; NOT_FOUND names the nearest key."""
    fact = context.store.facts.get(key)
    if fact is None:
        near = nearest_key(context, key)
        hint = f" Did you mean `{near}`?" if near else ""
        raise NotFound(f"No fact `{key}` in project {context.project.name}.{hint}", id=key, nearest=near)
    return fact


def nearest_key(context: Context, key: str) -> str | None:
    """The known key most like one that is not known."""
    keys = {fact.key.lower(): fact.key for fact in context.store.facts.latest("", _KEYS_COMPARED)}
    near = nearest(key, list(keys))
    return keys[near] if near else None


def history(context: Context, key: str) -> list[FactVersion]:
    """All that was ever known under a key, oldest first; the last one is what is known now."""
    fact = known(context, key)
    author, since, versions = fact.agent_id, fact.created_at, list[FactVersion]()
    for number, at, by, value in context.store.facts.versions(key):
        versions.append(FactVersion(number, since, author, value, current=False))
        author, since = by, at
    return [*versions, FactVersion(fact.version, since, author, fact.value, current=True)]


def is_forgotten(context: Context, key: str) -> bool:
    """Whether a fact under this key was forgotten."""
    return bool(context.store.memories.buried(fact_marks(key, context.tombstone_key)))


def first(limit: int | None) -> int:
    """How many to give; refused if it is not a number of things."""
    if limit is not None and limit < 1:
        raise InvalidQuery(f"`limit` must be 1 or more, not {limit}.", field="limit")
    return EVERY if limit is None else limit


def _found(context: Context, key: str) -> list[str]:
    return [key] if context.store.facts.get(key) else []


def _held(context: Context, key: str) -> Counts:
    must_be_over(context, known(context, key))
    return {"facts": 1, "versions": len(context.store.facts.versions(key))}


def _removed(context: Context, key: str) -> Counts:
    must_be_over(context, known(context, key))
    context.store.memories.bury(fact_marks(key, context.tombstone_key), "fact", context.now())
    return context.store.facts.delete(key)


KIND = Kind("fact", _found, _held, _removed)
