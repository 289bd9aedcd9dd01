"""Create the embedder that the settings configure."""

from __future__ import annotations

from rum.embed.base import Embedder
from rum.embed.builtin import BuiltinEmbedder
from rum.embed.endpoint import EndpointEmbedder
from rum.settings.load import Settings


def open_embedder(settings: Settings) -> Embedder | None:
    """The configured embedder, not loaded or contacted yet; None if `embedder` is none.

    An endpoint with missing settings raises `CannotEmbed` on use; RUM then continues with text search.
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
