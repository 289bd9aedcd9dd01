"""The calls for chapters and wisdom in the documentation, and the fields of their results."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from rum import InvalidQuery, Rum
from support.builders import NOON
from support.projects import Shop
from support.stories import AUTH, BILLING, tell

Json = dict[str, Any]


@pytest.fixture
def rum(shop: Shop) -> Rum:
    return shop.open()


def asked(rum: Rum, name: str, params: Json) -> Json:
    """The result of a call as JSON."""
    return msgspec.json.decode(msgspec.json.encode(rum.call(name, params)))


def has(answer: Json, **types: type) -> None:
    for name, kind in types.items():
        assert name in answer, f"{name} is missing in {sorted(answer)}"
        assert isinstance(answer[name], kind), f"{name} is {answer[name]!r}"


def are_strings(*lists: list[Any]) -> None:
    assert all(isinstance(text, str) and text for one in lists for text in one)


def has_evidence(evidence: list[Json], claims: int) -> None:
    assert len(evidence) == claims
    for one in evidence:
        has(one, memory_ids=list, supporting=int, against=int, against_ids=list, last_confirmed=int)


def has_a_created_chapter(answer: Json) -> None:
    has(answer, chapter_id=str, memory_count=int, summary=str, learnings=list)
    has(answer, start_ts=int, end_ts=int, origin=str)
    are_strings(answer["learnings"])
    has_evidence(answer["evidence"], len(answer["learnings"]))


def has_a_synthesis(answer: Json) -> None:
    has(answer, wisdom_id=str, summary=str, insights=list, patterns=list, best_practices=list)
    has(answer, chapter_count=int, start_ts=int, end_ts=int)
    claims = [*answer["insights"], *answer["patterns"], *answer["best_practices"]]
    are_strings(claims)
    has_evidence(answer["evidence"], len(claims))


def test_a_chapter_by_hand(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    params = {"memory_ids": ids, "title": "JWT Authentication Overhaul"}
    answer = asked(rum, "create_chapter", params)
    has_a_created_chapter(answer)
    assert (answer["memory_count"], answer["origin"]) == (3, "manual")
    assert (answer["start_ts"], answer["end_ts"]) == (NOON + 60, NOON + 180)
    [chapter] = asked(rum, "list_chapters", {})["chapters"]
    assert chapter["title"] == "JWT Authentication Overhaul"


def test_a_chapter_by_tags(shop: Shop, rum: Rum) -> None:
    tell(shop, rum)
    answer = asked(rum, "create_chapter", {"tags": ["auth", "jwt"], "min_memories": 3})
    has_a_created_chapter(answer)
    assert (answer["memory_count"], answer["origin"]) == (3, "auto")


def test_list_chapters(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    asked(rum, "create_chapter", {"memory_ids": ids})
    asked(rum, "create_chapter", {"memory_ids": tell(shop, rum, BILLING)})
    answer = asked(rum, "list_chapters", {"tags": ["auth"], "since": 1705363200, "limit": 5})
    has(answer, chapters=list, total=int)
    assert answer["total"] == 1
    [chapter] = answer["chapters"]
    has(chapter, id=str, title=str, summary=str, learnings=list, start_ts=int, end_ts=int)
    has(chapter, memory_count=int, tags=list, topics=list, origin=str)
    assert chapter["memory_count"] == 3
    assert {"auth", "jwt"} <= set(chapter["tags"])


def chapters(shop: Shop, rum: Rum) -> list[str]:
    first, second, third = tell(shop, rum)
    groups = [[first, second], [second, third], [first, third]]
    return [asked(rum, "create_chapter", {"memory_ids": one})["chapter_id"] for one in groups]


def test_synthesize_by_ids(shop: Shop, rum: Rum) -> None:
    answer = asked(rum, "synthesize", {"chapter_ids": chapters(shop, rum)})
    has_a_synthesis(answer)
    assert answer["chapter_count"] == 3
    assert (answer["start_ts"], answer["end_ts"]) == (NOON + 60, NOON + 180)


def test_synthesize_by_topic(shop: Shop, rum: Rum) -> None:
    story = [{**one, "tags": ["authentication"]} for one in AUTH]
    first, second, third = tell(shop, rum, story)
    for group in ([first, second], [second, third], [first, third]):
        asked(rum, "create_chapter", {"memory_ids": group})
    answer = asked(rum, "synthesize", {"tags": ["authentication"], "min_chapters": 3})
    has_a_synthesis(answer)
    assert answer["chapter_count"] == 3


def test_recall_wisdom_by_id(shop: Shop, rum: Rum) -> None:
    wisdom_id = asked(rum, "synthesize", {"chapter_ids": chapters(shop, rum)})["wisdom_id"]
    answer = asked(rum, "recall_wisdom", {"wisdom_id": wisdom_id})
    has(answer, wisdom=list, total=int)
    [wisdom] = answer["wisdom"]
    has(wisdom, id=str, summary=str, insights=list, patterns=list, best_practices=list, tags=list)
    has(wisdom, start_ts=int, end_ts=int)
    assert "chapter_ids" not in wisdom


def test_recall_wisdom_by_topic_and_on_to_the_chapters_and_memories(shop: Shop, rum: Rum) -> None:
    story = [{**one, "tags": ["security"]} for one in AUTH]
    first, second, third = tell(shop, rum, story)
    made = [
        asked(rum, "create_chapter", {"memory_ids": one})["chapter_id"]
        for one in ([first, second], [second, third])
    ]
    asked(rum, "synthesize", {"chapter_ids": made})
    answer = asked(rum, "recall_wisdom", {"tags": ["security"], "include_chapters": True, "limit": 3})
    [wisdom] = answer["wisdom"]
    assert wisdom["chapter_ids"] == made
    listed = asked(rum, "list_chapters", {"chapter_ids": wisdom["chapter_ids"]})
    assert [chapter["id"] for chapter in listed["chapters"]] == made
    assert listed["chapters"][0]["memory_ids"] == [first, second]
    recalled = asked(rum, "recall", {"memory_id": first, "depth": "full"})
    assert recalled["memories"][0]["id"] == first


@pytest.mark.parametrize(
    ("name", "params", "field", "count"),
    [
        ("create_chapter", {}, "memory_ids", None),
        ("create_chapter", {"memory_ids": [], "tags": []}, "memory_ids", None),
        ("create_chapter", {"tags": ["nothing has it"]}, "tags", 0),
        ("create_chapter", {"tags": ["queue"]}, "tags", 1),
        ("create_chapter", {"tags": ["auth"], "min_memories": 4}, "tags", 3),
        ("synthesize", {}, "chapter_ids", None),
        ("synthesize", {"tags": ["auth"]}, "tags", 1),
        ("synthesize", {"tags": ["nothing has it"]}, "tags", 0),
    ],
)
def test_too_few_memories_or_none_are_refused_with_the_count(
    shop: Shop, rum: Rum, name: str, params: Json, field: str, count: int | None
) -> None:
    asked(rum, "create_chapter", {"memory_ids": tell(shop, rum)})
    with pytest.raises(InvalidQuery) as caught:
        rum.call(name, params)
    assert (caught.value.code, caught.value.details["field"]) == ("INVALID_QUERY", field)
    assert caught.value.details.get("count") == count
    assert count is None or str(count or "no") in caught.value.message
    assert (rum.chapters.list().total, rum.wisdom.recall().total) == (1, 0)


def test_wisdom_needs_two_chapters_unless_min_chapters_is_one(shop: Shop, rum: Rum) -> None:
    chapter = asked(rum, "create_chapter", {"memory_ids": tell(shop, rum)})["chapter_id"]
    with pytest.raises(InvalidQuery, match="only 1 chapter named; wisdom needs 2") as caught:
        rum.call("synthesize", {"chapter_ids": [chapter, chapter]})
    assert caught.value.details["count"] == 1
    has_a_synthesis(asked(rum, "synthesize", {"chapter_ids": [chapter], "min_chapters": 1}))


def test_two_memories_named_by_id_are_enough_for_any_minimum(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)[:2]
    assert asked(rum, "create_chapter", {"memory_ids": ids, "min_memories": 9})["memory_count"] == 2
