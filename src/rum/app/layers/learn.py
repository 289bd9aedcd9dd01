"""The call `learn`: set, get and list facts and rules."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.layers import facts, rules
from rum.app.project import Project
from rum.model.errors import NO_RESULTS, InvalidQuery
from rum.model.layers import Fact, FactView, LearnRequest, LearnResult, Rule, RuleView, SetRule
from rum.text.patterns import Text


def learn(caller: Caller, question: LearnRequest) -> LearnResult:
    """Run the action of the question."""
    return {"set": _set, "get": _get, "list": _list}[question.action](caller, question)


def _set(caller: Caller, question: LearnRequest) -> LearnResult:
    fact, rule = question.fact, question.rule
    if fact is None and rule is None:
        raise InvalidQuery(
            "learn: to set, give `fact` {key, value} or `rule` {condition, action}.", field="fact"
        )
    with caller.project.store.transaction():
        known = [facts.learn(caller, fact.key, fact.value)] if fact else None
        added = [_set_rule(caller, rule)] if rule else None
    odd = rules.problem(added[0]) if added else None
    return _result(caller.project, known, added, odd=odd and f"The rule's `condition` {odd}.")


def _set_rule(caller: Caller, rule: SetRule) -> Rule:
    if rule.id is None:
        return rules.add(caller, rule.condition, rule.action)
    return rules.change(caller, rule.id, rule.condition, rule.action)


def _get(caller: Caller, question: LearnRequest) -> LearnResult:
    if question.key is None and question.task is None:
        raise InvalidQuery(
            "learn: to get, give the `key` of a fact or the `task` that rules are for.", field="key"
        )
    known = added = None
    if question.key is not None:
        fact = facts.get_fact(caller.project, question.key)
        known = [fact] if fact else []
    if question.task is not None:
        added = [rule for rule, _ in rules.match_rules(caller.project, Text(question.task))][: question.limit]
    return _result(caller.project, known, added, hint=_hint(caller.project, question))


def _list(caller: Caller, question: LearnRequest) -> LearnResult:
    store = caller.project.store
    known, total = store.facts.latest(question.limit, question.key or "")
    if question.key is not None:
        return _result(caller.project, known, None, total)
    added = store.rules.latest(question.limit)
    return _result(caller.project, known, added, total, store.rules.count())


def _hint(project: Project, question: LearnRequest) -> str:
    near = facts.nearest_key(project, question.key) if question.key else None
    return f"Did you mean the key `{near}`?" if near else "Use action `list` to see what there is."


def _result(
    project: Project,
    known: list[Fact] | None,
    added: list[Rule] | None,
    total_facts: int | None = None,
    total_rules: int | None = None,
    hint: str = "Nothing was learned yet.",
    odd: str | None = None,
) -> LearnResult:
    nothing = not known and not added
    return LearnResult(
        facts=UNSET if known is None else [_fact_view(project, fact) for fact in known],
        rules=UNSET if added is None else [_rule_view(project, rule) for rule in added],
        total_facts=UNSET if total_facts is None else total_facts,
        total_rules=UNSET if total_rules is None else total_rules,
        code=NO_RESULTS if nothing else UNSET,
        hint=hint if nothing else odd or UNSET,
    )


def _fact_view(project: Project, fact: Fact) -> FactView:
    at = fact.updated_at or fact.created_at
    return FactView(fact.key, fact.value, at, fact.version, facts.last_author(project, fact))


def _rule_view(project: Project, rule: Rule) -> RuleView:
    return RuleView(rule.id, rule.condition, rule.action, rule.version, rules.last_author(project, rule))
