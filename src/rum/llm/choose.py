"""Which language model the settings ask for."""

from __future__ import annotations

from collections.abc import Callable

from rum.llm.base import CannotComplete, LanguageModel
from rum.llm.meter import Meter
from rum.settings.load import Settings


def open_meter(settings: Settings, project: str, clock: Callable[[], float]) -> Meter:
    """What language models cost here."""
    return Meter(settings.home, project, settings.llm_daily_tokens, clock)


def open_model(settings: Settings, meter: Meter, clean: Callable[[object], object]) -> LanguageModel | None:
    """The language model to ask, with nothing asked yet; None where there shall be none."""
    if settings.llm == "none":
        return None
    if not settings.llm_model:
        raise CannotComplete(
            f"`llm` is {settings.llm}, but `llm_model` is not set: name the model to ask.", field="llm_model"
        )
    # These load http and ssl, which is of no use where no model is set.
    from rum.llm.client import AskedModel  # noqa: PLC0415
    from rum.llm.providers import wire_for  # noqa: PLC0415
    from rum.llm.server import Provider  # noqa: PLC0415

    wire = wire_for(settings.llm, settings.llm_url)
    provider = Provider(wire, settings.llm_model, meter, key=settings.llm_key)
    return AskedModel(provider, clean=clean, timeout=settings.llm_timeout)
