"""`rum chapter`: memories that tell one story."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from msgspec import UNSET

from rum.consolidate.suggest.groups import Suggestion
from rum.inject.render import local_time, short_id
from rum.model.chapter_answers import ChapterView, CreateChapterResult, ListChaptersResult
from rum.model.chapters import Evidence
from rum.surfaces.cli.knowledge.refresh import dry_run_option, say_renewed
from rum.surfaces.cli.memories.forget import forget_one, forget_options
from rum.surfaces.cli.open_project import meant, opened
from rum.surfaces.cli.options import Asked, Group, ids_option, quiet_option, those_given
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Field, Fields, Table, View, Word

_GOALS = 5
"""So many memories of a group are told of."""
_COMMANDS = {"create_chapter": "rum chapter create", "synthesize": "rum wisdom synthesize"}


@click.group("chapter", cls=Group)
def chapter() -> None:
    """Group related memories into chapters.

    A chapter has a title, a summary and learnings, each with the memories that support it.
    """


@chapter.command("create")
@click.argument("memory_ids", nargs=-1, metavar="[ID]...")
@options_of("create_chapter")
@quiet_option
@click.pass_obj
def create(asked: Asked, memory_ids: tuple[str, ...], **given: Any) -> None:
    """Create a chapter from memories, by ID or by tags.

    The same memories again update the same chapter. Missing texts are taken from the memories, or written by
    the configured language model.
    """
    with opened(asked) as rum:
        ids = [meant(rum, one) for one in memory_ids]
        answer = rum.chapters.create(memory_ids=ids, **those_given(given))
    if asked.quiet and not asked.json:
        say_ids([answer.chapter_id])
        return
    say(asked.json, answer, _created)
    if answer.note and not asked.json:
        note(answer.note)


@chapter.command("list")
@options_of("list_chapters")
@ids_option
@click.pass_obj
def list_chapters(asked: Asked, **given: Any) -> None:
    """List chapters, latest first."""
    with opened(asked) as rum:
        answer = rum.chapters.list(**those_given(given))
    if asked.ids:
        say_ids(one.id for one in answer.chapters)
        return
    say(asked.json, answer, _table)
    if answer.hint and not asked.json:
        note(with_commands(answer.hint))


@chapter.command("show")
@click.argument("chapter_id", metavar="ID")
@click.pass_obj
def show(asked: Asked, chapter_id: str) -> None:
    """Show one chapter with its evidence and its memories."""
    with opened(asked) as rum:
        say(asked.json, rum.chapters.show(chapter_id.lower()), _fields)


@chapter.command("suggest")
@click.option(
    "--limit", type=click.IntRange(min=1), default=10, metavar="N", help="Maximum number of results."
)
@click.pass_obj
def suggest(asked: Asked, limit: int) -> None:
    """Suggest groups of memories for chapters.

    Nothing is created; pass the ids to `rum chapter create`.
    """
    with opened(asked) as rum:
        found = rum.chapters.suggest(limit)
    say(asked.json, found, _suggested)
    if not found and not asked.json:
        note("No suggestions.")


@chapter.command("refresh")
@click.argument("chapter_ids", nargs=-1, metavar="[ID]...")
@dry_run_option
@click.pass_obj
def refresh(asked: Asked, chapter_ids: tuple[str, ...], dry_run: bool) -> None:
    """Update chapters, by ID or all that are stale, and show the changes."""
    with opened(asked) as rum:
        say_renewed(asked, rum.chapters.refresh(*map(str.lower, chapter_ids), dry_run=dry_run))


@chapter.command("forget")
@click.argument("chapter_id", metavar="ID")
@forget_options
@click.pass_obj
def forget(asked: Asked, chapter_id: str, dry_run: bool, purge: bool) -> None:
    """Delete a chapter for good; its memories stay."""
    forget_one(asked, chapter_id.lower(), "chapter", dry_run=dry_run, purge=purge)


def with_commands(hint: str) -> str:
    """A hint with the commands for the tools that it names."""
    for tool, command in _COMMANDS.items():
        hint = hint.replace(tool, f"`{command}`")
    return hint


def resting_on(claims: Sequence[str], evidence: Sequence[Evidence]) -> list[str]:
    """Claims, each with how many memories say so, and how many otherwise."""
    return [_claim(claim, rests_on) for claim, rests_on in zip(claims, evidence, strict=True)]


def _claim(claim: str, evidence: Evidence) -> str:
    if not evidence.supporting:
        return f"{claim} (supported by no memory)"
    named = ", ".join(map(short_id, evidence.memory_ids[:3]))
    more = ", …" if evidence.supporting > 3 else ""
    against = f"; {evidence.against} against" if evidence.against else ""
    return f"{claim} ({evidence.supporting}: {named}{more}{against})"


def _created(answer: CreateChapterResult) -> View:
    told: list[Field] = [
        ("summary", answer.summary),
        ("learnings", resting_on(answer.learnings, answer.evidence)),
        ("memories", str(answer.memory_count)),
        ("words", answer.words.value),
    ]
    return [_block(answer.chapter_id, answer.title, told)]


def _block(one: str, title: str, told: list[Field]) -> Fields:
    return Fields((Word(title, "strong"), Word(f"[{one}]", "id")), [field for field in told if field[1]])


def _table(answer: ListChaptersResult) -> View:
    rows = [
        (
            Word(short_id(one.id), "id"),
            Word(local_time(one.end_ts), "dim"),
            Word(str(one.memory_count), "dim"),
            Word(one.title, "strong"),
            Word("; ".join(one.stale) if one.stale else "", "bad"),
        )
        for one in answer.chapters
    ]
    lines = [
        f"{one.title}: {_memories(one.memory_count)}{', stale' if one.stale else ''} [{short_id(one.id)}]"
        for one in answer.chapters
    ]
    return [Table(("id", "until", "memories", "title", "stale"), rows, lines)]


def _memories(count: int) -> str:
    return "1 memory" if count == 1 else f"{count} memories"


def _fields(one: ChapterView) -> View:
    told: list[Field] = [
        ("stale", list(one.stale or ())),
        ("summary", one.summary),
        ("learnings", resting_on(one.learnings, one.evidence)),
        ("topics", ", ".join(one.topics)),
        ("tags", ", ".join(one.tags)),
        ("time", f"{local_time(one.start_ts)} to {local_time(one.end_ts)}"),
        ("origin", one.origin.value),
        ("words", one.words.value),
        ("memories", [] if one.memory_ids is UNSET else list(one.memory_ids)),
    ]
    return [_block(one.id, one.title, told)]


def _suggested(found: Sequence[Suggestion]) -> View:
    return [
        Fields(
            (Word(one.title, "strong"), Word(f"{one.sureness:.2f}", "dim")),
            [
                ("why", one.reason),
                *([("tags", ", ".join(one.tags))] if one.tags else []),
                ("memories", _goals(one)),
                ("ids", " ".join(map(short_id, one.memory_ids))),
            ],
        )
        for one in found
    ]


def _goals(group: Suggestion) -> list[str]:
    """What the first of a group were for, and how many more there are."""
    more = len(group.goals) - _GOALS
    return [*group.goals[:_GOALS], *([f"and {more} more"] if more > 0 else [])]
