"""An offer about a file that is touched: what failed there before, or what was decided or learned."""

from __future__ import annotations

from rum.inject.offers.situation import day
from rum.inject.offers.warning import is_alike
from rum.store.attempt_fingerprint import sampled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.situation import Moment
    from rum.inject.offers.text import Offer
    from rum.store.sqlite.readonly import AttemptRow, MemoryRow

    # A memory, when it was made, and what to say of it with the parts that fill it.
    Draft = tuple[str, int, str, tuple[str, ...]]

KIND = "touching"
MOST_IN_A_SESSION = 6
_LOOKED_AT = 20  # The newest memories, and attempts, of a file that are looked at


def offers(moment: Moment) -> list[Offer]:
    """One offer, about the first file of an event that something is known of."""
    event = moment.event
    if event["kind"] not in ("before", "after") or event.get("tool") not in ("read", "edit", "write"):
        return []
    paths = (moment.path_of(file) for file in event.get("files", []))
    found = next((draft for path in paths if path and (draft := _about_file(moment, path))), None)
    if found is None or moment.was_offered(found[0]) or moment.count(KIND) >= MOST_IN_A_SESSION:
        return []
    return [_offer(moment, *found)]


def _about_file(moment: Moment, path: str) -> Draft | None:
    return _failed(moment, path) or _decided(moment, path)


def _failed(moment: Moment, path: str) -> Draft | None:
    worked_since: list[tuple[bytes, int]] = []
    for one in moment.store.attempts(path, _LOOKED_AT):
        if one.worked:
            worked_since.append((one.marks, one.size))
        elif _is_telling(one, moment.event["session"]) and not _is_one_of(one.marks, worked_since):
            text = "{0}: `{1}` failed here on {4} ({2})." + (" Worked instead: `{3}`." if one.instead else "")
            return one.memory_id, one.at, text, (path, one.tried, one.why, one.instead)
    return None


def _is_telling(attempt: AttemptRow, session: str) -> bool:
    return bool(attempt.tried and attempt.why and attempt.session_id != session)


def _is_one_of(marks: bytes, others: list[tuple[bytes, int]]) -> bool:
    known = frozenset(sampled(marks))
    return any(is_alike(known, other, size, is_command=False) for other, size in others)


def _decided(moment: Moment, path: str) -> Draft | None:
    for memory in moment.store.memories_of_file(path, moment.event["session"], _LOOKED_AT):
        if lesson := _lesson(memory):
            return memory.id, memory.created_at, "{0}, {3}, {1}: {2}", (path, memory.goal, lesson)
    return None


def _offer(moment: Moment, memory_id: str, at: int, text: str, parts: tuple[str, ...]) -> Offer:
    return moment.offer(KIND, [memory_id], text, (*parts, day(at)))


def _lesson(memory: MemoryRow) -> str:
    """Why a memory failed, what it learned or decided; empty if it only says what was done."""
    reasoning, outcome = memory.reasoning, memory.outcome
    if not memory.success and (reason := outcome.get("failure_reason")):
        return f"reverted by {memory.reverted_by}: {reason}" if memory.reverted_by else f"failed: {reason}"
    for learned in outcome.get("learnings") or ():
        return f"learned: {learned}"
    chosen, why = reasoning.get("approach_chosen"), reasoning.get("why_chosen")
    return f"decided: {chosen}, as {why}" if chosen and why else ""
