"""Private text and RUM's own output are removed from events."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.events.cleaning import BRIEF, JOURNAL, without_own, without_private, without_private_parts
from rum.text.fence import fenced


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a <private>b</private> c", "a [private] c"),
        ("a <PRIVATE>b</Private> c <private>d</private>", "a [private] c [private]"),
        ("a <private>b <private>c</private> d</private> e", "a [private] e"),
        ("a <private>b", "a [private]"),
        ('a <private reason="x">b</private>', "a [private]"),
        ("a </private> b", "a </private> b"),
        ("a <privately> b", "a <privately> b"),
        ("", ""),
    ],
)
def test_private_text_is_replaced(text: str, kept: str):
    assert without_private(text) == kept


@pytest.mark.parametrize("name", [BRIEF, JOURNAL, "rum-warning"])
def test_briefs_journals_and_offers_are_removed(name: str):
    assert without_own(f"Before {fenced(name, 'what was known', 'A notice.')}after") == "Before \nafter"
    assert without_own(f"a <{name}>look</{name}> b") == "a  b"


def test_an_unclosed_tag_is_kept():
    assert without_own(f"What is <{BRIEF}> for?") == f"What is <{BRIEF}> for?"


@given(st.lists(st.sampled_from(["<private>", "</private>", "<rum-offer>", "</rum-offer>", "x", "\n", "<"])))
def test_removing_private_text_twice_changes_nothing_more(parts: list[str]):
    once = without_private("".join(parts))
    assert without_private(once) == once


@given(st.text(), st.text())
def test_text_between_private_tags_is_always_removed(before: str, inside: str):
    marked = f"{before}<private>SECRET{inside}</private>"
    assert "SECRET" not in without_private_parts(marked).replace(before, "")
