"""Typo correction: one typing error away, and never another known word."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.recall.words import inflected, spellings


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
