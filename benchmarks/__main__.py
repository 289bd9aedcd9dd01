"""`python -m benchmarks`: measure RUM against its budgets and print one table."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile

from benchmarks import (
    archiving,
    briefing,
    busy_server,
    docs_page,
    growth,
    hooks,
    importing,
    report,
    semantic,
    server_start,
    speed,
    writers,
)
from benchmarks.workspace import Workspace

WRITERS, EACH = 4, 100


def main() -> None:
    """Measure, print, and write the page where one is asked for."""
    options = _options()
    _clean_environment()
    if options.hooks:
        print(
            docs_page.table(list(report.hook_lines(_hooks(options.sizes, options.rounds)))),
            docs_page.machine(),
            sep="\n\n",
        )
        return
    counts = speed.Counts()
    with tempfile.TemporaryDirectory(prefix="rum-bench-") as folder:
        _report_progress("starting servers")
        started = server_start.measure(Workspace(os.path.join(folder, "cold")).enter(), options.rounds)
        _report_progress("questions right after many stores")
        busy = busy_server.measure(Workspace(os.path.join(folder, "busy")).enter())
        _report_progress("many writers")
        written = writers.measure(Workspace(os.path.join(folder, "writers")).enter(), WRITERS, EACH)
        _report_progress(f"import of {options.commits:,} commits")
        imported = importing.measure(Workspace(os.path.join(folder, "import")).enter(), options.commits)
        workspaces = {size: Workspace(os.path.join(folder, str(size))) for size in options.sizes}
        speeds: list[speed.Speed] = []
        for size, workspace in workspaces.items():
            _report_progress(f"store and recall among {size:,} memories")
            speeds.append(speed.measure(workspace.enter(), size, counts))
        _report_progress("growth")
        grown = growth.measure(list(workspaces.values()), counts)
        semantic_times: list[semantic.SemanticTimes] = []
        for size, workspace in workspaces.items():
            _report_progress(f"semantic questions among {size:,} memories")
            semantic_times.append(semantic.measure(workspace.enter()))
        hooked = _hook_costs(folder, workspaces, options.rounds)
        size = min(workspaces, key=lambda size: abs(size - briefing.SIZE))
        _report_progress(f"briefs among {size:,} memories and {briefing.NOTES} notes")
        briefed = briefing.measure(workspaces[size].enter())
        _report_progress(f"archive of {max(workspaces):,} memories")
        archived = archiving.table(archiving.measure(workspaces[max(workspaces)].enter()))
    rows = list(
        report.lines(started, speeds, grown, semantic_times, imported, written, busy, briefed, hooked)
    )
    print(docs_page.table(rows), docs_page.kinds_table(speeds), archived, docs_page.machine(), sep="\n\n")
    if options.write:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(docs_page.page(rows, speeds, archived))


def _hooks(sizes: list[int], rounds: int) -> list[hooks.Cost]:
    """What hooks cost at some sizes, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="rum-bench-") as folder:
        workspaces = {size: Workspace(os.path.join(folder, str(size))) for size in sizes}
        for size, workspace in workspaces.items():
            _report_progress(f"making {size:,} memories")
            workspace.enter()
            hooks.fill(workspace, size)
        return _hook_costs(folder, workspaces, rounds)


def _hook_costs(folder: str, workspaces: dict[int, Workspace], rounds: int) -> list[hooks.Cost]:
    """What hooks cost in a young store and in those that are there."""
    young = Workspace(os.path.join(folder, "young")).enter()
    hooks.fill(young, hooks.SMALL)
    found: list[hooks.Cost] = []
    for workspace in (young, *workspaces.values()):
        _report_progress(f"hooks among {len(workspace.stored):,} memories")
        found += hooks.measure(workspace.enter(), rounds)
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", type=_sizes, default=[1_000, 10_000, 100_000], metavar="1000,10000")
    parser.add_argument("--rounds", type=int, default=20, help="starts of each server")
    parser.add_argument("--commits", type=int, default=5_000, help="in the history that is imported")
    parser.add_argument("--hooks", action="store_true", help="measure only what hooks cost")
    parser.add_argument("--write", metavar="FILE", help="write the page there: docs/reference/benchmarks.md")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return sorted(int(part) for part in text.split(","))


def _clean_environment() -> None:
    """Nobody's own settings, and compiled modules are kept, as they are wherever RUM is installed."""
    for name in [name for name in os.environ if name.startswith("RUM_")]:
        del os.environ[name]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def _report_progress(what: str) -> None:
    print(f"{what} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
