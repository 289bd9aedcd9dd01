"""The answers of RUM: memories cut to a depth, offers and feedback, and what waits for review."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from rum.model.anchors import add_label
from rum.model.code import StaleFile
from rum.model.fields import about
from rum.model.memory import FileRef, LinkedIds, Memory, Origin, RevertLink, Usage, add_revert
from rum.model.memory_layers import Action, ActionDetails, Layer, Outcome, Perception, Reasoning, TaskType
from rum.model.requests import Depth
from rum.text.sentences import split_sentences


class IntentView(Struct, frozen=True, omit_defaults=True):
    """An intent at some depth; always with the goal."""

    goal: str
    task_type: TaskType | UnsetType = UNSET
    context: str = ""
    constraints: tuple[str, ...] = ()


class RetrievedMemory(Struct, frozen=True, kw_only=True):
    """A memory at some depth: fields that the depth leaves out are unset."""

    id: str
    confidence: float
    intent: IntentView
    outcome: Outcome
    match: str | UnsetType = UNSET  # `fuzzy`: found by its meaning alone
    # What became of the code it speaks of (fresh, moved, changed, gone); unset if that is unknown.
    freshness: str | UnsetType = UNSET
    code_at: str | UnsetType = UNSET  # Where that code is now; of changed and gone code where it was
    code_changed: float | UnsetType = UNSET  # The share of that code which is different now
    code_since: str | UnsetType = UNSET  # The commit that changed it, where it is known
    unmerged: str | UnsetType = UNSET  # The branch of work that is not in the checkout, or `abandoned`
    similar: int | UnsetType = (
        UNSET  # How many more of the same goal were found; `include_similar` shows them
    )
    why: list[str] | UnsetType = UNSET
    agent_id: str | UnsetType = UNSET
    created_at: int | UnsetType = UNSET
    reasoning: Reasoning | UnsetType = UNSET
    perception: Perception | UnsetType = UNSET
    actions: tuple[Action, ...] | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    files: tuple[FileRef, ...] | UnsetType = UNSET
    project_id: str | UnsetType = UNSET
    session_id: str | UnsetType = UNSET
    updated_at: int | UnsetType | None = UNSET
    version: int | UnsetType = UNSET
    importance: float | UnsetType = UNSET
    access_count: int | UnsetType = UNSET
    last_accessed: int | UnsetType | None = UNSET
    commit: str | UnsetType | None = UNSET
    branch: str | UnsetType | None = UNSET
    links: LinkedIds | UnsetType = UNSET
    superseded_by: tuple[str, ...] | UnsetType = UNSET
    origin: Origin | UnsetType = UNSET
    reverted_by: RevertLink | UnsetType = UNSET
    reverts: tuple[RevertLink, ...] | UnsetType = UNSET

    @property
    def full_summary(self) -> str:
        """The summary, with what reverted the work and why, and whether the code changed since."""
        reason = self.reverted_by.reason if self.reverted_by else None
        text = add_revert(self.outcome.summary, self.reverted_by or None) + (f": {reason}" if reason else "")
        # That reverted code is no longer there goes without saying.
        return add_label(text, UNSET if self.reverted_by else self.freshness, self.unmerged)


class LeftOut(Struct, frozen=True):
    """What `max_tokens` left out: omitted memories, and memories shown at a lower depth than requested."""

    memories: int
    shortened: int


class Tag(Struct, frozen=True):
    """A tag and how many memories have it."""

    tag: str
    memories: int


class KnowledgeView(Struct, frozen=True, omit_defaults=True):
    """A chapter or wisdom that answers beside the memories; `stale` if its memories changed since."""

    kind: str
    id: str
    confidence: float
    text: str
    stale: bool = False


class NearMatch(Struct, frozen=True):
    """A memory that came close: date, result and goal in one line. It may have nothing to do with it."""

    id: str
    confidence: float
    text: str


class RecallResult(Struct, frozen=True, kw_only=True):
    """The answer of `recall`; `code` is NO_RESULTS, with a hint, when there is nothing to give."""

    memories: list[RetrievedMemory]
    query_strategy_used: str
    confidence: float
    total_matches: int
    token_estimate: int
    total_exact: bool | UnsetType = UNSET
    left_out: LeftOut | UnsetType = UNSET
    # Chapters and wisdom that also match, if there are any.
    knowledge: list[KnowledgeView] | UnsetType = UNSET
    # What failed in a file that the question names; once in a session.
    warning: str | UnsetType = UNSET
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET
    # With NO_RESULTS: the memories that came closest, if any is better than chance.
    near: list[NearMatch] | UnsetType = UNSET


class TraceNode(Struct, frozen=True):
    """One memory of a trace, its link to the one before, and its distance from the origin.

    `via` is the one before, where that is not the origin.
    """

    memory: RetrievedMemory
    relationship: str
    distance: int
    via: str | UnsetType = UNSET


class TraceResult(Struct, frozen=True):
    """The answer of `trace`, nearest first."""

    origin: RetrievedMemory
    chain: list[TraceNode]
    total_nodes: int
    hint: str | UnsetType = UNSET


class ListedMemory(Struct, frozen=True):
    """One line of `list`."""

    id: str
    created_at: int
    intent_goal: str
    outcome_success: bool
    outcome_summary: str
    importance: float
    access_count: int
    reverted_by: RevertLink | UnsetType = UNSET
    freshness: str | UnsetType = UNSET
    unmerged: str | UnsetType = UNSET

    @property
    def full_summary(self) -> str:
        """The summary, with what reverted the work if anything did."""
        text = add_revert(self.outcome_summary, self.reverted_by or None)
        return add_label(text, UNSET if self.reverted_by else self.freshness, self.unmerged)


class ListResult(Struct, frozen=True):
    """The answer of `list`; `code` is NO_RESULTS, with a hint, when there is none.

    `stale` has, if it was asked for, what is about changed code, by file.
    """

    memories: list[ListedMemory]
    total: int
    code: str | UnsetType = UNSET
    hint: str | UnsetType = UNSET
    stale: list[StaleFile] | UnsetType = UNSET


class LinkResult(Struct, frozen=True):
    """The answer of `link`; `created` is false if the edge existed already."""

    created: bool
    link_id: str


class UpdateResult(Struct, frozen=True):
    """The answer of `update_memory`."""

    memory_id: str
    updated_at: int
    memory: RetrievedMemory


class ForgetResult(Struct, frozen=True, kw_only=True):
    """What was forgotten, or would be; `purged` says whether it was also removed from the files."""

    id: str
    forgotten: bool
    removed: dict[str, int]
    in_trash_until: int | UnsetType = UNSET  # Unset if it was deleted for good
    # The chapters and wisdom that used it: its text was removed, and they need a refresh.
    renew: list[str] | UnsetType = UNSET
    purged: bool | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class RestoreResult(Struct, frozen=True, kw_only=True):
    """What was taken out of the trash; `renew` are chapters and wisdom that need a refresh."""

    id: str
    kind: str
    label: str
    restored: bool
    renew: list[str] | UnsetType = UNSET


class ForgottenItem(Struct, frozen=True, kw_only=True):
    """An item in the trash, deleted for good at `until`."""

    id: str
    kind: str
    label: str
    forgotten_at: int
    forgotten_by: str
    until: int


class TrashEmptied(Struct, frozen=True, kw_only=True):
    """What was deleted for good, by kind."""

    deleted: int
    removed: dict[str, int]
    purged: bool | UnsetType = UNSET
    hint: str | UnsetType = UNSET


class Problem(Struct, frozen=True):
    """A problem that `doctor` found, and what to do."""

    what: str
    advice: str


class Diagnosis(Struct, frozen=True, kw_only=True):
    """The answer of `doctor`."""

    healthy: bool
    problems: list[Problem]
    facts: dict[str, Any]
    remarks: list[str] = []  # What is valid, but may not do what was intended


DEPTHS = tuple(Depth)
UNUSED = Usage()
# Fields that only the last depth shows, or shows whole.
_COMPLETE = (
    *("files", "actions", "project_id", "session_id", "updated_at", "version", "importance"),
    *("commit", "branch", "origin"),
)


def at_depth(
    memory: Memory,
    depth: Depth,
    confidence: float = 1.0,
    use: Usage = UNUSED,
    links: LinkedIds | None = None,
    **extra: Any,
) -> RetrievedMemory:
    """A memory at a depth; `links` and `extra` are added at any depth."""
    level, intent = DEPTHS.index(depth), memory.intent
    shown: dict[str, Any] = {
        "intent": IntentView(intent.goal),
        "outcome": Outcome(success=memory.outcome.success, summary=memory.outcome.summary),
        "created_at": memory.created_at,
    }
    if level >= DEPTHS.index(Depth.OUTCOME):
        shown["intent"] = IntentView(intent.goal, intent.task_type)
        shown["agent_id"] = memory.agent_id
        shown["outcome"] = replace(memory.outcome, full_text="")
    if level >= DEPTHS.index(Depth.REASONING):
        shown["intent"] = IntentView(intent.goal, intent.task_type, intent.context, intent.constraints)
        shown["reasoning"] = memory.reasoning
    if level >= DEPTHS.index(Depth.FULL):
        shown |= {"perception": memory.perception, "tags": memory.tags}
        shown["files"] = tuple(FileRef(file.path, file.operation) for file in memory.files)
        shown["actions"] = tuple(map(_without_raw_output, memory.actions))
    if depth is Depth.COMPLETE:
        shown |= {name: getattr(memory, name) for name in (*_COMPLETE, "outcome")}
        shown |= {"access_count": use.times, "last_accessed": use.last_used_at}
    if links is not None:
        shown["links"] = links
    if memory.superseded_by:
        shown["superseded_by"] = memory.superseded_by
    if memory.reverted_by:
        reason = next(iter(split_sentences(" ".join((memory.reverted_by.reason or "").split()))), None)
        # From the depth of an outcome on, the failure's reason says why.
        is_told = level >= DEPTHS.index(Depth.OUTCOME) and not memory.outcome.success
        brief = replace(memory.reverted_by, reason=None if is_told else reason)
        shown["reverted_by"] = memory.reverted_by if level >= DEPTHS.index(Depth.FULL) else brief
    if memory.reverts:
        shown["reverts"] = memory.reverts
    return RetrievedMemory(id=memory.id, confidence=round(confidence, 3), **shown, **extra)


def _without_raw_output(action: Action) -> Action:
    details: ActionDetails = replace(action.details, diff_hash=None)
    result = action.result and replace(action.result, output_summary=None, error=None)
    return replace(action, details=details, result=result)


def to_json(value: object) -> str:
    """Compact JSON, as it goes over the wire."""
    return msgspec.json.encode(value).decode()


RATED = ("memory", "note", "fact", "rule", "chapter", "wisdom")  # What feedback can be given on


def ledger_id(kind: str, one: str) -> str:
    """How the ledger of use names something: by its id; notes and facts have their kind in front."""
    name = one.partition("#")[0] if kind in ("note", "wisdom") else one
    return f"{kind}:{name}" if kind in ("note", "fact") else name


class FeedbackRequest(Layer, frozen=True):
    """Whether a memory, note, fact, rule, chapter or wisdom was useful."""

    id: Annotated[str, about("An id, a note's slug or a fact's key.")]
    useful: bool
    still_true: Annotated[
        bool, about("It holds for the code as it is now; its freshness starts anew.", option="--still-true")
    ] = False
    kind: Annotated[str | None, about("What it is, if two kinds have this id.", tool=False)] = None


class FeedbackResult(Struct, frozen=True, kw_only=True):
    """What was rated, and how useful it is now, from -1 to 1."""

    id: str
    kind: str
    useful: bool
    usefulness: float


class OfferView(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory that was offered: when, why, with which text, and the outcome."""

    at: float
    kind: str
    why: str
    session: str
    client: str
    memory_id: str | None = None
    text: str = ""
    # `nothing`, or several of `fetched`, `followed`, `contradicted`; of such work `kept` or `undone`.
    outcome: str = "nothing"
    success: bool | None = None  # Whether the turn in which it was offered succeeded
    usefulness: float = 0.0
    freshness: str | None = None  # What became of the code of the memory since; see `RetrievedMemory`


class OfferFigures(Struct, frozen=True):
    """The numbers of offers of a kind, and of their outcomes."""

    kind: str
    offered: int
    fetched: int
    followed: int
    contradicted: int
    kept: int  # Followed, and the work stayed
    undone: int  # Followed, and the work was reverted or abandoned


class OffersResult(Struct, frozen=True, kw_only=True):
    """Offers, newest first, and all of them by kind."""

    offers: list[OfferView]
    figures: list[OfferFigures]
    hint: str | UnsetType = UNSET


class PendingItem(Struct, frozen=True, kw_only=True):
    """Something captured or extracted that waits for review."""

    id: str
    kind: str
    label: str
    proposed_at: int
    proposed_by: str
    number: int  # Another one when it is proposed anew, with other content


class PendingShown(PendingItem, frozen=True, kw_only=True):
    """A pending item with all of its fields, what it would replace, and what it was made of."""

    content: dict[str, Any]
    replaces: dict[str, Any] | UnsetType = UNSET
    evidence: list[str]


class Reviewed(Struct, frozen=True, kw_only=True):
    """What was decided about an item: `accepted`, `edited`, `rejected` or `merged`.

    `kept_as` is the id under which it is now, or that of the item it was merged into.
    """

    id: str
    kind: str
    label: str
    verdict: str
    kept_as: str | UnsetType = UNSET


class Stats(Struct, frozen=True, kw_only=True):
    """Counts since a time: captured events and turns, offers and their outcomes, and reviews.

    `pending` counts what waits for review now. Events are kept for two weeks.
    """

    since: float
    events: dict[str, int]  # By kind
    turns: dict[str, int]  # By outcome
    offers: dict[str, dict[str, int]]  # By kind of offer, then by outcome
    muted: int  # Hooks that had no time to look for offers
    reviewed: dict[str, dict[str, int]]  # By verdict and kind
    pending: dict[str, int]  # By kind
