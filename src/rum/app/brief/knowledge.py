"""What notes, rules, facts and the running session's journal have to say to a brief."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from msgspec.structs import replace

from rum.app.brief.query import Asked, flat
from rum.app.caller import Caller
from rum.app.journal.journals import Journals
from rum.app.layers import rules
from rum.app.notes.notes import day, match_notes
from rum.app.project import Project
from rum.inject import brief
from rum.inject.budget import WARNING, Piece
from rum.inject.notes import HEADING, background, cut, under_title
from rum.model.errors import RumError
from rum.model.notes import Broken, MatchedNote, MatchQuestion
from rum.text.patterns import Text
from rum.text.shorten import one_line
from rum.text.terms import content_words, terms

FACTS = 1000
"""So many of the facts that were changed last are looked at."""
EACH = 10
"""So many rules, and so many facts, are offered to the budget."""
SHORTER = (200, 80)
"""Characters of a note where there is no room for all that is shown of it."""
NAME = 200
_JOINTS = re.compile(r"[\W_]+")
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)
_LEAST_LINES = 3
_FAILED = "journal_failures"
_ALIKE = 100
"""Characters by which a failure is known again."""


def notes(caller: Caller, asked: Asked) -> tuple[list[Piece], list[Broken]]:
    """The notes that match, as many as the agent's settings allow, and the files that are broken."""
    if not (asked.about or asked.files):
        return [], []
    question = MatchQuestion(
        task=asked.about or " ".join(asked.files),
        plan=" ".join((asked.plan, *asked.files)),
        agent=asked.agent,
    )
    found = match_notes(caller, question, asked.now)
    return [_note(one) for one in found.notes], list(found.broken or ())


def _note(note: MatchedNote) -> Piece:
    flat = replace(
        note,
        title=one_line(note.title, NAME),
        discovered_by=one_line(note.discovered_by, NAME),
        content=under_title(note.title, note.content),
    )
    blocks = [_block(flat), *(_block(_shorter(flat, most)) for most in SHORTER)]
    return brief.note(note.id, note.score, blocks, note.discovered_at or 0)


def _shorter(note: MatchedNote, most: int) -> MatchedNote:
    return replace(note, content=cut(note.content, most), otherwise=(note.otherwise or [])[:1])


def _block(note: MatchedNote) -> str:
    """A note as prompts have it."""
    return background([note], day).removeprefix(HEADING)


def matching_rules(project: Project, asked: Asked) -> Iterator[Piece]:
    """The rules whose condition speaks of the task, the plan or the files; of those that say the same one."""
    found: dict[str, Piece] = {}
    for rule, matched in rules.match_rules(project, asked.text):
        points, said = brief.RULE[matched.kind], flat(rule.action)
        if said not in found or points > found[said].points:
            found[said] = brief.rule(rule.id, points, rule.condition, rule.action, rule.created_at)
    yield from sorted(found.values(), key=lambda piece: -piece.points)[:EACH]


def matching_facts(project: Project, asked: Asked) -> Iterator[Piece]:
    """The facts whose key the task speaks of, and those about a file at hand."""
    if not (asked.about or asked.files):
        return
    names = [posixpath.basename(path.rstrip("/")) or path for path in asked.files]
    found: list[Piece] = []
    for fact in project.store.facts.latest("", FACTS):
        share = _share(asked.text, _JOINTS.sub(" ", fact.key))
        if any(name in fact.key or name in fact.value for name in names):
            share = max(share, 0.5)
        if share >= 0.5:
            found.append(brief.fact(fact.key, round(brief.FACT + brief.FACT_WORDS * share, 2), fact.value))
    yield from sorted(found, key=lambda piece: -piece.points)[:EACH]


def _share(text: Text, key: str) -> float:
    """How many of a key's words a text has, as a share of them; most keys have none of them."""
    return 0.0 if text.terms.isdisjoint(terms(key)) else text.share(content_words(key))


def session(caller: Caller, asked: Asked, failures: Sequence[Piece]) -> tuple[list[Piece], list[Broken]]:
    """What the agent noted down in this session, section by section, and what it wants to do next.

    What is among the `failures` that are told of anyway is not told again. A person is in no session, so they
    have to name one. A journal that cannot be read is told of.
    """
    if caller.owner and not (asked.session or caller.project.settings.session):
        return [], []
    try:
        journal = Journals(caller, counted=False).of(asked.session, asked.agent)
    except RumError:  # no folder for journals here, or nobody in particular is asking
        if asked.session:
            raise
        return [], []
    if not journal.exists:
        return [], []
    try:
        text, situation = journal.text(), journal.situation()
    except RumError as error:
        return [], [Broken(caller.relative(journal.path), error.message)]
    name = f"{journal.session}/{journal.agent}"
    return [*_sections(name, text, failures), *_next_steps(name, situation)], []


def _sections(name: str, text: str, failures: Sequence[Piece]) -> Iterator[Piece]:
    points = {
        "## Key Discoveries": ("journal_discoveries", brief.DISCOVERED),
        "## Recently Failed Approaches (Don't Repeat)": (_FAILED, WARNING + brief.STANDING),
        "## Current Task Context": ("journal_context", brief.STANDING),
    }
    for section in filter(str.strip, _SECTION.split(text)):
        lines = section.strip().split("\n")
        kind, worth = points[lines[0]]
        if kind == _FAILED:
            lines = [line for line in lines if not any(_tells(piece, line) for piece in failures)]
        if len(lines) > 1:
            shorter = (lines, lines[:_LEAST_LINES])
            yield brief.journal(kind, name, worth, ("\n".join(some) for some in shorter))


def _tells(failure: Piece, line: str) -> bool:
    """Whether a failure that is told of is that of a line of the journal: what was tried, and why in vain."""
    what, _, why = (flat(part)[:_ALIKE] for part in line.partition(": "))
    told = flat(failure.forms[0])
    return told.startswith(what if len(what) == _ALIKE else f"{what}:") and why in told


def _next_steps(name: str, situation: dict[str, Any]) -> Iterator[Piece]:
    steps = situation.get("nextSteps")
    for number, step in enumerate(cast("list[object]", steps)[:EACH] if isinstance(steps, list) else []):
        yield brief.next_step(f"{name}#{number}", str(step))
