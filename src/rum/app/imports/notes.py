"""Import notes and instruction files for agents as notes; export knowledge into such a file."""

from __future__ import annotations

import os

from msgspec import Struct

from rum.app.caller import Caller
from rum.app.imports.batch import Imported, Tally
from rum.app.notes.notes import add_note, find_note, forgotten_statements
from rum.app.project import Project
from rum.capture.agent_guides import sections_of
from rum.model.errors import InvalidQuery, NotFound, RumError
from rum.model.notes import Broken, Entry, Importance, NoteDraft
from rum.store.files import atomic_write, markdown_section
from rum.store.files.notes.folder import NoteFolder, slug_of
from rum.store.files.notes.text import entry_text, is_one_entry
from rum.text.shorten import shorten


class NotesImport(Imported, frozen=True, kw_only=True):
    """What an import did, in entries; `broken` are files that were left out."""

    broken: tuple[Broken, ...] = ()


def import_notes(caller: Caller, path: str) -> NotesImport:
    """Append every entry that is new and not forgotten; names in it are not changed."""
    project, folder = caller.project, os.path.join(caller.cwd, os.path.expanduser(path))
    if not os.path.isdir(folder):
        raise NotFound(f"There is no folder {folder}.", path=folder)
    if os.path.realpath(folder) == os.path.realpath(project.note_store.folder.path):
        raise InvalidQuery(f"{folder} is where the notes are already; nothing is to be imported.")
    source, tally, broken, known = NoteFolder(folder), Tally(), list[Broken](), _known_texts(project)
    for slug in source.file_stamps():
        try:
            note, texts = source.note(slug), source.raw_entries(slug)
        except RumError as error:
            broken.append(Broken(f"{slug}.md", error.message))
            continue
        for given, text in zip(note.entries, texts, strict=True):
            entry = project.note_store.redacted(given)
            outcome = _outcome(project, entry, known)
            tally.counts[outcome] += 1
            if outcome == "added":
                _add(project, slug, text, entry)
    return tally.answer(NotesImport, broken=tuple(broken))


def _known_texts(project: Project) -> set[tuple[str, str]]:
    return {text_key(entry) for note in project.note_store.notes() for entry in note.entries}


def _outcome(project: Project, entry: Entry, known: set[tuple[str, str]]) -> str:
    """The name of the count for an entry; one that is to be added is known from now on."""
    if text_key(entry) in known:
        return "unchanged"
    if forgotten_statements(project, entry) is not None:
        return "forgotten"
    known.add(text_key(entry))
    return "added"


def text_key(entry: Entry) -> tuple[str, str]:
    """The text of an entry for comparing: without case and repeated blanks."""
    return " ".join(entry.title.casefold().split()), " ".join(entry.content.casefold().split())


def _add(project: Project, slug: str, raw: str, entry: Entry) -> None:
    """Append an entry in its original text, which keeps unknown fields; if that fails, written again."""
    text = project.redactor.redact(raw)
    if not text.startswith("---") or not is_one_entry(text):
        text = entry_text(entry)
    first = find_note(project, entry.title) or slug_of(slug)
    project.note_store.folder.add(entry.title, text, first=first)


LARGEST = 4 * 1024 * 1024
TAG = "agents-md"
NAME = "rum-knowledge"  # The name of the section that RUM maintains in a file
FILE = "AGENTS.md"

_MOST_RULES, _MOST_FACTS, _MOST_NOTES, _LINE = 30, 30, 15, 300


class Written(Struct, frozen=True):
    """The file, the number of items of each kind in its section, and whether it changed."""

    file: str
    rules: int
    facts: int
    notes: int
    changed: bool


def import_guides(caller: Caller, paths: tuple[str, ...]) -> NotesImport:
    """Store each section of these files that is new and not forgotten as a note."""
    project, tally, broken, known = caller.project, Tally(), list[Broken](), _known_texts(caller.project)
    for path, text in [(path, _read(caller, path)) for path in paths]:
        for section in sections_of(text, os.path.basename(path)):
            try:
                new = Entry(n=1, title=section.title, content=section.content)
                entry = project.note_store.redacted(new)
                outcome = _outcome(project, entry, known)
                if outcome == "added":
                    draft = NoteDraft(
                        title=entry.title,
                        content=entry.content,
                        when_to_use=(entry.title,),
                        tags=(TAG,),
                        source=caller.relative(os.path.join(caller.cwd, os.path.expanduser(path))),
                    )
                    add_note(caller, draft)
                tally.counts[outcome] += 1
            except RumError as error:
                broken.append(Broken(f"{path}, {section.title}", error.message))
    return tally.answer(NotesImport, broken=tuple(broken))


def _read(caller: Caller, path: str) -> str:
    file = os.path.join(caller.cwd, os.path.expanduser(path))
    data = atomic_write.read(file, LARGEST)
    if data is None:
        raise NotFound(f"There is no file {file}.", path=file)
    return data.decode("utf-8-sig", "replace")


def export_guide(caller: Caller, path: str | None) -> Written:
    """Write the most important knowledge into a section of a file; the rest of the file stays unchanged."""
    root = caller.project.location.root or caller.cwd
    file = os.path.join(caller.cwd, os.path.expanduser(path)) if path else os.path.join(root, FILE)
    rules = [
        f"- When {_line(rule.condition)}: {_line(rule.action)}"
        for rule in caller.store.rules.latest(_MOST_RULES)
    ]
    facts = [
        f"- {_line(fact.key)}: {_line(fact.value)}" for fact in caller.store.facts.latest(_MOST_FACTS)[0]
    ]
    # The most important notes, a line each, without those that came from such a file.
    order = list(Importance)
    newest = [(note.slug, note.newest) for note in caller.project.note_store.notes()]
    fitting = [(slug, one) for slug, one in newest if not one.retired and TAG not in one.tags]
    fitting.sort(key=lambda found: (-order.index(found[1].importance), found[0]))
    notes = [f"- {_line(one.title)}: {_first(one.content)} ({slug})" for slug, one in fitting[:_MOST_NOTES]]
    kinds = {"Rules": sorted(rules), "Facts": sorted(facts), "Notes (`rum note show ID`)": notes}
    lines = ["## What this project's memory knows", ""]
    for heading, found in kinds.items():
        lines += [f"### {heading}", "", *found, ""] if found else []
    changed = _write(os.path.realpath(file), "\n".join(lines).rstrip(), any(kinds.values()))
    return Written(file, len(rules), len(facts), len(notes), changed)


def _write(file: str, body: str, anything: bool) -> bool:
    atomic_write.make_folder(os.path.dirname(file))
    with atomic_write.locked(file):
        before = atomic_write.read(file, LARGEST)
        text = (before or b"").decode("utf-8")
        after = markdown_section.put(text, NAME, body) if anything else markdown_section.drop(text, NAME)
        if after == text:
            return False
        atomic_write.replace(file, after.encode())
    return True


def _first(content: str) -> str:
    """The first line of prose."""
    lines = (line.strip() for line in content.splitlines())
    return _line(next((line for line in lines if line and not line.startswith(("#", "```", "---"))), ""))


def _line(text: str) -> str:
    """A text on one line that can end no section and begin none."""
    line = " ".join(text.replace("<!--", "").replace("-->", "").split())
    return shorten(line, _LINE)
