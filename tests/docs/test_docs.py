"""Every snippet in the documentation runs, and every link works."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from docs.links import broken_links
from docs.running import complaints
from docs.snippets import parse, snippets

ROOT = Path(__file__).resolve().parents[2]
RUNNABLE = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALL = sorted({*ROOT.glob("*.md"), *RUNNABLE})


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="documents are run by bash")
@pytest.mark.parametrize("document", RUNNABLE, ids=name)
def test_every_snippet_of_a_document_does_what_the_document_says(document: Path, tmp_path: Path):
    found = snippets(document.read_text(encoding="utf-8"))
    for snippet in found:
        parse(snippet)
    wrong = complaints(found, tmp_path)
    assert not wrong, f"{name(document)}, " + "\n\n".join(wrong)


@pytest.mark.parametrize("document", ALL, ids=name)
def test_every_relative_link_of_a_document_leads_to_a_file_and_heading(document: Path):
    assert broken_links(document, ROOT) == []
