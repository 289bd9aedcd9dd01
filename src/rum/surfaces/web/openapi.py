"""The description of the API (OpenAPI 3.1), made from the table of its routes and the types of the model."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from rum._version import __version__
from rum.surfaces.web.route_table import ROUTES
from rum.surfaces.web.routes import NoParameters, Route

_Json = dict[str, Any]
_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "details": {"type": "object"},
            },
        }
    },
}


@cache
def description() -> bytes:
    """The description as JSON."""
    return msgspec.json.encode(_description())


def _description() -> _Json:
    types = {id(kind): kind for route in ROUTES for kind in (route.answer, route.request)}
    schemas, components = msgspec.json.schema_components(
        types.values(), ref_template="#/components/schemas/{name}"
    )
    by_type = dict(zip(types, schemas, strict=True))
    paths: dict[str, _Json] = {}
    for route in ROUTES:
        paths.setdefault(f"/api/v1/{route.path}", {})[route.method.lower()] = _operation(
            route, by_type, components
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "RUM",
            "version": __version__,
            "description": "Lists have `items` and `next`: pass `next` as `cursor` for the next page.",
        },
        "paths": paths,
        "components": {"schemas": {**components, "Error": _ERROR}},
    }


def _operation(route: Route, schemas: dict[int, _Json], components: dict[str, Any]) -> _Json:
    steps = [step[1:-1] for step in route.steps if step.startswith("{")]
    parameters = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}} for name in steps
    ]
    operation: _Json = {"summary": route.about, "parameters": parameters}
    request = schemas[id(route.request)]
    if route.method == "GET":
        parameters += _query(request, components)
    else:
        header = {"name": "X-Rum-Csrf", "in": "header", "schema": {"type": "string"}}
        parameters.append(
            {**header, "required": False, "description": "`csrf` of /api/v1/me; needed with a cookie."}
        )
        if route.request is not NoParameters:
            operation["requestBody"] = {
                "required": True,
                "content": {"application/json": {"schema": request}},
            }
    kind = "text/markdown" if route.answer is str else "application/json"
    operation["responses"] = {
        "200": {"description": "The answer.", "content": {kind: {"schema": schemas[id(route.answer)]}}},
        "default": {
            "description": "What is wrong.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        },
    }
    return operation


def _query(request: _Json, components: dict[str, Any]) -> list[_Json]:
    """The fields of a request as parameters of an address."""
    schema = components[request["$ref"].rpartition("/")[2]]
    required = schema.get("required", ())
    return [
        {"name": name, "in": "query", "required": name in required, "schema": field}
        for name, field in schema["properties"].items()
    ]
