"""A section of ours in somebody's Markdown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.model.errors import InvalidQuery
from rum.store.files import markdown_section

LINES = st.lists(st.sampled_from(["# Title", "words", "", "  ", "<!-- other -->"]), max_size=6)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_a_section_comes_changes_and_goes(lines: list[str], newline: str, ended: bool):
    text = newline.join(lines) + (newline if ended and lines else "")
    once = markdown_section.put(text, "rum", "one\ntwo")
    assert once.startswith(text)
    assert markdown_section.put(once, "rum", "one\ntwo") == once
    other = markdown_section.put(once, "rum", "three")
    assert "three" in other
    assert "two" not in other
    left = markdown_section.drop(other, "rum")
    assert left.rstrip() == text.rstrip()
    assert markdown_section.drop(left, "rum") == left


def test_what_stands_after_it_stays():
    text = markdown_section.put("before\n", "rum", "body") + "after\n"
    assert markdown_section.drop(text, "rum") == "before\n\nafter\n"
    assert markdown_section.put(text, "rum", "new").endswith("after\n")


@pytest.mark.parametrize(
    "text", ["<!-- rum: begin -->", "<!-- rum: end -->", "<!-- rum: end -->\n<!-- rum: begin -->"]
)
def test_marks_that_do_not_go_together_are_refused(text: str):
    with pytest.raises(InvalidQuery, match="once each"):
        markdown_section.put(text, "rum", "body")
