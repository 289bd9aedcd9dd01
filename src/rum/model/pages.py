"""What the page shows: lists in pages, and the answers that it needs beside those of the calls."""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType

from rum.model.answers import OfferFigures, PendingItem, PendingShown, RecallResult, RetrievedMemory
from rum.model.chapters import ChapterView, Evidence, WisdomView
from rum.model.code import CodeState
from rum.model.memory_layers import Layer
from rum.model.notes import Broken, ListedNote

T = TypeVar("T")
MAX_NODES = 60  # Memories in a graph of causes
Limit = Annotated[int, Meta(ge=1, le=100)]
PAGE = 50
Time = str  # Unix seconds, an ISO date or an age


class Page(Struct, Generic[T], frozen=True, kw_only=True):
    """A part of a list; `next` is the cursor of the next part, null after the last one."""

    items: list[T]
    next: str | None = None
    total: int | UnsetType = UNSET


class Entry(CodeState, frozen=True, kw_only=True):
    """A memory in a list; `unmerged` is the branch of work that is not in the checkout."""

    id: str
    created_at: int
    goal: str
    summary: str
    success: bool
    # Of `unverified`, `partial`, `rejected`, `reverted`, `superseded`, `archived`.
    labels: list[str]
    task_type: str
    agent_id: str
    agent: str
    session_id: str
    tags: tuple[str, ...]
    files: int
    branch: str | None
    origin: str
    unmerged: str | UnsetType = UNSET
    code_since: str | UnsetType = UNSET


class Paging(Layer, frozen=True, kw_only=True):
    """Which part of a list."""

    cursor: str | None = None
    limit: Limit = PAGE


class TimelineRequest(Paging, frozen=True, kw_only=True):
    """Memories by time; every filter that is given must hold."""

    agent: str | None = None
    outcome: Literal["success", "failure", "unverified"] | None = None
    type: str | None = None
    tag: tuple[str, ...] = ()
    session: str | None = None
    file: str | None = None
    since: Time | None = None
    before: Time | None = None
    order: Literal["newest", "oldest"] = "newest"


class DaysRequest(Layer, frozen=True, kw_only=True):
    """Memories by day."""

    agent: str | None = None
    since: Time | None = None
    before: Time | None = None


class DayCount(Struct, frozen=True, kw_only=True):
    """The memories of a day or week, which begins at `start`; `unverified` ones are no failures."""

    day: str
    start: int
    success: int
    failure: int
    unverified: int


class Days(Struct, frozen=True, kw_only=True):
    """Days with work, oldest first."""

    days: list[DayCount]
    since: int
    before: int


class FailingFile(Struct, frozen=True, kw_only=True):
    """A file with failures in the last 90 days, and the newest of them."""

    path: str
    failures: int
    memories: int
    last: int
    last_id: str


class Area(Struct, frozen=True, kw_only=True):
    """A part of the repository that was changed."""

    path: str
    memories: int
    failures: int


class OpenFollowUp(Struct, frozen=True, kw_only=True):
    """Something that a memory left to do."""

    memory_id: str
    goal: str
    text: str
    created_at: int


class OfferOverview(Struct, frozen=True, kw_only=True):
    """Offers since a time, and hooks that had no time to look for any."""

    since: int
    muted: int
    by_kind: list[OfferFigures]


class TokensOfDay(Struct, frozen=True, kw_only=True):
    """The tokens of the texts that were offered on a day."""

    day: str
    tokens: int
    offers: int


class Overview(Struct, frozen=True, kw_only=True):
    """The state of a project's memory: recent work, figures, and what waits."""

    memories: int
    recent: list[Entry]
    weeks: list[DayCount]
    areas: list[Area]
    failing_files: list[FailingFile]
    follow_ups: list[OpenFollowUp]
    review: dict[str, int]
    offers: OfferOverview
    tokens_by_day: list[TokensOfDay]
    pending_vectors: int
    is_index_stale: bool
    warnings: list[str]


class AgentName(Struct, frozen=True):
    """An agent by its id and name."""

    id: str
    name: str


class AgentEntry(Struct, frozen=True, kw_only=True):
    """An agent in a list; one without a name of its own has that of its client."""

    agent_id: str
    name: str
    type: str
    memory_count: int
    last_active: int
    client: str | UnsetType = UNSET
    parent_id: str | UnsetType = UNSET


class FileState(Struct, frozen=True, kw_only=True):
    """A file of a memory, compared with today's: `same`, `changed`, `gone` or `unknown`."""

    path: str
    operation: str
    state: str


class AnchoredCode(Struct, frozen=True, kw_only=True):
    """A piece of code that a memory speaks of: where it was, its state, and its lines then and now.

    `state` is `fresh`, `moved`, `changed`, `gone` or `unknown`; `changed` the share of it that is different.
    """

    path: str
    place: str
    symbol: str
    state: str
    changed: float
    place_now: str | UnsetType = UNSET
    before: list[str] | UnsetType = UNSET  # Unset if git does not have that content
    after: list[str] | UnsetType = UNSET


class LinkedEntry(Struct, frozen=True):
    """A memory that another one is linked to, and how."""

    relation: str
    entry: Entry


class Titled(Struct, frozen=True):
    """A chapter by its id and title."""

    id: str
    title: str


class UseFigures(Struct, frozen=True, kw_only=True):
    """How often something was offered and retrieved, the outcomes, and how useful it is, from -1 to 1."""

    offered: int
    fetched: int
    followed: int
    contradicted: int
    kept: int
    undone: int
    usefulness: float
    access_count: int


class MemoryPage(Struct, frozen=True, kw_only=True):
    """One memory with everything around it."""

    memory: RetrievedMemory
    agent: AgentName
    may_change: bool
    files: list[FileState]
    links: list[LinkedEntry]
    chapters: list[Titled]
    versions: int
    use: UseFigures
    client: str | UnsetType = UNSET  # Whose session it was captured in


class MemoryVersion(Struct, frozen=True, kw_only=True):
    """One version of a memory, with the name of its author."""

    version: int
    changed_at: int
    changed_by: str
    changed_by_name: str
    current: bool
    memory: dict[str, Any]


class SearchResult(RecallResult, frozen=True, kw_only=True):
    """An answer of `recall` with the labels of each memory that has any; see `Entry`."""

    labels: dict[str, list[str]]


class CausesRequest(Layer, frozen=True, kw_only=True):
    """How far to look around a memory."""

    direction: Literal["causes", "effects", "both"] = "both"
    max_nodes: Annotated[int, Meta(ge=1, le=MAX_NODES)] = MAX_NODES


class GraphNode(Struct, frozen=True):
    """A memory and its distance: below 0 for causes, above for effects."""

    entry: Entry
    distance: int


class GraphEdge(Struct, frozen=True):
    """A link as it is stored: the source was caused or blocked by the target, supersedes or reverts it."""

    source: str
    target: str
    type: str


class LeftOutNodes(Struct, frozen=True, kw_only=True):
    """Neighbours that are not shown: how many, and how many of each shown memory."""

    nodes: int
    by_node: dict[str, int]
    complete: bool


class CauseGraph(Struct, frozen=True, kw_only=True):
    """A memory, its causes and effects, and the links between them."""

    root: str
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    left_out: LeftOutNodes


class FilesRequest(Paging, frozen=True, kw_only=True):
    """A folder; empty for the root."""

    path: str = ""


class FileEntry(Struct, frozen=True, kw_only=True):
    """A file or folder that memories touched; without `exact`, there are more than were counted.

    `last` is 0 for a folder with more.
    """

    path: str
    name: str
    is_folder: bool
    memories: int
    failures: int
    last: int
    exact: bool


class FilesPage(Page[FileEntry], frozen=True, kw_only=True):
    """What memories touched within a folder; `here` counts all of them, of the folder or file itself."""

    path: str
    is_folder: bool
    here: FileEntry | UnsetType = UNSET


class FileContent(Struct, frozen=True, kw_only=True):
    """Today's lines of a file, without secrets."""

    path: str
    lines: list[str]
    truncated: bool


class Claim(Struct, frozen=True, kw_only=True):
    """A claim of a chapter or wisdom with its evidence; `list` is the field that it is in."""

    list: str
    text: str
    evidence: Evidence


class ChapterPage(Struct, frozen=True, kw_only=True):
    """A chapter with its members and the evidence for its claims."""

    chapter: ChapterView
    members: list[Entry]
    claims: list[Claim]


class WisdomPage(Struct, frozen=True, kw_only=True):
    """Wisdom with its chapters and the evidence for its claims."""

    wisdom: WisdomView
    chapters: list[Titled]
    claims: list[Claim]


class GroupsRequest(Paging, frozen=True, kw_only=True):
    """Chapters or wisdom with all of these tags."""

    tag: tuple[str, ...] = ()


class NotesPage(Page[ListedNote], frozen=True, kw_only=True):
    """Notes by name, and the files that could not be read."""

    broken: list[Broken]


class FactsRequest(Paging, frozen=True, kw_only=True):
    """Facts whose keys begin like this."""

    prefix: str = ""


class FactRow(CodeState, frozen=True, kw_only=True):
    """A fact in a list."""

    key: str
    value: str
    updated_at: int
    version: int
    set_by: str
    set_by_name: str
    usefulness: float


class RulesRequest(Paging, frozen=True, kw_only=True):
    """Rules that contain these words."""

    q: str = ""


class RuleRow(CodeState, frozen=True, kw_only=True):
    """A rule in a list; `said_at` is when the user said it."""

    id: str
    condition: str
    action: str
    version: int
    set_by: str
    set_by_name: str
    created_at: int
    usefulness: float
    updated_at: int | UnsetType = UNSET
    source: str | UnsetType = UNSET
    said_at: int | UnsetType = UNSET
    about: str | UnsetType = UNSET
    superseded_by: str | UnsetType = UNSET


class OfferedItem(Struct, frozen=True, kw_only=True):
    """A memory or rule that an offer names; `goal` is missing if it is no memory, or there no longer."""

    id: str
    goal: str | UnsetType = UNSET


class OfferItem(Struct, frozen=True, kw_only=True):
    """One offer: when, why, with which text, what it names, and the outcome.

    `tokens` are those of the text; 0 where they were not counted.
    """

    at: float
    kind: str
    why: str
    session: str
    client: str
    text: str
    tokens: int
    outcome: str
    names: list[OfferedItem]
    success: bool | UnsetType = UNSET


class OfferListRequest(Paging, frozen=True, kw_only=True):
    """Offers of a kind, since a time."""

    kind: str | None = None
    since: Time | None = None


class SessionsRequest(Paging, frozen=True, kw_only=True):
    """Sessions of a client."""

    client: str | None = None


class SessionEntry(Struct, frozen=True, kw_only=True):
    """A session with captured turns; `tokens` are those of the texts that were offered in it.

    `about` is its first prompt, or what became of it where its events are no longer kept.
    """

    client: str
    session: str
    first: float
    last: float
    turns: int
    open_turns: int
    memories: int
    offers: int
    tokens: int
    followed: int
    about: str | UnsetType = UNSET


class SessionTurn(Struct, frozen=True, kw_only=True):
    """The work on one prompt and its outcome."""

    turn: str
    agent: str
    first: float
    last: float
    is_open: bool
    outcome: str
    events: int
    memory_id: str | UnsetType = UNSET
    goal: str | UnsetType = UNSET
    why: str | UnsetType = UNSET
    prompt: str | UnsetType = UNSET


class SessionPage(Struct, frozen=True, kw_only=True):
    """A session with its newest turns; `left_out` counts older ones."""

    client: str
    session: str
    first: float
    last: float
    offers: int
    tokens: int
    followed: int
    turns: list[SessionTurn]
    left_out: int


class ReviewRequest(Paging, frozen=True, kw_only=True):
    """What waits, of one kind or of all."""

    kind: str | None = None


class ReviewPage(Page[PendingItem], frozen=True, kw_only=True):
    """What waits for review, the last proposed first."""

    by_kind: dict[str, int]


class SimilarItem(Struct, frozen=True, kw_only=True):
    """Something that a pending item may repeat; `pending` if it waits too."""

    id: str
    goal: str
    likeness: float
    pending: bool


class ReviewItem(PendingShown, frozen=True, kw_only=True):
    """A pending item, and what it may be merged into."""

    similar: list[SimilarItem]


class ReviewKey(Layer, frozen=True, kw_only=True):
    """A pending item by its kind and id."""

    kind: str
    id: str


class SyncTarget(Struct, frozen=True, kw_only=True):
    """A place that this memory is shared with, and how many changes were not sent yet."""

    target: str
    share: str
    auto: bool
    pending: int


class TeamMember(Struct, frozen=True, kw_only=True):
    """A token for the server, without its secret."""

    name: str
    role: str
    created_at: int


class SyncStatus(Struct, frozen=True, kw_only=True):
    """What is shared, with whom, and what stands in the way."""

    share: str
    targets: list[SyncTarget]
    conflicts: int
    team: list[TeamMember]


class SettingRow(Struct, frozen=True, kw_only=True):
    """A setting, its value and where that came from; `allowed` says what it may be."""

    name: str
    value: Any
    default: Any
    origin: str
    about: str
    allowed: str
    editable: bool
    choices: tuple[str, ...] | UnsetType = UNSET


class ProjectName(Struct, frozen=True, kw_only=True):
    """A project; `root` is null where the checkout is elsewhere."""

    id: str
    name: str
    root: str | None


class Me(Struct, frozen=True, kw_only=True):
    """Who asks, and what they may do."""

    version: str
    api: int
    role: str
    name: str
    may_write: bool
    may_review: bool
    is_local: bool
    csrf: str
    project: ProjectName
    memories: int
    now: int
    warnings: list[str]
