"""`rum recall`: find memories."""

from __future__ import annotations

from typing import Any

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import short_id
from rum.model.answers import KnowledgeView, RecallResult
from rum.model.memory_layers import TaskType
from rum.model.questions import MAX_LIMIT, Depth, Strategy
from rum.recall.fitted import MIN_CONFIDENCE
from rum.surfaces.cli.choices import OneOf
from rum.surfaces.cli.memories.memory_view import as_fields, as_table, makers
from rum.surfaces.cli.open_project import meant, opened
from rum.surfaces.cli.options import Asked, command, ids_option, those_given
from rum.surfaces.cli.output import note, say, say_ids
from rum.surfaces.cli.times import When
from rum.surfaces.cli.views import Block, Line, Said, View, Word


@command("recall")
@click.argument("query", nargs=-1, metavar="[WORDS]...")
@click.option("--memory-id", metavar="ID", help="One memory, by its id or a tail of it.")
@click.option("--file", multiple=True, metavar="PATH", help="A file, folder or glob it touched (repeat).")
@click.option("--intent", metavar="TEXT", help="What you are about to do.")
@click.option("--type", "task_type", type=OneOf(TaskType), help="Only this kind of work.")
@click.option("--agent-id", metavar="AGENT", help="Only what this agent remembers (name or id).")
@click.option("--session-id", metavar="ID", help="Only from this session.")
@click.option("--success-only", is_flag=True, help="Only what worked.")
@click.option("--failures-only", is_flag=True, help="Only what failed.")
@click.option("--since", type=When(), help="Not older: Unix seconds, ISO date, or 7d, 12h, 2w.")
@click.option("--before", type=When(), help="Older than that.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only with this tag (repeat: all of them).")
@click.option("--depth", type=OneOf(Depth), help="How much of each memory.")
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), metavar="N", help="How many.")
@click.option("--strategy", type=OneOf(Strategy), help="Which levels of the search may run.")
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    metavar="SHARE",
    help=f"How sure; by itself {MIN_CONFIDENCE}, 0: the best there is.",
)
@click.option(
    "--max-tokens", type=click.IntRange(min=1), metavar="N", help="The answer fits in this many tokens."
)
@click.option("--links", "include_links", is_flag=True, help="With the links of each memory.")
@click.option("--superseded", "include_superseded", is_flag=True, help="Replaced memories too.")
@click.option("--explain", is_flag=True, help="Why each was given.")
@ids_option
@click.pass_obj
def recall(asked: Asked, query: tuple[str, ...], **given: Any) -> None:
    """Find memories by file, words, tag, time and more.

    WORDS are what to look for. Files, words and the intent weigh; everything else excludes.
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
        note(f"To fit --max-tokens, {left} left out, {cut} cut short.")
    elif given == limit < total and by_words:
        surest = "The surest" if given == 1 else f"The {given} surest"
        note(f"{surest} of {total}; a higher --limit may give more.")
    elif given == limit < total:
        note(f"{given} of {total}; --limit gives more.")
    elif given < total:
        note(f"{given} of {total} are sure enough; a lower --min-confidence gives more.")


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
