"""Memories by time, by day and by file, and the overview of a project."""

from __future__ import annotations

import errno
import os
from collections import defaultdict
from datetime import date, datetime, timedelta

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.pages.lists import cut_page, decode_cursor, entries, moment
from rum.app.project import Project
from rum.consolidate.report_figures import OpenFollowUps
from rum.model.answers import OfferFigures
from rum.model.errors import InvalidQuery, NotFound
from rum.model.fields import parse
from rum.model.memory import UNVERIFIED, LinkType
from rum.model.memory_layers import TaskType
from rum.model.pages import (
    AgentEntry,
    Area,
    DayCount,
    Days,
    DaysRequest,
    Entry,
    FailingFile,
    FileContent,
    FileEntry,
    FilesPage,
    FilesRequest,
    OfferOverview,
    OpenFollowUp,
    Overview,
    Page,
    TimelineRequest,
    TokensOfDay,
)
from rum.recall.files import paths_named
from rum.store.base import ReadMode
from rum.store.browse import EntryQuery
from rum.store.filters import Filters

DAY = 86400
RECENT = 10  # Memories, files and follow-ups in the overview
WEEKS = 26
RECENT_DAYS = 90  # For files with failures and parts of the repository
MAX_DAYS = 400
_TOKEN_DAYS, _OFFER_DAYS = 30, 7
_AREAS = 12
_AREA_DEPTH = 2  # Folders of a path that name a part of the repository
_MAX_FAILURES = 1500  # The newest failures whose files are counted
_MAX_WORK = 800  # The newest memories whose files are counted
_FOLLOWED = 200  # The newest memories that are searched for follow-ups
_MAX_COUNTED = 300  # Rows that are counted of a file or below a folder
_AFTER_FOLDER = "/" + chr(1114111)
_MAX_NAMED = 12  # Paths with the same name that are listed
_MAX_FILE = 200_000  # Bytes of a file that are shown


def timeline(caller: Caller, request: TimelineRequest) -> Page[Entry]:
    """Memories by time, newest first unless asked otherwise."""
    project = caller.project
    query = EntryQuery(
        _filters(project, request),
        request.limit + 1,
        path=named_path(caller, request.file or "") or None,
        unverified=request.outcome == UNVERIFIED,
        after=decode_cursor(request.cursor, tuple[int, str]),
        oldest_first=request.order == "oldest",
    )
    found = project.store.browse.entries(query)
    rows, after = cut_page(found, request.limit, lambda row: (row.created_at, row.id))
    return Page(items=entries(project, rows), next=after)


def _filters(project: Project, request: TimelineRequest) -> Filters:
    success = {"success": True, "failure": False}.get(request.outcome or "")
    return Filters(
        task_type=parse(request.type, TaskType, "type") if request.type else None,
        agent_id=_agent_id(project, request.agent),
        session_id=request.session or None,
        success=success,
        since=moment(project, request.since, "since"),
        before=moment(project, request.before, "before"),
        tags=tuple(filter(None, request.tag)),
        superseded=True,
    )


def _agent_id(project: Project, name: str | None) -> str | None:
    """The id of an agent; one that is not known is an error, as it would look like an empty list."""
    return project.find_id("agent", name) if name else None


def _path(caller: Caller, path: str | None) -> str:
    return caller.relative(path).rstrip("/") if path and path.strip("/ ") else ""


def named_path(caller: Caller, path: str) -> str:
    """A path as memories name it: of a file or folder they touched, or of the only one with this name."""
    asked = _path(caller, path)
    search = caller.project.store.search
    if not asked or _is_known(caller.project, asked) or caller.project.store.browse.children(asked, "", 1, 1):
        return asked
    known = paths_named(search, [asked]).get(asked, [])
    found = {path[: f"{path}/".rindex(f"/{asked}/") + 1 + len(asked)] for path in known}
    if len(found) > 1:
        shown = sorted(found)[:_MAX_NAMED]
        raise InvalidQuery(
            f"{len(found)} files or folders have the name `{asked}`: choose one.", field="file", paths=shown
        )
    return found.pop() if found else asked


def days(caller: Caller, request: DaysRequest) -> Days:
    """The memories of each day of the local time zone; days without work are left out."""
    project = caller.project
    before = moment(project, request.before, "before") or project.now() + 1
    since = moment(project, request.since, "since") or before - RECENT_DAYS * DAY
    if not 0 <= before - since <= MAX_DAYS * DAY:
        raise InvalidQuery(f"From 0 to {MAX_DAYS} days can be counted at a time.", field="since")
    first = date.fromtimestamp(since)
    dates = [first + timedelta(days=number) for number in range((before - since) // DAY + 2)]
    found = _counted(project, dates, 1, since, before, _agent_id(project, request.agent))
    return Days(days=[one for one in found if one.success or one.failure], since=since, before=before)


def _counted(
    project: Project, dates: list[date], length: int, since: int, before: int, agent_id: str | None = None
) -> list[DayCount]:
    """The memories of periods of some days, in order, as far as they are between two times."""
    periods = [(_midnight(one), _midnight(one + timedelta(days=length))) for one in dates]
    bounded = [(max(start, since), min(end, before)) for start, end in periods]
    counts = project.store.browse.count_periods(bounded, agent_id)
    return [
        DayCount(
            day=day.isoformat(),
            start=start,
            success=count.memories - count.failures,
            failure=count.failures,
            unverified=count.unverified,
        )
        for day, (start, _), count in zip(dates, periods, counts, strict=True)
    ]


def _midnight(day: date) -> int:
    """The first second of a day in the local time zone."""
    return int(datetime(day.year, day.month, day.day).timestamp())


def overview(caller: Caller) -> Overview:
    """What happened lately, success by week, files with failures, and what waits."""
    project, store = caller.project, caller.project.store
    now = project.now()
    recent = store.browse.entries(EntryQuery(Filters(superseded=True), _FOLLOWED))
    since = now - RECENT_DAYS * DAY
    failing = store.browse.failing_files(since, _MAX_FAILURES, RECENT)
    offers_since = now - _OFFER_DAYS * DAY
    return Overview(
        memories=store.memories.count(),
        recent=entries(project, recent[:RECENT]),
        weeks=_weeks(project, now),
        areas=_areas(project, since),
        failing_files=[FailingFile(**one._asdict()) for one in failing],
        follow_ups=_follow_ups(project, [row.id for row in reversed(recent)]),
        review=store.trash.count(pending=True),
        offers=OfferOverview(
            since=offers_since,
            muted=store.captured.counts(offers_since).events.get("muted", 0),
            by_kind=[OfferFigures(**one._asdict()) for one in store.activity.offer_counts(offers_since)],
        ),
        tokens_by_day=_tokens_by_day(project, now),
        pending_vectors=project.semantic.counts().pending,
        is_index_stale=store.upkeep.is_index_stale(),
        warnings=list(project.warnings()) if caller.role is None else [],
    )


def _weeks(project: Project, now: int) -> list[DayCount]:
    """The last weeks, those without work too, oldest first."""
    today = date.fromtimestamp(now)
    monday = today - timedelta(days=today.weekday())
    weeks = [monday - timedelta(weeks=number) for number in reversed(range(WEEKS))]
    return _counted(project, weeks, 7, 0, now + DAY)


def _areas(project: Project, since: int) -> list[Area]:
    """The folders with most memories since a time."""
    memories: defaultdict[str, set[str]] = defaultdict(set)
    failed: defaultdict[str, set[str]] = defaultdict(set)
    for path, memory_id, success in project.store.browse.recent_paths(since, _MAX_WORK):
        folders = path.split("/")[:-1]
        area = "/".join(folders[:_AREA_DEPTH]) or path
        memories[area].add(memory_id)
        if not success:
            failed[area].add(memory_id)
    most = sorted(memories, key=lambda area: (-len(memories[area]), area))[:_AREAS]
    return [Area(path=area, memories=len(memories[area]), failures=len(failed[area])) for area in most]


def _follow_ups(project: Project, ids: list[str]) -> list[OpenFollowUp]:
    """What the newest memories, given oldest first, left to do."""
    causes: defaultdict[str, list[str]] = defaultdict(list)
    for source, target, kind in project.store.links.of(ids):
        if kind is LinkType.CAUSED_BY:
            causes[source].append(target)
    left = OpenFollowUps()
    for memory in project.store.memories.get(ids, ReadMode.BEST_EFFORT):
        left.add(memory, causes[memory.id])
    return [
        OpenFollowUp(memory_id=one.memory_id, goal=one.goal, text=one.text, created_at=one.at)
        for one in left.newest(RECENT)
    ]


def _tokens_by_day(project: Project, now: int) -> list[TokensOfDay]:
    """The days of the last weeks on which something was offered, oldest first."""
    today = date.fromtimestamp(now)
    dates = [today - timedelta(days=number) for number in reversed(range(_TOKEN_DAYS))]
    periods = [(float(_midnight(one)), float(_midnight(one + timedelta(days=1)))) for one in dates]
    found = zip(dates, project.store.activity.offer_tokens(periods), strict=True)
    return [
        TokensOfDay(day=day.isoformat(), tokens=tokens, offers=texts)
        for day, (texts, tokens) in found
        if texts
    ]


def agents(caller: Caller) -> list[AgentEntry]:
    """Every agent, the last active first."""
    counts = caller.store.browse.count_by_agent()
    known = sorted(caller.store.agents.all(), key=lambda agent: (agent.last_active, agent.id), reverse=True)
    return [
        AgentEntry(
            agent_id=agent.id,
            name=agent.name or agent.client or agent.id,
            type=agent.type.value,
            memory_count=counts.get(agent.id, 0),
            last_active=agent.last_active,
            client=agent.client or UNSET,
            parent_id=agent.parent_id or UNSET,
        )
        for agent in known
    ]


def files(caller: Caller, request: FilesRequest) -> FilesPage:
    """What memories touched directly within a folder; of a file, only that it is none."""
    project, folder = caller.project, named_path(caller, request.path)
    place = decode_cursor(request.cursor, tuple[str, bool])
    after = "" if place is None else place[0] + (_AFTER_FOLDER if place[1] else "")
    found = project.store.browse.children(folder, after, request.limit + 1, _MAX_COUNTED)
    start = len(folder) + 1 if folder else 0
    page, following = cut_page(found, request.limit, lambda one: (one.path[start:], one.is_folder))
    items = [FileEntry(name=one.path[start:], **one._asdict()) for one in page]
    is_folder = bool(items) or not folder
    if folder and not items and place is None and not _is_known(project, folder):
        raise NotFound(f"No memory touched `{folder}`.", path=folder)
    here = project.store.browse.count_path(folder, is_folder, _MAX_COUNTED) if folder else None
    return FilesPage(
        path=folder,
        is_folder=is_folder,
        here=FileEntry(name=folder.rpartition("/")[2], **here._asdict()) if here else UNSET,
        items=items,
        next=following,
    )


def _is_known(project: Project, path: str) -> bool:
    """Whether some memory touched exactly this file."""
    [(rows, _)], _ = project.store.search.by_paths([[path]], Filters(superseded=True), 1)
    return bool(rows)


def content(caller: Caller, path: str) -> FileContent:
    """Today's text of a file that some memory touched, without secrets."""
    project, relative = caller.project, _path(caller, path)
    if caller.role is not None or not _is_known(project, relative):  # a team's files are elsewhere
        raise NotFound(f"No memory touched `{relative}`, so it is not shown.", path=relative)
    text, truncated = read_text(project, relative)
    return FileContent(path=relative, lines=text.splitlines(), truncated=truncated)


def read_text(project: Project, relative: str) -> tuple[str, bool]:
    """The text of a file inside the checkout, without secrets, and whether its end is left out."""
    root = project.location.root
    if root is None or os.path.isabs(relative):
        raise NotFound(f"`{relative}` is outside of the repository.", path=relative)
    full = os.path.realpath(os.path.join(root, relative))
    if os.path.commonpath([full, os.path.realpath(root)]) != os.path.realpath(root):
        raise NotFound(f"`{relative}` is outside of the repository.", path=relative)
    try:
        if not os.path.isfile(full):
            raise FileNotFoundError(errno.ENOENT, "there is no such file today")
        with open(full, "rb") as file:
            data = file.read(_MAX_FILE + 1)
    except OSError as error:
        raise NotFound(f"`{relative}` cannot be read: {error.strerror}.", path=relative) from None
    if b"\0" in data:
        raise NotFound(f"`{relative}` is not a text file.", path=relative)
    return project.redactor.redact(data[:_MAX_FILE].decode("utf-8", "replace")), len(data) > _MAX_FILE
