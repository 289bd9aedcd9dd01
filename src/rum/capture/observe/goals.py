"""Read the task out of a prompt: what was typed and what pasted, its goal, context, type, and references."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from rum.capture.observe.errors import fault_in
from rum.capture.observe.messages import option_named, plain, without_client_tags
from rum.capture.observe.summaries import failing_names
from rum.model.memory_layers import TaskType
from rum.text.lexicon import PROMPT, task_type_in, word_set
from rum.text.prompt_words import (
    AGREEMENT,
    GOING_ON,
    GOING_ON_WITH,
    GREETINGS,
    PRAISE,
    RECORDING,
    RESUMING,
    any_of,
    only,
    without_fillers,
    without_modes,
    without_pleasantries,
    without_smileys,
)
from rum.text.sentences import closes_fence, fence_marker, is_prose, split_sentences
from rum.text.shorten import shorten

GOAL, CONTEXT = 200, 600  # Maximum lengths in characters
_FAULT = 120  # Maximum length of an error in a goal
_DECISION, _REPLY = 80, 12  # Maximum lengths of a short reply, in characters and in words
_ENOUGH = 60  # A goal of this many characters needs no further sentence

_SLASH = re.compile(r"^\s*/(?:[a-z][\w-]*:)?([a-z][\w-]*)(?=\s|$)[ \t]*")
# Commands that change the client or its mode, and say nothing about the task.
_MODE_COMMANDS = word_set(
    "plan think ultrathink model clear compact fast effort resume agents memory config init output-style vim"
)
_FILE_MENTION = re.compile(r"(?<![\w@./])@((?:[\w.~-]+/)*[\w.-]*\w/?)")
_PLACEHOLDER = re.compile(r"\[(?:Image|Pasted text|Attached file)[^\]\n]{0,60}\]", re.IGNORECASE)
_ASKS = re.compile(
    r"^(?:why|how|what|where|which|who|when|is|are|does|do|can|could|should|was|did|has|have)\b[^.!]*\?"
    r"|^(?:why|how come|what causes|who) ",
    re.IGNORECASE,
)
_ORDERS = re.compile(r"\b(?:fix|add|implement|change|make)\b", re.IGNORECASE)
# What the words around a pasted error may seem to ask for.
_BESIDE_AN_ERROR = (None, TaskType.INVESTIGATION, TaskType.FEATURE_ADD, TaskType.CONFIGURATION)
_QUESTION_END = re.compile(r"[?？][\s\"'”)*_`]*\Z")
# Words that announce the task, or say nothing about it.
_GENERIC = word_set(
    """
    a able about above again all also an and any anything are as at attached be been below bug but by can
    check could couple customer customers did do does doing error errors exception fail failing fails
    failure few fix following for from get gets getting give gives got had has have having help here
    here's here’s hi how i idea if in into is issue issues it items its just know like log logs look
    looking looks me message my need needs new no not now of on or our out output please problem problems
    prod production report reporting reports run running saw see seeing seen shows so some someone
    something stack stacktrace stuff tasks that the them there these they thing things think this to today
    todo trace traceback try trying up us user users want was we well what when where which why will with
    wrong you your
    """
)
_ADDRESS = re.compile(r"https?://\S+|#\d+|\b\d+\b")
# What the agent is told to be.
_ROLE = re.compile(
    r"(?:you are|you['’]re|as|act as) (?:an? )?(?:\S+ ){0,4}(?:assistant|engineer|developer|expert"
    r"|programmer|architect)\b.*"
    r"|(?:do not|don['’]t) hallucinate\W*",
    re.IGNORECASE,
)
_ENDS = (".", "!", "?", ":", "。", "！", "？")
_WORD = re.compile(r"[^\W_]+(?:[-'’_.][^\W_]+)*")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_DANGLING = re.compile(
    r"[\s,;:–—-]{0,9}(?:\b(?:with |like |as |see |is |are |in )?(?:the|this) (?:following|below)"
    r"(?: (?:error|errors|output|log|logs|traceback|message|exception|stack ?trace|issue))?"
    r"|\b(?:see |as )?below|\bthis is (?:it|what i (?:get|see))"
    r"|\bhere(?:['’]s| is)(?: the)?(?: \w+)?)?\s*[:…]*\s*$",
    re.IGNORECASE,
)
_INNER_FOLLOWING = re.compile(r"\s+the following(?=\s+(?:in|on|at|from|when)\b)", re.IGNORECASE)
_LOOK = re.compile(
    r"[\s,;.–—-]{0,9}\b(?:(?:can|could) (?:you|u) )?(?:please )?(?:take|have) a look"
    r"(?: at (?:it|this|that))?\W{0,9}$"
    r"|[\s,;.–—-]{0,9}\b(?:any ideas?|what(?:['’]s| is) (?:wrong|going on|happening)(?: here)?|ideas|help)"
    r"\s{0,3}\?{1,9}\s{0,3}$",
    re.IGNORECASE,
)
_LOGGED_ERROR = re.compile(r"\b(?:ERROR|FATAL|CRITICAL|SEVERE)\b[\]:|\s-]*(\S.{5,300})")
_TICKED = re.compile(r"\s*[-*+] \[[ xX]\]\s")  # An item of a form's checklist
_ITEM = re.compile(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+(?=\S)")
# What the agent offers to do, after these words.
_OFFER = re.compile(
    r"\b(?:shall i|should i|would you like me to|(?:do you )?want me to|i (?:can|could|would|will|propose to"
    r"|suggest(?: to)?)|may i|ok(?:ay)? (?:if i|to)|soll ich|möchtest du,? dass ich|dois-je|veux-tu que je"
    r"|quieres que|devo|debo)\s+(?:also |now |go ahead and |then )*(?P<what>[^?\n]{6,180})",
    re.IGNORECASE,
)
_OFFER_SIGNS = re.compile(r"(?:要我|需要我|要不要我|是否要)(?P<what>[^？?\n]{2,80}?)吗?[？?]")
_NEXT_STEP = re.compile(
    r"^\W*(?:(?:and|ok(?:ay)?|now|then|next|also|great|und|jetzt|dann|et|maintenant|y|ahora)\b[\s,]*)+"
    r"(?:the|for|same|do the same|die|den|das|les?|los?|las?)\b",
    re.IGNORECASE,
)
_SAME = re.compile(r"^\W*(?:same|do the same|likewise|ditto) (?:for|in|with|to)\b", re.IGNORECASE)


class PromptKind(StrEnum):
    """What a prompt is in the conversation."""

    TASK = "task"  # It sets a task of its own
    RECORD = "record"  # Commit, push, test again, or thanks: about finished work
    GO_ON = "go_on"  # Go on with the same work
    RESUME = "resume"  # Go on with the work of an earlier session
    NEXT_STEP = "next_step"  # The next step of the same work: "and now the tests"
    ANSWER = "answer"  # An answer to the agent's question or proposal: "csv then. do it"


class PromptReading(NamedTuple):
    """The kind of a prompt, and the user's decision in an answer."""

    kind: PromptKind
    decision: str = ""


def read_prompt(prompt: str, said: str = "") -> PromptReading:
    """Tell what a prompt is; `said` are the agent's words before it."""
    text = " ".join(without_client_tags(prompt).split())
    if not text and "notification" in prompt:
        return PromptReading(PromptKind.GO_ON)  # The client says that a subagent in the background is done
    if not text or len(text) > _DECISION:
        return PromptReading(PromptKind.TASK)
    if only(RECORDING, PRAISE, AGREEMENT, GOING_ON).fullmatch(text):
        return PromptReading(_short_kind(text))
    if any_of(RESUMING).search(text):
        return PromptReading(PromptKind.RESUME)
    words = text.split()
    if len(words) > _REPLY or _QUESTION_END.search(text):
        return PromptReading(PromptKind.TASK)
    if re.match(r"\W*(?:git )?(?:commit|push)\b", text, re.IGNORECASE):
        return PromptReading(PromptKind.RECORD)
    if option_named(text, said) and not _sets_a_task(text):
        return PromptReading(PromptKind.ANSWER, text.strip(" ."))
    parts = [part.strip(" .,;!") for part in re.split(r"(?<=[.,;!])\s+|\s+(?:and|und|y|et)\s+", text)]
    agreed = [part for part in parts if only(AGREEMENT).fullmatch(part or ".")]
    if agreed and len(agreed) < len(parts) and (said or any(part in parts[-1:] for part in agreed)):
        rest = ", ".join(part for part in parts if part and part not in agreed)
        if not _sets_a_task(rest):
            return PromptReading(PromptKind.ANSWER, rest)
    if _NEXT_STEP.match(text) or _SAME.match(text):
        return PromptReading(PromptKind.NEXT_STEP)
    is_short = len(words) <= 8 and len(_WIDE.findall(text)) <= 8 and _has_words(text)
    if asks_back(said) and is_short and text[0] != "/" and not _sets_a_task(text):
        return PromptReading(PromptKind.ANSWER, text.strip(" ."))
    return PromptReading(PromptKind.TASK)


def resumes_named_work(prompt: str) -> bool:
    """Whether a short prompt says to go on with some work that it names: "continue with the login page"."""
    text = " ".join(without_client_tags(prompt).split())
    return len(text) <= _DECISION and any_of(GOING_ON_WITH).match(text) is not None


def sets_task(prompt: str, said: str = "") -> bool:
    """Whether a prompt sets a task of its own; `said` are the agent's words before it."""
    return bool(prompt.strip()) and read_prompt(prompt, said).kind is PromptKind.TASK


def _short_kind(text: str) -> PromptKind:
    """The kind of a prompt of known short words."""
    if only(RECORDING, PRAISE).fullmatch(text) or any_of(RECORDING).search(text):
        return PromptKind.RECORD
    return PromptKind.GO_ON if only(GOING_ON).fullmatch(text) else PromptKind.ANSWER


def _sets_a_task(text: str) -> bool:
    return task_type_in(text, PROMPT) not in (None, TaskType.INVESTIGATION.value)


def asks_back(said: str) -> bool:
    """Whether the agent's words end with a question."""
    return any(_QUESTION_END.search(line) for line in said.strip().splitlines()[-3:])


def is_continuation(prompt: str) -> bool:
    """Whether a prompt only says to continue, to record the work, or thanks."""
    text = without_client_tags(prompt)
    if not text.strip(" .,;!?"):
        return True
    known = only(RECORDING, PRAISE, AGREEMENT, GOING_ON)
    return len(text) <= _DECISION and known.fullmatch(text) is not None


def goal_of(prompt: str, earlier: str = "", said: str = "") -> str:
    """The goal in one line.

    For a prompt that sets none, it comes from what the agent proposed (`said`), or from the `earlier` prompt.
    """
    kind, decision = read_prompt(prompt, said)
    before = _goal(earlier) if earlier and not is_continuation(earlier) else ""
    if kind is PromptKind.TASK:
        goal = _goal(prompt)
        # "why?" and "make it pass" are about the task before.
        return f"{shorten(before, GOAL - len(goal) - 3)} ({goal})" if before and not says_task(goal) else goal
    if kind is PromptKind.ANSWER and not decision and (offer := offer_in(said)):
        return offer
    if kind is PromptKind.NEXT_STEP or decision:
        addition = _option_in(decision, said) or decision or _clean(prompt)
        return f"{shorten(before, GOAL - len(addition) - 3)} ({addition})" if before else addition
    return before or _goal(prompt)


def _option_in(decision: str, said: str) -> str:
    """The option that a decision chooses, with the decision itself if it says more: "B, but without it"."""
    option = option_named(decision, said).rstrip(".")
    says_more = option and any(sign in decision for sign in ",;:–—") and says_task(decision)
    return f"{option}; the user said: “{decision}”" if says_more else option


def says_task(goal: str) -> bool:
    """Whether a goal has words of its own, beside addresses and numbers."""
    return _weight(_ADDRESS.sub(" ", goal)) > 0


def offer_in(said: str) -> str:
    """What the agent's last sentences offer to do; empty if they offer nothing."""
    for line in reversed([line for line in plain(said).splitlines() if line.strip()][-3:]):
        for sentence in reversed(split_sentences(line)):
            found = _OFFER_SIGNS.search(sentence) or _OFFER.search(sentence)
            if found and " or " not in found["what"]:  # of two things the user must choose one
                return shorten(" ".join(found["what"].split()).rstrip(" .:,"), GOAL)
    return ""


def context_of(prompt: str, earlier: str = "", said: str = "") -> str:
    """What a prompt says beyond its goal; for an answer, the agent's question with it."""
    kind, decision = read_prompt(prompt, said)
    if kind is not PromptKind.TASK:
        words = " ".join(without_client_tags(prompt).split())
        question = next((one for one in reversed(said.splitlines()) if one.strip()), "")
        asked = f"Asked “{shorten(' '.join(plain(question).split()), 300)}”, the user answered “{words}”."
        before = _goal(earlier) if earlier and decision == "" and offer_in(said) else ""
        texts = [
            f"After: {before}" if before else "",
            asked if kind is PromptKind.ANSWER and question else "",
        ]
        return shorten(" ".join(filter(None, texts)), CONTEXT)
    typed, pasted = split_pasted(without_client_tags(prompt))
    typed = typed.replace(PASTE, " ")
    text = without_smileys(" ".join(plain(_mentions(typed)).split()))
    text = without_pleasantries(without_modes(text)).rstrip(" .")
    goal = goal_of(prompt)
    error = _error_in(pasted)
    error = "" if error in goal else error
    if text.startswith(goal):
        text = text[len(goal) :]
    elif len(text) <= len(goal) + 20:
        text = ""
    return shorten(" ".join(filter(None, (text.lstrip(" .,;:!?"), error))), CONTEXT)


def task_type(prompt: str, earlier: str = "", said: str = "") -> TaskType | None:
    """The type of the task that a prompt sets; None if its words do not show it."""
    kind, decision = read_prompt(prompt, said)
    text = prompt
    if kind is not PromptKind.TASK:
        text = (offer_in(said) if kind is PromptKind.ANSWER and not decision else "") or earlier or prompt
    typed, pasted = split_pasted(_mentions(without_client_tags(text)))
    text = without_pleasantries(without_modes(" ".join(typed.replace(PASTE, " ").split())))
    if _ASKS.match(text) and not _ORDERS.search(text):
        return TaskType.INVESTIGATION
    found = task_type_in(text[:1000], PROMPT)
    if found in _BESIDE_AN_ERROR and _error_in(pasted):
        return TaskType.BUG_FIX
    return TaskType(found) if found else None


def _goal(prompt: str) -> str:
    """The goal in a prompt that sets a task."""
    typed, pasted = split_pasted(without_client_tags(prompt))
    error = shorten(_error_in(pasted), _FAULT)
    sentences = _sentences(typed)
    if error:
        at = sentences.index(PASTE) if PASTE in sentences else len(sentences)
        lead = _LOOK.sub("", _DANGLING.sub("", _LOOK.sub("", _choose(sentences[:at]))))
        lead = shorten(_INNER_FOLLOWING.sub("", lead).rstrip(" ,;:.–—-"), GOAL - len(error) - 2)
        rest = _choose([one for one in sentences[at + 1 :] if _weight(one)])
        goal = f"{lead}: {error}" if lead else error
        return f"{goal}; {rest}" if rest and len(goal) + len(rest) + 2 <= GOAL else goal
    chosen = _choose([one for one in sentences if one != PASTE])
    if not chosen and pasted:
        lines = [" ".join(line.split()) for line in pasted.splitlines() if line.strip()]
        failing = sorted(failing_names(pasted.splitlines()))
        return shorten(f"{', '.join(failing[:3])} fails" if failing else lines[0] if lines else "", GOAL)
    return shorten(_DANGLING.sub("", chosen) or chosen, GOAL)


def _error_in(pasted: str) -> str:
    """The error in a pasted text, in one line; empty if there is none."""
    if not pasted:
        return ""
    # Test runners indent the errors that they report.
    fault = fault_in(pasted) or fault_in("\n".join(line.strip() for line in pasted.splitlines()))
    if fault is not None:
        return fault.line
    if logged := _LOGGED_ERROR.search(pasted):
        return " ".join(logged[1].split())
    return ""


def _clean(prompt: str) -> str:
    """A short prompt without greeting and mode, on one line."""
    return " ".join(
        without_pleasantries(without_modes(_mentions(without_client_tags(prompt)))).split()
    ).strip(" .")


def _mentions(text: str) -> str:
    """A text with files as names instead of mentions, and without slash commands and placeholders."""
    text = _PLACEHOLDER.sub(" ", text)
    if command := _SLASH.match(text):
        rest = text[command.end() :]
        text = rest if command[1] in _MODE_COMMANDS and rest.strip() else f"{command[1]} {rest}"
    return _FILE_MENTION.sub(r"\1", text).strip()


def _sentences(typed: str) -> list[str]:
    """The sentences and list items of what was typed, without modes and pleasantries."""
    found: list[str] = []
    for paragraph in _paragraphs(_mentions(typed)):
        text = without_modes(without_smileys(paragraph))
        for sentence in split_sentences(text, any_case=True):
            words = without_fillers(" ".join(plain(sentence).split()))
            inner = without_pleasantries(words)
            if words.casefold().find(inner.casefold()) > 0 and not _ASKS.match(inner):
                inner = inner.rstrip("? ")  # "Could you add logging?" asks for nothing but the logging
            inner = inner.rstrip("，、")
            is_empty = not _has_words(inner) or only(PRAISE, GREETINGS).fullmatch(inner)
            if inner == PASTE or not (is_empty or _ROLE.fullmatch(inner)):
                found.append(inner)
    return found


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def _paragraphs(text: str) -> list[str]:
    """Lines joined into paragraphs; a list item and a heading stand alone."""
    found: list[str] = []
    open_ = False
    lines = [line for line in text.splitlines() if not _TICKED.match(line)]
    # A heading names a part of a form; it is the task only where nothing else is.
    plain_lines = [line for line in lines if not line.lstrip().startswith("#")]
    for line in plain_lines if any(map(_has_words, plain_lines)) else lines:
        item, blank = _ITEM.match(line), not line.strip()
        if blank or item or line.lstrip().startswith(("#", PASTE)):
            if not blank:
                found.append(line[item.end() :].strip() if item else line.lstrip("# ").strip())
            open_ = bool(item)
            continue
        if open_ and (not found[-1].endswith((".", "!", "?", ":")) or line.startswith((" ", "\t"))):
            found[-1] = f"{found[-1]} {line.strip()}"
        else:
            found.append(line.strip())
        open_ = True
    return found


def _choose(sentences: list[str]) -> str:
    """The first sentence that says something, and those after it as far as they fit."""
    if not sentences:
        return ""
    start = next((at for at, one in enumerate(sentences) if _weight(one) >= 2), None)
    if start is None:
        start = max(range(len(sentences)), key=lambda at: (_weight(sentences[at]), -at))
    # "Fix it." before the sentence that says what is part of the goal; a lead-in is not.
    orders = [one for one in sentences[:start] if len(one) < _ENOUGH and _sets_a_task(one)]
    goal = ""
    for sentence in (*orders, *sentences[start:]):
        separator = " " if not goal or goal.endswith(_ENDS) else "; "
        is_short = len(goal) < _ENOUGH or _weight(sentence) >= 2 or _sets_a_task(sentence)
        if goal and (len(goal) + len(separator) + len(sentence) > GOAL or not (is_short)):
            break
        goal = f"{goal}{separator}{sentence}".lstrip()
    return goal


def _weight(sentence: str) -> int:
    """How many words of a sentence say something about the task."""
    words = {word.casefold() for word in _WORD.findall(sentence)} - _GENERIC
    return len(words) + len(_WIDE.findall(sentence)) // 2


_START = re.compile(
    r"""
    Traceback\ \(most\ recent | \s*File\ "[^"]+",\ line\ \d | \s*at\ .+:\d+(?::\d+)?\)?$ | \s*at\ [\w.$<>]+\(
    | (?:\w+\.)*[A-Z]\w*(?:Error|Exception|Warning|Panic)\b(?::|$) | E\s{2,}\S | FAILED\ \S
    | ERROR\b.{0,3}\S+:: | (?:FAIL|PASS)\s+\S | \s*[●✕✗×✓]\s | panic:\s | goroutine\ \d
    | thread\ '.*'\ panicked | error(?:\[E\d+\]|\ TS\d+)?: | fatal:\s | npm\ (?:ERR!|error|WARN)
    | [Cc]aused\ by: | \s*\.{3}\ \d+\ more | make(?:\[\d+\])?:\ \*\*\*
    | \[?\d{4}-\d\d-\d\d[T\ ]\d\d:\d\d | \d\d:\d\d:\d\d[.,\s] | [A-Z][a-z]{2}\ [\ \d]\d\ \d\d:\d\d:\d\d\s
    | \[?(?:DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL|TRACE)\b[\]:\ ] | \d{1,3}(?:\.\d{1,3}){3}\ -\ -
    | HTTP/\d | (?:GET|POST|PUT|PATCH|DELETE)\ /\S*
    | [\$>%]\ \S | >>>\s | \.\.\.\ \S | PS\ [A-Z]:\\
    | diff\ --git | index\ [0-9a-f]{7} | [+]{3}\ \S | -{3}\ \S | @@\ -\d
    | [{}\[\]]\s*,?\s*$ | [{\[]\s*["{\[] | \s*"[^"]+"\s*: | </?[a-zA-Z][\w-]*[^>]*>\s*$ | <\?xml | <!DOCTYPE
    | [=_*~\#-]{5,} | \s*[~^]+\s*$ | \s*\d+\s*\|\s | \s*\|\s
    | (?:def|class|import|from\ \S+\ import|function|const|let|var|public|private|return|\#include
      |SELECT|INSERT|UPDATE\ \w+\ SET)\b.*[:;{()=,]\s*$
    """,
    re.VERBOSE,
)
_SHORT_TASK = 12  # Words of a line that has both code and words, up to which it may be a task


PASTE = "\x00"  # Stands in the typed text where something was pasted


class Prompt(NamedTuple):
    """The lines that the user typed, with `PASTE` where they pasted something, and the pasted lines."""

    typed: str
    pasted: str


def split_pasted(prompt: str) -> Prompt:
    """Separate a prompt: a pasted passage is in a code fence, or its lines look like a program's output."""
    typed: list[str] = []
    pasted: list[str] = []
    mark: str | None = None
    in_paste = in_diff = False
    for line in prompt.replace(PASTE, "").splitlines():
        if mark is not None:
            mark = None if closes_fence(line.lstrip(), mark) else mark
            pasted.append(line if mark else "")
            continue
        mark = fence_marker(line.lstrip())
        if mark is not None:
            typed.append(PASTE)
            continue
        # What is indented below a pasted line belongs to it: the code in a traceback.
        in_diff = line.startswith("@@ -") or (in_diff and line[:1] in ("+", "-", " "))
        below = in_diff or (in_paste and line.startswith(("  ", "\t")))
        in_paste = bool(line.strip()) and (below or _is_pasted(line))
        if in_paste:
            pasted.append(line)
        if not in_paste or typed[-1:] != [PASTE]:
            typed.append(PASTE if in_paste else line)
    return Prompt("\n".join(typed).strip(), "\n".join(pasted).strip())


def _is_pasted(line: str) -> bool:
    if _START.match(line):
        return True
    plain = line.strip()
    # Text without blanks, such as Chinese, is no program's output for its want of words.
    is_latin = plain.isascii()
    return is_latin and len(plain) > 40 and not is_prose(plain) and len(plain.split()) < _SHORT_TASK
