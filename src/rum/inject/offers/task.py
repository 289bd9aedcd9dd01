"""A word when a task begins that is like several earlier ones: how they went."""

from __future__ import annotations

from rum.inject.offers.similar_work import alike

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.offer import Offer
    from rum.inject.offers.situation import Moment

KIND = "task"
LEAST, MOST = 2, 3
"""So many earlier tasks make a kind of task, and so many of them are named."""


def offers(moment: Moment) -> list[Offer]:
    """The likest tasks after the likest of all, which is the intent's to tell; all of one type of work."""
    if moment.event["kind"] != "prompt" or moment.count(KIND):
        return []
    found = alike(moment)
    new = [one for one in found[1:] if one[4] == found[0][4] and not moment.was_offered(one[0])]
    if len(new) < LEAST:
        return []
    from rum.inject.offers.text import offer  # noqa: PLC0415 (slow to load)

    named = new[:MOST]
    told = "; ".join(f"{{{at}}} ({'worked' if one[5] else 'failed'})" for at, one in enumerate(named))
    kind = found[0][4].replace("_", " ")
    said = f"Earlier tasks like this ({kind}): {told}."
    call = f"recall task_type={found[0][4]} intent=…"
    return [offer(KIND, [one[0] for one in named], said, [one[3] for one in named], call)]
