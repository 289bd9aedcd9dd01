"""Read Markdown into its parts: headings, paragraphs, list items, table rows, code and quotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

HEADING, PARAGRAPH, ITEM, ROW, CODE, QUOTE = "heading", "paragraph", "item", "row", "code", "quote"
_MAX_NESTING = 20
_TASK = re.compile(r"\[([ xX✓✔-])\]\s+")
_LABEL = re.compile(r"[^\W\d_][^.!?:\n]{0,40}:(?:\s|$)")
_BULLET = re.compile(r"[•·–—*+-]\s|\d{1,2}[.)]\s|[✓✔✅❌☐☑]")
_SHORT_LINE = 60  # A shorter line before one with a capital is a line of its own, no wrapped paragraph
_LINE_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)


class Part(NamedTuple):
    """One part of a document.

    `text` has no marks except those of inline code; a table's row is written with the names of its columns.
    """

    kind: str
    text: str
    level: int = 0  # Of a heading; of an item, how deep its list is nested
    bold: str = ""  # The beginning of the text that is in bold type
    is_checked: bool | None = None  # Of an item of a task list


def parse_markdown(text: str) -> list[Part]:
    """Return the parts of a Markdown document in their order."""
    return list(_parts(_parser().parse(text)))


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt  # noqa: PLC0415 (slow to load)

    return MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")


def _parts(tokens: Sequence[Token]) -> Iterator[Part]:
    lists = quotes = 0
    is_first = False  # Whether the next paragraph begins a list item
    columns: list[str] = []
    cells: list[str] = []
    for at, token in enumerate(tokens):
        match token.type:
            case "bullet_list_open" | "ordered_list_open":
                lists += 1
            case "bullet_list_close" | "ordered_list_close":
                lists -= 1
            case "list_item_open":
                is_first = True
            case "blockquote_open":
                quotes += 1
            case "blockquote_close":
                quotes -= 1
            case "thead_open":
                columns, cells = [], []
            case "thead_close":
                columns = cells
            case "tr_open":
                cells = []
            case "tr_close":
                if columns and cells is not columns and any(cells):
                    yield Part(ROW, _row(columns, cells))
            case "fence" | "code_block":
                yield Part(CODE, token.content.rstrip("\n"))
            case "inline":
                opened = tokens[at - 1].type
                content, bold = _inline(token.children or [])
                if opened in ("th_open", "td_open"):
                    cells.append(" ".join(content.split()))
                elif opened == "heading_open":
                    yield Part(HEADING, content, int(tokens[at - 1].tag[1:]), bold)
                elif quotes:
                    yield Part(QUOTE, content)
                elif lists and is_first:
                    task = _TASK.match(content)
                    done = None if task is None else task[1] != " "
                    yield Part(ITEM, content[task.end() :] if task else content, lists, bold, done)
                elif content:
                    yield Part(PARAGRAPH, content, lists, bold)
                is_first = False
            case _:
                pass


def _row(columns: Sequence[str], cells: Sequence[str]) -> str:
    pairs = zip((*columns, *[""] * len(cells)), cells, strict=False)
    return ", ".join(f"{name}: {cell}" if name else cell for name, cell in pairs if cell)


def _inline(tokens: Iterable[Token]) -> tuple[str, str]:
    """The text of inline tokens, and its beginning in bold type."""
    pieces: list[str] = []
    bold: str | None = None
    in_bold = False
    for token in tokens:
        match token.type:
            case "text" | "text_special":
                pieces.append(token.content)
            case "code_inline":
                pieces.append(f"`{token.content}`")
            case "softbreak" | "hardbreak":
                pieces.append("\n" if token.type == "hardbreak" else "\v")
            case "html_inline":
                pieces.append("\n" if _LINE_BREAK.fullmatch(token.content) else "")
            case "image":
                pieces.append(token.content)
            case "strong_open" if not "".join(pieces).strip():
                in_bold = True
            case "strong_close" if in_bold and bold is None:
                bold, in_bold = "".join(pieces).strip(), False
            case _:
                pass
    return _join_lines("".join(pieces).split("\v")), bold or ""


def _join_lines(lines: Sequence[str]) -> str:
    """One text of the lines of a paragraph: a wrapped line continues, any other begins a new line."""
    text = lines[0].strip()
    for before, written in pairwise(lines):
        line = written.strip()
        ended = before.rstrip().endswith((".", "!", "?", ":", ";", "。", "！", "？", "："))
        short = len(before) < _SHORT_LINE and line[:1].isupper()
        starts = _LABEL.match(line) or _BULLET.match(line)
        text += ("\n" if ended or short or starts else " ") + line
    return text.strip()
