"""Find the broken relative links of a Markdown document."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from docs.snippets import fences

INLINE = re.compile(r"\]\(<?([^)\s>]+)>?(?: +\"[^\"]*\")?\)")
REFERENCE = re.compile(r"^ {0,3}\[[^\]]+\]: *<?(\S+?)>?(?: +.*)?$", re.MULTILINE)
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:")


def broken_links(document: Path, root: Path) -> list[str]:
    """Links to files that are missing, are outside the repository or lack the heading."""
    prose = _without_code(document.read_text(encoding="utf-8"))
    targets = [link for link in INLINE.findall(prose) + REFERENCE.findall(prose) if not SCHEME.match(link)]
    return [link for link in targets if not _leads_somewhere(link, document, root)]


def _leads_somewhere(link: str, document: Path, root: Path) -> bool:
    path, _, heading = unquote(link).partition("#")
    target = (document.parent / path).resolve() if path else document
    if not target.is_relative_to(root) or not target.exists():
        return False
    return not heading or heading in _anchors(target)


def _anchors(document: Path) -> set[str]:
    """The anchors of headings as GitHub makes them: lower case, no punctuation, numbered if repeated."""
    seen: dict[str, int] = {}
    anchors: set[str] = set()
    for heading in HEADING.findall(_without_fences(document.read_text(encoding="utf-8"))):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        anchors.add(f"{slug}-{seen[slug]}" if slug in seen else slug)
        seen[slug] = seen.get(slug, 0) + 1
    return anchors


def _without_fences(markdown: str) -> str:
    lines = markdown.splitlines()
    fenced = {number for start, end, _ in fences(lines) for number in range(start, end + 1)}
    return "\n".join(line for number, line in enumerate(lines) if number not in fenced)


def _without_code(markdown: str) -> str:
    return re.sub(r"(`+).+?\1", "", _without_fences(markdown))
