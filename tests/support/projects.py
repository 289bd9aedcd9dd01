"""A project folder with its own home, in which several agents can open the memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rum import Rum
from support.builders import HandClock, make_draft


class Shop:
    """A project; everything opened in it is closed at the end."""

    def __init__(self, base: Path, opened: ExitStack) -> None:
        self.folder = base / "shop"
        self.home = base / "rum"
        self.folder.mkdir()
        self.clock = HandClock()
        self._opened = opened

    def open(self, **how: Any) -> Rum:
        """Open the memory like another process."""
        given: dict[str, Any] = {"home": self.home, "clock": self.clock, **how}
        return self._opened.enter_context(Rum.open(given.pop("path", self.folder), **given))


@contextmanager
def open_shop(base: Path) -> Iterator[Shop]:
    """A project in an empty folder, without the settings of this machine and without an embedder."""
    kept = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("RUM_")}
    os.environ["RUM_EMBEDDER"] = "none"
    try:
        with ExitStack() as opened:
            yield Shop(base, opened)
    finally:
        del os.environ["RUM_EMBEDDER"]
        os.environ.update(kept)


def keep(rum: Rum, goal: str = "Fix the login", summary: str = "It works", **more: Any) -> str:
    """Store a memory with this goal and any other fields; return its id."""
    return rum.store(**make_draft(goal, summary, **more)).memory_id


def edited(*paths: str) -> list[dict[str, Any]]:
    """Actions that edit these files."""
    return [{"type": "file_edit", "file_path": path} for path in paths]
