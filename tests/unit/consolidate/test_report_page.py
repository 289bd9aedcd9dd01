"""A report as Markdown: its content, and that texts of others are escaped."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rum.consolidate.report_page import MARK, code, cut, render_report, text
from rum.model.report import (
    Area,
    Counted,
    FailingFile,
    FollowUp,
    Insight,
    Period,
    Report,
    Worker,
)
from rum.text.shorten import without_invisible
from support.builders import NOON


def make_report(said: str = "Fix it", path: str = "src/a.py", **more: Any) -> Report:
    """A report in which everything that others wrote is one text, or one path."""
    filled: dict[str, Any] = {
        "project": said,
        "written_at": NOON,
        "memories": 1200,
        "successes": 1199,
        "superseded": 2,
        "first_at": NOON - 86400,
        "last_at": NOON,
        "periods": (
            Period(
                name="2025-06",
                memories=1200,
                successes=1199,
                kinds=(Counted("bug_fix", 7), Counted("other", 2)),
                areas=(Counted(path, 3),),
            ),
        ),
        "areas": (Area(path=path, memories=3, successes=0, last_at=NOON),),
        "area_count": 2,
        "failing_files": (
            FailingFile(
                path=path, failures=1, memories=3, last_at=NOON, last_id="mem_12345678", last_goal=said
            ),
        ),
        "failing_file_count": 1,
        "failure_categories": (Counted("logic_error", 1),),
        "follow_ups": (FollowUp(text=said, memory_id="mem_12345678", goal=said, at=NOON),),
        "follow_up_count": 4,
        "insights": (
            Insight(
                text=said, supporting=2, against=1, memory_ids=("mem_12345678", said), last_confirmed=NOON
            ),
        ),
        "insight_count": 1,
        "agents": (Worker(agent_id="a", name=said, memories=3, successes=3, sessions=1, last_at=NOON),),
        "agent_count": 1,
    }
    return Report(**(filled | more))


def test_a_report_is_one_page_of_markdown():
    assert (
        render_report(make_report(), str).text
        == f"""\
# Memory report: Fix it

1200 memories by 1 agent, from 2025-06-14 to 2025-06-15: 1199 succeeded (99 %), 1 failed. \
2 more were superseded, and are not counted. As of 2025-06-15 (UTC).

## Over time

| when | memories | success | mostly | where |
| --- | --: | --: | --- | --- |
| 2025-06 | 1200 | 99 % | bug_fix 7, other 2 | `src/a.py` |

## By area

| folder | memories | success | failed | last |
| --- | --: | --: | --: | --- |
| `src/a.py` | 3 | 0 % | 3 | 2025-06-15 |

1 more folder.

## Failures

| file | failed | of | last failure |
| --- | --: | --: | --- |
| `src/a.py` | 1 | 3 | 2025-06-15: Fix it (`12345678`) |

Categories: logic_error 1.

## Open follow-ups

- 2025-06-15: Fix it (after “Fix it”, `12345678`)

3 more follow-ups.

## What was learned

- “Fix it” – 2 memories, 1 against, last 2025-06-15: `12345678`, `Fix it`

## Agents

| agent | memories | success | sessions | last |
| --- | --: | --: | --: | --- |
| Fix it | 3 | 100 % | 1 | 2025-06-15 |

{MARK}
"""
    )


def test_where_there_is_nothing_it_says_what_to_do():
    empty = render_report(Report(project="shop", written_at=NOON), str).text
    assert empty.startswith("# Memory report: shop\n\nThere are no memories yet. Agents store them over MCP")
    since = render_report(Report(project="shop", written_at=NOON, since=NOON), str).text
    assert "No memories since 2025-06-15." in since


HOSTILE = [
    "# Heading",
    "- item",
    "> quote",
    "| a | b |\n|---|---|",
    "\n\n# New page\n\n",
    "</td></table><script>alert(1)</script>",
    "![x](https://evil.example/x.png)",
    "[click](javascript:alert(1))",
    "[ref]: https://evil.example",
    "<https://evil.example>",
    "https://evil.example www.evil.example WWW.evil.example",
    "`code` ``more` ```",
    "\\`not code\\` \\| \\\\|",
    "**bold** __bold__ _em_ *em* ~~gone~~ $x$",
    "&lt;b&gt; &#60;b&#62;",
    "---",
    "===",
    "1. one",
    "    code",
    "<!-- hidden",
    "-->",
    "\x1b[31mred\x1b[0m \x1b]0;title\x07",
    "\u202egpj.exe",
    "http:\ufeff//evil.example",
    "a\u2028# b",
    "```\nrm -rf /\n```",
    "+ x\t| y",
]
PIECES = st.text(st.sampled_from("`\\|*_[]()<>!#&-=+~$:./@ \t\nahtpsw1\x1b\u202e"), max_size=40)


def shape(markdown: str) -> list[str]:
    """What a page is made of, in blocks and in lines, without the words."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    # Text that had no code to stand in is text, which is as good.
    kinds = {"code_inline": "text", "text_special": "text"}
    found = list[str]()
    for token in parser.parse(markdown):
        found.append(token.type)
        for child in token.children or ():
            kind = kinds.get(child.type, child.type)
            if found[-1] != kind:
                found.append(kind)
    return found


PLAIN = shape(render_report(make_report(), without_invisible).text)


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_others_wrote_stays_text(hostile: str):
    _check(hostile)


@given(PIECES | st.text(max_size=60))
@example("_a_")
@example("\\")
@example("&amp;")
def test_any_text_stays_text(said: str):
    _check(said)


def _check(said: str) -> None:
    # An empty cell or name would be another shape, and no danger.
    told = render_report(make_report(f"x {said} x", f"x{said}x"), without_invisible).text
    assert shape(told) == PLAIN
    assert "\x1b" not in told
    assert "\u202e" not in told
    # In code, nothing becomes a link.
    words = re.sub(r"`[^`]*`", "", told)
    assert not re.search(r"(?<!\\)://", words)
    assert not re.search(r"www\.evil", words, re.IGNORECASE)


def test_a_text_is_read_as_it_was_written():
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    for said in ("a_b_c *d* [e](f) <g> `h` \\i | j ~k~ & &amp; $l", "5 < 6 && 7 > 6", "snake_case __init__"):
        (inline,) = parser.parseInline(text(said, 200))
        assert "".join(child.content for child in inline.children or ()) == said
        assert all(child.type in ("text", "text_special") for child in inline.children or ())


def test_names_are_code_where_code_can_say_them():
    assert code("src/a_b.py") == "`src/a_b.py`"
    assert code("a|b") == "a\\|b"
    assert code("a`b") == "a\\`b"
    assert code("") == ""


def test_a_long_text_is_cut_at_a_word():
    assert cut("one two  three\nfour", 12) == "one two…"
    assert cut("one two", 7) == "one two"
    assert cut("x" * 30, 10) == "x" * 9 + "…"


def test_stale_wisdom_and_inexact_follow_ups_are_mentioned():
    told = render_report(
        make_report(insights_from="wisdom", stale_wisdom=2, follow_ups_exact=False), str
    ).text
    assert "## Wisdom\n" in told
    assert "At least 3 more follow-ups." in told
    assert "Stale wisdom: 2. Run `rum refresh`." in told
    unsaid = make_report(insights=(Insight(text="Rest", supporting=0),))
    assert "- “Rest” – supported by no memory\n" in render_report(unsaid, str).text
