"""Read last words and replies: the outcome, and whether agent or user say that it worked."""

from __future__ import annotations

import re

from rum.text import guidance_cues
from rum.text.prompt_words import without_pleasantries
from rum.text.sentences import lines_outside_code, split_sentences
from rum.text.shorten import shorten

_MAX_FAILURE = 600  # Characters of a sentence that states a failure

_TAGGED = re.compile(
    r"<(system-reminder|command-message|local-command-\w+|environment_context|user_instructions"
    r"|ide_\w+|bash-\w+"
    r"|[a-z_-]+[_-]notification|turn_aborted|permissions instructions)\b[^>]*>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_TAG = re.compile(r"</?(?:command-(?:name|args)|\w+-(?:name|args))>")
_NOTICE = re.compile(
    r"^(?:Caveat: The messages below|\[Request interrupted by user[^\]]*\]).*$", re.MULTILINE
)
_MARKS = re.compile(r"^[^\S\n]*(?:#{1,6}|[-*+]|>|\d+[.)])[^\S\n]+", re.MULTILINE)
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
    r"\b(?:all (?:\w+ )?(?:pass(?:es|ed)?|green)|(?:now|it) works|worked\b|pass(?:es|ed)?\b|fixed|done"
    r"|completed?|implemented"
    r"|added|updated|resolved|succe(?:ss|eded)\w*)",
    re.IGNORECASE,
)
_FINE = (
    r"(?:(?:no|nope|nah)\W+)*(?:(?:that|this|it)(?:['’]s| is| was| looks| works)?"
    r"(?: (?:all|now|just|perfectly|very|exactly|quite|really|actually|already))?"
    r" (?:fine|ok(?:ay)?|good|great|perfect|right|correct|enough|works?|all)"
    r"|thanks?|thank you|problem|worries|need|nothing|leave|go (?:on|ahead)|carry on|looks|all good)\b"
)
FINE = re.compile(_FINE, re.IGNORECASE)  # What makes a "no" harmless: "no, that's fine"
_REJECTS = re.compile(
    rf"^\W*(?:(?:no|nope|nah)\b(?:\s*[,.!:;—-]++\s*+|\s*$)(?!{_FINE})"
    rf"|(?:no|nope|nah) (?!{_FINE})"
    r"(?:that|this|it|you|we|do(?:n['’]t| not)|not|never|wait|stop|wrong|i (?:meant|said|want))\b"
    r"|wrong\b\s*(?:[.,!:;—-]|$)|wrong (?:file|approach|place|one|way|function|branch|direction|answer|fix)\b"
    r"|that(?:['’]s| is| was)? (?:wrong|not (?:it|right|correct|what|how|good|true|the|quite)\b)"
    r"|(?:please )?(?:revert|undo)(?:\W*$| (?:that|this|it|your|all|everything|these|those|please|what"
    r"|the (?:last|change|edit|commit))\b)"
    r"|roll (?:it |that |this )?back|not what i|i (?:said|told you|did(?: not|n['’]t) (?:ask|want|mean))\b"
    r"|we (?:don['’]?t|do not|never) do (?:it|that|this)"
    r"|(?:(?:that|this|it)(?:['’]s| is) )?(?:way |much |a bit )?(?:overkill|over-?engineered"
    r"|too (?:clever|complicated|complex|much))\s*(?:$|[.,!;:—-]))",
    re.IGNORECASE,
)
# An objection that follows what it is about: "that also hides other errors, I don't want that".
_REJECTS_AFTER = re.compile(
    r"^\W*(?:(?:thanks|ok(?:ay)?|hm+|well|but|sorry)\b\W*)*(?:that|this|it|you|your)\b[^\n?]{3,160}?[,.;:—–-]\s*"
    r"(?:but |and |which |that(?:['’]s| is| was) )?(?:"
    r"(?:i|we) (?:really |certainly |definitely )?(?:do(?: not|n['’]t)|did(?: not|n['’]t)|never)"
    r" (?:want(?:ed)?|ask(?:ed)? for)(?: (?:that|this|it))?(?=\W*(?:$|[.,;:!\n—–]|here|at all|in))"
    r"|(?:is |was )?not (?:what|how) (?:i|we) (?:want|wanted|asked|meant|need|do)\b"
    r"|(?:please )?(?:undo|revert|take) (?:that|this|it)\b)",
    re.IGNORECASE,
)
# The same in other languages; the sentence before it is about the work.
_UNWANTED = re.compile(
    r"[,.;:—–-]\s*(?:aber |pero |mais |mas |ma |maar |ale |но )?"
    r"(?:das (?:will|wollen|möchten?|wollte) (?:ich|wir) (?:so )?nicht"
    r"|(?:eso |esto )?no (?:lo )?(?:quiero|queremos)(?: eso| esto)?"
    r"|(?:je ne veux|nous ne voulons|on ne veut) pas (?:de )?(?:ça|cela)"
    r"|não (?:quero|queremos) isso|non (?:voglio|vogliamo) questo|dat wil(?:len)? (?:ik|we|wij) niet"
    r"|tego nie chc(?:ę|emy)"
    r"|(?:этого|так) не (?:хочу|надо|нужно))\s*(?:$|[.,!;:—–-])"
    r"|[，。]\s*(?:这不是我(?:想)?要的|我不(?:想)?要(?:这样|这个))|[、。]\s*それは(?:望んで|求めて)い(?:ない|ません)",
    re.IGNORECASE,
)
# A prompt that may object to what was done, or only limit what is to be done next.
_FORBIDS = re.compile(
    r"^\W*(?:(?:ugh|argh|sigh|hey|hm+|please|pls|sorry|but)\b\W*)*"
    r"(?:do(?: not|n['’]t)|never|stop|you should(?: not|n['’]t)|you must(?: not|n['’]t))\b",
    re.IGNORECASE,
)
_REPLY = 300  # Characters at the beginning of a prompt that say what the user thinks of the work before it
_YES_OR_NO = re.compile(
    r"\W*(?:(?:no|nope|nah|hm+|ok(?:ay)?|sorry|nein|non|não|nee|nie|нет|不对|不行|いや|いいえ|아니요?)\b[\s,.!:;—-]*)*",
    re.IGNORECASE,
)


def without_client_tags(prompt: str) -> str:
    """A prompt without the tags and notices that the client adds."""
    return _NOTICE.sub("", _TAG.sub(" ", _TAGGED.sub(" ", prompt))).strip()


def gave_up(last_words: str) -> bool:
    """Whether the agent writes that it did not succeed."""
    text = without_client_tags(last_words)
    statement = _GAVE_UP.search(text)
    # If something failed first and worked later, the agent writes about the success last.
    return statement is not None and not _WORKS.search(text[statement.end() :])


def failure_sentence(last_words: str) -> str:
    """The first sentence that states a failure."""
    parts = split_sentences(_without_code(without_client_tags(last_words)))
    return next(
        (shorten(" ".join(part.split()), _MAX_FAILURE) for part in parts if _GAVE_UP.search(part)), ""
    )


def rejects(prompt: str) -> bool:
    """Whether a prompt objects to how the work before it was done; that it does not work is no objection."""
    text = without_client_tags(prompt)[:_REPLY]
    if reports_failure(text):
        return False
    foreign = not guidance_cues.is_english(text) and guidance_cues.DENIAL.match(text)
    known = any(pattern.match(text) for pattern in (_REJECTS, _REJECTS_AFTER))
    return known or bool(foreign) or _UNWANTED.search(text) is not None


def may_reject(prompt: str) -> bool:
    """Whether a prompt objects to the work before it, or forbids something that may be part of that work."""
    text = without_client_tags(prompt)[:_REPLY]
    return rejects(prompt) or (_FORBIDS.match(text) is not None and not reports_failure(text))


def reports_failure(prompt: str) -> bool:
    """Whether a prompt says that the work before it does not work."""
    text = without_client_tags(prompt)[:_REPLY]
    said = _YES_OR_NO.match(text)
    return guidance_cues.REPORT.match(text, said.end() if said else 0) is not None


def takes_report_back(prompt: str) -> bool:
    """Whether a prompt says that what was reported is no failure: "sorry, my bad, it works"."""
    text = without_client_tags(prompt)[:_REPLY]
    return not reports_failure(text) and guidance_cues.FALSE_ALARM.search(text) is not None


_OPTION = re.compile(
    r"(?m)^[ \t]*(?:[*_]{2})?(?:option |variante )?(\d|[A-Ea-e])[.):][*_]{0,2}[ \t]+(\S.*)$", re.IGNORECASE
)
_ORDINALS = re.compile(
    r"\b(?:(?P<first>first|former|erste[nrs]?|premi[eè]re?|primer[ao]?|primeir[ao]|prim[ao]|eerste|первый)"
    r"|(?P<second>second|zweite[nrs]?|deuxième|second[oea]|segund[ao]|tweede|второй)"
    r"|(?P<third>third|dritte[nrs]?|troisième|tercer[ao]?|terceir[ao]|terz[ao]|derde|третий)"
    r"|(?P<fourth>fourth|vierte[nrs]?)|(?P<last>last|latter|letzte[nrs]?|dernière?|últim[ao]|laatste))\b"
    r"|(?:\b(?:option|variant|number|nr\.?|no\.?|variante|opción|opção|with)|#)\s*(?P<name>\d|[a-e])\b"
    r"|^\W*(?P<alone>\d|[a-e])(?:\W*$|\s*[,;:–—](?=\s))|第(?P<sign>[一二三四])",
    re.IGNORECASE,
)


def options_left(chosen: str, said: str) -> list[str]:
    """The options of a list beside the one that was chosen."""
    options = [text for _, text in _options(said)]
    return [text for text in options if text != chosen] if chosen in options else []


def _options(said: str) -> list[tuple[str, str]]:
    return [(name.casefold(), " ".join(plain(text).split())) for name, text in _OPTION.findall(said)]


def option_named(words: str, said: str) -> str:
    """The option of a numbered list that some words choose: "the second one", "option b"; empty if none."""
    options = _options(said)
    found = _ORDINALS.search(without_pleasantries(words))
    if found is None or len(options) < 2:
        return ""
    named = found["name"] or found["alone"]
    if named:
        return next((text for name, text in options if name == named.casefold()), "")
    groups = ("first", "second", "third", "fourth")
    at = next((number for number, group in enumerate(groups) if found[group]), len(options) - 1)
    at = "一二三四".index(found["sign"]) if found["sign"] else at
    return options[at][1] if at < len(options) else ""


def plain(text: str) -> str:
    """A text without code, headings, list marks and bold type."""
    return _MARKS.sub("", _without_code(text)).replace("**", "")


def _without_code(text: str) -> str:
    return "\n".join(lines_outside_code(text.splitlines()))
