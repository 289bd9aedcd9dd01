"""The words of wisdom, drawn from chapters, and patterns: what repeats, counted."""

from __future__ import annotations

from itertools import permutations

import msgspec
import pytest
from msgspec.structs import replace

from rum.consolidate.chapters.wisdom_words import draw_wisdom, find_patterns
from rum.model.chapters import Contradiction, Evidence, TextSource, WisdomText
from rum.model.memory import Memory
from support.builders import make_file, make_memory
from support.chapter_memories import LOGINS, by_id, make_chapter, make_work

CHAPTERS = (make_chapter(1, LOGINS[:2]), make_chapter(2, LOGINS[2:4]), make_chapter(3, LOGINS[4:]))


def evidence_for(words: WisdomText, claim: str) -> Evidence:
    claims = (*words.insights, *words.patterns, *words.best_practices)
    return words.evidence[claims.index(claim)]


def test_claims_of_several_chapters_are_merged_with_all_their_memories():
    words = draw_wisdom(CHAPTERS, by_id(*LOGINS))
    assert words.best_practices[0] == "Refresh tokens must be rotated on every use"
    found = evidence_for(words, words.best_practices[0])
    assert set(found.memory_ids) == {"mem_001", "mem_004", "mem_005"}
    assert len(words.evidence) == len(words.insights) + len(words.patterns) + len(words.best_practices)


def test_statements_become_insights_and_advice_becomes_practices():
    words = draw_wisdom(CHAPTERS, by_id(*LOGINS))
    assert "Advisory locks do not hold a pool connection" in words.insights
    assert not set(words.insights) & set(words.best_practices)


def test_what_failed_once_is_an_insight_with_what_worked_instead():
    words = draw_wisdom(CHAPTERS, by_id(*LOGINS))
    [failed] = [one for one in words.insights if "failed" in one]
    assert failed.endswith("The pool ran dry. What worked: Lock the refresh endpoint with an advisory lock")
    assert not [one for one in words.best_practices if "failed" in one]


def test_what_failed_more_than_once_is_a_warning():
    tried = [make_work(n, "Upgrade the TLS library", failed="Its API changed again") for n in (1, 2)]
    words = draw_wisdom([make_chapter(1, tried)], by_id(*tried))
    assert words.best_practices == ("Upgrade the TLS library failed twice: Its API changed again",)
    assert words.insights == ()


def test_what_memories_with_the_tags_say_comes_first():
    docs = make_work(1, "Explain it", "Diagrams are drawn with Mermaid", tags=["docs"])
    other = [make_work(n, "Lock it", "Advisory locks hold no connection", tags=["db"]) for n in (2, 3)]
    chapters, members = [make_chapter(1, [docs, *other])], by_id(docs, *other)
    said = {"Diagrams are drawn with Mermaid", "Advisory locks hold no connection"}
    by_tag = {tag: draw_wisdom(chapters, members, tags=[tag]).insights for tag in ("docs", "db")}
    assert by_tag["docs"][0] == "Diagrams are drawn with Mermaid"
    assert (
        by_tag["db"][0] == draw_wisdom(chapters, members).insights[0] == "Advisory locks hold no connection"
    )
    assert {*by_tag["docs"]} == {*by_tag["db"]} == said


@pytest.mark.parametrize(
    "rule",
    [
        "Pin the compiler in CI jobs",
        "Set TZ=UTC in the CI jobs",
        "Compare sequence numbers before you add one",
    ],
)
def test_a_rule_is_a_practice_however_many_support_it(rule: str):
    worked, failed = (
        make_work(1, "Fix the jobs", rule),
        make_work(2, "Speed up the jobs", rule, failed="Slow"),
    )
    for works in ([worked], [worked, failed]):
        words = draw_wisdom([make_chapter(1, works)], by_id(*works))
        assert rule in words.best_practices


def test_a_rule_that_failing_taught_is_a_practice():
    failed = make_work(1, "Skip the log", "Never skip the audit log on Sundays", failed="It was needed")
    words = draw_wisdom([make_chapter(1, [failed])], by_id(failed))
    assert words.best_practices == ("Never skip the audit log on Sundays",)


@pytest.mark.parametrize(
    "text",
    [
        "Set of allowed origins lives in config/cors.py",
        "Test runs take four minutes without a warm cache",
        "Log files are rotated by the nightly job",
        "Build fails without network in the sandbox",
        "`give()` never put the connection back, so the pool ran dry after the first use",
    ],
)
def test_a_sentence_that_begins_like_a_command_is_none(text: str):
    member = make_work(1, "Look around", text)
    assert draw_wisdom([make_chapter(1, [member])], by_id(member)).best_practices == ()


def test_the_summary_names_its_sources_and_the_most_frequent_claim():
    assert draw_wisdom(CHAPTERS, by_id(*LOGINS)).summary == (
        "3 chapters with 5 memories from 2025-06-16 to 2025-06-20: “Fix random logouts after token "
        "refresh”, “Lock the refresh endpoint with an advisory lock; "
        "Rotate refresh tokens” and “Refresh token rotation for mobile clients”. "
        "4 succeeded, 1 failed. "
        "Said most often, in 3 memories: Refresh tokens must be rotated on every use."
    )


def test_the_summary_of_one_day_names_that_day():
    member = make_work(1, "Rotate keys")
    [day, *_] = draw_wisdom([make_chapter(1, [member])], by_id(member)).summary.split(":")
    assert day == "1 chapter with 1 memory on 2025-06-16"


def test_the_same_chapters_in_any_order_give_the_same_bytes():
    members = by_id(*LOGINS)
    said = {
        msgspec.json.encode(draw_wisdom(order, dict(reversed(list(members.items())))))
        for order in permutations(CHAPTERS)
    }
    assert said == {msgspec.json.encode(draw_wisdom(CHAPTERS, members))}


TIMEOUTS = (
    make_work(11, "Raise the timeout", "The session timeout is 30 minutes"),
    make_work(12, "Document it", "The session timeout is 60 minutes"),
    make_work(13, "Test it", "The session timeout is 60 minutes"),
)


def timeouts(*members: Memory) -> WisdomText:
    return draw_wisdom([make_chapter(1, members[:1]), make_chapter(2, members[1:])], by_id(*members))


def test_a_contradiction_is_shown_once_with_both_sides_the_better_supported_first():
    words = timeouts(*TIMEOUTS)
    assert words.contradictions == (
        Contradiction(
            claim="The session timeout is 60 minutes",
            memory_ids=("mem_012", "mem_013"),
            against="The session timeout is 30 minutes",
            against_ids=("mem_011",),
        ),
    )
    assert words.summary.endswith("1 contradiction is open.")
    assert evidence_for(words, "The session timeout is 60 minutes").against_ids == ("mem_011",)


def test_a_superseding_memory_settles_a_contradiction():
    words = timeouts(replace(TIMEOUTS[0], superseded_by=("mem_012",)), *TIMEOUTS[1:])
    assert words.contradictions == ()
    assert words.insights == ("The session timeout is 60 minutes",)


@pytest.mark.parametrize(
    "how", [{"words": TextSource.GIVEN}, {"given": ("learnings",)}, {"words": TextSource.MODEL}]
)
def test_passed_claims_count_if_memories_support_them(how: dict[str, object]):
    given = ("Rotate every refresh token whenever it is used", "Deploy on Fridays only, with Kubernetes")
    chapter = make_chapter(1, LOGINS, learnings=given, evidence=(Evidence(), Evidence()), **how)
    words = draw_wisdom([chapter], by_id(*LOGINS))
    claims = (*words.insights, *words.best_practices)
    assert given[1] not in claims
    named = {one for claim, found in zip(claims, words.evidence, strict=False) for one in found.memory_ids}
    assert named <= set(by_id(*LOGINS))
    assert any("otate" in claim for claim in claims)


def test_memories_that_are_gone_say_nothing():
    members = by_id(*LOGINS)
    del members["mem_002"]
    words = draw_wisdom(CHAPTERS, members)
    assert "mem_002" not in str(words)
    assert not any("failed:" in one for one in words.claims)
    assert draw_wisdom(CHAPTERS, {}) == WisdomText(summary="")
    assert draw_wisdom([], {}) == WisdomText(summary="")


@pytest.mark.parametrize(
    ("one", "other", "at_odds"),
    [
        ("The timeout is 30 seconds", "The timeout is 60 seconds", True),
        ("Upload limit: 10 MB", "Upload limit: 50 MB", True),
        ("It needs 30 seconds", "It needs 60 seconds", False),
    ],
)
def test_two_values_of_one_thing_are_a_contradiction(one: str, other: str, at_odds: bool):
    members = (make_work(1, "Look", one), make_work(2, "Look again", other))
    assert bool(timeouts(*members).contradictions) == at_odds


def texts(*members: Memory) -> list[str]:
    return [pattern.text for pattern in find_patterns(members)]


def test_files_that_change_together_are_listed():
    members = [make_work(n, files=["CMakeLists.txt", "configure.ac"]) for n in range(4)]
    members += [make_work(9, files=["configure.ac"]), make_work(10, files=["CMakeLists.txt"])]
    members += [make_work(n, files=[f"f{n}"]) for n in range(20, 60)]
    assert texts(*members) == [
        "In these chapters, changes of CMakeLists.txt usually came with changes of configure.ac."
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
        "Failed repeatedly, by race condition: “Fix the login”.",
        "Changes of a.c failed repeatedly: “Fix the login”.",
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
    assert [one.text for one in found if "“" not in one.text] == [
        "Worked more often than not: Mock the payment server.",
        "Failed repeatedly: Retry for ever.",
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
    assert texts(*members) == ["In these chapters, changes of dev.txt came with changes of docs.txt."]
