"""What language models cost: counted by day and project, for this home of RUM."""

from __future__ import annotations

from msgspec import Struct

from rum.app.project import Project
from rum.llm.meter import Days


class TokensSpent(Struct, frozen=True, kw_only=True):
    """Tokens by day and project; `today` is what all projects spent, of which `limit` may be spent."""

    model: str | None
    limit: int
    today: int
    days: Days


def spent(project: Project) -> TokensSpent:
    """The counts of all projects of this home."""
    settings, meter = project.settings, project.meter
    model = None if settings.llm == "none" else f"{settings.llm}: {settings.llm_model or 'not named'}"
    return TokensSpent(model=model, limit=meter.limit, today=meter.today(), days=meter.days())
