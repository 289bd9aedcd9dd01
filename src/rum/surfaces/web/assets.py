"""The files of the page: a fixed table, read from the package once."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

TYPES = {
    "css": "text/css; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "ico": "image/x-icon",
    "js": "text/javascript; charset=utf-8",
    "json": "application/json",
    "mjs": "text/javascript; charset=utf-8",
    "png": "image/png",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
    "woff2": "font/woff2",
}
INDEX = "index.html"


class Asset(NamedTuple):
    """A file of the page."""

    content_type: str
    data: bytes
    tag: str  # Changes with the content


@cache
def assets() -> dict[str, Asset]:
    """The files by their path in an address; `/` is the page itself."""
    folder = files("rum.surfaces.web") / "static"
    found = (
        {f"/static/{path}": asset for path, asset in _below(folder, "").items()} if folder.is_dir() else {}
    )
    page = found.get(f"/static/{INDEX}")
    return {**found, "/": page} if page else found


def _below(folder: Traversable, prefix: str) -> dict[str, Asset]:
    found: dict[str, Asset] = {}
    for one in sorted(folder.iterdir(), key=lambda entry: entry.name):
        content_type = TYPES.get(one.name.rpartition(".")[2])
        if one.is_dir():
            found |= _below(one, f"{prefix}{one.name}/")
        elif content_type:
            data = one.read_bytes()
            found[prefix + one.name] = Asset(content_type, data, hashlib.sha256(data).hexdigest()[:32])
    return found
