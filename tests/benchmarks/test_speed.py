"""The parts of the speed benchmark: a generated history, vectors, floors and budgets."""

from __future__ import annotations

import subprocess
from itertools import islice
from pathlib import Path

import pytest
from benchmarks.briefing import Briefed
from benchmarks.busy_server import BusyServer
from benchmarks.importing import Imported, Run
from benchmarks.semantic import SemanticTimes
from benchmarks.server_start import ServerStart
from benchmarks.timing import Pair, Times
from benchmarks.vector_floor import Nearest
from benchmarks.workload import memories
from benchmarks.workspace import Workspace
from benchmarks.writers import Writers

from benchmarks import archiving, briefing, importing, report, repository, vectors


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    for name in ("RUM_HOME", "RUM_IDLE_AFTER", "RUM_EMBEDDER"):
        monkeypatch.setenv(name, "")  # so that whatever the workspace sets is undone
    return Workspace(str(tmp_path / "workspace")).enter()


def git(folder: str, *arguments: str) -> str:
    return subprocess.run(
        ("git", "-C", folder, *arguments), check=True, capture_output=True, text=True
    ).stdout


def test_a_generated_history_is_the_same_every_time(workspace: Workspace, tmp_path: Path):
    other = Workspace(str(tmp_path / "other"))
    for one in (workspace, other):
        repository.fill(one.checkout, 45)
    assert git(workspace.checkout, "rev-parse", "HEAD") == git(other.checkout, "rev-parse", "HEAD")
    assert git(workspace.checkout, "rev-list", "--count", "HEAD").strip() == "45"


def test_a_generated_history_is_imported_completely_and_only_once(
    workspace: Workspace,
):
    imported = importing.measure(workspace, 85)
    assert imported.complete
    assert imported.first.said["failures"] == 2
    assert imported.first.said["links"] == 8
    assert workspace.open_floor().by_text("Revert")


def test_rum_and_the_floor_find_the_right_memory_among_random_vectors(workspace: Workspace):
    workspace.fill(islice(memories(), 60))
    vectors.give(workspace, [7, 40])
    question = workspace.stored[40].goal
    floor = Nearest(workspace.floor_path, workspace.vectors_path)
    assert floor.by_meaning(question)[0][1] == question
    with workspace.by_meaning(), workspace.open_rum() as rum:
        answer = rum.recall(query=question, strategy="semantic")
    assert answer.query_strategy_used == "semantic"
    assert answer.memories[0].intent.goal == question


def test_a_workspace_searches_by_words_alone_unless_by_meaning_is_set(workspace: Workspace):
    with workspace.open_rum() as rum:
        assert rum.settings.embedder == "none"
    with workspace.by_meaning(), workspace.open_rum() as rum:
        assert rum.settings.embedder == "builtin"


@pytest.mark.parametrize(
    ("size", "taken", "met"),
    [
        (10_000, 20.0, True),
        (10_000, 20.1, False),
        (100_000, 39.0, True),
        (100_000, 41.0, False),
        (1_000_000, 41.0, None),
    ],
)
def test_the_budget_of_a_later_semantic_answer_depends_on_the_size_of_the_store(
    size: int, taken: float, met: bool | None
):
    rows = {row.what: row for row in lines(size, taken)}
    assert rows[f"later semantic recall, {size:,} memories"].met is met


def test_memory_use_has_a_budget_only_before_the_first_semantic_query():
    rows = {row.what: row for row in lines(10_000, 1.0)}
    assert rows["RSS before the first semantic answer, 10,000 memories"].met is False
    assert rows["RSS after the first semantic answer, 10,000 memories"].met is None


def test_briefs_stay_within_the_limit_and_are_repeatable(workspace: Workspace):
    workspace.fill(islice(memories(), 300))
    briefed = briefing.measure(workspace, asked=4)
    assert briefed.holds
    assert briefed.most_tokens > 300
    assert (briefed.size, briefed.asked) == (300, 4)


def test_archiving_makes_a_store_smaller_and_everything_is_still_found(workspace: Workspace):
    workspace.fill(islice(memories(), 400))
    vectors.give(workspace, [3, 390])
    measured = archiving.measure(workspace, sample=12, asked=4)
    assert (measured.size, measured.archived) == (400, 360)
    assert measured.bytes[1] < measured.bytes[0]
    assert measured.found.before == measured.found.after == (12, 12, 12)
    assert "360 of 400 memories archived" in archiving.table(measured)


@pytest.mark.parametrize(("tokens", "same", "met"), [(600, 40, True), (601, 40, False), (600, 39, False)])
def test_a_brief_that_is_too_long_or_differs_the_second_time_fails(tokens: int, same: int, met: bool):
    pair = Pair(Times(1, 1, 1), Times(1, 1, 1))
    rows = {row.what: row for row in lines(10_000, 1.0, briefed=Briefed(10_000, pair, tokens, same, 40))}
    assert rows["tokens of the brief; identical when repeated"].met is met


@pytest.mark.parametrize(("added", "met"), [(0, True), (1, False)])
def test_an_import_that_adds_something_the_second_time_fails(added: int, met: bool):
    rows = {row.what: row for row in lines(10_000, 1.0, added=added)}
    assert rows["`rum import git`, repeated"].met is met


@pytest.mark.parametrize(("taken", "resident", "met"), [(1.3, 120.0, True), (1.4, 121.0, False)])
def test_a_server_that_is_slow_after_stores_or_large_after_a_session_fails(
    taken: float, resident: float, met: bool
):
    rows = lines(10_000, taken, resident=resident)
    found = [
        row.met for row in rows if "vectors pending" in row.what or row.what.startswith("RSS after 1,000")
    ]
    assert found == [met, met]


def lines(
    size: int, taken: float, added: int = 0, briefed: Briefed | None = None, resident: float = 100
) -> list[report.Line]:
    """The rows of a run in which every answer took `taken` milliseconds."""
    pair = Pair(Times(1, 1, 1), Times(taken, taken, taken))
    said = {"added": 9, "unchanged": 0, "updated": 0}
    again = {"added": added, "unchanged": 9, "updated": 0}
    imported = Imported(9, 1.0, 900, 1800, Run(2.0, 40.0, said), Run(0.1, 30.0, again), pair)
    cold = ServerStart(pair, pair, (10, 20), {"all": 1, "core": 1})
    meaning = SemanticTimes(size, pair, (30, 46), (90, 400), pair, pair, pair)
    busy = BusyServer(pair, resident)
    return list(report.lines(cold, [], None, [meaning], imported, Writers(1, 1, 1, []), busy, briefed))
