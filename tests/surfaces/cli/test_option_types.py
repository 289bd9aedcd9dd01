"""Points in time as values of options."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from rum.model.fields import point_in_time
from surfaces.cli.running import Run

NOW = 1_763_240_000.5


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1763230000", 1763230000),
        ("1763230000.25", 1763230000),
        ("1763230000000", 1763230000),
        ("90s", NOW - 90),
        ("30m", NOW - 30 * 60),
        ("12h", NOW - 12 * 3600),
        ("7d", NOW - 7 * 86400),
        ("2w", NOW - 14 * 86400),
        ("1.5d", NOW - 36 * 3600),
        (" 7 d ", NOW - 7 * 86400),
        ("2026-01-31T14:00Z", datetime(2026, 1, 31, 14, tzinfo=UTC).timestamp()),
        ("2026-01-31T14:00+02:00", datetime(2026, 1, 31, 12, tzinfo=UTC).timestamp()),
        ("2026-01-31", datetime(2026, 1, 31).timestamp()),
        ("2026-01-31 14:00", datetime(2026, 1, 31, 14).timestamp()),
    ],
)
def test_seconds_dates_and_ages_are_parsed(written: str, expected: float):
    assert point_in_time(written, NOW) == pytest.approx(expected, abs=1)


@pytest.mark.parametrize("written", ["", "soon", "7x", "-5d", "2026-13-01", "d", "1" * 400 + "w"])
def test_an_invalid_time_is_a_usage_error_with_examples(run: Run, written: str):
    ran = run("recall", "x", "--since", written)
    assert ran.code == 2
    assert "2026-01-31" in ran.err
