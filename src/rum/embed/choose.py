"""Which embedder the settings ask for."""

from __future__ import annotations

from rum.embed.base import Embedder
from rum.embed.builtin import BuiltinEmbedder
from rum.embed.endpoint import EndpointEmbedder
from rum.settings.load import Settings


def open_embedder(settings: Settings) -> Embedder | None:
    """The embedder to use, with nothing loaded or asked yet; None where there shall be none.

    An endpoint that is not fully set is one that cannot embed: RUM goes on by text, and says why.
    """
    if settings.embedder == "none":
        return None
    if settings.embedder == "builtin":
        return BuiltinEmbedder()
    return EndpointEmbedder(
        settings.embedder_url or "",
        settings.embedder_model or "",
        key=settings.embedder_key,
        timeout=settings.embedder_timeout,
    )
