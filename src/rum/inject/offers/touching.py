"""An offer about a file that is read or changed: what failed there; else what was learned or decided."""

from __future__ import annotations

from rum.inject.offers.context import day, has_line
from rum.inject.offers.warning import KIND as WARNING
from rum.store.attempt_fingerprint import REJECTED_BY_USER, REPLACED_FOR_USER, sampled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import MemoryRow

    # A memory's id and time, and the template of the offer with the parts that fill it.
    Draft = tuple[str, int, str, tuple[str, ...]]

KIND = "touching"
MAX_PER_SESSION = 6
_OTHER = 0.1  # The share of marks up to which what worked later is the same as what failed
_MAX_ROWS = 20  # The newest memories, and attempts, of a file, which are examined


def offers(context: OfferContext) -> list[Offer]:
    """At most one offer, about the first file of the event that has a failure or lesson."""
    paths = (context.path_of(file) for file in context.event.get("files", []))
    for path in paths:
        # What failed in this very file is worth a line even if the session began with the same memory.
        if path and (draft := _failed_attempt(context, path)):
            return _once(context, draft)
        if path and (draft := _earlier_work(context, path)):
            # An offer at a prompt tells what was done, but often not why.
            reason = draft[3][2].split(": ", 1)[-1]
            return [] if context.was_mentioned(draft[0], reason) else _once(context, draft)
    return []


def _once(context: OfferContext, draft: Draft) -> list[Offer]:
    """The offer, unless the session has had one like it, or enough offers about files."""
    is_known = context.was_offered(draft[0], KIND) or context.was_offered(draft[0], WARNING)
    return [] if is_known or context.count(KIND) >= MAX_PER_SESSION else [_offer(context, draft)]


def failure(context: OfferContext, path: str) -> Offer | None:
    """What failed in a file and did not work later; else that the newest work on it failed."""
    draft = _failed_attempt(context, path)
    if draft is None:
        newest = next(iter(context.store.memories_of_file(path, context.event["session"], 1)), None)
        if newest is not None and not newest.is_settled and (what := _failure(newest)):
            draft = _of_memory(newest, path, what)
    return _offer(context, draft) if draft else None


def _offer(context: OfferContext, draft: Draft) -> Offer:
    memory_id, at, text, parts = draft
    return context.offer(KIND, [memory_id], text, (*parts, day(at)))


def _failed_attempt(context: OfferContext, path: str) -> Draft | None:
    """The newest failed attempt in a file that did not work later."""
    session = context.event["session"]
    worked_since: list[set[int]] = []
    for attempt in context.store.attempts(path, _MAX_ROWS):
        if attempt.worked:
            worked_since.append(set(sampled(attempt.marks)))
        elif attempt.tried and attempt.why and attempt.session_id != session:
            marks = set(sampled(attempt.marks))
            if any(len(marks - later) <= _OTHER * len(marks) for later in worked_since):
                continue
            if has_line(context.text_of(path) or "", attempt.tried):
                continue  # the work on it is not finished, or the code has come to live with it
            instead = " Worked instead: `{3}`." if attempt.instead else ""
            is_rejected = attempt.why.startswith((REJECTED_BY_USER, REPLACED_FOR_USER, "undone by"))
            text = "{0}: `{1}` on {4} was {2}." if is_rejected else "{0}: `{1}` failed here on {4} ({2})."
            text += instead
            return attempt.memory_id, attempt.at, text, (path, attempt.tried, attempt.why, attempt.instead)
    return None


def _earlier_work(context: OfferContext, path: str) -> Draft | None:
    """The newest failure of work on a file; else the newest lesson."""
    session = context.event["session"]
    memories = list(context.store.memories_of_file(path, session, _MAX_ROWS))
    for describe in (_failure, _lesson):
        for memory in memories:
            if what := describe(memory):
                return _of_memory(memory, path, what)
    return None


def _of_memory(memory: MemoryRow, path: str, what: str) -> Draft:
    return memory.id, memory.created_at, "{0}, {3}, {1}: {2}.", (path, memory.goal, what)


def _failure(memory: MemoryRow) -> str:
    """Why a memory's work failed or was reverted; empty if it succeeded."""
    reason = memory.outcome.get("failure_reason")
    if memory.success or not reason:
        return ""
    return f"reverted by {memory.reverted_by}: {reason}" if memory.reverted_by else f"failed: {reason}"


def _lesson(memory: MemoryRow) -> str:
    """What a memory learned or decided; empty if it did neither."""
    reasoning, outcome = memory.reasoning, memory.outcome
    lessons = [_decided_against(reasoning), *(f"learned: {one}" for one in outcome.get("learnings") or ())]
    if said := [lesson.rstrip(".") for lesson in lessons if lesson][:2]:
        return ". ".join((said[0], *(lesson[0].upper() + lesson[1:] for lesson in said[1:])))
    chosen, why = reasoning.get("approach_chosen"), reasoning.get("why_chosen")
    return f"decided: {chosen}, as {why}" if chosen and why else ""


def _decided_against(reasoning: dict[str, Any]) -> str:
    """The first alternative that was rejected with a reason; empty if there is none."""
    for one in reasoning.get("alternatives_considered") or ():
        if one.get("approach") and one.get("why_rejected"):
            return f"decided against {one['approach']}, as {one['why_rejected']}"
    return ""
