"""`learn`: facts and rules set, got and listed in one call, as agents ask for them."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.layers import facts, rules
from rum.app.project import Context
from rum.model.errors import NO_RESULTS, InvalidQuery
from rum.model.facts import Fact, FactView, LearnQuestion, LearnResult, Rule, RuleView, SetRule
from rum.text.patterns import Text


def learn(context: Context, question: LearnQuestion) -> LearnResult:
    """Set, get or list, as asked."""
    return {"set": _set, "get": _get, "list": _list}[question.action](context, question)


def _set(context: Context, question: LearnQuestion) -> LearnResult:
    fact, rule = question.fact, question.rule
    if fact is None and rule is None:
        raise InvalidQuery(
            "learn: to set, give `fact` {key, value} or `rule` {condition, action}.", field="fact"
        )
    with context.store.transaction():
        known = [facts.learn(context, fact.key, fact.value)] if fact else None
        added = [_set_rule(context, rule)] if rule else None
    odd = rules.problem(added[0]) if added else None
    return _result(context, known, added, odd=odd and f"The rule's `condition` {odd}.")


def _set_rule(context: Context, rule: SetRule) -> Rule:
    if rule.id is None:
        return rules.add(context, rule.condition, rule.action)
    return rules.change(context, rule.id, rule.condition, rule.action)


def _get(context: Context, question: LearnQuestion) -> LearnResult:
    if question.key is None and question.task is None:
        raise InvalidQuery(
            "learn: to get, give the `key` of a fact or the `task` that rules are for.", field="key"
        )
    known = added = None
    if question.key is not None:
        fact = context.store.facts.get(question.key)
        known = [fact] if fact else []
    if question.task is not None:
        added = [rule for rule, _ in rules.matching(context, Text(question.task))][: question.limit]
    return _result(context, known, added, hint=_hint(context, question))


def _list(context: Context, question: LearnQuestion) -> LearnResult:
    prefix = question.key or ""
    known = context.store.facts.latest(prefix, question.limit)
    if question.key is not None:
        return _result(context, known, None, context.store.facts.count(prefix))
    added = context.store.rules.latest(question.limit)
    return _result(context, known, added, context.store.facts.count(), context.store.rules.count())


def _hint(context: Context, question: LearnQuestion) -> str:
    near = facts.nearest_key(context, question.key) if question.key else None
    return f"Did you mean the key `{near}`?" if near else "Use action `list` to see what there is."


def _result(
    context: Context,
    known: list[Fact] | None,
    added: list[Rule] | None,
    total_facts: int | None = None,
    total_rules: int | None = None,
    hint: str = "Nothing was learned yet.",
    odd: str | None = None,
) -> LearnResult:
    nothing = not known and not added
    return LearnResult(
        facts=UNSET if known is None else [_fact_view(context, fact) for fact in known],
        rules=UNSET if added is None else [_rule_view(context, rule) for rule in added],
        total_facts=UNSET if total_facts is None else total_facts,
        total_rules=UNSET if total_rules is None else total_rules,
        code=NO_RESULTS if nothing else UNSET,
        hint=hint if nothing else odd or UNSET,
    )


def _fact_view(context: Context, fact: Fact) -> FactView:
    at = fact.updated_at or fact.created_at
    return FactView(fact.key, fact.value, at, fact.version, facts.set_by(context, fact))


def _rule_view(context: Context, rule: Rule) -> RuleView:
    return RuleView(rule.id, rule.condition, rule.action, rule.version, rules.set_by(context, rule))
