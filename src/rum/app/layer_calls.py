"""The calls of the other layers, and forgetting, which knows them all: loaded with the first of them."""

from __future__ import annotations

from rum.app.brief import brief
from rum.app.call_parsing import Call, asks
from rum.app.journal import journals
from rum.app.layers import learn_call
from rum.app.memories import forget
from rum.app.notes import notes
from rum.app.offers import history
from rum.model.brief import BriefQuestion
from rum.model.facts import LearnQuestion
from rum.model.journal_answers import JournalQuestion
from rum.model.offers import FeedbackQuestion
from rum.model.questions import ForgetQuestion

CALLS: dict[str, Call] = {
    "forget": asks("forget", ForgetQuestion, forget.forget),
    "note": notes.call,
    "journal": asks("journal", JournalQuestion, journals.call),
    "learn": asks("learn", LearnQuestion, learn_call.learn),
    "brief": asks("brief", BriefQuestion, brief.brief),
    "feedback": asks("feedback", FeedbackQuestion, history.feedback),
}
"""As in `calls.py`."""
