"""Check a fence and return the text inside it."""

from __future__ import annotations

import re

from rum.inject.brief import FENCE


def inside(text: str, name: str = FENCE) -> str:
    """The text inside a fence; asserts that it is one fence with the notice."""
    found = re.fullmatch(rf"<({name}-[0-9a-f]{{16}})>\n(.*)\n</\1>\n", text, re.DOTALL)
    assert found, text
    assert text.count(found[1]) == 2
    return found[2]
