"""The graph of the MCP reference memory server."""

from __future__ import annotations

import pytest

from rum.capture.peers.mcp_memory import Entity, entities_in, memory_fields
from rum.model.errors import InvalidQuery

LINES = b"""\
{"type":"entity","name":"Ada","entityType":"person","observations":["Speaks  Spanish","Speaks Spanish",7]}
{"type":"relation","from":"Ada","to":"Acme","relationType":"works_at"}

{"type":"entity","name":"Ada","entityType":"other","observations":["Likes tea"]}
"""


def test_lines_of_one_entity_are_merged():
    assert entities_in(LINES) == [
        Entity("Ada", "person", ("Speaks Spanish", "Likes tea"), (("works_at", "Acme"),))
    ]


def test_a_memory_has_observations_and_relations():
    said = memory_fields(entities_in(LINES)[0])
    assert said["intent"]["goal"] == "What is known of Ada (person)"
    assert "Ada works_at Acme" in said["outcome"]["learnings"]


@pytest.mark.parametrize(
    "line",
    [b"{", b"[]", b'{"type":"x"}', b'{"type":"entity"}', b'{"type":"relation","from":"a"}', b"[" * 9999],
)
def test_an_invalid_line_is_named(line: bytes):
    with pytest.raises(InvalidQuery, match="Line 2"):
        entities_in(b'{"type":"entity","name":"a","observations":["b"]}\n' + line)
