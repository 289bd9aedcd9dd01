"""Other processes for tests: small programs run by a real interpreter, with their own home and project."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from rum import Rum

PATIENCE = 120  # Seconds after which a program counts as hanging
NOBODY = 65534


class Place(NamedTuple):
    """A home for RUM and a directory to work in."""

    home: Path
    work: Path

    def open(self, **options: Any) -> Rum:
        """The memory of the directory, in this process."""
        return Rum.open(self.work, home=self.home, **options)

    def start(self, program: str, *arguments: object, **variables: str) -> subprocess.Popen[str]:
        """Start a program with pipes for stdin and stdout."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("RUM_")}
        folders = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH")]
        modules = os.pathsep.join(folder for folder in folders if folder)
        paths = {
            "RUM_HOME": str(self.home),
            "RUM_IDLE_AFTER": "0",
            "RUM_EMBEDDER": "none",
            "PYTHONPATH": modules,
        }
        return subprocess.Popen(
            [sys.executable, "-c", program, *map(str, arguments)],
            cwd=self.work,
            env=inherited | paths | variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, program: str, *arguments: object, **variables: str) -> list[str]:
        """Run a program and return the lines it printed."""
        return lines_of(self.start(program, *arguments, **variables))

    def project(self) -> Path:
        """The folder of the only project."""
        (folder,) = (self.home / "projects").iterdir()
        return folder


def make_place(folder: Path) -> Place:
    """A home that does not exist yet, and an empty directory."""
    work = folder / "work"
    work.mkdir(parents=True)
    return Place(folder / "home", work)


def end(process: subprocess.Popen[str]) -> None:
    """End a program, also if the test failed."""
    if process.poll() is None:
        process.kill()
    with process:
        pass


def lines_of(process: subprocess.Popen[str], told: str | None = None) -> list[str]:
    """The lines that a program printed; asserts that it succeeded."""
    try:
        printed, complaints = process.communicate(told, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        printed, complaints = process.communicate()
        raise AssertionError(f"still running after {PATIENCE} s\n{printed}\n{complaints}") from None
    assert process.returncode == 0, f"ended with {process.returncode}\n{printed}\n{complaints}"
    return printed.splitlines()


def ask(process: subprocess.Popen[str], line: str = "") -> str:
    """Send one line to a running program and wait for the line it answers."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(line + "\n")
    process.stdin.flush()
    answer = b""
    # Byte by byte: what `readline` reads ahead would be lost to `communicate`.
    while (byte := os.read(process.stdout.fileno(), 1)) not in (b"", b"\n"):
        answer += byte
    return answer.decode()


def become_nobody() -> None:
    """Drop the rights of root, who may read everything; does nothing for other users."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
