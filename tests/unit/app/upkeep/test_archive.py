"""Which memories are archived, what is reported, and that nothing else about them changes."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rum import InvalidQuery, NotFound, Rum
from support.builders import make_outcome
from support.projects import Shop, edited, keep

DAY = 86400
LONG = 200 * DAY  # More than the 180 days after which memories are archived


@pytest.fixture
def owner(shop: Shop) -> Rum:
    return shop.open(owner=True)


def aged(shop: Shop, *rums: Rum) -> None:
    """Let a long time pass; what was used so far is written down."""
    for rum in rums:
        rum.settle()
    shop.clock.forward(LONG)


class TestWhichOnes:
    def test_old_ones_that_nobody_used(self, shop: Shop, rum: Rum):
        old = keep(rum, "Old work")
        aged(shop)
        keep(rum, "New work")
        told = rum.archive()
        assert (told.archived, told.kept, told.in_archive) == (1, {"young": 1}, 1)
        assert rum.show(old).intent.goal == "Old work"

    def test_older_than_says_after_how_many_days(self, shop: Shop, rum: Rum):
        keep(rum)
        shop.clock.forward(10 * DAY)
        assert rum.archive(older_than=11).archived == 0
        assert rum.archive(older_than=9.5).archived == 1

    def test_a_change_makes_it_young(self, shop: Shop, rum: Rum):
        one = keep(rum)
        aged(shop)
        rum.update_memory(one, tags=["later"])
        assert rum.archive().kept == {"young": 1}

    def test_what_is_important_stays(self, shop: Shop, rum: Rum):
        for importance in (0.69, 0.7):
            keep(rum, f"Goal {importance}", importance=importance)
        aged(shop)
        told = rum.archive(dry_run=True)
        assert (told.archived, told.kept) == (1, {"important": 1})
        assert rum.archive(dry_run=True, importance=0.9).archived == 2

    def test_what_was_used_often_or_lately_stays(self, shop: Shop, rum: Rum):
        often, seldom, lately, never = (
            keep(rum, f"Goal {name}") for name in ("often", "seldom", "lately", "never")
        )
        for _ in range(3):
            rum.show(often)
        rum.show(seldom)
        aged(shop, rum)
        rum.show(lately)
        told = rum.archive(dry_run=True)
        assert (told.archived, told.kept) == (2, {"used": 2})
        assert rum.archive(dry_run=True, uses=3).archived == 3
        assert rum.archive(dry_run=True, uses=0).kept == {"used": 3}
        assert rum.archive().archived == 2
        aged(shop, rum)
        # By now the last use of `lately` is long ago; `often` was used too often all the same.
        assert rum.archive().archived == 1
        assert rum.archive().kept == {"used": 1}
        assert rum.show(never).intent.goal == "Goal never"

    def test_a_memory_with_an_open_follow_up_is_not_archived(self, shop: Shop, rum: Rum):
        one = keep(rum, "Half of it", outcome=make_outcome(follow_up_needed=["The other half"]))
        aged(shop)
        assert rum.archive().kept == {"follow_ups": 1}
        keep(rum, "The other half", links={"caused_by": one})
        assert rum.archive().kept == {"linked": 1, "young": 1}
        aged(shop)
        assert rum.archive().archived == 2

    def test_superseded_ones_go_first_whatever_else_holds(self, shop: Shop, rum: Rum):
        plain = keep(rum, "Plain")
        old = keep(rum, "Old way", importance=1.0, outcome=make_outcome(follow_up_needed=["More"]))
        for _ in range(9):
            rum.show(old)
        aged(shop, rum)
        keep(rum, "New way", links={"supersedes": old})
        told = rum.archive(dry_run=True)
        assert (told.archived, told.superseded, told.kept) == (2, 1, {"young": 1})
        batches: list[int] = []
        rum.archive(progress=lambda done, _: batches.append(done))
        assert batches == [2]
        assert [rum.show(one).id for one in (plain, old)] == [plain, old]

    def test_the_settings_say_what_nobody_else_does(self, shop: Shop, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setenv("RUM_ARCHIVE_AFTER", "5")
        monkeypatch.setenv("RUM_ARCHIVE_IMPORTANCE", "0.4")
        monkeypatch.setenv("RUM_ARCHIVE_USES", "0")
        rum = shop.open()
        keep(rum, "Ordinary", importance=0.4)
        used = keep(rum, "Used", importance=0.1)
        keep(rum, "Unused", importance=0.1)
        rum.show(used)
        shop.clock.forward(6 * DAY)
        told = rum.archive()
        assert (told.archived, told.kept) == (1, {"important": 1, "used": 1})

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"older_than": 0}, "older_than"),
            ({"older_than": float("nan")}, "older_than"),
            ({"older_than": "9"}, "older_than"),
            ({"older_than": 10**6}, "older_than"),
            ({"importance": 1.1}, "importance"),
            ({"uses": -1}, "uses"),
            ({"uses": True}, "uses"),
        ],
    )
    def test_what_makes_no_sense_changes_nothing(self, shop: Shop, rum: Rum, given: Any, field: str):
        keep(rum)
        aged(shop)
        with pytest.raises(InvalidQuery, match=f"`{field}` is a number from"):
            rum.archive(**given)
        assert rum.archive(dry_run=True).in_archive == 1


class TestWhatIsSaid:
    def test_a_dry_run_changes_nothing(self, shop: Shop, rum: Rum):
        keep(rum)
        aged(shop)
        told = rum.archive(dry_run=True)
        assert (told.archived, told.in_archive, told.dry_run) == (1, 1, True)
        assert told.bytes_before == told.bytes_after
        assert rum.doctor().facts["archived"] == 0

    def test_the_file_gets_smaller_and_it_says_by_how_much(self, shop: Shop, rum: Rum):
        for number in range(150):
            keep(rum, f"Goal {number}", reasoning={"why_chosen": " ".join(f"because{n}" for n in range(300))})
        aged(shop)
        told = rum.archive()
        assert told.archived == 150
        assert 3 * told.bytes_after < told.bytes_before
        assert not told.hint
        assert rum.doctor().problems == []

    def test_the_file_is_not_rewritten_if_writers_would_wait_too_long_and_the_reason_is_given(
        self, shop: Shop, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setenv("RUM_BUSY_TIMEOUT", "0.001")
        rum = shop.open()
        for number in range(100):
            keep(rum, f"Goal {number}", reasoning={"why_chosen": " ".join(f"because{n}" for n in range(300))})
        aged(shop)
        told = rum.archive()
        assert told.archived == 100
        assert "run `rum purge` when nobody else is writing" in str(told.hint)
        assert rum.purge()

    def test_progress_is_reported_per_batch(self, shop: Shop, rum: Rum):
        for number in range(120):
            keep(rum, f"Goal {number}")
        aged(shop)
        told: list[tuple[int, int]] = []
        rum.archive(progress=lambda done, total: told.append((done, total)))
        assert told == [(100, 120), (120, 120)]

    def test_again_there_is_nothing_to_do(self, shop: Shop, rum: Rum):
        keep(rum)
        aged(shop)
        assert [rum.archive().archived for _ in range(2)] == [1, 0]


class TestAnArchivedMemory:
    @pytest.fixture
    def packed(self, shop: Shop, rum: Rum) -> str:
        """The id of an archived memory that led to a live one."""
        one = keep(rum, "Tame the zebra", "It is tame", tags=["zoo"], actions=edited("zoo/zebra.py"))
        rum.update_memory(one, outcome={"learnings": ["Carrots help"]})
        aged(shop)
        assert rum.archive().archived == 1
        return one

    def test_is_found_by_id_text_file_and_tag(self, rum: Rum, packed: str):
        shown = rum.show(packed)
        assert (shown.outcome.learnings, shown.tags) == (("Carrots help",), ("zoo",))
        for question in (
            {"query": "carrots"},
            {"file": "zoo/zebra.py"},
            {"tags": ["zoo"]},
            {"memory_id": packed},
        ):
            assert [memory.id for memory in rum.recall(**question).memories] == [packed]  # type: ignore[arg-type]

    def test_is_listed_linked_and_traced(self, rum: Rum, packed: str):
        after = keep(rum, "Ride the zebra", links={"caused_by": packed})
        assert [node.memory.id for node in rum.trace(after).chain] == [packed]
        assert rum.trace(packed, direction="effects").chain[0].memory.id == after
        assert {memory.id for memory in rum.list().memories} == {packed, after}

    def test_is_named_where_its_like_is_stored_again(self, rum: Rum, packed: str):
        similar = rum.store(
            intent={"goal": "Tame the zebra", "task_type": "other"}, outcome=make_outcome("It is tame")
        ).similar
        assert similar
        assert similar[0].id == packed

    def test_keeps_its_history_and_comes_back_when_it_is_changed(self, rum: Rum, packed: str):
        assert [version.version for version in rum.history(packed)] == [1, 2]
        rum.update_memory(packed, outcome={"summary": "It is very tame"})
        assert rum.doctor().facts["archived"] == 0
        assert rum.show(packed).outcome.learnings == ("Carrots help",)
        assert rum.restore(packed, 1).memory.outcome.learnings == ()

    def test_is_exported_and_imported(self, shop: Shop, rum: Rum, packed: str, tmp_path_factory: Any):
        lines = list(rum.export())
        [memory] = [line["memory"] for line in map(json.loads, lines) if line["kind"] == "memory"]
        assert memory["outcome"]["learnings"] == ["Carrots help"]
        assert rum.import_lines(lines).unchanged == 1
        with Rum.open(tmp_path_factory.mktemp("other"), home=tmp_path_factory.mktemp("home")) as other:
            assert other.import_lines(lines).added == 1
            assert other.show(packed).outcome.learnings == ("Carrots help",)
        assert shop

    def test_is_forgotten_with_a_tombstone(self, rum: Rum, owner: Rum, packed: str):
        lines = list(rum.export())
        assert owner.forget(packed, dry_run=True).removed["versions"] == 1
        assert owner.forget(packed, purge=True).purged
        with pytest.raises(NotFound):
            rum.show(packed)
        assert rum.recall(query="zebra carrots").memories == []
        assert rum.import_lines(lines).forgotten == 1
        assert rum.doctor().problems == []

    def test_is_reindexed(self, rum: Rum, packed: str):
        assert rum.reindex() == 1
        assert rum.doctor().problems == []
        assert [memory.id for memory in rum.recall(query="carrots").memories] == [packed]

    def test_is_copied_by_a_backup(self, rum: Rum, packed: str, tmp_path: Any):
        assert rum.backup(tmp_path / "copy.db") > 0
        assert packed.encode() in (tmp_path / "copy.db").read_bytes()


class TestBringingBack:
    def test_it_is_live_again_and_stays(self, shop: Shop, rum: Rum):
        one, other = keep(rum, "One"), keep(rum, "Other")
        aged(shop)
        rum.archive()
        told = rum.restore_archived([one[-10:], one])
        assert (told.restored, told.live) == ([one], [])
        assert rum.doctor().facts["archived"] == 1
        # It was brought back on purpose, so the next archiving leaves it.
        assert rum.archive().kept == {"used": 1}
        assert rum.restore_archived(one).live == [one]
        assert rum.show(other).intent.goal == "Other"

    def test_with_one_unknown_id_none_comes_back(self, shop: Shop, rum: Rum):
        one = keep(rum)
        aged(shop)
        rum.archive()
        with pytest.raises(NotFound, match="mem_nobody"):
            rum.restore_archived([one, "mem_nobody123"])
        assert rum.doctor().facts["archived"] == 1
