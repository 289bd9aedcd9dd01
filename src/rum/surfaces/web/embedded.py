"""Requests of the page when it is shown inside another program, which passes them on."""

from __future__ import annotations

from typing import Any

import msgspec

from rum.app.rum import Rum
from rum.model.errors import RumError
from rum.surfaces.web.messages import JSON, Refused, Request, error_response
from rum.surfaces.web.route_table import ROUTES
from rum.surfaces.web.routes import find
from rum.surfaces.web.site import PREFIX

_Json = dict[str, Any]


def respond(rum: Rum, method: object, path: object, body: object) -> _Json:
    """Status and content of the answer to a request of an embedded page, as the caller of `rum`."""
    try:
        if not isinstance(method, str) or not isinstance(path, str) or not path.startswith(PREFIX):
            raise Refused("INVALID_QUERY", f"Give a `method`, and a `path` that begins with {PREFIX}.")
        address, _, query = path.partition("?")
        data = b"" if method == "GET" else msgspec.json.encode({} if body is None else body)
        found = find(Request(method, address, query, {}, data), ROUTES).respond(rum, "")
    except (Refused, RumError) as error:
        found = error_response(error)
    text = found.body.decode()
    return {"status": found.status, "data": msgspec.json.decode(text) if found.content_type == JSON else text}
