"""Lists in pages for Python programs and the page: `rum.pages`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from rum.app.caller import Caller
from rum.app.calls import load, plain_json, public
from rum.app.capture.events import CapturedEventView
from rum.app.pages.lists import cut_after
from rum.model.answers import Diagnosis, ForgottenItem
from rum.model.chapters import ChapterView, WisdomView
from rum.model.fields import parse
from rum.model.pages import (
    AgentEntry,
    AnchoredCode,
    CauseGraph,
    CausesRequest,
    ChapterPage,
    Days,
    DaysRequest,
    Entry,
    FactRow,
    FactsRequest,
    FileContent,
    FilesPage,
    FilesRequest,
    GroupsRequest,
    Me,
    MemoryPage,
    MemoryVersion,
    NotesPage,
    OfferItem,
    OfferListRequest,
    Overview,
    Page,
    Paging,
    ReviewItem,
    ReviewPage,
    ReviewRequest,
    RuleRow,
    RulesRequest,
    SessionEntry,
    SessionPage,
    SessionsRequest,
    SettingRow,
    SyncStatus,
    TimelineRequest,
    WisdomPage,
)

R = TypeVar("R")


@public
class Pages:
    """What an open project has, in pages: each answer has `items`, and in `next` the cursor of the next page.

    Times are Unix seconds, ISO dates or ages, as texts.
    """

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    def _get(self, place: str, *arguments: Any) -> Any:
        with self._caller.locked_call():
            return load(f"app.pages.{place}")(self._caller, *arguments)

    def _request(self, given: dict[str, Any], kind: type[R], what: str) -> R:
        return parse(plain_json(given), kind, what)

    def me(self) -> Me:
        """Who asks, and what they may do."""
        return self._get("administration:me")

    def overview(self) -> Overview:
        """Recent work, success by week, files with failures, follow-ups, and what waits."""
        return self._get("timeline:overview")

    def timeline(self, **filters: Any) -> Page[Entry]:
        """Memories by time; see TimelineRequest for the filters."""
        return self._get("timeline:timeline", self._request(filters, TimelineRequest, "timeline"))

    def days(self, **filters: Any) -> Days:
        """The numbers of memories by day; see DaysRequest."""
        return self._get("timeline:days", self._request(filters, DaysRequest, "days"))

    def agents(self, **paging: Any) -> Page[AgentEntry]:
        """Agents, the last active first."""
        request = self._request(paging, Paging, "agents")
        found: list[AgentEntry] = self._get("timeline:agents")
        page, after = cut_after(found, request.cursor, lambda agent: agent.agent_id, request.limit)
        return Page(items=page, next=after, total=len(found))

    def files(self, path: str = "", **paging: Any) -> FilesPage:
        """What memories touched within a folder."""
        return self._get("timeline:files", self._request({"path": path, **paging}, FilesRequest, "files"))

    def content(self, path: str) -> FileContent:
        """Today's text of a file that some memory touched."""
        return self._get("timeline:content", path)

    def memory(self, memory_id: str) -> MemoryPage:
        """One memory with everything around it; this does not count as a use."""
        return self._get("memory:memory_page", memory_id)

    def versions(self, memory_id: str) -> list[MemoryVersion]:
        """Every version of a memory, oldest first."""
        return self._get("memory:versions", memory_id)

    def anchors(self, memory_id: str) -> list[AnchoredCode]:
        """The code that a memory speaks of, as it was and as it is now."""
        return self._get("anchors:anchors", memory_id)

    def causes(self, memory_id: str, **bounds: Any) -> CauseGraph:
        """The causes and effects of a memory as a graph; see CausesRequest."""
        return self._get("memory:causes", memory_id, self._request(bounds, CausesRequest, "causes"))

    def markdown(self, memory_id: str) -> str:
        """A memory as Markdown."""
        return self._get("memory:as_markdown", memory_id)

    def memory_offers(self, memory_id: str, **paging: Any) -> Page[OfferItem]:
        """The offers of a memory, newest first."""
        return self._get("sessions:memory_offers", memory_id, self._request(paging, Paging, "offers"))

    def offers(self, **filters: Any) -> Page[OfferItem]:
        """Offers, newest first; see OfferListRequest."""
        return self._get("sessions:offers", self._request(filters, OfferListRequest, "offers"))

    def sessions(self, **filters: Any) -> Page[SessionEntry]:
        """Sessions with captured turns, the last active first."""
        return self._get("sessions:sessions", self._request(filters, SessionsRequest, "sessions"))

    def session(self, client: str, session: str) -> SessionPage:
        """A session with its newest turns."""
        return self._get("sessions:session_page", client, session)

    def session_events(self, client: str, session: str, **paging: Any) -> Page[CapturedEventView]:
        """The captured events of a session, newest first."""
        request = self._request(paging, Paging, "events")
        return self._get("sessions:session_events", client, session, request)

    def session_offers(self, client: str, session: str, **paging: Any) -> Page[OfferItem]:
        """The offers of a session, newest first."""
        request = self._request(paging, Paging, "offers")
        return self._get("sessions:session_offers", client, session, request)

    def chapters(self, **filters: Any) -> Page[ChapterView]:
        """Chapters, the last to end first; see GroupsRequest."""
        return self._get("knowledge:chapters", self._request(filters, GroupsRequest, "chapters"))

    def chapter(self, chapter_id: str) -> ChapterPage:
        """A chapter with its memories and evidence."""
        return self._get("knowledge:chapter_page", chapter_id)

    def wisdom(self, **filters: Any) -> Page[WisdomView]:
        """Wisdom, the last to end first; see GroupsRequest."""
        return self._get("knowledge:wisdom", self._request(filters, GroupsRequest, "wisdom"))

    def one_wisdom(self, wisdom_id: str) -> WisdomPage:
        """Wisdom with its chapters and evidence."""
        return self._get("knowledge:wisdom_page", wisdom_id)

    def notes(self, **paging: Any) -> NotesPage:
        """Notes by file name."""
        return self._get("knowledge:notes", self._request(paging, Paging, "notes"))

    def facts(self, **filters: Any) -> Page[FactRow]:
        """Facts by key; see FactsRequest."""
        return self._get("knowledge:facts", self._request(filters, FactsRequest, "facts"))

    def rules(self, **filters: Any) -> Page[RuleRow]:
        """Rules, newest first; see RulesRequest."""
        return self._get("knowledge:rules", self._request(filters, RulesRequest, "rules"))

    def named_path(self, path: str) -> str:
        """The path of a file or folder that memories touched, by its path or by a name that only one has."""
        return self._get("timeline:named_path", path)

    def labels(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """The labels of those memories that have any; see Entry."""
        return self._get("lists:labels", ids)

    def review(self, **filters: Any) -> ReviewPage:
        """What waits for review, the last proposed first; see ReviewRequest."""
        return self._get("administration:review", self._request(filters, ReviewRequest, "review"))

    def review_item(self, kind: str, id: str) -> ReviewItem:
        """A pending item with its evidence, and what says almost the same."""
        return self._get("administration:review_item", kind, id)

    def trash(self, **paging: Any) -> Page[ForgottenItem]:
        """What was forgotten, the last first."""
        return self._get("administration:trash", self._request(paging, Paging, "trash"))

    def sync_status(self) -> SyncStatus:
        """What is shared, and with whom."""
        return self._get("administration:sync_status")

    def doctor(self) -> Diagnosis:
        """Check files, index, permissions, space and settings; others can go on using the memory."""
        return load("app.pages.administration:doctor")(self._caller)

    def settings(self) -> list[SettingRow]:
        """Every setting with its value and where that came from."""
        return self._get("administration:settings")

    def change_setting(self, name: str, value: object) -> SettingRow:
        """Set a harmless setting in the user's config file; None removes it, so that the default applies."""
        return self._get("administration:change_setting", name, value)
