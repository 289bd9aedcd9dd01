"""`rum chapter`, `rum wisdom` and `rum refresh`: groups of memories, and of chapters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.consolidate.suggest.groups import Suggestion
from rum.inject.render import local_time, short_id
from rum.model.chapters import (
    Change,
    ChapterView,
    Contradiction,
    CreateChapterResult,
    Evidence,
    ListChaptersResult,
    RecallWisdomResult,
    RefreshedGroup,
    RefreshResult,
    SynthesizeResult,
    WisdomView,
)
from rum.surfaces.cli.memories.forget import add_forget_command
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.options import (
    Group,
    Options,
    command,
    given_options,
    ids_option,
    limit_option,
    quiet_option,
)
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.request_options import options_of
from rum.surfaces.cli.views import Field, Fields, Table, TextLine, TextPart, View, count_of, text_view

_MAX_GOALS = 5  # Goals shown of a suggested group
_MAX_MEMORY_IDS = 3  # Memories named for each claim
_COMMANDS = {"create_chapter": "rum chapter create", "synthesize": "rum wisdom synthesize"}

_dry_run = click.option("--dry-run", is_flag=True, help="Only show what would change.")
# The help of `show`, `refresh` and `forget`.
_HELP = {
    "chapter": (
        "Show one chapter with its evidence and its memories.",
        "Update chapters, by ID or all that are stale, and show the changes.",
        "Delete a chapter permanently; its memories stay.",
    ),
    "wisdom": (
        "Show one piece of wisdom with its evidence and chapters.",
        "Update wisdom, by ID or all that is stale, and show the changes.",
        "Delete wisdom permanently; its chapters stay.",
    ),
}


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
def create(options: Options, memory_ids: tuple[str, ...], **fields: Any) -> None:
    """Create a chapter from memories, by ID or by tags.

    The same memories again update the same chapter. Missing texts are taken from the memories, or written by
    the configured language model.
    """
    with open_rum(options) as rum:
        ids = [stored_id(rum, memory_id) for memory_id in memory_ids]
        answer = rum.chapters.create(memory_ids=ids, **given_options(fields))
    print_result(options, answer, _created_chapter_view, ids=[answer.chapter_id])
    if answer.note and options.as_text:
        note(answer.note)


@chapter.command("list")
@options_of("list_chapters")
@ids_option
@click.pass_obj
def list_chapters(options: Options, **fields: Any) -> None:
    """List chapters, latest first."""
    with open_rum(options) as rum:
        answer = rum.chapters.list(**given_options(fields))
    print_result(options, answer, _list_view, ids=(chapter.id for chapter in answer.chapters))
    if answer.hint and options.as_text:
        note(_with_commands(answer.hint))


@chapter.command("suggest")
@limit_option(10)
@click.pass_obj
def suggest(options: Options, limit: int) -> None:
    """Suggest groups of memories for chapters.

    Nothing is created; pass the ids to `rum chapter create`.
    """
    with open_rum(options) as rum:
        suggestions = rum.chapters.suggest(limit)
    print_result(options, suggestions, _suggestions_view, empty="No suggestions.")


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
def synthesize(options: Options, chapter_ids: tuple[str, ...], **fields: Any) -> None:
    """Create wisdom from chapters, by ID or by tags.

    The same chapters again update the same wisdom. Missing texts are taken from the memories, or written by
    the configured language model.
    """
    with open_rum(options) as rum:
        ids = [chapter_id.lower() for chapter_id in chapter_ids]
        answer = rum.wisdom.synthesize(chapter_ids=ids, **given_options(fields))
    print_result(options, answer, lambda answer: [_created_wisdom_view(answer)], ids=[answer.wisdom_id])
    if answer.note and options.as_text:
        note(answer.note)


@wisdom.command("recall")
@click.argument("query", nargs=-1, metavar="[WORDS]...")
@options_of("recall_wisdom")
@ids_option
@click.pass_obj
def recall(options: Options, query: tuple[str, ...], **fields: Any) -> None:
    """Find wisdom that matches WORDS (default: the newest)."""
    with open_rum(options) as rum:
        answer = rum.wisdom.recall(query=" ".join(query) or None, **given_options(fields))
    print_result(options, answer, _recall_view, ids=(wisdom.id for wisdom in answer.wisdom))
    if answer.hint and options.as_text:
        note(_with_commands(answer.hint))


def _add_common(
    group: click.Group, name: str, api: Callable[[Rum], Any], view: Callable[[Any], View]
) -> None:
    """Add the commands that chapters and wisdom have in common."""
    show_help, refresh_help, forget_help = _HELP[name]

    @group.command("show", help=show_help)
    @click.argument("group_id", metavar="ID")
    @click.pass_obj
    def _show(options: Options, group_id: str) -> None:
        with open_rum(options) as rum:
            print_result(options, api(rum).show(group_id.lower()), view)

    @group.command("refresh", help=refresh_help)
    @click.argument("ids", nargs=-1, metavar="[ID]...")
    @_dry_run
    @click.pass_obj
    def _refresh(options: Options, ids: tuple[str, ...], dry_run: bool) -> None:
        with open_rum(options) as rum:
            _print_refresh(options, api(rum).refresh(*map(str.lower, ids), dry_run=dry_run))

    add_forget_command(group, name, forget_help)


@command("refresh")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_dry_run
@click.pass_obj
def refresh(options: Options, ids: tuple[str, ...], dry_run: bool) -> None:
    """Update chapters and wisdom whose memories changed.

    Updates those named by ID, or all stale ones: those with a memory that was changed, superseded or
    forgotten. Shows what was removed (-) and added (+). Texts that you supplied are kept.
    """
    with open_rum(options) as rum:
        _print_refresh(options, rum.refresh(*map(str.lower, ids), dry_run=dry_run))


def _print_refresh(options: Options, answer: RefreshResult) -> None:
    print_result(options, answer, _refresh_view)
    if options.as_text:
        for reason in answer.skipped:
            note(f"skipped: {reason}")


def _refresh_view(answer: RefreshResult) -> View:
    if not answer.refreshed:
        return text_view("Nothing is stale." if not answer.skipped else "Nothing was updated.")
    view: View = [line for group in answer.refreshed for line in _refreshed_view(group, answer.dry_run)]
    return view


def _refreshed_view(group: RefreshedGroup, dry_run: bool) -> View:
    verb = "would be updated" if dry_run else "updated"
    view: View = [
        TextLine((TextPart(group.title, "strong"), TextPart(f"[{group.id}]", "id"), TextPart(verb, "dim")))
    ]
    view += [TextLine((TextPart(f"because {reason}", "dim"),)) for reason in group.stale]
    view += [line for change in group.changes for line in _change_view(change)]
    if not group.changes:
        view.append(TextLine((TextPart("unchanged", "dim"),)))
    if group.note:
        view.append(TextLine((TextPart(group.note, "dim"),)))
    return view


def _change_view(change: Change) -> View:
    removed = [TextLine((TextPart(f"- {change.part}: {text}", "bad"),)) for text in change.removed]
    added = [TextLine((TextPart(f"+ {change.part}: {text}", "good"),)) for text in change.added]
    return [*removed, *added]


def _with_commands(hint: str) -> str:
    """Replace the names of tools in a hint with those of commands."""
    for tool, name in _COMMANDS.items():
        hint = hint.replace(tool, f"`{name}`")
    return hint


def _with_evidence(claims: Sequence[str], evidence: Sequence[Evidence]) -> list[str]:
    """Claims, each with the number of memories that support and contradict it."""
    return [_claim(claim, claim_evidence) for claim, claim_evidence in zip(claims, evidence, strict=True)]


def _claim(claim: str, evidence: Evidence) -> str:
    if not evidence.supporting:
        return f"{claim} (supported by no memory)"
    memory_ids = ", ".join(map(short_id, evidence.memory_ids[:_MAX_MEMORY_IDS]))
    more = ", …" if evidence.supporting > _MAX_MEMORY_IDS else ""
    against = f"; {evidence.against} against" if evidence.against else ""
    return f"{claim} ({evidence.supporting}: {memory_ids}{more}{against})"


def _created_chapter_view(answer: CreateChapterResult) -> View:
    fields: list[Field] = [
        ("summary", answer.summary),
        ("learnings", _with_evidence(answer.learnings, answer.evidence)),
        ("memories", str(answer.memory_count)),
        ("words", answer.words.value),
    ]
    return [_block(answer.chapter_id, answer.title, fields)]


def _block(group_id: str, title: str, fields: list[Field]) -> Fields:
    return Fields(
        (TextPart(title, "strong"), TextPart(f"[{group_id}]", "id")), [field for field in fields if field[1]]
    )


def _list_view(answer: ListChaptersResult) -> View:
    rows = [
        (
            TextPart(short_id(chapter.id), "id"),
            TextPart(local_time(chapter.end_ts), "dim"),
            TextPart(str(chapter.memory_count), "dim"),
            TextPart(chapter.title, "strong"),
            TextPart("; ".join(chapter.stale) if chapter.stale else "", "bad"),
        )
        for chapter in answer.chapters
    ]
    lines = [
        f"{chapter.title}: {count_of(chapter.memory_count, 'memory', 'memories')}"
        f"{', stale' if chapter.stale else ''} [{short_id(chapter.id)}]"
        for chapter in answer.chapters
    ]
    return [Table(("id", "until", "memories", "title", "stale"), rows, lines)]


def _chapter_view(chapter: ChapterView) -> View:
    fields: list[Field] = [
        ("stale", list(chapter.stale or ())),
        ("summary", chapter.summary),
        ("learnings", _with_evidence(chapter.learnings, chapter.evidence)),
        ("topics", ", ".join(chapter.topics)),
        ("tags", ", ".join(chapter.tags)),
        ("time", f"{local_time(chapter.start_ts)} to {local_time(chapter.end_ts)}"),
        ("origin", chapter.origin.value),
        ("words", chapter.words.value),
        ("memories", [] if chapter.memory_ids is UNSET else list(chapter.memory_ids)),
    ]
    return [_block(chapter.id, chapter.title, fields)]


def _suggestions_view(suggestions: Sequence[Suggestion]) -> View:
    return [
        Fields(
            (TextPart(suggestion.title, "strong"), TextPart(f"{suggestion.sureness:.2f}", "dim")),
            [
                ("why", suggestion.reason),
                *([("tags", ", ".join(suggestion.tags))] if suggestion.tags else []),
                ("memories", _goals(suggestion)),
                ("ids", " ".join(map(short_id, suggestion.memory_ids))),
            ],
        )
        for suggestion in suggestions
    ]


def _goals(group: Suggestion) -> list[str]:
    """The first goals of a group, and the number of others."""
    more = len(group.goals) - _MAX_GOALS
    return [*group.goals[:_MAX_GOALS], *([f"and {more} more"] if more > 0 else [])]


def _wisdom_claims(wisdom: SynthesizeResult | WisdomView) -> list[Field]:
    return [
        *_claim_lists(wisdom),
        ("contradictions", [_contradiction(contradiction) for contradiction in wisdom.contradictions or ()]),
    ]


def _claim_lists(wisdom: SynthesizeResult | WisdomView) -> list[Field]:
    fields, start = list[Field](), 0
    for name, claims in (
        ("insights", wisdom.insights),
        ("patterns", wisdom.patterns),
        ("best_practices", wisdom.best_practices),
    ):
        fields.append((name, _with_evidence(claims, wisdom.evidence[start : start + len(claims)])))
        start += len(claims)
    return fields


def _matching_claims(wisdom: WisdomView, indexes: Collection[int]) -> list[Field]:
    """The claims that match the query, and the number of others."""
    shown, start = list[Field](), 0
    for name, lines in _claim_lists(wisdom):
        shown.append((name, [line for index, line in enumerate(lines, start) if index in indexes]))
        start += len(lines)
    more = start - len(indexes)
    return [*shown, ("more", f"{more} (rum wisdom show {short_id(wisdom.id)})" if more else "")]


def _contradiction(contradiction: Contradiction) -> str:
    for_count, against_count = len(contradiction.memory_ids), len(contradiction.against_ids)
    return f"{contradiction.claim} ({for_count}) — against: {contradiction.against} ({against_count})"


def _created_wisdom_view(answer: SynthesizeResult) -> Fields:
    fields: list[Field] = [
        *_wisdom_claims(answer),
        ("chapters", str(answer.chapter_count)),
        ("words", answer.words.value),
    ]
    return _block(answer.wisdom_id, answer.summary, fields)


def _recall_view(answer: RecallWisdomResult) -> View:
    return [_wisdom_view(wisdom) for wisdom in answer.wisdom]


def _wisdom_view(wisdom: WisdomView) -> Fields:
    fields: list[Field] = [
        ("confidence", "" if wisdom.confidence is UNSET else f"{wisdom.confidence:.2f}"),
        ("stale", list(wisdom.stale or ())),
        *(_wisdom_claims(wisdom) if wisdom.matching is UNSET else _matching_claims(wisdom, wisdom.matching)),
        ("tags", ", ".join(wisdom.tags)),
        ("time", f"{local_time(wisdom.start_ts)} to {local_time(wisdom.end_ts)}"),
        ("words", wisdom.words.value),
        ("chapters", [] if wisdom.chapter_ids is UNSET else list(wisdom.chapter_ids)),
    ]
    return _block(wisdom.id, wisdom.summary, fields)


_add_common(chapter, "chapter", lambda rum: rum.chapters, _chapter_view)
_add_common(wisdom, "wisdom", lambda rum: rum.wisdom, lambda view: [_wisdom_view(view)])
