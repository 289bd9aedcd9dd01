"""`python -m benchmarks`: measure RUM against its budgets and print one table."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile

from benchmarks import (
    archiving,
    briefing,
    cold,
    growth,
    hooks,
    importing,
    meaning,
    page,
    report,
    speed,
    writers,
)
from benchmarks.scene import Scene

WRITERS, EACH = 4, 100


def main() -> None:
    """Measure, print, and write the page where one is asked for."""
    options = _options()
    _clean_environment()
    if options.hooks:
        print(
            page.table(list(report.hook_lines(_hooks(options.sizes, options.rounds)))),
            page.machine(),
            sep="\n\n",
        )
        return
    counts = speed.Counts()
    with tempfile.TemporaryDirectory(prefix="rum-bench-") as folder:
        _say("starting servers")
        started = cold.measure(Scene(os.path.join(folder, "cold")).enter(), options.rounds)
        _say("many writers")
        written = writers.measure(Scene(os.path.join(folder, "writers")).enter(), WRITERS, EACH)
        _say(f"import of {options.commits:,} commits")
        imported = importing.measure(Scene(os.path.join(folder, "import")).enter(), options.commits)
        scenes = {size: Scene(os.path.join(folder, str(size))) for size in options.sizes}
        speeds: list[speed.Speed] = []
        for size, scene in scenes.items():
            _say(f"store and recall among {size:,} memories")
            speeds.append(speed.measure(scene.enter(), size, counts))
        _say("growth")
        grown = growth.measure(list(scenes.values()), counts)
        meanings: list[meaning.Meaning] = []
        for size, scene in scenes.items():
            _say(f"semantic questions among {size:,} memories")
            meanings.append(meaning.measure(scene.enter()))
        hooked = _hook_costs(folder, scenes, options.rounds)
        size = min(scenes, key=lambda size: abs(size - briefing.SIZE))
        _say(f"briefs among {size:,} memories and {briefing.NOTES} notes")
        briefed = briefing.measure(scenes[size].enter())
        _say(f"archive of {max(scenes):,} memories")
        archived = archiving.table(archiving.measure(scenes[max(scenes)].enter()))
    rows = list(report.lines(started, speeds, grown, meanings, imported, written, briefed, hooked))
    print(page.table(rows), page.kinds_table(speeds), archived, page.machine(), sep="\n\n")
    if options.write:
        with open(options.write, "w", encoding="utf-8") as file:
            file.write(page.page(rows, speeds, archived))


def _hooks(sizes: list[int], rounds: int) -> list[hooks.Cost]:
    """What hooks cost at some sizes, and nothing else."""
    with tempfile.TemporaryDirectory(prefix="rum-bench-") as folder:
        scenes = {size: Scene(os.path.join(folder, str(size))) for size in sizes}
        for size, scene in scenes.items():
            _say(f"making {size:,} memories")
            scene.enter()
            hooks.fill(scene, size)
        return _hook_costs(folder, scenes, rounds)


def _hook_costs(folder: str, scenes: dict[int, Scene], rounds: int) -> list[hooks.Cost]:
    """What hooks cost in a young store and in those that are there."""
    young = Scene(os.path.join(folder, "young")).enter()
    hooks.fill(young, hooks.SMALL)
    found: list[hooks.Cost] = []
    for scene in (young, *scenes.values()):
        _say(f"hooks among {len(scene.stored):,} memories")
        found += hooks.measure(scene.enter(), rounds)
    return found


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--sizes", type=_sizes, default=[1_000, 10_000, 100_000], metavar="1000,10000")
    parser.add_argument("--rounds", type=int, default=20, help="starts of each server")
    parser.add_argument("--commits", type=int, default=5_000, help="in the history that is imported")
    parser.add_argument("--hooks", action="store_true", help="measure only what hooks cost")
    parser.add_argument("--write", metavar="FILE", help="write the page there, as docs/benchmarks.md")
    return parser.parse_args()


def _sizes(text: str) -> list[int]:
    return sorted(int(part) for part in text.split(","))


def _clean_environment() -> None:
    """Nobody's own settings, and compiled modules are kept, as they are wherever RUM is installed."""
    for name in [name for name in os.environ if name.startswith("RUM_")]:
        del os.environ[name]
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def _say(what: str) -> None:
    print(f"{what} ...", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
