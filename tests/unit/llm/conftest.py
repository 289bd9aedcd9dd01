from __future__ import annotations

from collections.abc import Iterator

import pytest

from support.language_models import ModelServer


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer().serving() as running:
        yield running
