"""Archived memories are found as live ones are: by words, files, filters and meaning."""

from __future__ import annotations

import pytest

from rum.model.memory import Edge, LinkType
from rum.recall.cascade import run, search
from rum.recall.semantic import SemanticSearch
from rum.recall.words import Words
from rum.store.base import Store
from support.builders import NOON, add_memory, make_file, make_outcome
from support.embedders import WordEmbedder
from support.recall_queries import found, recall_query
from unit.recall.semantic_search import nearest, similarities

ANIMALS = "ant bee cow dog elk fox gnu hen ibex jay koi lynx mole newt owl pig quail rat seal toad".split()  # noqa: SIM905 (as read)
LATER = NOON + 1


@pytest.fixture
def herd(store: Store) -> Store:
    """A memory for every animal, each with a few neighbours' names, in sessions of their own."""
    for at, animal in enumerate(ANIMALS):
        beside = " ".join(ANIMALS[(at + step) % len(ANIMALS)] for step in (0, 1, 2))
        told = make_outcome(f"Told of the {beside}", learnings=[f"The {animal} farm is large"])
        add_memory(
            store,
            f"mem_{animal}",
            f"Count the {beside}",
            session_id=f"session_{at}",
            outcome=told,
            files=[make_file(f"farm/{animal}.py")],
            tags=["even" if at % 2 else "odd"],
            created_at=NOON - 100 + at,
        )
    return store


def shelve(store: Store, *animals: str) -> None:
    assert store.archive.put([f"mem_{one}" for one in animals], LATER) == len(animals)


def answer(store: Store, query: str, *files: str, **more: object) -> list[str]:
    given = run(recall_query(store, query, *files, **more)).matches
    return [match.memory_id.removeprefix("mem_") for match in given]


QUESTIONS = (
    "count the cow",
    "toad",
    "owl pig quail",
    "Count the rat seal toad",
    "large seal farm",
    "yak",
)


class TestByWords:
    @pytest.mark.parametrize("query", QUESTIONS)
    @pytest.mark.parametrize("kept", [0, 4, 16], ids=["all archived", "most", "few"])
    def test_the_same_is_found_first_with_about_the_same_confidence(self, herd: Store, query: str, kept: int):
        before = run(recall_query(herd, query)).matches
        shelve(herd, *ANIMALS[kept:])
        after = run(recall_query(herd, query)).matches
        assert [match.memory_id for match in after[:1]] == [match.memory_id for match in before[:1]]
        for one, other in zip(before[:1], after[:1], strict=True):
            assert other.confidence == pytest.approx(one.confidence, abs=0.1)

    def test_the_masks_of_archived_memories_are_what_they_hold(self, herd: Store):
        shelve(herd, *ANIMALS)
        query = recall_query(herd, "cow dog farm yak")
        masks = {match.memory_id: match.mask for match in found(query).values()}
        texts = herd.search.texts(masks)
        assert masks == {one: query.words.mask_in(" ".join(texts[one])) for one in masks}
        assert len(masks) == len(ANIMALS)

    def test_a_word_that_only_the_archive_knows_is_not_taken_for_misspelt(self, herd: Store):
        shelve(herd, "newt")
        add_memory(herd, "mem_next", "Count the neat news of the next nest")
        assert answer(herd, "newt farm")[0] == "newt"
        assert recall_query(herd, "newt").words.misspelt() is False

    def test_a_misspelt_word_is_found_in_it(self, herd: Store):
        add_memory(herd, "mem_zebra", "Groom the zebra", session_id="s", created_at=NOON - 200)
        add_memory(herd, "mem_zebras", "Feed the zebra", session_id="t", created_at=NOON - 200)
        shelve(herd, "zebra")
        assert set(answer(herd, "zebar")) >= {"zebras", "zebra"}

    def test_a_misspelt_word_that_only_the_archive_knows_is_found(self, herd: Store):
        add_memory(herd, "mem_zebra", "Groom the zebra", session_id="s", created_at=NOON - 200)
        shelve(herd, "zebra")
        assert answer(herd, "zebar") == ["zebra"]

    def test_words_count_as_rare_as_they_are_among_all_once_the_archive_was_asked(self, herd: Store):
        whole = recall_query(herd, "cow farm").words.rarity
        shelve(herd, *ANIMALS[5:])
        asked = recall_query(herd, "cow farm")
        found(asked)
        assert asked.words.rarity == pytest.approx(whole)

    def test_filters_hold_for_it(self, herd: Store):
        shelve(herd, *ANIMALS)
        assert set(answer(herd, "farm", tags=("odd",), limit=20)) == set(ANIMALS[::2])
        assert answer(herd, "toad", before=NOON - 90) == []

    def test_superseded_archived_memories_are_left_out_unless_requested(self, herd: Store):
        herd.links.add(Edge.of("mem_ant", "mem_toad", LinkType.SUPERSEDES), NOON)
        shelve(herd, "toad", "ant")
        assert "toad" not in answer(herd, "toad", limit=20)
        assert "toad" in answer(herd, "toad", limit=20, include_superseded=True)

    def test_if_every_word_is_common_archived_memories_with_all_of_them_are_found(
        self, herd: Store, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr("rum.recall.limits.ARCHIVED_RARE", 2)
        shelve(herd, *ANIMALS)
        assert answer(herd, "cow dog elk")[0] == "cow"
        assert answer(herd, "cow dog elk yak farm")[0] == "cow"

    def test_totals_count_it(self, herd: Store):
        before = run(recall_query(herd, "farm"))
        shelve(herd, *ANIMALS)
        after = run(recall_query(herd, "farm"))
        assert (after.total, after.total_exact) == (before.total, before.total_exact) == (len(ANIMALS), True)

    def test_a_commit_is_found_by_its_id(self, herd: Store):
        add_memory(herd, "mem_commit", outcome=make_outcome("deadbeef01: 1 file"), commit="deadbeef01")
        shelve(herd, "commit")
        assert answer(herd, "deadbeef") == ["commit"]


class TestWhenItIsAsked:
    """Live memories that hold every word are enough; as soon as they do not, the archive is asked."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
        """The terms of the questions that went to the archive."""
        heard: list[list[str]] = []
        learn = Words.learn

        def overheard(words: Words, counts: dict[str, int], masks: dict[int, int]) -> None:
            heard.append(words.terms)
            learn(words, counts, masks)

        monkeypatch.setattr(Words, "learn", overheard)
        return heard

    def test_not_where_enough_live_memories_say_everything(self, herd: Store, asked: list[list[str]]):
        shelve(herd, *ANIMALS[10:])
        assert set(answer(herd, "farm")) <= set(ANIMALS[:10])
        assert asked == []

    def test_the_archive_is_searched_if_too_few_live_memories_have_every_word(
        self, herd: Store, asked: list[list[str]]
    ):
        shelve(herd, *ANIMALS[10:])
        assert set(answer(herd, "farm", limit=15)) & set(ANIMALS[10:])
        assert asked == [["farm"]]

    def test_the_archive_is_searched_if_live_memories_have_only_some_words(
        self, herd: Store, asked: list[list[str]]
    ):
        shelve(herd, *ANIMALS[10:])
        assert answer(herd, "farm of the toad")[0] == "toad"
        assert asked == [["farm", "toad"]]

    def test_never_where_nothing_is_archived(self, herd: Store, asked: list[list[str]]):
        answer(herd, "farm of the toad and the yak")
        assert asked == []

    def test_common_words_are_looked_up_among_all_live_memories_first(
        self, herd: Store, asked: list[list[str]], monkeypatch: pytest.MonkeyPatch
    ):
        shelve(herd, *ANIMALS[10:])
        monkeypatch.setattr("rum.recall.limits.COMMON", 3)
        answer(herd, "farm count", limit=4)
        assert asked == []


class TestByFile:
    def test_a_file_alone_is_certain(self, herd: Store):
        shelve(herd, *ANIMALS)
        assert answer(herd, "", "farm/cow.py") == ["cow"]

    def test_words_beside_a_file_count_for_archived_memories_too(self, herd: Store):
        before = run(recall_query(herd, "cow", "farm/")).matches
        shelve(herd, *ANIMALS)
        after = run(recall_query(herd, "cow", "farm/")).matches
        assert {match.memory_id for match in after[:3]} == {match.memory_id for match in before[:3]}
        assert after[0].confidence == pytest.approx(before[0].confidence, abs=0.1)


class TestByMeaning:
    @pytest.fixture
    def semantic(self, herd: Store) -> SemanticSearch:
        made = SemanticSearch(herd, WordEmbedder(), clean=str, clock=lambda: NOON)
        made.embed_pending(60)
        return made

    def test_the_nearest_are_found_in_it_where_nothing_is_sure(self, herd: Store, semantic: SemanticSearch):
        shelve(herd, "toad", "seal")
        # All memories tell of something, and none more than others.
        asked = recall_query(
            herd, "Told of", semantic=semantic, strategy="semantic", min_confidence=0.0, limit=20
        )
        given = {match.memory_id: match.level for match in run(asked).matches}
        assert {"mem_toad", "mem_seal"} <= given.keys()
        assert set(given.values()) == {"semantic"}

    def test_live_and_archived_are_compared_by_the_same_vectors(self, herd: Store, semantic: SemanticSearch):
        everyone = nearest(semantic, "cow dog farm", 20)
        shelve(herd, *ANIMALS[::2])
        parted = [nearest(semantic, "cow dog farm", 20, archived=which) for which in (False, True)]
        assert [len(part) for part in parted] == [10, 10]
        assert (parted[0] | parted[1]) == pytest.approx(everyone)
        assert similarities(semantic, "cow dog farm", *everyone) == pytest.approx(everyone)

    def test_its_vectors_are_left_alone_where_something_is_sure(self, herd: Store, semantic: SemanticSearch):
        add_memory(herd, "mem_zebra", "Groom the zebra of the zoo", session_id="s")
        shelve(herd, "toad")
        asked = recall_query(herd, "Groom the zebra of the zoo", semantic=semantic)
        assert search(asked).best(asked.sure, 1)
        assert len(vars(herd.vectors)["_archived"]) == 0  # nothing else shows that none was read

    def test_a_memory_archived_meanwhile_is_not_returned_as_live(self, herd: Store, semantic: SemanticSearch):
        assert len(semantic.nearest("farm", 20).live) == 20
        shelve(herd, *ANIMALS[:18])
        assert nearest(semantic, "farm", 20).keys() == {"mem_seal", "mem_toad"}
        herd.archive.take_back(["mem_ant"])
        assert "mem_ant" in nearest(semantic, "farm", 20)
        assert "mem_ant" not in nearest(semantic, "farm", 20, archived=True)


def test_neighbours_in_the_archive_lend_their_words_as_live_ones_do(store: Store):
    for at in range(4):
        add_memory(store, f"mem_{at}", f"Step {at} of the zebra" if at else "Begin", session_id="s")
    before = {
        one: match.signals["beside"] for one, match in found(recall_query(store, "zebra begin")).items()
    }
    store.archive.put(["mem_1"], LATER)
    after = {one: match.signals["beside"] for one, match in found(recall_query(store, "zebra begin")).items()}
    assert after == pytest.approx(before)
