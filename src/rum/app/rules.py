"""Rules: what to do when, for all agents of the project."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rum.app.context import Context
from rum.app.facts import first
from rum.app.forgettable import Counts, Kind, forgotten
from rum.app.identity import somebody
from rum.capture.tombstones import rule_marks
from rum.inject.match import Text, best, compiled
from rum.model.answers import ForgetResult
from rum.model.fact import GivenRule, Rule
from rum.model.ids import new_id
from rum.model.parse import parse
from rum.store.seen import Proposal

_INSTEAD = "Add a rule of your own instead."


class Rules:
    """The rules of an open project."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def add(self, condition: str, action: str) -> Rule:
        """Learn a rule; one that says the same already is given back."""
        with self._context.turn():
            return add(self._context, condition, action)

    def list(self, limit: int | None = None) -> Sequence[Rule]:
        """The rules, newest first."""
        with self._context.turn():
            return self._context.store.rules.latest(first(limit))

    def show(self, rule_id: str) -> Rule:
        """One rule by its id, or a tail of it."""
        with self._context.turn():
            return known(self._context, rule_id)

    def match(self, task: str, plan: str = "") -> Sequence[Rule]:
        """The rules for a task and the plan for it, newest first."""
        with self._context.turn():
            return matching(self._context, task, plan)

    def candidates(self) -> Sequence[Proposal]:
        """What people corrected, as rules that they may have meant; none of them is in force."""
        from rum.app import seeing  # noqa: PLC0415 (that module is built on this one)

        with self._context.turn():
            return seeing.candidates(self._context)

    def accept(self, candidate_id: str, *, condition: str | None = None, action: str | None = None) -> Rule:
        """Make a rule of a candidate, in its own words or in better ones."""
        from rum.app import seeing  # noqa: PLC0415 (as above)

        with self._context.turn():
            return seeing.accept(self._context, candidate_id, condition, action)

    def reject(self, candidate_id: str) -> Proposal:
        """Drop a candidate; the same words do not bring it back."""
        from rum.app import seeing  # noqa: PLC0415 (as above)

        with self._context.turn():
            return seeing.reject(self._context, candidate_id)

    def forget(self, rule_id: str) -> ForgetResult:
        """Delete a rule; only a keyed hash of it stays."""
        with self._context.turn():
            return forgotten(self._context, KIND, known(self._context, rule_id).id)


def add(
    context: Context, condition: str, action: str, timestamp: float | None = None, *, again: bool = False
) -> Rule:
    """Keep a rule; `timestamp` is in milliseconds, `again` keeps it even if another one says the same."""
    given = parse({"condition": condition, "action": action}, GivenRule, "rule")
    clean = parse(context.clean(msgspec.to_builtins(given)), GivenRule, "rule")
    at = int(context.clock() * 1000) if timestamp is None else timestamp
    with context.identity_undone_on_error(), context.store.transaction():
        same = [] if again else context.store.rules.saying(clean.condition, clean.action)
        if same:
            return same[0]
        agent, _ = somebody(context)
        rule = Rule(
            id=new_id("rule"),
            condition=clean.condition,
            action=clean.action,
            agent_id=agent.id,
            created_at=context.now(),
            timestamp=at,
        )
        context.store.rules.add(rule)
        context.store.agents.touch(agent.id, context.now())
    return rule


def matching(context: Context, task: str, plan: str = "") -> list[Rule]:
    """The rules whose condition speaks of a task or the plan for it, newest first."""
    text = Text(task, plan)
    return [
        rule for rule in context.store.rules.latest(first(None)) if best([compiled(rule.condition)], text)
    ]


def known(context: Context, name: str) -> Rule:
    """The one rule that an id or a tail of one means."""
    return context.store.rules.get([context.one("rule", name, context.store.rules.named(name))])[0]


def may_change(context: Context, rule: Rule) -> None:
    """Refuse an agent that may not change a rule."""
    imported = rule.imported_at is not None
    context.may_change_of(rule.id, rule.agent_id, imported=imported, instead=_INSTEAD)


def is_forgotten(context: Context, rule: Rule) -> bool:
    """Whether a rule that says this was forgotten."""
    return bool(context.store.memories.buried(rule_marks(rule, context.tombstone_key)))


def _found(context: Context, name: str) -> list[str]:
    return context.store.rules.named(name)


def _held(context: Context, rule_id: str) -> Counts:
    may_change(context, known(context, rule_id))
    return {"rules": 1}


def _removed(context: Context, rule_id: str) -> Counts:
    rule = known(context, rule_id)
    may_change(context, rule)
    context.store.memories.bury(rule_marks(rule, context.tombstone_key), "rule", context.now())
    return {"rules": context.store.rules.delete([rule.id])}


KIND = Kind("rule", _found, _held, _removed)
