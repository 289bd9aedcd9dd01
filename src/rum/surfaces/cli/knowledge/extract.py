"""`rum extract`: a note, facts and rules of a finished run."""

from __future__ import annotations

import sys
from typing import Any, cast

import click
import msgspec
from msgspec import UNSET

from rum.model.errors import InvalidQuery
from rum.model.extraction import Extracted
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, command
from rum.surfaces.cli.output import note, print_result
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
    run = _run_in(file)
    with open_rum(options) as rum:
        answer = rum.extract(dry_run=dry_run, **run)
    print_result(options.json, answer, _extracted)
    if answer.hint is not UNSET and not options.json:
        note(f"Extracted by rules, as the language model failed. {answer.hint}")


def _run_in(file: str) -> Any:
    where = "stdin" if file == "-" else file
    if file == "-" and sys.stdin.isatty():
        raise click.UsageError(f"Give a run in JSON or YAML, in a file or on stdin, with {_EXAMPLE}.")
    run = _parsed(_read(file), where)
    if not isinstance(run, dict):
        raise InvalidQuery(f"{where} must hold one run: {_EXAMPLE}.", file=where)
    fields = cast("dict[Any, Any]", run)
    return {str(name): value for name, value in fields.items() if value is not None}


def _read(file: str) -> bytes:
    if file == "-":
        return sys.stdin.buffer.read()
    with open(file, "rb") as source:
        return source.read()


def _parsed(data: bytes, where: str) -> object:
    """JSON if it begins like that, else YAML."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidQuery(f"{where} is not UTF-8 text.", file=where) from None
    if not text.lstrip().startswith("{"):
        # Slow to load, and most runs come as JSON.
        from rum.store.files import yaml  # noqa: PLC0415

        return yaml.load(text, where)
    try:
        return msgspec.json.decode(text)
    except RecursionError:
        raise InvalidQuery(f"{where} is nested too deeply.", file=where) from None
    except msgspec.DecodeError as error:
        raise InvalidQuery(f"{where} is not JSON: {error}.", file=where) from None


def _extracted(answer: Extracted) -> View:
    view = _note(answer) if answer.frontmatter is not UNSET else text_view(f"No note: {answer.reasoning}")
    kept = answer.kept if answer.kept is not UNSET else None
    word = "Would store" if kept is None else "Stored"
    keys = set(kept.facts) if kept else {fact.key for fact in answer.facts}
    for fact in answer.facts:
        view += text_view(f"{word} fact {fact.key}: {fact.value}") if fact.key in keys else []
    for rule in answer.rules:
        view += text_view(f"{word} rule {rule.condition} → {rule.action}")
    for one in answer.rejected:
        # The reason for no note is shown above.
        view += text_view(f"Skipped {one.what} {one.name}: {one.why}.") if one.what != "note" else []
    return view


def _note(answer: Extracted) -> View:
    head = answer.frontmatter
    assert head is not UNSET
    kept = answer.kept.note if answer.kept is not UNSET else None
    fields: list[Field] = [
        ("note", kept or "would be added"),
        *([("kind", answer.kind.value)] if answer.kind is not UNSET else []),
        ("when to use", list(head.when_to_use)),
        ("tags", ", ".join(head.tags)),
        ("importance", head.importance.value),
        ("why", answer.reasoning),
        ("content", str(answer.content)),
    ]
    return [Fields((TextPart(head.title, "title"),), fields)]
