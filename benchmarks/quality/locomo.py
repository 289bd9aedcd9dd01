"""LoCoMo: long conversations, questions about them, and the turns that hold the answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from benchmarks.quality.cases import Case, Piece, Question, each_with_strangers
from benchmarks.quality.word_overlap import content_words

TURN = re.compile(r"D(\d+):(\d+)")
SHARED, APART = "shared words", "no shared word"


def cases(path: str) -> list[Case]:
    """One store a conversation; the questions of the next one are foreign to it."""
    with open(path, encoding="utf-8") as file:
        records: list[dict[str, Any]] = json.load(file)
    return each_with_strangers([_case(record) for record in records])


def _case(record: dict[str, Any]) -> Case:
    name = str(record["sample_id"])
    talk = record["conversation"]
    pieces = list(_turns(name, talk))
    speakers = content_words(f"{talk['speaker_a']} {talk['speaker_b']}")
    return Case(name, pieces, list(_questions(record["qa"], pieces, speakers)), [])


def _turns(name: str, talk: dict[str, Any]) -> Iterator[Piece]:
    numbers = sorted(int(key[len("session_") :]) for key in talk if re.fullmatch(r"session_\d+", key))
    for number in numbers:
        for turn in talk[f"session_{number}"]:
            said = " ".join(str(turn.get("text") or "").split())
            seen = turn.get("blip_caption")
            shown = f" [shares {seen}]" if seen else ""
            yield Piece(turn["dia_id"], f"{turn['speaker']}: {said}{shown}", session=f"{name}-{number}")


def _questions(entries: list[dict[str, Any]], turns: list[Piece], speakers: set[str]) -> Iterator[Question]:
    texts = {turn.key: turn.text for turn in turns}
    for entry in entries:
        named = (f"D{session}:{turn}" for session, turn in TURN.findall(" ".join(entry.get("evidence", []))))
        answers = frozenset(key for key in named if key in texts)
        if answers:
            answer_words = content_words(" ".join(texts[key] for key in answers)) - speakers
            kind = SHARED if answer_words & content_words(entry["question"]) else APART
            yield Question(kind, entry["question"], answers)
