"""Progress of long work as lines, without a terminal."""

from __future__ import annotations

import pytest

from rum.surfaces.cli.output import EVERY, Lines
from support.builders import HandClock


class FakeClockLines:
    """Progress lines with a clock that is moved by hand."""

    def __init__(self, total: int | None) -> None:
        self.clock = HandClock()
        self.lines: list[str] = []
        self.tell = Lines("Embedding", total, self.lines.append, self.clock)

    def after(self, seconds: float, done: int) -> str | None:
        """The line printed when the clock moves on and more is done."""
        self.clock.forward(seconds)
        self.lines.clear()
        self.tell(done)
        assert len(self.lines) <= 1
        return self.lines[0] if self.lines else None


def test_a_line_shows_amount_rate_and_remaining_time():
    shown = FakeClockLines(40_000)
    assert shown.after(20, 500) == "Embedding: 500 of 40000, 25 a second, about 26 min left"
    assert shown.after(1580, 39_900) == "Embedding: 39900 of 40000, 25 a second, about 4 s left"


@pytest.mark.parametrize(("done", "rate"), [(1, "0.05"), (30, "1.5"), (200, "10"), (24_690, "1234")])
def test_rates_have_two_significant_digits(done: int, rate: str):
    assert f", {rate} a second" in str(FakeClockLines(100_000).after(20, done))


def test_lines_are_printed_at_intervals_only():
    shown = FakeClockLines(100)
    assert shown.after(EVERY - 1, 10) is None
    assert shown.after(2, 20)
    assert shown.after(EVERY - 1, 30) is None
    assert shown.after(2, 40)


def test_without_a_total_no_remaining_time_is_shown():
    assert FakeClockLines(None).after(20, 500) == "Embedding: 500, 25 a second"


def test_without_progress_no_rate_is_shown():
    assert FakeClockLines(10).after(20, 0) == "Embedding: 0 of 10"


def test_a_later_total_is_used_and_may_be_exceeded():
    shown = FakeClockLines(None)
    shown.clock.forward(20)
    shown.tell(500, 1000)
    assert shown.lines == ["Embedding: 500 of 1000, 25 a second, about 20 s left"]
    assert shown.after(20, 1200) == "Embedding: 1200 of 1200, 30 a second"
