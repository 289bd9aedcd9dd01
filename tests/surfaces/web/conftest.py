"""A project with a few memories, served to a signed-in browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from surfaces.web.running import Web, running


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RUM_EMBEDDER", "none")
    monkeypatch.delenv("RUM_HOME", raising=False)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / ".git").mkdir()
    (tmp_path / "work" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return tmp_path


@pytest.fixture
def web(folder: Path) -> Iterator[Web]:
    with running(folder) as found:
        yield found
