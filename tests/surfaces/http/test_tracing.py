"""Spans of OpenTelemetry: what a collector gets, and that nothing is loaded without one."""

from __future__ import annotations

import gzip
import http.server
import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from rum.model.errors import InvalidQuery
from rum.surfaces.http import tracing
from surfaces.http.running import WORK, start

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


@pytest.fixture
def collector() -> Iterator[tuple[str, queue.Queue[Any]]]:
    """The address of a collector, and the spans that it got."""
    spans: queue.Queue[Any] = queue.Queue()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        spans.put((resource.resource, span))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    place = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=place.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{place.server_port}", spans
    place.shutdown()
    place.server_close()


def attributes(span: Any) -> dict[str, str]:
    return {one.key: one.value.string_value for one in span.attributes}


def test_every_request_is_a_span_with_the_usual_names(
    tmp_path: Path, collector: tuple[str, queue.Queue[Any]]
):
    address, spans = collector
    served = start(tmp_path / "home", environ={"OTEL_EXPORTER_OTLP_ENDPOINT": address})
    token = served.create("anna")
    served.call("store", token, **WORK)
    body = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    params = {"name": "trace", "arguments": {"memory_id": "mem_x"}, "_meta": {"traceparent": PARENT}}
    served.ask(body={**body, "params": params}, token=token)
    served.ask(body={**body, "method": "nonsense"}, token=token, traceparent=PARENT)
    assert served.stop() == 0
    found = {span.name: (resource, span) for resource, span in (spans.get(timeout=30) for _ in range(3))}
    assert set(found) == {"tools/call store", "tools/call trace", "nonsense"}
    resource, stored = found["tools/call store"]
    assert attributes(resource)["service.name"] == "rum"
    assert attributes(stored) == {
        "mcp.method.name": "tools/call",
        "jsonrpc.request.id": "1",
        "network.protocol.name": "http",
        "network.transport": "tcp",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "store",
    }
    assert stored.kind == stored.SPAN_KIND_SERVER
    traced, refused = found["tools/call trace"][1], found["nonsense"][1]
    assert attributes(traced)["error.type"] == "tool_error"
    assert attributes(traced)["rum.error.code"] == "NOT_FOUND"
    assert attributes(refused)["error.type"] == attributes(refused)["rpc.response.status_code"] == "-32601"
    for span in (traced, refused):
        assert span.trace_id.hex() == PARENT.split("-")[1]
        assert span.parent_span_id.hex() == PARENT.split("-")[2]
    assert "flaky" not in str(found)


def test_a_collector_that_is_away_stops_neither_calls_nor_the_end(tmp_path: Path):
    served = start(tmp_path / "home", environ={"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"})
    token = served.create("anna")
    assert "memory_id" in served.call("store", token, **WORK).tool
    assert served.stop() == 0


def test_nothing_is_loaded_without_a_collector(tmp_path: Path):
    say = "import atexit, sys; tell = lambda: sys.stderr.write(str('opentelemetry.sdk' in sys.modules)); "
    say += "atexit.register(tell)"
    served = start(tmp_path / "home", defect=say)
    served.call("recall", served.create("anna"), query="x")
    assert served.stop() == 0
    assert "".join(served.complaints) == "False"


@pytest.mark.parametrize("name", ["OTEL_SDK_DISABLED=true", "OTEL_TRACES_EXPORTER=none"])
def test_tracing_can_be_switched_off(name: str):
    environ = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
    assert tracing.is_wanted(environ)
    assert not tracing.is_wanted(environ | dict([name.split("=")]))


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    import sys

    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    with pytest.raises(InvalidQuery, match=r"rum-memory\[otel\]"):
        tracing.start_tracing()
