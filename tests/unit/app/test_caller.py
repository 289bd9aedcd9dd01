"""Who may change which memory."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from rum import PermissionDenied, Rum
from support.projects import Shop, keep

Change = Callable[[Rum, str], object]
CHANGES: dict[str, Change] = {
    "update": lambda rum, one: rum.update_memory(one, tags=["changed"]),
    "restore": lambda rum, one: rum.restore(one, 1),
    "forget": lambda rum, one: rum.forget(one),
    "forget, as a try": lambda rum, one: rum.forget(one, dry_run=True),
}


@pytest.fixture(params=CHANGES)
def change(request: pytest.FixtureRequest) -> Change:
    return CHANGES[request.param]


class Family:
    """Two main agents; the first has two subagents, and one of them has a subagent of its own."""

    def __init__(self, shop: Shop) -> None:
        self.ids: dict[str, str] = {}
        self.shop = shop
        for name, parent in (
            ("ann", None),
            ("bob", None),
            ("child", "ann"),
            ("sibling", "ann"),
            ("grandchild", "child"),
        ):
            kind = {"type": "subagent", "parent_id": self.ids[parent]} if parent else {"type": "main"}
            self.ids[name] = shop.open().identity("register", name=name, **kind).agent_id

    def member(self, name: str) -> Rum:
        rum = self.shop.open()
        rum.identity("resume", agent_id=self.ids[name])
        return rum


@pytest.fixture
def family(shop: Shop) -> Family:
    return Family(shop)


@pytest.mark.parametrize(
    ("who", "whose"),
    [
        ("ann", "ann"),
        ("grandchild", "grandchild"),
        ("ann", "child"),
        ("ann", "grandchild"),
        ("child", "grandchild"),
    ],
)
def test_ones_own_memories_and_those_of_descendants_may_be_changed(
    family: Family, change: Change, who: str, whose: str
) -> None:
    kept = keep(family.member(whose))
    assert change(family.member(who), kept)


@pytest.mark.parametrize(
    ("who", "whose"),
    [
        ("ann", "bob"),
        ("child", "ann"),
        ("sibling", "child"),
        ("sibling", "grandchild"),
        ("grandchild", "child"),
        ("bob", "grandchild"),
    ],
)
def test_others_are_refused_with_advice(family: Family, change: Change, who: str, whose: str) -> None:
    author = family.member(whose)
    kept = keep(author)
    with pytest.raises(PermissionDenied, match="supersedes") as caught:
        change(family.member(who), kept)
    assert caught.value.details == {"memory_id": kept, "agent_id": family.ids[whose]}
    assert author.show(kept).version == 1


def test_everybody_may_read(family: Family) -> None:
    kept = keep(family.member("ann"))
    for name in ("bob", "child", "grandchild"):
        reader = family.member(name)
        assert reader.show(kept).id == kept
        assert reader.recall(query="login").memories[0].id == kept
        assert len(reader.history(kept)) == 1


def test_the_owner_may_change_everything(family: Family, change: Change) -> None:
    for name in ("ann", "grandchild"):
        assert change(family.shop.open(owner=True), keep(family.member(name), name))


def test_a_main_agent_may_change_what_was_imported_and_a_subagent_may_not(
    family: Family, change: Change
) -> None:
    kept = keep(family.member("bob"))
    reader = family.shop.open(home=family.shop.home.parent / "there")
    reader.import_lines(family.shop.open().export())
    main = reader.identity("register", name="main").agent_id
    reader.identity("register", type="subagent", parent_id=main)
    with pytest.raises(PermissionDenied):
        change(reader, kept)
    reader.identity("resume", agent_id=main)
    assert change(reader, kept)


def test_nobody_may_change_anything(shop: Shop, change: Change) -> None:
    kept = keep(shop.open(client="editor"))
    with pytest.raises(PermissionDenied):
        change(shop.open(client="other"), kept)


def test_a_new_process_of_the_same_client_goes_on_as_the_same_agent(shop: Shop, change: Change) -> None:
    kept = keep(shop.open(client="editor"))
    assert change(shop.open(client="editor"), kept)


def test_under_a_name_of_its_own_an_agent_is_not_the_clients_last_one(shop: Shop, change: Change) -> None:
    kept = keep(shop.open(client="editor"))
    with pytest.raises(PermissionDenied):
        change(shop.open(client="editor", agent="somebody-else"), kept)
