"""Rules: conditions and actions, shared by all agents of the project."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.agents import ensure_agent
from rum.app.caller import Caller
from rum.app.calls import load, public
from rum.app.freshness.texts import anchor_text, rule_text, shown_rules
from rum.app.layers.facts import limit_or_all
from rum.app.memories.forget import Counts, Kind, Removal, find_in, forget_one, refuse_existing
from rum.app.pages.lists import Names
from rum.app.project import Project
from rum.capture.tombstones import rule_marks
from rum.model.answers import ForgetResult
from rum.model.errors import InvalidQuery
from rum.model.fields import LONGEST_PATTERN, parse
from rum.model.ids import new_id
from rum.model.layers import USER, GivenRule, Rule, RuleVersion, ShownRule
from rum.store.records import Revision
from rum.text.patterns import Match, Text, best, compiled, pattern_error
from rum.text.shorten import one_line

_INSTEAD = "To correct it, use `rum rules set`."
_MAX_SHOWN = 60  # Characters of a condition in a remark


@public
class Rules:
    """The rules of an open project."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def add(self, condition: str, action: str) -> ShownRule:
        """Add a rule; returns the existing one if it is the same."""
        with self._caller.locked_call():
            return shown_rules(self._caller.project, [add(self._caller, condition, action)])[0]

    def set(self, rule_id: str, condition: str, action: str) -> ShownRule:
        """Change a rule; the former text goes into its history."""
        with self._caller.locked_call():
            rule = change(self._caller, rule_id, condition, action)
            return shown_rules(self._caller.project, [rule])[0]

    def list(self, limit: int | None = None) -> Sequence[ShownRule]:
        """The rules, newest first."""
        with self._caller.locked_call():
            return shown_rules(self._caller.project, self._caller.store.rules.latest(limit_or_all(limit)))

    def show(self, rule_id: str) -> ShownRule:
        """One rule by its id, or a tail of it."""
        with self._caller.locked_call():
            return shown_rules(self._caller.project, [find_rule(self._caller.project, rule_id)])[0]

    def match(self, task: str, plan: str = "") -> Sequence[ShownRule]:
        """The rules that match a task and its plan, newest first."""
        with self._caller.locked_call():
            found = match_rules(self._caller.project, Text(task, plan))
            return shown_rules(self._caller.project, [rule for rule, _ in found])

    def history(self, rule_id: str) -> Sequence[RuleVersion]:
        """All versions of a rule, oldest first; the last one is the current one."""
        with self._caller.locked_call():
            rule = find_rule(self._caller.project, rule_id)
            texts = rule.condition, rule.action
            found = self._caller.project.versions("rule", rule.id, rule, *texts)
            names = Names(self._caller.project)
            return [
                RuleVersion(
                    *one[:3], *one.texts, current=one is found[-1], changed_by_name=names.of(one.changed_by)
                )
                for one in found
            ]

    def forget(self, rule_id: str) -> ForgetResult:
        """Delete a rule; only a keyed hash of it stays."""
        with self._caller.locked_call():
            return forget_one(self._caller, KIND, find_rule(self._caller.project, rule_id).id)


def add(
    caller: Caller,
    condition: str,
    action: str,
    timestamp: float | None = None,
    *,
    allow_duplicate: bool = False,
) -> Rule:
    """Store a rule, or return the existing one with the same text unless `allow_duplicate` is set.

    `timestamp` is in milliseconds.
    """
    clean = clean_rule(caller.project, condition, action)
    at = int(caller.project.clock() * 1000) if timestamp is None else timestamp
    with caller.undo_identity_on_error(), caller.store.transaction():
        same = [] if allow_duplicate else caller.store.rules.with_texts(clean.condition, clean.action)
        if same:
            return same[0]
        agent, _ = ensure_agent(caller)
        rule = Rule(
            id=new_id("rule"),
            condition=clean.condition,
            action=clean.action,
            agent_id=agent.id,
            created_at=caller.project.now(),
            timestamp=at,
        )
        caller.store.rules.put(rule)
        anchor_text(caller.project, rule_text(rule))
        caller.store.agents.update(agent.id, last_active=caller.project.now())
    return rule


def change(caller: Caller, name: str, condition: str, action: str) -> Rule:
    """Change a rule; any agent may, and it keeps its first author. The same text again confirms it."""
    clean = clean_rule(caller.project, condition, action)
    with caller.undo_identity_on_error(), caller.store.transaction():
        old = find_rule(caller.project, name)
        agent, _ = ensure_agent(caller)
        now = max(caller.project.now(), old.updated_at or old.created_at)
        version = old.version
        if (old.condition, old.action) != (clean.condition, clean.action):
            caller.store.history.add(
                "rule", old.id, Revision(version, now, agent.id, (old.condition, old.action))
            )
            version += 1
        rule = replace(
            old,
            condition=clean.condition,
            action=clean.action,
            timestamp=int(caller.project.clock() * 1000),
            updated_at=now,
            version=version,
        )
        caller.store.rules.put(rule)
        anchor_text(caller.project, rule_text(rule))
        caller.store.agents.update(agent.id, last_active=caller.project.now())
    return rule


def clean_rule(project: Project, condition: str, action: str) -> GivenRule:
    """A rule without secrets; refused if no task can match its condition."""
    given = parse({"condition": condition, "action": action}, GivenRule, "rule")
    if not compiled(given.condition).alternatives:
        raise InvalidQuery(f"rule: `condition` {pattern_error(given.condition)}.", field="condition")
    return parse(project.clean(msgspec.to_builtins(given)), GivenRule, "rule")


def problem(rule: Rule) -> str | None:
    """Why a rule's condition rarely or never matches; None if it is fine."""
    if len(rule.condition) > LONGEST_PATTERN:
        return f"is longer than {LONGEST_PATTERN} characters, so no task matches it"
    if rule.source == USER and rule.condition == "*":
        return None  # Said without a condition
    return pattern_error(rule.condition)


def remarks(project: Project) -> list[str]:
    """A remark on each rule whose condition has a problem."""
    rules = project.store.rules.latest(limit_or_all(None))
    return [
        f"{rule.id}: `{one_line(rule.condition, _MAX_SHOWN)}` {found}."
        for rule in rules
        if (found := problem(rule))
    ]


def match_rules(project: Project, text: Text) -> list[tuple[Rule, Match]]:
    """The rules in force whose condition matches a text, newest first, each with its match."""
    found = (
        (rule, best([compiled(rule.condition)], text))
        for rule in project.store.rules.latest(limit_or_all(None))
        if len(rule.condition) <= LONGEST_PATTERN and rule.superseded_by is None
    )
    return [(rule, matched) for rule, matched in found if matched is not None]


def find_rule(project: Project, name: str) -> Rule:
    """The rule with this id, or with an id that ends in it."""
    return project.store.rules.get([project.find_id("rule", name)])[0]


def is_forgotten(project: Project, rule: Rule) -> bool:
    """Whether a rule with this text was forgotten."""
    return bool(project.store.memories.tombstones(rule_marks(rule, project.tombstone_key)))


def _counts(caller: Caller, rule_id: str) -> Counts:
    rule = find_rule(caller.project, rule_id)
    imported = rule.imported_at is not None
    caller.check_author(rule.id, rule.agent_id, imported=imported, instead=_INSTEAD, verb="forget")
    return {"rules": 1, "versions": len(caller.store.history.of("rule", [rule_id])[rule_id])}


class TrashedRule(Struct, frozen=True):
    """A rule in the trash, with its earlier texts."""

    rule: Rule
    versions: list[Revision]


def _remove(caller: Caller, rule_id: str) -> Removal:
    counts, rule = _counts(caller, rule_id), find_rule(caller.project, rule_id)
    versions = caller.store.history.of("rule", [rule_id])[rule_id]
    before = [replace(rule, condition=condition, action=action) for *_, (condition, action) in versions]
    caller.store.rules.delete([rule.id])
    if rule.source == USER:
        for one in caller.store.rules.latest(limit_or_all(None)):
            if one.superseded_by == rule.id:  # in force again, unless a third one overrules it
                load("app.capture.words:put_rule")(caller.project, one)
    return Removal(
        counts,
        label=f"{rule.condition}: {rule.action}",
        author=rule.agent_id,
        imported=rule.imported_at is not None,
        marks=[mark for one in (rule, *before) for mark in rule_marks(one, caller.project.tombstone_key)],
        data=TrashedRule(rule, versions),
    )


def _restore(project: Project, data: bytes) -> list[str]:
    kept = msgspec.json.decode(data, type=TrashedRule)
    one = kept.rule.id
    refuse_existing(one, one, exists=bool(project.store.rules.get([one])))
    if kept.rule.source == USER:
        load("app.capture.words:put_rule")(project, kept.rule)
    else:
        project.store.rules.put(kept.rule)
    for revision in kept.versions:
        project.store.history.add("rule", one, revision)
    return []


KIND = Kind("rule", find_in("rules"), _counts, _remove, _restore)
