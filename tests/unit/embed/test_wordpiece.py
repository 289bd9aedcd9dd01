"""Any text is split into the tokens of the model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.embed.minilm import Model
from rum.embed.wordpiece import LONGEST_TEXT, WordPiece
from unit.embed.golden import Golden

NAMES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
PIECES = (*NAMES, "a", "b", "ab", "##b", "##c", ".", "-", "中", "σ", "ss", "i")


def split(text: str, longest: int = 256) -> list[str]:
    """The pieces of a text by a small vocabulary, without start and end."""
    ids = WordPiece(PIECES, longest).ids(text)
    assert PIECES[ids[0]] == "[CLS]"
    assert PIECES[ids[-1]] == "[SEP]"
    return [PIECES[number] for number in ids[1:-1]]


def test_texts_are_split_as_by_the_original(golden: list[Golden], model: Model):
    for one in golden:
        assert model.ids(one.text) == one.ids, one.text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("ab abb abc", ["ab", "ab", "##b", "ab", "##c"]),
        ("AB Ab", ["ab", "ab"]),
        ("ax b", ["[UNK]", "b"]),
        ("a.b-a", ["a", ".", "b", "-", "a"]),
        ("a中b", ["a", "中", "b"]),
        ("á\u0301 Á", ["a", "a"]),
        ("Σ ΣΣ", ["σ", "[UNK]"]),
        ("İ", ["i"]),
        ("ß", ["[UNK]"]),
        ("a\u00a0b\u2003a\tb\na", ["a", "b", "a", "b", "a"]),
        ("a\u200bb a\x00b a\x1fb a\x85b a\ufffdb", ["ab"] * 5),
        ("a\ud800b", ["ab"]),
        ("[MASK]a[SEP]", ["[MASK]", "a", "[SEP]"]),
        ("[mask]", ["[UNK]", "[UNK]", "[UNK]"]),
        ("", []),
        (" \n\t", []),
    ],
)
def test_case_accents_controls_marks_and_ideographs(text: str, pieces: list[str]):
    assert split(text) == pieces


def test_a_word_of_more_than_a_hundred_characters_is_unknown():
    assert split("a" + "b" * 99) == ["ab", *["##b"] * 98]
    assert split("a" + "b" * 100) == ["[UNK]"]


def test_a_text_that_is_too_long_is_cut():
    assert split("a b " * 10, longest=5) == ["a", "b", "a"]
    assert split("a" + "b" * 50, longest=5) == ["ab", "##b", "##b"]


def test_only_the_beginning_of_a_huge_text_is_read():
    assert split("a" + " " * LONGEST_TEXT + "b") == ["a"]
    assert split("\u00ad" + "a" * 10_000_000) == ["[UNK]"]


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_plain_text_is_split_the_same_beside_other_scripts(text: str):
    # A soft hyphen vanishes, but sends the text the way of all scripts.
    assert split(text) == split("\u00ad" + text)


@given(st.text(alphabet=st.characters()), st.integers(3, 20))
def test_any_text_gives_a_start_an_end_and_no_more_than_fits(text: str, longest: int):
    assert len(split(text, longest)) <= longest - 2
