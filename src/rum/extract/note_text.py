"""The words of a note: its title, its text, when to use it and its tags, all taken from the run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from rum.extract.cues import CHANGE_HEADING, LEAD_IN, LESSON_HEADING, STEP_LOOKING
from rum.extract.entities import is_anchored
from rum.extract.passage_weight import WeighedPassage
from rum.model.extraction import Kind
from rum.model.notes import Importance
from rum.text.sentences import split_sentences
from rum.text.shorten import shorten

LONGEST_TITLE = 90
MOST_WORDS = 400
_SHORTEST_TITLE, _SHORTEST_CLAUSE = 25, 15
_TELLS = 2.0
"""What a passage weighs by which those beside it are worth repeating too."""
_LONG_WORD = 40
"""So many characters count as a word more, as some text has no blanks."""
_BACKWARDS = re.compile(r"^(?:this|that|these|those|it|they|there|he|she|both|each|with)\b", re.IGNORECASE)
"""A sentence that leans on the one before it makes a poor title."""
_CLAUSE = re.compile(r"[;:] |, (?:e\.g\. )?| (?=(?:because|so that|hence|which|where) )|\. | \(")
_REASON = re.compile(r",? (?:because|since|so that|hence) |; ")
_MARKS = re.compile(r"\*\*|__|`|^[#>\s]+")
_TAGS: dict[Kind, tuple[str, ...]] = {
    Kind.ERROR: ("errors",),
    Kind.DECISION: ("decisions",),
    Kind.CONSTRAINT: ("constraints",),
    Kind.DEPENDENCY: ("dependencies",),
    Kind.PATTERN: ("patterns", "conventions"),
    Kind.STRUCTURE: ("structure", "codebase"),
}
_WEIGHTY = re.compile(
    r"\b(?:important|never|must not|mustn't|data loss|security|production|not allowed)\b", re.IGNORECASE
)
_REMEDY = re.compile(r"\b(?:fix|fixed|solution|resolution|workaround|remedy|way out)\b", re.IGNORECASE)
_FIRST_WORD = re.compile(r"[a-z]+(?= )")


def title_of(judged: Sequence[WeighedPassage], kind: Kind) -> str:
    """The clause that tells most, short enough for a heading."""
    best = max(judged, key=lambda one: _as_title(one, kind))
    text = LEAD_IN.sub("", _plain(best.passage.text))
    heading = _plain(best.passage.heading)
    if best.passage.kind == "item" and heading and not LESSON_HEADING.search(heading):
        items = (_plain(one.passage.text) for one in judged if one.passage.block == best.passage.block)
        text = heading if len(heading.split()) > 2 else f"{heading}: {', '.join(items)}"
    text = _cut(text)
    return text[:1].upper() + text[1:] if _FIRST_WORD.match(text) else text


def without_reason(title: str, content: str) -> str:
    """A decision's title, which leaves the reason to a text that says nothing else."""
    reason = _REASON.search(title, _SHORTEST_CLAUSE)
    plain = _plain(LEAD_IN.sub("", content)).casefold()
    if reason is None or len(split_sentences(content)) > 1 or not plain.startswith(title.casefold()):
        return title
    return title[: reason.start()]


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split()).rstrip(" .,;:")


def _as_title(one: WeighedPassage, kind: Kind) -> tuple[bool, bool, float, float]:
    text, weight = LEAD_IN.sub("", one.passage.text), one.weights.get(kind, 0.0)
    good = not (one.done or one.fleeting or one.passage.kind == "code" or _BACKWARDS.match(text))
    good = good and is_anchored(text) and len(text) >= _SHORTEST_TITLE
    return good and weight >= _TELLS, good, weight, one.best


def _cut(text: str) -> str:
    """The most clauses that fit, or else the most words."""
    if len(text) <= LONGEST_TITLE:
        return text
    ends = [match.start() for match in _CLAUSE.finditer(text, _SHORTEST_TITLE, LONGEST_TITLE)]
    fitting = [end for end in ends if text.count("(", 0, end) == text.count(")", 0, end)]
    return text[: fitting[-1]] if fitting else shorten(text, LONGEST_TITLE)


def text_of(judged: Sequence[WeighedPassage], error: str | None) -> str:
    """What is worth repeating, in its order, under the headings it had."""
    parts: list[str] = []
    left, heading, text = MOST_WORDS, "", ""
    for (_, title), found in groupby(judged, lambda one: (one.passage.block, one.passage.heading)):
        # Code belongs to what was said before it.
        block = [one for one in found if text or one.passage.kind != "code"]
        text = _block(_fitting(_repeated(block, title), left))
        left -= len(text.split())
        if text and title and title != heading:
            parts.append(f"## {title}")
        parts += [text] if text else []
        heading = title
    if error and error.strip() and (line := error.strip().splitlines()[0][:300]) not in "\n".join(parts):
        parts += ["## Error", f"`{line.replace('`', '')}`"]
    return "\n\n".join(parts)


def _repeated(block: Sequence[WeighedPassage], heading: str) -> list[WeighedPassage]:
    """Of a block that tells something all that lasts; of another only what weighs something."""
    telling = any(one.best >= _TELLS for one in block) and not CHANGE_HEADING.search(heading)
    telling = telling or bool(_REMEDY.search(heading))
    return [one for one in block if not one.fleeting and _lasts(one, telling)]


def _lasts(one: WeighedPassage, telling: bool) -> bool:
    """Whether to repeat a passage; a step only beside a finding, if it names what was changed by it."""
    if one.passage.kind == "code":
        return True
    if one.done:
        looked = STEP_LOOKING.search(LEAD_IN.sub("", one.passage.text)) and one.best < _TELLS
        return telling and is_anchored(one.passage.text) and not looked
    return telling or one.best >= 1


def _fitting(block: Sequence[WeighedPassage], words: int) -> list[WeighedPassage]:
    """As much of a block as has so many words; what weighs something comes first if that is not all."""
    kept: set[int] = set()
    for place in sorted(range(len(block)), key=lambda place: block[place].best < 1):
        text = block[place].passage.text
        length = len(text.split()) + len(text) // _LONG_WORD
        if length <= words:
            words -= length
            kept.add(place)
    return [one for place, one in enumerate(block) if place in kept]


def _block(block: Sequence[WeighedPassage]) -> str:
    lines: list[str] = []
    for one in block:
        text, kind = one.passage.text, one.passage.kind
        if kind == "code":
            lines.append(f"```\n{text}\n```")
        elif kind == "item":
            lines.append(f"- {text}")
        elif lines and not lines[-1].startswith("```"):
            lines[-1] += f" {text}"
        else:
            lines.append(text)
    return "\n".join(lines)


def tags_of(kind: Kind, *, failed: bool) -> tuple[str, ...]:
    """What it is, in words by which notes are sorted."""
    return (*_TAGS[kind], "failures") if failed else _TAGS[kind]


def importance_of(kind: Kind, content: str) -> Importance:
    """What went wrong or must not be done matters more than where things are."""
    if kind in (Kind.ERROR, Kind.DECISION, Kind.CONSTRAINT) or _WEIGHTY.search(content):
        return Importance.HIGH
    return Importance.MEDIUM
