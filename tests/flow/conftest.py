"""Fixtures: projects, and a language model server that one uses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.language_models import ModelServer
from support.machines import Machine, make_machine
from support.processes import Place, make_place
from support.projects import Shop, open_shop


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with open_shop(tmp_path) as opened:
        yield opened


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return make_machine(tmp_path, monkeypatch)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    """An empty project, asked by words alone."""
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    return make_place(tmp_path)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch, shop: Shop) -> Iterator[ModelServer]:
    """A server configured as the language model; the test sets its answers."""
    with ModelServer().serving() as running:
        for name, value in running.settings("ollama").items():
            monkeypatch.setenv(name, value)
        yield running
