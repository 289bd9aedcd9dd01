"""Read prompts and last words: the goal, the type of task, and whether agent or user say that it worked."""

from __future__ import annotations

import re

from rum.model.memory_layers import TaskType
from rum.text.lexicon import PROMPT, task_type_in
from rum.text.sentences import lines_outside_code, split_sentences
from rum.text.shorten import shorten

GOAL, CONTEXT, SUMMARY = 200, 600, 300  # Maximum lengths in characters

_TAGGED = re.compile(
    r"<(system-reminder|command-message|local-command-\w+|environment_context|user_instructions"
    r"|ide_\w+|bash-\w+"
    r"|task-notification|turn_aborted|permissions instructions)\b[^>]*>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"</?(?:command-(?:name|args)|\w+-(?:name|args))>")
_NOTICE = re.compile(
    r"^(?:Caveat: The messages below|\[Request interrupted by user[^\]]*\]).*$", re.MULTILINE
)
_MARKS = re.compile(r"^\s*(?:#{1,6}|[-*+]|>|\d+[.)])\s+", re.MULTILINE)
_POLITE = re.compile(
    r"^(?:(?:hi|hey|hello|ok(?:ay)?|so|now|please|thanks?|great|cool)\b[,.! ]*)+", re.IGNORECASE
)
_CONTINUE = re.compile(
    r"\W*(?:yes|yep|yeah|y|ok(?:ay)?|sure|go(?: on| ahead)?|continue|proceed|do (?:it|that|so)"
    r"|please(?: do)?|next|more"
    r"|sounds good|looks good|lgtm|great|perfect|thanks?(?: you)?|thx|good|nice|cool|try again|again"
    r"|keep going"
    r"|and|now|then|fine|right|correct|\W)+\W*",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:why|how|what|where|which|who|when|is|are|does|do|can|could|should)\b[^.!]*\?", re.IGNORECASE
)
_ORDERS = re.compile(r"\b(?:fix|add|implement|change|make)\b", re.IGNORECASE)
_DOING = (
    r"(?:make|get|fix|solve|resolve|finish|complete|do|implement|reproduce|work(?: out)?|build|install|figure"
    r"|proceed|continue|connect|access|apply|deploy|push|start|repair|manage|achieve"
    r"|find (?:out|the|a|what|why))\b"
)
_GAVE_UP = re.compile(
    # Only what the agent itself could not do counts: "users cannot log in" describes the problem.
    r"(?:\b(?:I|we)(?:['’](?:m|ve)| am| was| were| have)?|^|[.!]|\b(?:but|still))\s*(?:still )?"
    r"(?:could(?: not|n['’]t)|can(?:not|['’]t)|unable to|(?:was(?: not|n['’]t)|not) able to|failed to)"
    rf" (?:\w+ly )?{_DOING}"
    r"|\bcould(?: not|n['’]t) be"
    r" (?:fixed|solved|resolved|completed|finished|done|made|implemented|reproduced)"
    r"|\b(?:did(?: not|n['’]t) (?:work|help|fix)"
    r"|still (?:fails?|failing|broken|crash\w*|errors?)|gave up|giving up|blocked (?:by|on)|no luck"
    r"|does(?: not|n['’]t)"
    r" (?:work|pass) yet|not (?:yet )?(?:fixed|solved|resolved)|keeps? failing)",
    re.IGNORECASE | re.MULTILINE,
)
_WORKS = re.compile(
    r"\b(?:all (?:\w+ )?(?:pass(?:es|ed)?|green)|(?:now|it) works|pass(?:es|ed)?\b|fixed|done"
    r"|completed?|implemented"
    r"|added|updated|resolved|succe(?:ss|eded)\w*)",
    re.IGNORECASE,
)
_FINE = (
    r"(?:(?:that|this|it)(?:['’]s| is| was| looks| works)?(?: all| now| just| perfectly| very)?"
    r" (?:fine|ok(?:ay)?|good|great|perfect|right|correct|enough|works?|all)"
    r"|thanks?|thank you|problem|worries|need|nothing|leave|go (?:on|ahead)|carry on|looks|all good)\b"
)
_REJECTS = re.compile(
    rf"^\W*(?:(?:no|nope)\b(?:\s*[,.!:;—-]++\s*+|\s*$)(?!{_FINE})"
    rf"|(?:no|nope) (?!{_FINE})"
    r"(?:that|this|it|you|do(?:n['’]t| not)|not|still|wait|stop|wrong|i (?:meant|said|want))\b"
    r"|wrong\b\s*(?:[.,!:;—-]|$)|wrong (?:file|approach|place|one|way|function|branch|direction|answer|fix)\b"
    r"|that(?:['’]s| is| was)?(?: still)? (?:wrong|n['’]t"
    r"|not (?:it|right|correct|what|how|working|good|enough|true|the|fixed|quite)\b"
    r"|did(?: not|n['’]t) (?:work|help)|does(?: not|n['’]t) (?:work|help)|broke)"
    r"|it(?:['’]s| is)? still (?:fail|broken|crash|not|does|error)|still (?:fail|broken|crash|not"
    r"|the same|error|does)"
    r"|(?:it|this|that) (?:does|did)(?: not|n['’]t) (?:work|help|compile|fix)"
    r"|(?:please )?(?:revert|undo)(?:\W*$| (?:that|this|it|your|all|everything|these|those|please|what"
    r"|the (?:last|change|edit|commit))\b)"
    r"|roll (?:it |that |this )?back"
    r"|not what i)",
    re.IGNORECASE,
)


def without_client_tags(prompt: str) -> str:
    """A prompt without the tags and notices that the client adds."""
    return _NOTICE.sub("", _TAG.sub(" ", _TAGGED.sub(" ", prompt))).strip()


def is_continuation(prompt: str) -> bool:
    """Whether a prompt only says to continue."""
    return len(prompt) < 60 and _CONTINUE.fullmatch(without_client_tags(prompt) or ".") is not None


def goal_of(prompt: str, earlier: str = "") -> str:
    """The goal in a sentence or two; for a prompt that only says to continue, the goal of the earlier one."""
    text = without_client_tags(prompt)
    if not is_continuation(prompt):
        return _sentences(text, GOAL)
    has_goal = earlier and not is_continuation(earlier)
    earlier_goal = _sentences(without_client_tags(earlier), GOAL - 30) if has_goal else ""
    words = " ".join(text.split())[:20].strip(" .")
    return f"{earlier_goal} (then: {words})" if earlier_goal and words else earlier_goal or words


def context_of(prompt: str) -> str:
    """The rest of a prompt, after the goal."""
    text = _POLITE.sub("", " ".join(_plain(without_client_tags(prompt)).split()))
    goal = goal_of(prompt)
    if text.startswith(goal):
        return shorten(text[len(goal) :].strip(), CONTEXT)
    return shorten(text, CONTEXT) if len(text) > len(goal) + 20 else ""


def summary_of(last_words: str) -> str:
    """The outcome in the agent's own words."""
    return _sentences(without_client_tags(last_words), SUMMARY, opening=None)


def task_type(prompt: str, earlier: str = "") -> TaskType | None:
    """The type of the task that a prompt sets; None if its words do not show it."""
    text = without_client_tags(earlier if is_continuation(prompt) else prompt)
    if _ASKS.match(text) and not _ORDERS.search(text):
        return TaskType.INVESTIGATION
    found = task_type_in(text[:1000], PROMPT)
    return TaskType(found) if found else None


def gave_up(last_words: str) -> bool:
    """Whether the agent writes that it did not succeed."""
    text = without_client_tags(last_words)
    statement = _GAVE_UP.search(text)
    # If something failed first and worked later, the agent writes about the success last.
    return statement is not None and not _WORKS.search(text[statement.end() :])


def failure_sentence(last_words: str) -> str:
    """The first sentence that states a failure."""
    parts = split_sentences(_without_code(without_client_tags(last_words)))
    return next((shorten(" ".join(part.split()), SUMMARY) for part in parts if _GAVE_UP.search(part)), "")


def rejects(prompt: str) -> bool:
    """Whether a prompt objects to the work before it."""
    return _REJECTS.match(without_client_tags(prompt)[:200]) is not None


def _plain(text: str) -> str:
    """A text without code, headings, list marks and bold type."""
    return _MARKS.sub("", _without_code(text)).replace("**", "")


def _sentences(text: str, max_length: int, opening: re.Pattern[str] | None = _POLITE) -> str:
    """The first sentence without its `opening` ("Please"), and the next ones within half of `max_length`."""
    parts = [" ".join(part.split()) for part in split_sentences(_plain(text))]
    if not parts:
        return ""
    start = (opening.sub("", parts[0]) if opening else "") or parts[0]
    for part in parts[1:]:
        if len(start) + len(part) + 1 > max_length // 2:
            break
        start = f"{start} {part}"
    return shorten(start, max_length)


def _without_code(text: str) -> str:
    return "\n".join(lines_outside_code(text.splitlines()))
