"""Facts: keys and values, shared by all agents of the project."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.agents import ensure_agent
from rum.app.caller import Caller
from rum.app.calls import public
from rum.app.freshness.texts import anchor_text, fact_text, shown_facts
from rum.app.memories.forget import Counts, Kind, Removal, find_in, forget_one, refuse_existing
from rum.app.pages.lists import Names
from rum.app.project import Project
from rum.capture.tombstones import fact_marks
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery, NotFound
from rum.model.fields import nearest, parse
from rum.model.layers import Fact, FactVersion, GivenFact, ShownFact
from rum.store.records import Revision

EVERY = 10**9  # A limit that no project reaches
_INSTEAD = "To correct it, use `rum facts set`."
_KEYS_COMPARED = 2000


@public
class Facts:
    """The facts of an open project."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def set(self, key: str, value: str) -> ShownFact:
        """Set a fact; the former value goes into its history."""
        with self._caller.locked_call():
            return shown_facts(self._caller.project, [learn(self._caller, key, value)])[0]

    def get(self, key: str) -> ShownFact | None:
        """The fact under a key, if there is one."""
        with self._caller.locked_call():
            fact = get_fact(self._caller.project, key)
            return shown_facts(self._caller.project, [fact])[0] if fact else None

    def show(self, key: str) -> ShownFact:
        """The fact under a key; NotFound names the nearest key."""
        with self._caller.locked_call():
            return shown_facts(self._caller.project, [find_fact(self._caller.project, key)])[0]

    def list(self, prefix: str = "", limit: int | None = None) -> Sequence[ShownFact]:
        """The facts whose keys have this prefix, last changed first."""
        with self._caller.locked_call():
            found = self._caller.store.facts.latest(limit_or_all(limit), prefix)[0]
            return shown_facts(self._caller.project, found)

    def history(self, key: str) -> Sequence[FactVersion]:
        """All values of a key, oldest first; the last one is the current value."""
        with self._caller.locked_call():
            fact = find_fact(self._caller.project, key)
            found = self._caller.project.versions("fact", key, fact, fact.value)
            names = Names(self._caller.project)
            return [
                FactVersion(
                    *one[:3], *one.texts, current=one is found[-1], changed_by_name=names.of(one.changed_by)
                )
                for one in found
            ]

    def forget(self, key: str) -> ForgetResult:
        """Move a fact with its history into the trash."""
        with self._caller.locked_call():
            return forget_one(self._caller, KIND, find_fact(self._caller.project, key).key)

    def forgotten(self, key: str) -> bool:
        """Whether the fact under this key was forgotten: then only setting it brings it back."""
        with self._caller.locked_call():
            return is_forgotten(self._caller.project, key)


def learn(caller: Caller, key: str, value: str, timestamp: float | None = None) -> Fact:
    """Store a fact; `timestamp` is in milliseconds, by default now.

    Any agent may change a fact, which keeps its first author. Storing the same value again confirms it.
    """
    given = parse({"key": key, "value": value}, GivenFact, "fact")
    clean = parse(caller.project.clean(msgspec.to_builtins(given)), GivenFact, "fact")
    at = int(caller.project.clock() * 1000) if timestamp is None else timestamp
    with caller.undo_identity_on_error(), caller.store.transaction():
        agent, _ = ensure_agent(caller)
        now, old = caller.project.now(), get_fact(caller.project, clean.key)
        if old is None:
            fact = Fact(key=clean.key, value=clean.value, agent_id=agent.id, created_at=now, timestamp=at)
        else:
            changed_at, version = max(now, old.updated_at or old.created_at), old.version
            if old.value != clean.value:
                revision = Revision(version, changed_at, agent.id, (old.value,))
                caller.store.history.add("fact", old.key, revision)
                version += 1
            fact = replace(old, value=clean.value, timestamp=at, updated_at=changed_at, version=version)
        caller.store.facts.put(fact)
        anchor_text(caller.project, fact_text(fact))
        caller.store.agents.update(agent.id, last_active=now)
    return fact


def check_may_change(caller: Caller, fact: Fact, verb: str = "forget") -> None:
    """Refuse a caller who may not change a fact; `verb` names the action in the error."""
    imported = fact.imported_at is not None
    caller.check_author(f"The fact {fact.key}", fact.agent_id, imported=imported, instead=_INSTEAD, verb=verb)


def get_fact(project: Project, key: str) -> Fact | None:
    """The fact under a key, if there is one."""
    return next(iter(project.store.facts.get([key])), None)


def find_fact(project: Project, key: str) -> Fact:
    """The fact under a key; NotFound names the nearest key."""
    fact = get_fact(project, key)
    if fact is None:
        near = nearest_key(project, key)
        hint = f" Did you mean `{near}`?" if near else ""
        raise NotFound(f"No fact `{key}` in project {project.location.name}.{hint}", id=key, nearest=near)
    return fact


def nearest_key(project: Project, key: str) -> str | None:
    """The existing key most similar to one that does not exist."""
    keys = {fact.key.lower(): fact.key for fact in project.store.facts.latest(_KEYS_COMPARED)[0]}
    near = nearest(key, list(keys))
    return keys[near] if near else None


def is_forgotten(project: Project, key: str) -> bool:
    """Whether a fact under this key was forgotten."""
    return bool(project.store.memories.tombstones(fact_marks(key, project.tombstone_key)))


def limit_or_all(limit: int | None) -> int:
    """The limit of a list, or one that includes everything; refused if it is below 1."""
    if limit is not None and limit < 1:
        raise InvalidQuery(f"`limit` must be 1 or more, not {limit}.", field="limit")
    return EVERY if limit is None else limit


def _counts(caller: Caller, key: str) -> Counts:
    check_may_change(caller, find_fact(caller.project, key))
    return {"facts": 1, "versions": len(caller.store.history.of("fact", [key])[key])}


class TrashedFact(Struct, frozen=True):
    """A fact in the trash, with its earlier values."""

    fact: Fact
    versions: list[Revision]


def _remove(caller: Caller, key: str) -> Removal:
    counts, fact = _counts(caller, key), find_fact(caller.project, key)
    versions = caller.store.history.of("fact", [key])[key]
    caller.store.facts.delete([key])
    return Removal(
        counts,
        label=f"{fact.key} = {fact.value}",
        author=fact.agent_id,
        imported=fact.imported_at is not None,
        marks=fact_marks(key, caller.project.tombstone_key),
        data=TrashedFact(fact, versions),
    )


def _restore(project: Project, data: bytes) -> list[str]:
    kept = msgspec.json.decode(data, type=TrashedFact)
    key = kept.fact.key
    refuse_existing(f"A fact `{key}`", key, exists=get_fact(project, key) is not None)
    project.store.facts.put(kept.fact)
    for revision in kept.versions:
        project.store.history.add("fact", key, revision)
    return []


KIND = Kind("fact", find_in("facts"), _counts, _remove, _restore)
