"""Secrets of every kind, passed in every field: no file contains one afterwards."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.projects import Shop, keep, open_shop
from support.secrets import Planted, planted_secrets

pytestmark = pytest.mark.both_stores

Json = dict[str, Any]
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
PLANTED = planted_secrets(seed=7)
ONE_OF_EACH_KIND = list({planted[0]: planted for planted in PLANTED}.values())
# Files are searched for pieces, so that half a secret counts too.
PIECE = 14


def pieces(secret: str) -> set[bytes]:
    middle = len(secret) // 2
    cut = (secret[:PIECE], secret[middle - PIECE // 2 : middle + PIECE // 2], secret[-PIECE:])
    return {piece.encode() for piece in cut}


def layers(text: str) -> Json:
    """A memory with the text in every free text field."""
    path = text if not CONTROL.search(text) else "src/a.py"
    details = {"file_path": path, "lines_affected": text, "diff_hash": text, "diff_summary": text}
    details |= {"command": text, "working_directory": path, "query": text, "scope": text}
    result = {"success": False, "output_summary": text, "error": text}
    return {
        "intent": {"goal": text, "task_type": "other", "context": text, "constraints": [text]},
        "perception": {
            "observations": [{"what": text, "where": path, "significance": text}],
            "relevant_files": [{"path": path, "relevance": text, "state_summary": text}],
            "patterns_noticed": [text],
            "anomalies": [text],
        },
        "reasoning": {
            "approach_chosen": text,
            "why_chosen": text,
            "alternatives_considered": [{"approach": text, "why_rejected": text}],
            "assumptions": [text],
            "risks_identified": [text],
        },
        "actions": [
            {"type": "command_run", "details": details, "result": result},
            {"type": "file_edit", **details, "result": result},
        ],
        "outcome": {
            "success": False,
            "summary": text,
            "learnings": [text],
            "failure_reason": text,
            "verified_by": {"type": "test", "command": text, "result": text},
            "follow_up_needed": [text],
        },
        "tags": [text],
    }


def exported(number: int, text: str) -> list[Json]:
    """The lines of an export that was not redacted."""
    content = layers(text)
    for action in content["actions"]:
        details = action.get("details") or dict.fromkeys(("command", "query"), text)
        result = action["result"]
        action.clear()
        action |= {"type": "command_run", "timestamp": 1, "details": details, "result": result}
    content["files"] = [{"path": text, "operation": "edit"}]
    content |= {"commit": text, "branch": text}
    agent: Json = {"id": f"agent_{number}", "type": "main", "project_id": text, "name": text, "client": text}
    agent |= {"created_at": 1, "last_active": 1, "metadata": {"note": text, text: [text]}}
    own: Json = {"id": f"mem_{number}", "agent_id": agent["id"], "project_id": text, "session_id": text}
    version = {"memory_id": own["id"], "version": 1, "changed_at": 1, "changed_by": text, "data": content}
    return [
        {"kind": "agent", "agent": agent},
        {"kind": "memory", "memory": own | content | {"created_at": 1, "version": 2}},
        {"kind": "version", **version},
    ]


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Shop]:
    with open_shop(tmp_path) as opened:
        yield opened


def leaks(shop: Shop, planted: list[Planted], also: bytes = b"") -> list[tuple[str, str, str]]:
    """(file, kind, text) of every secret with a part in a file below the home, or in `also`."""
    contents = {str(path): path.read_bytes() for path in shop.home.rglob("*") if path.is_file()}
    assert any(name.endswith("rum.db-wal") for name in contents), "the log is still there to be looked at"
    contents["export"] = also
    return [
        (name, kind, text)
        for name, content in contents.items()
        for kind, text, secret in planted
        if any(piece in content for piece in pieces(secret))
    ]


def test_there_are_enough_kinds_of_secrets() -> None:
    assert len(PLANTED) >= 200
    assert len({kind for kind, _, _ in PLANTED}) >= 60


def test_a_leaked_secret_would_be_found(shop: Shop) -> None:
    rum = shop.open()
    keep(rum, "An ordinary sentence with enough letters")
    assert leaks(shop, [("none", "", "ordinary sentence with")]) != []


@pytest.mark.slow
def test_store_leaves_no_secret(shop: Shop) -> None:
    rum = shop.open()
    for _, text, _ in PLANTED:
        rum.store(**layers(text))
    assert leaks(shop, PLANTED, b"\n".join(rum.export())) == []


@pytest.mark.slow
def test_update_leaves_no_secret(shop: Shop) -> None:
    rum = shop.open()
    kept = keep(rum)
    for _, text, _ in ONE_OF_EACH_KIND:
        rum.update_memory(kept, **layers(text))
        rum.show(kept)
    rum.settle()
    assert len(rum.history(kept)) > len(ONE_OF_EACH_KIND) * 0.9  # some say the same without their secret
    assert leaks(shop, ONE_OF_EACH_KIND, b"\n".join(rum.export())) == []


@pytest.mark.slow
def test_import_leaves_no_secret(shop: Shop) -> None:
    rum = shop.open()
    lines = [json.dumps({"kind": "rum-export", "format": 1}).encode()]
    for number, (_, text, _) in enumerate(ONE_OF_EACH_KIND):
        lines += [json.dumps(line).encode() for line in exported(number, text)]
    assert rum.import_lines(lines).added == len(ONE_OF_EACH_KIND)
    assert leaks(shop, ONE_OF_EACH_KIND, b"\n".join(rum.export())) == []


def test_queries_names_and_forgetting_leave_no_secret(shop: Shop) -> None:
    rum = shop.open(agent="ann")
    for number, (_, text, _) in enumerate(PLANTED[::10]):
        kept = rum.store(**layers(text)).memory_id
        rum.recall(query=text, intent=text, tags=[text], min_confidence=0)
        if len(text) < 70 and text.isprintable():
            shop.open().identity("register", name=f"{text} {number}")
        rum.forget(kept)
    rum.settle()
    assert leaks(shop, PLANTED, b"\n".join(rum.export())) == []
