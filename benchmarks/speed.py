"""Store and recall at growing sizes, in this process and through a server, beside the floor's own."""

from __future__ import annotations

from itertools import islice
from typing import NamedTuple

from benchmarks.server import Server, floor_command, rum_command
from benchmarks.timing import Pair, compare, paired, timed
from benchmarks.workload import KINDS, Memory, Question, memories, paths, questions
from benchmarks.workspace import Workspace

BATCH = 5_000  # Memories filled in at once
TIMES = 2  # How often each question is asked; the better time counts


class Counts(NamedTuple):
    """How often each thing is done at each size."""

    stores: int = 200
    files: int = 200
    texts: int = 120


class Speed(NamedTuple):
    """What was measured at one size; through a server where the name says so."""

    size: int
    store: Pair
    file: Pair
    text: Pair
    kinds: dict[str, Pair]  # Recall by text, by kind of question
    file_served: Pair
    text_served: Pair


def measure(workspace: Workspace, size: int, counts: Counts) -> Speed:
    """Fill up to the size, the last ones by `store`, and measure there."""
    source = memories()
    while (missing := size - counts.stores - len(workspace.stored)) > 0:
        workspace.fill(islice(source, min(BATCH, missing)))
    store = _stores(workspace, list(islice(source, counts.stores)))
    asked = paths(workspace.stored, counts.files), questions(workspace.stored, counts.texts)
    return Speed(size, store, *_in_process(workspace, *asked), *_served(workspace, *asked))


def _stores(workspace: Workspace, fresh: list[Memory]) -> Pair:
    workspace.write_files(fresh)
    ready = [(memory.layers, workspace.floor_row(memory), memory.text) for memory in fresh]
    floor = workspace.open_floor()
    with workspace.open_rum() as rum:
        pair = compare(lambda it: floor.store(it[1], it[2]), lambda it: rum.store(**it[0]), ready)
    floor.close()
    workspace.stored += fresh
    return pair


def _in_process(
    workspace: Workspace, files: list[str], texts: list[Question]
) -> tuple[Pair, Pair, dict[str, Pair]]:
    floor = workspace.open_floor()
    with workspace.open_rum() as rum:
        by_file = compare(floor.by_file, lambda path: rum.recall(file=path), files, TIMES)
        rum.settle()
        by_text = timed(
            lambda asked: floor.by_text(asked.text),
            lambda asked: rum.recall(query=asked.text),
            texts,
            TIMES,
        )
    floor.close()
    asked_for = {
        kind: paired(taken for asked, taken in zip(texts, by_text, strict=True) if asked.kind == kind)
        for kind in KINDS
    }
    return by_file, paired(by_text), asked_for


def _served(workspace: Workspace, files: list[str], texts: list[Question]) -> tuple[Pair, Pair]:
    floor = Server(floor_command(workspace.floor_path), workspace.checkout)
    rum = Server(rum_command(), workspace.checkout)
    for server in (floor, rum):
        server.tools()
    by_file = compare(
        lambda path: floor.call("by_file", {"text": path}),
        lambda path: rum.call("recall", {"file": path}),
        files,
        TIMES,
    )
    by_text = compare(
        lambda asked: floor.call("by_text", {"text": asked.text}),
        lambda asked: rum.call("recall", {"query": asked.text}),
        texts,
        TIMES,
    )
    for server in (floor, rum):
        server.close()
    return by_file, by_text
