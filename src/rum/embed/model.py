"""The shipped model with its tokenizer, read from the data file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rum.embed.minilm import LONGEST, Floats, MiniLM
from rum.embed.threads import one_core
from rum.embed.weights import DataFile
from rum.embed.wordpiece import WordPiece


class Model:
    """Tokenizer and network as one."""

    def __init__(self, words: WordPiece, network: MiniLM) -> None:
        self._words = words
        self._network = network

    def ids(self, text: str) -> list[int]:
        """The tokens of a text, as the network takes them."""
        return self._words.ids(text)

    def embed(self, texts: Sequence[str]) -> Floats:
        """One vector for each text, in their order."""
        with one_core():
            return self._network.vectors([self.ids(text) for text in texts])


def open_model(path: Path) -> Model:
    """The model of a data file; `OSError` or `ValueError` if the file cannot be used."""
    data = DataFile(path)
    vocabulary = data.arrays["vocabulary"].tobytes().decode().split("\n")
    model = Model(WordPiece(vocabulary, LONGEST), MiniLM(data.arrays))
    data.release()
    return model
