"""The texts with known vectors, and the shipped model, loaded once."""

from __future__ import annotations

import pytest

from rum.embed.choose import DATA
from rum.embed.minilm import Model, open_model
from unit.embed.golden import Golden, read_golden


@pytest.fixture(scope="session")
def golden() -> list[Golden]:
    return read_golden()


@pytest.fixture(scope="session")
def model() -> Model:
    return open_model(DATA)
