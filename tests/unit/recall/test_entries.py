"""The points of an entry, worked out by hand: whole words, parts of words, and being recent."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from rum.model.layers import MemoryEntry
from rum.recall.entries import found, score

HOUR = 60 * 60 * 1000
NOW = 1_750_000_000_000
LONG_AGO = NOW - 1000 * HOUR


def make_entry(
    content: str, metadata: dict[str, Any] | None = None, at: float = LONG_AGO, id: str = "e"
) -> MemoryEntry:
    return MemoryEntry(id=id, timestamp=at, content=content, metadata=metadata)


def points(query: str, entry: MemoryEntry) -> float:
    return score(entry, Counter(query.casefold().split()), NOW)


@pytest.mark.parametrize(
    ("query", "content", "metadata", "expected"),
    [
        # One whole word: 2.
        ("security", "Agent analyzed security in src/", None, 2),
        # Twice the word: 2 + 2.
        ("token", "A token is no token-less thing", None, 4),
        # Two terms: security 2 + vulnerabilities 2.
        ("security vulnerabilities", "Agent analyzed security vulnerabilities in src/", None, 4),
        # Only inside a word: 1, however often.
        ("token", "refreshTokens and tokenise", None, 1),
        # A whole word counts, the part of a word beside it does not: 2.
        ("token", "token and tokens", None, 2),
        # One term whole (2), another inside (1).
        ("scan vulner", "The scan found vulnerabilities", None, 3),
        # Case does not matter: 2 + 2.
        ("CSV Straße", "csv for STRASSE", None, 4),
        # A term that is asked for twice counts twice: 2 × 2.
        ("csv csv", "one csv", None, 4),
        # Metadata values count, at any depth and of any type: scan 2, 42 2, true 2, deep 2.
        ("scan 42 true deep", "nothing", {"task": "scan", "n": 42, "ok": True, "x": [{"y": "deep"}]}, 8),
        # Content 2 + metadata 2.
        ("scan", "a scan", {"task": "scan"}, 4),
        # Names of metadata do not count.
        ("task", "nothing", {"task": "scan"}, 0),
        # Punctuation parts words, an underscore does not: 2, then 1.
        ("auth", "src/auth.ts", None, 2),
        ("auth", "my_auth", None, 1),
        # A term with punctuation of its own: 2, and 2.
        ("src/auth.ts", "see src/auth.ts:12", None, 2),
        ("c++", "c++ code", None, 2),
        # Nothing in common: 0. Nothing asked: 0.
        ("security", "Found 3 anomalies", None, 0),
        ("", "Found 3 anomalies", None, 0),
        # The end of one value and the start of the next make no word: 0.
        ("ab", "a", {"x": "b"}, 0),
        # A second try within the first counts too: `a-a` stands alone from the third character on.
        ("a-a", "xa-a-a", None, 2),
        # Script without blanks: inside.
        ("缓存", "修复缓存错误", None, 1),
    ],
)
def test_points_for_words(query: str, content: str, metadata: dict[str, Any] | None, expected: float):
    assert points(query, make_entry(content, metadata)) == expected


@pytest.mark.parametrize(
    ("age", "bonus"),
    [
        (0, 0.5),  # 0.5 × (1 − 0/24)
        (6 * HOUR, 0.375),  # 0.5 × (1 − 6/24)
        (12 * HOUR, 0.25),  # 0.5 × (1 − 12/24)
        (18 * HOUR, 0.125),  # 0.5 × (1 − 18/24)
        (24 * HOUR, 0.0),  # 0.5 × (1 − 24/24)
        (48 * HOUR, 0.0),  # never below nothing
        (-HOUR, 0.5),  # a clock that is ahead wins no more than being new
    ],
)
def test_being_recent_adds_up_to_half_a_point(age: float, bonus: float):
    assert points("csv", make_entry("csv", at=NOW - age)) == pytest.approx(2 + bonus)


def test_being_recent_alone_is_no_match():
    assert points("other", make_entry("csv", at=NOW)) == 0
    assert found([make_entry("csv", at=NOW)], "other", 10, NOW) == []


def test_the_best_come_first():
    entries = [
        make_entry("tokens", at=NOW, id="inside, new"),  # 1 + 0.5
        make_entry("token", id="whole, old"),  # 2
        make_entry("token", at=NOW - 12 * HOUR, id="whole, half a day"),  # 2 + 0.25
        make_entry("token token", id="twice, old"),  # 4
        make_entry("nothing", at=NOW, id="none"),  # 0
    ]
    assert [entry.id for entry in found(entries, "token", 10, NOW)] == [
        "twice, old",
        "whole, half a day",
        "whole, old",
        "inside, new",
    ]
    assert [entry.id for entry in found(entries, "token", 2, NOW)] == ["twice, old", "whole, half a day"]


def test_among_equals_the_newer_one_comes_first_and_the_later_one_of_the_same_time():
    entries = [
        make_entry("csv", at=LONG_AGO, id="first"),
        make_entry("csv", at=LONG_AGO + 5, id="newest"),
        make_entry("csv", at=LONG_AGO, id="second"),
    ]
    assert [entry.id for entry in found(entries, "csv", 10, NOW)] == ["newest", "second", "first"]


def test_metadata_of_any_depth_is_searched():
    deep: Any = "needle"
    for _ in range(100_000):
        deep = [deep]
    assert points("needle", make_entry("", {"deep": deep})) == 2


def test_a_text_made_to_be_slow_is_searched_in_the_time_of_any_other():
    assert points("a" * 500 + "b", make_entry("a" * 200_000)) == 0
    assert points("a" * 500, make_entry("a" * 20_000)) == 1
