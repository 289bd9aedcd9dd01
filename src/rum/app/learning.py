"""`learn`: facts and rules set, got and listed in one call, as agents ask for them."""

from __future__ import annotations

from msgspec import UNSET

from rum.app import facts, rules
from rum.app.context import Context
from rum.model.errors import NO_RESULTS, InvalidQuery
from rum.model.fact import Fact, FactView, LearnQuestion, LearnResult, Rule, RuleView


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
        added = [rules.add(context, rule.condition, rule.action)] if rule else None
    return _result(known, added)


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
        added = rules.matching(context, question.task)[: question.limit]
    return _result(known, added, hint=_hint(context, question))


def _list(context: Context, question: LearnQuestion) -> LearnResult:
    prefix = question.key or ""
    known = context.store.facts.latest(prefix, question.limit)
    if question.key is not None:
        return _result(known, None, context.store.facts.count(prefix))
    added = context.store.rules.latest(question.limit)
    return _result(known, added, context.store.facts.count(), context.store.rules.count())


def _hint(context: Context, question: LearnQuestion) -> str:
    near = facts.nearest_key(context, question.key) if question.key else None
    return f"Did you mean the key `{near}`?" if near else "Use action `list` to see what there is."


def _result(
    known: list[Fact] | None,
    added: list[Rule] | None,
    total_facts: int | None = None,
    total_rules: int | None = None,
    hint: str = "Nothing was learned yet.",
) -> LearnResult:
    nothing = not known and not added
    return LearnResult(
        facts=UNSET if known is None else [_fact_view(fact) for fact in known],
        rules=UNSET if added is None else [RuleView(rule.id, rule.condition, rule.action) for rule in added],
        total_facts=UNSET if total_facts is None else total_facts,
        total_rules=UNSET if total_rules is None else total_rules,
        code=NO_RESULTS if nothing else UNSET,
        hint=hint if nothing else UNSET,
    )


def _fact_view(fact: Fact) -> FactView:
    return FactView(fact.key, fact.value, fact.updated_at or fact.created_at)
