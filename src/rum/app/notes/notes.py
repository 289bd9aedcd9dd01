"""Notes: Markdown files that people and agents read, write and review in the repository."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar, Unpack

import msgspec
from msgspec import UNSET, Struct, UnsetType

from rum.app.agents import OWNER, agent_name, caller_name, ensure_agent, find_known
from rum.app.caller import Caller
from rum.app.calls import load, public
from rum.app.freshness.check import code_state
from rum.app.freshness.texts import anchor_text, note_texts, texts_freshness
from rum.app.memories.forget import Counts, Kind, Removal, Unfinished, forget_one
from rum.app.project import Project
from rum.capture.tombstones import note_marks
from rum.extract.entities import paths_in
from rum.extract.facts import versions_in
from rum.inject.notes import (
    MAX_CONTRADICTIONS,
    NoteQuery,
    NoteSummary,
    contradictions,
    cut,
    prompt_text,
    rank,
)
from rum.model.agents import SKILL_FIELDS
from rum.model.anchors import Freshness
from rum.model.answers import ForgetResult, ledger_id
from rum.model.errors import NO_RESULTS, InvalidQuery, NotFound, PermissionDenied, RumError, StorageError
from rum.model.fields import parse, seconds
from rum.model.layers import USER
from rum.model.notes import (
    Broken,
    Contradiction,
    Entry,
    Importance,
    ListedNote,
    ListNotes,
    MatchedNote,
    MatchRequest,
    Note,
    NoteAdded,
    NoteDraft,
    NoteList,
    NoteShown,
    NotesMatched,
    ShowNote,
)
from rum.settings.load import AgentSettings, Settings
from rum.store.files.agents import agent_file
from rum.store.files.notes.folder import Piece, same_title, slug_of
from rum.store.files.notes.text import LONGEST_FRONTMATTER, clean, entry_text, is_one_entry, slug_from_name
from rum.text import patterns
from rum.text.claims import claims_in
from rum.text.shorten import one_line

if TYPE_CHECKING:
    from rum.app.imports.notes import NotesImport

_LONG = 30 * 86400  # Seconds after which a note without its files is perhaps outdated
_MAX_SAID = 200  # The newest words of users that are compared with a note
_PLAIN = re.compile(r"[\w./-]+")  # A path without wildcards and placeholders
Q = TypeVar("Q")
A = TypeVar("A")
# The fields as files spell them, and as the API does.
FIELDS = {
    "whenToUse": "when_to_use",
    "discoveredAt": "discovered_at",
    "discoveredBy": "discovered_by",
    "discoveredIn": "discovered_in",
    "relatedMemories": "related_memories",
    "supersededBy": "superseded_by",
}


class NoteFields(TypedDict, total=False):
    """Optional fields of `Notes.add`."""

    tags: Sequence[str]
    importance: Importance | str
    discovered_at: float | None
    discovered_by: str | None
    discovered_in: str | None
    source: str | None
    related_memories: Sequence[str]
    deprecated: bool
    superseded_by: str | None


class MatchOptions(TypedDict, total=False):
    """Optional arguments of `Notes.match`."""

    plan: str | None
    agent: str | None
    max_injected: int | None
    min_importance: Importance | str | None


@public
class Notes:
    """The notes of an open project's checkout."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def add(
        self, title: str, content: str, when_to_use: str | Sequence[str], **fields: Unpack[NoteFields]
    ) -> NoteAdded:
        """Append an entry to the note of this title, or write a new note."""
        draft = {"title": title, "content": content, "when_to_use": when_to_use, **fields}
        return self._run(add_note, _parse_request(NoteDraft, draft))

    def match(self, task: str, **options: Unpack[MatchOptions]) -> NotesMatched:
        """The notes that match a task, best first, and their text for a prompt."""
        return self._run(match_notes, _parse_request(MatchRequest, {"task": task, **options}))

    def list(self) -> NoteList:
        """All notes by file name."""
        return self._run(list_notes, ListNotes())

    def show(self, id: str) -> NoteShown:
        """A note with all its entries, or one entry of it (`slug#n`)."""
        return self._run(show_note, _parse_request(ShowNote, {"id": id}))

    def all(self) -> Sequence[Note]:
        """Every note with all its entries, without broken files."""
        with self._caller.locked_call():
            return self._caller.project.note_store.notes()

    def forget(self, id: str) -> ForgetResult:
        """Move an entry into the trash."""
        caller, kind = self._caller, KIND
        with caller.locked_call():
            return forget_one(caller, kind, caller.project.single_id("note", id, kind.find(caller, id)))

    def drop_index(self) -> None:
        """Delete the index of the notes of all checkouts; it is made again when they are read."""
        with self._caller.locked_call():
            self._caller.project.note_store.drop_index()

    def import_from(self, folder: str | os.PathLike[str]) -> NotesImport:
        """Import the entries of another folder's notes that are neither here nor forgotten."""
        return self._run(load("app.imports.notes:import_notes"), os.fspath(folder))

    def _run(self, use_case: Callable[[Caller, Q], A], request: Q) -> A:
        with self._caller.locked_call():
            return use_case(self._caller, request)


_ACTIONS: dict[str, Callable[[Caller, dict[str, Any]], Struct]] = {
    "add": lambda caller, fields: add_note(caller, _parse_request(NoteDraft, fields)),
    "match": lambda caller, fields: match_notes(caller, _parse_request(MatchRequest, fields)),
    "show": lambda caller, fields: show_note(caller, _parse_request(ShowNote, fields)),
    "list": lambda caller, fields: list_notes(caller, _parse_request(ListNotes, fields)),
    "extract": lambda caller, fields: _extract(caller, fields),
}


def _extract(caller: Caller, fields: dict[str, Any]) -> Struct:
    """Extract from the output of a run: `content` is its text."""
    named = fields.get("agent")
    agent = named if named and not isinstance(named, str) else agent_name(caller, named) or OWNER
    run = {"result": "success", **fields, "agent": agent}
    if "content" in run:
        run["agent_output"] = run.pop("content")
    return load("app.runs.extraction:extract")(caller, run)


def call(caller: Caller, fields: dict[str, Any]) -> Struct:
    """The call `note`: an action and its fields."""
    fields = {FIELDS.get(name, name): value for name, value in fields.items() if value is not None}
    action = fields.pop("action", None)
    if not isinstance(action, str) or action not in _ACTIONS:
        allowed = list(_ACTIONS)
        raise InvalidQuery(
            f"note: `action` must be one of {', '.join(allowed)}.", field="action", allowed=allowed
        )
    return _ACTIONS[action](caller, fields)


def _parse_request(model: type[Q], fields: dict[str, Any]) -> Q:
    fields = {name: value for name, value in fields.items() if value is not None}
    return parse(fields, model, "note")


def match_notes(
    caller: Caller, request: MatchRequest, now: int | None = None, *, by_meaning: bool = False
) -> NotesMatched:
    """The notes for a prompt, up to the maximum in the agent's settings.

    `by_meaning` adds the note that is nearest to the task in meaning, if one is clearly near.
    """
    agent = agent_name(caller, request.agent)
    settings, wrong = _agent_settings(caller.project.settings, agent)
    known = find_known(caller, request.agent)
    note_store = caller.project.note_store
    summaries, broken = note_store.summaries()
    query = NoteQuery(
        task=request.task,
        plan=request.plan or "",
        agent=agent,
        now=caller.project.now() if now is None else now,
        min_importance=request.min_importance or settings.min_importance,
        specialties=(*settings.specialties, *(known.skills(*SKILL_FIELDS) if known else ())),
    )
    nearest = None
    if by_meaning:
        current = [summary for summary in summaries.values() if not summary.retired]
        nearest = note_store.meaning.nearest(caller.project, request.task, current)
    found = rank(summaries.values(), query, nearest)
    most = settings.max_injected if request.max_injected is None else request.max_injected
    fresh = _freshness(caller.project, [summary.slug for _, summary, _, _ in found[:most]])
    notes = [
        MatchedNote(
            id=f"{summary.slug}#{entry.n}",
            title=entry.title,
            importance=entry.importance,
            discovered_by=entry.discovered_by,
            discovered_at=entry.discovered_at,
            score=total,
            points=dict(zip(scored.points._fields, scored.points, strict=True)),
            match=match.kind,
            pattern=match.pattern,
            why=scored.why,
            content=cut(entry.content),
            related=[slug for slug in summary.related if slug in summaries] or UNSET,
            contradictions=_contradictions(caller.project, summary, entry, summaries),
            gone=_gone_files(caller.project, summary.slug, entry, query.now) or UNSET,
            **code_state(fresh.get(summary.slug)),
        )
        for total, summary, match, scored in found[:most]
        if (entry := note_store.newest(summary.slug)) is not None
    ]
    text = prompt_text(notes, day)
    return NotesMatched(
        notes=notes,
        text=text,
        matched=len(found),
        broken=(broken + wrong) or UNSET,
        code=UNSET if notes else NO_RESULTS,
        hint=UNSET if notes else f"None of the {len(summaries)} notes is for this task.",
    )


def _freshness(project: Project, slugs: Sequence[str]) -> dict[str, Freshness]:
    """What became of the code that these notes name."""
    wanted = set(slugs)
    texts = [one for one in note_texts(project) if one.id in wanted]
    found = texts_freshness(project, texts)
    return {one.id: found[one.name] for one in texts if one.name in found}


def _contradictions(
    project: Project, summary: NoteSummary, entry: Entry, summaries: dict[str, NoteSummary]
) -> list[Contradiction] | UnsetType:
    """What contradicts an entry: entries and other notes, and newer facts and words of users."""
    since = entry.discovered_at or 0
    found = list(project.note_store.contradictions(summary, entry, summaries) or ())
    stated = dict(versions_in(entry.content))
    for fact in project.store.facts.get(list(stated)):
        at = fact.updated_at or fact.created_at
        if at > since and fact.value.split()[:1] != stated[fact.key].split()[:1]:
            says = f"{fact.key} = {fact.value}"
            found.append(Contradiction(f"{fact.key} {stated[fact.key]}", f"fact {fact.key}", says, at))
    claims = claims_in(entry.content)
    for rule in project.store.rules.latest(_MAX_SAID, USER):
        if rule.created_at > since:
            found += contradictions(claims, rule.action, rule.id, rule.created_at)
    return found[:MAX_CONTRADICTIONS] or UNSET


def _gone_files(project: Project, slug: str, entry: Entry, now: int) -> list[str]:
    """The files that an old note names, if none of them exists and nobody called the note useful since.

    A path counts only if its first folder exists: else it is perhaps relative to another folder.
    """
    root, at = project.location.root, entry.discovered_at
    if root is None or at is None or now - at < _LONG:
        return []
    paths = [path for path in paths_in(entry.content) if "/" in path.strip("./") and _PLAIN.fullmatch(path)]
    paths = [path for path in paths if os.path.isdir(os.path.join(root, path.partition("/")[0]))]
    if not paths or any(os.path.lexists(os.path.join(root, path)) for path in paths):
        return []
    name = ledger_id("note", slug)
    return [] if now - project.store.activity.confirmed([name]).get(name, 0) < _LONG else paths


def day(at: int) -> str:
    """A date as notes write it."""
    return time.strftime("%Y-%m-%d", time.gmtime(at))


def list_notes(caller: Caller, _: ListNotes) -> NoteList:
    """All notes by file name, and the broken files."""
    summaries, broken = caller.project.note_store.summaries()
    fresh = _freshness(caller.project, list(summaries))
    notes = [
        ListedNote(
            id=summary.slug,
            title=summary.title,
            importance=summary.importance,
            tags=summary.tags,
            entries=summary.entries,
            discovered_at=summary.discovered_at,
            discovered_by=summary.discovered_by,
            retired=summary.retired or UNSET,
            remarks=summary.remarks or UNSET,
            **code_state(fresh.get(summary.slug)),
        )
        for summary in summaries.values()
    ]
    empty = () if notes else (NO_RESULTS, "There are no notes yet.")
    return NoteList(notes, broken or UNSET, *empty)


def show_note(caller: Caller, request: ShowNote) -> NoteShown:
    """A note with all entries, or one of them, with related and contradicting notes."""
    notes = caller.project.note_store
    one = _get_entry(caller.project, request.id) if "#" in request.id else None
    note = notes.note(one[0] if one else notes.find_slug(request.id))
    load("app.offers:record_fetched")(caller, "note", note.slug)
    summaries, _ = notes.summaries()
    named = dict.fromkeys(slug for entry in note.entries for slug in entry.related_memories)
    naming = [summary.slug for summary in summaries.values() if note.slug in summary.related]
    related = [slug for slug in dict.fromkeys([*named, *naming]) if slug in summaries and slug != note.slug]
    is_newest = one is None or one[1].n == note.newest.n
    contradictions = UNSET
    if note.slug in summaries:
        contradictions = _contradictions(caller.project, summaries[note.slug], note.newest, summaries)
    return NoteShown(
        id=f"{note.slug}#{one[1].n}" if one else note.slug,
        path=caller.relative(notes.folder.file(note.slug)),
        newest=note.newest.n,
        entries=[one[1]] if one else list(note.entries),
        related=related or UNSET,
        missing=[slug for slug in named if slug not in summaries] or UNSET,
        contradictions=contradictions,
        **(code_state(_freshness(caller.project, [note.slug]).get(note.slug)) if is_newest else {}),
    )


def _agent_settings(settings: Settings, agent: str | None) -> tuple[AgentSettings, list[Broken]]:
    """What holds for an agent, and what is wrong with the YAML files that were looked at."""
    own, folder = settings.for_agent(agent), settings.folder("agents_dir")
    if agent is None or folder is None:
        return own, []
    found, broken = agent_file(folder, agent)
    unset = [name for name in found if settings.origin(f"agents.{agent}.{name}") == "default"]
    return own._replace(**{name: found[name] for name in unset}), broken


def add_note(caller: Caller, draft: NoteDraft) -> NoteAdded:
    """Append an entry to the note of its title, or write a new note."""
    notes, store = caller.project.note_store, caller.project.store
    # Only the author and the owner may forget an entry. If the store is read-only, it is written anyway.
    if not caller.owner and store.writable:
        with caller.undo_identity_on_error(), store.transaction():
            ensure_agent(caller)
    entry = _entry(caller, draft)
    if not caller.owner and (forgotten := forgotten_statements(caller.project, entry)) is not None:
        lines = "".join(f"\n- {one_line(text)}" for text in forgotten)
        raise PermissionDenied(
            f"`{entry.title}` was forgotten here on purpose; only the owner may add it again."
            + (f" Leave out:{lines}" if lines else ""),
            title=entry.title,
        )
    text = entry_text(entry)
    _refuse_unreadable(entry, text)
    added = notes.folder.add(entry.title, text, first=find_note(caller.project, entry.title))
    path = caller.relative(notes.folder.file(added.slug))
    if draft.discovered_at is None:  # else it may be about code of another time
        for one in note_texts(caller.project):
            if one.id == added.slug:
                anchor_text(caller.project, one)
    odd = ((pattern, patterns.pattern_error(pattern)) for pattern in entry.when_to_use)
    remarks = [f"`{pattern}` {problem}." for pattern, problem in odd if problem]
    named = entry.superseded_by
    if named and named.casefold() not in map(str.casefold, notes.summaries()[0]):
        field = caller.parameter_name("superseded_by")
        remarks.append(f"`{field}` names `{one_line(named)}`, which does not exist yet.")
    return NoteAdded(f"{added.slug}#{added.n}", path, created=added.n == 1, remarks=tuple(remarks) or UNSET)


def _entry(caller: Caller, draft: NoteDraft) -> Entry:
    """The entry for a draft, without secrets."""
    draft.check()
    conditions = (draft.when_to_use,) if isinstance(draft.when_to_use, str) else draft.when_to_use
    for pattern in conditions:
        if not patterns.compiled(pattern).alternatives:
            raise InvalidQuery(
                f"note: `when_to_use` `{pattern}` {patterns.pattern_error(pattern)}.", field="when_to_use"
            )
    if draft.discovered_by not in (None, caller_name(caller)):
        caller.check_unconfined("write in the name of others")
    at = caller.project.now() if draft.discovered_at is None else seconds(draft.discovered_at)
    entry = Entry(
        n=1,
        title=one_line(draft.title),
        content=clean(draft.content),
        when_to_use=tuple(dict.fromkeys(pattern.strip() for pattern in conditions)),
        tags=tuple(dict.fromkeys(map(one_line, draft.tags))),
        importance=draft.importance,
        discovered_at=at,
        discovered_by=one_line(draft.discovered_by or caller_name(caller) or OWNER),
        discovered_in=draft.discovered_in and one_line(draft.discovered_in),
        source=draft.source and one_line(draft.source),
        related_memories=tuple(dict.fromkeys(map(slug_from_name, draft.related_memories))),
        deprecated=draft.deprecated,
        superseded_by=draft.superseded_by and slug_from_name(draft.superseded_by),
    )
    return caller.project.note_store.redacted(entry)


def _refuse_unreadable(entry: Entry, text: str) -> None:
    """Refuse an entry that would not be read back as it is."""
    if not entry.content.strip():
        raise InvalidQuery("note: `content` is empty.", field="content")
    if len(text) - len(entry.content) > LONGEST_FRONTMATTER:
        raise InvalidQuery(
            f"note: all but `content` is longer than {LONGEST_FRONTMATTER // 1024} kB.", field="when_to_use"
        )
    if not is_one_entry(text):
        raise InvalidQuery(
            "note: `content` has a line of `---` after which it reads like another entry's frontmatter. "
            "Put that part into a code fence, or write `***` for the line.",
            field="content",
        )


def find_note(project: Project, title: str) -> str | None:
    """The slug of the note with this title, whatever its file is called."""
    slug = slug_of(title)
    if project.note_store.folder.holds(slug, title):
        return slug
    summaries, _ = project.note_store.summaries()
    return next((slug for slug, summary in summaries.items() if same_title(summary.title, title)), None)


def forgotten_statements(project: Project, entry: Entry) -> list[str] | None:
    """The statements of an entry that were forgotten; None if nothing of it was forgotten."""
    try:
        key = project.tombstone_key
    except OSError:  # there is no key yet, and its folder is read-only
        return None
    marks = note_marks(entry.title, entry.content, key)
    return marks.forgotten(project.store.memories.tombstones(marks.all))


def _get_entry(project: Project, name: str) -> tuple[str, Entry]:
    """The slug and the entry of `slug#n`."""
    slug, _, number = name.rpartition("#")
    note = project.note_store.note(project.note_store.find_slug(slug))
    if not number.isdecimal() or not 0 < int(number) <= len(note.entries):
        raise NotFound(f"{note.slug} has entries 1 to {len(note.entries)}, and no `{name}`.", id=name)
    return note.slug, note.entries[int(number) - 1]


def _find_entries(caller: Caller, name: str) -> list[str]:
    """The ids of the entries that an id or slug names."""
    try:
        if "#" in name:
            slug, entry = _get_entry(caller.project, name)
            return [f"{slug}#{entry.n}"]
        note = caller.project.note_store.note(caller.project.note_store.find_slug(name))
        return [f"{note.slug}#{entry.n}" for entry in note.entries]
    except RumError:
        return []


def _entry_to_forget(caller: Caller, name: str) -> tuple[str, Entry, str]:
    """The slug, the entry and its author, if the caller may change it."""
    slug, entry = _get_entry(caller.project, name)
    author = _author(caller, entry)
    instead = "Add an entry of your own under the same title instead."
    caller.check_author(name, author, imported=False, instead=instead)
    return slug, entry, author


def _author(caller: Caller, entry: Entry) -> str:
    """The id of the agent that wrote an entry; its name if it is not known."""
    agents, me, name = caller.store.agents, caller.current_agent(), caller_name(caller)
    found = [one for one in map(agents.get, agents.find_ids(entry.discovered_by)) if one]
    if caller.is_confined:  # a name that somebody took later makes nobody the author
        at, name = entry.discovered_at or 0, caller.client
        found = [one for one in found if one.created_at <= at]
    if len(found) == 1:
        return found[0].id
    return me.id if me and entry.discovered_by == name else entry.discovered_by


def _count_entry(caller: Caller, name: str) -> Counts:
    _entry_to_forget(caller, name)
    return {"entries": 1}


class TrashedEntry(Unfinished, frozen=True):
    """An entry of a note in the trash."""

    slug: str
    title: str
    n: int
    piece: Piece


def _remove_entry(caller: Caller, name: str) -> Removal:
    slug, entry, author = _entry_to_forget(caller, name)
    piece = _clean_piece(caller.project, caller.project.note_store.folder.piece(slug, entry.n))
    return Removal(
        {"entries": 1},
        label=entry.title,
        author=author,
        imported=False,
        marks=note_marks(entry.title, entry.content, caller.project.tombstone_key).all,
        data=TrashedEntry(slug=slug, title=entry.title, n=entry.n, piece=piece, unfinished=True),
    )


def _clean_piece(project: Project, piece: Piece) -> Piece:
    """A piece of a note without secrets, which people may have written into it."""
    return Piece(project.redactor.redact(piece.text), project.redactor.redact(piece.entry))


def _finish_entry(project: Project, data: bytes) -> None:
    """Remove the entry from its file; refused if it is not there as it was."""
    kept, folder = msgspec.json.decode(data, type=TrashedEntry), project.note_store.folder
    numbers = [entry.n for entry in project.note_store.note(kept.slug).entries]
    for n in sorted(numbers, key=lambda n: n != kept.n):  # people may have added entries above it
        piece = folder.piece(kept.slug, n)
        if _clean_piece(project, piece).entry == kept.piece.entry:
            folder.remove(kept.slug, n, piece)
            return
    raise StorageError(f"{folder.file(kept.slug)} was changed meanwhile; try again.")


def _restore_entry(project: Project, data: bytes) -> list[str]:
    kept = msgspec.json.decode(data, type=TrashedEntry)
    project.note_store.folder.put_back(kept.slug, kept.title, kept.n, kept.piece)
    return []


KIND = Kind("note", _find_entries, _count_entry, _remove_entry, _restore_entry, finish=_finish_entry)
