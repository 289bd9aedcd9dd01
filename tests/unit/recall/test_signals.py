"""What each signal measures, and that it measures nothing else."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest

from rum.model.memory import Edge, LinkType
from rum.recall import fitted, limits
from rum.recall.cascade import search
from rum.recall.semantic import SemanticSearch
from rum.store.base import Store
from support.builders import NOON, HandClock, add_memory, make_file, make_outcome
from support.embedders import WordEmbedder
from support.recall_queries import found, recall_query, signal

RELATIVE = ("words", "rarest", "goal", "paths")


def add(store: Store, name: str, goal: str, session: str | None = None, **more: object) -> str:
    """A memory in a session of its own, unless one is named."""
    return add_memory(store, name, goal, session_id=session or f"session of {name}", **more).id


def touch(store: Store, name: str, *paths: str, goal: str = "goat", **more: object) -> str:
    return add(store, name, goal, files=[make_file(path) for path in paths], **more)


def meaning_of(store: Store, embedder: WordEmbedder) -> SemanticSearch:
    semantic = SemanticSearch(store, embedder, clean=str, clock=HandClock())
    semantic.embed_pending(math.inf)
    return semantic


@pytest.mark.parametrize("column", fitted.WEIGHTS)
def test_everything_a_column_weighs_is_measured(store: Store, column: str) -> None:
    touch(store, "a", "src/goat.py", goal="zebra")
    files = ("src/goat.py",) if "files" in column else ()
    semantic = meaning_of(store, WordEmbedder()) if column.endswith("meaning") else None
    more = [f"word{number}" for number in range(limits.LONGEST_QUESTION if "long" in column else 0)]
    query = " ".join(["zebra", *more])
    asked = search(recall_query(store, query, *files, semantic=semantic, min_confidence=0))
    assert asked.column == column
    assert set(fitted.WEIGHTS[column]) <= set(asked.matches["a"].signals)


class TestWords:
    def test_shares_of_the_best_lie_between_none_and_all(self, store: Store) -> None:
        add(store, "a", "zebra lion", files=[make_file("src/zebra.py")])
        add(store, "b", "goat", outcome=make_outcome("lion"))
        add(store, "c", "zebra lion cow", files=[make_file("lion/zebra.py")])
        matches = found(recall_query(store, "zebra lion unicorn")).values()
        for name in RELATIVE:
            values = [match.signals[name] for match in matches]
            assert max(values) == 1
            assert all(0 <= value <= 1 for value in values)

    def test_more_words_and_rarer_ones_count_more(self, store: Store) -> None:
        add(store, "both", "zebra goat")
        add(store, "rare", "zebra")
        for number in range(5):
            add(store, f"often{number}", "goat")
        words, rarest = (signal(recall_query(store, "zebra goat"), name) for name in ("words", "rarest"))
        assert words["both"] == 1 > words["rare"] > words["often0"] > 0
        assert rarest["both"] == rarest["rare"] == 1 > rarest["often0"]

    def test_a_repeated_word_counts_once(self, store: Store) -> None:
        add(store, "once", "zebra")
        add(store, "often", "zebra zebra zebra", outcome=make_outcome("zebra"))
        assert signal(recall_query(store, "zebra"), "words") == {"once": 1, "often": 1}

    def test_words_in_the_goal_and_in_paths_count_there(self, store: Store) -> None:
        add(store, "goal", "zebra")
        add(store, "summary", "goat", outcome=make_outcome("zebra"))
        add(store, "path", "goat", files=[make_file("src/zebra_table.py")])
        asked = recall_query(store, "zebra")
        assert signal(asked, "words") == {"goal": 1, "summary": 1, "path": 1}
        assert signal(asked, "goal") == {"goal": 1, "summary": 0, "path": 0}
        assert signal(asked, "paths") == {"goal": 0, "summary": 0, "path": 1}

    def test_a_typing_error_is_distinguished_from_the_word_itself(self, store: Store) -> None:
        add(store, "right", "lion zebra")
        add(store, "wrong", "lion giraffe")
        words = signal(recall_query(store, "lion zebra giraffa"), "words")
        assert words["right"] == 1 > words["wrong"]

    def test_common_words_count_in_old_memories_too(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(limits, "COMMON", 10)
        add(store, "old", "zebra lion")
        for number in range(15):
            add(store, f"new{number}", "lion" if number % 2 else "zebra")
        words = signal(recall_query(store, "zebra lion"), "words")
        assert words["old"] == 1 > words["new14"] > 0


class TestNeighbours:
    def test_words_next_to_it_count_the_less_the_more_it_has_itself(self, store: Store) -> None:
        add(store, "lacks", "goat", "day", created_at=NOON)
        add(store, "has", "zebra lion", "day", created_at=NOON + 1)
        add(store, "half", "zebra", "day", created_at=NOON + 2)
        add(store, "alone", "zebra")
        around = signal(recall_query(store, "zebra lion"), "around")
        assert around["lacks"] > around["half"] > around["has"] == around["alone"] == 0
        assert all(0 <= value <= 1 for value in around.values())

    def test_neighbours_count_regardless_of_the_memorys_own_words(self, store: Store) -> None:
        add(store, "one", "zebra", "day", created_at=NOON)
        add(store, "two", "zebra", "day", created_at=NOON + 1)
        add(store, "alone", "zebra")
        beside = signal(recall_query(store, "zebra"), "beside")
        assert beside["one"] == beside["two"] > beside["alone"] == 0

    def test_a_reply_counts_the_words_of_the_question_before_it(self, store: Store) -> None:
        add(store, "question", "Did the zebra eat?", "day", created_at=NOON)
        add(store, "reply", "Yes, goat", "day", created_at=NOON + 1)
        add(store, "later", "Cow", "day", created_at=NOON + 2)
        add(store, "statement", "The zebra ate.", "night", created_at=NOON)
        add(store, "next", "Yes, goat", "night", created_at=NOON + 1)
        reply = signal(recall_query(store, "zebra goat cow"), "reply")
        assert [name for name in reply if reply[name]] == ["reply"]

    def test_in_a_session_a_longer_memory_says_more(self, store: Store) -> None:
        add(store, "short", "zebra", "day", created_at=NOON)
        add(store, "long", "zebra", "day", created_at=NOON + 1, outcome=make_outcome("goat cow " * 50))
        add(store, "longest", "zebra", "day", created_at=NOON + 2, outcome=make_outcome("goat cow " * 500))
        add(store, "alone", "zebra", outcome=make_outcome("goat cow " * 500))
        length = signal(recall_query(store, "zebra"), "length")
        assert length["longest"] > length["alone"] == 0 > length["long"] > length["short"]

    def test_a_link_counts_beside_a_session(self, store: Store) -> None:
        add(store, "effect", "goat")
        add(store, "cause", "zebra")
        assert "effect" not in found(recall_query(store, "zebra"))
        store.links.add(Edge.of("effect", "cause", LinkType.CAUSED_BY), NOON)
        matches = found(recall_query(store, "zebra"))
        assert matches["effect"].signals["beside"] > matches["cause"].signals["beside"] == 0

    def test_two_memories_tied_in_many_ways_are_no_nearer(self, store: Store) -> None:
        add(store, "effect", "goat", "day", created_at=NOON)
        add(store, "cause", "zebra", "day", created_at=NOON + 1)
        before = found(recall_query(store, "zebra"))["effect"].signals
        for kind in (LinkType.CAUSED_BY, LinkType.RELATED_TO, LinkType.BLOCKED_BY):
            store.links.add(Edge.of("effect", "cause", kind), NOON)
        assert found(recall_query(store, "zebra"))["effect"].signals == before


class TestHere:
    def test_only_the_session_that_asks_counts_and_there_the_latest_most(self, store: Store) -> None:
        for number in range(3):
            add(store, f"mine{number}", "zebra", "mine")
            add(store, f"theirs{number}", "zebra", "theirs")
        here = signal(recall_query(store, "zebra", session="mine"), "here")
        assert here["mine2"] > here["mine1"] > here["mine0"]
        assert {here[f"theirs{number}"] for number in range(3)} == {0}

    def test_a_session_without_memories_of_its_own_changes_nothing(self, store: Store) -> None:
        add(store, "one", "zebra")
        add(store, "two", "zebra")
        assert set(signal(recall_query(store, "zebra", session="new"), "here").values()) == {0}


class TestRecency:
    @pytest.mark.parametrize("many", [5, 200])
    def test_it_falls_with_age(self, store: Store, many: int) -> None:
        for number in range(many):
            touch(store, f"m{number}", "a.py", goal="zebra", created_at=NOON + number)
        recency = signal(recall_query(store, "zebra", "a.py", limit=100), "recency")
        newest_first = [recency[f"m{number}"] for number in reversed(range(many)) if f"m{number}" in recency]
        assert newest_first[0] == 1
        assert all(newer >= older for newer, older in pairwise(newest_first))
        assert newest_first[0] > newest_first[1] > newest_first[-1]

    def test_it_goes_by_date_and_not_by_when_it_was_stored(self, store: Store) -> None:
        touch(store, "today", "a.py", created_at=NOON)
        touch(store, "yesterday", "a.py", created_at=NOON - 86400)
        touch(store, "imported", "a.py", created_at=NOON - 10**8, imported_at=NOON)
        recency = signal(recall_query(store, "zebra", "a.py"), "recency")
        assert recency["today"] > recency["yesterday"] > recency["imported"]

    def test_a_history_imported_later_is_older_than_what_was_there(self, store: Store) -> None:
        touch(store, "today", "a.py", created_at=NOON)
        for number in range(300):
            touch(store, f"old{number}", "b.py", created_at=NOON - 10**8 + number, imported_at=NOON)
        touch(store, "older", "a.py", created_at=NOON - 2 * 10**8, imported_at=NOON)
        recency = signal(recall_query(store, "zebra", "a.py"), "recency")
        assert recency["today"] == 1
        assert recency["older"] < 0.5


class TestFiles:
    def test_a_file_that_few_touched_counts_more(self, store: Store) -> None:
        touch(store, "rare", "rare.py")
        for number in range(9):
            touch(store, f"often{number}", "often.py")
        files = signal(recall_query(store, "zebra", "rare.py", "often.py"), "files")
        assert files["rare"] == 1 > files["often0"] > 0

    def test_the_larger_share_of_what_was_asked_counts_more(self, store: Store) -> None:
        touch(store, "both", "a.py", "b.py")
        touch(store, "one", "a.py")
        touch(store, "none", "c.py", goal="zebra")
        matches = found(recall_query(store, "zebra", "a.py", "b.py"))
        assert {name: match.signals["asked_files"] for name, match in matches.items()} == {
            "both": 1,
            "one": 0.5,
            "none": 0,
        }
        assert matches["none"].signals["files"] == 0
        assert all(0 <= match.signals["files"] <= 1 for match in matches.values())

    def test_a_memory_that_touched_many_files_counts_less_for_each(self, store: Store) -> None:
        touch(store, "narrow", "a.py")
        touch(store, "broad", "a.py", *(f"other{number}.py" for number in range(30)))
        matches = found(recall_query(store, "zebra", "a.py"))
        assert matches["broad"].signals["breadth"] > matches["narrow"].signals["breadth"]
        assert matches["broad"].signals["files"] < matches["narrow"].signals["files"]

    def test_the_latest_work_on_a_file_counts_most(self, store: Store) -> None:
        for number in range(4):
            touch(store, f"m{number}", "a.py", created_at=NOON + number)
        touch(store, "elsewhere", "b.py", goal="zebra", created_at=NOON + 9)
        latest = signal(recall_query(store, "zebra", "a.py"), "file_recency")
        assert latest["m3"] == 1
        assert latest["m3"] > latest["m2"] > latest["m1"] > latest["m0"] > latest["elsewhere"]
        assert latest["elsewhere"] == pytest.approx(0)


class TestMeaning:
    def test_a_more_similar_memory_has_a_higher_signal(self, store: Store) -> None:
        add(store, "near", "zebra lion", outcome=make_outcome("zebra lion"))
        add(store, "far", "goat cow", outcome=make_outcome("cow goat sheep"))
        asked = recall_query(
            store, "lion zebra", semantic=meaning_of(store, WordEmbedder()), min_confidence=0
        )
        similarities = signal(asked, "meaning")
        assert similarities["near"] > similarities["far"]

    def test_a_memory_without_a_vector_is_neither_the_nearest_nor_the_farthest(self, store: Store) -> None:
        embedder = WordEmbedder()
        add(store, "near", "zebra lion", outcome=make_outcome("zebra lion"))
        add(store, "far", "zebra cow", outcome=make_outcome("cow goat sheep"))
        semantic = meaning_of(store, embedder)
        semantic.nearest("lion zebra", 1)
        embedder.fail()
        add(store, "new", "lion zebra")
        similarities = signal(
            recall_query(store, "lion zebra", semantic=semantic, min_confidence=0), "meaning"
        )
        assert similarities["near"] > similarities["new"] > similarities["far"]

    def test_a_neighbour_of_a_similar_memory_has_a_share_of_the_signal(self, store: Store) -> None:
        add(store, "near", "zebra lion", "day", created_at=NOON, outcome=make_outcome("zebra lion"))
        add(store, "next", "goat", "day", created_at=NOON + 1)
        add(store, "alone", "goat")
        semantic = meaning_of(store, WordEmbedder())
        next_to = signal(
            recall_query(store, "lion zebra", semantic=semantic, min_confidence=0), "meaning_next"
        )
        assert next_to["next"] > next_to["near"] > next_to["alone"] == 0

    def test_a_reply_has_the_similarity_of_the_question_before_it(self, store: Store) -> None:
        add(store, "question", "zebra lion?", "day", created_at=NOON, outcome=make_outcome("zebra lion"))
        add(store, "reply", "goat", "day", created_at=NOON + 1)
        add(store, "statement", "zebra lion", "night", created_at=NOON, outcome=make_outcome("zebra lion"))
        add(store, "next", "goat", "night", created_at=NOON + 1)
        semantic = meaning_of(store, WordEmbedder())
        query = recall_query(store, "lion zebra", semantic=semantic, min_confidence=0)
        reply = signal(query, "meaning_reply")
        assert [name for name in reply if reply[name]] == ["reply"]
