"""Members are added to JSON text and removed, and nothing else in it changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.model.errors import InvalidQuery
from rum.surfaces.install import json_edit

ENTRY = {"command": "rum", "args": ["mcp"]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", '{\n  "a": 1\n}'),
        ('{"b": 2}', '{"b": 2, "a": 1}'),
        ('{"b": 2 // two\n}', '{"b": 2, "a": 1 // two\n}'),
        ('{"b": 2, // two\n}', '{"b": 2, "a": 1, // two\n}'),
        ('{\n\t"b": 2\n}\n', '{\n\t"b": 2,\n\t"a": 1\n}\n'),
        ('{\n    "b": 2,\n}', '{\n    "b": 2,\n    "a": 1,\n}'),
        ('{\r\n  "b": 2\r\n}\r\n', '{\r\n  "b": 2,\r\n  "a": 1\r\n}\r\n'),
        ('{\n  "b": 2 // two\n}', '{\n  "b": 2, // two\n  "a": 1\n}'),
        ('{\n  "b": 2, // two\n}', '{\n  "b": 2, // two\n  "a": 1,\n}'),
        ('{\n  "b": 2\n  // the end\n}', '{\n  "b": 2,\n  "a": 1\n  // the end\n}'),
        ('\ufeff{\n  "b": 2\n}', '\ufeff{\n  "b": 2,\n  "a": 1\n}'),
        ('{\n  "a": 0, // zero\n  "b": 2\n}', '{\n  "a": 1, // zero\n  "b": 2\n}'),
        ("", '{\n  "a": 1\n}\n'),
        ("\ufeff\r\n", '\ufeff{\r\n  "a": 1\r\n}\r\n'),
    ],
)
def test_a_member_is_added_in_the_files_formatting(text: str, expected: str):
    assert json_edit.set_value(text, ("a",), 1) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', "{}"),
        ('{"b": 2, "a": 1}', '{"b": 2}'),
        ('{"a": 1, "b": 2}', '{ "b": 2}'),
        ('{\n  "b": 2,\n  "a": 1,\n}', '{\n  "b": 2,\n}'),
        ('{\n  "b": 2, // two\n  "a": 1\n}', '{\n  "b": 2 // two\n}'),
        ('{\n  // one\n  "a": 1 // it\n}', "{\n  // one\n   // it\n}"),
        ('{"b": 2, /* c */ "a": 1 /* d */ , "e": 3}', '{"b": 2, /* c */  /* d */  "e": 3}'),
        ('{"a": 1 // one\n, "b": 2}', '{ // one\n "b": 2}'),
        ('{"b": 2 // two\n, "a": 1}', '{"b": 2 // two\n }'),
        ('{"b": 2}', '{"b": 2}'),
    ],
)
def test_removing_a_member_keeps_comments(text: str, expected: str):
    assert json_edit.remove(text, ("a",)) == expected


def test_objects_that_are_empty_then_are_removed_too():
    assert json_edit.remove('{"x": {"y": [{"z": 1}]}, "b": 2}', ("x", "y", 0, "z")) == '{ "b": 2}'
    assert json_edit.remove('{"x": {"y": {"z": 1}}}', ("x", "y", "z")) == "{}"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": 1', 1),
        ('{\n"a" 1}', 2),
        ("{'a': 1}", 1),
        ('{"a": nan}', 1),
        ('{"a": 01}', 1),
        ('{"a": 1} x', 1),
        ('{"a": 1,,}', 1),
        ('{\n\n"a": [1 2]}', 3),
        ('{"a": "\n"}', 1),
        ("[" * 5000, 1),
        ("/* never closed", 1),
    ],
)
def test_invalid_json_is_refused_with_its_line(text: str, line: int):
    with pytest.raises(InvalidQuery, match=r"line|nested") as caught:
        json_edit.parse(text)
    assert caught.value.details.get("line", line) == line


@pytest.mark.parametrize("text", ['{"hooks": "none"}', '{"hooks": {"Stop": {}}}', "[]", "1"])
def test_a_value_of_another_type_is_not_overwritten(text: str):
    with pytest.raises(InvalidQuery, match="must be an"):
        json_edit.append(text, ("hooks", "Stop"), {})


BLANK = st.sampled_from(
    ["", " ", "\n", "\t", "\r\n", " // note\n", " /* note */ ", "\n  // a, b: {\r\n  ", "/**/"]
)
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(max_size=8),
)
NAMES = st.text(max_size=6).filter(lambda name: name not in ("rum", "servers"))
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)),
    max_leaves=8,
)


def written(value: Any, draw: Any) -> str:
    """A value in some formatting, with comments."""
    if isinstance(value, dict | list):
        opened, closed = "{}" if isinstance(value, dict) else "[]"
        parts = (
            [f"{json.dumps(k)}{draw(BLANK)}:{draw(BLANK)}{written(v, draw)}" for k, v in value.items()]
            if isinstance(value, dict)
            else [written(v, draw) for v in value]
        )
        text = ",".join(f"{draw(BLANK)}{part}{draw(BLANK)}" for part in parts)
        trailing = "," if parts and draw(st.booleans()) else ""
        return f"{opened}{text}{trailing}{draw(BLANK)}{closed}"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def typed(draw: Any) -> tuple[dict[str, Any], str]:
    value = draw(st.dictionaries(NAMES, VALUES, max_size=4))
    if draw(st.booleans()):
        value["servers"] = draw(st.dictionaries(NAMES, VALUES, max_size=2))
    mark = "\ufeff" if draw(st.booleans()) else ""
    return value, mark + draw(BLANK) + written(value, draw) + draw(BLANK)


@given(typed())
def test_json_in_any_formatting_is_parsed(given: tuple[dict[str, Any], str]):
    value, text = given
    assert json_edit.parse(text).value == value


@given(typed())
def test_adding_and_removing_loses_nothing_in_any_formatting(given: tuple[dict[str, Any], str]):
    value, text = given
    new = json_edit.set_value(text, ("servers", "rum"), ENTRY)
    expected = {**value, "servers": {**value.get("servers", {}), "rum": ENTRY}}
    assert json_edit.parse(new).value == expected
    rest = iter(new)
    assert all(character in rest for character in text), "something of the old text is gone"
    left = json_edit.remove(new, ("servers", "rum"))
    assert without_empty(json_edit.parse(left).value) == without_empty(value)
    if value.get("servers") != {}:
        assert left.count("note") == text.count("note")


def without_empty(value: dict[str, Any]) -> dict[str, Any]:
    return {name: one for name, one in value.items() if name != "servers" or one}


@given(typed())
def test_removing_any_member_keeps_the_others(given: tuple[dict[str, Any], str]):
    value, text = given
    for name in value:
        left = json_edit.remove(text, (name,))
        assert json_edit.parse(left).value == {other: value[other] for other in value if other != name}


@pytest.mark.parametrize("depth", [150, 600])
def test_parts_of_plain_json_are_parsed_on_demand(depth: int):
    inner = "[" * depth + "1" + "]" * depth
    text = f'{{"a": {inner}, // mine\n "b": {{"c": 1, "c": 2}}}}'
    node = json_edit.parse(text)
    assert node.value["b"] == {"c": 2}
    part = node.part("b")
    assert part is not None
    found = part.node.part("c")
    assert found is not None
    assert text[found.start : found.node.end] == '"c": 2'
