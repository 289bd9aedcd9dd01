"""An offer at a prompt: the earlier work that is most like it."""

from __future__ import annotations

from rum.inject.offers.context import day
from rum.inject.offers.similar_work import MIN_CONFIDENCE, find_similar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer

KIND = "intent"


def offers(context: OfferContext) -> list[Offer]:
    """The most similar memory, if its confidence is high enough and it was not offered yet."""
    if context.event["kind"] != "prompt":
        return []
    for memory_id, confidence, at, goal, _, result, said, learned in find_similar(context)[:1]:
        if confidence >= MIN_CONFIDENCE and not context.was_offered(memory_id):
            text = f"Like earlier work ({day(at)}, {result}): {{0}}: {{1}}."
            text += " Learned: {2}." if learned else ""
            return [context.offer(KIND, [memory_id], text, (goal, said, learned or ""), important_part=1)]
    return []
