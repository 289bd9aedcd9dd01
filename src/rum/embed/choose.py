"""Create the embedder that the settings configure: the built-in one, or an endpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from rum.embed.base import TEXT_VERSION, CannotEmbed, Embedder
from rum.settings.load import Settings

if TYPE_CHECKING:
    from rum.embed.base import Vectors
    from rum.embed.minilm import Model


DATA = os.path.join(os.path.dirname(__file__), "minilm.bin")

_PIPELINE = 1  # Increase it with every change that gives the same text another vector


class BuiltinEmbedder:
    """all-MiniLM-L6-v2 in this process, offline, loaded at the first text."""

    model = f"builtin:all-MiniLM-L6-v2/{_PIPELINE}.{TEXT_VERSION}"
    dimensions = 384
    fitted = True

    def __init__(self, data: str | os.PathLike[str] = DATA) -> None:
        self._data = data

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text, in order."""
        return self._loaded.embed(texts)

    @cached_property
    def _loaded(self) -> Model:
        try:
            # Loads numpy, which takes longer than all else in a session without semantic search.
            from rum.embed.minilm import open_model  # noqa: PLC0415

            return open_model(self._data)
        except (ImportError, OSError, ValueError, LookupError) as error:
            raise CannotEmbed(
                f"The built-in embedder cannot be used: {self._data}: {error}. "
                "Install RUM again, or set `embedder` to none.",
                file=os.fspath(self._data),
            ) from error


def open_embedder(settings: Settings) -> Embedder | None:
    """The configured embedder, not loaded or contacted yet; None if `embedder` is none.

    An endpoint with missing settings raises `CannotEmbed` on use; RUM then continues with text search.
    """
    if settings.embedder == "none":
        return None
    if settings.embedder == "builtin":
        return BuiltinEmbedder()
    from rum.embed.endpoint import EndpointEmbedder  # noqa: PLC0415 (few projects use one)

    return EndpointEmbedder(
        settings.embedder_url or "",
        settings.embedder_model or "",
        key=settings.embedder_key,
        timeout=settings.embedder_timeout,
    )
