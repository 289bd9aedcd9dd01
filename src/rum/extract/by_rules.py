"""Find what is worth keeping of a finished run without a language model: the note with its title and text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from rum.extract.cues import (
    ANNOUNCES,
    ASKS_CAUSE,
    CHANGE_HEADING,
    LEAD_IN,
    LESSON_HEADING,
    STEP_LOOKING,
    is_decision,
    without_lead_in,
)
from rum.extract.entities import is_specific
from rum.extract.facts import facts_in
from rum.extract.passage_weight import ENOUGH, Verdict, WeighedPassage, weigh_passages
from rum.extract.passages import passages, without_repeats
from rum.extract.rules import rules_in
from rum.extract.when_to_use import when_to_use
from rum.model.notes import Importance
from rum.model.runs import Finding, FindingKind, FinishedRun
from rum.text.sentences import split_sentences
from rum.text.shorten import shorten

# What a note of each kind says, and its tags.
_KINDS: dict[FindingKind, tuple[str, tuple[str, ...]]] = {
    FindingKind.ERROR: ("what went wrong and why", ("errors",)),
    FindingKind.DECISION: ("what was decided and why", ("decisions",)),
    FindingKind.CONSTRAINT: ("what must or cannot be done", ("constraints",)),
    FindingKind.DEPENDENCY: ("what is needed, in which version", ("dependencies",)),
    FindingKind.PATTERN: ("how things are done here", ("patterns", "conventions")),
    FindingKind.STRUCTURE: ("where things are", ("structure", "codebase")),
}
# Kinds that matter more than patterns and structure.
_IMPORTANT_KINDS = (FindingKind.ERROR, FindingKind.DECISION, FindingKind.CONSTRAINT)


def find_by_rules(run: FinishedRun) -> Finding:
    """Return the note, facts and rules of a redacted run; an empty finding if nothing is of lasting use."""
    found_passages = without_repeats(passages(run.agent_output))
    asks_why = run.result == "failure" or bool(run.error) or bool(ASKS_CAUSE.search(run.task))
    verdict = weigh_passages(found_passages, asks_why=asks_why)
    weighed = verdict.weighed
    facts, rules = facts_in(weighed), rules_in(weighed)
    if verdict.kind is None:
        return Finding(reasoning=_why_nothing(run, verdict), facts=facts, rules=rules)
    content = _note_text(weighed, run.error)
    repeated = [scored for scored in weighed if scored.passage.text in content]
    title = _note_title(repeated or weighed, verdict.kind)
    kind = FindingKind.DECISION if is_decision(title) else verdict.kind
    title = _without_reason(title, content) if kind is FindingKind.DECISION else title
    about, tags = _KINDS[kind]
    important = kind in _IMPORTANT_KINDS or _IMPORTANT.search(content)
    return Finding(
        reasoning=f"The output has {about} (score {verdict.weight:.1f}, threshold {ENOUGH:g}).",
        kind=kind,
        title=title,
        content=content,
        when_to_use=when_to_use(title, content, run.task),
        tags=(*tags, "failures") if run.result == "failure" else tags,
        importance=Importance.HIGH if important else Importance.MEDIUM,
        facts=facts,
        rules=rules,
    )


def _why_nothing(run: FinishedRun, verdict: Verdict) -> str:
    """Why the run has nothing worth keeping."""
    if not run.agent_output.strip():
        return "The run has no output."
    if not verdict.weighed:
        return "The output is only that of programs."
    if all(scored.is_fleeting or scored.is_step for scored in verdict.weighed):
        return "The output has only steps and plans."
    return f"The output has nothing of lasting use (score {verdict.weight:.1f}, threshold {ENOUGH:g})."


_MAX_TITLE = 90
_MAX_WORDS = 400
_MIN_TITLE, _MIN_CLAUSE = 25, 15
_SIGNIFICANT = 2.0  # The weight of a passage from which on its neighbours are worth repeating too
_LONG_WORD = 40  # This many characters count as one word more, as some texts have no blanks
# A sentence that refers to the one before it makes a poor title.
_REFERS_BACK = re.compile(
    r"^(?:this|that|these|those|it|they|there|he|she|both|each|with|i|has|have|is|are|was|and|or|but|no|not)\b",
    re.IGNORECASE,
)
# Where a long sentence may be cut: at the end of a statement, else at a comma or a bracket.
_CLAUSE = re.compile(r"[;:] | (?=(?:because|so that|hence|which|and (?:the|it|they)) )|\. ")
_PART = re.compile(r", (?:e\.g\. )?| (?=where )| \(")
# A sentence that begins with its condition says nothing up to the first comma.
_CONDITION = re.compile(
    r"^(?:if|when|whenever|because|since|after|before|while|although|as|unless)\b[^,]*,", re.IGNORECASE
)
_REASON = re.compile(r",? (?:because|since|so that|hence) |; ")
_MARKS = re.compile(r"\*\*|__|`|^[#>\s]+")
_IMPORTANT = re.compile(
    r"\b(?:important|never|must not|mustn't|data loss|security|production|not allowed)\b", re.IGNORECASE
)
_REMEDY = re.compile(r"\b(?:fix|fixed|solution|resolution|workaround|remedy|way out)\b", re.IGNORECASE)
_FIRST_WORD = re.compile(r"[a-z]+(?= )")


def _note_title(weighed: Sequence[WeighedPassage], kind: FindingKind) -> str:
    """The clause with the most weight, short enough for a heading."""
    best = max(weighed, key=lambda scored: _title_rank(scored, kind))
    text = without_lead_in(_plain(best.passage.text))
    heading = _plain(best.passage.heading)
    says_little = (
        LESSON_HEADING.search(heading) or CHANGE_HEADING.search(heading) or ANNOUNCES.search(heading)
    )
    if best.passage.kind == "item" and heading and not says_little:
        block = [scored.passage for scored in weighed if scored.passage.block == best.passage.block]
        items = ", ".join(_plain(passage.text) for passage in block)
        text = heading if len(heading.split()) > 2 else f"{heading}: {items}"
    if len(text) > _MAX_TITLE:
        # As many clauses as fit, or else as many words.
        condition = _CONDITION.match(text)
        least = max(_MIN_TITLE, condition.end() if condition else 0)
        ends = _fitting_ends(_CLAUSE, text, least) or _fitting_ends(_PART, text, least)
        text = text[: ends[-1]].rstrip(" ,;:") if ends else shorten(text, _MAX_TITLE)
    return text[:1].upper() + text[1:] if _FIRST_WORD.match(text) else text


def _fitting_ends(pattern: re.Pattern[str], text: str, least: int) -> list[int]:
    """Where a title may end, outside of brackets."""
    ends = (match.start() for match in pattern.finditer(text, least, _MAX_TITLE))
    return [end for end in ends if text.count("(", 0, end) == text.count(")", 0, end)]


def _without_reason(title: str, content: str) -> str:
    """The title of a decision without its reason, if the content is only this one sentence."""
    reason = _REASON.search(title, _MIN_CLAUSE)
    plain = _plain(LEAD_IN.sub("", content)).casefold()
    if reason is None or len(split_sentences(content)) > 1 or not plain.startswith(title.casefold()):
        return title
    return title[: reason.start()]


def _plain(text: str) -> str:
    return " ".join(_MARKS.sub("", text).split()).rstrip(" .,;:")


def _title_rank(scored: WeighedPassage, kind: FindingKind) -> tuple[bool, bool, float, float]:
    text, weight = without_lead_in(scored.passage.text), scored.weights.get(kind, 0.0)
    is_announcement = text.rstrip("* ").endswith(":") or ANNOUNCES.search(text)
    is_incomplete = _REFERS_BACK.match(text) or text.count("(") != text.count(")")
    is_other = scored.is_step or scored.is_fleeting or scored.passage.kind == "code"
    is_poor = is_other or is_announcement or is_incomplete
    is_good = not is_poor and is_specific(text) and len(text) >= _MIN_TITLE
    return is_good and weight >= _SIGNIFICANT, is_good, weight, scored.best


def _note_text(weighed: Sequence[WeighedPassage], error: str | None) -> str:
    """The passages worth repeating, in their order, under their headings."""
    parts: list[str] = []
    words_left, heading, text = _MAX_WORDS, "", ""
    for (_, title), group in groupby(weighed, lambda scored: (scored.passage.block, scored.passage.heading)):
        # Code belongs to the text before it: without that it is left out.
        block = [scored for scored in group if text or scored.passage.kind != "code"]
        text = _block(_fit_words(_worth_repeating(block, title), words_left))
        words_left -= len(text.split())
        if text and title and title != heading:
            parts.append(f"## {title}")
        parts += [text] if text else []
        heading = title
    if error and error.strip() and (line := error.strip().splitlines()[0][:300]) not in "\n".join(parts):
        parts += ["## Error", f"`{line.replace('`', '')}`"]
    return "\n\n".join(parts)


def _worth_repeating(block: Sequence[WeighedPassage], heading: str) -> list[WeighedPassage]:
    """All lasting passages of a significant block; of another one only those with some weight."""
    has_weight = any(scored.best >= _SIGNIFICANT for scored in block)
    is_significant = (has_weight and not CHANGE_HEADING.search(heading)) or bool(_REMEDY.search(heading))

    def lasts(scored: WeighedPassage) -> bool:
        if scored.is_fleeting or scored.passage.kind == "code":
            return not scored.is_fleeting
        if scored.is_step:  # only together with a finding, and if it names what it changed
            looked = STEP_LOOKING.search(LEAD_IN.sub("", scored.passage.text)) and scored.best < _SIGNIFICANT
            return is_significant and is_specific(scored.passage.text) and not looked
        return is_significant or scored.best >= 1

    return list(filter(lasts, block))


def _fit_words(block: Sequence[WeighedPassage], words: int) -> list[WeighedPassage]:
    """As many passages as fit in a number of words; those with weight come first if not all fit."""
    chosen: set[int] = set()
    for index in sorted(range(len(block)), key=lambda index: block[index].best < 1):
        text = block[index].passage.text
        length = len(text.split()) + len(text) // _LONG_WORD
        if length <= words:
            words -= length
            chosen.add(index)
    return [scored for index, scored in enumerate(block) if index in chosen]


def _block(block: Sequence[WeighedPassage]) -> str:
    lines: list[str] = []
    for scored in block:
        text, kind = scored.passage.text, scored.passage.kind
        if kind == "code":
            lines.append(f"```\n{text}\n```")
        elif kind == "item":
            lines.append(f"- {text}")
        elif lines and not lines[-1].startswith("```"):
            lines[-1] += f" {text}"
        else:
            lines.append(text)
    return "\n".join(lines)
