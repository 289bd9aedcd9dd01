"""A hook loads only light modules, checked in a real interpreter."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rum import Rum
from support.hooks import samples

CONTRACTS = Path(__file__).resolve().parents[2] / ".importlinter"
# Beyond what the import contract forbids: parts of the standard library that load slowly. The contract
# cannot name them, because a type-checker's import (`if TYPE_CHECKING:`) counts there.
SLOW = {
    "ctypes",
    "email",
    "importlib.metadata",
    "inspect",
    "pathlib",
    "socket",
    "typing",
    "urllib.request",
    "uuid",
}


def listed(key: str) -> list[str]:
    parser = configparser.ConfigParser()
    parser.read(CONTRACTS, encoding="utf-8")
    return parser["importlinter:contract:light-path"][key].split()


def loaded_after(statement: str, variables: dict[str, str] | None = None) -> set[str]:
    program = f"{statement}\nimport sys\nprint(*sys.modules)"
    environment = {**os.environ, **(variables or {})}
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    return set(ran.stdout.split())


@pytest.fixture(scope="module")
def baseline() -> set[str]:
    """The modules that the interpreter loads at its start."""
    return loaded_after("pass")


@pytest.fixture(scope="module")
def first_loaded() -> dict[str, list[str]]:
    """The modules first loaded by the import of each light module; one interpreter imports them all."""
    program = f"""
import json, sys
from importlib import import_module
found = {{}}
for module in {listed("source_modules")!r}:
    before = set(sys.modules)
    import_module(module)
    assert module in sys.modules
    found[module] = sorted(set(sys.modules) - before)
print(json.dumps(found))
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return json.loads(ran.stdout)


@pytest.mark.parametrize("module", listed("source_modules"))
def test_a_light_module_loads_nothing_heavy(module: str, first_loaded: dict[str, list[str]]):
    assert set(first_loaded[module]) & (SLOW | set(listed("forbidden_modules"))) == set()


def test_importing_rum_loads_nothing_heavy(baseline: set[str]):
    added = loaded_after("import rum") - baseline
    assert "rum" in added
    assert added & (SLOW | set(listed("forbidden_modules"))) == set()


def test_a_heavy_module_is_detected(baseline: set[str]):
    added = loaded_after("import rum.model.memory_layers") - baseline
    assert "msgspec" in added


def loaded_by_hook(folder: Path, payload: dict[str, object]) -> set[str]:
    program = f"""
import os
from rum.surfaces.hooks.handle import handle_hook
from rum.surfaces.hooks.watchdog import Watchdog
watchdog = Watchdog("claude-code", 1.5)
reading, writing = os.pipe()
os.write(writing, {json.dumps({**payload, "cwd": str(folder)})!r}.encode())
os.close(writing)
watchdog.reader.read(reading)
handle_hook("claude-code", 1.5, watchdog, answer=True)
assert watchdog.recorded
print()
"""
    return loaded_after(program, {"RUM_HOME": str(folder / "home"), "TMPDIR": str(folder)})


def sample_of(event: str) -> dict[str, object]:
    return next(payload for payload in samples("claude-code") if payload["hook_event_name"] == event)


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionStart", "Stop"])
def test_a_hook_loads_nothing_heavy(tmp_path: Path, baseline: set[str], event: str):
    added = loaded_by_hook(tmp_path, sample_of(event)) - baseline
    assert "rum.redact.redactor" in added
    assert added & (SLOW | set(listed("forbidden_modules"))) == set()


def test_a_command_that_worked_loads_no_offers(tmp_path: Path):
    done = {"tool_input": {"command": "ls"}, "tool_response": {"stdout": "a", "interrupted": False}}
    called = {**sample_of("PostToolUse"), "tool_name": "Bash", **done}
    loaded_by_hook(tmp_path, called)  # the first hook also looks the project up, which later ones do not
    added = loaded_by_hook(tmp_path, called)
    assert "rum.inject.offers" in added
    assert not {"rum.inject.offers.context", "rum.store.sqlite.readonly", "_sqlite3"} & added


def test_an_offer_loads_no_openssl(tmp_path: Path):
    with Rum.open(str(tmp_path), home=str(tmp_path / "home")) as rum:
        learned = {"success": True, "summary": "Done", "learnings": ["The parser reads twice."]}
        changed = {"type": "file_edit", "details": {"file_path": "a.py"}}
        rum.store(intent={"goal": "Fix it", "task_type": "bug_fix"}, outcome=learned, actions=[changed])
    edit = {"file_path": str(tmp_path / "a.py"), "old_string": "a", "new_string": "b"}
    called = {**sample_of("PreToolUse"), "tool_name": "Edit", "tool_input": edit}
    loaded_by_hook(tmp_path, called)  # as above
    added = loaded_by_hook(tmp_path, {**called, "session_id": "another"})
    assert "rum.inject.offers.text" in added
    assert not {"_hashlib", "hashlib"} & added


def test_store_and_recall_load_no_other_features(tmp_path: Path):
    program = f"""
from rum import Rum
with Rum.open({str(tmp_path)!r}, home={str(tmp_path / "home")!r}) as rum:
    fixed = {{"success": True, "summary": "Done"}}
    rum.store(intent={{"goal": "Fix it", "task_type": "bug_fix"}}, outcome=fixed)
    rum.recall(query="fix")
"""
    loaded = loaded_after(program)
    assert "rum.app.memories.recall" in loaded
    late = (
        "notes",
        "journal",
        "layers",
        "brief",
        "exchange",
        "imports",
        "chapters",
        "runs",
        "capture",
        "upkeep",
    )
    packages = tuple(f"rum.app.{name}" for name in late)
    assert not [name for name in loaded if name.startswith((*packages, "rum.app.memories.knowledge"))]
    rooms = ("rum.llm", "rum.store.files", "ruamel", "rum.consolidate", "rum.model.chapters")
    assert not [name for name in loaded if name.startswith(rooms)]
