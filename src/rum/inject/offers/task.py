"""An offer at a prompt for a task like several earlier ones: how they went."""

from __future__ import annotations

from rum.inject.offers.similar_work import find_similar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.situation import Moment
    from rum.inject.offers.text import Offer

KIND = "task"
LEAST, MOST = 2, 3  # The minimum of earlier tasks for an offer, and the maximum that is named


def offers(moment: Moment) -> list[Offer]:
    """The most similar tasks of one type, without the first, which the offer `intent` is about."""
    if moment.event["kind"] != "prompt" or moment.count(KIND):
        return []
    found = find_similar(moment)
    new = [one for one in found[1:] if one[4] == found[0][4] and not moment.was_offered(one[0])]
    if len(new) < LEAST:
        return []
    named = new[:MOST]
    tasks = "; ".join(f"{{{at}}} ({'worked' if one[5] else 'failed'})" for at, one in enumerate(named))
    kind = found[0][4].replace("_", " ")
    text = f"Earlier tasks like this ({kind}): {tasks}."
    call = f"recall task_type={found[0][4]} intent=…"
    return [moment.offer(KIND, [one[0] for one in named], text, [one[3] for one in named], call)]
