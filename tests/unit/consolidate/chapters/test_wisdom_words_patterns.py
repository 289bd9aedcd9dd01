"""Patterns: what repeats, counted."""

from __future__ import annotations

import pytest

from rum.consolidate.chapters.wisdom_words import find_patterns
from rum.model.memory import Memory
from support.builders import make_file, make_memory
from support.chapter_memories import make_work


def texts(*members: Memory) -> list[str]:
    return [pattern.text for pattern in find_patterns(members)]


def test_files_that_change_together_are_listed_with_counts():
    members = [make_work(n, files=["CMakeLists.txt", "configure.ac"]) for n in range(4)]
    members += [make_work(9, files=["configure.ac"]), make_work(10, files=["CMakeLists.txt"])]
    members += [make_work(n, files=[f"f{n}"]) for n in range(20, 60)]
    assert texts(*members) == [
        "CMakeLists.txt and configure.ac change together (4 of 5 memories that changed the former)."
    ]
    assert find_patterns(members)[0].memory_ids == ("mem_000", "mem_001", "mem_002", "mem_003")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("src/pay.py", "tests/unit/test_pay.py"),
        ("pkg/cipher.go", "pkg/cipher_test.go"),
        ("lib/flow.c", "lib/flow.h"),
        ("src/Pay.java", "test/PayTest.java"),
        ("src/pay.ts", "src/pay.spec.ts"),
    ],
)
def test_a_file_and_its_own_test_or_header_are_no_news(one: str, other: str):
    assert texts(*(make_work(n, files=[one, other]) for n in range(4))) == []


def test_a_change_of_everything_ties_no_files_together():
    everything = [f"f{n}" for n in range(30)]
    members = [make_work(n, files=everything) for n in range(4)]
    assert not [text for text in texts(*members) if "together" in text]


def test_places_of_repeated_failures_are_listed():
    members = [make_work(n, files=["a.c"], failed="No", category="race_condition") for n in (1, 2)]
    members += [make_work(n, files=["a.c"], kind="feature_add") for n in (3, 4)]
    members += [make_work(n, files=["b.c"], kind="feature_add") for n in range(5, 9)]
    assert texts(*members) == [
        "2 memories failed by race condition.",
        "2 of 2 bug fixes failed.",
        "2 of 4 memories that changed a.c failed.",
    ]


def test_a_single_failure_and_one_among_many_are_no_pattern():
    members = [make_work(n, files=[f"{n}.c"]) for n in range(30)]
    failed = [make_work(40 + n, files=["1.c", f"{n}.h"], failed="No") for n in range(1)]
    assert texts(*members, *failed) == []


def test_approaches_are_listed_with_their_successes_and_failures():
    members = [
        make_work(1, approach="Mock the payment server."),
        make_work(2, approach="mock the payment server"),
        make_work(3, approach="Mock the payment server", failed="It drifted away"),
        make_work(4, approach="Retry for ever", failed="It hung"),
        make_work(5, approach="Retry for ever", failed="It hung again"),
    ]
    found = find_patterns(members)
    assert [one.text for one in found if ":" in one.text] == [
        "Worked twice, failed once: Mock the payment server.",
        "Failed twice: Retry for ever.",
    ]
    assert found[0].against_ids == ("mem_003",)


def test_reading_a_file_is_no_change():
    members = [make_memory(f"mem_{n}", files=[make_file("a.c", "read")]) for n in range(5)]
    assert texts(*members) == []


def test_files_that_are_changed_along_with_anything_are_no_pattern():
    along = (
        "CHANGES.rst",
        "docs/CHANGELOG.md",
        "yarn.lock",
        "package-lock.json",
        "go.sum",
        "NEWS",
        "src/all.py",
    )
    members = [make_work(n, files=[f"f{n % 8}", *along]) for n in range(40)]
    assert texts(*members) == []


def test_a_file_stands_in_one_pair_only():
    members = [make_work(n, files=["dev.txt", "docs.txt", "tests.txt"]) for n in range(4)]
    members += [make_work(n, files=[f"f{n}"]) for n in range(20, 60)]
    assert texts(*members) == [
        "dev.txt and docs.txt change together (4 of 4 memories that changed the former)."
    ]
