"""Match, list and show notes."""

from __future__ import annotations

import time

from msgspec import UNSET

from rum.app.agents import name_of_who_acts
from rum.app.caller import Caller
from rum.app.notes.append import get_entry
from rum.app.project import Project
from rum.inject.notes import Head, NoteQuery, Ranked, cut, prompt_text, rank
from rum.model.notes import (
    Broken,
    Entry,
    ListedNote,
    ListNotes,
    MatchedNote,
    MatchQuestion,
    NoteList,
    NoteShown,
    NotesMatched,
    ShowNote,
)
from rum.settings.load import AgentSettings, Settings
from rum.store.files.agents import agent_file


def match(caller: Caller, question: MatchQuestion, now: int | None = None) -> NotesMatched:
    """The notes for a prompt, up to the maximum in the agent's settings."""
    agent = agent_name(caller, question.agent)
    settings, wrong = agent_settings(caller.project.settings, agent)
    heads, broken = caller.project.note_store.heads()
    query = NoteQuery(
        task=question.task,
        plan=question.plan or "",
        agent=agent,
        now=caller.project.now() if now is None else now,
        min_importance=question.min_importance or settings.min_importance,
        specialties=settings.specialties,
    )
    found = rank(heads.values(), query)
    most = settings.max_injected if question.max_injected is None else question.max_injected
    notes = [
        _matched(caller.project, one, entry, heads)
        for one in found[:most]
        if (entry := caller.project.note_store.newest(one.head.slug)) is not None
    ]
    return NotesMatched(
        notes=notes, text=prompt_text(notes, day), matched=len(found), broken=(broken + wrong) or UNSET
    )


def day(at: int) -> str:
    """A date as notes write it."""
    return time.strftime("%Y-%m-%d", time.gmtime(at))


def agent_name(caller: Caller, named: str | None) -> str | None:
    """The name of an agent given by name or id; of the caller if None."""
    if not named:
        return name_of_who_acts(caller)
    found = caller.project.store.agents.find_ids(named)
    agent = caller.project.store.agents.get(found[0]) if len(found) == 1 else None
    return (agent.name if agent else None) or named


def _matched(project: Project, one: Ranked, entry: Entry, heads: dict[str, Head]) -> MatchedNote:
    head = one.head
    return MatchedNote(
        id=f"{head.slug}#{entry.n}",
        title=entry.title,
        importance=entry.importance,
        discovered_by=entry.discovered_by,
        discovered_at=entry.discovered_at,
        score=one.total,
        points=dict(zip(one.scored.points._fields, one.scored.points, strict=True)),
        match=one.match.kind,
        pattern=one.match.pattern,
        why=one.scored.why,
        content=cut(entry.content),
        related=[slug for slug in head.related if slug in heads] or UNSET,
        otherwise=project.note_store.contradictions(head, entry, heads),
    )


def list_notes(caller: Caller, _: ListNotes) -> NoteList:
    """All notes by file name, and the broken files."""
    heads, broken = caller.project.note_store.heads()
    return NoteList([_listed(head) for head in heads.values()], broken or UNSET)


def _listed(head: Head) -> ListedNote:
    return ListedNote(
        id=head.slug,
        title=head.title,
        importance=head.importance,
        tags=head.tags,
        entries=head.entries,
        discovered_at=head.discovered_at,
        discovered_by=head.discovered_by,
        retired=head.retired or UNSET,
        remarks=head.remarks or UNSET,
    )


def show(caller: Caller, question: ShowNote) -> NoteShown:
    """A note with all entries, or one of them, with related and contradicting notes."""
    notes = caller.project.note_store
    one = get_entry(caller.project, question.id) if "#" in question.id else None
    note = notes.note(one[0] if one else notes.slug(question.id))
    heads, _ = notes.heads()
    named = dict.fromkeys(slug for entry in note.entries for slug in entry.related_memories)
    naming = [head.slug for head in heads.values() if note.slug in head.related]
    related = [slug for slug in dict.fromkeys([*named, *naming]) if slug in heads and slug != note.slug]
    return NoteShown(
        id=f"{note.slug}#{one[1].n}" if one else note.slug,
        path=caller.relative(notes.folder.file(note.slug)),
        newest=note.newest.n,
        entries=[one[1]] if one else list(note.entries),
        related=related or UNSET,
        missing=[slug for slug in named if slug not in heads] or UNSET,
        otherwise=notes.contradictions(heads[note.slug], note.newest, heads) if note.slug in heads else UNSET,
    )


def agent_settings(settings: Settings, agent: str | None) -> tuple[AgentSettings, list[Broken]]:
    """What holds for an agent, and what is wrong with the YAML files that were looked at."""
    own, folder = settings.for_agent(agent), settings.folder("agents_dir")
    if agent is None or folder is None:
        return own, []
    found, broken = agent_file(folder, agent)
    unset = [name for name in found if settings.origin(f"agents.{agent}.{name}") == "default"]
    return own._replace(**{name: found[name] for name in unset}), broken
