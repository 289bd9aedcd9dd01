"""One browser and two servers for all tests in a real Chromium: a full project, and an empty one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from support.browser import Tab, launched, served, tab
from support.page_memories import Filled, fill
from support.projects import open_shop

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class Site(NamedTuple):
    """A running page and what its project has."""

    address: str
    filled: Filled


# For one module: until it ends, Playwright's event loop keeps other tests of the process from running theirs.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with launched() as browser:
        yield browser


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A project with 20 memories."""
    base = tmp_path_factory.mktemp("full")
    with open_shop(base) as shop:
        filled = fill(shop, now=time.time())
    with served(shop.folder, shop.home) as address:
        yield Site(address, filled)


@pytest.fixture(scope="module")
def empty_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    base: Path = tmp_path_factory.mktemp("empty")
    (base / "shop").mkdir()
    with served(base / "shop", base / "rum") as address:
        yield address


@pytest.fixture
def opened(browser: Browser, site: Site) -> Iterator[Tab]:
    """A tab of the full project; a complaint of the browser fails the test."""
    with tab(browser, site.address) as found:
        yield found
        assert found.complaints == []
        assert found.foreign == []
