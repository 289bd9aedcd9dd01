"""Instructions for agents into notes, and what is known out into a section of such a file."""

from __future__ import annotations

import os

from msgspec import Struct

from rum.app.caller import Caller
from rum.app.imports.import_batch import Tally
from rum.app.imports.notes import NotesImport, said
from rum.app.notes.append import add, forgotten_statements
from rum.app.project import Project
from rum.capture.peers.agent_guides import Section, sections_of
from rum.model.errors import NotFound, RumError
from rum.model.notes import Broken, Entry, Importance, NoteDraft
from rum.store.files import atomic_write, markdown_section
from rum.text.shorten import shorten

LARGEST = 4 * 1024 * 1024
TAG = "agents-md"
NAME = "rum-knowledge"
"""What the section is called that RUM keeps in a file."""
FILE = "AGENTS.md"

_MOST_RULES, _MOST_FACTS, _MOST_NOTES, _LINE = 30, 30, 15, 300


class Written(Struct, frozen=True):
    """The file, how much of each kind went into its section, and whether it changed."""

    file: str
    rules: int
    facts: int
    notes: int
    changed: bool


def import_guides(caller: Caller, paths: tuple[str, ...]) -> NotesImport:
    """Make a note of each section of these files that is neither here nor forgotten."""
    tally, broken = Tally(), list[Broken]()
    known = {said(entry) for note in caller.project.note_store.notes() for entry in note.entries}
    for path, found in [(path, _read(caller, path)) for path in paths]:
        for section in sections_of(found, os.path.basename(path)):
            try:
                tally.counts[_keep(caller, section, path, known)] += 1
            except RumError as error:
                broken.append(Broken(f"{path}, {section.title}", error.message))
    return tally.answer(NotesImport, broken=tuple(broken))


def _read(caller: Caller, path: str) -> str:
    file = os.path.join(caller.cwd, os.path.expanduser(path))
    data = atomic_write.read(file, LARGEST)
    if data is None:
        raise NotFound(f"There is no file {file}.", path=file)
    return data.decode("utf-8-sig", "replace")


def _keep(caller: Caller, section: Section, path: str, known: set[tuple[str, str]]) -> str:
    """Keep a section unless it is known; the name of the count it belongs to."""
    entry = caller.project.note_store.redacted(Entry(n=1, title=section.title, content=section.content))
    if said(entry) in known:
        return "unchanged"
    if forgotten_statements(caller.project, entry) is not None:
        return "forgotten"
    known.add(said(entry))
    source = caller.relative(os.path.join(caller.cwd, os.path.expanduser(path)))
    draft = NoteDraft(
        title=entry.title, content=entry.content, when_to_use=(entry.title,), tags=(TAG,), source=source
    )
    add(caller, draft)
    return "added"


def export_guide(caller: Caller, path: str | None) -> Written:
    """Write what everybody should know into a section of a file, and leave the rest of it alone."""
    root = caller.project.location.root or caller.cwd
    file = os.path.join(caller.cwd, os.path.expanduser(path)) if path else os.path.join(root, FILE)
    rules = [
        f"- When {_line(rule.condition)}: {_line(rule.action)}"
        for rule in caller.project.store.rules.latest(_MOST_RULES)
    ]
    facts = [
        f"- {_line(fact.key)}: {_line(fact.value)}"
        for fact in caller.project.store.facts.latest("", _MOST_FACTS)
    ]
    notes = _notes(caller.project)
    kinds = {"Rules": sorted(rules), "Facts": sorted(facts), "Notes (`rum note show ID`)": notes}
    lines = ["## What this project's memory knows", ""]
    for heading, found in kinds.items():
        lines += [f"### {heading}", "", *found, ""] if found else []
    changed = _write(os.path.realpath(file), "\n".join(lines).rstrip(), any(kinds.values()))
    return Written(file, len(rules), len(facts), len(notes), changed)


def _notes(project: Project) -> list[str]:
    """The notes that matter most, a line each; those that came from such a file stay there."""
    order = list(Importance)
    newest = [(note.slug, note.newest) for note in project.note_store.notes()]
    fitting = [(slug, one) for slug, one in newest if not one.retired and TAG not in one.tags]
    fitting.sort(key=lambda found: (-order.index(found[1].importance), found[0]))
    return [f"- {_line(one.title)}: {_first(one.content)} ({slug})" for slug, one in fitting[:_MOST_NOTES]]


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
