"""Chapters from named or tagged memories, with passed or drawn text; repeated calls update them."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rum import InvalidQuery, NotFound, PermissionDenied, Rum
from support.builders import NOON
from support.projects import Shop, keep
from support.stories import BILLING, tell

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "F6g7H8"


def test_the_same_members_again_are_the_same_chapter_in_whatever_order(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    first = rum.chapters.create(memory_ids=ids)
    again = rum.chapters.create(memory_ids=[*reversed(ids), ids[0]])
    assert (first.created, again.created) == (True, False)
    assert first.chapter_id == again.chapter_id
    assert rum.chapters.list().total == 1
    assert rum.chapters.show(first.chapter_id).memory_ids == tuple(reversed(ids))
    other = rum.chapters.create(memory_ids=ids[:2])
    assert other.chapter_id != first.chapter_id


def test_drawn_words_are_the_same_to_the_byte(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    first = msgspec.json.encode(rum.chapters.create(memory_ids=ids))
    rum.chapters.forget(rum.chapters.list().chapters[0].id)
    again = rum.chapters.create(memory_ids=ids)
    known = msgspec.json.decode(first)["chapter_id"]
    told = msgspec.structs.replace(again, chapter_id=known, note=msgspec.UNSET)
    assert msgspec.json.encode(told) == first


def test_members_named_keep_their_order_and_members_found_come_by_time(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    named = rum.chapters.create(memory_ids=[ids[2], ids[0]])
    found = rum.chapters.create(tags=["auth", "jwt"])
    assert rum.chapters.show(named.chapter_id).memory_ids == (ids[2], ids[0])
    assert rum.chapters.show(found.chapter_id).memory_ids == tuple(ids)


def test_a_tail_of_an_id_is_enough_and_an_unknown_one_is_named(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(memory_ids=[one[-10:] for one in ids])
    assert made.memory_count == 3
    assert rum.chapters.show(made.chapter_id[-10:]).id == made.chapter_id
    with pytest.raises(NotFound, match="mem_unknown00"):
        rum.chapters.create(memory_ids=[*ids, "mem_unknown00"])
    with pytest.raises(NotFound, match="chapter_unknown00"):
        rum.chapters.show("chapter_unknown00")
    assert rum.chapters.list().total == 1


def test_superseded_members_are_left_out_when_found_and_kept_when_named(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    newer = keep(rum, "Refresh tokens better", tags=["auth", "jwt"], links={"supersedes": ids[0]})
    found = rum.chapters.create(tags=["auth", "jwt"])
    assert rum.chapters.show(found.chapter_id).memory_ids == (ids[1], ids[2], newer)
    named = rum.chapters.create(memory_ids=ids)
    assert rum.chapters.show(named.chapter_id).stale is msgspec.UNSET
    assert rum.chapters.show(named.chapter_id).memory_ids == tuple(ids)


def test_the_same_tags_again_take_in_what_came_since(shop: Shop, rum: Rum) -> None:
    tell(shop, rum)
    first = rum.chapters.create(tags=["jwt", "auth"])
    new = keep(rum, "Log refreshes", tags=["auth", "jwt"])
    again = rum.chapters.create(tags=["auth", "jwt"])
    assert (again.chapter_id, again.created, again.memory_count) == (first.chapter_id, False, 4)
    assert new in (rum.chapters.show(first.chapter_id).memory_ids or ())


def test_its_tags_are_those_of_its_memories_most_common_first_and_the_passed_ones(
    shop: Shop, rum: Rum
) -> None:
    made = rum.chapters.create(memory_ids=tell(shop, rum), tags=["release-2"])
    assert rum.chapters.show(made.chapter_id).tags == ("release-2", "auth", "jwt", "keys", "queue")
    assert made.origin == "manual"
    assert rum.chapters.list(tags=["release-2", "auth"]).total == 1


def test_a_chapter_made_by_hand_stays_so_when_its_tags_find_the_same_memories(shop: Shop, rum: Rum) -> None:
    ids = [keep(rum, f"Tune lamp {number}", f"Lamp {number} is tuned", tags=["lamps"]) for number in range(3)]
    made = rum.chapters.create(memory_ids=ids, title="Lamps")
    found = rum.chapters.create(tags=["lamps"])
    assert (found.chapter_id, found.created, found.origin) == (made.chapter_id, False, "manual")
    keep(rum, "Tune lamp 3", "Lamp 3 is tuned", tags=["lamps"])
    later = rum.chapters.create(tags=["lamps"])
    assert (later.created, later.origin, later.memory_count) == (True, "auto", 4)
    assert rum.chapters.show(made.chapter_id).memory_ids == tuple(ids)


class TestHandedIn:
    def test_words_are_kept_as_they_are_with_the_memories_that_say_them(self, shop: Shop, rum: Rum) -> None:
        ids = tell(shop, rum)
        made = rum.chapters.create(
            memory_ids=ids,
            title="Token troubles",
            summary="Refreshing is harder than it looks.",
            learnings=["Handle expiry of the\nrefresh token", "The moon is made of cheese"],
        )
        assert (made.words, made.title) == ("given", "Token troubles")
        assert made.summary == "Refreshing is harder than it looks."
        assert made.learnings == ("Handle expiry of the refresh token", "The moon is made of cheese")
        said, unsupported = made.evidence
        assert (set(said.memory_ids), said.supporting) == ({ids[0], ids[1]}, 2)
        assert said.last_confirmed == NOON + 120
        assert (unsupported.memory_ids, unsupported.supporting, unsupported.last_confirmed) == ((), 0, 0)

    def test_passed_text_stays_until_it_is_replaced(self, shop: Shop, rum: Rum) -> None:
        ids = tell(shop, rum)
        rum.chapters.create(memory_ids=ids, title="Mine", learnings=["Handle refresh token expiry"])
        again = rum.chapters.create(memory_ids=ids)
        assert (again.title, again.learnings) == ("Mine", ("Handle refresh token expiry",))
        new = rum.chapters.create(memory_ids=ids, title="Ours", learnings=[])
        assert (new.title, new.learnings, new.evidence) == ("Ours", (), ())

    def test_a_title_alone_leaves_the_rest_to_be_drawn(self, shop: Shop, rum: Rum) -> None:
        ids = tell(shop, rum)
        drawn = rum.chapters.create(memory_ids=ids)
        titled = rum.chapters.create(memory_ids=ids, title="Mine")
        assert (titled.words, titled.summary, titled.learnings) == ("drawn", drawn.summary, drawn.learnings)

    def test_secrets_are_cut_out_of_everything(self, shop: Shop, rum: Rum) -> None:
        made = rum.chapters.create(
            memory_ids=tell(shop, rum),
            title=f"With {SECRET}",
            summary=f"With {SECRET}",
            learnings=[f"Token {SECRET} works"],
            tags=[SECRET],
        )
        assert SECRET not in repr((made, rum.chapters.list()))
        assert SECRET.encode() not in b"".join(rum.export())

    def test_invisible_characters_are_removed_before_redaction(self, shop: Shop, rum: Rum) -> None:
        ids = tell(shop, rum)
        made = rum.chapters.create(
            memory_ids=ids,
            title="Mine\u202e",
            summary=f"Use {SECRET[:9]}\u200e{SECRET[9:]}\x1b[31m",
            learnings=["Handle \u2028 refresh token expiry\x1b[2J"],
        )
        assert (made.title, made.learnings) == ("Mine", ("Handle refresh token expiry",))
        assert made.summary.isascii()
        assert SECRET not in made.summary
        with pytest.raises(InvalidQuery, match="title"):
            rum.chapters.create(memory_ids=ids, title="\u202e")

    def test_a_text_that_grows_where_a_secret_was_is_cut(self, shop: Shop, rum: Rum) -> None:
        claim = f"{'x' * 950} password=hunter2hunter2" + " api_key=0123456789abcdef"
        made = rum.chapters.create(memory_ids=tell(shop, rum), learnings=[claim[:1000]])
        assert "hunter2hunter2" not in made.learnings[0]
        assert len(made.learnings[0]) <= 1000

    @pytest.mark.parametrize(
        ("given", "field"),
        [
            ({"title": ""}, "title"),
            ({"title": "two\nlines"}, "title"),
            ({"title": "x" * 201}, "title"),
            ({"summary": " "}, "summary"),
            ({"summary": "x" * 4001}, "summary"),
            ({"learnings": ["", "x"]}, "learnings"),
            ({"learnings": ["x" * 1001]}, "learnings"),
            ({"learnings": [str(number) for number in range(51)]}, "learnings"),
            ({"learnings": "not a list"}, "learnings"),
            ({"memory_ids": ["mem_a"] * 501}, "memory_ids"),
            ({"tags": [3]}, "tags"),
            ({"min_memories": 0}, "min_memories"),
            ({"titel": "x"}, "titel"),
        ],
    )
    def test_what_is_no_good_is_refused_and_changes_nothing(
        self, shop: Shop, rum: Rum, given: dict[str, object], field: str
    ) -> None:
        ids = tell(shop, rum)
        with pytest.raises(InvalidQuery, match=field):
            rum.call("create_chapter", {"memory_ids": ids, **given})
        assert rum.chapters.list().total == 0

    def test_a_tag_that_no_memory_has_gets_the_nearest_one(self, shop: Shop, rum: Rum) -> None:
        tell(shop, rum)
        with pytest.raises(InvalidQuery, match="Try `auth` instead of the unknown tag `auht`"):
            rum.chapters.create(tags=["auht"])
        with pytest.raises(InvalidQuery, match="Take fewer or other tags"):
            rum.chapters.create(tags=["auth"], min_memories=99)


class TestListing:
    def test_time_is_that_of_the_first_and_the_last_member(self, shop: Shop, rum: Rum) -> None:
        early = rum.chapters.create(memory_ids=tell(shop, rum)).chapter_id
        late = rum.chapters.create(memory_ids=tell(shop, rum, BILLING)).chapter_id

        def found(**asked: object) -> list[str]:
            return [one.id for one in rum.chapters.list(**asked).chapters]  # type: ignore[arg-type]

        assert found() == [late, early]
        assert found(since=NOON + 240) == [late]
        assert found(since=(NOON + 240) * 1000) == [late]
        assert found(before=NOON + 180) == [early]
        assert found(since=NOON + 61, before=NOON + 200) == []
        assert found(limit=1) == [late]
        assert rum.chapters.list(limit=1).total == 2

    def test_named_ones_are_all_given_and_others_ten_at_a_time(self, shop: Shop, rum: Rum) -> None:
        ids = [keep(rum, f"Fix part {number}") for number in range(12)]
        made = [rum.chapters.create(memory_ids=[one]).chapter_id for one in ids]
        assert len(rum.chapters.list().chapters) == 10
        assert len(rum.chapters.list(chapter_ids=made).chapters) == 12
        assert len(rum.chapters.list(chapter_ids=made, limit=3).chapters) == 3

    def test_by_id_they_come_in_that_order_with_their_members(self, shop: Shop, rum: Rum) -> None:
        ids = tell(shop, rum)
        made = [rum.chapters.create(memory_ids=one).chapter_id for one in (ids, ids[:1])]
        listed = rum.chapters.list(chapter_ids=[made[1], made[0], made[1]])
        assert [(one.id, len(one.memory_ids or ())) for one in listed.chapters] == [
            (made[1], 1),
            (made[0], 3),
        ]
        assert rum.chapters.list().chapters[0].memory_ids is msgspec.UNSET
        with pytest.raises(NotFound, match="chapter_unknown00"):
            rum.chapters.list(chapter_ids=["chapter_unknown00"])

    def test_none_is_no_error_and_comes_with_a_hint(self, shop: Shop, rum: Rum) -> None:
        nothing = rum.chapters.list()
        assert (nothing.chapters, nothing.code) == ([], "NO_RESULTS")
        assert "create_chapter" in str(nothing.hint)
        rum.chapters.create(memory_ids=tell(shop, rum))
        assert "None of the 1 chapters" in str(rum.chapters.list(tags=["zebra"]).hint)


class TestPermission:
    def test_only_its_agent_those_above_and_the_owner_may_change_or_forget_it(self, shop: Shop) -> None:
        ann, bob, owner = shop.open(agent="ann"), shop.open(agent="bob"), shop.open(owner=True)
        ids = tell(shop, ann)
        made = ann.chapters.create(memory_ids=ids).chapter_id
        assert bob.chapters.create(memory_ids=ids).chapter_id == made  # it says the same
        with pytest.raises(PermissionDenied, match="belongs to"):
            bob.chapters.create(memory_ids=ids, title="Bob's")
        with pytest.raises(PermissionDenied):
            bob.forget(made)
        assert bob.chapters.show(made).title != "Bob's"
        assert owner.chapters.create(memory_ids=ids, title="The owner's").title == "The owner's"
        assert owner.forget(made).forgotten

    def test_everybody_may_make_one_of_others_memories(self, shop: Shop) -> None:
        ids = tell(shop, shop.open(agent="ann"))
        assert shop.open(agent="bob").chapters.create(memory_ids=ids).created


class TestForgetting:
    def test_it_goes_and_its_memories_stay(self, shop: Shop, rum: Rum) -> None:
        ids = tell(shop, rum)
        made = rum.chapters.create(memory_ids=ids).chapter_id
        assert rum.forget(made, dry_run=True).removed == {"chapters": 1, "members": 3}
        assert rum.forget(made[-10:]).removed == {"chapters": 1, "members": 3}
        assert rum.chapters.list().total == 0
        assert all(rum.show(one) for one in ids)
        assert rum.doctor().problems == []

    def test_found_by_tags_it_does_not_come_back_but_named_it_does(self, shop: Shop, rum: Rum) -> None:
        ids = tell(shop, rum)
        rum.forget(rum.chapters.create(tags=["auth"]).chapter_id)
        with pytest.raises(InvalidQuery, match="forgotten") as caught:
            rum.chapters.create(tags=["auth"])
        assert (caught.value.details["memory_ids"], caught.value.details["count"]) == (ids[:3], len(ids))
        assert all(one in caught.value.message for one in ids[:3])
        made = rum.chapters.create(memory_ids=ids)
        assert made.created
        assert "forgotten" in str(made.note)
        assert rum.chapters.create(tags=["auth"]).chapter_id == made.chapter_id

    def test_tags_create_it_again_on_request(self, shop: Shop, rum: Rum) -> None:
        tell(shop, rum)
        rum.forget(rum.chapters.create(tags=["auth"]).chapter_id)
        made = rum.chapters.create(tags=["auth"], again=True)
        assert (made.created, made.origin) == (True, "auto")
        assert "forgotten" in str(made.note)
        assert rum.chapters.create(tags=["auth"], again=True).note is msgspec.UNSET

    def test_with_other_members_the_tags_may_make_one_again(self, shop: Shop, rum: Rum) -> None:
        tell(shop, rum)
        rum.forget(rum.chapters.create(tags=["auth"]).chapter_id)
        keep(rum, "Log refreshes", tags=["auth"])
        assert rum.chapters.create(tags=["auth"]).memory_count == 4


def test_answers_have_the_fields_of_a_chapter(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(memory_ids=ids, topics=["Token refresh", "Keys"])
    shop.clock.forward(60)
    rum.chapters.create(chapter_id=made.chapter_id, title="Tokens")
    [listed] = rum.chapters.list().chapters
    assert (made.topics, made.tags[:2]) == (("Token refresh", "Keys"), ("auth", "jwt"))
    assert (made.created_at, made.updated_at) == (NOON + 180, NOON + 180)
    assert (listed.created_at, listed.updated_at) == (NOON + 180, NOON + 240)
    assert listed.project_id == made.project_id == rum.show(ids[0]).project_id
    assert (listed.title, listed.topics, listed.words) == ("Tokens", made.topics, "drawn")


def test_passed_topics_stay_until_a_memory_that_says_them_is_forgotten(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(memory_ids=ids, topics=["Signing keys"])
    rum.update_memory(ids[0], tags=["auth"])
    rum.chapters.refresh()
    assert rum.chapters.show(made.chapter_id).topics == ("Signing keys",)
    rum.forget(ids[2])
    assert "Signing keys" not in rum.chapters.show(made.chapter_id).topics


def test_a_range_of_time_chooses_members_and_does_not_grow(shop: Shop, rum: Rum) -> None:
    ids, start = tell(shop, rum), shop.clock.at - 179
    tell(shop, rum, BILLING)
    timed = rum.chapters.create(since=start, before=start + 121, min_memories=2)
    assert rum.chapters.show(timed.chapter_id).memory_ids == tuple(ids[:2])
    tagged = rum.chapters.create(tags=["jwt"], since=start + 60, min_memories=1)
    assert rum.chapters.show(tagged.chapter_id).memory_ids == tuple(ids[1:])
    tell(shop, rum)
    rum.chapters.refresh(tagged.chapter_id)
    assert rum.chapters.show(tagged.chapter_id).memory_ids == tuple(ids[1:])
    assert tagged.origin == timed.origin == "auto"
    with pytest.raises(InvalidQuery, match="There are no memories of that time with the tag jwt"):
        rum.chapters.create(tags=["jwt"], before=start - 500)


@pytest.mark.parametrize(
    "more", [{"auto": True}, {"chapter_id": "chapter_x"}, {"since": 5}, {"before": 5}], ids=str
)
def test_two_ways_to_choose_members_exclude_each_other(shop: Shop, rum: Rum, more: dict[str, Any]) -> None:
    ids = tell(shop, rum)
    with pytest.raises(InvalidQuery, match="exclude each other"):
        rum.chapters.create(memory_ids=ids, **more)
    assert rum.chapters.list().total == 0


def test_chapters_are_sorted_as_asked(shop: Shop, rum: Rum) -> None:
    ids = [*tell(shop, rum), *tell(shop, rum, BILLING)]
    made = [
        rum.chapters.create(memory_ids=ids[part]).chapter_id for part in (slice(2), slice(2, 6), slice(5, 6))
    ]
    sorts = {sort: [one.id for one in rum.chapters.list(sort=sort).chapters] for sort in ("oldest", "size")}
    assert sorts == {"oldest": made, "size": [made[1], made[0], made[2]]}
    assert [one.id for one in rum.chapters.list(limit=2).chapters] == [made[2], made[1]]
    with pytest.raises(InvalidQuery, match="sort"):
        rum.call("list_chapters", {"sort": "title"})
