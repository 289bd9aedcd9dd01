from __future__ import annotations

from collections.abc import Iterator

import pytest

from model_server import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer().serving() as running:
        yield running
