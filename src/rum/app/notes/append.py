"""Adding an entry to a note, and forgetting one."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from rum.app.agents import name_of_who_acts, somebody
from rum.app.caller import Caller
from rum.app.memories.forgettable import Counts, Kind
from rum.app.project import Project
from rum.capture.tombstones import note_marks
from rum.model.errors import InvalidQuery, NotFound, PermissionDenied, RumError
from rum.model.fields import seconds
from rum.model.notes import Entry, NoteAdded, NoteDraft
from rum.store.files.notes.folder import same_title, slug_of
from rum.store.files.notes.text import LONGEST_FRONTMATTER, clean, entry_text, is_one_entry, slug_from_name
from rum.text import patterns as match
from rum.text.shorten import one_line

OWNER = "owner"
"""The discoverer of what a person wrote."""
_INSTEAD = "Add an entry of your own under the same title instead."


def add(caller: Caller, draft: NoteDraft) -> NoteAdded:
    """Append an entry to the note of its title, or write a new note."""
    _register(caller)
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
    folder = caller.project.note_store.folder
    added = folder.add(entry.title, text, first=find_note(caller.project, entry.title))
    path = caller.relative(folder.file(added.slug))
    odd = ((pattern, match.problem(pattern)) for pattern in entry.when_to_use)
    remarks = tuple(f"`{pattern}` {problem}." for pattern, problem in odd if problem)
    remarks += tuple(_successor_remarks(caller, entry))
    return NoteAdded(f"{added.slug}#{added.n}", path, created=added.n == 1, remarks=remarks or UNSET)


def _entry(caller: Caller, draft: NoteDraft) -> Entry:
    """The entry for a draft, without secrets."""
    draft.check()
    patterns = (draft.when_to_use,) if isinstance(draft.when_to_use, str) else draft.when_to_use
    for pattern in patterns:
        if not match.compiled(pattern).alternatives:
            raise InvalidQuery(
                f"note: `when_to_use` `{pattern}` {match.problem(pattern)}.", field="when_to_use"
            )
    at = caller.project.now() if draft.discovered_at is None else seconds(draft.discovered_at)
    entry = Entry(
        n=1,
        title=one_line(draft.title),
        content=clean(draft.content),
        when_to_use=tuple(dict.fromkeys(pattern.strip() for pattern in patterns)),
        tags=tuple(dict.fromkeys(map(one_line, draft.tags))),
        importance=draft.importance,
        discovered_at=at,
        discovered_by=one_line(draft.discovered_by or name_of_who_acts(caller) or OWNER),
        discovered_in=draft.discovered_in and one_line(draft.discovered_in),
        source=draft.source and one_line(draft.source),
        related_memories=tuple(dict.fromkeys(map(slug_from_name, draft.related_memories))),
        deprecated=draft.deprecated,
        superseded_by=draft.superseded_by and slug_from_name(draft.superseded_by),
    )
    return caller.project.note_store.redacted(entry)


def _successor_remarks(caller: Caller, entry: Entry) -> Iterator[str]:
    """A remark if an entry names a successor that does not exist."""
    named = entry.superseded_by
    if named and named.casefold() not in {slug.casefold() for slug in caller.project.note_store.heads()[0]}:
        yield f"`{caller.spell('superseded_by')}` names `{one_line(named)}`, which does not exist yet."


def _register(caller: Caller) -> None:
    """Register an agent that writes, as only the author and the owner may forget an entry.

    If the store is read-only, the note is written anyway.
    """
    if not caller.owner and caller.project.store.writable:
        with caller.identity_undone_on_error(), caller.project.store.transaction():
            somebody(caller)


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
    heads, _ = project.note_store.heads()
    return next((slug for slug, head in heads.items() if same_title(head.title, title)), None)


def forgotten_statements(project: Project, entry: Entry) -> list[str] | None:
    """The statements of an entry that were forgotten; None if nothing of it was forgotten."""
    try:
        key = project.tombstone_key
    except OSError:  # there is no key yet, and its folder is read-only
        return None
    marks = note_marks(entry.title, entry.content, key)
    return marks.forgotten(project.store.memories.tombstones(marks.all))


def get_entry(project: Project, name: str) -> tuple[str, Entry]:
    """The slug and the entry of `slug#n`."""
    slug, _, number = name.rpartition("#")
    note = project.note_store.note(project.note_store.slug(slug))
    if not number.isdecimal() or not 0 < int(number) <= len(note.entries):
        raise NotFound(f"{note.slug} has entries 1 to {len(note.entries)}, and no `{name}`.", id=name)
    return note.slug, note.entries[int(number) - 1]


def _found(caller: Caller, name: str) -> list[str]:
    """The ids of the entries that an id or slug names."""
    try:
        if "#" in name:
            slug, entry = get_entry(caller.project, name)
            return [f"{slug}#{entry.n}"]
        note = caller.project.note_store.note(caller.project.note_store.slug(name))
        return [f"{note.slug}#{entry.n}" for entry in note.entries]
    except RumError:
        return []


def _entry_to_change(caller: Caller, name: str) -> tuple[str, Entry]:
    slug, entry = get_entry(caller.project, name)
    caller.may_change_of(name, _author(caller, entry), imported=False, instead=_INSTEAD)
    return slug, entry


def _author(caller: Caller, entry: Entry) -> str:
    """The id of the agent that discovered an entry; its name if no agent here has it."""
    authors = caller.project.store.agents.find_ids(entry.discovered_by)
    if len(authors) == 1:
        return authors[0]
    me = caller.acting()
    return me.id if me and entry.discovered_by == name_of_who_acts(caller) else entry.discovered_by


def _held(caller: Caller, name: str) -> Counts:
    _entry_to_change(caller, name)
    return {"entries": 1}


def _removed(caller: Caller, name: str) -> Counts:
    slug, entry = _entry_to_change(caller, name)
    marks = note_marks(entry.title, entry.content, caller.project.tombstone_key)
    caller.project.store.memories.add_tombstones(marks.all, "note", caller.project.now())
    caller.project.note_store.folder.remove(slug, entry.n)
    return {"entries": 1}


KIND = Kind("note", _found, _held, _removed)
