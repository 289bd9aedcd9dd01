"""Groups in a real git history: a feature with its follow-ups and a reverted change, nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rum.consolidate.suggest import Suggestion, suggest
from rum.model.memory import Memory
from support.builders import NOON
from support.projects import Shop, open_shop
from support.repositories import Repository

DAY = 86400
DEEDS = ("Sort", "Describe", "Show", "Count", "Print", "Translate", "Colour")
THINGS = (
    "customers",
    "invoices",
    "the start page",
    "stock",
    "addresses",
    "taxes",
    "months",
    "returns",
    "logos",
)
FEATURE = (
    ("Add gift vouchers", {"shop/vouchers.py": "1\n", "shop/order.py": "a\n"}),
    ("Let vouchers expire", {"shop/vouchers.py": "2\n"}),
    ("Fix vouchers that were redeemed twice", {"shop/vouchers.py": "3\n", "shop/order.py": "b\n"}),
    ("Send vouchers by mail", {"shop/vouchers.py": "4\n", "shop/letter.py": "1\n"}),
)


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with open_shop(tmp_path) as opened:
        yield opened


def make_history(root: Path) -> None:
    """Create 48 commits in one folder, one every other day, with two groups of related ones."""
    repo = Repository(root)
    for number in range(48):
        at = NOON - 100 * DAY + 2 * DAY * number
        goal = f"{DEEDS[number % len(DEEDS)]} {THINGS[number % len(THINGS)]}"
        author = ("Ann", "Bob", "Cid")[number % 3]
        repo.commit(
            goal, {f"shop/{number}.py": f"{number}\n", "shop/all.py": f"{number}\n"}, author=author, at=at
        )
        if 20 <= number < 24:
            subject, files = FEATURE[number - 20]
            repo.commit(subject, files, author="Ann", at=at + 3600)
        if number == 30:
            cookies = repo.commit("Keep baskets in cookies", {"shop/basket.py": "1\n"}, at=at + 3600)
            repo.git("revert", "--no-commit", cookies)
            why = f"This reverts commit {cookies}.\n\nCookies are too small for large baskets."
            repo.commit(f'Revert "Keep baskets in cookies"\n\n{why}', at=at + 7200)
        if number == 33:
            repo.commit("Keep baskets on the server", {"shop/basket.py": "2\n"}, at=at + 3600)


def found_in(shop: Shop) -> tuple[list[Suggestion], dict[str, Memory]]:
    rum = shop.open(owner=True)
    rum.import_git()
    store = rum._caller.project.store
    memories = [memory for batch in store.memories.pages() for memory in batch]
    edges = list(store.links.of())
    return suggest(memories, edges, most=10), {memory.id: memory for memory in memories}


def test_related_commits_are_grouped_and_others_are_not(shop: Shop):
    make_history(shop.folder)
    found, memories = found_in(shop)
    told = [[memories[memory_id].intent.goal for memory_id in one.memory_ids] for one in found]
    assert sorted(told) == [
        [
            "Add gift vouchers",
            "Let vouchers expire",
            "Fix vouchers that were redeemed twice",
            "Send vouchers by mail",
        ],
        [
            "Keep baskets in cookies",
            'Revert "Keep baskets in cookies"',
            "Keep baskets on the server",
        ],
    ]
    assert all("shop/vouchers.py (all)" in one.reason for one in found if len(one.memory_ids) == 4)
