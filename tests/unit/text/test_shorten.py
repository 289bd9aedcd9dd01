"""Invisible characters are removed, and texts are shortened."""

from __future__ import annotations

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.text.shorten import one_line, without_invisible

# Formatting characters that have ink: signs around Arabic and Kaithi numbers.
PRINTED = {0x06DD, 0x070F, 0x08E2, 0x110BD, 0x110CD, *range(0x0600, 0x0606), 0x0890, 0x0891}
HIDDEN = [
    *(chr(code) for code in range(0x110000) if category(chr(code)) == "Cf" and code not in PRINTED),
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
    *"\u034f\u115f\u1160\u3164\uffa0",
]


def test_invisible_characters_between_letters_are_removed():
    assert [one for one in HIDDEN if without_invisible(f"a{one}b") != "ab"] == []
    assert without_invisible("a" + "".join(HIDDEN) + "b") == "ab"


@pytest.mark.parametrize(
    "text",
    [
        "❤️ ✔️ ©️ 1️⃣",
        "👩‍💻 👨‍👩‍👧 ❤️‍🔥 🏳️‍🌈",
        "می‌خواهم",  # Persian
        "क्‍ष श्री",  # Devanagari
        "日本語 é ﬁ",
        "a\tb\nc",
    ],
)
def test_joiners_needed_by_scripts_and_emoji_stay(text: str):
    assert without_invisible(text) == text


@pytest.mark.parametrize(
    "text", ["a\u200cb", "a\u200d", "a\ufe0f", "1\ufe0f2", "س\u200c\u200d\u200cس", "❤\ufe0f\ufe0f\u200d!"]
)
def test_invisible_characters_are_removed_everywhere_else(text: str):
    bare = "".join(one for one in text if one not in "\u200c\u200d\ufe0f")
    assert without_invisible(text).replace("❤\ufe0f", "❤") == bare


@given(
    st.text(
        st.sampled_from([*"aس1ᠠक❤👩!\n\r\x1b[;m", *"\u200b\u200c\u200d\u2060\ufe0f\u180b\u061c\u00ad\u20e3"])
    )
)
def test_visible_text_is_unchanged(text: str):
    once = without_invisible(text)
    assert without_invisible(once) == once


def test_a_text_on_one_line_is_cut_at_a_word():
    assert one_line(" one\ntwo\u200b\u2028three\t4 ") == "one two three 4"
    assert one_line("one two three", 13) == "one two three"
    assert one_line("one two, three", 10) == "one two…"
    assert one_line("x" * 100, 10) == "x" * 9 + "…"
    assert one_line("a " + "x" * 100, 10) == "a xxxxxxx…"


@given(st.text(), st.integers(1, 40))
def test_the_limit_is_never_exceeded(text: str, most: int):
    assert len(one_line(text, most)) <= most
