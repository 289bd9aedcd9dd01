"""Listing, showing, and counting how often a memory is retrieved."""

from __future__ import annotations

from typing import Any

import pytest

from rum import InvalidQuery, NotFound, Rum
from support.builders import NOON
from support.projects import Shop, edited, keep


def counts(rum: Rum) -> dict[str, int]:
    rum.settle()
    return {line.id: line.access_count for line in rum.list(limit=100).memories}


class TestUse:
    @pytest.mark.parametrize("depth", ["summary", "outcome", "reasoning", "full", "complete"])
    def test_recall_show_and_trace_count(self, rum: Rum, shop: Shop, depth: str) -> None:
        one = keep(rum, "Fix the login")
        two = keep(rum, "Fix the gate", links={"caused_by": [one]})
        shop.clock.forward(100)
        rum.recall(query="login", depth=depth, limit=1)
        rum.recall(memory_id=one)
        rum.show(one, depth)
        rum.trace(two)
        assert counts(rum) == {one: 4, two: 1}
        assert rum.show(one).last_accessed == NOON + 100

    def test_listing_history_and_updating_do_not(self, rum: Rum) -> None:
        kept = keep(rum)
        rum.list()
        rum.history(kept)
        rum.update_memory(kept, tags=["x"])
        rum.link(kept, keep(rum, "Other"), "related_to")
        rum.recall(query="zebra")
        assert set(counts(rum).values()) == {0}

    def test_only_what_is_given_counts(self, rum: Rum, shop: Shop) -> None:
        old = keep(rum, "Fix the login")
        shop.clock.forward(60)
        new = keep(rum, "Fix the login again")
        [given] = [memory.id for memory in rum.recall(query="login", limit=1).memories]
        rum.recall(query="login", max_tokens=1)
        assert counts(rum) == {old: 0, new: 0} | {given: 1}

    def test_what_is_used_often_does_not_rank_higher(self, rum: Rum, shop: Shop) -> None:
        old = keep(rum, "Fix the login of admins", actions=edited("a.py"))
        shop.clock.forward(86400)
        new = keep(rum, "Fix the login of guests", actions=edited("a.py"))
        before = [rum.recall(query="fix login"), rum.recall(file="a.py"), rum.recall(since=0)]
        for _ in range(50):
            rum.show(old)
        rum.settle()
        after = [rum.recall(query="fix login"), rum.recall(file="a.py"), rum.recall(since=0)]
        assert after == before
        assert [memory.id for memory in after[0].memories] == [new, old]
        assert rum.recall(since=NOON + 1).memories[0].id == new

    def test_counts_survive_closing_without_settling(self, shop: Shop) -> None:
        with shop.open() as rum:
            kept = keep(rum)
            rum.show(kept)
        assert counts(shop.open()) == {kept: 1}


class TestList:
    def test_an_agent_sees_its_own_and_the_owner_everybodys(self, shop: Shop) -> None:
        ann, bob = shop.open(agent="ann"), shop.open(agent="bob")
        own, other = keep(ann, "Mine"), keep(bob, "His")
        assert [line.id for line in ann.list().memories] == [own]
        assert [line.id for line in bob.list().memories] == [other]
        assert {line.id for line in shop.open(owner=True).list().memories} == {own, other}

    def test_a_new_session_lists_what_the_same_client_remembers(self, shop: Shop) -> None:
        kept = keep(shop.open(client="editor"))
        assert [line.id for line in shop.open(client="editor").list().memories] == [kept]
        assert shop.open(client="other").list().memories == []

    def test_what_was_superseded_is_listed_too(self, rum: Rum) -> None:
        old = keep(rum)
        new = keep(rum, "Better", links={"supersedes": old})
        assert {line.id for line in rum.list().memories} == {old, new}

    def test_the_order_asked_for(self, rum: Rum, shop: Shop) -> None:
        ids: dict[str, str] = {}
        for name, importance in (("old", 0.9), ("middle", 0.1), ("new", 0.5)):
            ids[keep(rum, name, importance=importance)] = name
            shop.clock.forward(60)
        for name, times in (("middle", 3), ("old", 1)):
            for _ in range(times):
                rum.show(next(one for one, known in ids.items() if known == name))
        rum.settle()

        def listed(**question: Any) -> list[str]:
            return [ids[line.id] for line in rum.list(**question).memories]

        assert listed() == listed(sort="recent") == ["new", "middle", "old"]
        assert listed(sort="importance") == ["old", "new", "middle"]
        assert listed(sort="access_count") == ["middle", "old", "new"]
        assert listed(limit=1) == ["new"]
        assert listed(since=NOON + 60) == ["new", "middle"]
        assert listed(since=(NOON + 60) * 1000) == ["new", "middle"]
        assert rum.list(limit=1).total == 3
        assert rum.list(since=NOON + 60, limit=1).total == 2

    def test_one_session(self, shop: Shop) -> None:
        first, second = shop.open(session="s-1"), shop.open(session="s-2")
        kept = keep(first)
        keep(second, "Later")
        assert [line.id for line in second.list(session_id="s-1").memories] == [kept]
        assert second.list(session_id="s-9").total == 0

    def test_without_an_agent_the_list_is_empty(self, rum: Rum) -> None:
        assert (rum.list().memories, rum.list().total) == ([], 0)


class TestShow:
    def test_a_memory_by_id_or_tail_with_its_links(self, rum: Rum) -> None:
        one = keep(rum, "One")
        two = keep(rum, "Two", links={"caused_by": [one]})
        assert rum.show(two).id == rum.show(two[-8:]).id == two
        assert rum.show(two).links == {"caused_by": [one]}

    @pytest.mark.parametrize("name", ["nope", "mem_00000000000000000000000000", "", "%%%%%%%%", "_", "mem_"])
    def test_an_unknown_id_is_not_found(self, rum: Rum, name: str) -> None:
        keep(rum)
        with pytest.raises(NotFound):
            rum.show(name)

    def test_a_tail_too_short_says_so(self, rum: Rum) -> None:
        kept = keep(rum)
        with pytest.raises(NotFound, match="at least its last 8 characters"):
            rum.show(kept[-7:])

    def test_an_ambiguous_tail_names_the_candidates(self, rum: Rum) -> None:
        lines = list(rum.export())
        kept = keep(rum)
        [line] = [line for line in rum.export() if b'"memory"' in line]
        twin = "mem_x" + kept[5:]
        rum.import_lines([*lines, line.replace(kept.encode(), twin.encode())])
        with pytest.raises(InvalidQuery) as caught:
            rum.show(kept[-8:])
        assert caught.value.details["candidates"] == sorted([kept, twin])

    def test_half_a_character_in_an_id_is_refused(self, rum: Rum) -> None:
        with pytest.raises(InvalidQuery):
            rum.show("mem_\udc80")


class TestPathsInWords:
    def test_a_path_with_words_about_work_alone_is_taken_as_the_file(self, rum: Rum, shop: Shop) -> None:
        old = keep(rum, "Fix the latest work", actions=edited("src/shop/till.py"))
        shop.clock.forward(60)
        new = keep(rum, "Paint the door", actions=edited("src/home/door.py"))
        for question in ("latest work in src/home", "src/home/", "What happened in src/home/door.py?"):
            answer = rum.recall(query=question)
            assert [(memory.id, memory.confidence) for memory in answer.memories] == [(new, 1.0)]
        assert old not in str(answer)

    def test_a_path_beside_other_words_counts_as_the_file(self, rum: Rum) -> None:
        keep(rum, "Paint the door", actions=edited("src/home/door.py"))
        keep(rum, "Paint the till", actions=edited("src/shop/till.py"))
        found = rum.recall(query="why was it painted in src/shop/till.py", explain=True).memories
        assert found[0].intent.goal == "Paint the till"
        assert any("file" in reason for reason in found[0].why or ())

    @pytest.mark.parametrize("question", ["and/or", "https://example.org/src/home/door.py", "a/b/c latest"])
    def test_other_slashes_are_words(self, rum: Rum, question: str) -> None:
        keep(rum, "Paint the door", actions=edited("src/home/door.py"))
        assert rum.recall(query=question, min_confidence=0.99).memories == []


@pytest.mark.parametrize("others", [0, 2, 7])
def test_a_file_with_unrelated_words_is_given_but_not_as_sure(rum: Rum, others: int) -> None:
    kept = keep(
        rum, "Refresh the token before it expires", "Users were logged out", actions=edited("auth.py")
    )
    for number in range(others):
        keep(rum, f"Paint wall {number} of the house", "It is white now", actions=edited(f"{number}.py"))

    def confidence(words: str) -> float:
        [first, *_] = rum.recall(file="auth.py", query=words).memories
        assert first.id == kept
        return first.confidence

    assert confidence("why are users logged out") > 0.7
    assert confidence("kubernetes ingress certificate rotation") < 0.2
