"""Fixtures that run the command line in its own project and home: in this process or as a program."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rum import Rum
from rum.surfaces.cli.main import main
from surfaces.cli.running import JSON, Ran, Run


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory `shop`, without any settings of this machine."""
    for name in [name for name in os.environ if name.startswith(("RUM_", "_RUM")) or "COLOR" in name]:
        monkeypatch.delenv(name)
    home, folder = tmp_path / "user", tmp_path / "shop"
    home.mkdir()
    folder.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("RUM_HOME", str(tmp_path / "rum"))
    monkeypatch.chdir(folder)
    return folder


@contextmanager
def streams(stdin: bytes) -> Iterator[tuple[io.BytesIO, io.BytesIO]]:
    """Replace the standard streams with pipes, for a command in this process."""
    out, err = io.BytesIO(), io.BytesIO()
    kept = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(out, encoding="ascii", newline="\n")
    sys.stderr = io.TextIOWrapper(err, encoding="ascii", newline="\n")
    try:
        yield out, err
    finally:
        # Taken off their wrappers, which would close them.
        sys.stdout.detach()
        sys.stderr.detach()
        sys.stdin, sys.stdout, sys.stderr = kept


@pytest.fixture
def run(project: Path) -> Run:
    """Run a command in this process, as in a pipe."""

    def run(*arguments: str, stdin: object = b"") -> Ran:
        data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
        with streams(data) as (out, err):
            code = main(list(arguments))
        return Ran(code, out.getvalue().decode(), err.getvalue().decode())

    return run


@pytest.fixture
def program(project: Path) -> Run:
    """Run `python -m rum` as a program, in a pipe."""

    def program(*arguments: str, stdin: bytes = b"", **environment: str) -> Ran:
        ran = subprocess.run(
            [sys.executable, "-m", "rum", *arguments],
            input=stdin,
            capture_output=True,
            env={**os.environ, **environment},
        )
        return Ran(ran.returncode, ran.stdout.decode(), ran.stderr.decode())

    return program


@pytest.fixture
def rum(project: Path) -> Iterator[Rum]:
    """The same project opened in Python, as the owner."""
    with Rum.open(client="cli", owner=True) as rum:
        yield rum


@pytest.fixture
def stored(rum: Rum) -> str:
    """The id of a stored memory."""
    return rum.store(**JSON).memory_id
