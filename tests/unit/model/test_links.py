"""A link is stored once and found from both ends."""

from __future__ import annotations

import pytest

from rum.model.memory import Edge, LinkType, links_seen


def test_led_to_is_kept_as_the_other_ends_caused_by() -> None:
    assert Edge.of("a", "b", LinkType.LED_TO) == Edge.of("b", "a", LinkType.CAUSED_BY)


def test_a_symmetric_link_is_the_same_from_both_ends() -> None:
    assert Edge.of("b", "a", LinkType.RELATED_TO) == Edge.of("a", "b", LinkType.RELATED_TO)


@pytest.mark.parametrize("kind", [LinkType.CAUSED_BY, LinkType.SUPERSEDES, LinkType.BLOCKED_BY])
def test_other_links_have_a_direction(kind: LinkType) -> None:
    assert Edge.of("a", "b", kind) != Edge.of("b", "a", kind)
    assert Edge.of("a", "b", kind).link_id != Edge.of("b", "a", kind).link_id


def test_a_links_id_depends_on_its_ends_and_kind_alone() -> None:
    edges = [Edge.of("a", "b", kind) for kind in LinkType]
    assert len({edge.link_id for edge in edges}) == len(LinkType)
    assert [edge.link_id for edge in edges] == [Edge.of("a", "b", kind).link_id for kind in LinkType]


def test_a_memory_shows_its_links_by_kind() -> None:
    edges = [
        Edge.of("m", "cause2", LinkType.CAUSED_BY),
        Edge.of("m", "cause1", LinkType.CAUSED_BY),
        Edge.of("m", "effect", LinkType.LED_TO),
        Edge.of("peer", "m", LinkType.RELATED_TO),
        Edge.of("m", "old", LinkType.SUPERSEDES),
        Edge.of("new", "m", LinkType.SUPERSEDES),
        Edge.of("m", "wall", LinkType.BLOCKED_BY),
        Edge.of("other", "m", LinkType.BLOCKED_BY),
    ]
    assert links_seen("m", edges) == {
        "blocked_by": "wall",
        "blocks": ["other"],
        "caused_by": ["cause1", "cause2"],
        "led_to": ["effect"],
        "related_to": ["peer"],
        "superseded_by": ["new"],
        "supersedes": "old",
    }


def test_several_memories_of_a_kind_are_a_list():
    edges = [Edge.of("m", one, LinkType.SUPERSEDES) for one in ("b", "a")]
    assert links_seen("m", edges) == {"supersedes": ["a", "b"]}
