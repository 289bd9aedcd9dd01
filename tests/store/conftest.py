"""The stores that the contract holds for; a further backend is one more entry of BACKENDS."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rum.store.base import Store
from rum.store.sqlite.store import SqliteStore

Opener = Callable[[], Store]
"""Opens the same project's store once more, as another process would."""


def open_sqlite(folder: Path) -> Store:
    return SqliteStore(str(folder / "project"), patience=5)


BACKENDS: dict[str, Callable[[Path], Store]] = {"sqlite": open_sqlite}


@pytest.fixture(params=BACKENDS)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    with ExitStack() as opened:

        def open_one() -> Store:
            store = BACKENDS[request.param](tmp_path)
            opened.callback(store.close)
            return store

        yield open_one


@pytest.fixture
def store(open_store: Opener) -> Store:
    return open_store()


@pytest.fixture
def other(store: Store, open_store: Opener) -> Store:
    """The same store, opened a second time."""
    return open_store()
