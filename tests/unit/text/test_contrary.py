"""Wishes that contradict each other."""

from __future__ import annotations

from rum.text.contrary import contrary


def test_a_number_before_a_full_stop_is_a_value_too() -> None:
    assert not contrary(
        "From now on always use 4 spaces and a line length of 100.", "From now on always use 2 spaces."
    )
    assert contrary("From now on always use 4 spaces.", "From now on always use 2 spaces.")
