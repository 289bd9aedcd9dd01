"""Find what people want in their prompts: corrections and lasting wishes, quoted in whole sentences.

One-off instructions, questions, and what was pasted or quoted are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rum.capture.observe.messages import FINE, rejects, without_client_tags
from rum.text import guidance_cues as cues
from rum.text.fence import gives_orders
from rum.text.sentences import lines_outside_code, split_sentences

_MAX_TYPED = 4000  # Characters; a longer prompt is mostly a document, whose sentences are not the user's
_MAX_TEXT = 700  # Characters of a wish; further sentences are left out
_MIN_TEXT = 8
_MAX_WISHES = 5  # In one prompt
_PASTED = 600  # Characters after a line such as "The guide says:" from which on all the rest is pasted
_ITEM = re.compile(r"\s*(?:[-*•]|\d{1,2}[.)])\s+")
_LOG = re.compile(
    r"\s*(?:Traceback \(most|File \"|at \S+\(|>|\||\$ |#{1,6} |\[?\d{4}-\d\d-\d\d[T ]|\d\d:\d\d:\d\d"
    r"|[+-]{3} |@@ |[{}\[\]]\s*,?$"
    r"|(?:\w+\.)*\w*(?:Error|Exception)\b:|E {2,}|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL)\b)"
)
_HEADING = re.compile(r"(?m)^(?:#{1,6} \S|[=-]{4,}$)")
_LETTER = re.compile(r"(?m)^(?:From|To|Cc|Date|Sent|Subject|Von|An|Betreff|Gesendet): \S")
_NO_USER = ("This session is being continued from a previous conversation",)
# A sentence that hands over a text: "Translate this: …", "The guide says: …".
_HANDS_OVER = re.compile(
    r"(?i)(?:please |can you |could you )*(?:translate|implement|write|rephrase|proofread|summari[sz]e"
    r"|explain|copy|add the (?:text|sentence|line)|übersetze|traduis|traduce)\b[^:\n]{0,80}:"
    r"|[^:\n]{0,80}\b(?:says?|reads?|states?|sagt|steht|dit|dice)\s?:"
)
# Words that ask for something more, and reject nothing.
_ADDS = re.compile(
    r"\b(?:auch|noch|zusätzlich|außerdem|aussi|également|encore|también|además|também|anche|pure|inoltre|ook|nog"
    r"|też|także|jeszcze|также|тоже|ещё)\b|再加|还要|也要|さらに|追加",
    re.IGNORECASE,
)
_WRAPPED = 50  # A line of this many characters without an end goes on in the next one


class Guidance(NamedTuple):
    """What the user wants, in their own words; `is_lasting` if it holds for the whole project.

    `is_reversal`: it may take back an earlier wish; if there is none, it is about the task.
    """

    text: str
    is_lasting: bool
    is_reversal: bool = False


class _Sentence(NamedTuple):
    text: str
    is_lasting: bool
    is_wish: bool  # Lasting, or what to do instead of what was done
    is_other: bool  # Neither wish, question, order nor a bare "no"


def guidance_in(prompt: str, *, follows_work: bool = False, undoes: bool = False) -> list[Guidance]:
    """What a prompt says that the user wants.

    `follows_work`: an earlier turn of the session changed something, which the prompt may correct. `undoes`:
    the turn of this prompt took back what the turn before had done.
    """
    paragraphs = list(_typed_paragraphs(prompt))
    if not paragraphs:
        return []
    corrects = undoes or (follows_work and (_objects(paragraphs[0][0]) or rejects(prompt)))
    found: list[Guidance] = []
    for paragraph in paragraphs:
        own = _without_content(paragraph)
        sentences = [_read(sentence, corrects=corrects) for sentence in own]
        found += _wishes(sentences, corrects=corrects)
    if corrects and not found:
        found = _plain_statements(paragraphs, undoes=undoes) or (_unknown_words(paragraphs) if undoes else [])
    if not found and (taken_back := [one for part in paragraphs for one in part if takes_back(one)]):
        found = [
            Guidance(one, is_lasting=True, is_reversal=True) for one in taken_back if not one.endswith("?")
        ]
    kept = (one for one in found if _says_something(one.text) and not gives_orders(one.text))
    return list(dict.fromkeys(kept))[:_MAX_WISHES]


def takes_back(sentence: str) -> bool:
    """Whether a sentence takes back an earlier wish: "forget what I said about tabs"."""
    return any(cues.REVERSAL.match(sentence, found.end()) for found in cues.CLAUSE.finditer(sentence))


def _says_something(text: str) -> bool:
    """Whether a text is more than "never again"."""
    return len(text) >= _MIN_TEXT and (len(text.split()) > 2 or not text.isascii())


def _without_content(paragraph: Sequence[str]) -> list[str]:
    """The sentences of a paragraph before one that hands over a text: that text is not the user's wish."""
    own: list[str] = []
    for sentence in paragraph:
        if _HANDS_OVER.match(sentence):
            break
        own.append(sentence)
    return own


def _objects(first_sentence: str) -> bool:
    """Whether a prompt that begins so objects to the work, not only reports that it fails."""
    denial = cues.DENIAL.match(first_sentence)
    if denial is None:
        return False
    rest = first_sentence[denial.end() :].lstrip(" ,.:;!-—")
    if FINE.match(rest) or FINE.match(first_sentence):
        return False
    return not cues.REPORT.match(rest) and not cues.REPORT.match(first_sentence.lstrip())


def _read(sentence: str, *, corrects: bool) -> _Sentence:
    masked = cues.QUOTED.sub("Q", sentence)
    starts = [found.end() for found in cues.CLAUSE.finditer(masked)]
    requests = [found for start in starts if (found := cues.REQUEST.match(masked, start))]
    is_question = sentence.endswith(("?", "？")) and not requests
    if is_question or cues.REPORT.match(masked) or cues.COMPLAINT.match(masked):
        return _Sentence(sentence, False, False, False)
    starts += (request.end() for request in requests)
    is_lasting = any(cues.LASTING.match(masked, start) for start in starts) or bool(
        cues.LASTING_END.match(masked) or cues.IN_PROJECT.match(masked)
    )
    if is_lasting and not cues.PRODUCT.match(masked) and not cues.SOON_OVER.search(masked):
        return _Sentence(sentence, True, True, False)
    if cues.BARE_DENIAL.fullmatch(sentence):
        return _Sentence(sentence, False, False, False)
    denial = cues.DENIAL.match(masked)
    rest = masked[denial.end() :].lstrip(" ,.:;!-—") if denial and denial.end() else masked
    if corrects and (_tells(rest) or _tells(masked)) and not cues.PASSING.search(masked):
        return _Sentence(sentence, cues.EVERYWHERE.search(masked) is not None, True, False)
    return _Sentence(sentence, False, False, not cues.ONE_OFF.match(rest))


def _tells(text: str) -> bool:
    """Whether a sentence of a correction says what to do instead, or how things are done."""
    if not cues.is_english(text):
        return len(text) >= _MIN_TEXT
    if cues.DIRECTIVE.match(text) or cues.DECLARATION.match(text):
        return True
    clauses = (found.end() for found in cues.CLAUSE.finditer(text) if found.end())
    return any(cues.DIRECTIVE.match(text, start) for start in clauses) and not cues.ONE_OFF.match(text)


def _wishes(sentences: Sequence[_Sentence], *, corrects: bool) -> Iterator[Guidance]:
    """The wishes of a paragraph: a wish with the sentences that belong to it, as one text."""
    at = 0
    while at < len(sentences):
        if not sentences[at].is_wish:
            at += 1
            continue
        start = end = at
        while start and _leads(sentences[start - 1], sentences[start], corrects=corrects):
            start -= 1
        while end + 1 < len(sentences) and _follows(sentences[end + 1], corrects=corrects):
            end += 1
        chosen = sentences[start : end + 1]
        yield Guidance(_joined(one.text for one in chosen), any(one.is_lasting for one in chosen))
        at = end + 1


def _leads(before: _Sentence, wish: _Sentence, *, corrects: bool) -> bool:
    """Whether a sentence belongs to the wish after it."""
    if cues.BACKWARD.match(wish.text):
        return not before.text.endswith(("?", "？"))
    return corrects and before.is_other


def _follows(after: _Sentence, *, corrects: bool) -> bool:
    """Whether a sentence belongs to the wish before it: another wish, or a reason."""
    return after.is_wish or (after.is_other and (corrects or cues.REASON.match(after.text) is not None))


def _joined(sentences: Iterator[str]) -> str:
    text = ""
    for sentence in sentences:
        if text and len(text) + len(sentence) >= _MAX_TEXT:
            break
        # Chinese and Japanese write no blank between sentences.
        text += ("" if not text or text.endswith(("。", "！", "？")) else " ") + sentence
    return text


def _plain_statements(paragraphs: Sequence[Sequence[str]], *, undoes: bool) -> list[Guidance]:
    """What an objection says without a cue: "that's not how we name things. tables are singular".

    If the agent then took its work back, it is enough that something is not wanted: "no jokes in our docs".
    """
    sentences = [one for paragraph in paragraphs for one in paragraph]
    texts = [
        one
        for one in sentences
        if not one.endswith(("?", "？"))
        and not cues.BARE_DENIAL.fullmatch(one)
        and not cues.REPORT.match(one)
    ]
    general = [one for one in texts if not cues.LOCAL.search(one)]
    says = any(cues.GENERAL.search(one) or (undoes and cues.UNWANTED.search(one)) for one in general)
    is_lasting = any(cues.EVERYWHERE.search(one) for one in general)
    return [Guidance(_joined(iter(texts)), is_lasting)] if says else []


def _unknown_words(paragraphs: Sequence[Sequence[str]]) -> list[Guidance]:
    """All that was typed, in a language whose cues are not known, before work was taken back."""
    sentences = [one for paragraph in paragraphs for one in paragraph if not one.endswith(("?", "？"))]
    text = _joined(one for one in sentences if not cues.BARE_DENIAL.fullmatch(one))
    known = cues.is_english(text) or any(cues.REPORT.match(one) or _ADDS.search(one) for one in sentences)
    return [] if known or not text else [Guidance(text, False)]


def _typed_paragraphs(prompt: str) -> Iterator[list[str]]:
    """The sentences that the user typed, by paragraph; without code, logs, quotations and pasted text."""
    text = without_client_tags(prompt)
    if not text or len(text) > _MAX_TYPED or text.startswith(_NO_USER) or _is_document(text):
        return
    lines = [*lines_outside_code(text.splitlines()), ""]
    block: list[str] = []
    in_paste = has_pasted = False
    for at, line in enumerate(lines):
        if in_paste:
            has_pasted = has_pasted or bool(line.strip())
            in_paste = not has_pasted or bool(line.strip()) or len("\n".join(lines[at:])) > _PASTED
            continue
        item = _ITEM.match(line)
        if (not line.strip() or item or _LOG.match(line)) and block:
            yield from _sentences_of(block)
            block = []
        if not line.strip() or _LOG.match(line):
            continue
        block.append(line[item.end() :] if item else line)
        if cues.LEAD_IN.search(line):
            yield from _sentences_of(block[:-1])
            block, in_paste, has_pasted = [], True, False


def _is_document(text: str) -> bool:
    """Whether a prompt is a document or a letter, whose sentences need not be the user's own."""
    return len(_HEADING.findall(text)) > 1 or len(_LETTER.findall(text)) > 1 or text.startswith("---\n")


def _sentences_of(lines: Sequence[str]) -> Iterator[list[str]]:
    text = ""
    for line in lines:
        last = text.rpartition("\n")[2]
        goes_on = len(last) > _WRAPPED and line[:1].islower() and not last.endswith((".", "!", "?", ":", ";"))
        text += (" " if goes_on else "\n" if text else "") + " ".join(line.split())
    if sentences := split_sentences(text, any_case=True):
        yield sentences
