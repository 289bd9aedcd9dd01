"""The floor of a semantic question: embed the text, compare every vector in plain numpy, read five rows.

It is also an MCP server: `python -m benchmarks.vector_floor DATABASE VECTORS`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.floors import Floor, serve
from rum.embed.choose import BuiltinEmbedder
from rum.embed.minilm import single_threaded_blas

if TYPE_CHECKING:
    from benchmarks.floors import Shown

FULL_ANSWER = 5


class Nearest:
    """A floor with a vector for each of its memories, as 32-bit floats, in the order of its rows."""

    def __init__(self, database: str, vectors: str) -> None:
        self.floor = Floor(database)
        self._vectors = np.load(vectors)
        self._embedder = BuiltinEmbedder()

    def by_meaning(self, text: str) -> list[Shown]:
        """The five memories with the nearest vectors."""
        question = self._embedder.embed([text])[0]
        with single_threaded_blas():
            near = self._vectors @ question
        best = np.argpartition(-near, FULL_ANSWER)[:FULL_ANSWER]
        ordered = best[np.argsort(-near[best])]
        return self.floor.at((ordered + 1).tolist())

    def by_both(self, text: str) -> list[Shown]:
        """The best by words, and the nearest by meaning."""
        return [*self.floor.by_text(text), *self.by_meaning(text)]


def main() -> None:
    """Serve the database and the vectors named on the command line."""
    nearest = Nearest(*sys.argv[1:3])
    serve(
        {
            "by_file": nearest.floor.by_file,
            "by_meaning": nearest.by_meaning,
            "by_both": nearest.by_both,
        }
    )


if __name__ == "__main__":
    main()
