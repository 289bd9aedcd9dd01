"""`rum facts`, which are values by key, and `rum rules`, which are conditions and actions."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from rum.app.layers.rules import problem as condition_problem
from rum.app.rum import Rum
from rum.inject.render import local_time, short_id
from rum.model.anchors import add_label, remark
from rum.model.layers import Fact, FactVersion, Rule, RuleVersion, ShownFact, ShownRule
from rum.surfaces.cli.memories.forget import add_forget_command
from rum.surfaces.cli.open_project import Output, rum_command
from rum.surfaces.cli.options import Group, ids_option, limit_option, quiet_option
from rum.surfaces.cli.views import Field, Fields, TextPart, View, code_field, table, text_view

_rule_id = click.argument("rule_id", metavar="ID")


@click.group("facts", cls=Group)
def facts() -> None:
    """Manage facts: keys and values.

    Facts are shared by all agents of the project. Earlier values stay in the history.
    """


@rum_command("get", facts)
@click.argument("key")
def get_fact(rum: Rum, key: str) -> Output:
    """Print the value of a key."""
    fact = rum.facts.show(key)
    notes = [f"{remark(fact.freshness)}: {fact.code_at}".capitalize()] if remark(fact.freshness) else []
    return Output(fact, fact.value, notes=notes)


@rum_command("set", facts)
@click.argument("key")
@click.argument("value")
def set_fact(rum: Rum, key: str, value: str) -> Output:
    """Set the fact of KEY, replacing its former value.

    VALUE is the text, or - for stdin.
    """
    previous = rum.facts.get(key)
    fact = rum.facts.set(key, sys.stdin.read().strip() if value == "-" else value)
    return Output(fact, _version_text(fact.key, fact, previous))


def _version_text(name: str, now: Fact | Rule, previous: Fact | Rule | None) -> str:
    """Say whether a fact or rule has a new version."""
    same = previous is not None and previous.version == now.version
    return f"{name} is {'unchanged: ' if same else 'now '}version {now.version}."


@rum_command("list", facts)
@click.argument("prefix", default="")
@limit_option()
@ids_option
def list_facts(rum: Rum, prefix: str, limit: int | None) -> Output:
    """List facts, last changed first.

    With PREFIX only those whose keys begin with it.
    """
    known = rum.facts.list(prefix, limit)
    return Output(known, _facts_view, ids=(fact.key for fact in known), empty="No facts.")


def _facts_view(known: Sequence[ShownFact]) -> View:
    rows = [
        (fact.key, add_label(fact.value, fact.freshness), local_time(fact.updated_at or fact.created_at))
        for fact in known
    ]
    lines = [f"{key}: {value}" for key, value, _ in rows]
    return table({"key": "strong", "value": "", "since": "dim"}, rows, lines)


@rum_command("history", facts)
@click.argument("key")
def fact_history(rum: Rum, key: str) -> Output:
    """Show all values of a key, oldest first."""
    return Output(rum.facts.history(key), _fact_versions_view)


def _fact_versions_view(versions: Sequence[FactVersion]) -> View:
    rows = [(str(one.version), local_time(one.changed_at), one.changed_by, one.value) for one in versions]
    return table({"version": "id", "since": "dim", "by": "dim", "value": ""}, rows)


add_forget_command(facts, "fact", "Move a fact with its history to the trash.", metavar="KEY")


@click.group("rules", cls=Group)
def rules() -> None:
    """Manage rules, and find those for a task.

    A rule has a condition and an action. The condition is matched against the task, like a note's
    `whenToUse`: `|` separates alternatives, `*` matches anything, of several plain words half must occur.
    """


@rum_command("add", rules)
@click.argument("condition")
@click.argument("action")
@quiet_option
def add_rule(rum: Rum, condition: str, action: str) -> Output:
    """Add a rule, unless the same one exists."""
    rule = rum.rules.add(condition, action)
    return Output(rule, text_view(rule.id, "id"), notes=_problems(rule))


def _problems(rule: Rule) -> list[str]:
    problem = condition_problem(rule)
    return [f"The condition {problem}."] if problem else []


@rum_command("set", rules)
@_rule_id
@click.argument("condition")
@click.argument("action")
def set_rule(rum: Rum, rule_id: str, condition: str, action: str) -> Output:
    """Change a rule; the former text goes into its history."""
    previous = rum.rules.show(rule_id)
    rule = rum.rules.set(previous.id, condition, action)
    return Output(rule, _version_text(rule.id, rule, previous), notes=_problems(rule))


@rum_command("list", rules)
@limit_option()
@ids_option
def list_rules(rum: Rum, limit: int | None) -> Output:
    """List rules, newest first."""
    return _rules(rum.rules.list(limit), "No rules.")


@rum_command("match", rules)
@click.option("--task", required=True, help="The task.")
@click.option("--plan", default="", help="The plan.")
@ids_option
def match(rum: Rum, task: str, plan: str) -> Output:
    """List the rules for a task, newest first."""
    return _rules(rum.rules.match(task, plan), "No rule matches.")


def _rules(rules: Sequence[ShownRule], empty: str) -> Output:
    rows = [(short_id(rule.id), rule.condition, _with_source(rule)) for rule in rules]
    lines = [f"{condition} → {action} [{rule_id}]" for rule_id, condition, action in rows]
    view = table({"id": "id", "when": "strong", "do": ""}, rows, lines)
    return Output(rules, view, ids=(rule.id for rule in rules), empty=empty)


def _with_source(rule: ShownRule) -> str:
    """What a rule says, with who said it and when, and what took its place."""
    said = (
        f"The user said on {local_time(rule.created_at)[:10]}: {rule.action}" if rule.source else rule.action
    )
    said = add_label(said, rule.freshness)
    return f"{said} (superseded by {short_id(rule.superseded_by)})" if rule.superseded_by else said


@rum_command("show", rules)
@_rule_id
def show(rum: Rum, rule_id: str) -> Output:
    """Show one rule with all its fields."""
    return Output(rum.rules.show(rule_id), _rule_view)


def _rule_view(rule: ShownRule) -> View:
    fields: list[Field] = [
        ("condition", rule.condition),
        ("action", rule.action),
        ("agent_id", rule.agent_id),
        ("created_at", local_time(rule.created_at)),
    ]
    others = {"source": rule.source, "about": rule.about, "superseded_by": rule.superseded_by}
    fields += [(name, value) for name, value in others.items() if value]
    fields += code_field(rule)
    if rule.updated_at is not None:
        fields += [("updated_at", local_time(rule.updated_at)), ("version", str(rule.version))]
    if rule.imported_at is not None:
        fields.append(("imported_at", local_time(rule.imported_at)))
    return [Fields((TextPart(rule.id, "id"),), fields)]


@rum_command("history", rules)
@_rule_id
def rule_history(rum: Rum, rule_id: str) -> Output:
    """Show all versions of a rule, oldest first."""
    return Output(rum.rules.history(rule_id), _rule_versions_view)


def _rule_versions_view(versions: Sequence[RuleVersion]) -> View:
    rows = [
        (str(one.version), local_time(one.changed_at), one.changed_by, one.condition, one.action)
        for one in versions
    ]
    return table({"version": "id", "since": "dim", "by": "dim", "when": "strong", "do": ""}, rows)


add_forget_command(rules, "rule", "Move a rule to the trash.")
