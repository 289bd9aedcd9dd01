"""`rum brief` and `rum report`: what is known; `rum extract`: what to learn from a finished run."""

from __future__ import annotations

import os
import sys
from typing import Any, cast

import click
from msgspec import UNSET

from rum.consolidate.report_page import EARLIER_MARK, MARK
from rum.model.errors import InvalidQuery
from rum.model.runs import Extracted
from rum.store.files import atomic_write, yaml
from rum.surfaces.cli.open_project import open_rum
from rum.surfaces.cli.options import Options, When, command, given_options, options_of
from rum.surfaces.cli.output import note, print_json, print_result, print_text
from rum.surfaces.cli.record_input import decode_text, parse_json, read_source, source_name
from rum.surfaces.cli.views import Field, Fields, TextPart, View, skipped_notes, text_view

_LARGEST_REPORT = 10_000_000  # Maximum size of an earlier report, in bytes
_EXAMPLE = "agent, task, agentOutput and result (success, failure or partial)"


@command("brief")
@click.argument("words", nargs=-1, metavar="[TASK]...")
@options_of("brief", leave_out=("explain",))
def brief(options: Options, words: tuple[str, ...], **arguments: Any) -> None:
    """Summarise what matters to a task, for a prompt.

    The task is TASK or --task. The text has notes, rules, facts, failures on the given files, earlier work,
    follow-ups and the session's journal, ranked together. --agent names the reader. --json prints the
    included items with points and tokens.
    """
    given = given_options(arguments)
    if words and "task" in given:
        raise InvalidQuery("Give the task once: as TASK or with --task.", field="task")
    if words:
        given["task"] = " ".join(words)
    with open_rum(options) as rum:
        answer = rum.brief(**given)
    if options.json:
        print_json(answer)
        return
    print_text(answer.text)
    if answer.warning:
        note(answer.warning)
    for text in skipped_notes(answer.broken or ()):
        note(text)
    if answer.hint:
        note(answer.hint)
    elif answer.left_out:
        note(f"{answer.left_out} more did not fit; raise --tokens to include them.")


@command("report")
@click.option("--since", type=When(), help="Only memories since then.")
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE", help="Write it to a file.")
def report(options: Options, since: int | None, out: str | None) -> None:
    """Summarise the project's memory in Markdown.

    Work over time, success by area, files with the most failures, open follow-ups, learnings with their
    sources, and agents. FILE may be an earlier report, but no other file. --json prints the figures.
    """
    if out:
        earlier = atomic_write.read(out, _LARGEST_REPORT)
        if earlier is not None and not earlier.rstrip().endswith((MARK.encode(), EARLIER_MARK.encode())):
            raise InvalidQuery(
                f"{out} exists already and is not a report; nothing was changed. Choose another file.",
                field="out",
            )
    with open_rum(options) as rum:
        answer = rum.report(since=since)
    if out:
        atomic_write.replace(os.path.abspath(out), answer.text.encode())
        text = f"{out}: {answer.memories} memories"
        print_result(options, {"file": out, "memories": answer.memories}, text)
    elif options.json:
        print_json(answer)
    else:
        print_text(answer.text)


@command("extract")
@click.argument("file", default="-")
@click.option("--dry-run", is_flag=True, help="Show what would be stored; store nothing.")
def extract(options: Options, file: str, dry_run: bool) -> None:
    """Extract a note, facts and rules from a finished run.

    FILE holds the run in JSON or YAML (- is stdin): agent, task, agentOutput, result (success, failure or
    partial), and optionally error and existingMemories. The configured language model decides what to store,
    or built-in rules if there is none.
    """
    run = _read_run(file)
    with open_rum(options) as rum:
        answer = rum.extract(dry_run=dry_run, **run)
    hint = f"Extracted by rules, as the language model failed. {answer.hint}"
    print_result(options, answer, _extracted_view, notes=[] if answer.hint is UNSET else [hint])


def _read_run(file: str) -> Any:
    where = source_name(file)
    if file == "-" and sys.stdin.isatty():
        raise click.UsageError(f"Give a run in JSON or YAML, in a file or on stdin, with {_EXAMPLE}.")
    text = decode_text(read_source(file), where, file=where)
    looks_like_json = text.lstrip().startswith("{")
    run = parse_json(text, where, file=where) if looks_like_json else yaml.load(text, where)
    if not isinstance(run, dict):
        raise InvalidQuery(f"{where} must hold one run: {_EXAMPLE}.", file=where)
    fields = cast("dict[Any, Any]", run)
    return {str(name): value for name, value in fields.items() if value is not None}


def _extracted_view(answer: Extracted) -> View:
    view = (
        _note_view(answer) if answer.frontmatter is not UNSET else text_view(f"No note: {answer.reasoning}")
    )
    stored = answer.kept if answer.kept is not UNSET else None
    is_pending = bool(stored and stored.pending)
    verb = "Would store" if stored is None else "For review:" if is_pending else "Stored"
    keys = set(stored.facts) if stored and not is_pending else {fact.key for fact in answer.facts}
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
    kept = answer.kept if answer.kept is not UNSET else None
    path = kept and ("waits for review" if kept.pending else kept.note)
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
