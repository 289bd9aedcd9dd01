"""Create the language model that the settings configure."""

from __future__ import annotations

from collections.abc import Callable

from rum.llm.base import CannotComplete, LanguageModel
from rum.llm.meter import Meter
from rum.settings.load import Settings


def open_meter(settings: Settings, project: str, clock: Callable[[], float]) -> Meter:
    """The token counter of a project."""
    return Meter(settings.home, project, settings.llm_daily_tokens, clock)


def open_model(settings: Settings, meter: Meter, clean: Callable[[object], object]) -> LanguageModel | None:
    """The configured language model, not contacted yet; None if `llm` is none."""
    if settings.llm == "none":
        return None
    if not settings.llm_model:
        raise CannotComplete(
            f"`llm` is {settings.llm}, but `llm_model` is not set. Set it to a model's name.",
            field="llm_model",
        )
    # Loads http and ssl, which are not needed without a model.
    from rum.llm.client import ModelClient, Provider, wire_format_for  # noqa: PLC0415

    wire_format = wire_format_for(settings.llm, settings.llm_url)
    provider = Provider(wire_format, settings.llm_model, meter, key=settings.llm_key)
    return ModelClient(provider, clean=clean, timeout=settings.llm_timeout)
