"""A store of each backend in turn; `support/backends.py` lists them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from rum.store.base import Store
from support.backends import BACKENDS

Opener = Callable[[], Store]  # Opens the same project's store once more, as another process would


@pytest.fixture(params=BACKENDS)
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opener]:
    if request.param == "postgres" and request.config.getoption("--quick"):
        pytest.skip("starts a server")
    open_backend = BACKENDS[request.param]
    with ExitStack() as opened:

        def open_one() -> Store:
            store = open_backend(tmp_path)
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
