"""`rum trace`: what led to a memory, or what it led to, as a tree."""

from __future__ import annotations

from typing import Any

import click

from rum.app.rum import Rum
from rum.inject.render import short_id
from rum.model.answers import RetrievedMemory, TraceNode, TraceResult
from rum.surfaces.cli.memories.memory_view import agent_names, as_fields, heading
from rum.surfaces.cli.open_project import open_rum, stored_id
from rum.surfaces.cli.options import Options, command, ids_option
from rum.surfaces.cli.output import print_ids, print_result
from rum.surfaces.cli.question_options import options_of
from rum.surfaces.cli.views import Block, Line, TextPart, Tree


@command("trace")
@click.argument("memory_id", metavar="ID")
@options_of("trace")
@ids_option
@click.pass_obj
def trace(options: Options, memory_id: str, **arguments: Any) -> None:
    """Show the causes or effects of a memory."""
    with open_rum(options) as rum:
        answer = rum.trace(stored_id(rum, memory_id), **arguments)
        if options.ids:
            print_ids([answer.origin.id, *(node.memory.id for node in answer.chain)])
            return
        print_result(options.json, answer, lambda answer: _view(rum, answer))


def _view(rum: Rum, answer: TraceResult) -> list[Block]:
    """The tree; deeper than a summary, each memory in full after it."""
    blocks: list[Block] = [_tree(answer)]
    memories = [answer.origin, *(node.memory for node in answer.chain)]
    if answer.origin.agent_id:
        names = agent_names(rum, memories)
        blocks += [as_fields(memory, names) for memory in memories]
    return blocks


def _tree(answer: TraceResult) -> Tree:
    trees = {answer.origin.id: Tree(_line(answer.origin), [])}
    for node in answer.chain:
        trees[node.memory.id] = Tree(_hanging(node), [])
        trees[node.via or answer.origin.id].branches.append(trees[node.memory.id])
    return trees[answer.origin.id]


def _line(memory: RetrievedMemory) -> Line:
    worked, goal, _ = heading(memory)
    return (worked, goal, TextPart("—"), TextPart(memory.result), TextPart(f"[{short_id(memory.id)}]", "id"))


def _hanging(node: TraceNode) -> Line:
    return (TextPart(node.relationship, "link"), *_line(node.memory))
