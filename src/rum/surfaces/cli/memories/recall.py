"""`rum recall` and `rum trace`: find memories by a query, or by the links of one."""

from __future__ import annotations

from typing import Any

import click
from msgspec import UNSET

from rum.app.rum import Rum
from rum.inject.render import short_id
from rum.model.answers import KnowledgeView, RecallResult, RetrievedMemory, TraceResult
from rum.recall.fitted import MIN_CONFIDENCE
from rum.surfaces.cli.memories.memory_view import agent_names, as_fields, as_table, heading
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.options import Options, command, given_options, ids_option
from rum.surfaces.cli.output import note, print_result
from rum.surfaces.cli.request_options import options_of
from rum.surfaces.cli.views import Line, TextLine, TextPart, Tree, View

_MIN_CONFIDENCE = f"Minimum confidence (default {MIN_CONFIDENCE}; 0 returns the best matches)."


@command("recall")
@click.argument("query", nargs=-1, metavar="[WORDS]...")
@options_of("recall", leave_out=("query",), min_confidence={"help": _MIN_CONFIDENCE})
@ids_option
@click.pass_obj
def recall(options: Options, query: tuple[str, ...], **fields: Any) -> None:
    """Find memories by file, words, tag, time and more.

    WORDS are the query. Files, words and the intent rank the results; all other options filter them.
    """
    question = given_options(fields)
    if query:
        question["query"] = " ".join(query)
    with open_rum(options) as rum:
        if "memory_id" in question:
            question["memory_id"] = stored_id(rum, question["memory_id"])
        answer = rum.recall(**question)
        ids = (memory.id for memory in answer.memories)
        print_result(options, answer, lambda answer: _recall_view(rum, answer), ids=ids)
        if options.as_text:
            by_words = "query" in question or "intent" in question
            _print_hint(answer, question.get("limit", rum.settings.recall_limit), by_words=by_words)


def _print_hint(answer: RecallResult, limit: int, *, by_words: bool) -> None:
    """Print what to try, or how to get more results."""
    shown, total = len(answer.memories), answer.total_matches
    if answer.hint:
        note(answer.hint)
    elif answer.left_out:
        left, cut = answer.left_out.memories, answer.left_out.shortened
        note(f"To fit --max-tokens, {left} omitted and {cut} shortened.")
    elif shown == limit < total and by_words:
        best = "The best" if shown == 1 else f"The {shown} best"
        note(f"{best} of {total}; raise --limit for more.")
    elif shown == limit < total:
        note(f"{shown} of {total}; raise --limit for more.")
    elif shown < total:
        note(f"{shown} of {total} reach the minimum confidence; lower --min-confidence for more.")


def _recall_view(rum: Rum, answer: RecallResult) -> View:
    knowledge: View = [TextLine(_knowledge_line(one)) for one in answer.knowledge or ()]
    if not answer.memories:
        return knowledge
    short = all(memory.agent_id is memory.links is memory.why is UNSET for memory in answer.memories)
    if short:
        return [as_table(answer.memories), *knowledge]
    names = agent_names(rum, answer.memories)
    return [*(as_fields(memory, names) for memory in answer.memories), *knowledge]


def _knowledge_line(one: KnowledgeView) -> Line:
    stale = (TextPart("stale", "bad"),) if one.stale else ()
    return (
        TextPart(f"{one.kind}:", "strong"),
        TextPart(one.text),
        TextPart(f"[{short_id(one.id)}]", "id"),
        *stale,
    )


@command("trace")
@click.argument("memory_id", metavar="ID")
@options_of("trace")
@ids_option
@click.pass_obj
def trace(options: Options, memory_id: str, **arguments: Any) -> None:
    """Show the causes or effects of a memory."""
    with open_rum(options) as rum:
        answer = rum.trace(stored_id(rum, memory_id), **arguments)
        ids = [answer.origin.id, *(node.memory.id for node in answer.chain)]
        print_result(options, answer, lambda answer: _trace_view(rum, answer), ids=ids)


def _trace_view(rum: Rum, answer: TraceResult) -> View:
    """The tree; if the depth is more than a summary, then each memory in full."""
    blocks: View = [_tree(answer)]
    memories = [answer.origin, *(node.memory for node in answer.chain)]
    if answer.origin.agent_id:
        names = agent_names(rum, memories)
        blocks += [as_fields(memory, names) for memory in memories]
    return blocks


def _tree(answer: TraceResult) -> Tree:
    trees = {answer.origin.id: Tree(_line(answer.origin), [])}
    for node in answer.chain:
        trees[node.memory.id] = Tree((TextPart(node.relationship, "link"), *_line(node.memory)), [])
        trees[node.via or answer.origin.id].branches.append(trees[node.memory.id])
    return trees[answer.origin.id]


def _line(memory: RetrievedMemory) -> Line:
    worked, goal, _ = heading(memory)
    return (
        worked,
        goal,
        TextPart("—"),
        TextPart(memory.full_summary),
        TextPart(f"[{short_id(memory.id)}]", "id"),
    )
