"""A span of OpenTelemetry for each MCP request, named as its conventions for MCP say.

Only with the extra `otel`, and where the usual variables of the environment name a collector. Spans hold no
text of memories and no name of a person or project.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rum._version import __version__
from rum.model.errors import InvalidQuery
from rum.surfaces.mcp.json_rpc import Request, is_object
from rum.surfaces.mcp.tools import Json

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_MAX_ATTRIBUTE = 200
_PROMPTS = "prompts/get"


class Outcome:
    """Takes the answer to a request, for the span of it."""

    def __init__(self, span: Span | None = None) -> None:
        self._span = span

    def take(self, reply: Json, result: str) -> None:
        """Note the answer; `result` is `ok` or the code of an error."""
        if self._span is None:
            return
        error = reply.get("error")
        found = reply.get("result")
        if is_object(error):
            self._fail(str(error.get("code")), str(error.get("message", "")))
            self._span.set_attribute("rpc.response.status_code", str(error.get("code")))
        elif is_object(found) and found.get("isError"):
            self._fail("tool_error", result)
            self._span.set_attribute("rum.error.code", result)

    def _fail(self, kind: str, text: str) -> None:
        from opentelemetry.trace import Status, StatusCode  # noqa: PLC0415 (only where the extra is)

        assert self._span
        self._span.set_attribute("error.type", kind)
        self._span.set_status(Status(StatusCode.ERROR, text[:_MAX_ATTRIBUTE]))


class Tracing:
    """Makes spans, or nothing without a provider."""

    def __init__(self, provider: TracerProvider | None = None) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("rum", __version__) if provider else None

    @contextmanager
    def span(self, message: Request, headers: Mapping[str, str], session: str | None) -> Generator[Outcome]:
        """A span for the time of a request."""
        if self._tracer is None:
            yield Outcome()
            return
        from opentelemetry.trace import SpanKind  # noqa: PLC0415
        from opentelemetry.trace.propagation.tracecontext import (  # noqa: PLC0415
            TraceContextTextMapPropagator,
        )

        params = message.params if is_object(message.params) else {}
        meta = params.get("_meta")
        carrier = meta if is_object(meta) and "traceparent" in meta else headers
        texts = {name: carrier.get(name) for name in ("traceparent", "tracestate")}
        known = {name: value for name, value in texts.items() if isinstance(value, str)}
        attributes, target = _attributes(message, params, headers, session)
        with self._tracer.start_as_current_span(
            f"{message.method[:_MAX_ATTRIBUTE]}{target}",
            TraceContextTextMapPropagator().extract(known),
            SpanKind.SERVER,
            attributes,
        ) as span:
            yield Outcome(span)

    def close(self) -> None:
        """Send what is left."""
        if self._provider:
            self._provider.shutdown()


def _attributes(
    message: Request, params: Json, headers: Mapping[str, str], session: str | None
) -> tuple[dict[str, str], str]:
    """The attributes of a request, and what its span's name ends with."""
    name = params.get("name")
    found: dict[str, Any] = {
        "mcp.method.name": message.method,
        "jsonrpc.request.id": str(message.id),
        "mcp.protocol.version": headers.get("mcp-protocol-version"),
        "mcp.session.id": session,
        "network.protocol.name": "http",
        "network.transport": "tcp",
    }
    target = ""
    if message.method == "tools/call" and isinstance(name, str):
        found |= {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
        target = f" {name[:_MAX_ATTRIBUTE]}"
    elif message.method == _PROMPTS and isinstance(name, str):
        found["gen_ai.prompt.name"] = name
        target = f" {name[:_MAX_ATTRIBUTE]}"
    elif isinstance(uri := params.get("uri"), str):
        found["mcp.resource.uri"] = uri
    return {key: value[:_MAX_ATTRIBUTE] for key, value in found.items() if isinstance(value, str)}, target


def is_wanted(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the environment names a collector of traces."""
    is_off = environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if is_off or environ.get("OTEL_TRACES_EXPORTER") == "none":
        return False
    return any(environ.get(name) for name in _ENDPOINTS)


def start_tracing() -> Tracing:
    """Spans for the collector that the environment names; InvalidQuery if the extra is missing."""
    if not is_wanted():
        return Tracing()
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError:
        raise InvalidQuery(
            "The environment names a collector of traces (OTEL_EXPORTER_OTLP_ENDPOINT). Run `pip install "
            "'rum-memory[otel]'`, or set OTEL_SDK_DISABLED=true."
        ) from None
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": "rum"}
    provider = TracerProvider(resource=Resource.create({**named, "service.version": __version__}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return Tracing(provider)
