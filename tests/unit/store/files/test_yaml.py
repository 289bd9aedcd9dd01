from __future__ import annotations

import io
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from rum.model.errors import InvalidQuery
from rum.store.files.yaml import DEEPEST, LIMIT, MOST, field_name, load, locate

TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n"), max_size=40)
VALUES: Any = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**15), 10**15) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def refused(text: str) -> dict[str, object]:
    with pytest.raises(InvalidQuery) as raised:
        load(text, "file.yaml")
    assert raised.value.message.startswith("file.yaml")
    return raised.value.details


@given(VALUES)
def test_what_another_writer_wrote_reads_back(value: Any) -> None:
    stream = io.StringIO()
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style = False
    writer.dump(value, stream)

    assert load(stream.getvalue(), "file.yaml") == value


@given(st.text(max_size=200))
def test_any_text_gives_a_value_or_a_clear_error(text: str) -> None:
    with suppress(InvalidQuery):
        load(text, "file.yaml")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("# a comment\n", None),
        ("a: ~\nb: Null\nc:\n", {"a": None, "b": None, "c": None}),
        ("a: true\nb: FALSE\nc: yes\nd: on\n", {"a": True, "b": False, "c": "yes", "d": "on"}),
        ("a: -12\nb: 0x1F\nc: 1.5\nd: 1e3\ne: .5", {"a": -12, "b": 31, "c": 1.5, "d": 1000.0, "e": 0.5}),
        ("a: 2026-01-23\nb: 2026-01-23T10:31:05.000Z", {"a": "2026-01-23", "b": "2026-01-23T10:31:05.000Z"}),
        ("a: 12:30\nb: 1_000\nc: .inf\nd: 1.2.3", {"a": "12:30", "b": "1_000", "c": ".inf", "d": "1.2.3"}),
        ("a: '12'\nb: \"true\"\nc: |\n  5\n", {"a": "12", "b": "true", "c": "5\n"}),
        ("1: one\ntrue: two\n", {"1": "one", "true": "two"}),
        ("<<: {a: 1}\n", {"<<": {"a": 1}}),
        ("a: >\n  one\n  two\n\n  three\n", {"a": "one two\nthree\n"}),
        ("---\na: 1\n...\n", {"a": 1}),
        ("\ufeffa: 1\r\nb: |\r\n  x\r\n", {"a": 1, "b": "x\n"}),
        ("a: " + "9" * 5000, {"a": "9" * 5000}),
    ],
)
def test_plain_values_are_those_of_json(text: str, value: object) -> None:
    assert load(text, "file.yaml") == value


@pytest.mark.parametrize(
    ("text", "line", "field", "words"),
    [
        ("a: 1\nb: &x [1]\n", 2, "b", "anchor"),
        ("a: 1\nb: *x\n", 2, "b", "alias"),
        ("a: 1\nb: !!python/object:os.system x\n", 2, "b", "tag"),
        ("a:\n  - b: !ruby/object {}\n", 2, "a[0].b", "tag"),
        ("a: 1\n\na: 2\n", 3, None, "`a` twice"),
        ("a:\n  b: [{c: 1, c: 2}]\n", 2, "a.b[0]", "`c` twice"),
        ("a:\n\t- 1\n", 2, "a", "tab"),
        ("a: 1\n---\nb: 2\n", 2, None, "several documents"),
        ("? [a, b]\n: 1\n", 1, None, "as a key"),
        ("a: [1, 2\nb: 3\n", 2, "a[2]", "not valid YAML"),
        ('a: "x\n', 2, "a", "not valid YAML"),
        ("a: 1\nb: \x01\n", 2, None, "not valid YAML"),
    ],
)
def test_what_is_refused_is_named_with_its_line_and_field(
    text: str, line: int, field: str | None, words: str
) -> None:
    with pytest.raises(InvalidQuery, match=words) as raised:
        load(text, "file.yaml")

    assert f"file.yaml, line {line}" in raised.value.message
    expected = {"file": "file.yaml", "line": line} | ({"field": field} if field else {})
    assert raised.value.details == expected


BOMB = "a: &a [x, x]\n" + "".join(
    f"{n}: &{n} [*{p}, *{p}]\n" for p, n in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BOMB, id="a bomb of aliases"),
        pytest.param("[" * (LIMIT - 1), id="open brackets"),
        pytest.param("- " * (LIMIT // 2), id="lists in lists"),
        pytest.param("a: " + "{a: " * (LIMIT // 8), id="maps in maps"),
        pytest.param("a: [" + "a," * (LIMIT // 2 - 10) + "]", id="very many values", marks=pytest.mark.slow),
        pytest.param("a: " + "!" * (LIMIT - 10), id="one long tag"),
        pytest.param("x" * (10 * LIMIT), id="ten megabytes"),
    ],
)
def test_what_would_take_too_long_is_refused(text: str) -> None:
    assert refused(text)["file"] == "file.yaml"


@pytest.mark.slow
def test_the_limits_are_those_in_the_message() -> None:
    assert refused("- 1\n" * (MOST + 1))["line"] == MOST + 1
    assert load("[" * DEEPEST + "]" * DEEPEST, "file.yaml")
    assert "field" in refused("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1))


def test_each_part_is_found_with_its_line_and_characters() -> None:
    text = 'a: 1\n# comment\nb:\n  - c: "x"  # why\n    d: |\n      y\ne: z\n'
    located = locate(text, "file.yaml")

    def span(*path: str | int) -> tuple[int, str]:
        line, start, end, _ = located.spans[path]
        return line, text[start:end]

    assert span("a") == (1, "1")
    assert span("b", 0, "c") == (4, '"x"')
    assert span("b", 0, "d") == (5, "|\n      y\n")
    assert span("e") == (7, "z")
    assert located.line(("b", 0)) == 4
    assert located.line(("b",)) == 3
    assert located.line(("b", 7, "nothing")) == 3
    assert located.line(("nothing",)) == 1


def test_a_field_is_named_as_people_write_it_and_never_at_length() -> None:
    assert field_name(("attempts", 2, "result")) == "attempts[2].result"
    assert field_name((0, "a")) == "[0].a"
    assert len(field_name(tuple("abcdefgh" * 100))) < 250
    assert len(field_name(("x" * 5000,))) < 100
