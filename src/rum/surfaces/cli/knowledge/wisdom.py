"""`rum wisdom`: what chapters say together."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import click
from msgspec import UNSET

from rum.inject.render import local_time, short_id
from rum.model.chapter_answers import RecallWisdomResult, SynthesizeResult, WisdomView
from rum.model.chapters import Contradiction
from rum.surfaces.cli.knowledge.chapters import resting_on, with_commands
from rum.surfaces.cli.knowledge.refresh import dry_run_option, say_renewed
from rum.surfaces.cli.memories.forget import forget_one, forget_options
from rum.surfaces.cli.open_project import opened
from rum.surfaces.cli.options import Asked, Group, ids_option, quiet_option, those_given
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Field, Fields, View, Word


@click.group("wisdom", cls=Group)
def wisdom() -> None:
    """Combine chapters into insights, patterns and best practices.

    Each claim is listed with the memories that support it and those that contradict it.
    """


@wisdom.command("synthesize")
@click.argument("chapter_ids", nargs=-1, metavar="[ID]...")
@options_of("synthesize")
@quiet_option
@click.pass_obj
def synthesize(asked: Asked, chapter_ids: tuple[str, ...], **given: Any) -> None:
    """Create wisdom from chapters, by ID or by tags.

    The same chapters again update the same wisdom. Missing texts are taken from the memories, or written by
    the configured language model.
    """
    with opened(asked) as rum:
        ids = [one.lower() for one in chapter_ids]
        answer = rum.wisdom.synthesize(chapter_ids=ids, **those_given(given))
    if asked.quiet and not asked.json:
        say_ids([answer.wisdom_id])
        return
    say(asked.json, answer, lambda answer: [_made(answer)])
    if answer.note and not asked.json:
        note(answer.note)


@wisdom.command("recall")
@click.argument("query", nargs=-1, metavar="[WORDS]...")
@options_of("recall_wisdom")
@ids_option
@click.pass_obj
def recall(asked: Asked, query: tuple[str, ...], **given: Any) -> None:
    """Find wisdom that matches WORDS (default: the newest)."""
    with opened(asked) as rum:
        answer = rum.wisdom.recall(query=" ".join(query) or None, **those_given(given))
    if asked.ids:
        say_ids(one.id for one in answer.wisdom)
        return
    say(asked.json, answer, _recalled)
    if answer.hint and not asked.json:
        note(with_commands(answer.hint))


@wisdom.command("show")
@click.argument("wisdom_id", metavar="ID")
@click.pass_obj
def show(asked: Asked, wisdom_id: str) -> None:
    """Show one piece of wisdom with its evidence and chapters."""
    with opened(asked) as rum:
        say(asked.json, rum.wisdom.show(wisdom_id.lower()), lambda one: [_fields(one)])


@wisdom.command("refresh")
@click.argument("wisdom_ids", nargs=-1, metavar="[ID]...")
@dry_run_option
@click.pass_obj
def refresh(asked: Asked, wisdom_ids: tuple[str, ...], dry_run: bool) -> None:
    """Update wisdom, by ID or all that is stale, and show the changes."""
    with opened(asked) as rum:
        say_renewed(asked, rum.wisdom.refresh(*map(str.lower, wisdom_ids), dry_run=dry_run))


@wisdom.command("forget")
@click.argument("wisdom_id", metavar="ID")
@forget_options
@click.pass_obj
def forget(asked: Asked, wisdom_id: str, dry_run: bool, purge: bool) -> None:
    """Delete wisdom for good; its chapters stay."""
    forget_one(asked, wisdom_id.lower(), "wisdom", dry_run=dry_run, purge=purge)


def _said(one: SynthesizeResult | WisdomView) -> list[Field]:
    return [*_claims(one), ("contradictions", [_both(two) for two in one.contradictions or ()])]


def _claims(one: SynthesizeResult | WisdomView) -> list[Field]:
    until, then = len(one.insights), len(one.insights) + len(one.patterns)
    return [
        ("insights", resting_on(one.insights, one.evidence[:until])),
        ("patterns", resting_on(one.patterns, one.evidence[until:then])),
        ("best_practices", resting_on(one.best_practices, one.evidence[then:])),
    ]


def _answering(one: WisdomView, places: Collection[int]) -> list[Field]:
    """The claims that answer, and how many more there are."""
    told, start = list[Field](), 0
    for name, lines in _claims(one):
        told.append((name, [line for place, line in enumerate(lines, start) if place in places]))
        start += len(lines)
    more = start - len(places)
    return [*told, ("more", f"{more} (rum wisdom show {short_id(one.id)})" if more else "")]


def _both(two: Contradiction) -> str:
    one, other = len(two.memory_ids), len(two.against_ids)
    return f"{two.claim} ({one}) — against: {two.against} ({other})"


def _made(answer: SynthesizeResult) -> Fields:
    told: list[Field] = [
        *_said(answer),
        ("chapters", str(answer.chapter_count)),
        ("words", answer.words.value),
    ]
    return _block(answer.wisdom_id, answer.summary, told)


def _recalled(answer: RecallWisdomResult) -> View:
    return [_fields(one) for one in answer.wisdom]


def _fields(one: WisdomView) -> Fields:
    told: list[Field] = [
        ("confidence", "" if one.confidence is UNSET else f"{one.confidence:.2f}"),
        ("stale", list(one.stale or ())),
        *(_said(one) if one.matching is UNSET else _answering(one, one.matching)),
        ("tags", ", ".join(one.tags)),
        ("time", f"{local_time(one.start_ts)} to {local_time(one.end_ts)}"),
        ("words", one.words.value),
        ("chapters", [] if one.chapter_ids is UNSET else list(one.chapter_ids)),
    ]
    return _block(one.id, one.summary, told)


def _block(one: str, summary: str, told: list[Field]) -> Fields:
    return Fields((Word(summary, "strong"), Word(f"[{one}]", "id")), [field for field in told if field[1]])
