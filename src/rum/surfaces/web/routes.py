"""Routes: which one a request is for, its checked arguments, and its answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rum.app.rum import Rum
from rum.model.fields import parse
from rum.model.memory_layers import Layer
from rum.model.pages import Me, ReviewKey
from rum.surfaces.web.messages import Refused, Request, Response, json_response

API = ("api", "v1")
_Json = dict[str, Any]
_IDS = ("id", "memory_id", "chapter_id", "wisdom_id", "source_id", "target_id", "into")
_MARKDOWN = "text/markdown; charset=utf-8"


class NoParameters(Layer, frozen=True):
    """Nothing is taken."""


class Asked(NamedTuple):
    """What a route was asked: the values in its path, and its checked parameters or body."""

    path: dict[str, str]
    request: Any

    @property
    def given(self) -> _Json:
        """The parameters that were given, by name."""
        request: object = self.request
        if not isinstance(request, Struct):
            return cast("_Json", request)
        values = msgspec.structs.asdict(request)
        return {name: value for name, value in values.items() if value is not None}


Handler = Callable[[Rum, Asked], object]


class Route(NamedTuple):
    """One route. `{name}` in its path is one step of it."""

    method: str
    path: str
    about: str
    handler: Handler
    answer: Any
    request: Any = NoParameters
    is_write: bool = True
    """Whether a change is made, unless the method is GET."""

    @property
    def steps(self) -> tuple[str, ...]:
        """The parts of its path after the prefix."""
        return tuple(self.path.strip("/").split("/"))


class Match(NamedTuple):
    """A route and what it was asked."""

    route: Route
    asked: Asked

    def named_ids(self) -> list[str]:
        """The ids that the body of a change names."""
        given = self.asked.given
        items: Sequence[object] = given.get("items", ()) if self.route.is_write else ()
        found = [one.id for one in items if isinstance(one, ReviewKey)]
        return [*found, *(value for name in _IDS if isinstance(value := given.get(name), str))]

    def respond(self, rum: Rum, csrf: str) -> Response:
        """The answer of the route for one caller."""
        route = self.route
        if route.method != "GET" and route.is_write:
            rum.check_may_write(f"{route.method} {route.path}")
        found = route.handler(rum, self.asked)
        if isinstance(found, str):
            return Response(200, _MARKDOWN, found.encode())
        if isinstance(found, Me):
            found = replace(found, csrf=csrf)
        return json_response(found)


def find(request: Request, table: Sequence[Route]) -> Match:
    """The route of a request with its checked arguments."""
    steps = tuple(request.steps[len(API) :])
    fitting = [(route, path) for route in table if (path := _fit(route.steps, steps)) is not None]
    if not fitting:
        raise Refused("NOT_FOUND", "There is no such route; see /api/v1/openapi.json.")
    method = "GET" if request.method == "HEAD" else request.method
    found = next((one for one in fitting if one[0].method == method), None)
    if found is None:
        allowed = ", ".join(sorted({route.method for route, _ in fitting}))
        raise Refused("METHOD_NOT_ALLOWED", f"Use {allowed}.", Allow=allowed)
    route, path = found
    given = _parameters(request, route.request) if method == "GET" else decode_body(request.body)
    what = route.path.partition("/")[0]
    return Match(route, Asked(path, parse(given, route.request, what, strict=method != "GET")))


def _fit(pattern: tuple[str, ...], steps: tuple[str, ...]) -> dict[str, str] | None:
    """The variable steps by name, if a path fits a pattern."""
    found: dict[str, str] = {}
    if len(pattern) != len(steps):
        return None
    for expected, step in zip(pattern, steps, strict=True):
        if expected.startswith("{"):
            if not step:
                return None
            found[expected[1:-1]] = step
        elif expected != step:
            return None
    return found


def _parameters(request: Request, kind: type[Struct]) -> _Json:
    """The parameters of an address; a field that takes several gets a list, any other the last one."""
    several = {
        field.name
        for field in msgspec.structs.fields(kind)
        if getattr(field.type, "__origin__", None) is tuple
    }
    return {name: values if name in several else values[-1] for name, values in request.parameters.items()}


def decode_body(body: bytes) -> object:
    """The JSON of a body; an empty one is an empty object."""
    try:
        return msgspec.json.decode(body) if body else {}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise Refused("INVALID_QUERY", "The body is not valid JSON.") from None
