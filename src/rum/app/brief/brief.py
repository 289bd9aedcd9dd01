"""The brief: everything that is known and matters to a task, in one block that fits into a prompt."""

from __future__ import annotations

from msgspec import UNSET

from rum.app.brief import knowledge
from rum.app.brief.query import BriefQuery, make_query
from rum.app.brief.work import work
from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.project import Project
from rum.inject.brief import render_brief
from rum.inject.budget import Chosen, Piece, choose
from rum.model.brief import Brief, BriefRequest, Taken
from rum.model.errors import NO_RESULTS
from rum.text.tokens import estimate_tokens


def brief(caller: Caller, question: BriefRequest) -> Brief:
    """All that is known and matters, from failures to the journal: one ranking, one budget."""
    query = make_query(caller, question)
    notes, broken = knowledge.notes(caller, query)
    earlier = list(work(caller, query))
    failures = [piece for piece in earlier if piece.kind == "failure"]
    journal, unreadable = knowledge.session(caller, query, failures)
    pieces = [
        *earlier,
        *knowledge.matching_rules(caller.project, query),
        *_chapter_pieces(caller.project, query),
        *notes,
        *knowledge.matching_facts(caller.project, query),
        *journal,
    ]
    chosen = choose(pieces, question.tokens, render_brief)
    text = render_brief(chosen)
    return Brief(
        text=text,
        tokens=estimate_tokens(text),
        left_out=len(pieces) - len(chosen) or UNSET,
        taken=list(map(_taken, chosen)) if question.explain else UNSET,
        broken=(broken + unreadable) or UNSET,
        code=UNSET if chosen else NO_RESULTS,
        hint=UNSET if chosen else _why_nothing(pieces, question),
    )


def _chapter_pieces(project: Project, query: BriefQuery) -> list[Piece]:
    """Chapters and wisdom, where there are any."""
    if not project.store.has_chapters():
        return []
    return load("app.brief.chapters:chapter_pieces")(project, query)


def _taken(chosen: Chosen) -> Taken:
    piece, form = chosen
    return Taken(piece.kind, piece.id, piece.points, estimate_tokens(piece.forms[form]), form > 0)


def _why_nothing(pieces: list[Piece], question: BriefRequest) -> str:
    if not pieces and not (question.task or question.plan or question.files):
        return "No open follow-ups. Name a task or a file to get what is known about it."
    if not pieces:
        return "Nothing is known about this yet."
    least = min(estimate_tokens(render_brief([Chosen(piece, len(piece.forms) - 1)])) for piece in pieces)
    return f"Nothing fits in {question.tokens} tokens; the shortest item needs {least}."
