"""Chapters, wisdom, notes, facts and rules in pages, with evidence, authors and usefulness."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.chapters.groups import CHAPTERS, WISDOM, find_one
from rum.app.chapters.staleness import with_staleness
from rum.app.freshness.texts import shown_facts, shown_rules
from rum.app.layers.facts import EVERY
from rum.app.notes.notes import list_notes
from rum.app.pages.lists import Names, cut_after, cut_page, decode_cursor, entries_by_id
from rum.app.project import Project
from rum.model.answers import ledger_id
from rum.model.chapters import Chapter, ChapterView, Wisdom, WisdomView, chapter_view, wisdom_view
from rum.model.layers import ShownFact, ShownRule
from rum.model.notes import ListNotes
from rum.model.pages import (
    ChapterPage,
    Claim,
    FactRow,
    FactsRequest,
    GroupsRequest,
    NotesPage,
    Page,
    Paging,
    RuleRow,
    RulesRequest,
    Titled,
    WisdomPage,
)
from rum.store.chapters import Groups, Range

G = TypeVar("G", Chapter, Wisdom)


def chapters(caller: Caller, request: GroupsRequest) -> Page[ChapterView]:
    """Chapters with all of the tags, the last to end first."""
    found, after, total = _groups(caller.project.store.chapters, request)
    shown = with_staleness(caller.project, found)
    return Page(items=[chapter_view(one) for one in shown], next=after, total=total)


def wisdom(caller: Caller, request: GroupsRequest) -> Page[WisdomView]:
    """Wisdom with all of the tags, the last to end first."""
    found, after, total = _groups(caller.project.store.wisdom, request)
    shown = with_staleness(caller.project, found)
    return Page(items=[wisdom_view(one) for one in shown], next=after, total=total)


def _groups(store: Groups[G], request: GroupsRequest) -> tuple[list[G], str | None, int]:
    ids, total = store.matching(tuple(filter(None, request.tag)), Range(), EVERY)
    page, after = cut_after(ids, request.cursor, str, request.limit)
    return store.get(page), after, total


def chapter_page(caller: Caller, chapter_id: str) -> ChapterPage:
    """A chapter with its memories and the evidence for each claim."""
    project = caller.project
    [found] = with_staleness(project, [find_one(project, CHAPTERS, chapter_id)])
    members = entries_by_id(project, found.memory_ids)
    return ChapterPage(
        chapter=chapter_view(found, include_members=True),
        members=[members[one] for one in found.memory_ids if one in members],
        claims=_claims(found),
    )


def wisdom_page(caller: Caller, wisdom_id: str) -> WisdomPage:
    """Wisdom with its chapters and the evidence for each claim."""
    project = caller.project
    [found] = with_staleness(project, [find_one(project, WISDOM, wisdom_id)])
    parts = project.store.chapters.get(found.chapter_ids)
    return WisdomPage(
        wisdom=wisdom_view(found, include_chapters=True),
        chapters=[Titled(one.id, one.title) for one in parts],
        claims=_claims(found),
    )


def _claims(group: Chapter | Wisdom) -> list[Claim]:
    return [
        Claim(list=name, text=text, evidence=evidence)
        for name, claims in group.claims_by_list.items()
        for text, evidence in claims
    ]


def notes(caller: Caller, request: Paging) -> NotesPage:
    """Notes by file name."""
    found = list_notes(caller, ListNotes())
    page, after = cut_after(found.notes, request.cursor, lambda note: note.id, request.limit)
    return NotesPage(items=page, next=after, total=len(found.notes), broken=found.broken or [])


def facts(caller: Caller, request: FactsRequest) -> Page[FactRow]:
    """Facts whose keys have a prefix, in order of their keys."""
    store = caller.project.store.facts
    place = decode_cursor(request.cursor, tuple[str])
    found = store.after_key(request.limit + 1, request.prefix, place[0] if place else "")
    page, after = cut_page(found, request.limit, lambda fact: (fact.key,))
    useful = _usefulness(caller.project, "fact", (fact.key for fact in page))
    names = Names(caller.project)
    return Page(
        items=[
            _fact_row(fact, names, useful.get(ledger_id("fact", fact.key), 0.0))
            for fact in shown_facts(caller.project, page)
        ],
        next=after,
        total=store.latest(1, request.prefix)[1],
    )


def _fact_row(fact: ShownFact, names: Names, usefulness: float) -> FactRow:
    return FactRow(
        key=fact.key,
        value=fact.value,
        updated_at=fact.updated_at or fact.created_at,
        version=fact.version,
        set_by=fact.agent_id,
        set_by_name=names.of(fact.agent_id),
        usefulness=round(usefulness, 2),
        freshness=fact.freshness,
        code_at=fact.code_at,
        code_changed=fact.code_changed,
    )


def rules(caller: Caller, request: RulesRequest) -> Page[RuleRow]:
    """Rules that contain all of the words, the newest first."""
    words = request.q.casefold().split()
    found = [
        rule
        for rule in caller.project.store.rules.latest(EVERY)
        if all(word in f"{rule.condition} {rule.action}".casefold() for word in words)
    ]
    page, after = cut_after(found, request.cursor, lambda rule: rule.id, request.limit)
    useful = _usefulness(caller.project, "rule", (rule.id for rule in page))
    names = Names(caller.project)
    shown = shown_rules(caller.project, page)
    rows = [_rule_row(rule, names, useful.get(rule.id, 0.0)) for rule in shown]
    return Page(items=rows, next=after, total=len(found))


def _rule_row(rule: ShownRule, names: Names, usefulness: float) -> RuleRow:
    return RuleRow(
        id=rule.id,
        condition=rule.condition,
        action=rule.action,
        version=rule.version,
        set_by=rule.agent_id,
        set_by_name=names.of(rule.agent_id),
        created_at=rule.created_at,
        usefulness=round(usefulness, 2),
        updated_at=rule.updated_at or UNSET,
        source=rule.source or UNSET,
        said_at=rule.created_at if rule.source else UNSET,
        about=rule.about or UNSET,
        superseded_by=rule.superseded_by or UNSET,
        freshness=rule.freshness,
        code_at=rule.code_at,
        code_changed=rule.code_changed,
    )


def _usefulness(project: Project, kind: str, ids: Iterable[str]) -> dict[str, float]:
    return project.store.activity.usefulness([ledger_id(kind, one) for one in ids])
