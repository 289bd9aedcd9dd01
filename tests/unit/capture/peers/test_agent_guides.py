"""Instruction files are split by their headings."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rum.capture.peers.agent_guides import Section, sections_of
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
