"""Notes with tasks worded otherwise, and how often a brief has the note meant for its task.

`PYTHONPATH=tests python -m support.note_tasks known` (or a path) reports the share of tasks that get their
note, and the wrong notes among those given. `tests/data/note_tasks/known.yaml` describes its form.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from rum import Rum
from rum.extract.when_to_use import when_to_use
from support.projects import open_shop

FOLDER = Path(__file__).parents[1] / "data" / "note_tasks"


class Hits(NamedTuple):
    """How many tasks have a note meant for them, how many of them got it, and the wrong notes given."""

    tasks: int
    hits: int
    wrong: tuple[str, ...]

    @property
    def share(self) -> float:
        """The share of the tasks that got their note."""
        return self.hits / self.tasks

    @property
    def wrong_share(self) -> float:
        """The share of wrong notes among those given."""
        return len(self.wrong) / (self.hits + len(self.wrong)) if self.hits or self.wrong else 0.0


def note_tasks(name: str) -> dict[str, Any]:
    """The notes and tasks of a file, by its name or path."""
    path = Path(name) if name.endswith(".yaml") else FOLDER / f"{name}.yaml"
    return YAML(typ="safe").load(path.read_text("utf-8"))


def measured(rum: Rum, data: dict[str, Any]) -> Hits:
    """Store the notes with the patterns that extraction gives them, and ask for a brief for each task."""
    ids: dict[str, str] = {}
    for note in data["notes"]:
        title, content, task = note["title"], note["content"], note["task"]
        patterns = when_to_use(title, content, task) or (f"When the task is about: {title}",)
        added = rum.notes.add(title, content, patterns, discovered_in=f"Task: {task}", importance="high")
        ids[added.id] = title
    for _ in range(len(ids)):  # Each brief embeds only a few new notes
        rum.brief(task="warm up")
    hits, wrong = 0, list[str]()
    for case in data["tasks"]:
        taken = rum.brief(task=case["task"]).taken or []
        titles = [ids[one.id] for one in taken if one.kind == "note"]
        hits += case["note"] in titles
        wrong += [f"{case['task']}: {title}" for title in titles if title != case["note"]]
    return Hits(sum(case["note"] is not None for case in data["tasks"]), hits, tuple(wrong))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder, open_shop(Path(folder)) as shop:
            os.environ["RUM_EMBEDDER"] = "builtin"
            found = measured(shop.open(), note_tasks(name))
        print(f"{name}: {found.hits} of {found.tasks} tasks get their note ({found.share:.0%})")
        print(f"  wrong notes: {len(found.wrong)} ({found.wrong_share:.0%} of those given)")
        for one in found.wrong:
            print(f"    {one}")
