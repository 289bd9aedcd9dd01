from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rum.model.errors import InvalidQuery
from rum.store.files.yaml import load
from rum.store.files.yaml_text import fields, item, key, value

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.text(
    " \t\n\r#:-'\"|>ab\x85\u2028", max_size=30
)
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(
    ["id", "no", "null", "a-b"]
)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=5), st.integers(0, 6))
@example({"content": "a\n"}, 0)
@example({"content": "\x1b\n"}, 0)
@example({"content": "a\n   \nb\n"}, 0)
@example({"content": "a\n\tb\n\n c"}, 2)
def test_what_is_written_reads_back(values: dict[str, Any], indent: int) -> None:
    assert load(fields(values, indent) + "\n", "text") == values
    assert load(item(values, indent) + "\n" + item(values, indent) + "\n", "text") == [values, values]


@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=3))
def test_line_ends_of_another_system_change_nothing(values: dict[str, Any]) -> None:
    assert load((fields(values, 0) + "\n").replace("\n", "\r\n"), "text") == values


def test_it_looks_as_people_write_it() -> None:
    entry = {
        "id": "discovery-001",
        "content": "First line\n  - second\n\nlast\n",
        "note": "one\ntwo",
        "relatedFiles": ["src/auth/", "src/api.ts"],
        "artifacts": [{"path": "a.ts", "lines": 45}, {"path": "b.ts"}],
        "tokensUsed": {"input": 2100},
        "actionItems": [],
        "reversible": True,
        "issue": None,
    }
    assert (
        item(entry, 2)
        == """\
  - id: "discovery-001"
    content: |
      First line
        - second

      last
    note: |-
      one
      two
    relatedFiles:
      - "src/auth/"
      - "src/api.ts"
    artifacts:
      - path: "a.ts"
        lines: 45
      - path: "b.ts"
    tokensUsed:
      input: 2100
    actionItems: []
    reversible: true
    issue: null"""
    )


@pytest.mark.parametrize("wrong", [float("nan"), float("inf"), {1, 2}, object(), {"a": b"x"}])
def test_what_json_cannot_say_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidQuery):
        value({"a": wrong}, 0)


def test_what_a_reader_would_not_take_is_refused() -> None:
    deep: Any = 1
    for _ in range(40):
        deep = [deep]
    with pytest.raises(InvalidQuery, match="nested"):
        value(deep, 0)
    with pytest.raises(InvalidQuery, match="name"):
        key("x" * 200)
