"""The calls of the API by name: one table for every interface; a use case is loaded when first called."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import nullcontext
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any, NamedTuple, TypeVar, cast

import msgspec

from rum.app.caller import Caller
from rum.model.errors import InvalidQuery, StoreMoved
from rum.model.fields import nearest, parse, point_in_time

Json = dict[str, Any]
MAX_TEXT = 50_000  # Characters of a text in a question; a memory's texts are not bounded
_TIMES = {"since", "before"}
MAX_VALUES = 20_000  # Values of a list in a question


class Call(NamedTuple):
    """Where the parts of a call are, as `module:name` within the package."""

    # Takes the caller and the request, or plain JSON arguments if there is no type of request.
    use_case: str
    request: str | None = None
    # Whether it takes the project's lock itself, as it may ask a language model in between.
    locks_itself: bool = False
    # Whether it changes nothing that others see; or those of its actions that do not.
    reads: bool | tuple[str, ...] = False
    settings: Mapping[str, str] = {}  # Fields that a setting decides where the caller does not


# What every interface offers.
CALLS: dict[str, Call] = {
    "store": Call("app.memories.store:store"),
    "update_memory": Call("app.memories.store:update"),
    "recall": Call(
        "app.memories.recall:recall",
        "model.requests:RecallRequest",
        reads=True,
        settings={"depth": "recall_depth", "limit": "recall_limit", "min_confidence": "min_confidence"},
    ),
    "trace": Call("app.memories.recall:trace", "model.requests:TraceRequest", reads=True),
    "why": Call("app.why:why", "model.code:WhyRequest", reads=True),
    "list": Call("app.memories.recall:listing", "model.requests:ListRequest", reads=True),
    "link": Call("app.memories.store:link", "model.requests:LinkRequest"),
    "identity": Call("app.agents:identify", "model.requests:IdentityRequest", reads=("info",)),
    "forget": Call("app.memories.forget:forget", "model.requests:ForgetRequest"),
    "note": Call("app.notes.notes:call", reads=("match", "show", "list")),
    "journal": Call(
        "app.journal.journals:call",
        "model.journal:JournalRequest",
        reads=("show", "trace", "search", "arbiter"),
    ),
    "learn": Call("app.layers.learn:learn", "model.layers:LearnRequest", reads=("get", "list")),
    "layers": Call(
        "app.layers.layers:call",
        "model.layers:LayersRequest",
        locks_itself=True,
        reads=("search", "list", "recall", "stats"),
    ),
    "brief": Call("app.brief.brief:brief", "model.runs:BriefRequest", reads=True),
    "feedback": Call("app.offers:feedback", "model.answers:FeedbackRequest"),
    "create_chapter": Call(
        "app.chapters.create:create_chapter", "model.chapters:CreateChapterRequest", locks_itself=True
    ),
    "list_chapters": Call(
        "app.chapters.read:list_chapters", "model.chapters:ListChaptersRequest", reads=True
    ),
    "synthesize": Call(
        "app.chapters.create:synthesize", "model.chapters:SynthesizeRequest", locks_itself=True
    ),
    "recall_wisdom": Call(
        "app.chapters.read:recall_wisdom", "model.chapters:RecallWisdomRequest", reads=True
    ),
}

# What only Python programs and the command line have, by the name of the method of `Rum`.
PYTHON: dict[str, str] = {
    # Functions of a caller.
    "show": "app.memories.recall:show",
    "answer_sync": "app.sync.hosting:answer_sync",
    "summary": "app.memories.recall:summary",
    "tags": "app.memories.recall:tags",
    "verify": "app.freshness.verify:verify",
    "confirm": "app.freshness.verify:confirm",
    "history": "app.memories.store:history",
    "restore": "app.memories.store:restore",
    "restore_from_trash": "app.memories.trash:restore_from_trash",
    "purge": "app.memories.forget:purge",
    "agents": "app.agents:all_agents",
    "refresh": "app.chapters.create:refresh",
    "extract": "app.runs.extraction:extract",
    "report": "app.upkeep.report:report",
    "archive": "app.upkeep.archive:archive",
    "tidy": "app.upkeep.tidy:tidy",
    "sync": "app.sync.sync:sync",
    "take_in": "app.capture.intake:intake",
    "import_git": "app.imports.git:import_git",
    "import_issues": "app.imports.exports:import_issues",
    "import_transcripts": "app.imports.transcripts:import_transcripts",
    "import_guides": "app.imports.notes:import_guides",
    "export_guide": "app.imports.notes:export_guide",
    "import_graph": "app.imports.exports:import_graph",
    "import_typescript_rum": "app.imports.typescript_rum:import_typescript_rum",
    "import_layers": "app.exchange.layers:import_layers",
    "export_layers": "app.exchange.layers:export_layers",
    "session_offers": "app.session_offers:session_offers",
    "newest_offer": "app.session_offers:newest_offer",
    # Functions of a project.
    "export": "app.exchange.json_lines:export",
    "import_lines": "app.exchange.json_lines:import_lines",
    "captured_events": "app.capture.events:list_events",
    "offers": "app.offers:offers",
    "stats": "app.review.review:stats",
    "merge": "app.upkeep.merge:merge",
    "tokens": "app.upkeep.doctor:spent",
    "doctor": "app.upkeep.doctor:doctor",
    "reindex": "app.upkeep.doctor:reindex",
    "backup": "app.upkeep.doctor:backup",
    "pending": "app.upkeep.tidy:pending",
    "idle": "app.upkeep.tidy:start_idle_process",
    "restore_archived": "app.upkeep.archive:restore",
    # Classes made with a caller.
    "trash": "app.memories.trash:Trash",
    "review": "app.review.review:Review",
    "notes": "app.notes.notes:Notes",
    "journals": "app.journal.journals:Journals",
    "facts": "app.layers.facts:Facts",
    "rules": "app.layers.rules:Rules",
    "chapters": "app.chapters.api:Chapters",
    "wisdom": "app.chapters.api:WisdomApi",
    "layers": "app.layers.layers:layers_of",
    "stored_layers": "app.layers.backends:StoreBackend",
    "run": "app.runs.run:Run",
    "pages": "app.pages.api:Pages",
}


@cache
def load(place: str) -> Any:
    """What stands at `module:name`."""
    module, _, name = place.partition(":")
    return getattr(import_module(f"rum.{module}"), name)


def is_write(name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether a call with these arguments changes something; one that is not known counts as a change."""
    reads = CALLS[name].reads if name in CALLS else False
    return not reads if isinstance(reads, bool) else arguments.get("action") not in reads


_MOST_MOVES = 3  # Moves to another database that a call follows


def call(caller: Caller, name: str, arguments: Mapping[str, Any]) -> Any:
    """The answer of a call of the API to plain JSON arguments."""
    if name not in CALLS:
        near = nearest(name, list(CALLS))
        hint = f" Did you mean `{near}`?" if near else ""
        raise InvalidQuery(f"There is no call `{name}`.{hint}", allowed=list(CALLS), nearest=near)
    found, given = CALLS[name], plain_json(arguments)
    if is_write(name, given):
        caller.check_may_write(name)
    if found.request is not None:
        _check_bounds(name, given)
    for _ in range(_MOST_MOVES):
        try:
            return _run(caller, name, found, given)
        except StoreMoved as moved:  # while the call waited for its turn to write; it wrote nothing
            caller.project.follow(moved.to)
    return _run(caller, name, found, given)


def _run(caller: Caller, name: str, found: Call, arguments: Json) -> Any:
    given = dict(arguments)
    reads = not is_write(name, given)
    with nullcontext() if found.locks_itself else caller.locked_call(reads=reads):
        if found.request is None:
            return load(found.use_case)(caller, given)
        for field, setting in found.settings.items():
            if given.get(field) is None:
                given[field] = getattr(caller.project.settings, setting)
        for field in _TIMES & given.keys():
            if isinstance(text := given[field], str):
                given[field] = _parse_time(text, caller, name, field)
        model = load(found.request)
        # Null for a known field is the same as leaving it out.
        known = model.__struct_fields__
        present = {field: one for field, one in given.items() if one is not None or field not in known}
        return load(found.use_case)(caller, parse(present, model, name))


def _parse_time(text: str, caller: Caller, name: str, field: str) -> int:
    """Unix seconds of a date or an age such as 7d."""
    try:
        return point_in_time(text, caller.project.clock())
    except ValueError as error:
        raise InvalidQuery(f"{name}: `{field}`: {error}", field=field) from None


def _check_bounds(name: str, given: Json) -> None:
    """Refuse what would keep everybody else waiting."""
    for field, one in given.items():
        values = cast("list[Any]", one) if isinstance(one, list) else [one]
        if len(values) > MAX_VALUES:
            raise InvalidQuery(
                f"{name}: `{field}` has {len(values)} values; at most {MAX_VALUES} are allowed.", field=field
            )
        length = max((len(value) for value in values if isinstance(value, str)), default=0)
        if length > MAX_TEXT and name != "brief":  # which cuts its texts
            raise InvalidQuery(
                f"{name}: `{field}` has {length} characters; at most {MAX_TEXT} are allowed.", field=field
            )


def plain_json(arguments: Mapping[str, Any]) -> Json:
    """Arguments as plain JSON values, without the half characters that cutting an emoji in two leaves."""
    try:
        plain: Json = msgspec.to_builtins(dict(arguments), enc_hook=os.fspath)
        try:
            msgspec.json.encode(plain)
        except UnicodeEncodeError:
            text = json.dumps(plain, ensure_ascii=False).encode("utf-16", "surrogatepass")
            plain = json.loads(text.decode("utf-16", "ignore"))
    except TypeError as error:
        raise InvalidQuery(f"Only JSON values can be passed or stored: {error}.") from None
    except RecursionError:
        raise InvalidQuery("This is nested too deeply; a memory needs four levels.") from None
    return plain


C = TypeVar("C", bound=type)
# What the names of our methods begin with; no class that callers write themselves is called so.
PREFIX = "rum."


def public(kind: C) -> C:
    """A class whose methods Python names as RUM's when they are called with the wrong arguments."""
    for owner in kind.__mro__:
        if owner.__module__.startswith(PREFIX):
            for name, member in vars(owner).items():
                method = getattr(member, "__func__", member)  # as a class method has it
                if isinstance(method, FunctionType):
                    method.__qualname__ = f"{PREFIX}{kind.__name__}.{name}"
    return kind
