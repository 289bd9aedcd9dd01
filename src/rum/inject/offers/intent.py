"""An offer at a prompt: the earlier work that is most like it."""

from __future__ import annotations

from rum.inject.offers.similar_work import SURE, find_similar
from rum.inject.offers.situation import day

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.situation import Moment
    from rum.inject.offers.text import Offer

KIND = "intent"


def offers(moment: Moment) -> list[Offer]:
    """The surest memory, if it is sure enough and was not offered yet."""
    if moment.event["kind"] != "prompt":
        return []
    for memory_id, confidence, at, goal, _, success, summary, learned in find_similar(moment)[:1]:
        if confidence >= SURE and not moment.was_offered(memory_id):
            text = f"Like earlier work ({day(at)}, {'worked' if success else 'failed'}): {{0}}: {{1}}"
            text += " Learned: {2}" if learned else ""
            return [moment.offer(KIND, [memory_id], text, (goal, summary, learned or ""))]
    return []
