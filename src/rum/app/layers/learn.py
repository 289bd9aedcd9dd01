"""The call `learn`: set, get and list facts and rules."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.freshness.texts import shown_facts, shown_rules
from rum.app.layers import facts, rules
from rum.app.project import Project
from rum.model.errors import NO_RESULTS, InvalidQuery
from rum.model.layers import Fact, FactView, LearnRequest, LearnResult, Rule, RuleView
from rum.text.patterns import Text


def learn(caller: Caller, request: LearnRequest) -> LearnResult:
    """Run the action of a request."""
    return {"set": _set, "get": _get, "list": _list}[request.action](caller, request)


def _set(caller: Caller, request: LearnRequest) -> LearnResult:
    fact, rule = request.fact, request.rule
    if fact is None and rule is None:
        raise InvalidQuery(
            "learn: to set, give `fact` {key, value} or `rule` {condition, action}.", field="fact"
        )
    with caller.store.transaction():
        known = [facts.learn(caller, fact.key, fact.value)] if fact else None
        if rule is None:
            return _result(caller.project, known, None)
        given = rule.condition, rule.action
        added = rules.change(caller, rule.id, *given) if rule.id else rules.add(caller, *given)
    odd = rules.problem(added)
    return _result(caller.project, known, [added], hint=f"The rule's `condition` {odd}." if odd else UNSET)


def _get(caller: Caller, request: LearnRequest) -> LearnResult:
    if request.key is None and request.task is None:
        raise InvalidQuery(
            "learn: to get, give the `key` of a fact or the `task` that rules are for.", field="key"
        )
    known = added = None
    if request.key is not None:
        known = caller.store.facts.get([request.key])
        load("app.offers:record_fetched")(caller, "fact", request.key)
    if request.task is not None:
        added = [rule for rule, _ in rules.match_rules(caller.project, Text(request.task))][: request.limit]
    if known or added:
        return _result(caller.project, known, added)
    near = facts.nearest_key(caller.project, request.key) if request.key else None
    hint = f"Did you mean the key `{near}`?" if near else "Use action `list` to see what there is."
    return _result(caller.project, known, added, hint=hint)


def _list(caller: Caller, request: LearnRequest) -> LearnResult:
    prefix, added, total_rules = request.key or "", None, UNSET
    known, total_facts = caller.store.facts.latest(request.limit, prefix)
    if request.key is None:
        added, total_rules = caller.store.rules.latest(request.limit), caller.store.rules.count()
    hint = UNSET if known or added else "Nothing was learned yet."
    return _result(caller.project, known, added, total_facts, total_rules, hint)


def _result(
    project: Project,
    known: list[Fact] | None,
    added: list[Rule] | None,
    total_facts: int | UnsetType = UNSET,
    total_rules: int | UnsetType = UNSET,
    hint: str | UnsetType = UNSET,
) -> LearnResult:
    def set_by(kind: str, one: str, now: Fact | Rule) -> str:
        return project.versions(kind, one, now)[-1].changed_by if now.version > 1 else now.agent_id

    fact_views = [
        FactView(
            *(
                one.key,
                one.value,
                one.updated_at or one.created_at,
                one.version,
                set_by("fact", one.key, one),
            ),
            freshness=one.freshness,
            code_at=one.code_at,
            code_changed=one.code_changed,
        )
        for one in shown_facts(project, known or ())
    ]
    rule_views = [
        RuleView(
            *(one.id, one.condition, one.action, one.version, set_by("rule", one.id, one)),
            source=one.source or UNSET,
            said_at=one.created_at if one.source else UNSET,
            about=one.about or UNSET,
            superseded_by=one.superseded_by or UNSET,
            freshness=one.freshness,
            code_at=one.code_at,
            code_changed=one.code_changed,
        )
        for one in shown_rules(project, added or ())
    ]
    return LearnResult(
        facts=UNSET if known is None else fact_views,
        rules=UNSET if added is None else rule_views,
        total_facts=total_facts,
        total_rules=total_rules,
        code=UNSET if known or added else NO_RESULTS,
        hint=hint,
    )
