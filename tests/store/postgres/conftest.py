"""A PostgreSQL store of a project of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rum.store.postgres.store import PostgresStore
from support import postgres


@pytest.fixture
def dsn(request: pytest.FixtureRequest) -> str:
    if request.config.getoption("--quick"):
        pytest.skip("starts a server")
    return postgres.dsn()


@pytest.fixture
def store(dsn: str, tmp_path: Path) -> Iterator[PostgresStore]:
    store = PostgresStore(dsn, f"project of {tmp_path}", patience=5)
    yield store
    store.close()
