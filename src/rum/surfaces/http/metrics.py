"""Figures of a running server in the text format of Prometheus; no project and no person is named."""

from __future__ import annotations

import time
from collections import Counter

_BUCKETS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts since the server started; changed by the event loop's thread alone."""

    def __init__(self) -> None:
        self._started = time.time()
        self._answers: Counter[int] = Counter()
        self._calls: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[float] = Counter()
        self._total_seconds = 0.0

    def count_answer(self, status: int) -> None:
        """Count an HTTP answer."""
        self._answers[status] += 1

    def count_call(self, name: str, result: str, seconds: float) -> None:
        """Count a call of the API, its result (`ok` or the code of an error) and its duration."""
        self._calls[name, result] += 1
        self._total_seconds += seconds
        for bucket in _BUCKETS:
            self._seconds[bucket] += seconds <= bucket

    def text(self, **gauges: float) -> str:
        """All figures; `gauges` are those that go up and down."""
        lines = ["# TYPE rum_http_requests_total counter"]
        lines += [
            f'rum_http_requests_total{{status="{status}"}} {count}'
            for status, count in sorted(self._answers.items())
        ]
        lines.append("# TYPE rum_calls_total counter")
        lines += [
            f'rum_calls_total{{call="{name}",result="{result}"}} {count}'
            for (name, result), count in sorted(self._calls.items())
        ]
        calls = sum(self._calls.values())
        lines.append("# TYPE rum_call_seconds histogram")
        lines += [f'rum_call_seconds_bucket{{le="{bucket}"}} {self._seconds[bucket]}' for bucket in _BUCKETS]
        lines.append(f'rum_call_seconds_bucket{{le="+Inf"}} {calls}')
        lines.append(f"rum_call_seconds_sum {self._total_seconds:.6f}")
        lines.append(f"rum_call_seconds_count {calls}")
        for name, value in {**gauges, "start_time_seconds": round(self._started, 3)}.items():
            lines += [f"# TYPE rum_{name} gauge", f"rum_{name} {value}"]
        return "\n".join(lines) + "\n"
