"""The calls for chapters and wisdom: loaded with the first of them."""

from __future__ import annotations

from rum.app import chapter_reading, chapter_writing, wisdom_reading, wisdom_writing
from rum.app.asking import Call, asks
from rum.model.chapter_answers import CreateChapterQuestion, ListChaptersQuestion
from rum.model.wisdom_answers import RecallWisdomQuestion, SynthesizeQuestion

CALLS: dict[str, Call] = {
    "create_chapter": asks("create_chapter", CreateChapterQuestion, chapter_writing.create),
    "list_chapters": asks("list_chapters", ListChaptersQuestion, chapter_reading.listing),
    "synthesize": asks("synthesize", SynthesizeQuestion, wisdom_writing.synthesize),
    "recall_wisdom": asks("recall_wisdom", RecallWisdomQuestion, wisdom_reading.recall),
}
"""As in `calls.py`."""
