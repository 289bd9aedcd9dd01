"""An agent is handed the material of a chapter or wisdom, and writes the text in a second call."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from rum import PermissionDenied, Rum
from rum.text.tokens import estimate_tokens
from support.projects import Shop, keep
from support.stories import BILLING, tell


class ScriptedAgent:
    """A named fake of the calling agent: quotes what the material says was learned, with its numbers."""

    def __init__(self, *more: str) -> None:
        self._more = more

    def claims(self, material: str) -> list[str]:
        numbered = re.split(r"^\[(\d+)\] ", material, flags=re.MULTILINE)[1:]
        pairs = zip(numbered[::2], numbered[1::2], strict=True)
        found = [(number, text) for number, each in pairs for text in re.findall(r"learned: (.+)", each)]
        return [*(f"{text} [{number}]" for number, text in found), *self._more]


def test_the_material_asks_for_a_text_and_the_second_call_gives_it(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    first = rum.chapters.create(memory_ids=ids)
    material = first.material or ""
    assert "create_chapter" in material
    assert "chapter_id" in material
    assert "[3] 2025-06-15, failed" in material
    second = rum.chapters.create(
        chapter_id=first.chapter_id,
        title="Refreshing tokens",
        summary="The interceptor refreshes the token on 401, and requests wait meanwhile.",
        learnings=ScriptedAgent().claims(material),
    )
    assert (second.chapter_id, second.created, second.words) == (first.chapter_id, False, "given")
    assert second.learnings == (
        "Always handle refresh token expiry too",
        "A request queue prevents race conditions",
        "Handle refresh token expiry",
        "Key caches must be flushed before rotation",
    )
    assert all(one.supporting for one in second.evidence)
    assert second.material is second.note is msgspec.UNSET


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        ("Redis must run version 7 [1]", "do not say 7"),
        ("Key caches must be flushed before rotation [1]", "only"),
        ("The office moves to Berlin in spring", "names no memory"),
        ("Key caches must never be flushed before rotation [3]", "contradicts"),
        ("A request queue prevents race conditions [9]", "names no memory"),
    ],
)
def test_what_the_cited_memories_do_not_say_is_left_out_and_named(
    shop: Shop, rum: Rum, claim: str, why: str
) -> None:
    first = rum.chapters.create(memory_ids=tell(shop, rum))
    learnings = ScriptedAgent(claim).claims(first.material or "")
    second = rum.chapters.create(chapter_id=first.chapter_id, learnings=learnings)
    assert len(second.learnings) == 4
    assert claim.partition(" [")[0] in str(second.note)
    assert why in str(second.note)


def test_where_nothing_is_supported_the_drawn_words_stay(shop: Shop, rum: Rum) -> None:
    first = rum.chapters.create(memory_ids=tell(shop, rum))
    second = rum.chapters.create(
        chapter_id=first.chapter_id, summary="Berlin is nice in 1999.", learnings=["Tea helps [1]"]
    )
    assert (second.summary, second.learnings, second.words) == (first.summary, first.learnings, "drawn")
    assert "the summary" in str(second.note)


def test_a_claim_in_other_words_keeps_the_memories_it_cites(shop: Shop, rum: Rum) -> None:
    ids = tell(shop, rum)
    made = rum.chapters.create(memory_ids=ids)
    claim = "A refresh token can expire as well, so handle its expiry"
    second = rum.chapters.create(chapter_id=made.chapter_id, learnings=[f"{claim} [1, 2]."])
    assert second.learnings == (claim,)
    assert set(second.evidence[0].memory_ids) == set(ids[:2])
    rum.chapters.refresh(made.chapter_id)
    assert rum.chapters.show(made.chapter_id).evidence == second.evidence


def test_wisdom_is_written_in_two_calls_too(shop: Shop, rum: Rum) -> None:
    for story in (None, BILLING):
        rum.chapters.create(memory_ids=tell(shop, rum, story) if story else tell(shop, rum))
    first = rum.wisdom.synthesize(since=0)
    assert "synthesize" in str(first.material)
    assert "best_practices" in str(first.material)
    insights = ScriptedAgent("Tea helps [1]").claims(first.material or "")
    second = rum.wisdom.synthesize(wisdom_id=first.wisdom_id, insights=insights)
    assert "Invoice totals must be rounded half to even" in second.insights
    assert all(one.supporting for one in second.evidence)
    assert "Tea helps" in str(second.note)


def test_the_material_of_many_long_memories_stays_within_its_budget(rum: Rum) -> None:
    long: dict[str, Any] = {"context": "The cache of the parser is shared by all threads. " * 40}
    ids = [
        keep(rum, f"Change parser {number}", reasoning={"why_chosen": "It is safe. " * 90})
        for number in range(60)
    ]
    for one in ids:
        rum.update_memory(one, intent=long)
    made = rum.chapters.create(memory_ids=ids)
    assert 700 <= estimate_tokens(made.material or "") <= 1500


def test_another_agent_may_not_write_the_text(shop: Shop, rum: Rum) -> None:
    made = rum.chapters.create(memory_ids=tell(shop, rum))
    other = shop.open(agent="other")
    other.identity("register", name="other")
    with pytest.raises(PermissionDenied):
        other.chapters.create(chapter_id=made.chapter_id, title="Mine")
