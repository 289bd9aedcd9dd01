"""The words of a query: rarity, the memories that contain them, and typing errors."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.model.memory import Edge, LinkType
from rum.recall import limits
from rum.recall.words import MAX_CORRECTED_WORDS, Words, inflected, spellings
from rum.store.base import Store
from rum.store.filters import Filters
from support.builders import NOON, add_memory


def fill(store: Store, *goals: str) -> None:
    for number, goal in enumerate(goals, start=1):
        add_memory(store, f"mem_{number}", goal)


def rarity(words: Words) -> dict[str, float]:
    return dict(zip(words.terms, words.rarity, strict=True))


class TestRarity:
    def test_the_more_memories_hold_a_word_the_less_it_says(self, store: Store) -> None:
        fill(store, "zebra lion goat", *["lion goat"] * 4, *["goat"] * 20)
        said = rarity(Words(store.search, "goat lion zebra unicorn"))
        assert said["unicorn"] > said["zebra"] > said["lion"] > said["goat"] > 0

    def test_a_word_that_every_memory_holds_still_says_something(self, store: Store) -> None:
        fill(store, *["goat"] * 200)
        assert 0 < Words(store.search, "goat").total < 0.1

    def test_in_an_empty_store_nobody_knows_anything(self, store: Store) -> None:
        words = Words(store.search, "goat lion")
        assert (words.known(), words.unknown, words.masks) == (False, 1.0, {})

    def test_the_share_that_nobody_knows_goes_by_rarity(self, store: Store) -> None:
        fill(store, "goat", "goat", "goat lion")
        shares = [Words(store.search, text).unknown for text in ("goat lion", "lion unicorn", "unicorn")]
        assert shares[0] == 0
        assert 0.5 < shares[1] < 1
        assert shares[2] == 1

    def test_the_rarest_come_first_and_only_what_is_known(self, store: Store) -> None:
        fill(store, "zebra lion goat", "lion goat", "goat")
        assert Words(store.search, "goat unicorn zebra lion").rarest_first() == ["zebra", "lion", "goat"]


class TestNames:
    def test_parts_that_nobody_used_count_for_nothing_where_the_name_is_known(self, store: Store) -> None:
        fill(store, "add sqlite utilities")
        words = Words(store.search, "SQLite utilities")
        assert (words.terms, words.unknown) == (["sqlite", "util"], 0)
        assert set(words.masks.values()) == {words.everything}

    def test_parts_that_somebody_used_are_asked_for_too(self, store: Store) -> None:
        fill(store, "add sqlite utilities", "a lite edition")
        assert Words(store.search, "SQLite").terms == ["sqlite", "lite"]

    def test_all_parts_of_an_unknown_name_are_searched(self, store: Store) -> None:
        fill(store, "token")
        assert Words(store.search, "refreshToken").terms == ["refreshtoken", "refresh", "token"]

    def test_a_part_that_is_a_query_word_itself_stays_unknown(self, store: Store) -> None:
        fill(store, "add sqlite utilities")
        assert Words(store.search, "SQLite lite").unknown > 0


class TestCommonWords:
    @pytest.fixture(autouse=True)
    def common_early(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "COMMON", 10)

    def test_how_many_hold_one_is_estimated_by_how_dense_it_lies(self, store: Store) -> None:
        fill(
            store, *[f"common {'often' if n % 2 else 'else'} {'' if n % 5 else 'seldom'}" for n in range(80)]
        )
        words = Words(store.search, "common often seldom")
        assert all(map(words.is_common, words.terms))
        assert words.count("common") == 80
        assert 32 <= words.count("often") <= 48
        assert 12 <= words.count("seldom") <= 24
        assert rarity(words)["seldom"] > rarity(words)["often"] > rarity(words)["common"]

    def test_below_that_everybody_is_counted(self, store: Store) -> None:
        fill(store, *["goat"] * 9, *["lion"] * 30)
        words = Words(store.search, "goat lion")
        assert (words.count("goat"), words.is_common("goat"), words.complete()) == (9, False, False)

    @pytest.mark.parametrize("held", [10, 11, 25, 40])
    def test_an_estimate_is_between_the_counted_number_and_all(self, store: Store, held: int) -> None:
        fill(store, *["lion"] * (40 - held), *["goat"] * held)
        assert 10 <= Words(store.search, "goat").count("goat") <= 40

    def test_the_commonest_words_are_left_out_where_it_takes_too_long(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        fill(store, *["goat"] * 8, "zebra")
        assert Words(store.search, "goat zebra").complete()
        monkeypatch.setattr(limits, "SCANNED", 5)
        words = Words(store.search, "goat zebra")
        assert not words.complete()
        assert [words.terms_of(mask) for mask in words.masks.values()] == [["zebra"]]
        assert [words.terms_of(words.unknown_terms(number)) for number in (1, 8, 9)] == [["goat"]] * 3

    @given(st.lists(st.sets(st.sampled_from(["goat", "lion", "zebra"])), min_size=1, max_size=20))
    @settings(max_examples=20)
    def test_words_missing_in_a_mask_are_read_from_the_memory(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, memories: list[set[str]]
    ) -> None:
        monkeypatch.setattr(limits, "COMMON", 3)
        monkeypatch.setattr(limits, "SCANNED", 8)
        for memory_id, *_ in store.search.by_filters(Filters(), 100)[0]:
            store.memories.delete(memory_id)
        fill(store, *[" ".join(sorted(held)) or "nothing" for held in memories])
        words = Words(store.search, "goat lion zebra")
        for number, held in enumerate(memories, start=1):
            told, unknown_terms = words.masks.get(number, 0), words.unknown_terms(number)
            assert not words.complete() or not unknown_terms
            assert set(words.terms_of(told | words.mask_in(" ".join(held)) & unknown_terms)) == held


class TestMasks:
    def test_a_memory_has_a_bit_for_each_word_it_holds(self, store: Store) -> None:
        fill(store, "zebra", "lion goat", "giraffe", "goat zebra lion")
        words = Words(store.search, "zebra lion goat")
        held = {number: words.terms_of(mask) for number, mask in words.masks.items()}
        assert held == {1: ["zebra"], 2: ["lion", "goat"], 4: ["zebra", "lion", "goat"]}
        assert words.masks[4] == words.everything

    def test_hidden_memories_hold_nothing(self, store: Store) -> None:
        fill(store, "zebra", "zebra lion", "lion")
        store.links.add(Edge.of("mem_3", "mem_2", LinkType.SUPERSEDES), NOON)
        assert set(Words(store.search, "zebra lion").masks) == {1, 2, 3}
        assert set(Words(store.search, "zebra lion", superseded=False).masks) == {1, 3}

    def test_the_weights_of_words_add_up(self, store: Store) -> None:
        fill(store, "zebra lion goat", "lion goat", "goat", "goat")
        words = Words(store.search, "zebra lion goat unicorn")
        assert words.weight(0) == 0
        assert words.weight(words.everything) == pytest.approx(words.total)
        for one in range(16):
            for other in range(16):
                if not one & other:
                    assert words.weight(one | other) == pytest.approx(words.weight(one) + words.weight(other))

    def test_the_rarest_of_some_words_is_what_it_says_alone(self, store: Store) -> None:
        fill(store, "zebra lion goat", "lion goat", "goat", "goat")
        words = Words(store.search, "zebra lion goat")
        assert words.rarest(0) == 0
        for mask in range(1, 8):
            assert words.rarest(mask) == max(words.weight(1 << bit) for bit in range(3) if mask >> bit & 1)

    def test_words_in_a_text_are_whole_terms_of_those_asked_for(self, store: Store) -> None:
        words = Words(store.search, "lion goat")
        assert words.mask_in("a lion and a goat") == 0b11
        assert words.mask_in("goat") == 0b10
        assert words.mask_in("lionheart goatherd") == words.mask_in("") == 0


class TestMisspelt:
    def test_an_unknown_word_is_looked_for_one_error_away(self, store: Store) -> None:
        fill(store, "zebra", "lion")
        words = Words(store.search, "zebar")
        assert not words.known()
        assert words.respell()
        assert (words.variants, set(words.masks)) == ({"zebar": ["zebra"]}, {1})

    def test_it_is_worth_less_than_the_word_itself(self, store: Store) -> None:
        fill(store, "zebra", "lion")
        right, wrong = Words(store.search, "zebra"), Words(store.search, "zebar")
        before = wrong.total
        wrong.respell()
        assert 0 < wrong.weight(1) < right.weight(1)
        assert wrong.rarest(1) == wrong.weight(1)
        assert wrong.total < before
        assert wrong.unknown == 0

    def test_it_is_found_in_texts_as_it_is_spelt_there(self, store: Store) -> None:
        fill(store, "zebra")
        words = Words(store.search, "zebar")
        words.respell()
        assert words.mask_in("a zebra") == 1

    def test_earlier_results_are_computed_again_after_a_correction(self, store: Store) -> None:
        fill(store, "zebra lion", "lion")
        asked, anew = Words(store.search, "zebar lion"), Words(store.search, "zebar lion")
        assert (asked.mask_in("zebra lion"), set(asked.masks.values())) == (0b10, {0b10})
        assert asked.weight_by_key == {1: asked.weight(0b10), 2: asked.weight(0b10)}
        unknown = asked.rarest(0b01)
        assert asked.respell()
        assert anew.respell()
        weights = {1: anew.weight(0b11), 2: anew.weight(0b10)}
        assert asked.weight_by_key == anew.weight_by_key == weights
        assert asked.rarest(0b01) == anew.rarest(0b01) < unknown
        assert asked.mask_in("zebra lion") == 0b11

    def test_a_known_word_is_taken_as_it_is(self, store: Store) -> None:
        fill(store, "form", "from", "farm")
        words = Words(store.search, "farm")
        assert not words.respell()
        assert set(words.masks) == {3}

    def test_whole_words_and_not_stems_are_compared_for_typos(self, store: Store) -> None:
        fill(store, "a red door", "we rely on it", "ready to go")
        words = Words(store.search, "redis")
        assert not words.respell()
        assert (words.known(), words.variants) == (False, {})

    def test_one_similar_word_of_a_stem_is_enough(self, store: Store) -> None:
        fill(store, "reuse a connection", "an integer", "to integrate")
        conections, interger = Words(store.search, "conections"), Words(store.search, "interger")
        assert (conections.respell(), conections.variants) == (True, {"conect": ["connect"]})
        assert (interger.respell(), interger.variants) == (True, {"interg": ["integ"]})

    @pytest.mark.parametrize("asked", ["5004", "#4100", "utf8", "v2beta", "sha1sum"])
    def test_words_with_a_digit_are_never_corrected(self, store: Store, asked: str) -> None:
        fill(store, "500 errors", "410 and 400", "utf and utf16", "v3beta", "sha sum", "sha2sum")
        assert not Words(store.search, asked).respell()

    @pytest.mark.parametrize(
        ("asked", "other"), [("oauth", "auth"), ("rails", "fails"), ("spring", "string")]
    )
    def test_a_short_word_is_not_taken_for_another_one(self, store: Store, asked: str, other: str) -> None:
        fill(store, other)
        assert not Words(store.search, asked).respell()

    @pytest.mark.parametrize(
        ("asked", "meant"), [("nmae", "name"), ("eror", "error"), ("retyr", "retry"), ("proxxy", "proxy")]
    )
    def test_slips_in_short_words_are_forgiven(self, store: Store, asked: str, meant: str) -> None:
        fill(store, meant)
        assert Words(store.search, asked).respell()

    def test_parts_of_a_name_are_respelled_too(self, store: Store) -> None:
        fill(store, "Deprecate before_first_request")
        words = Words(store.search, "before_frist_request")
        assert words.respell()
        assert words.variants == {"beforefristrequest": ["beforefirstrequest"], "frist": ["first"]}

    def test_the_number_of_corrected_words_of_a_long_query_is_limited(self, store: Store) -> None:
        asked = [f"animal{letter}x" for letter in "abcdefghijkl"]
        fill(store, *[f"animal{letter}y" for letter in "abcdefghijkl"])
        words = Words(store.search, " ".join(asked))
        words.respell()
        assert len(words.variants) == MAX_CORRECTED_WORDS < len(words.terms)


def differ_by_one(one: str, other: str) -> bool:
    """Whether one letter more, less or other, or two swapped, makes one word the other."""
    short, long = sorted((one, other), key=len)
    if len(short) < len(long):
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    apart = [at for at in range(len(one)) if one[at] != other[at]]
    swapped = len(apart) == 2 and apart[0] + 1 == apart[1]
    return len(apart) == 1 or (
        swapped and one[apart[0]] == other[apart[1]] and one[apart[1]] == other[apart[0]]
    )


@given(st.text("abcxyz", min_size=4, max_size=9))
def test_a_spelling_is_one_error_away_and_each_comes_once(term: str) -> None:
    near = spellings(term)
    assert len(near) == len(set(near))
    assert all(differ_by_one(term, other) for other in near)


@given(st.text("abcxyz", min_size=5, max_size=9), st.data())
def test_a_typing_error_works_both_ways(term: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(spellings(term)))
    assert term in spellings(other)


@pytest.mark.parametrize("term", ["", "cat", "x" * 25, "5004", "utf8", "über", "登录"])
def test_short_long_and_foreign_words_and_numbers_are_not_respelled(term: str) -> None:
    assert spellings(term) == []


@pytest.mark.parametrize(
    ("typed", "other"), [("oauth", "auth"), ("auth", "oauth"), ("rails", "fails"), ("spring", "string")]
)
def test_another_letter_or_a_first_one_more_makes_a_short_word_another(typed: str, other: str) -> None:
    assert other not in spellings(typed)


def test_in_a_long_word_any_letter_may_be_wrong() -> None:
    assert {"interceptor"} <= set(spellings("nterceptor")) & set(spellings("interceptir"))


def test_endings_are_for_longer_words() -> None:
    assert inflected(["connect"]) >= {"connect", "connects", "connected", "connecting"}
    assert inflected(["red"]) == {"red"}


class TestIrregularForms:
    def test_a_memory_with_another_form_holds_the_word(self, store: Store) -> None:
        fill(store, "The parser lost its state", "Paint the logo")
        words = Words(store.search, "losing state")
        assert words.unknown == 0
        assert [words.terms_of(mask) for mask in words.masks.values()] == [["lose", "state"]]
        assert words.mask_in("parser lost state") == words.everything

    def test_two_forms_in_a_question_count_once(self, store: Store) -> None:
        fill(store, "The parser lost its state")
        assert Words(store.search, "lose or lost").terms == ["lose"]
