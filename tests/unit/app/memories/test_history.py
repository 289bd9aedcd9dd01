"""Earlier versions of a memory, and how one becomes the newest again."""

from __future__ import annotations

import pytest

from rum import NotFound, Rum
from support.builders import NOON
from support.projects import Shop, edited, keep


def test_every_version_is_kept_with_who_and_when(shop: Shop) -> None:
    ann, owner = shop.open(agent="ann"), shop.open(owner=True)
    kept = keep(ann, tags=["one"])
    for tag, who in (("two", ann), ("three", owner)):
        shop.clock.forward(60)
        who.update_memory(kept, tags=[tag])
    versions = ann.history(kept)
    assert [version.version for version in versions] == [1, 2, 3]
    assert [version.memory["tags"] for version in versions] == [["one"], ["two"], ["three"]]
    assert [version.current for version in versions] == [False, False, True]
    assert [version.changed_at for version in versions] == [NOON, NOON + 60, NOON + 120]
    me = ann.identity("info").agent_id
    assert [version.changed_by for version in versions] == [me, me, "owner"]


def test_an_earlier_version_becomes_the_newest(rum: Rum, shop: Shop) -> None:
    kept = keep(rum, "Fix the login", tags=["one"], actions=edited("a.py"), importance=0.9)
    before = rum.show(kept)
    rum.update_memory(kept, intent={"goal": "Break the gate"}, tags=["two"], actions=None, importance=0.1)
    shop.clock.forward(60)
    restored = rum.restore(kept, 1).memory
    for field in ("intent", "outcome", "tags", "files", "actions", "importance", "commit", "created_at"):
        assert getattr(restored, field) == getattr(before, field)
    assert (restored.version, restored.updated_at) == (3, NOON + 60)
    assert [memory.id for memory in rum.recall(query="login").memories] == [kept]
    assert rum.recall(query="gate").memories == []
    assert len(rum.history(kept)) == 3


@pytest.mark.parametrize("version", [0, 2, 99, -1])
def test_an_unknown_version_is_not_found(rum: Rum, version: int) -> None:
    kept = keep(rum)
    with pytest.raises(NotFound, match="has no version"):
        rum.restore(kept, version)
