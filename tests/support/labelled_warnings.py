"""Labelled cases for warnings, checked in a real store; as a program it prints precision and recall."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ruamel.yaml import YAML

from rum.inject.offers import warning
from rum.inject.offers.context import OfferContext
from rum.model.memory import Edge, LinkType
from rum.store.base import Store
from rum.store.sqlite.store import SqliteStore
from support.builders import NOON, add_memory

if TYPE_CHECKING:
    from rum.capture.events.event import Event

FOLDER = Path(__file__).parents[1] / "data" / "labelled_warnings"
FILES = ("known", "held_out")
SESSION = "the session that acts"
_TOOLS = {"edit": "edit", "write": "create", "read": "read"}


class Figures(NamedTuple):
    """The number of right warnings, and the names of the wrongly judged cases."""

    right: int
    needless: list[str]
    missed: list[str]

    @property
    def precision(self) -> float:
        """The share of right ones among the warnings."""
        return self.right / max(1, self.right + len(self.needless))

    @property
    def recall(self) -> float:
        """The share of expected warnings that were given."""
        return self.right / max(1, self.right + len(self.missed))


def cases(name: str) -> list[dict[str, Any]]:
    """The cases of one file."""
    return YAML(typ="safe").load((FOLDER / f"{name}.yaml").read_text("utf-8"))


def measured(names: list[dict[str, Any]], folder: Path) -> Figures:
    """The figures for some cases, each in its own project."""
    right, needless, missed = 0, list[str](), list[str]()
    for number, case in enumerate(names):
        warned = is_warned(case, folder / str(number))
        right += warned and case["warn"]
        needless += [case["name"]] if warned and not case["warn"] else []
        missed += [case["name"]] if case["warn"] and not warned else []
    return Figures(right, needless, missed)


def is_warned(case: dict[str, Any], folder: Path) -> bool:
    """Whether a case gets a warning."""
    here, other = folder / "here", folder / "other"
    for place in (here, other):
        SqliteStore(str(place)).close()
    store = SqliteStore(str(other if case.get("elsewhere") else here))
    try:
        _remember(store, case)
    finally:
        store.close()
    return bool(
        warning.offers(OfferContext(_event(case["now"], folder / "root"), str(here), str(folder / "root")))
    )


def _remember(store: Store, case: dict[str, Any]) -> None:
    whose = SESSION if case.get("same_session") else "an earlier one"
    success = case.get("ended") != "failed"
    for number, steps in enumerate((case["past"], case.get("then"))):
        if steps:
            at = NOON + number * 86_400
            actions = [_action(step, at + place) for place, step in enumerate(steps)]
            outcome = {
                "success": success,
                "summary": "done",
                "failure_reason": None if success else "it failed",
            }
            add_memory(
                store, f"mem_{number}", actions=actions, outcome=outcome, session_id=whose, created_at=at
            )
    if case.get("superseded"):
        add_memory(store, "mem_newer")
        store.links.add(Edge("mem_newer", "mem_0", LinkType.SUPERSEDES), NOON)


def _action(step: dict[str, Any], at: int) -> dict[str, Any]:
    result = {"success": "error" not in step, "error": step.get("error")}
    details = {"command": step.get("run"), "file_path": step.get("edit"), "diff_summary": step.get("diff")}
    return {
        "type": "command_run" if "run" in step else "file_edit",
        "timestamp": at,
        "details": details,
        "result": None if step.get("unknown") else result,
    }


def _event(now: dict[str, Any], root: Path) -> Event:
    event: Event = {
        "id": "test:now",
        "client": "claude-code",
        "session": SESSION,
        "kind": "before",
        "at": NOON + 10 * 86_400,
        "cwd": str(root),
    }
    if "run" in now:
        event["tool"], event["command"] = "run", now["run"]
        return event
    (tool,) = now.keys() & _TOOLS.keys()
    path = now[tool].format(root=root)
    changed = {name: now[name] for name in ("added", "removed") if name in now}
    event["tool"] = tool  # pyright: ignore[reportGeneralTypeIssues]
    event["files"] = [{"path": path, "operation": _TOOLS[tool], **changed}]  # pyright: ignore[reportAssignmentType, reportGeneralTypeIssues]
    return event


def main() -> None:
    """Print the figures; with `--all`, also the wrong cases that are not held out."""
    for name in FILES:
        with tempfile.TemporaryDirectory() as folder:
            found = cases(name)
            figures = measured(found, Path(folder))
        print(f"{name}: {len(found)} cases, precision {figures.precision:.2f}, recall {figures.recall:.2f}")
        if "--all" in sys.argv and name == "known":
            print("\n".join([f"  needless: {one}" for one in figures.needless]))
            print("\n".join([f"  missed: {one}" for one in figures.missed]))


if __name__ == "__main__":
    main()
