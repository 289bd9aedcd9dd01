"""What notes, rules, facts and the journal of the current session add to a brief."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from msgspec.structs import replace

from rum.app.brief.query import BriefQuery, normalise
from rum.app.caller import Caller
from rum.app.journal.journals import Journals
from rum.app.layers import rules
from rum.app.notes.notes import day, match_notes
from rum.app.project import Project
from rum.inject import brief
from rum.inject.budget import WARNING, Piece
from rum.inject.notes import HEADING, background, cut, under_title
from rum.model.errors import RumError
from rum.model.notes import Broken, MatchedNote, MatchRequest
from rum.text.patterns import Text
from rum.text.shorten import one_line
from rum.text.terms import content_words, terms

MAX_FACTS_SEARCHED = 1000  # The number of facts, last changed first, that are searched
MAX_PIECES = 10  # Rules, and facts, among which the budget chooses
SHORTER_LENGTHS = (200, 80)  # Characters of a note if the whole note does not fit
MAX_NAME_LENGTH = 200
_JOINTS = re.compile(r"[\W_]+")
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)
_MIN_LINES = 3
_FAILURES_KIND = "journal_failures"
_COMPARED_LENGTH = 100  # Characters by which two failures are compared


def notes(caller: Caller, query: BriefQuery) -> tuple[list[Piece], list[Broken]]:
    """The notes that match, as many as the agent's settings allow, and the files that are broken."""
    if not (query.about or query.files):
        return [], []
    question = MatchRequest(
        task=query.about or " ".join(query.files),
        plan=" ".join((query.plan, *query.files)),
        agent=query.agent,
    )
    found = match_notes(caller, question, query.now)
    return [_note(one) for one in found.notes], list(found.broken or ())


def _note(note: MatchedNote) -> Piece:
    short = replace(
        note,
        title=one_line(note.title, MAX_NAME_LENGTH),
        discovered_by=one_line(note.discovered_by, MAX_NAME_LENGTH),
        content=under_title(note.title, note.content),
    )
    blocks = [_block(short), *(_block(_shorter(short, length)) for length in SHORTER_LENGTHS)]
    return brief.note(note.id, note.score, blocks, note.discovered_at or 0)


def _shorter(note: MatchedNote, max_length: int) -> MatchedNote:
    return replace(note, content=cut(note.content, max_length), otherwise=(note.otherwise or [])[:1])


def _block(note: MatchedNote) -> str:
    """A note as it appears in prompts."""
    return background([note], day).removeprefix(HEADING)


def matching_rules(project: Project, query: BriefQuery) -> Iterator[Piece]:
    """The rules whose condition matches the task, the plan or the files; one per action."""
    found: dict[str, Piece] = {}
    for rule, matched in rules.match_rules(project, query.text):
        points, key = brief.RULE[matched.kind], normalise(rule.action)
        if key not in found or points > found[key].points:
            found[key] = brief.rule(rule.id, points, rule.condition, rule.action, rule.created_at)
    yield from sorted(found.values(), key=lambda piece: -piece.points)[:MAX_PIECES]


def matching_facts(project: Project, query: BriefQuery) -> Iterator[Piece]:
    """The facts whose key matches the task, and those about a file at hand."""
    if not (query.about or query.files):
        return
    names = [posixpath.basename(path.rstrip("/")) or path for path in query.files]
    found: list[Piece] = []
    for fact in project.store.facts.latest(MAX_FACTS_SEARCHED)[0]:
        share = _word_share(query.text, _JOINTS.sub(" ", fact.key))
        if any(name in fact.key or name in fact.value for name in names):
            share = max(share, 0.5)
        if share >= 0.5:
            found.append(brief.fact(fact.key, round(brief.FACT + brief.FACT_WORDS * share, 2), fact.value))
    yield from sorted(found, key=lambda piece: -piece.points)[:MAX_PIECES]


def _word_share(text: Text, key: str) -> float:
    """The share of a key's words that a text has; the quick check first, as most keys share none."""
    return 0.0 if text.terms.isdisjoint(terms(key)) else text.share(content_words(key))


def session(caller: Caller, query: BriefQuery, failures: Sequence[Piece]) -> tuple[list[Piece], list[Broken]]:
    """The sections of the agent's journal of this session, and its next steps.

    Failures that are among `failures` are left out. A person has no session and has to name one. A
    journal that cannot be read is returned as broken.
    """
    if caller.owner and not (query.session or caller.project.settings.session):
        return [], []
    try:
        journal = Journals(caller, rate_limited=False).of(query.session, query.agent)
    except RumError:  # No folder for journals here, or the agent is unknown
        if query.session:
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
        "## Recently Failed Approaches (Don't Repeat)": (_FAILURES_KIND, WARNING + brief.STANDING),
        "## Current Task Context": ("journal_context", brief.STANDING),
    }
    for section in filter(str.strip, _SECTION.split(text)):
        lines = section.strip().split("\n")
        kind, score = points[lines[0]]
        if kind == _FAILURES_KIND:
            lines = [line for line in lines if not any(_is_same_failure(piece, line) for piece in failures)]
        if len(lines) > 1:
            versions = (lines, lines[:_MIN_LINES])
            yield brief.journal(kind, name, score, ("\n".join(version) for version in versions))


def _is_same_failure(failure: Piece, line: str) -> bool:
    """Whether a line of the journal is about a failure: the same attempt, for the same reason."""
    what, _, why = (normalise(part)[:_COMPARED_LENGTH] for part in line.partition(": "))
    text = normalise(failure.forms[0])
    return text.startswith(what if len(what) == _COMPARED_LENGTH else f"{what}:") and why in text


def _next_steps(name: str, situation: dict[str, Any]) -> Iterator[Piece]:
    steps = situation.get("nextSteps")
    for number, step in enumerate(
        cast("list[object]", steps)[:MAX_PIECES] if isinstance(steps, list) else []
    ):
        yield brief.next_step(f"{name}#{number}", str(step))
