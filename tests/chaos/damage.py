"""Damage files of a project at random: the diagnosis names the right file, and all else can still be read."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

from chaos.figures import Figures
from rum import Rum
from rum.app.access import AccessTokens

MEMORIES = 60
PATIENCE = 60  # Seconds for one command
# Databases that doctor may name as damaged, and the words it uses.
_DATABASES = ("rum.db", "activity.db")
_BLAME = (
    "damaged",
    "cannot be",
    "could not",
    "not a database",
    "malformed",
    "empty",
    "missing",
    "shrunk",
    "unreadable",
)


def damage_files(folder: Path, rng: random.Random, rounds: int, figures: Figures) -> None:
    """Damage one file of a fresh copy each round, then use it as people do."""
    # Always at the same path, by which the project is known.
    place, pristine = folder / "place", folder / "pristine"
    goals = _make_project(place)
    place.rename(pristine)
    while figures.tried["damaged files"] < rounds:
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(pristine, place)
        files = sorted(path for path in place.rglob("*") if path.is_file() and path.name not in ("lock",))
        target = rng.choice([path for path in files for _ in range(6 if path.name in _DATABASES else 1)])
        how = rng.choice(_WAYS)
        try:
            how(target, rng)
        except (OSError, ValueError):
            continue  # this file cannot be damaged so: it is empty, or has no page
        _Use(place, target, f"{how.__name__.strip('_')} {target.relative_to(place)}", goals, figures).run()
        figures.count("damaged files")


def _make_project(place: Path) -> list[str]:
    """A project with memories, anchors, facts, notes, a journal, events, a token and a shared folder."""
    work = place / "work"
    work.mkdir(parents=True)
    goals = [f"Goal number{number} of the parser" for number in range(MEMORIES)]
    with Rum.open(work, home=place / "home", owner=True) as rum:
        for goal in goals:
            edit = {"type": "file_edit", "file_path": f"src/{len(goal)}.py"}
            intent = {"goal": goal, "task_type": "bug_fix"}
            rum.store(intent=intent, outcome={"success": True, "summary": "done " * 40}, actions=[edit])
        for number in range(10):
            rum.facts.set(f"key{number}", "value")
        rum.call(
            "note", {"action": "add", "title": "A note", "content": "Its text.", "when_to_use": ["parser"]}
        )
        entry = {"type": "code_pattern", "content": "Seen.", "importance": "low"}
        rum.call(
            "journal", {"action": "add", "kind": "discovery", "session": "s", "agent": "a", "entry": entry}
        )
        rum.recall(query="parser")
        rum.layers.append("episodic", {"content": "an event"})
        (work / "a.py").write_text("def f():\n    return 1\n")
        edit = {"type": "file_edit", "file_path": "a.py"}
        intent = {"goal": "Goal of code", "task_type": "bug_fix"}
        rum.store(intent=intent, outcome={"success": True, "summary": "returned 1"}, actions=[edit])
        (work / "a.py").write_text("def f():\n    return 2\n")
        rum.verify()
        (place / "shared").mkdir()
        rum.sync(str(place / "shared"))
        AccessTokens(rum.settings.home).create("ann", "reader", rum.project.id)
    return goals


class _Use:
    """The commands people run on a damaged project, and what must hold for them."""

    def __init__(self, place: Path, target: Path, what: str, goals: list[str], figures: Figures) -> None:
        self.place, self.target, self.what, self.goals, self.figures = place, target, what, goals, figures

    def run(self) -> None:
        """Doctor first, then reading, then writing, and whether what was written is there."""
        self._check_diagnosis()
        listed = self._command("list", "--limit", "100", "--json")
        exported = self._command("export")
        found = sum(goal in exported.stdout for goal in self.goals)
        if self.target.name.startswith("rum.db"):
            if found < len(self.goals) and not (exported.stderr.strip() or exported.returncode):
                self._fault("silent loss", f"{found} of {len(self.goals)} exported without a word")
        elif found < len(self.goals):
            self._fault("blocked", f"{found} of {len(self.goals)} exported; {exported.stderr[:500]}")
        elif listed.returncode:
            self._fault("blocked", f"list: {listed.stderr[:500]}")
        self._command("brief", "--task", "fix the parser")
        self._command("recall", "parser")
        self._command("verify")
        self._command("tokens", "list")
        self._command("sync", "--with", str(self.place / "shared"))
        written = ("--goal", "Written after the damage", "--type", "other", "--summary", "x", "--success")
        stored = self._command("store", *written, "--json")
        if stored.returncode == 0:
            memory_id = json.loads(stored.stdout)["memory_id"]
            shown = self._command("show", memory_id)
            if "rum.db" in shown.stderr and "damaged" in shown.stderr:  # in another table
                self._command("doctor", "--mend")
                shown = self._command("show", memory_id)
            if "Written after" not in shown.stdout:
                self._fault("lost write", "a memory stored after the damage is not found")
        elif not self.target.name.startswith(("rum.db", "projects.json", "project.json")):
            self._fault("blocked", f"store: {stored.stderr[:500]}")

    def _check_diagnosis(self) -> None:
        done = self._command("doctor", "--json")
        said = done.stdout + done.stderr
        for name in _DATABASES:
            blamed = any(
                name in part and any(word in part for word in _BLAME)
                for part in _statements(done.stdout, done.stderr)
            )
            if blamed and not self.target.name.startswith(name):
                self._fault("wrong diagnosis", f"{name} is blamed: {said[:1500]}")

    def _command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        variables = {"RUM_HOME": str(self.place / "home"), "RUM_EMBEDDER": "none"}
        try:
            done = subprocess.run(
                [sys.executable, "-m", "rum", *arguments],
                cwd=self.place / "work",
                env=os.environ | variables,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self._fault("hang", f"rum {' '.join(arguments)} took more than {PATIENCE} s")
            return subprocess.CompletedProcess(arguments, 1, "", "")
        if "Traceback" in done.stderr or done.returncode < 0:
            self._fault("crash", f"rum {' '.join(arguments)}: {done.returncode} {done.stderr[-1500:]}")
        return done

    def _fault(self, kind: str, description: str) -> None:
        self.figures.fault(kind, f"{self.what}: {description}")


def _statements(stdout: str, stderr: str) -> list[str]:
    """The problems that doctor lists, or the error it ends with."""
    try:
        problems = json.loads(stdout)["problems"]
    except (ValueError, KeyError, TypeError):
        return [stdout + stderr]
    return [problem["what"] for problem in problems]


def _overwrite(path: Path, rng: random.Random) -> None:
    size = path.stat().st_size
    with path.open("r+b") as file:
        for _ in range(rng.choice((1, 1, 3, 10))):
            file.seek(rng.randrange(size))
            file.write(rng.randbytes(rng.choice((1, 16, 200, 4096))))
        file.truncate(size)


def _zero_page(path: Path, rng: random.Random) -> None:
    pages = path.stat().st_size // 4096
    with path.open("r+b") as file:
        file.seek(rng.randrange(pages) * 4096)
        file.write(bytes(4096))


def _truncate(path: Path, rng: random.Random) -> None:
    os.truncate(path, rng.randrange(path.stat().st_size))


def _empty(path: Path, _rng: random.Random) -> None:
    os.truncate(path, 0)


def _delete(path: Path, _rng: random.Random) -> None:
    path.unlink()


def _append(path: Path, rng: random.Random) -> None:
    with path.open("ab") as file:
        file.write(rng.randbytes(rng.choice((1, 100, 5000))))


def _make_folder(path: Path, _rng: random.Random) -> None:
    path.unlink()
    path.mkdir()


def _garbage(path: Path, rng: random.Random) -> None:
    path.write_bytes(rng.randbytes(rng.randrange(1, 20_000)))


_WAYS = (_overwrite, _overwrite, _zero_page, _truncate, _empty, _delete, _append, _make_folder, _garbage)
