"""Embedders for tests: one that hashes words, and a real endpoint that serves it."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rum.embed.base import CannotEmbed
from rum.embed.calibration import TEXTS


def word_vector(text: str, dimensions: int) -> NDArray[np.float32]:
    """A unit vector from the words of a text: texts that share words are similar."""
    vector = np.full(dimensions, 0.01, dtype=np.float32)
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % dimensions] += 1
    return (vector / np.linalg.norm(vector)).astype(np.float32)


class WordEmbedder:
    """Embeds by words; records its requests, and fails on demand."""

    fitted = True

    def __init__(self, model: str = "words/1", dimensions: int = 256) -> None:
        self.model = model
        self.dimensions = dimensions
        self.asked: list[str] = []
        self.fault: Exception | None = None
        self.spoils: Callable[[str], bool] = lambda _: False
        """Vectors of such texts are multiplied by `factor`, which makes them unusable."""
        self.factor = 0.0

    def fail(self, why: str = "out of order") -> None:
        self.fault = CannotEmbed(why)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        if self.fault:
            raise self.fault
        factors = [self.factor if self.spoils(text) else 1.0 for text in texts]
        rows = [
            word_vector(text, self.dimensions) * factor for text, factor in zip(texts, factors, strict=True)
        ]
        return np.array(rows, dtype=np.float32).reshape(len(texts), self.dimensions)


class Endpoint:
    """A local server with OpenAI's API for embeddings."""

    def __init__(self, dimensions: int = 64) -> None:
        self.asked: list[str] = []
        self.status = 200
        self.refuses: Callable[[str], bool] = lambda _: False
        """Requests with such a text are answered with status 400."""
        self.stuck = False
        """Whether it accepts requests and never answers."""
        self.over = Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self, dimensions))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def sent(self) -> list[str]:
        """The texts it received, without those for calibration."""
        return [text for text in self.asked if text not in TEXTS]

    def settings(self, model: str = "words", timeout: float = 10) -> dict[str, str]:
        """The environment variables that make RUM use it."""
        return {
            "RUM_EMBEDDER": "endpoint",
            "RUM_EMBEDDER_URL": self.url,
            "RUM_EMBEDDER_MODEL": model,
            "RUM_EMBEDDER_TIMEOUT": str(timeout),
        }

    @contextmanager
    def serving(self) -> Iterator[Endpoint]:
        """Serve until the end of the block."""
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield self
        finally:
            self.over.set()
            self._server.shutdown()
            self._server.server_close()


def _handler(endpoint: Endpoint, dimensions: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
            endpoint.asked += texts
            if endpoint.stuck:
                endpoint.over.wait()
                return
            vectors = [word_vector(text, dimensions).tolist() for text in texts]
            rows = [{"index": number, "embedding": vector} for number, vector in enumerate(vectors)]
            body = json.dumps({"data": rows}).encode()
            self.send_response(400 if any(map(endpoint.refuses, texts)) else endpoint.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_: Any) -> None:
            """Write nothing to stderr."""

    return Handler
