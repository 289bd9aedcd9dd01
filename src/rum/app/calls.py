"""The calls of the API by name, from plain JSON arguments to an answer; every door goes through here."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from rum.app.agents import identity
from rum.app.call_parsing import Call, Json, asks, question
from rum.app.caller import Caller
from rum.app.memories import recall, store
from rum.model.errors import InvalidQuery
from rum.model.parse import nearest
from rum.model.questions import IdentityQuestion, LinkQuestion, ListQuestion, RecallQuestion, TraceQuestion


def _recall(caller: Caller, given: Json) -> Struct:
    settings = caller.project.settings
    usual: Json = {
        "depth": settings.recall_depth,
        "limit": settings.recall_limit,
        "min_confidence": settings.min_confidence,
    }
    unsaid = {field: value for field, value in usual.items() if given.get(field) is None}
    return recall.recall(caller, question("recall", RecallQuestion, given | unsaid))


def _update(caller: Caller, given: Json) -> Struct:
    changes = dict(given)
    memory_id = changes.pop("memory_id", None)
    if not isinstance(memory_id, str):
        raise InvalidQuery("update_memory: `memory_id` is required.", field="memory_id")
    return store.update(caller, memory_id, changes)


def _of_layers(name: str) -> Call:
    """A call of another layer, whose room most sessions never enter."""

    def call(caller: Caller, given: Json) -> Struct:
        from rum.app import layer_calls  # noqa: PLC0415 (half as much again to load as all that recall needs)

        return layer_calls.CALLS[name](caller, given)

    return call


def _of_chapters(name: str) -> Call:
    """A call for chapters or wisdom, which have a room of their own."""

    def call(caller: Caller, given: Json) -> Struct:
        from rum.app import chapter_calls  # noqa: PLC0415 (as above)

        return chapter_calls.CALLS[name](caller, given)

    return call


CALLS: dict[str, Call] = {
    "store": store.store,
    "update_memory": _update,
    "recall": _recall,
    "trace": asks("trace", TraceQuestion, recall.trace),
    "list": asks("list", ListQuestion, recall.listing),
    "link": asks("link", LinkQuestion, store.link),
    "identity": asks("identity", IdentityQuestion, identity.identify),
    **{name: _of_layers(name) for name in ("forget", "note", "journal", "learn", "brief", "feedback")},
    **{
        name: _of_chapters(name)
        for name in ("create_chapter", "list_chapters", "synthesize", "recall_wisdom")
    },
}
"""What can be called, by the name it has at every door."""

TAKES_TURNS = frozenset({"create_chapter", "synthesize"})
"""What takes its turns by itself, as it may ask a language model between them."""


def called(caller: Caller, name: str, given: Json) -> Struct:
    """The answer to a call."""
    if name not in CALLS:
        near = nearest(name, list(CALLS))
        hint = f" Did you mean `{near}`?" if near else ""
        raise InvalidQuery(f"There is no call `{name}`.{hint}", allowed=list(CALLS), nearest=near)
    return CALLS[name](caller, given)


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
