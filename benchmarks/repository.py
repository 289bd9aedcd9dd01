"""A repository with a long history, made up from a seed: the same commits everywhere, every time.

One commit in ten names an earlier one. It fixes that commit or, one time in four, reverts it.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from itertools import islice
from typing import IO

from benchmarks.workload import Memory, memories

BRANCH = "refs/heads/trunk"
BEGAN = 1_500_000_000
SPACING = 1800  # Seconds from one commit to the next
AUTHORS = ("Ada", "Bela", "Chen", "Dora", "Emil", "Fay", "Gus", "Hana", "Ivo", "June", "Kai", "Lena")
FIXES, REVERTS = 10, 40
BACK = 7  # How many commits earlier the fixed or reverted commit is
LINES = 60  # Of every file; a commit changes some of them


def fill(folder: str, count: int) -> None:
    """Create this many commits on a new branch and make it the current one, without a checkout."""
    command = ("git", "-C", folder, "fast-import", "--quiet")
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        files: dict[str, list[str]] = {}
        for memory in islice(memories(), count):
            message = _message(memory, process.stdin, process.stdout)
            process.stdin.writelines(_commit(memory, message, files))
    if process.returncode:
        raise RuntimeError(f"git fast-import ended with {process.returncode}")
    subprocess.run(("git", "-C", folder, "symbolic-ref", "HEAD", BRANCH), check=True)


def _message(memory: Memory, fast_import: IO[bytes], answers: IO[bytes]) -> str:
    """What a careful author writes; ids of earlier commits are git's own."""
    said = f"{memory.summary}\n\n{'. '.join(memory.lessons)}.\n"
    kind = memory.number % REVERTS
    if memory.number < BACK or (kind % FIXES):
        return f"{memory.goal}\n\n{said}"
    fast_import.write(b"get-mark :%d\n" % (memory.number + 1 - BACK))
    fast_import.flush()
    earlier = answers.readline().decode().strip()
    if kind:
        return f"{memory.goal}\n\n{said}\nFixes: {earlier[:12]}\n"
    reason = f"This reverts commit {earlier}.\n\nIt showed {memory.symptom}."
    return f'Revert "the change of {memory.area}"\n\n{reason}\n'


def _commit(memory: Memory, message: str, files: dict[str, list[str]]) -> Iterator[bytes]:
    author = AUTHORS[memory.number * 7 % len(AUTHORS)]
    who = f"{author} <{author.lower()}@example.org> {BEGAN + memory.number * SPACING} +0000"
    yield f"commit {BRANCH}\nmark :{memory.number + 1}\nauthor {who}\ncommitter {who}\n".encode()
    yield _data(message)
    for path in memory.files:
        yield f"M 100644 inline {path}\n".encode()
        yield _data(_changed(files, path, memory))
    yield b"\n"


def _changed(files: dict[str, list[str]], path: str, memory: Memory) -> str:
    """A file after a commit: five lines of it are new."""
    lines = files.setdefault(path, [f"line {at} of {path}" for at in range(LINES)])
    start = memory.number * 13 % (LINES - 5)
    lines[start : start + 5] = [
        f"    {memory.symbol}({memory.noun}, {memory.number}, {at})" for at in range(5)
    ]
    return "\n".join(lines) + "\n"


def _data(text: str) -> bytes:
    content = text.encode()
    return b"data %d\n%s\n" % (len(content), content)
