"""The table of the API's routes: what each takes and answers, and the method of `Rum` that it calls."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta
from msgspec.structs import asdict

from rum.app.calls import CALLS
from rum.app.capture.events import CapturedEventView
from rum.app.rum import Rum
from rum.model import answers, chapters, layers, notes, pages
from rum.model.answers import Reviewed
from rum.model.code import ConfirmResult, VerifyResult, WhyResult
from rum.model.memory_layers import Layer, TaskType
from rum.model.pages import Page
from rum.surfaces.web.routes import Asked, Handler, NoParameters, Route

_Json = dict[str, Any]


class SearchRequest(Layer, frozen=True, kw_only=True):
    """A recall in a browser's words; see `recall`."""

    q: str | None = None
    file: tuple[str, ...] = ()
    type: str | None = None
    agent: str | None = None
    session: str | None = None
    tag: tuple[str, ...] = ()
    since: str | None = None
    before: str | None = None
    outcome: Literal["success", "failure"] | None = None
    superseded: bool = False
    similar: bool = False
    min_confidence: float | None = None
    limit: pages.Limit = 20


class TagsRequest(Layer, frozen=True, kw_only=True):
    """Tags that begin like this."""

    prefix: str = ""
    limit: pages.Limit = pages.PAGE


class PathRequest(Layer, frozen=True, kw_only=True):
    """A file."""

    path: str


class StaleRequest(Layer, frozen=True, kw_only=True):
    """Files or folders to compare; all if there are none."""

    file: tuple[str, ...] = ()
    limit: pages.Limit = 100


class StaleIds(Layer, frozen=True, kw_only=True):
    """Memories by id, notes by slug, facts by key, rules by id; `kind` if two kinds have one of them."""

    ids: Annotated[tuple[str, ...], Meta(min_length=1, max_length=100)]
    kind: str | None = None


class WhyLines(Layer, frozen=True, kw_only=True):
    """Lines of a file, or a symbol in it."""

    path: str
    line: Annotated[int, Meta(ge=1)] | None = None
    end: Annotated[int, Meta(ge=1)] | None = None
    symbol: str | None = None
    max_tokens: int | None = None


class RestoreVersion(Layer, frozen=True, kw_only=True):
    """The version to restore."""

    version: Annotated[int, Meta(ge=1)]


class NamedItem(Layer, frozen=True, kw_only=True):
    """An item by its id; `kind` is only needed if two kinds have this id."""

    id: str
    kind: str | None = None


class GivenValue(Layer, frozen=True, kw_only=True):
    """The new value of a setting; null for the default."""

    value: Any


class FactValue(Layer, frozen=True, kw_only=True):
    """The new value of a fact."""

    value: str


class ReviewKeys(Layer, frozen=True, kw_only=True):
    """Pending items, of which all are decided, or none."""

    items: Annotated[tuple[pages.ReviewKey, ...], Meta(min_length=1, max_length=100)]


class ReviewChanges(Layer, frozen=True, kw_only=True):
    """The fields that change."""

    changes: _Json


class MergeInto(Layer, frozen=True, kw_only=True):
    """The item that says the same."""

    into: str


def _search(rum: Rum, asked: Asked) -> object:
    request: SearchRequest = asked.request
    found = rum.call(
        "recall",
        {
            "query": request.q,
            "file": [rum.pages.named_path(one) for one in request.file] or None,
            "task_type": request.type,
            "agent_id": request.agent,
            "session_id": request.session,
            "tags": list(request.tag),
            "since": request.since,
            "before": request.before,
            "success_only": request.outcome == "success",
            "failures_only": request.outcome == "failure",
            "include_superseded": request.superseded,
            "include_similar": request.similar,
            "min_confidence": request.min_confidence,
            "limit": request.limit,
            "depth": "outcome",
            "explain": True,
        },
    )
    shown: list[answers.RetrievedMemory] = getattr(found, "memories", [])
    return pages.SearchResult(**asdict(found), labels=rum.pages.labels([one.id for one in shown]))


def _update(rum: Rum, asked: Asked) -> object:
    changes: _Json = asked.request
    return rum.call("update_memory", {**changes, "memory_id": asked.path["id"]})


def _restore_version(rum: Rum, asked: Asked) -> object:
    request: RestoreVersion = asked.request
    return rum.restore(asked.path["id"], request.version)


def _why(rum: Rum, asked: Asked) -> object:
    request: WhyLines = asked.request
    lines = f":{request.line or 1}" + (f"-{request.end}" if request.end else "")
    target = request.path + (f"#{request.symbol}" if request.symbol else lines)
    return rum.call("why", {"target": target, "max_tokens": request.max_tokens})


def _tags(rum: Rum, asked: Asked) -> Page[answers.Tag]:
    wanted = asked.request.prefix.casefold()
    found = [one for one in rum.tags() if one.tag.casefold().startswith(wanted)]
    return Page(items=found[: asked.request.limit], total=len(found))


def _all(found: Any) -> Page[Any]:
    """A list that is never long, as a page."""
    return Page(items=list(found))


def _decide(rum: Rum, asked: Asked, verdict: str) -> Page[Reviewed]:
    """Accept or reject items of several kinds; those of one kind all or none."""
    by_kind: dict[str, list[str]] = {}
    for key in asked.request.items:
        by_kind.setdefault(key.kind, []).append(key.id)
    for kind, ids in by_kind.items():  # nothing is decided if one of them is not there
        for one in ids:
            rum.review.show(one, kind)
    decide = getattr(rum.review, verdict)
    return _all(one for kind, ids in by_kind.items() for one in decide(*ids, kind=kind))


def _call(name: str) -> Route:
    def run(rum: Rum, asked: Asked) -> object:
        return rum.call(name, asked.request)

    about = f"The call `{name}`, as in MCP, Python and the command line."
    # Whether it changes something depends on its arguments, and the call itself checks that.
    return Route("POST", f"calls/{name}", about, run, _Json, _Json, is_write=False)


def _forget(path: str, kind: str) -> Route:
    def run(rum: Rum, asked: Asked) -> object:
        return rum.forget(asked.path["id"], kind=kind)

    about = f"Move a {kind} into the trash for 30 days."
    return Route("POST", f"{path}/{{id}}/forget", about, run, answers.ForgetResult)


def _get(path: str, about: str, answer: Any, handler: Handler, request: Any = NoParameters) -> Route:
    return Route("GET", path, about, handler, answer, request)


def _change(
    method: str, path: str, about: str, handler: Handler, answer: Any, request: Any = NoParameters
) -> Route:
    return Route(method, path, about, handler, answer, request)


ROUTES: tuple[Route, ...] = (
    _get("me", "Who you are, and what you may do.", pages.Me, lambda rum, _: rum.pages.me()),
    _get("overview", "The state of the memory.", pages.Overview, lambda rum, _: rum.pages.overview()),
    _get("doctor", "Problems of the memory's files.", answers.Diagnosis, lambda rum, _: rum.pages.doctor()),
    _get(
        "timeline",
        "Memories by time.",
        Page[pages.Entry],
        lambda rum, asked: rum.pages.timeline(**asked.given),
        pages.TimelineRequest,
    ),
    _get(
        "days",
        "Numbers of memories by day.",
        pages.Days,
        lambda rum, asked: rum.pages.days(**asked.given),
        pages.DaysRequest,
    ),
    _get(
        "agents",
        "The agents, the last active first.",
        Page[pages.AgentEntry],
        lambda rum, asked: rum.pages.agents(**asked.given),
        pages.Paging,
    ),
    _get("tags", "The tags, the most used first.", Page[answers.Tag], _tags, TagsRequest),
    _get("task_types", "The kinds of work.", Page[str], lambda _, __: _all(one.value for one in TaskType)),
    _get("search", "Memories that answer a question.", pages.SearchResult, _search, SearchRequest),
    # Memories
    _get(
        "memories/{id}",
        "One memory with everything around it.",
        pages.MemoryPage,
        lambda rum, asked: rum.pages.memory(asked.path["id"]),
    ),
    _get(
        "memories/{id}/history",
        "Every version, oldest first.",
        Page[pages.MemoryVersion],
        lambda rum, asked: _all(rum.pages.versions(asked.path["id"])),
    ),
    _get(
        "memories/{id}/offers",
        "Its offers, newest first.",
        Page[pages.OfferItem],
        lambda rum, asked: rum.pages.memory_offers(asked.path["id"], **asked.given),
        pages.Paging,
    ),
    _get(
        "memories/{id}/causes",
        "Its causes and effects as a graph.",
        pages.CauseGraph,
        lambda rum, asked: rum.pages.causes(asked.path["id"], **asked.given),
        pages.CausesRequest,
    ),
    _get(
        "memories/{id}/anchors",
        "The code that it speaks of, as it was and as it is now.",
        Page[pages.AnchoredCode],
        lambda rum, asked: _all(rum.pages.anchors(asked.path["id"])),
    ),
    _get(
        "memories/{id}/markdown",
        "The memory as Markdown.",
        str,
        lambda rum, asked: rum.pages.markdown(asked.path["id"]),
    ),
    _change(
        "PATCH",
        "memories/{id}",
        "Change what is given; see the call update_memory.",
        _update,
        answers.UpdateResult,
        _Json,
    ),
    _change(
        "POST",
        "memories/{id}/restore",
        "Restore an earlier version.",
        _restore_version,
        answers.UpdateResult,
        RestoreVersion,
    ),
    _forget("memories", "memory"),
    _change(
        "POST",
        "links",
        "Link two memories; see the call link.",
        lambda rum, asked: rum.call("link", asked.request),
        answers.LinkResult,
        _Json,
    ),
    _change(
        "POST",
        "feedback",
        "Say whether something was useful; see the call feedback.",
        lambda rum, asked: rum.call("feedback", asked.request),
        answers.FeedbackResult,
        _Json,
    ),
    # Files
    _get(
        "files",
        "What memories touched within a folder.",
        pages.FilesPage,
        lambda rum, asked: rum.pages.files(**asked.given),
        pages.FilesRequest,
    ),
    _get(
        "content",
        "Today's text of a file that a memory touched.",
        pages.FileContent,
        lambda rum, asked: rum.pages.content(asked.request.path),
        PathRequest,
    ),
    _get("why", "Why code is as it is.", WhyResult, _why, WhyLines),
    _get(
        "stale",
        "Memories, notes, facts and rules about code that has changed since.",
        VerifyResult,
        lambda rum, asked: rum.verify(*asked.request.file, limit=asked.request.limit),
        StaleRequest,
    ),
    _change(
        "POST",
        "stale/confirm",
        "Say that memories, notes, facts or rules hold for the code as it is now.",
        lambda rum, asked: rum.confirm(*asked.request.ids, kind=asked.request.kind),
        ConfirmResult,
        StaleIds,
    ),
    # Knowledge
    _get(
        "chapters",
        "Chapters, the last to end first.",
        Page[chapters.ChapterView],
        lambda rum, asked: rum.pages.chapters(**asked.given),
        pages.GroupsRequest,
    ),
    _get(
        "chapters/{id}",
        "A chapter with its memories and evidence.",
        pages.ChapterPage,
        lambda rum, asked: rum.pages.chapter(asked.path["id"]),
    ),
    _change(
        "POST",
        "chapters/{id}/refresh",
        "Write the chapter again from its memories.",
        lambda rum, asked: rum.refresh(asked.path["id"]),
        chapters.RefreshResult,
    ),
    _forget("chapters", "chapter"),
    _get(
        "wisdom",
        "Wisdom, the last to end first.",
        Page[chapters.WisdomView],
        lambda rum, asked: rum.pages.wisdom(**asked.given),
        pages.GroupsRequest,
    ),
    _get(
        "wisdom/{id}",
        "Wisdom with its chapters and evidence.",
        pages.WisdomPage,
        lambda rum, asked: rum.pages.one_wisdom(asked.path["id"]),
    ),
    _change(
        "POST",
        "wisdom/{id}/refresh",
        "Write the wisdom again from its chapters.",
        lambda rum, asked: rum.refresh(asked.path["id"]),
        chapters.RefreshResult,
    ),
    _forget("wisdom", "wisdom"),
    _get(
        "notes",
        "Notes by file name.",
        pages.NotesPage,
        lambda rum, asked: rum.pages.notes(**asked.given),
        pages.Paging,
    ),
    _get(
        "notes/{id}",
        "A note with its entries.",
        notes.NoteShown,
        lambda rum, asked: rum.notes.show(asked.path["id"]),
    ),
    _change(
        "POST",
        "notes",
        "Add an entry to the note of its title.",
        lambda rum, asked: rum.notes.add(**asked.given),
        notes.NoteAdded,
        notes.NoteDraft,
    ),
    _forget("notes", "note"),
    _get(
        "facts",
        "Facts by key.",
        Page[pages.FactRow],
        lambda rum, asked: rum.pages.facts(**asked.given),
        pages.FactsRequest,
    ),
    _get(
        "facts/{id}/history",
        "Every value, oldest first.",
        Page[layers.FactVersion],
        lambda rum, asked: _all(rum.facts.history(asked.path["id"])),
    ),
    _change(
        "PUT",
        "facts/{id}",
        "Set a fact; the former value goes into its history.",
        lambda rum, asked: rum.facts.set(asked.path["id"], asked.request.value),
        layers.Fact,
        FactValue,
    ),
    _forget("facts", "fact"),
    _get(
        "rules",
        "Rules, newest first.",
        Page[pages.RuleRow],
        lambda rum, asked: rum.pages.rules(**asked.given),
        pages.RulesRequest,
    ),
    _get(
        "rules/{id}/history",
        "Every version, oldest first.",
        Page[layers.RuleVersion],
        lambda rum, asked: _all(rum.rules.history(asked.path["id"])),
    ),
    _change(
        "POST",
        "rules",
        "Add a rule.",
        lambda rum, asked: rum.rules.add(asked.request.condition, asked.request.action),
        layers.Rule,
        layers.GivenRule,
    ),
    _change(
        "PUT",
        "rules/{id}",
        "Change a rule; the former text goes into its history.",
        lambda rum, asked: rum.rules.set(asked.path["id"], asked.request.condition, asked.request.action),
        layers.Rule,
        layers.GivenRule,
    ),
    _forget("rules", "rule"),
    # Sessions and offers
    _get(
        "sessions",
        "Sessions with captured turns, the last active first.",
        Page[pages.SessionEntry],
        lambda rum, asked: rum.pages.sessions(**asked.given),
        pages.SessionsRequest,
    ),
    _get(
        "sessions/{client}/{session}",
        "A session with its newest turns.",
        pages.SessionPage,
        lambda rum, asked: rum.pages.session(**asked.path),
    ),
    _get(
        "sessions/{client}/{session}/events",
        "Its captured events, newest first.",
        Page[CapturedEventView],
        lambda rum, asked: rum.pages.session_events(**asked.path, **asked.given),
        pages.Paging,
    ),
    _get(
        "sessions/{client}/{session}/offers",
        "Its offers, newest first.",
        Page[pages.OfferItem],
        lambda rum, asked: rum.pages.session_offers(**asked.path, **asked.given),
        pages.Paging,
    ),
    _get(
        "offers",
        "Offers, newest first.",
        Page[pages.OfferItem],
        lambda rum, asked: rum.pages.offers(**asked.given),
        pages.OfferListRequest,
    ),
    # Review
    _get(
        "review",
        "What waits for review, the last proposed first.",
        pages.ReviewPage,
        lambda rum, asked: rum.pages.review(**asked.given),
        pages.ReviewRequest,
    ),
    _change(
        "POST",
        "review/accept",
        "Keep pending items.",
        lambda rum, asked: _decide(rum, asked, "accept"),
        Page[Reviewed],
        ReviewKeys,
    ),
    _change(
        "POST",
        "review/reject",
        "Delete pending items for good.",
        lambda rum, asked: _decide(rum, asked, "reject"),
        Page[Reviewed],
        ReviewKeys,
    ),
    _get(
        "review/{kind}/{id}",
        "A pending item with its evidence.",
        pages.ReviewItem,
        lambda rum, asked: rum.pages.review_item(**asked.path),
    ),
    _change(
        "POST",
        "review/{kind}/{id}/edit",
        "Keep a pending item with other content.",
        lambda rum, asked: rum.review.edit(asked.path["id"], asked.request.changes, kind=asked.path["kind"]),
        Reviewed,
        ReviewChanges,
    ),
    _change(
        "POST",
        "review/{kind}/{id}/merge",
        "Unite a pending item with another one that says the same.",
        lambda rum, asked: rum.review.merge(asked.path["id"], asked.request.into, kind=asked.path["kind"]),
        Reviewed,
        MergeInto,
    ),
    # Administration
    _get("sync", "What is shared, and with whom.", pages.SyncStatus, lambda rum, _: rum.pages.sync_status()),
    _get(
        "settings",
        "Every setting, and where its value came from.",
        Page[pages.SettingRow],
        lambda rum, _: _all(rum.pages.settings()),
    ),
    _change(
        "PUT",
        "settings/{id}",
        "Change a harmless setting in the user's config file.",
        lambda rum, asked: rum.pages.change_setting(asked.path["id"], asked.request.value),
        pages.SettingRow,
        GivenValue,
    ),
    _get(
        "trash",
        "What was forgotten, the last first.",
        Page[answers.ForgottenItem],
        lambda rum, asked: rum.pages.trash(**asked.given),
        pages.Paging,
    ),
    _change(
        "POST",
        "trash/restore",
        "Put a forgotten item back.",
        lambda rum, asked: rum.restore(asked.request.id, kind=asked.request.kind),
        answers.RestoreResult,
        NamedItem,
    ),
    _change(
        "POST",
        "trash/delete",
        "Delete a forgotten item for good.",
        lambda rum, asked: rum.trash.empty(asked.request.id, kind=asked.request.kind),
        answers.TrashEmptied,
        NamedItem,
    ),
    *map(_call, CALLS),
)
