"""RUM with an embedder of another scale: the built-in vectors plus a common offset."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np

from benchmarks.quality.rum_arm import ThroughMcp
from rum.embed.choose import BuiltinEmbedder

COMMON = 1.7  # The value of the additional dimension: the cosine of any two texts is then at least about 0.74


class Shifted(ThroughMcp):
    """RUM that asks an endpoint on this machine."""

    def __init__(self) -> None:
        self._endpoint = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._endpoint.daemon_threads = True
        Thread(target=self._endpoint.serve_forever, args=(0.05,), daemon=True).start()
        super().__init__(
            RUM_EMBEDDER="endpoint",
            RUM_EMBEDDER_URL=f"http://127.0.0.1:{self._endpoint.server_address[1]}/v1",
            RUM_EMBEDDER_MODEL="shifted",
        )

    def close(self) -> None:
        """End the endpoint too."""
        super().close()
        self._endpoint.shutdown()
        self._endpoint.server_close()


class _Handler(BaseHTTPRequestHandler):
    _embedder = BuiltinEmbedder()

    def do_POST(self) -> None:
        """The vectors of the texts asked for."""
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        own = self._embedder.embed(texts)
        rows = np.hstack([own, np.full((len(own), 1), COMMON, dtype=np.float32)])
        data = [{"index": number, "embedding": row} for number, row in enumerate(rows.tolist())]
        body = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: object) -> None:
        """Nothing goes to stderr."""
