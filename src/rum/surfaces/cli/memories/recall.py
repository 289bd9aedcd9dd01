"""`rum recall`: find memories."""

from __future__ import annotations

from typing import Any

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import short_id
from rum.model.answers import KnowledgeView, RecallResult
from rum.recall.fitted import MIN_CONFIDENCE
from rum.surfaces.cli.memories.memory_view import as_fields, as_table, makers
from rum.surfaces.cli.open_project import meant, opened
from rum.surfaces.cli.options import Asked, command, ids_option, those_given
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Block, Line, Said, View, Word

_SURE = f"Minimum confidence (default {MIN_CONFIDENCE}; 0 returns the best matches)."


@command("recall")
@click.argument("query", nargs=-1, metavar="[WORDS]...")
@options_of("recall", leave_out=("query",), min_confidence={"help": _SURE})
@ids_option
@click.pass_obj
def recall(asked: Asked, query: tuple[str, ...], **given: Any) -> None:
    """Find memories by file, words, tag, time and more.

    WORDS are the query. Files, words and the intent rank the results; all other options filter them.
    """
    question = those_given(given)
    if query:
        question["query"] = " ".join(query)
    with opened(asked) as rum:
        if "memory_id" in question:
            question["memory_id"] = meant(rum, question["memory_id"])
        answer = rum.recall(**question)
        if asked.ids:
            say_ids(memory.id for memory in answer.memories)
            return
        say(asked.json, answer, lambda answer: recalled(rum, answer))
        if not asked.json:
            by_words = "query" in question or "intent" in question
            _remark(answer, question.get("limit", rum.settings.recall_limit), by_words=by_words)


def _remark(answer: RecallResult, limit: int, *, by_words: bool) -> None:
    """What a person should know beside the memories: what to try, or how to get more."""
    given, total = len(answer.memories), answer.total_matches
    if answer.hint:
        note(answer.hint)
    elif answer.left_out:
        left, cut = answer.left_out.memories, answer.left_out.shortened
        note(f"To fit --max-tokens, {left} omitted and {cut} shortened.")
    elif given == limit < total and by_words:
        surest = "The best" if given == 1 else f"The {given} best"
        note(f"{surest} of {total}; raise --limit for more.")
    elif given == limit < total:
        note(f"{given} of {total}; raise --limit for more.")
    elif given < total:
        note(f"{given} of {total} reach the minimum confidence; lower --min-confidence for more.")


def recalled(rum: Rum, answer: RecallResult) -> View:
    """What was found."""
    known: list[Block] = [Said(_known(one)) for one in answer.knowledge or ()]
    if not answer.memories:
        return known
    short = all(memory.agent_id is memory.links is memory.why is UNSET for memory in answer.memories)
    if short:
        return [as_table(answer.memories), *known]
    names = makers(rum, answer.memories)
    return [*(as_fields(memory, names) for memory in answer.memories), *known]


def _known(one: KnowledgeView) -> Line:
    stale = (Word("stale", "bad"),) if one.stale else ()
    return (Word(f"{one.kind}:", "strong"), Word(one.text), Word(f"[{short_id(one.id)}]", "id"), *stale)
