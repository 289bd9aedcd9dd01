"""The same calls for asyncio, and what Python programs expect of `Rum`."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

import rum as package
from rum import AsyncRum, InvalidQuery, RecallResult, Rum, StorageError
from support.builders import make_draft


def opened(folder: Path) -> Rum:
    return Rum.open(folder, home=folder / "home", owner=True)


def test_calls_can_be_awaited_and_run_in_one_thread(tmp_path: Path) -> None:
    async def work() -> None:
        async with AsyncRum.open(tmp_path, home=tmp_path / "home", owner=True) as rum:
            await asyncio.gather(
                *(rum.store(**make_draft(f"Feed the zebra {number}")) for number in range(5))
            )
            answer = await rum.recall("feed the zebra", limit=9)
            assert isinstance(answer, RecallResult)
            assert len(answer.memories) == 5
            threads = {await rum.use(lambda _: threading.current_thread().name) for _ in range(3)}
            assert len(threads) == 1
            assert threads != {threading.current_thread().name}
            with pytest.raises(InvalidQuery):
                await rum.recall()

    asyncio.run(work())
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("rum")]


def test_an_attribute_that_cannot_be_awaited_says_what_to_do(tmp_path: Path) -> None:
    async def work() -> None:
        async with await AsyncRum.open(tmp_path, home=tmp_path / "home", owner=True) as rum:
            with pytest.raises(AttributeError, match=r"await rum\.use\(lambda rum: rum\.facts\)"):
                _ = rum.facts
            assert await rum.use(lambda rum: rum.pending) == 0

    asyncio.run(work())


def test_a_closed_async_memory_says_so(tmp_path: Path) -> None:
    async def work() -> None:
        rum = await AsyncRum.open(tmp_path, home=tmp_path / "home", owner=True)
        await rum.close()
        await rum.close()
        with pytest.raises(StorageError, match="closed"):
            await rum.recall("zebra")
        with pytest.raises(AttributeError, match=r"no method 'nosuch'\.$"):
            _ = rum.nosuch

    asyncio.run(work())


def test_a_query_is_the_first_argument_and_others_are_its_wordings(tmp_path: Path) -> None:
    with opened(tmp_path) as rum:
        rum.store(**make_draft("Feed the zebra"))
        assert rum.recall("zebra").memories == rum.recall(query="zebra").memories
        assert rum.recall("unicorn", "zebra").memories
        with pytest.raises(InvalidQuery, match="once"):
            rum.recall("zebra", query="zebra")


def test_times_may_be_ages_and_dates(tmp_path: Path) -> None:
    with opened(tmp_path) as rum:
        rum.store(**make_draft("Feed the zebra"))
        assert rum.recall("zebra", since="7d").memories
        assert not rum.recall(before="2020-01-31").memories
        assert rum.list(since="1h").total == 1
        with pytest.raises(InvalidQuery, match="'soon' is not a time"):
            rum.recall("zebra", since="soon")


def test_a_closed_memory_says_so(tmp_path: Path) -> None:
    rum = opened(tmp_path)
    rum.store(**make_draft("Feed the zebra"))
    rum.close()
    rum.close()
    with pytest.raises(StorageError, match=r"closed.*Rum\.open"):
        rum.recall("zebra")


def test_every_public_name_can_be_imported() -> None:
    for name in package.__all__:
        assert getattr(package, name) is not None
