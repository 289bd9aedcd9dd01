"""Stored text cannot control a terminal, forge lines or hide."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.surfaces.cli.views import safe_line, safe_lines


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b2Jclear", "clear"),
        ("\x1b]52;c;aGk=\x07copy", "copy"),
        ("\x1bPqpicture\x1b\\after", "after"),
        ("a\x08b\x00c\x7f", "abc"),
        ("one\rtwo\nthree", "one two three"),
        ("abc\u202edef\u2066", "abcdef"),
        ("seen\U000e0041\U000e0042", "seen"),
        ("tab\there", "tab    here"),
        ("half\ud800", "half"),
        ("\x1b]unfinished", "unfinished"),
        ("[bold]kept[/bold]", "[bold]kept[/bold]"),
        ("日本語 é 👩‍💻", "日本語 é 👩‍💻"),
    ],
)
def test_escape_sequences_and_invisible_characters_are_removed(hostile: str, harmless: str):
    assert safe_line(hostile) == harmless


@given(st.text(st.characters() | st.sampled_from("\x1b\x9b\x9d[];\x07\\\r\n")))
def test_no_control_character_is_left_in_any_text(text: str):
    for line in safe_lines(text):
        assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in line)
        line.encode()


@given(st.text())
def test_a_safe_line_is_one_line(text: str):
    assert len(safe_line(text).splitlines()) <= 1


@pytest.mark.parametrize("introducer", ["\x9d", "\x1b]", "\x1b[", "\x9b1;"])
def test_repeated_unfinished_sequences_leave_no_control_character(introducer: str):
    assert "\x1b" not in safe_line(introducer * 100_000)
