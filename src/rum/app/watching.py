"""What an open project has from hooks: what was seen of agents at work, and what was offered to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from rum.app.call_types import Offered, Sought
from rum.app.tended import Tended

if TYPE_CHECKING:
    from rum.app.capture.events_view import SeenList
    from rum.app.capture.intake import Intake
    from rum.model.offers import FeedbackResult, OffersResult


class Watching(Tended):
    """An open project that takes in what hooks left, and knows what came of its offers."""

    def take_in(self, *, patience: float = 0.0) -> Intake:
        """Take in what hooks left, and make memories of the turns that are over."""
        from rum.app.capture import intake  # noqa: PLC0415

        with self._caller.project.turn():
            return intake.intake(self._caller, patience)

    def seen(self, **sought: Unpack[Sought]) -> SeenList:
        """What was seen of agents at work, newest first, and what became of it."""
        from rum.app.capture import events_view  # noqa: PLC0415

        return self._look_after(events_view.seen, **sought)

    def offers(self, **which: Unpack[Offered]) -> OffersResult:
        """What was offered to agents by itself, newest first, why, and what came of it."""
        from rum.app.offers import history  # noqa: PLC0415

        return self._look_after(history.offers, **which)

    def feedback(self, memory_id: str, *, useful: bool) -> FeedbackResult:
        """Say whether a memory was of use; it is found a little sooner or later for it."""
        from rum.model.offers import FeedbackResult  # noqa: PLC0415

        return self._call("feedback", {"memory_id": memory_id, "useful": useful}, FeedbackResult)
