"""What an open project has from hooks: what was seen of agents at work, and what was offered to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from rum.app.asked import Offered, Sought
from rum.app.tended import Tended

if TYPE_CHECKING:
    from rum.app.intake import Intake
    from rum.app.seeing import SeenList
    from rum.model.offers import FeedbackResult, OffersResult


class Watching(Tended):
    """An open project that takes in what hooks left, and knows what came of its offers."""

    def take_in(self, *, patience: float = 0.0) -> Intake:
        """Take in what hooks left, and make memories of the turns that are over."""
        from rum.app import intake  # noqa: PLC0415

        return self._look_after(intake.intake, patience)

    def seen(self, **sought: Unpack[Sought]) -> SeenList:
        """What was seen of agents at work, newest first, and what became of it."""
        from rum.app import seeing  # noqa: PLC0415

        return self._look_after(seeing.seen, **sought)

    def offers(self, **which: Unpack[Offered]) -> OffersResult:
        """What was offered to agents by itself, newest first, why, and what came of it."""
        from rum.app import ledger  # noqa: PLC0415

        return self._look_after(ledger.offers, **which)

    def feedback(self, memory_id: str, *, useful: bool) -> FeedbackResult:
        """Say whether a memory was of use; it is found a little sooner or later for it."""
        from rum.model.offers import FeedbackResult  # noqa: PLC0415

        return self._call("feedback", {"memory_id": memory_id, "useful": useful}, FeedbackResult)
