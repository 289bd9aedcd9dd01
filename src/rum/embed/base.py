"""The interface of embedders, their errors, and the text of a memory that is embedded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

from rum.model.errors import RumError
from rum.model.memory import SHORT_SHA, Memory, OriginKind

if TYPE_CHECKING:
    import numpy as np

    # One row for each text, of length one (so that a dot product is a cosine) or zero.
    Vectors = np.ndarray[Any, np.dtype[np.float32]]


# A text that every working embedder accepts; it shows whether the embedder or a text is at fault.
PROBE_TEXT = "A plain sentence, as long as what somebody might note of a morning's work on some code. " * 2


class CannotEmbed(RumError):
    """No vectors: the model is damaged or its endpoint fails. RUM continues with text search alone."""

    code = "STORAGE_ERROR"


class Embedder(Protocol):
    """Embeds texts. Creating one is cheap: nothing is loaded or contacted before the first `embed`.

    It may be called from several threads at once; each call keeps one core busy.
    """

    @property
    def model(self) -> str:
        """The model and version; only vectors with the same value may be compared."""
        ...

    @property
    def dimensions(self) -> int | None:
        """The length of a vector; None if it is known only after the first answer."""
        ...

    @property
    def fitted(self) -> bool:
        """Whether recall's weights were fitted with this model; if not, its cosines are calibrated."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One vector for each text, in order; `CannotEmbed` if the embedder does not work.

        A single text that cannot be embedded gets a vector of zeros, which matches nothing and is never
        stored.
        """
        ...


# Part of every model name: when the choice of fields changes, vectors must be computed again.
TEXT_VERSION = 2

_MAX_TEXT = 2000  # Characters; somewhat more than models with 256 or 512 tokens read
_MAX_PART = 1000  # Half of it: a long context must not crowd out the outcome


def embedded_text(memory: Memory) -> str:
    """Intent, outcome and reasoning, one line for each distinct text, cut to what a model reads.

    Without the summary of a commit: its id and the number of lines say nothing about the work.
    """
    intent, outcome, reasoning = memory.intent, memory.outcome, memory.reasoning
    origin, reverted_by = memory.origin, memory.reverted_by
    is_of_commit = origin.kind is OriginKind.COMMIT and origin.reference
    has_own_words = not is_of_commit or not outcome.summary.startswith((origin.reference or "")[:SHORT_SHA])
    parts = (
        intent.goal,
        intent.context,
        memory.full_summary if has_own_words else "",
        outcome.failure_reason or "",
        (reverted_by.reason if reverted_by else None) or "",
        *outcome.learnings,
        reasoning.approach_chosen,
        reasoning.why_chosen,
    )
    lines: dict[str, str] = {}
    for part in parts:
        plain = " ".join(part.split())
        lines.setdefault(plain.casefold(), plain[:_MAX_PART])
    return "\n".join(filter(None, lines.values()))[:_MAX_TEXT]
