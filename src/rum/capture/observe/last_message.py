"""Take an agent's last message apart: what was done, the cause, decisions with reasons, what is left.

Everything is quoted in whole sentences; what the message does not say stays empty.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from rum.capture.observe.messages import option_named, without_client_tags
from rum.text import message_cues as cues
from rum.text.markdown import CODE, HEADING, ITEM, PARAGRAPH, QUOTE, ROW, Part, parse_markdown
from rum.text.sentences import split_sentences
from rum.text.shorten import shorten

OPTIONAL = "Optional: "  # Before a thing to do that need not be done
MAX_SUMMARY = 500  # Characters after which no further sentence is added to a summary
_MAX_ITEM = 1200  # Characters of one statement; a longer one is no sentence
_MAX_CAUSES, _MAX_LEFT, _MAX_OTHERS, _MAX_ALTERNATIVES, _MAX_DECISION = 4, 8, 5, 5, 800
_LABEL = re.compile(r"^\W*(?P<label>[^\W\d_][^.!?:：\n`]{1,45}?)\s*[:：]\s*(?P<text>\S.*)$", re.DOTALL)
_ENDED = (".", "!", "?", "…", "。", "！", "？", ":", "：", '"', "”", ")")
_WHY_NOT = re.compile(
    r"\W*(?:why not|warum nicht|pourquoi pas|por qué no)(?: use)? ([^?]{2,80}?)\W*$", re.IGNORECASE
)
# A line before a list or table that says what was done: "`seats` now depends on the plan:".
_TELLS = re.compile(
    r"(?!.*\b(?:following|below|these|this|here|folgend\w*|suivant\w*|siguiente\w*)\b)\S+(?: \S+){3,}:$"
)
_COMMAND = re.compile(r"`[^`]+`\W*")
_DECIDED = re.compile(
    r"(?:(?:i|we) )?(?:decided|chose|opted|voted) (?:against|not to)\b|(?:i|we) (?:dropped|left|rejected)\b",
    re.IGNORECASE,
)
# How the checks ended.
_CHECKED = re.compile(
    r"\b(?:tests?|checks?|suite|lint|build|ci)\b[^.]{0,60}\b(?:pass(?:es|ed)?|green|ok|fine|succeed\w*|laufen|grün)\b",
    re.IGNORECASE,
)
_MAX_APPROACH = 160  # Characters; a longer phrase is no name of an approach


class LastMessage(NamedTuple):
    """The parts of a last message."""

    summary: str = ""
    causes: tuple[str, ...] = ()
    chosen: str = ""
    why: str = ""
    alternatives: tuple[tuple[str, str], ...] = ()  # What was decided against, and why
    assumptions: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    text: str = ""

    def reasoning(self) -> dict[str, Any]:
        """The fields of a memory's reasoning that the message gives."""
        found: dict[str, Any] = {
            "approach_chosen": self.chosen,
            "why_chosen": self.why,
            "alternatives_considered": [
                {"approach": approach, "why_rejected": why} for approach, why in self.alternatives
            ],
            "assumptions": list(self.assumptions),
            "risks_identified": list(self.risks),
        }
        return {name: value for name, value in found.items() if value}


class _Statement(NamedTuple):
    """Sentences with what they are about: by the heading above them, or by their own words."""

    text: str
    meaning: str
    by_heading: bool
    kind: str
    is_first: bool = False  # In the message's first paragraph


def read_last_message(message: str) -> LastMessage:
    """Take a message apart; one that says nothing gives empty parts."""
    text = without_client_tags(message)
    if not text:
        return LastMessage()
    statements = list(_statements(parse_markdown(text)))
    chosen, why = _decision(statements)
    if option := option_named(chosen, text):
        chosen = f"{chosen} ({option.rstrip('.')})"
    return LastMessage(
        summary=_summary(statements),
        causes=_texts(statements, (cues.CAUSE, cues.LESSON), _MAX_CAUSES),
        chosen=chosen,
        why=why,
        alternatives=tuple(_alternatives(statements))[:_MAX_ALTERNATIVES],
        assumptions=_texts(statements, (cues.ASSUMED,), _MAX_OTHERS),
        risks=_texts(statements, (cues.RISK,), _MAX_OTHERS),
        left=(
            *_texts(statements, (cues.LEFT,), _MAX_LEFT),
            *(f"{OPTIONAL}{one}" for one in _texts(statements, (cues.OPTIONAL,), _MAX_OTHERS)),
        ),
        text=text,
    )


def _statements(parts: Sequence[Part]) -> Iterator[_Statement]:
    """The sentences of a message, without code, quotations and questions."""
    headings: list[tuple[int, str]] = []  # The level and the meaning of the headings above
    lead = ""  # The meaning of a line such as "Two things are left:", for the list below it
    has_begun = False
    against: re.Match[str] | None = None  # A heading such as "Why not Redis?"
    has_items = False  # A list stands below the heading
    for at, part in enumerate(parts):
        if part.kind in (CODE, QUOTE):
            continue
        if level := _heading_level(part):
            headings = [one for one in headings if one[0] < level]
            meaning = cues.heading_meaning(part.text)
            against = _WHY_NOT.match(part.text)
            headings.append((level, meaning or (headings[-1][1] if headings else "")))
            lead, has_begun, has_items = "", has_begun or part.kind != HEADING, False
            continue
        has_items = has_items or part.kind == ITEM
        if part.kind == PARAGRAPH and not part.level:
            lead = ""
        meaning = lead or (headings[-1][1] if headings else "")
        if has_items and part.kind == PARAGRAPH and not part.level and _CHECKED.search(part.text):
            meaning = ""  # Below the list of a section it is about the whole work
        if part.kind == PARAGRAPH and part.text.endswith((":", "：")):
            lead = _lead_meaning(part.text) or meaning
            if not lead and _TELLS.match(part.text):
                # What it says is true without the list, table or code below it.
                part = part._replace(text=f"{part.text.rstrip(' :：')}.")
        if part.is_checked is not None:
            meaning = cues.DONE if part.is_checked else cues.LEFT
        if meaning == cues.LEFT:
            part = _with_code(part, parts[at + 1 : at + 2])
        if against and meaning == cues.REJECTED:
            part = part._replace(text=f"{against[1]}: {part.text}")
            against = None
        yield from _read_part(part, meaning, is_first=not has_begun)
        has_begun = True


def _with_code(part: Part, after: Sequence[Part]) -> Part:
    """A thing to do that ends in a colon, with the code below it; without the colon if that is long."""
    if not after or after[0].kind != CODE or not part.text.endswith((":", "：")):
        return part
    code = after[0].text.strip()
    if "\n" in code or "`" in code or not 0 < len(code) <= _MAX_APPROACH:
        return part._replace(text=part.text.rstrip(" :："))
    return part._replace(text=f"{part.text} `{code}`")


def _heading_level(part: Part) -> int:
    """The level of a heading, also of a line in bold type alone; 0 for anything else."""
    if part.kind == HEADING:
        return part.level
    plain = part.text.rstrip(" :：")
    is_bold_line = part.kind == PARAGRAPH and not part.level and part.bold.rstrip(" :：") == plain
    return 7 if part.bold and is_bold_line and len(plain) <= _MAX_APPROACH // 2 else 0


def _lead_meaning(text: str) -> str:
    last = text.splitlines()[-1]
    sentence = (split_sentences(last) or [last])[-1]
    return cues.heading_meaning(sentence) or cues.sentence_meaning(sentence)


def _read_part(part: Part, meaning: str, *, is_first: bool) -> Iterator[_Statement]:
    """The statements of a part, which labels ("Cause: …") may divide.

    A label at the beginning of a line holds for all that follows in the part, any other for its sentence.
    """
    block, held = list[str](), meaning
    for line in part.text.splitlines():
        for at, sentence in enumerate(split_sentences(line)):
            labelled = _LABEL.match(sentence)
            found = cues.heading_meaning(labelled["label"]) if labelled else ""
            if not labelled or found in ("", cues.ASIDE):
                block.append(sentence)
                continue
            yield from _classified(block, held, part.kind, is_first)
            block = [labelled["text"]]
            if at:
                yield from _classified(block, found, part.kind, is_first)
                block = []
            else:
                held = found
    yield from _classified(block, held, part.kind, is_first)


def _classified(block: Sequence[str], meaning: str, kind: str, is_first: bool) -> Iterator[_Statement]:
    """Sentences with their meaning: that of the heading or label above, else each with its own."""
    sentences = [
        " ".join(one.split())
        for one in block
        if not cues.ASKS.search(one) and not one.endswith((":", "：")) and not _COMMAND.fullmatch(one)
    ]
    if not sentences:
        return
    if meaning in (cues.WHY, cues.CHOICE, cues.CAUSE):
        # Among the reasons of a decision, what was decided against has its own place.
        against = [one for one in sentences if cues.sentence_meaning(one) == cues.REJECTED]
        yield from (_Statement(one, cues.REJECTED, False, kind, is_first) for one in against)
        sentences = [one for one in sentences if one not in against]
        if not sentences:
            return
    if meaning == cues.CAUSE:
        if cues.UNKNOWN.match(sentences[0]):
            return
        sentences = [one for one in sentences if not cues.is_dropped(one)]
    if meaning not in ("", cues.DONE, cues.ASIDE):
        if not sentences:
            return
        if meaning != cues.LEFT or not cues.NOTHING.match(sentences[0]):
            yield _Statement(_join(sentences), meaning, True, kind, is_first)
        return
    is_denied = False
    for sentence in sentences:
        own = cues.sentence_meaning(sentence)
        if own == cues.LEFT and (cues.NOTHING_LEFT.search(sentence) or cues.NOT_LEFT.search(sentence)):
            own = ""
        if own == cues.REJECTED and cues.NOT_REJECTED.search(sentence):
            own = ""
        if own == cues.CAUSE and cues.is_dropped(sentence):
            own = ""
        elif own == cues.CAUSE and cues.GUESS.search(sentence):
            own = cues.ASSUMED
        # "It was not the cache. It is the clock": the second sentence says what it was.
        own = cues.CAUSE if is_denied and not own else own
        is_denied = own == cues.CAUSE and cues.DENIED.search(sentence) is not None
        yield _Statement(sentence, own or meaning, False, kind, is_first)


def _join(sentences: Iterable[str]) -> str:
    """Sentences as one text; whole ones only, up to `_MAX_ITEM` characters."""
    text = ""
    for sentence in sentences:
        ended = sentence if sentence.endswith(_ENDED) else f"{sentence}."
        if text and len(text) + len(ended) > _MAX_ITEM:
            break
        text = f"{text} {ended}".lstrip()
    # A single phrase, as in a list, stays a phrase.
    return shorten(text, _MAX_ITEM) if text.count(".") != 1 else shorten(text.removesuffix("."), _MAX_ITEM)


def _texts(statements: Iterable[_Statement], meanings: tuple[str, ...], most: int) -> tuple[str, ...]:
    found = (one.text.rstrip(".") for one in statements if one.meaning in meanings)
    return tuple(dict.fromkeys(shorten(text, _MAX_ITEM) for text in found))[:most]


def _summary(statements: Sequence[_Statement]) -> str:
    """What was done; if the message says nothing else, its first sentences."""
    own = (cues.DONE, "")
    done = [
        one
        for one in statements
        if one.kind != ROW
        and (one.meaning in own or (one.is_first and one.meaning != cues.LEFT and not one.by_heading))
        and not cues.FILLER.match(one.text)
    ]
    rest = [one for one in statements if one.meaning not in (cues.LEFT, cues.OPTIONAL)]
    plain = [one for one in rest if one.kind != ROW]
    chosen = done or [one for one in plain if one.meaning != cues.OPTION] or plain or rest or statements
    text = ""
    for one in chosen:
        ended = one.text if one.text.endswith(_ENDED) else f"{one.text}."
        if text and len(text) + len(ended) >= MAX_SUMMARY:
            break
        text = f"{text} {ended}".lstrip()
    return shorten(text, _MAX_ITEM)


def _decision(statements: Iterable[_Statement]) -> tuple[str, str]:
    """What was chosen and why, split at the word that gives the reason."""
    chosen, reasons = list[str](), list[str]()
    for one in statements:
        if one.meaning == cues.WHY:
            reasons.append(one.text.rstrip("."))
        elif one.meaning == cues.CHOICE:
            parts = [_split_reason(sentence) for sentence in split_sentences(one.text)]
            chosen += [before for before, _ in parts]
            reasons += [after for _, after in parts if after]
    return _limited(chosen), _limited(reasons)


def _split_reason(sentence: str) -> tuple[str, str]:
    found = cues.REASON.search(sentence)
    if found is not None and cues.NO_REASON.match(sentence, found.start()):
        found = None  # "I left the tests as they are"
    if found is None or not sentence[: found.start()].strip() or not sentence[found.end() :].strip():
        return sentence.rstrip("."), ""
    return sentence[: found.start()].strip(), sentence[found.end() :].strip().rstrip(".")


def _limited(texts: Iterable[str]) -> str:
    """The texts as sentences, without those beyond the limit."""
    joined = ""
    for text in dict.fromkeys(texts):
        if joined and len(joined) + len(text) > _MAX_DECISION:
            break
        joined = f"{joined}. {text}" if joined else text
    return joined


def _alternatives(statements: Iterable[_Statement]) -> Iterator[tuple[str, str]]:
    """What was decided against, and why."""
    for one in statements:
        if one.meaning == cues.REJECTED:
            yield _alternative(one)
        elif one.meaning == cues.CHOICE and (found := cues.INSTEAD.search(one.text)):
            yield found["what"].strip(), _split_reason(one.text)[1]


def _without_decision(why: str) -> str:
    """A reason without what leads to it: "decided against it because it is slow" gives "it is slow"."""
    reason = cues.REASON.search(why)
    if reason is None or (why[: reason.start()].strip() and not _DECIDED.match(why)):
        return why
    return why[reason.end() :].strip()


def _alternative(one: _Statement) -> tuple[str, str]:
    text = one.text.rstrip(".")
    if (found := cues.AGAINST.search(text)) and len(found["what"]) <= _MAX_APPROACH:
        what = found["what"].strip(" ,;:")
        why = _without_decision((found["why"] or "").strip())
        if what and what.split()[0].casefold() not in ("it", "that", "this", "es", "das"):
            return what, why
    if one.by_heading:
        for sign in (": ", " — ", " – ", " - ", ", but ", " because ", ", weil ", "：", " (", ". "):
            what, _, why = text.partition(sign)
            if why and len(what) <= _MAX_APPROACH:
                return what.strip(), why.removesuffix(")").strip() if sign == " (" else why.strip()
    return text, ""
