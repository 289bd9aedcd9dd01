"""`rum recall`: find memories."""

from __future__ import annotations

from typing import Any

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import short_id
from rum.model.answers import KnowledgeView, RecallResult
from rum.recall.fitted import MIN_CONFIDENCE
from rum.surfaces.cli.memories.memory_view import agent_names, as_fields, as_table
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.options import Options, command, given_options, ids_option
from rum.surfaces.cli.output import note, print_ids, print_result
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Block, Line, TextLine, TextPart, View

_SURE = f"Minimum confidence (default {MIN_CONFIDENCE}; 0 returns the best matches)."


@command("recall")
@click.argument("query", nargs=-1, metavar="[WORDS]...")
@options_of("recall", leave_out=("query",), min_confidence={"help": _SURE})
@ids_option
@click.pass_obj
def recall(options: Options, query: tuple[str, ...], **given: Any) -> None:
    """Find memories by file, words, tag, time and more.

    WORDS are the query. Files, words and the intent rank the results; all other options filter them.
    """
    question = given_options(given)
    if query:
        question["query"] = " ".join(query)
    with open_rum(options) as rum:
        if "memory_id" in question:
            question["memory_id"] = stored_id(rum, question["memory_id"])
        answer = rum.recall(**question)
        if options.ids:
            print_ids(memory.id for memory in answer.memories)
            return
        print_result(options.json, answer, lambda answer: recall_view(rum, answer))
        if not options.json:
            by_words = "query" in question or "intent" in question
            _remark(answer, question.get("limit", rum.settings.recall_limit), by_words=by_words)


def _remark(answer: RecallResult, limit: int, *, by_words: bool) -> None:
    """Print hints: what to try, or how to get more results."""
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


def recall_view(rum: Rum, answer: RecallResult) -> View:
    """The memories and knowledge that were found."""
    known: list[Block] = [TextLine(_known(one)) for one in answer.knowledge or ()]
    if not answer.memories:
        return known
    short = all(memory.agent_id is memory.links is memory.why is UNSET for memory in answer.memories)
    if short:
        return [as_table(answer.memories), *known]
    names = agent_names(rum, answer.memories)
    return [*(as_fields(memory, names) for memory in answer.memories), *known]


def _known(one: KnowledgeView) -> Line:
    stale = (TextPart("stale", "bad"),) if one.stale else ()
    return (
        TextPart(f"{one.kind}:", "strong"),
        TextPart(one.text),
        TextPart(f"[{short_id(one.id)}]", "id"),
        *stale,
    )
