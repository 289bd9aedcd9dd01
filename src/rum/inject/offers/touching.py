"""An offer about a file that is read or changed: what failed there, or what was decided or learned."""

from __future__ import annotations

from rum.inject.offers.context import day
from rum.inject.offers.warning import is_alike
from rum.store.attempt_fingerprint import sampled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import MemoryRow

    # A memory's id and time, and the template of the offer with the parts that fill it.
    Draft = tuple[str, int, str, tuple[str, ...]]

KIND = "touching"
MAX_PER_SESSION = 6
_MAX_ROWS = 20  # The newest memories, and attempts, of a file, which are examined


def offers(context: OfferContext) -> list[Offer]:
    """At most one offer, about the first file of the event that has a failure or lesson."""
    event = context.event
    if event["kind"] not in ("before", "after") or event.get("tool") not in ("read", "edit", "write"):
        return []
    paths = (context.path_of(file) for file in event.get("files", []))
    draft = next((draft for path in paths if path and (draft := _about_file(context, path))), None)
    if draft is None or context.was_offered(draft[0]) or context.count(KIND) >= MAX_PER_SESSION:
        return []
    memory_id, at, text, parts = draft
    return [context.offer(KIND, [memory_id], text, (*parts, day(at)))]


def _about_file(context: OfferContext, path: str) -> Draft | None:
    """The newest failure that did not work later; else the newest lesson."""
    session = context.event["session"]
    worked_since: list[tuple[bytes, int]] = []
    for attempt in context.store.attempts(path, _MAX_ROWS):
        if attempt.worked:
            worked_since.append((attempt.marks, attempt.size))
        elif attempt.tried and attempt.why and attempt.session_id != session:
            marks = frozenset(sampled(attempt.marks))
            if any(is_alike(marks, other, size, is_command=False) for other, size in worked_since):
                continue
            instead = " Worked instead: `{3}`." if attempt.instead else ""
            text = "{0}: `{1}` failed here on {4} ({2})." + instead
            return attempt.memory_id, attempt.at, text, (path, attempt.tried, attempt.why, attempt.instead)
    for memory in context.store.memories_of_file(path, session, _MAX_ROWS):
        if lesson := _lesson(memory):
            return memory.id, memory.created_at, "{0}, {3}, {1}: {2}", (path, memory.goal, lesson)
    return None


def _lesson(memory: MemoryRow) -> str:
    """Why a memory failed, what it learned or decided; empty if there is none of these."""
    reasoning, outcome = memory.reasoning, memory.outcome
    if not memory.success and (reason := outcome.get("failure_reason")):
        return f"reverted by {memory.reverted_by}: {reason}" if memory.reverted_by else f"failed: {reason}"
    for learned in outcome.get("learnings") or ():
        return f"learned: {learned}"
    chosen, why = reasoning.get("approach_chosen"), reasoning.get("why_chosen")
    return f"decided: {chosen}, as {why}" if chosen and why else ""
