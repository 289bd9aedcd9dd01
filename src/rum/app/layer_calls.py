"""The calls of the other layers, and forgetting, which knows them all: loaded with the first of them."""

from __future__ import annotations

from rum.app import brief, forgetting, journals, learning, ledger, notes
from rum.app.asking import Call, asks
from rum.model.brief import BriefQuestion
from rum.model.fact import LearnQuestion
from rum.model.journal_answers import JournalQuestion
from rum.model.offers import FeedbackQuestion
from rum.model.questions import ForgetQuestion

CALLS: dict[str, Call] = {
    "forget": asks("forget", ForgetQuestion, forgetting.forget),
    "note": notes.call,
    "journal": asks("journal", JournalQuestion, journals.call),
    "learn": asks("learn", LearnQuestion, learning.learn),
    "brief": asks("brief", BriefQuestion, brief.brief),
    "feedback": asks("feedback", FeedbackQuestion, ledger.feedback),
}
"""As in `calls.py`."""
