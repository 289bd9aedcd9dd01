"""The calls of the API by name, from plain JSON arguments to an answer; every door goes through here."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from rum.app import brief, forgetting, identity, journals, learning, notes, reading, writing
from rum.app.context import Context
from rum.model.brief import BriefQuestion
from rum.model.errors import InvalidQuery
from rum.model.fact import LearnQuestion
from rum.model.journal_answers import JournalQuestion
from rum.model.parse import nearest, parse
from rum.model.questions import (
    ForgetQuestion,
    IdentityQuestion,
    LinkQuestion,
    ListQuestion,
    RecallQuestion,
    TraceQuestion,
)

Json = dict[str, Any]
Call = Callable[[Context, Json], Struct]
Q = TypeVar("Q")


def _asks(name: str, model: type[Q], use_case: Callable[[Context, Q], Struct]) -> Call:
    """A call whose arguments are one checked question."""
    return lambda context, given: use_case(context, _question(name, model, given))


def _question(name: str, model: type[Q], given: Json) -> Q:
    """A checked question; null for a field says no more than leaving it out."""
    known: tuple[str, ...] = getattr(model, "__struct_fields__", ())
    told = {field: value for field, value in given.items() if value is not None or field not in known}
    return parse(told, model, name)


def _recall(context: Context, given: Json) -> Struct:
    settings = context.settings
    usual: Json = {
        "depth": settings.recall_depth,
        "limit": settings.recall_limit,
        "min_confidence": settings.min_confidence,
    }
    unsaid = {field: value for field, value in usual.items() if given.get(field) is None}
    return reading.recall(context, _question("recall", RecallQuestion, given | unsaid))


def _update(context: Context, given: Json) -> Struct:
    changes = dict(given)
    memory_id = changes.pop("memory_id", None)
    if not isinstance(memory_id, str):
        raise InvalidQuery("update_memory: `memory_id` is required.", field="memory_id")
    return writing.update(context, memory_id, changes)


CALLS: dict[str, Call] = {
    "store": writing.store,
    "update_memory": _update,
    "recall": _recall,
    "trace": _asks("trace", TraceQuestion, reading.trace),
    "list": _asks("list", ListQuestion, reading.listing),
    "link": _asks("link", LinkQuestion, writing.link),
    "identity": _asks("identity", IdentityQuestion, identity.identify),
    "forget": _asks("forget", ForgetQuestion, forgetting.forget),
    "note": notes.call,
    "journal": _asks("journal", JournalQuestion, journals.call),
    "learn": _asks("learn", LearnQuestion, learning.learn),
    "brief": _asks("brief", BriefQuestion, brief.brief),
}
"""What can be called, by the name it has at every door."""


def called(context: Context, name: str, given: Json) -> Struct:
    """The answer to a call."""
    if name not in CALLS:
        near = nearest(name, list(CALLS))
        hint = f" Did you mean `{near}`?" if near else ""
        raise InvalidQuery(f"There is no call `{name}`.{hint}", allowed=list(CALLS), nearest=near)
    return CALLS[name](context, given)


def plain(given: Mapping[str, Any]) -> Json:
    """Arguments as plain JSON values, without the half characters that cutting an emoji in two leaves."""
    try:
        told: Json = msgspec.to_builtins(dict(given), enc_hook=os.fspath)
        try:
            msgspec.json.encode(told)
        except UnicodeEncodeError:
            text = json.dumps(told, ensure_ascii=False).encode("utf-16", "surrogatepass")
            told = json.loads(text.decode("utf-16", "ignore"))
    except TypeError as error:
        raise InvalidQuery(f"Only what JSON can say can be asked or stored: {error}.") from None
    except RecursionError:
        raise InvalidQuery("This is nested too deeply; a memory needs four levels.") from None
    return told
