"""A word about a file that is touched: what failed there before, or what was decided or learned."""

from __future__ import annotations

from rum.inject.offers.warning import is_alike
from rum.store.attempt_fingerprint import sampled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.offer import Offer
    from rum.inject.offers.situation import Moment
    from rum.store.sqlite.readonly import AttemptRow, MemoryRow

    Told = tuple[str, int, str, tuple[str, ...]]
    """A memory, when it was made, and what to say of it with the parts that fill it."""

KIND = "touching"
MOST_IN_A_SESSION = 6
_LOOKED_AT = 20
"""The newest memories, and attempts, of a file that are looked at."""


def offers(moment: Moment) -> list[Offer]:
    """One word about the first file of an event that there is something to say of."""
    event = moment.event
    if event["kind"] not in ("before", "after") or event.get("tool") not in ("read", "edit", "write"):
        return []
    paths = (moment.path_of(file) for file in event.get("files", []))
    found = next((said for path in paths if path and (said := _of_file(moment, path))), None)
    if found is None or moment.was_offered(found[0]) or moment.count(KIND) >= MOST_IN_A_SESSION:
        return []
    return [_offer(*found)]


def _of_file(moment: Moment, path: str) -> Told | None:
    return _failed(moment, path) or _decided(moment, path)


def _failed(moment: Moment, path: str) -> Told | None:
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


def _decided(moment: Moment, path: str) -> Told | None:
    for memory in moment.store.memories_of_file(path, moment.event["session"], _LOOKED_AT):
        if telling := _telling(memory):
            return memory.id, memory.created_at, "{0}, {3}, {1}: {2}", (path, memory.goal, telling)
    return None


def _offer(memory_id: str, at: int, said: str, parts: tuple[str, ...]) -> Offer:
    from rum.inject.offers.text import day, offer, recall_of  # noqa: PLC0415 (most files are not known)

    return offer(KIND, [memory_id], said, (*parts, day(at)), recall_of(memory_id))


def _telling(memory: MemoryRow) -> str:
    """What a memory has to say to those who touch its file; nothing where it only tells what was done."""
    reasoning, outcome = memory.reasoning, memory.outcome
    if not memory.success and (reason := outcome.get("failure_reason")):
        return f"reverted by {memory.reverted_by}: {reason}" if memory.reverted_by else f"failed: {reason}"
    for learned in outcome.get("learnings") or ():
        return f"learned: {learned}"
    chosen, why = reasoning.get("approach_chosen"), reasoning.get("why_chosen")
    return f"decided: {chosen}, as {why}" if chosen and why else ""
