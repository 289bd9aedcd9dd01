"""The calls for chapters and wisdom: loaded with the first of them."""

from __future__ import annotations

from rum.app.call_parsing import Call, asks
from rum.app.chapters import create_chapter, create_wisdom, read_chapters, read_wisdom
from rum.model.chapter_answers import CreateChapterQuestion, ListChaptersQuestion
from rum.model.wisdom_answers import RecallWisdomQuestion, SynthesizeQuestion

CALLS: dict[str, Call] = {
    "create_chapter": asks("create_chapter", CreateChapterQuestion, create_chapter.create),
    "list_chapters": asks("list_chapters", ListChaptersQuestion, read_chapters.listing),
    "synthesize": asks("synthesize", SynthesizeQuestion, create_wisdom.synthesize),
    "recall_wisdom": asks("recall_wisdom", RecallWisdomQuestion, read_wisdom.recall),
}
"""As in `calls.py`."""
