"""`rum rules`: conditions and actions."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rum.app.layers.rules import problem as condition_problem
from rum.inject.render import local_time, short_id
from rum.model.layers import Rule, RuleVersion
from rum.store.captured_events import RuleProposal
from rum.surfaces.cli.knowledge.facts import version_message
from rum.surfaces.cli.memories.forget import add_forget_command
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Group, Options, ids_option, limit_option, quiet_option
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.views import Field, Fields, Table, TextPart, View, count_of, text_view


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
def add_rule(options: Options, condition: str, action: str) -> None:
    """Add a rule, unless the same one exists."""
    with open_rum(options) as rum:
        rule = rum.rules.add(condition, action)
    print_result(options, rule, lambda rule: text_view(rule.id, "id"))
    _note_problem(options, rule)


@rules.command("set")
@click.argument("rule_id", metavar="ID")
@click.argument("condition")
@click.argument("action")
@click.pass_obj
def set_rule(options: Options, rule_id: str, condition: str, action: str) -> None:
    """Change a rule; the former text goes into its history."""
    with open_rum(options) as rum:
        previous = rum.rules.show(rule_id)
        rule = rum.rules.set(previous.id, condition, action)
    print_result(options, rule, lambda rule: text_view(version_message(rule.id, rule, previous)))
    _note_problem(options, rule)


def _note_problem(options: Options, rule: Rule) -> None:
    if options.as_text and (problem := condition_problem(rule)):
        note(f"The condition {problem}.")


@rules.command("list")
@limit_option()
@ids_option
@click.pass_obj
def list_rules(options: Options, limit: int | None) -> None:
    """List rules, newest first."""
    with open_rum(options) as rum:
        _print_rules(options, rum.rules.list(limit), "No rules.")


@rules.command("show")
@click.argument("rule_id", metavar="ID")
@click.pass_obj
def show(options: Options, rule_id: str) -> None:
    """Show one rule with all its fields."""
    with open_rum(options) as rum:
        print_result(options, rum.rules.show(rule_id), _rule_view)


@rules.command("history")
@click.argument("rule_id", metavar="ID")
@click.pass_obj
def history(options: Options, rule_id: str) -> None:
    """Show all versions of a rule, oldest first."""
    with open_rum(options) as rum:
        print_result(options, rum.rules.history(rule_id), _versions_view)


@rules.command("match")
@click.option("--task", required=True, help="The task.")
@click.option("--plan", default="", help="The plan.")
@ids_option
@click.pass_obj
def match(options: Options, task: str, plan: str) -> None:
    """List the rules for a task, newest first."""
    with open_rum(options) as rum:
        _print_rules(options, rum.rules.match(task, plan), "No rule matches.")


@rules.command("candidates")
@ids_option
@click.pass_obj
def candidates(options: Options) -> None:
    """List candidate rules, taken from your corrections of agents.

    Candidates are not used: `rum rules accept ID` makes one a rule, `rum rules reject ID` drops it.
    """
    with open_rum(options) as rum:
        proposals = rum.rules.candidates()
    answer = [candidate._asdict() for candidate in proposals]
    ids = (candidate.id for candidate in proposals)
    print_result(options, answer, lambda _: _candidates_view(proposals), ids=ids, empty="No candidates.")


@rules.command("accept")
@click.argument("candidate_id", metavar="ID")
@click.option("--when", "condition", metavar="CONDITION", help="Another condition.")
@click.option("--do", "action", metavar="ACTION", help="Another action.")
@click.pass_obj
def accept(options: Options, candidate_id: str, condition: str | None, action: str | None) -> None:
    """Make a candidate a rule."""
    with open_rum(options) as rum:
        rule = rum.rules.accept(candidate_id, condition=condition, action=action)
    print_result(options, rule, lambda rule: text_view(rule.id, "id"))


@rules.command("reject")
@click.argument("candidate_id", metavar="ID")
@click.pass_obj
def reject(options: Options, candidate_id: str) -> None:
    """Drop a candidate; the same words do not create it again."""
    with open_rum(options) as rum:
        candidate = rum.rules.reject(candidate_id)
    print_result(
        options, {"id": candidate.id, "rejected": True}, lambda _: text_view(f"Dropped: {candidate.action}")
    )


add_forget_command(rules, "rule", "Delete a rule permanently.")


def _print_rules(options: Options, rules: Sequence[Rule], empty: str) -> None:
    print_result(options, rules, _rules_view, ids=(rule.id for rule in rules), empty=empty)


def _rules_view(rules: Sequence[Rule]) -> View:
    rows = [
        (TextPart(short_id(rule.id), "id"), TextPart(rule.condition, "strong"), TextPart(rule.action))
        for rule in rules
    ]
    lines = [f"{rule.condition} → {rule.action} [{short_id(rule.id)}]" for rule in rules]
    return [Table(("id", "when", "do"), rows, lines)]


def _candidates_view(candidates: Sequence[RuleProposal]) -> View:
    rows = [
        (
            TextPart(short_id(candidate.id), "id"),
            TextPart(candidate.condition, "strong"),
            TextPart(candidate.action),
            TextPart(str(candidate.times), "dim"),
        )
        for candidate in candidates
    ]
    lines = [
        f"{candidate.condition} → {candidate.action} [{short_id(candidate.id)}] "
        f"{count_of(candidate.times, 'time')}"
        for candidate in candidates
    ]
    return [Table(("id", "when", "do", "times"), rows, lines)]


def _rule_view(rule: Rule) -> View:
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
    return [Fields((TextPart(rule.id, "id"),), fields)]


def _versions_view(versions: Sequence[RuleVersion]) -> View:
    rows = [
        (
            TextPart(str(version.version), "id"),
            TextPart(local_time(version.changed_at), "dim"),
            TextPart(version.changed_by, "dim"),
            TextPart(version.condition, "strong"),
            TextPart(version.action),
        )
        for version in versions
    ]
    return [Table(("version", "since", "by", "when", "do"), rows)]
