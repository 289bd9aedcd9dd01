"""A word when somebody says what is to be done: the earlier work that is most like it."""

from __future__ import annotations

from rum.inject.offers.similar_work import SURE, alike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.offer import Offer
    from rum.inject.offers.situation import Moment

KIND = "intent"


def offers(moment: Moment) -> list[Offer]:
    """The surest memory, if it is sure enough and was not offered yet."""
    if moment.event["kind"] != "prompt":
        return []
    for memory_id, confidence, at, goal, _, success, summary, learned in alike(moment)[:1]:
        if confidence >= SURE and not moment.was_offered(memory_id):
            from rum.inject.offers.text import day, offer, recall_of  # noqa: PLC0415 (slow to load)

            said = f"Like earlier work ({day(at)}, {'worked' if success else 'failed'}): {{0}}: {{1}}"
            said += " Learned: {2}" if learned else ""
            return [offer(KIND, [memory_id], said, (goal, summary, learned or ""), recall_of(memory_id))]
    return []
