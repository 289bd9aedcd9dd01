"""`rum rules`: conditions and actions."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rum.app.layers.rules import problem
from rum.inject.render import local_time, short_id
from rum.model.layers import Rule, RuleVersion
from rum.store.captured_events import RuleProposal
from rum.surfaces.cli.knowledge.facts import version_message
from rum.surfaces.cli.memories.forget import forget_one, forget_options
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, Group, ids_option, quiet_option
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.views import Field, Fields, Table, View, Word, said


@click.group("rules", cls=Group)
def rules() -> None:
    """Manage rules, and find those for a task.

    A rule has a condition and an action. The condition is matched against the task, like a note's
    `whenToUse`: `|` separates alternatives, `*` matches anything, of several plain words half must occur.
    """


@rules.command("add")
@click.argument("condition")
@click.argument("action")
@quiet_option
@click.pass_obj
def add(asked: Asked, condition: str, action: str) -> None:
    """Add a rule, unless the same one exists."""
    with opened(asked) as rum:
        rule = rum.rules.add(condition, action)
    say(asked.json, rule, lambda rule: said(rule.id, "id"))
    _remark_on(asked, rule)


@rules.command("set")
@click.argument("rule_id", metavar="ID")
@click.argument("condition")
@click.argument("action")
@click.pass_obj
def set_rule(asked: Asked, rule_id: str, condition: str, action: str) -> None:
    """Change a rule; the former text goes into its history."""
    with opened(asked) as rum:
        before = rum.rules.show(rule_id)
        rule = rum.rules.set(before.id, condition, action)
    say(asked.json, rule, lambda rule: said(version_message(rule.id, rule, before)))
    _remark_on(asked, rule)


def _remark_on(asked: Asked, rule: Rule) -> None:
    if not asked.json and not asked.quiet and (odd := problem(rule)):
        note(f"The condition {odd}.")


@rules.command("list")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Maximum number.")
@ids_option
@click.pass_obj
def list_rules(asked: Asked, limit: int | None) -> None:
    """List rules, newest first."""
    with opened(asked) as rum:
        _say(asked, rum.rules.list(limit), "No rules.")


@rules.command("show")
@click.argument("rule_id", metavar="ID")
@click.pass_obj
def show(asked: Asked, rule_id: str) -> None:
    """Show one rule with all its fields."""
    with opened(asked) as rum:
        say(asked.json, rum.rules.show(rule_id), _fields)


@rules.command("history")
@click.argument("rule_id", metavar="ID")
@click.pass_obj
def history(asked: Asked, rule_id: str) -> None:
    """Show all versions of a rule, oldest first."""
    with opened(asked) as rum:
        say(asked.json, rum.rules.history(rule_id), _versions)


@rules.command("match")
@click.option("--task", required=True, help="The task.")
@click.option("--plan", default="", help="The plan.")
@ids_option
@click.pass_obj
def match(asked: Asked, task: str, plan: str) -> None:
    """List the rules for a task, newest first."""
    with opened(asked) as rum:
        _say(asked, rum.rules.match(task, plan), "No rule matches.")


@rules.command("candidates")
@ids_option
@click.pass_obj
def candidates(asked: Asked) -> None:
    """List candidate rules, taken from your corrections of agents.

    Candidates are not used: `rum rules accept ID` makes one a rule, `rum rules reject ID` drops it.
    """
    with opened(asked) as rum:
        found = rum.rules.candidates()
    if asked.ids:
        say_ids(one.id for one in found)
        return
    say(asked.json, [one._asdict() for one in found], lambda _: _proposed(found))
    if not found and not asked.json:
        note("No candidates.")


@rules.command("accept")
@click.argument("candidate_id", metavar="ID")
@click.option("--when", "condition", metavar="CONDITION", help="Another condition.")
@click.option("--do", "action", metavar="ACTION", help="Another action.")
@click.pass_obj
def accept(asked: Asked, candidate_id: str, condition: str | None, action: str | None) -> None:
    """Make a candidate a rule."""
    with opened(asked) as rum:
        rule = rum.rules.accept(candidate_id, condition=condition, action=action)
    say(asked.json, rule, lambda rule: said(rule.id, "id"))


@rules.command("reject")
@click.argument("candidate_id", metavar="ID")
@click.pass_obj
def reject(asked: Asked, candidate_id: str) -> None:
    """Drop a candidate; the same words do not create it again."""
    with opened(asked) as rum:
        one = rum.rules.reject(candidate_id)
    say(asked.json, {"id": one.id, "rejected": True}, lambda _: said(f"Dropped: {one.action}"))


@rules.command("forget")
@click.argument("rule_id", metavar="ID")
@forget_options
@click.pass_obj
def forget(asked: Asked, rule_id: str, dry_run: bool, purge: bool) -> None:
    """Delete a rule permanently."""
    forget_one(asked, rule_id, "rule", dry_run=dry_run, purge=purge)


def _say(asked: Asked, found: Sequence[Rule], nothing: str) -> None:
    if asked.ids:
        say_ids(rule.id for rule in found)
        return
    say(asked.json, found, _table)
    if not found and not asked.json:
        note(nothing)


def _table(found: Sequence[Rule]) -> View:
    rows = [
        (Word(short_id(rule.id), "id"), Word(rule.condition, "strong"), Word(rule.action)) for rule in found
    ]
    lines = [f"{rule.condition} → {rule.action} [{short_id(rule.id)}]" for rule in found]
    return [Table(("id", "when", "do"), rows, lines)]


def _proposed(found: Sequence[RuleProposal]) -> View:
    rows = [
        (
            Word(short_id(one.id), "id"),
            Word(one.condition, "strong"),
            Word(one.action),
            Word(str(one.times), "dim"),
        )
        for one in found
    ]
    lines = [f"{one.condition} → {one.action} [{short_id(one.id)}] {_times(one.times)}" for one in found]
    return [Table(("id", "when", "do", "times"), rows, lines)]


def _times(count: int) -> str:
    return "1 time" if count == 1 else f"{count} times"


def _fields(rule: Rule) -> View:
    fields: list[Field] = [
        ("condition", rule.condition),
        ("action", rule.action),
        ("agent_id", rule.agent_id),
        ("created_at", local_time(rule.created_at)),
    ]
    if rule.updated_at is not None:
        fields += [("updated_at", local_time(rule.updated_at)), ("version", str(rule.version))]
    if rule.imported_at is not None:
        fields.append(("imported_at", local_time(rule.imported_at)))
    return [Fields((Word(rule.id, "id"),), fields)]


def _versions(versions: Sequence[RuleVersion]) -> View:
    rows = [
        (
            Word(str(one.version), "id"),
            Word(local_time(one.changed_at), "dim"),
            Word(one.changed_by, "dim"),
            Word(one.condition, "strong"),
            Word(one.action),
        )
        for one in versions
    ]
    return [Table(("version", "since", "by", "when", "do"), rows)]
