"""A shop whose memory is open, and a bare store, for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from rum import Rum
from rum.recall import limits
from rum.recall.semantic import SemanticSearch
from rum.store.base import Store
from rum.store.sqlite.store import SqliteStore
from support.builders import HandClock
from support.embedders import WordEmbedder
from support.projects import Shop, open_shop
from unit.recall.semantic_search import semantic_search


@pytest.fixture(autouse=True)
def short_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Here a few memories make a session that says who belongs together."""
    monkeypatch.setattr(limits, "SHORTEST", 2)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with open_shop(tmp_path) as opened:
        yield opened


@pytest.fixture
def rum(shop: Shop) -> Rum:
    return shop.open()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "project"


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    with closing(SqliteStore(str(folder), patience=5)) as store:
        yield store


@pytest.fixture
def embedder() -> WordEmbedder:
    return WordEmbedder()


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def semantic(store: Store, embedder: WordEmbedder, clock: HandClock) -> SemanticSearch:
    return semantic_search(store, embedder, clock)
