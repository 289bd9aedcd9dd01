"""The embedder that is shipped: all-MiniLM-L6-v2, offline, loaded when the first text comes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from rum.embed.base import CannotEmbed
from rum.embed.text import TEXT_VERSION

if TYPE_CHECKING:
    from rum.embed.base import Vectors
    from rum.embed.model import Model

DATA = Path(__file__).with_name("minilm.bin")

_PIPELINE = 1
"""To be raised with every change after which the same text gets another vector."""


class BuiltinEmbedder:
    """Runs the model in this process."""

    model = f"builtin:all-MiniLM-L6-v2/{_PIPELINE}.{TEXT_VERSION}"
    dimensions = 384
    fitted = True

    def __init__(self, data: Path = DATA) -> None:
        self._data = data

    def embed(self, texts: Sequence[str], patience: float | None = None) -> Vectors:  # noqa: ARG002
        """One vector for each text, in their order; nobody else is waited for."""
        return self._loaded.embed(texts)

    @cached_property
    def _loaded(self) -> Model:
        try:
            # Loads numpy, which costs more than everything a session without meaning needs.
            from rum.embed.model import open_model  # noqa: PLC0415

            return open_model(self._data)
        except (ImportError, OSError, ValueError, LookupError) as error:
            raise CannotEmbed(
                f"The built-in embedder cannot be used: {self._data}: {error}. "
                "Install RUM again, or set `embedder` to none.",
                file=str(self._data),
            ) from error
