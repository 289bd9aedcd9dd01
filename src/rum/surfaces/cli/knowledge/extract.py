"""`rum extract`: extract a note, facts and rules from a finished run."""

from __future__ import annotations

import sys
from typing import Any, cast

import click
from msgspec import UNSET

from rum.model.errors import InvalidQuery
from rum.model.extraction import Extracted
from rum.store.files import yaml
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.record_input import decode_text, parse_json, read_source, source_name
from rum.surfaces.cli.views import Field, Fields, TextPart, View, text_view

_EXAMPLE = "agent, task, agentOutput and result (success, failure or partial)"


@command("extract")
@click.argument("file", default="-")
@click.option("--dry-run", is_flag=True, help="Show what would be stored; store nothing.")
@click.pass_obj
def extract(options: Options, file: str, dry_run: bool) -> None:
    """Extract a note, facts and rules from a finished run.

    FILE holds the run in JSON or YAML (- is stdin): agent, task, agentOutput, result (success, failure or
    partial), and optionally error and existingMemories. The configured language model decides what to store,
    or built-in rules if there is none.
    """
    run = _read_run(file)
    with open_rum(options) as rum:
        answer = rum.extract(dry_run=dry_run, **run)
    print_result(options, answer, _extracted_view)
    if answer.hint is not UNSET and options.as_text:
        note(f"Extracted by rules, as the language model failed. {answer.hint}")


def _read_run(file: str) -> Any:
    where = source_name(file)
    if file == "-" and sys.stdin.isatty():
        raise click.UsageError(f"Give a run in JSON or YAML, in a file or on stdin, with {_EXAMPLE}.")
    run = _parse(decode_text(read_source(file), where, file=where), where)
    if not isinstance(run, dict):
        raise InvalidQuery(f"{where} must hold one run: {_EXAMPLE}.", file=where)
    fields = cast("dict[Any, Any]", run)
    return {str(name): value for name, value in fields.items() if value is not None}


def _parse(text: str, where: str) -> object:
    """Parse JSON if the text begins like an object, else YAML."""
    if text.lstrip().startswith("{"):
        return parse_json(text, where, file=where)
    return yaml.load(text, where)


def _extracted_view(answer: Extracted) -> View:
    view = (
        _note_view(answer) if answer.frontmatter is not UNSET else text_view(f"No note: {answer.reasoning}")
    )
    stored = answer.kept if answer.kept is not UNSET else None
    verb = "Would store" if stored is None else "Stored"
    keys = set(stored.facts) if stored else {fact.key for fact in answer.facts}
    for fact in answer.facts:
        view += text_view(f"{verb} fact {fact.key}: {fact.value}") if fact.key in keys else []
    for rule in answer.rules:
        view += text_view(f"{verb} rule {rule.condition} → {rule.action}")
    for one in answer.rejected:
        # The reason for no note is shown above.
        view += text_view(f"Skipped {one.what} {one.name}: {one.why}.") if one.what != "note" else []
    return view


def _note_view(answer: Extracted) -> View:
    head = answer.frontmatter
    assert head is not UNSET
    path = answer.kept.note if answer.kept is not UNSET else None
    fields: list[Field] = [
        ("note", path or "would be added"),
        *([("kind", answer.kind.value)] if answer.kind is not UNSET else []),
        ("when to use", list(head.when_to_use)),
        ("tags", ", ".join(head.tags)),
        ("importance", head.importance.value),
        ("why", answer.reasoning),
        ("content", str(answer.content)),
    ]
    return [Fields((TextPart(head.title, "title"),), fields)]
