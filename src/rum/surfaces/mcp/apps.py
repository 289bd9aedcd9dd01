"""MCP Apps: views of the page inside clients that show them, with the tools that open them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

EXTENSION = "io.modelcontextprotocol/ui"
MIME_TYPE = "text/html;profile=mcp-app"
SCHEME = "ui://"
PREFIX = "ui://rum/"
PAGE = "page"  # The tool that the views call; the model does not see it
_READS = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}
_ID: Json = {
    "type": "object",
    "properties": {"memory_id": {"type": "string"}},
    "required": ["memory_id"],
    "additionalProperties": False,
}
_NOTHING: Json = {"type": "object", "properties": {}, "additionalProperties": False}
_REQUEST: Json = {
    "type": "object",
    "properties": {
        "method": {"type": "string", "enum": ["GET", "POST", "PUT", "PATCH"]},
        "path": {"type": "string"},
        "body": {"type": "object"},
    },
    "required": ["method", "path"],
    "additionalProperties": False,
}


def _tool(view: str, title: str, description: str, schema: Json) -> Json:
    return {
        "name": f"show_{view}",
        "title": title,
        "description": description,
        "inputSchema": schema,
        "annotations": {"title": title, **_READS},
        "_meta": {"ui": {"resourceUri": PREFIX + view}},
    }


TOOLS: list[Json] = [
    _tool("memory", "Show a memory", "Show the user one memory with its history, links and files.", _ID),
    _tool("causes", "Show causes", "Show the user the causes and effects of a memory as a graph.", _ID),
    _tool("review", "Show what waits for review", "Show the user what waits for review.", _NOTHING),
    {
        "name": PAGE,
        "title": "Request of a view",
        "description": "For RUM's views: a request to the page's API.",
        "inputSchema": _REQUEST,
        "annotations": {"title": "Request of a view", "openWorldHint": False},
        "_meta": {"ui": {"resourceUri": PREFIX + "memory", "visibility": ["app"]}},
    },
]
RESOURCES: list[Json] = [
    {"uri": PREFIX + view, "name": f"{view}_view", "title": title, "mimeType": MIME_TYPE}
    for view, title in (("memory", "A memory"), ("causes", "Causes of a memory"), ("review", "Review"))
]


def shows_apps(capabilities: object) -> bool:
    """Whether a client declares that it shows such views."""
    for name in ("extensions", EXTENSION, "mimeTypes"):
        capabilities = capabilities.get(name) if isinstance(capabilities, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return isinstance(capabilities, list) and MIME_TYPE in capabilities
