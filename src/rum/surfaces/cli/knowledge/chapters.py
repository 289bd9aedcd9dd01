"""`rum chapter`, `rum wisdom` and `rum refresh`: groups of memories, and of chapters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import Any

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.consolidate.suggest import Suggestion
from rum.inject.render import local_time, short_id
from rum.model.chapters import (
    ChapterView,
    CreateChapterResult,
    Evidence,
    ListChaptersResult,
    RecallWisdomResult,
    RefreshResult,
    SynthesizeResult,
    WisdomView,
)
from rum.surfaces.cli.memories.forget import add_forget_command
from rum.surfaces.cli.open_project import Output, rum_command, stored_id
from rum.surfaces.cli.options import (
    Group,
    check_usage,
    given_options,
    ids_option,
    limit_option,
    options_of,
    quiet_option,
)
from rum.surfaces.cli.views import (
    Field,
    Fields,
    TextLine,
    TextPart,
    View,
    count_of,
    filled,
    heading,
    table,
    text_view,
)

_MAX_GOALS = 5  # Goals shown of a suggested group
_MAX_MEMORY_IDS = 3  # Memories named for each claim

# Options that choose the parts, instead of ids.
_CHOOSING = {"chapter_id", "wisdom_id", "tags", "since", "before", "auto"}
_dry_run = click.option("--dry-run", is_flag=True, help="Only show what would change.")
# The help of `show`, `refresh` and `forget`.
_HELP = {
    "chapter": (
        "Show one chapter with its evidence and its memories.",
        "Update chapters, by ID or all that are stale, and show the changes.",
        "Move a chapter to the trash; its memories stay.",
    ),
    "wisdom": (
        "Show one piece of wisdom with its evidence and chapters.",
        "Update wisdom, by ID or all that is stale, and show the changes.",
        "Move wisdom to the trash; its chapters stay.",
    ),
}


@click.group("chapter", cls=Group)
def chapter() -> None:
    """Group related memories into chapters.

    A chapter has a title, a summary and learnings, each with the memories that support it.
    """


@rum_command("create", chapter)
@click.argument("memory_ids", nargs=-1, metavar="[ID]...")
@options_of("create_chapter")
@quiet_option
def create(rum: Rum, memory_ids: tuple[str, ...], **fields: Any) -> Output:
    """Create a chapter from memories: by ID, by tags, by time, or found by RUM (--auto).

    The same memories again update the same chapter. Missing texts are taken from the memories, or written by
    the configured language model.
    """
    ids = [stored_id(rum, memory_id) for memory_id in memory_ids]
    with check_usage(wrong=not ids and not given_options(fields).keys() & _CHOOSING):
        answer = rum.chapters.create(memory_ids=ids, **given_options(fields))
    notes = [answer.note] if answer.note else []
    return Output(answer, _created_chapter_view, ids=[answer.chapter_id], notes=notes)


@rum_command("list", chapter)
@options_of("list_chapters")
@ids_option
def list_chapters(rum: Rum, **fields: Any) -> Output:
    """List chapters (default: latest first)."""
    answer = rum.chapters.list(**given_options(fields))
    ids = (chapter.id for chapter in answer.chapters)
    return Output(answer, _list_view, ids=ids, notes=_hints(answer))


@rum_command("suggest", chapter)
@limit_option(10)
def suggest(rum: Rum, limit: int) -> Output:
    """Suggest groups of memories for chapters.

    Nothing is created; pass the ids to `rum chapter create`.
    """
    suggestions = rum.chapters.suggest(limit)
    return Output(suggestions, _suggestions_view, empty="No suggestions.")


@click.group("wisdom", cls=Group)
def wisdom() -> None:
    """Combine chapters into insights, patterns and best practices.

    Each claim is listed with the memories that support it and those that contradict it.
    """


@rum_command("synthesize", wisdom)
@click.argument("chapter_ids", nargs=-1, metavar="[ID]...")
@options_of("synthesize")
@quiet_option
def synthesize(rum: Rum, chapter_ids: tuple[str, ...], **fields: Any) -> Output:
    """Create wisdom from chapters: by ID, by tags, or by time.

    The same chapters again update the same wisdom. Missing texts are taken from the memories, or written by
    the configured language model.
    """
    ids = [chapter_id.lower() for chapter_id in chapter_ids]
    with check_usage(wrong=not ids and not given_options(fields).keys() & _CHOOSING):
        answer = rum.wisdom.synthesize(chapter_ids=ids, **given_options(fields))
    notes = [answer.note] if answer.note else []
    return Output(answer, _created_wisdom_view, ids=[answer.wisdom_id], notes=notes)


@rum_command("recall", wisdom)
@click.argument("query", nargs=-1, metavar="[WORDS]...")
@options_of("recall_wisdom")
@ids_option
def recall(rum: Rum, query: tuple[str, ...], **fields: Any) -> Output:
    """Find wisdom that matches WORDS (default: the newest)."""
    answer = rum.wisdom.recall(query=" ".join(query) or None, **given_options(fields))
    ids = (wisdom.id for wisdom in answer.wisdom)
    return Output(answer, _recall_view, ids=ids, notes=_hints(answer))


def _hints(answer: ListChaptersResult | RecallWisdomResult) -> list[str]:
    """The hint of an answer, with the names of commands instead of tools."""
    if not answer.hint:
        return []
    return [
        answer.hint.replace("create_chapter", "`rum chapter create`").replace(
            "synthesize", "`rum wisdom synthesize`"
        )
    ]


def _add_common(
    group: click.Group, name: str, api: Callable[[Rum], Any], view: Callable[[Any], View]
) -> None:
    """Add the commands that chapters and wisdom have in common."""
    show_help, refresh_help, forget_help = _HELP[name]

    @rum_command("show", group, help=show_help)
    @click.argument("group_id", metavar="ID")
    def _show(rum: Rum, group_id: str) -> Output:
        return Output(api(rum).show(group_id.lower()), view)

    @rum_command("refresh", group, help=refresh_help)
    @click.argument("ids", nargs=-1, metavar="[ID]...")
    @_dry_run
    def _refresh(rum: Rum, ids: tuple[str, ...], dry_run: bool) -> Output:
        return _refreshed(api(rum).refresh(*map(str.lower, ids), dry_run=dry_run))

    add_forget_command(group, name, forget_help)


@rum_command("refresh")
@click.argument("ids", nargs=-1, metavar="[ID]...")
@_dry_run
def refresh(rum: Rum, ids: tuple[str, ...], dry_run: bool) -> Output:
    """Update chapters and wisdom whose memories changed.

    Updates those named by ID, or all stale ones: those with a memory that was changed, superseded or
    forgotten. Shows what was removed (-) and added (+). Texts that you supplied are kept.
    """
    return _refreshed(rum.refresh(*map(str.lower, ids), dry_run=dry_run))


def _refreshed(answer: RefreshResult) -> Output:
    return Output(answer, _refresh_view, notes=[f"skipped: {reason}" for reason in answer.skipped])


def _refresh_view(answer: RefreshResult) -> View:
    if not answer.refreshed:
        return text_view("Nothing is stale." if not answer.skipped else "Nothing was updated.")
    verb = "would be updated" if answer.dry_run else "updated"
    view: View = []
    for group in answer.refreshed:
        view.append(TextLine((*heading(group.title, group.id), TextPart(verb, "dim"))))
        for reason in group.stale:
            view += text_view(f"because {reason}", "dim")
        for change in group.changes:
            for text in change.removed:
                view += text_view(f"- {change.part}: {text}", "bad")
            for text in change.added:
                view += text_view(f"+ {change.part}: {text}", "good")
        if not group.changes:
            view += text_view("unchanged", "dim")
        if group.note:
            view += text_view(group.note, "dim")
    return view


def _with_evidence(claims: Sequence[str], evidence: Sequence[Evidence]) -> list[str]:
    """Claims, each with the number of memories that support and contradict it."""
    lines: list[str] = []
    for claim, found in zip(claims, evidence, strict=True):
        memory_ids = ", ".join(map(short_id, found.memory_ids[:_MAX_MEMORY_IDS]))
        more = ", …" if found.supporting > _MAX_MEMORY_IDS else ""
        against = f"; {found.against} against" if found.against else ""
        support = f"{found.supporting}: {memory_ids}{more}{against}"
        lines.append(f"{claim} ({support if found.supporting else 'supported by no memory'})")
    return lines


def _created_chapter_view(answer: CreateChapterResult) -> View:
    fields: list[Field] = [
        ("summary", answer.summary),
        ("learnings", _with_evidence(answer.learnings, answer.evidence)),
        ("topics", ", ".join(answer.topics)),
        ("memories", str(answer.memory_count)),
        ("words", answer.words.value),
    ]
    return [Fields(heading(answer.title, answer.chapter_id), filled(fields))]


def _list_view(answer: ListChaptersResult) -> View:
    rows = [
        (
            short_id(chapter.id),
            local_time(chapter.end_ts),
            str(chapter.memory_count),
            chapter.title,
            "; ".join(chapter.stale or ()),
        )
        for chapter in answer.chapters
    ]
    lines = [
        f"{chapter.title}: {count_of(chapter.memory_count, 'memory', 'memories')}"
        f"{', stale' if chapter.stale else ''} [{short_id(chapter.id)}]"
        for chapter in answer.chapters
    ]
    columns = {"id": "id", "until": "dim", "memories": "dim", "title": "strong", "stale": "bad"}
    return table(columns, rows, lines)


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
    return [Fields(heading(chapter.title, chapter.id), filled(fields))]


def _suggestions_view(suggestions: Sequence[Suggestion]) -> View:
    view: View = []
    for suggestion in suggestions:
        more = len(suggestion.goals) - _MAX_GOALS
        fields: list[Field] = [
            ("why", suggestion.reason),
            *([("tags", ", ".join(suggestion.tags))] if suggestion.tags else []),
            ("memories", [*suggestion.goals[:_MAX_GOALS], *([f"and {more} more"] if more > 0 else [])]),
            ("ids", " ".join(map(short_id, suggestion.memory_ids))),
        ]
        title = (TextPart(suggestion.title, "strong"), TextPart(f"{suggestion.sureness:.2f}", "dim"))
        view.append(Fields(title, fields))
    return view


def _claims(wisdom: SynthesizeResult | WisdomView) -> list[Field]:
    """All claims with their evidence, by kind, and the contradictions between them."""
    fields: list[Field] = [*_claim_lists(wisdom)]
    contradictions = [
        f"{one.claim} ({len(one.memory_ids)}) — against: {one.against} ({len(one.against_ids)})"
        for one in wisdom.contradictions or ()
    ]
    return [*fields, ("contradictions", contradictions)]


def _claim_lists(wisdom: SynthesizeResult | WisdomView) -> Iterator[tuple[str, list[str]]]:
    evidence = iter(wisdom.evidence)
    for name in ("insights", "patterns", "best_practices"):
        claims: Sequence[str] = getattr(wisdom, name)
        yield name, _with_evidence(claims, [*islice(evidence, len(claims))])


def _matching_claims(wisdom: WisdomView, indexes: Collection[int]) -> list[Field]:
    """The claims that match the query, and the number of others."""
    shown: list[Field] = []
    start = 0
    for name, lines in _claim_lists(wisdom):
        shown.append((name, [line for index, line in enumerate(lines, start) if index in indexes]))
        start += len(lines)
    more = start - len(indexes)
    return [*shown, ("more", f"{more} (rum wisdom show {short_id(wisdom.id)})" if more else "")]


def _created_wisdom_view(answer: SynthesizeResult) -> View:
    fields = [*_claims(answer), ("chapters", str(answer.chapter_count)), ("words", answer.words.value)]
    return [Fields(heading(answer.summary, answer.wisdom_id), filled(fields))]


def _recall_view(answer: RecallWisdomResult) -> View:
    return [_wisdom_view(wisdom) for wisdom in answer.wisdom]


def _wisdom_view(wisdom: WisdomView) -> Fields:
    fields: list[Field] = [
        ("confidence", "" if wisdom.confidence is UNSET else f"{wisdom.confidence:.2f}"),
        ("stale", list(wisdom.stale or ())),
        *(_claims(wisdom) if wisdom.matching is UNSET else _matching_claims(wisdom, wisdom.matching)),
        ("tags", ", ".join(wisdom.tags)),
        ("time", f"{local_time(wisdom.start_ts)} to {local_time(wisdom.end_ts)}"),
        ("words", wisdom.words.value),
        ("chapters", [] if wisdom.chapter_ids is UNSET else list(wisdom.chapter_ids)),
    ]
    return Fields(heading(wisdom.summary, wisdom.id), filled(fields))


_add_common(chapter, "chapter", lambda rum: rum.chapters, _chapter_view)
_add_common(wisdom, "wisdom", lambda rum: rum.wisdom, lambda view: [_wisdom_view(view)])
