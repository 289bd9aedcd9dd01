"""An offer at a prompt for a task like several earlier ones: how they went."""

from __future__ import annotations

from rum.inject.offers.similar_work import find_similar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rum.inject.offers.context import OfferContext
    from rum.inject.offers.text import Offer

KIND = "task"
MIN_TASKS, MAX_TASKS = 2, 3  # Minimum number of earlier tasks for an offer, and maximum number in it


def offers(context: OfferContext) -> list[Offer]:
    """The most similar tasks of one type, without the first, which the offer `intent` is about."""
    if context.event["kind"] != "prompt" or context.count(KIND):
        return []
    similar = find_similar(context)
    new = [task for task in similar[1:] if task[4] == similar[0][4] and not context.was_offered(task[0])]
    if len(new) < MIN_TASKS:
        return []
    shown = new[:MAX_TASKS]
    remarks = context.code_remarks([task[0] for task in shown])
    outcomes = [", ".join(filter(None, (task[5], remarks.get(task[0])))) for task in shown]
    tasks = "; ".join(f"{{{at}}} ({outcome})" for at, outcome in enumerate(outcomes))
    kind = similar[0][4].replace("_", " ")
    text = f"Earlier tasks like this ({kind}): {tasks}."
    call = f"recall task_type={similar[0][4]} intent=…"
    return [context.offer(KIND, [task[0] for task in shown], text, [task[3] for task in shown], call)]
