"""Semantic questions: the first one after a start, its memory use, and later ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import vectors
from benchmarks.server import Server, nearest_command, rum_command
from benchmarks.timing import Pair, paired, summed_up, timed
from benchmarks.vector_floor import Nearest
from benchmarks.workload import paths, questions, worded_otherwise
from benchmarks.workspace import Workspace

STARTS = 7
QUESTIONS = 60
# How often all questions are asked, one after the other: RUM knows the vectors of the last few by heart.
PASSES = 2
ROOT = str(Path(__file__).resolve().parent.parent)


class First(NamedTuple):
    """One start: milliseconds from launch to the first semantic answer; megabytes before it and after."""

    answered: float
    before: float
    after: float


class SemanticTimes(NamedTuple):
    """What was measured at one size."""

    size: int
    first: Pair
    before: tuple[float, float]
    # Megabytes held before and after the first semantic question, by the floor and by RUM.
    after: tuple[float, float]
    asked: Pair
    served: Pair
    # Questions in words without a strategy, through a server: by words, and by meaning where need be.
    usual: Pair


def measure(workspace: Workspace) -> SemanticTimes:
    """Give a filled workspace its vectors, and ask."""
    asked = worded_otherwise(workspace.stored, QUESTIONS)
    vectors.give(workspace, asked.values())
    texts = list(asked)
    with workspace.by_meaning():
        first = _first(workspace, texts)
        in_process = _in_process(workspace, texts)
        served, usual = _served(workspace, texts)
    return SemanticTimes(len(workspace.stored), *first, in_process, served, usual)


def _semantic(text: str) -> dict[str, Any]:
    return {"query": text, "strategy": "semantic"}


def _first(workspace: Workspace, texts: list[str]) -> tuple[Pair, tuple[float, float], tuple[float, float]]:
    """Both started in turn; the first round only warms the file cache."""
    path = paths(workspace.stored, 1)[0]
    floors: list[First] = []
    rums: list[First] = []
    for text in texts[: STARTS + 1]:
        with _floor(workspace) as (floor, began):
            floors.append(_start(floor, began, ("by_file", {"text": path}), ("by_meaning", {"text": text})))
        with _rum(workspace) as (rum, began):
            rums.append(_start(rum, began, ("recall", {"file": path}), ("recall", _semantic(text))))
    both = (floors, rums)
    return (
        Pair(*(summed_up(start.answered for start in starts[1:]) for starts in both)),
        (max(start.before for start in floors), max(start.before for start in rums)),
        (max(start.after for start in floors), max(start.after for start in rums)),
    )


def _start(
    server: Server, began: float, usual: tuple[str, dict[str, Any]], semantic: tuple[str, dict[str, Any]]
) -> First:
    server.tools()
    server.call(*usual)
    before = server.resident_mb()
    server.call(*semantic)
    answered = 1000 * (time.perf_counter() - began)
    return First(answered, before, server.resident_mb())


@contextmanager
def _floor(workspace: Workspace) -> Iterator[tuple[Server, float]]:
    environment = {**os.environ, "PYTHONPATH": ROOT}
    began = time.perf_counter()
    server = Server(
        nearest_command(workspace.floor_path, workspace.vectors_path), workspace.checkout, environment
    )
    yield server, began
    server.close()


@contextmanager
def _rum(workspace: Workspace) -> Iterator[tuple[Server, float]]:
    began = time.perf_counter()
    server = Server(rum_command(), workspace.checkout)
    yield server, began
    server.close()


def _in_process(workspace: Workspace, texts: list[str]) -> Pair:
    floor = Nearest(workspace.floor_path, workspace.vectors_path)
    with workspace.open_rum() as rum:
        pair = _compared(floor.by_meaning, lambda text: rum.recall(query=text, strategy="semantic"), texts)
    floor.floor.close()
    return pair


def _served(workspace: Workspace, texts: list[str]) -> tuple[Pair, Pair]:
    words = list(dict.fromkeys(one.text for one in questions(workspace.stored, QUESTIONS)))
    with _floor(workspace) as (floor, _), _rum(workspace) as (rum, _):
        floor.tools()
        rum.tools()
        semantic = _compared(
            lambda text: floor.call("by_meaning", {"text": text}),
            lambda text: rum.call("recall", _semantic(text)),
            texts,
        )
        usual = _compared(
            lambda text: floor.call("by_both", {"text": text}),
            lambda text: rum.call("recall", {"query": text}),
            words,
        )
    return semantic, usual


def _compared(floor: Callable[[str], object], rum: Callable[[str], object], texts: list[str]) -> Pair:
    """Both for each text, in several passes, of which the best counts; the first text only warms up."""
    floor(texts[0])
    rum(texts[0])
    passes = [timed(floor, rum, texts[1:], 1) for _ in range(PASSES)]
    return paired(
        (min(one[0] for one in taken), min(one[1] for one in taken)) for taken in zip(*passes, strict=True)
    )
