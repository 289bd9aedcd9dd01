"""The brief: everything that is known and matters to a task, in one block that fits into a prompt."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import cast

from msgspec import UNSET, UnsetType
from msgspec.structs import replace

from rum.app.brief.query import BriefQuery, distinctive_words, make_query, normalise
from rum.app.brief.work import work
from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.freshness.texts import fact_text, rule_text, texts_freshness
from rum.app.journal.journals import Journals
from rum.app.layers import rules
from rum.app.notes.notes import day, match_notes
from rum.app.offers import record_brief
from rum.app.project import Project
from rum.inject import brief as wording
from rum.inject.budget import WARNING, Chosen, Piece, choose
from rum.inject.notes import HEADING, background, cut, under_title
from rum.model.anchors import remark
from rum.model.answers import ledger_id
from rum.model.errors import NO_RESULTS, RumError
from rum.model.layers import ANYWHERE, USER
from rum.model.notes import Broken, MatchedNote, MatchRequest
from rum.model.runs import Brief, BriefRequest, Taken
from rum.text.patterns import SOME_WORDS, best, compiled
from rum.text.shorten import one_line
from rum.text.terms import content_words, terms
from rum.text.tokens import estimate_tokens

MAX_FACTS_SEARCHED = 1000  # The number of facts, last changed first, that are searched
MAX_GUIDANCE, MAX_ELSEWHERE = 5, 3  # Words of users about the task, and others
MIN_SHARED_WORDS = 2  # Words that a task and the words of a user must share
MAX_PIECES = 10  # Rules, facts, and next steps among which the budget chooses
MIN_FACT_SHARE = 0.5  # Of the words of a fact's key that the task must have; a file at hand is worth as much
SHORTER_LENGTHS = (200, 80)  # Characters of a note if the whole note does not fit
MAX_NAME_LENGTH = 200
_JOINTS = re.compile(r"[\W_]+")
_SECTION = re.compile(r"^(?=## )", re.MULTILINE)
_MIN_LINES = 3
_FAILURES_KIND = "journal_failures"
# The kind and the points of each section of a journal.
_SECTIONS = {
    "## Key Discoveries": ("journal_discoveries", wording.DISCOVERED),
    "## Recently Failed Approaches (Don't Repeat)": (_FAILURES_KIND, WARNING + wording.STANDING),
    "## Current Task Context": ("journal_context", wording.STANDING),
}
# The kinds of pieces that are recorded as offered.
_OFFERED = ("guidance", "failure", "unfinished", "memory", "rule", "wisdom", "note", "fact", "chapter")
_COMPARED_LENGTH = 100  # Characters by which two failures are compared


def brief(caller: Caller, request: BriefRequest) -> Brief:
    """All that is known and matters, from failures to the journal: one ranking, one budget."""
    query = make_query(caller, request)
    project = caller.project
    notes, broken = _matching_notes(caller, query)
    earlier = list(work(caller, query))
    failures = [piece for piece in earlier if piece.kind in ("failure", "unfinished")]
    journal, unreadable = _session(caller, query, failures)
    has_chapters = project.store.has_chapters()
    chapters = load("app.brief.chapters:chapter_pieces")(project, query) if has_chapters else ()
    pieces = [
        *_labelled(project, _users_words(project, query)),
        *earlier,
        *_labelled(project, _best(_rated(project, _matching_rules(project, query)))),
        *_rated(project, [*chapters, *notes]),
        *_labelled(project, _best(_rated(project, _matching_facts(project, query)))),
        *journal,
    ]
    chosen = choose(pieces, request.tokens, wording.render_brief)
    text = wording.render_brief(chosen)
    offered = [piece for piece, _ in chosen if piece.kind in _OFFERED]
    record_brief(caller, [(piece.kind, piece.id) for piece in offered])
    taken = [
        Taken(piece.kind, piece.id, piece.points, estimate_tokens(piece.forms[form]), form > 0)
        for piece, form in chosen
    ]
    return Brief(
        text=text,
        tokens=estimate_tokens(text),
        left_out=len(pieces) - len(chosen) or UNSET,
        taken=taken if request.explain else UNSET,
        broken=(broken + unreadable) or UNSET,
        warning=_warning(caller, query, {piece.id for piece, _ in chosen}),
        code=UNSET if chosen else NO_RESULTS,
        hint=UNSET if chosen else _why_nothing(pieces, request),
    )


def _warning(caller: Caller, query: BriefQuery, shown: set[str]) -> str | UnsetType:
    files = query.files if not caller.owner else ()
    return load("app.session_offers:file_warning")(caller, files, shown) if files else UNSET


def _why_nothing(pieces: list[Piece], request: BriefRequest) -> str:
    if not pieces and not (request.task or request.plan or request.files):
        return "No open follow-ups. Name a task or a file to get what is known about it."
    if not pieces:
        return "Nothing is known about this yet."
    shortest = (wording.render_brief([Chosen(piece, len(piece.forms) - 1)]) for piece in pieces)
    least = min(map(estimate_tokens, shortest))
    return f"Nothing fits in {request.tokens} tokens; the shortest item needs {least}."


def _rated(project: Project, pieces: Iterable[Piece]) -> list[Piece]:
    """Pieces with more points or fewer by how useful they proved to be."""
    named = [(ledger_id(piece.kind, piece.id), piece) for piece in pieces]
    useful = project.store.activity.usefulness({name for name, _ in named}) if named else {}
    return [
        piece._replace(points=round(piece.points + wording.USEFULNESS * useful.get(name, 0.0), 2))
        for name, piece in named
    ]


def _labelled(project: Project, pieces: Iterable[Piece]) -> list[Piece]:
    """Rules and facts, with a remark on those whose code is not what it was."""
    pieces = list(pieces)
    facts = project.store.facts.get([piece.id for piece in pieces if piece.kind == "fact"])
    rules = project.store.rules.get([piece.id for piece in pieces if piece.kind != "fact"])
    fresh = texts_freshness(project, [*map(fact_text, facts), *map(rule_text, rules)])
    labelled: list[Piece] = []
    for piece in pieces:
        found = fresh.get(ledger_id("fact" if piece.kind == "fact" else "rule", piece.id))
        if found and (said := remark(found.state)):
            # What a user said stays what they want.
            less = 0.0 if piece.kind == "guidance" else wording.OUTDATED
            forms = tuple(f"{form} ({said})" for form in piece.forms)
            piece = piece._replace(forms=forms, points=round(piece.points - less, 2))
        labelled.append(piece)
    return labelled


def _best(pieces: Iterable[Piece]) -> list[Piece]:
    return sorted(pieces, key=lambda piece: -piece.points)[:MAX_PIECES]


def _matching_notes(caller: Caller, query: BriefQuery) -> tuple[list[Piece], list[Broken]]:
    """The notes that match, as many as the agent's settings allow, and the files that are broken."""
    if not (query.about or query.files):
        return [], []
    request = MatchRequest(
        task=query.about or " ".join(query.files),
        plan=" ".join((query.plan, *query.files)),
        agent=query.agent,
    )
    found = match_notes(caller, request, query.now, by_meaning=bool(query.about))
    return [_note(one) for one in found.notes], list(found.broken or ())


def _note(note: MatchedNote) -> Piece:
    whole = replace(
        note,
        title=one_line(note.title, MAX_NAME_LENGTH),
        discovered_by=one_line(note.discovered_by, MAX_NAME_LENGTH),
        content=under_title(note.title, note.content),
    )
    versions = [
        whole,
        *(
            replace(
                whole, content=cut(whole.content, length), contradictions=(whole.contradictions or [])[:1]
            )
            for length in SHORTER_LENGTHS
        ),
    ]
    blocks = [background([version], day).removeprefix(HEADING) for version in versions]
    at = note.discovered_at or 0
    is_older = any((other.discovered_at or 0) > at for other in note.contradictions or ())
    is_outdated = is_older or bool(note.gone) or bool(remark(note.freshness))
    points = note.score - (wording.OUTDATED if is_outdated else 0.0)
    return wording.note(note.id, round(points, 2), blocks, at)


def _matching_rules(project: Project, query: BriefQuery) -> Iterable[Piece]:
    """The rules whose condition matches the task, the plan or the files; one per action."""
    found: dict[str, Piece] = {}
    for rule, matched in rules.match_rules(project, query.text):
        # Of a condition in words, half of them are enough; "changing" alone says nothing.
        words = distinctive_words(rule.condition)
        if rule.source == USER or (matched.kind == SOME_WORDS and words and not query.text.count(words)):
            continue
        points, key = wording.RULE[matched.kind], normalise(rule.action)
        if key not in found or points > found[key].points:
            found[key] = wording.rule(rule.id, points, rule.condition, rule.action, rule.created_at)
    return found.values()


def _users_words(project: Project, query: BriefQuery) -> Iterator[Piece]:
    """What users said that they want: about the task or its files, and the newest of the rest."""
    elsewhere = 0
    about: list[Piece] = []
    for rule in project.store.rules.latest(MAX_FACTS_SEARCHED, USER):
        if best([compiled(rule.condition)], query.text) is None:
            continue
        words = distinctive_words(rule.action)
        shared = query.text.count(words)
        is_about = rule.condition != ANYWHERE or shared >= min(MIN_SHARED_WORDS, len(words))
        share = query.text.share(words)
        if is_about and (query.about or query.files):
            points = wording.GUIDANCE + wording.GUIDANCE_WORDS * share
            at = rule.created_at
            about.append(wording.guidance(rule.id, round(points, 2), rule.action, day(at), at))
        elif elsewhere < MAX_ELSEWHERE:
            elsewhere += 1
            points = wording.GUIDANCE_ELSEWHERE + wording.recency(rule.created_at, query.now)
            yield wording.guidance(rule.id, points, rule.action, day(rule.created_at), rule.created_at)
    yield from sorted(about, key=lambda piece: -piece.points)[:MAX_GUIDANCE]


def _matching_facts(project: Project, query: BriefQuery) -> Iterator[Piece]:
    """The facts whose key matches the task, and those about a file at hand."""
    if not (query.about or query.files):
        return
    names = [posixpath.basename(path.rstrip("/")) or path for path in query.files]
    for fact in project.store.facts.latest(MAX_FACTS_SEARCHED)[0]:
        key, share = _JOINTS.sub(" ", fact.key), 0.0
        if not query.text.terms.isdisjoint(terms(key)):  # The quick check first, as most keys share none
            share = query.text.share(content_words(key))
        if any(name in fact.key or name in fact.value for name in names):
            share = max(share, MIN_FACT_SHARE)
        if share >= MIN_FACT_SHARE:
            yield wording.fact(fact.key, round(wording.FACT + wording.FACT_WORDS * share, 2), fact.value)


def _session(
    caller: Caller, query: BriefQuery, failures: Sequence[Piece]
) -> tuple[list[Piece], list[Broken]]:
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
        text, steps = journal.text(), journal.situation().get("nextSteps")
    except RumError as error:
        return [], [Broken(caller.relative(journal.path), error.message)]
    name = f"{journal.session}/{journal.agent}"
    pieces = list(_sections(name, text, failures))
    if isinstance(steps, list):
        shown = cast("list[object]", steps)[:MAX_PIECES]
        pieces += [wording.next_step(f"{name}#{number}", str(step)) for number, step in enumerate(shown)]
    return pieces, []


def _sections(name: str, text: str, failures: Sequence[Piece]) -> Iterator[Piece]:
    for section in filter(str.strip, _SECTION.split(text)):
        lines = section.strip().split("\n")
        kind, points = _SECTIONS[lines[0]]
        if kind == _FAILURES_KIND:
            lines = [line for line in lines if not any(_is_same_failure(piece, line) for piece in failures)]
        if len(lines) > 1:
            versions = (lines, lines[:_MIN_LINES])
            yield wording.journal(kind, name, points, ("\n".join(version) for version in versions))


def _is_same_failure(failure: Piece, line: str) -> bool:
    """Whether a line of the journal is about a failure: the same attempt, for the same reason."""
    what, _, why = (normalise(part)[:_COMPARED_LENGTH] for part in line.partition(": "))
    text = normalise(failure.forms[0])
    return text.startswith(what if len(what) == _COMPARED_LENGTH else f"{what}:") and why in text
