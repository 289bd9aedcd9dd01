"""The generated day of an agent's work is always the same and has every kind of call."""

from __future__ import annotations

from collections import Counter

from benchmarks.sample_day import make_day


def test_a_day_is_the_same_for_the_same_seed():
    assert make_day("/p", 100, seed=3) == make_day("/p", 100, seed=3)
    assert make_day("/p", 100, seed=3) != make_day("/p", 100, seed=4)


def test_a_day_has_the_requested_number_of_calls_of_every_kind():
    day = make_day("/p", 2000)
    names = Counter(told.payload["hook_event_name"] for told in day.hook_calls)
    assert names["PreToolUse"] == day.calls >= 2000
    assert {"SubagentStop", "PreCompact", "PostToolUseFailure", "SessionEnd"} <= names.keys()
    sorts = Counter(one.sort for one in day.expected)
    assert len(sorts) == 9
    assert 0 < sum(not one.memory for one in day.expected) < len(day.expected) / 2
    assert all(one.at < other.at for one, other in zip(day.hook_calls, day.hook_calls[1:], strict=False))
