"""A hook loads only light modules, checked in a real interpreter."""

from __future__ import annotations

import configparser
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("event", ["UserPromptSubmit", "PreToolUse", "PostToolUse", "SessionStart", "Stop"])
def test_a_hook_loads_nothing_heavy(tmp_path: Path, baseline: set[str], event: str):
    sample = next(payload for payload in samples("claude-code") if payload["hook_event_name"] == event)
    program = f"""
import os
from rum.surfaces.hooks.handle import handle_hook
from rum.surfaces.hooks.watchdog import Watchdog
watchdog = Watchdog("claude-code", 1.5)
reading, writing = os.pipe()
os.write(writing, {json.dumps({**sample, "cwd": str(tmp_path)})!r}.encode())
os.close(writing)
watchdog.reader.read(reading)
handle_hook("claude-code", 1.5, watchdog, answer=True)
assert watchdog.recorded
"""
    made = {"RUM_HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path)}
    added = loaded_after(program, made) - baseline
    assert "rum.redact.redactor" in added
    assert added & (SLOW | set(listed("forbidden_modules"))) == set()


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
