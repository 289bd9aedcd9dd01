"""Instruction files are split by their headings; the graph of the MCP reference memory server is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rum.capture.agent_guides import Section, sections_of
from rum.capture.mcp_memory import Entity, entities_in, memory_fields
from rum.model.errors import InvalidQuery
from rum.store.files import markdown_section

TEXT = """\
Be brief.

# Build

Run `make`.

```sh
# no heading
```

## Empty

## Tests #

Use pytest.

#### Slow ones

Not here.
"""


def test_each_heading_with_text_is_a_section():
    assert sections_of(TEXT, "CLAUDE.md") == [
        Section("CLAUDE.md", "Be brief."),
        Section("Build", "Run `make`.\n\n```sh\n# no heading\n```"),
        Section("Tests", "Use pytest.\n\n#### Slow ones\n\nNot here."),
    ]


def test_sections_written_by_rum_are_left_out():
    assert sections_of(markdown_section.put(TEXT, "rum-knowledge", "## Ours\n\nx"), "a") == sections_of(
        TEXT, "a"
    )


def test_a_long_section_is_split_between_paragraphs():
    text = "# Long\n\n" + "\n\n".join(["word " * 900] * 5)
    found = sections_of(text, "a")
    assert [section.title for section in found] == ["Long", "Long (2)", "Long (3)"]
    assert sum(len(section.content.split()) for section in found) == 4500


@given(st.text(alphabet="#`~\n -ab<!>", max_size=200))
def test_every_section_of_any_guide_has_a_title_and_a_text(text: str):
    for section in sections_of(text, "x.md"):
        assert section.title.strip()
        assert section.content.strip()


LINES = b"""\
{"type":"entity","name":"Ada","entityType":"person","observations":["Speaks  Spanish","Speaks Spanish",7]}
{"type":"relation","from":"Ada","to":"Acme","relationType":"works_at"}

{"type":"entity","name":"Ada","entityType":"other","observations":["Likes tea"]}
"""


def test_lines_of_one_entity_are_merged():
    assert entities_in(LINES) == [
        Entity("Ada", "person", ("Speaks Spanish", "Likes tea"), (("works_at", "Acme"),))
    ]


def test_a_memory_has_observations_and_relations():
    said = memory_fields(entities_in(LINES)[0])
    assert said["intent"]["goal"] == "What is known of Ada (person)"
    assert "Ada works_at Acme" in said["outcome"]["learnings"]


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b'{"type":"x"}', b'{"type":"entity"}', b'{"type":"relation","from":"a"}', b"[" * 9999],
)
def test_an_invalid_line_is_named(line: bytes):
    with pytest.raises(InvalidQuery, match="Line 2"):
        entities_in(b'{"type":"entity","name":"a","observations":["b"]}\n' + line)
