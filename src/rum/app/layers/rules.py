"""Rules: what to do when, for all agents of the project."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from rum.app.agents.identity import somebody
from rum.app.error_origin import public
from rum.app.layers.facts import first
from rum.app.memories.forgettable import Counts, Kind, forgotten
from rum.app.project import Context
from rum.capture.tombstone_words import rule_marks
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery, NotFound
from rum.model.facts import GivenRule, Rule, RuleVersion
from rum.model.ids import TAIL, new_id
from rum.model.parse import parse
from rum.model.pattern import LONGEST_PATTERN
from rum.store.captured_events import Proposal
from rum.text import patterns as match
from rum.text.invisible import one_line
from rum.text.patterns import Match, Text, best, compiled

_INSTEAD = "To correct it, set it."
_SHOWN = 60


@public
class Rules:
    """The rules of an open project."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def add(self, condition: str, action: str) -> Rule:
        """Learn a rule; one that says the same already is given back."""
        with self._context.turn():
            return add(self._context, condition, action)

    def set(self, rule_id: str, condition: str, action: str) -> Rule:
        """Correct a rule; what it said goes into its history."""
        with self._context.turn():
            return change(self._context, rule_id, condition, action)

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
            return [rule for rule, _ in matching(self._context, Text(task, plan))]

    def history(self, rule_id: str) -> Sequence[RuleVersion]:
        """All that a rule ever said, oldest first."""
        with self._context.turn():
            return history(self._context, rule_id)

    def candidates(self) -> Sequence[Proposal]:
        """What people corrected, as rules that they may have meant; none of them is in force."""
        with self._context.turn():
            return candidates(self._context)

    def accept(self, candidate_id: str, *, condition: str | None = None, action: str | None = None) -> Rule:
        """Make a rule of a candidate, in its own words or in better ones."""
        with self._context.turn():
            return accept(self._context, candidate_id, condition, action)

    def reject(self, candidate_id: str) -> Proposal:
        """Drop a candidate; the same words do not bring it back."""
        with self._context.turn():
            return reject(self._context, candidate_id)

    def forget(self, rule_id: str) -> ForgetResult:
        """Delete a rule; only a keyed hash of it stays."""
        with self._context.turn():
            return forgotten(self._context, KIND, known(self._context, rule_id).id)


def add(
    context: Context, condition: str, action: str, timestamp: float | None = None, *, again: bool = False
) -> Rule:
    """Keep a rule; `timestamp` is in milliseconds, `again` keeps it even if another one says the same."""
    clean = _given(context, condition, action)
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


def change(context: Context, name: str, condition: str, action: str) -> Rule:
    """Let a rule say something else; any agent may, and it stays its author's all the same.

    Saying what it says already says that it still holds.
    """
    clean = _given(context, condition, action)
    with context.identity_undone_on_error(), context.store.transaction():
        old = known(context, name)
        agent, _ = somebody(context)
        now = max(context.now(), old.updated_at or old.created_at)
        version = old.version
        if (old.condition, old.action) != (clean.condition, clean.action):
            said = (old.condition, old.action)
            context.store.rules.add_version(old.id, version, now, agent.id, *said)
            version += 1
        rule = replace(
            old,
            condition=clean.condition,
            action=clean.action,
            timestamp=int(context.clock() * 1000),
            updated_at=now,
            version=version,
        )
        context.store.rules.put(rule)
        context.store.agents.touch(agent.id, context.now())
    return rule


def _given(context: Context, condition: str, action: str) -> GivenRule:
    """A rule as somebody says it, without secrets; refused where no task could ever meet it."""
    given = parse({"condition": condition, "action": action}, GivenRule, "rule")
    if not compiled(given.condition).alternatives:
        raise InvalidQuery(f"rule: `condition` {match.problem(given.condition)}.", field="condition")
    return parse(context.clean(msgspec.to_builtins(given)), GivenRule, "rule")


def candidates(context: Context) -> Sequence[Proposal]:
    """Rules that people may have meant, the last one told first."""
    return context.store.seen.proposals()


def accept(context: Context, name: str, condition: str | None = None, action: str | None = None) -> Rule:
    """Make a rule of a candidate, in its own words or in better ones."""
    one = _candidate(context, name)
    rule = add(context, condition or one.condition, action or one.action)
    context.store.seen.settle(one.id, "accepted")
    return rule


def reject(context: Context, name: str) -> Proposal:
    """Drop a candidate; the same words do not bring it back."""
    one = _candidate(context, name)
    context.store.seen.settle(one.id, "rejected")
    return one


def _candidate(context: Context, name: str) -> Proposal:
    known = candidates(context)
    found = [one for one in known if one.id == name or (len(name) >= TAIL and one.id.endswith(name))]
    if len(found) != 1:
        raise NotFound(
            f"No candidate `{name}`; `rum rules candidates` lists them. A tail has {TAIL} characters.",
            id=name,
        )
    return found[0]


def problem(rule: Rule) -> str | None:
    """What to know of a rule whose condition is met seldom or never; None if it is sound."""
    if len(rule.condition) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters, so no task matches it"
    return match.problem(rule.condition)


def remarks(context: Context) -> list[str]:
    """What to know of all rules that are not sound."""
    found = ((rule, problem(rule)) for rule in context.store.rules.latest(first(None)))
    return [f"{rule.id}: `{one_line(rule.condition, _SHOWN)}` {odd}." for rule, odd in found if odd]


def matching(context: Context, text: Text) -> list[tuple[Rule, Match]]:
    """The rules whose condition speaks of a text, newest first, each with how it matched."""
    found = (
        (rule, best([compiled(rule.condition)], text))
        for rule in context.store.rules.latest(first(None))
        if len(rule.condition) <= LONGEST_PATTERN
    )
    return [(rule, matched) for rule, matched in found if matched is not None]


def history(context: Context, name: str) -> list[RuleVersion]:
    """All that a rule ever said, oldest first; the last one is what it says now."""
    rule = known(context, name)
    author, since, versions = rule.agent_id, rule.created_at, list[RuleVersion]()
    for number, at, by, *said in context.store.rules.versions(rule.id):
        versions.append(RuleVersion(number, since, author, *said, current=False))
        author, since = by, at
    return [*versions, RuleVersion(rule.version, since, author, rule.condition, rule.action, current=True)]


def set_by(context: Context, rule: Rule) -> str:
    """Who said last what a rule says: the id of an agent."""
    before = context.store.rules.versions(rule.id) if rule.version > 1 else []
    return before[-1][2] if before else rule.agent_id


def known(context: Context, name: str) -> Rule:
    """The one rule that an id or a tail of one means."""
    return context.store.rules.get([context.one("rule", name, context.store.rules.named(name))])[0]


def _must_be_over(context: Context, rule: Rule) -> None:
    imported = rule.imported_at is not None
    context.may_change_of(rule.id, rule.agent_id, imported=imported, instead=_INSTEAD, may="forget")


def is_forgotten(context: Context, rule: Rule) -> bool:
    """Whether a rule that says this was forgotten."""
    return bool(context.store.memories.buried(rule_marks(rule, context.tombstone_key)))


def _found(context: Context, name: str) -> list[str]:
    return context.store.rules.named(name)


def _held(context: Context, rule_id: str) -> Counts:
    _must_be_over(context, known(context, rule_id))
    return {"rules": 1, "versions": len(context.store.rules.versions(rule_id))}


def _removed(context: Context, rule_id: str) -> Counts:
    held, rule = _held(context, rule_id), known(context, rule_id)
    before = [
        replace(rule, condition=condition, action=action)
        for *_, condition, action in context.store.rules.versions(rule_id)
    ]
    marks = [mark for one in (rule, *before) for mark in rule_marks(one, context.tombstone_key)]
    context.store.memories.bury(marks, "rule", context.now())
    context.store.rules.delete([rule.id])
    return held


KIND = Kind("rule", _found, _held, _removed)
