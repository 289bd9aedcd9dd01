"""Ids that sort by time and tell it."""

from __future__ import annotations

import re
import time

import pytest

from rum.model.ids import id_of, new_id

ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def number(identifier: str) -> int:
    """The UUID in an id."""
    value = 0
    for character in identifier.partition("_")[2]:
        value = value * 32 + ALPHABET.index(character)
    return value


def seconds(identifier: str) -> float:
    """The Unix time in an id."""
    return (number(identifier) >> 80) / 1000


@pytest.mark.parametrize("prefix", ["mem", "agent", "session"])
def test_an_id_is_a_prefix_and_a_version_7_uuid_in_base32(prefix: str) -> None:
    identifier = new_id(prefix)
    assert re.fullmatch(rf"{prefix}_[0-7][0-9a-hjkmnp-tv-z]{{25}}", identifier)
    value = number(identifier)
    assert value < 2**128
    assert value >> 76 & 0xF == 7
    assert value >> 62 & 0b11 == 0b10


def test_an_id_tells_when_it_was_made() -> None:
    before = time.time()
    made = seconds(new_id("mem"))
    assert before - 0.002 <= made <= time.time() + 0.002


def test_an_id_can_be_dated() -> None:
    assert seconds(new_id("mem", at=1_600_000_000.25)) == 1_600_000_000.25
    assert new_id("mem", at=1_600_000_000) < new_id("mem", at=1_600_000_001) < new_id("mem")


def test_the_same_name_always_gives_the_same_id() -> None:
    named = id_of("mem", "commit 1", at=1_600_000_000.25)
    assert named == id_of("mem", "commit 1", at=1_600_000_000.25)
    assert named[-12:] == id_of("mem", "commit 1")[-12:]
    assert len({named, id_of("mem", "commit 2", at=1_600_000_000.25), id_of("agent", "commit 1")}) == 3
    assert re.fullmatch(r"mem_[0-7][0-9a-hjkmnp-tv-z]{25}", named)
    assert (number(named) >> 76 & 0xF, number(named) >> 62 & 0b11) == (7, 0b10)
    assert seconds(named) == 1_600_000_000.25


@pytest.mark.parametrize("at", [-5.0, 0, 1e9, 1e12, 1e30])
def test_an_id_can_be_dated_at_any_time(at: float) -> None:
    assert number(id_of("mem", "x", at)) < 2**128
