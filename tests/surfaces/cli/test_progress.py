"""What is told while something takes long and nobody watches a bar."""

from __future__ import annotations

import pytest

from rum.surfaces.cli.progress import EVERY, Lines
from support.builders import HandClock


class Told:
    """Lines as they are told, by a clock that is moved by hand."""

    def __init__(self, total: int | None) -> None:
        self.clock = HandClock()
        self.lines: list[str] = []
        self.tell = Lines("Embedding", total, self.lines.append, self.clock)

    def after(self, seconds: float, done: int) -> str | None:
        """What is said when so much is done, so many seconds later."""
        self.clock.forward(seconds)
        self.lines.clear()
        self.tell(done)
        assert len(self.lines) <= 1
        return self.lines[0] if self.lines else None


def test_a_line_says_how_much_is_done_how_quickly_and_how_long_the_rest_takes():
    told = Told(40_000)
    assert told.after(20, 500) == "Embedding: 500 of 40000, 25 a second, about 26 min left"
    assert told.after(1580, 39_900) == "Embedding: 39900 of 40000, 25 a second, about 4 s left"


@pytest.mark.parametrize(("done", "rate"), [(1, "0.05"), (30, "1.5"), (200, "10"), (24_690, "1234")])
def test_rates_are_told_as_exactly_as_they_say_something(done: int, rate: str):
    assert f", {rate} a second" in str(Told(100_000).after(20, done))


def test_what_is_soon_over_needs_no_line_and_no_two_come_at_once():
    told = Told(100)
    assert told.after(EVERY - 1, 10) is None
    assert told.after(2, 20)
    assert told.after(EVERY - 1, 30) is None
    assert told.after(2, 40)


def test_where_nobody_knows_the_total_nothing_is_said_of_the_rest():
    assert Told(None).after(20, 500) == "Embedding: 500, 25 a second"


def test_with_nothing_done_yet_there_is_no_rate_to_go_by():
    assert Told(10).after(20, 0) == "Embedding: 0 of 10"


def test_a_total_that_was_not_known_before_counts_and_may_turn_out_too_low():
    told = Told(None)
    told.clock.forward(20)
    told.tell(500, 1000)
    assert told.lines == ["Embedding: 500 of 1000, 25 a second, about 20 s left"]
    assert told.after(20, 1200) == "Embedding: 1200 of 1200, 30 a second"
