from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rum.model.errors import InvalidQuery
from rum.store.files.journal import outline as outlines
from rum.store.files.journal.outline import outline, plain_outline
from rum.store.files.journal.text import JournalText, with_header
from rum.store.files.yaml import load

LINES = [
    "plain: word",
    "plain: two words  # and a comment",
    'plain: it\'s "odd" [really',
    'folded: one\n  two: {three\n\n  "four',
    'quoted: "say \\"x\\": [\nattempts:\n  - no"',
    "quoted: 'it''s\n- no\nnext: no'",
    "flow: [a, 'b, c', {d: \"]\"}, it's] # [",
    "flow: {a: [1,\n2], # }\nb: 'x\ny'}",
    "flow: []",
    "map:\n  - x\n  - y: z\n    w: |\n      - no\n      attempts:",
    "map:\n- x\n- - y\n  - z",
    'block: |\n  text\n    deeper: [\n\n  "unclosed',
    "block: >-  # why\n    far in\n      further\n    # not a comment",
    "block: |2\n    two spaces more\n  less",
    "block: |+\n  kept\n\n\n",
    "block:\n  |\n  below: it",
    "empty:",
    "empty: ~",
    'next:\n  "on its\n  own line"',
    'next:\n  word\n  "word',
    "'quoted key': 1",
    '"quo\\"ted": 1',
    "url: http://x.y/z#w",
    "time: 12:30",
    "dash: - x",
    "-dash: x",
    'id: "one"',
    'note: "one"  # two "',
    'my key: |\n  "x\n  attempts:',
    'my key: "a\n- no\nnext: no"',
    "words: a\n  - b",
    'words: a\n\n    more "x',
    'words: a\n  b\n  - "c',
    "item:\n  - plain\n  - my key: 'x\n  y'",
    'item:\n  -\n    |\n    x: "',
    "text: |  # why\n  x\n\n\n  # y\n # z",
    "text: |-\n\n    x\n    - y: |",
    "nothing:   # [",
    "nothing:\n\n  # x\n",
]


def indented(text: str, columns: int) -> str:
    """Set in, but for lines that a quote carries to the left edge."""
    lines = text.split("\n")
    if any(mark in text for mark in ('"say', "'it''s", "[1,\n2]", 'key: "a')):
        return "\n".join([" " * columns + lines[0], *lines[1:]])
    return "\n".join(" " * columns + line if line else line for line in lines)


@st.composite
def documents(draw: st.DrawFn) -> str:
    sections: list[str] = []
    between = st.sampled_from(["", "\n", "# comment: [\n", "  # set in\n\n", "   \n"])
    for name in draw(
        st.lists(
            st.sampled_from(["discoveries", "attempts", "context", "'x y'", '"z"', "history"]), unique=True
        )
    ):
        style = draw(st.sampled_from(["list", "map", "line", "flow"]))
        if style == "line":
            piece = draw(st.sampled_from(LINES)).split(": ", 1)
            body = (
                f"{name}: {piece[1]}\n"
                if len(piece) == 2 and "'s\n" not in piece[1] and '"' not in piece[1]
                else f"{name}:\n"
            )
        elif style == "flow":
            body = (
                f"{name}: "
                + draw(st.sampled_from(["[]", "[a, b]", "[\n  {a: 1},\n]", "{}", "[ # c\n]", "[a,\n]\n"]))
                + "\n"
            )
        elif style == "map":
            keys = {
                line.split(":")[0]: line
                for line in draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=4))
            }
            body = f"{name}:\n" + draw(between) + "".join(indented(line, 2) + "\n" for line in keys.values())
        else:
            column = draw(st.sampled_from([0, 2, 4]))
            body = f"{name}:\n" + draw(between)
            for lines in draw(
                st.lists(st.lists(st.sampled_from(LINES), min_size=1, max_size=4), min_size=1, max_size=3)
            ):
                keys = {line.split(":")[0]: line for line in lines}
                inner = "".join(indented(line, column + 2) + "\n" for line in keys.values())
                body += " " * column + "- " + inner[column + 2 :] + draw(between)
        sections.append(draw(between) + body)
    text = (
        draw(st.sampled_from(["", "---\n", "\ufeff"]))
        + "".join(sections)
        + draw(st.sampled_from(["", "...\n", "# end\n"]))
    )
    text = text[:-1] if draw(st.booleans()) else text
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


@settings(max_examples=300)
@given(documents())
def test_it_agrees_with_the_parser_on_sections_and_items(text: str) -> None:
    try:
        value: Any = load(text, "file") or {}
    except InvalidQuery:  # some combinations are no YAML: it is enough that they are come to an end with
        with suppress(InvalidQuery):
            outline(text, "file")
        return
    found = outline(text, "file").sections

    assert [name.replace('\\"', '"') for name in found] == list(value)
    for section, content in zip(found.values(), value.values(), strict=True):
        assert text[section.start : section.value].rstrip().endswith(":")
        assert section.line == text.count("\n", 0, section.start) + 1
        assert (section.flow is not None) == (
            isinstance(content, list | dict) and text[section.value :].lstrip(" ")[:1] in "[{"
        )
        if section.indent is not None:
            bounds = zip(section.items, [*section.items[1:], section.end], strict=True)
            pieces = [load(text[start:end], "item") for start, end in bounds]
            assert pieces == [[one] for one in content]
        if section.flow:
            assert load(text[section.flow[0] : section.flow[1] + 1], "flow") == content


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\na: 2\n", 2, "`a` twice"),
        ("a: 1\n---\nb: 2\n", 2, "several documents"),
        ("a: 1\n...\nb: 2\n", 3, "several documents"),
        ("a:\n\t- b\n", 2, "tab"),
        ("  a: 1\n", 1, "indented"),
        ("- a\n", 1, "top-level key"),
        ("{a: 1}\n", 1, "top-level key"),
        ("words\n", 1, "top-level key"),
        ("a: &x 1\n", 1, "anchor"),
        ("a:\n  - b: !!binary x\n", 2, "tag"),
        ("a:\n  - *x\n", 2, "alias"),
        ('a: "b\nc: d\n', 3, "not valid YAML: found unexpected end"),
        ("a: [b\nc: d\n", 2, "not valid YAML: expected ',' or '\\]'"),
    ],
)
def test_what_cannot_be_edited_safely_is_refused_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(InvalidQuery, match=words) as raised:
        outline(text, "file.yaml")
    assert (raised.value.details["file"], raised.value.details["line"]) == ("file.yaml", line)


@pytest.mark.parametrize(
    ("text", "opened"), [("a: |+\n  x\n\n", True), ("a: |\n  x\n\n", False), ("a: |+\n  x\nb: 1\n", False)]
)
def test_it_knows_whether_a_blank_line_would_become_part_of_a_value(text: str, opened: bool) -> None:
    assert outline(text, "file").open is opened


@pytest.mark.parametrize(
    "line",
    [
        "- " * 50_000,
        " " * 100_000,
        "'" * 100_001,
        '"' + "\\" * 100_000,
        pytest.param("[" * 100_000, marks=pytest.mark.slow),
        "a" * 100_000,
        ": " * 50_000,
    ],
)
def test_long_lines_are_come_to_an_end_with(line: str) -> None:
    for text in (line, f"a:\n  {line}", f"a: {line}", f"a:\n  - b: {line}\n  - c: d\n"):
        with suppress(InvalidQuery):
            outline(text, "file")


ENTRY: dict[str, Any] = {
    "timestamp": "2026-02-14T10:00:00.000Z",
    "content": "One line\n\nand another\n",
    "commands": ["ls", "two\nlines", {"name": "a\nb\n", "reason": "c: d"}],
    "count": -5,
    "odd key": {"a b": None, "e": {}, "f": [True, 1.5]},
}


def test_what_rum_writes_is_outlined_without_parsing() -> None:
    text = with_header("# mine\n", "session", "developer", "2026-02-14T09:00:00.000Z")
    for number in range(3):
        for section in ("discoveries", "attempts", "history"):
            text = JournalText(text, "file").with_entry(section, {"id": f"entry-{number}", **ENTRY})
        text = JournalText(text, "file").with_context({"currentPlanStep": number, "blockers": ["a\nb"]})
    text = text.replace("# mine", "# mine\ndecisions: []  # none yet")

    for written in (text, text.replace("\n", "\r\n")):
        plain = plain_outline(written)
        assert plain is not None
        assert len(plain.sections["attempts"].items) == 3
        parsed = outlines._parsed_outline(written, "file")
        assert _as_lists(plain) == _as_lists(parsed)


@settings(max_examples=300)
@given(documents())
def test_the_plain_outline_is_that_of_the_parser(text: str) -> None:
    plain = plain_outline(text)
    if plain is None:
        return
    try:
        load(text, "file")
    except InvalidQuery:
        return
    assert _as_lists(plain) == _as_lists(outlines._parsed_outline(text, "file"))


def _as_lists(outline: outlines.Outline) -> list[object]:
    return [section._replace(items=list(section.items)) for section in outline.sections.values()]
