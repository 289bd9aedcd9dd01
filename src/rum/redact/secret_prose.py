"""Find secrets that sentences, dialogues and calls announce: credentials, recovery phrases, answers."""

from __future__ import annotations

from rum.redact.secret_plausibility import (
    QUOTED,
    Budget,
    as_words,
    compiled,
    is_chosen,
    is_plausible,
    is_random,
    is_seed,
    looking,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# `admin / password` or `admin:password` after a word about logging in.
_CREDENTIALS = (
    r"[a-z]{0,9}\b[^\n]{0,48}?[\s>\"'(`:=]([\w.@+\\-]{2,60}+)(?: ?/ |[:/]| \| | - )[\"'`]?([^\s\"'`/]{5,64})"
)
_CREDENTIAL_PHRASES = {"login": "login logins", "log in": "log", "logging in": "logging"}

_SEED_NAME = (
    r"(?:seed|recovery|secret|backup|wallet|word|1[258]|2[14])[\w -]{0,20}(?:phrase|words?)\b"
    r"|mnemonic|bip-?39|wallet|\bseed\b"
)
_WORD = r"(?:\(?[0-9]{1,2}[.):]{0,2}[ \t]{0,3})?[\"']?[a-z]{3,8}\b[\"']?"
_SEED_REACH = 400  # Characters from the announcement to the end of the last word
_SEED = rf"(?<![\w'-])(?:{_WORD}(?:[ \t]{{0,2}},)?\s{{1,6}}|{_WORD},){{11,23}}{_WORD}"

# A prompt for a password, and what a script sends next.
_ASKED = (
    r"(?i)ass(?:word|phrase|wd|code)\b[^\n\"']{0,40}[\"'*]{0,2}[\s:;,{)\]}]{0,20}"
    r"(?:\w{1,20}[.\]]){0,2}(?:exp_)?(?:send_?(?:line|keys)?|write(?:line)?|respond)\b"
    r"[\s(]{1,3}(?:-\w{0,9} ?|-- ?|\w, ?){0,2}"
    r"(?:[bfr]?\\?([\"']))([^\"'\n]{3,100}?)(?:\\?[rn])*\s?\\?\1"
)

# Codes to get back into an account, one after another.
_CODES = (
    r"s?\b[^\n]{0,40}[:\n]((?:\s{0,8}(?:[-*] |[0-9]{1,2}[.)] )?[`\"']?"
    r"[A-Za-z0-9]{4,10}(?:[- ]?[A-Za-z0-9]{4,10}){1,4}[`\"']?,?(?=\s|\Z)){2,20})"
)
_CODE_PHRASES = {"recovery code": "recovery", "backup code": "backup", "2fa code": "fa"}


_PROMPTS = {"assw": "", "assph": ""}
_ANSWERS = as_words("send sendline sendkeys sendlines write writeline respond exp")


def find_in_prose(text: str, lower: str, words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret that others announce; `words` are those of the text."""

    def has(some: str) -> bool:
        return not as_words(some).isdisjoint(words)

    for match in _after(_CREDENTIAL_PHRASES, _CREDENTIALS, text, lower, words):
        value = match[2].rstrip(".,;:)]}")
        if is_chosen(value) and not compiled(r"://|/[a-z-]+#[0-9]+\Z").search(match[0]):
            yield match.start(2), match.start(2) + len(value), "password"
    if has("mnemonic wallet bip seed") or (
        has("phrase word words") and has("seed recovery backup secret words")
    ):
        yield from _seeds(text, lower)
    yield from _quoted_seeds(text)
    if not _ANSWERS.isdisjoint(words):
        for match in _after(_PROMPTS, _ASKED, text, lower, words):
            if is_plausible("password", match[2], QUOTED):
                yield *match.span(2), "password"
    if "tochararray" in lower:
        for match in compiled(r"\"([^\"\s]{6,100})\"\.toCharArray\(").finditer(text):
            if is_chosen(match[1]) or is_random(match[1], 12):
                yield *match.span(1), "password"
    for match in _after(_CODE_PHRASES, _CODES, text, lower, words):
        if compiled("[0-9]").search(match[1]):
            yield *match.span(1), "recovery-codes"


def _after(
    phrases: dict[str, str], source: str, text: str, lower: str, words: frozenset[bytes]
) -> Iterator[re.Match[str]]:
    """Every match of the pattern right after a phrase that goes with words of the text.

    `ass` is a part of the pattern.
    """
    looked, judged = looking(text), Budget(text)
    for phrase, needed in phrases.items():
        at = lower.find(phrase) if not needed or not as_words(needed).isdisjoint(words) else -1
        while at >= 0:
            looked.spend(at)
            match = compiled(source).match(text, at if phrase.startswith("ass") else at + len(phrase))
            if match:
                judged.spend(at)
                yield match
            at = lower.find(phrase, at + len(phrase))


def _quoted_seeds(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield quoted texts that are nothing but the words of a recovery phrase."""
    for quote in "\"'`":
        before, *parts = text.split(quote)
        at = len(before) + 1
        for part in parts[:-1]:
            words = part.count(" ") + 1
            if (
                11 < words < 25
                and len(part) < 9 * words
                and compiled("[a-z]+(?: [a-z]+)+").fullmatch(part)
                and is_seed(part)
            ):
                yield at, at + len(part), "seed-phrase"
            at += len(part) + 1


def _seeds(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield runs of words soon after something that calls them a recovery phrase."""
    regions: list[tuple[int, int]] = []
    for hit in compiled(_SEED_NAME).finditer(lower):
        if regions and hit.end() <= regions[-1][1]:
            regions[-1] = regions[-1][0], hit.end() + _SEED_REACH
        else:
            regions.append((hit.end(), hit.end() + _SEED_REACH))
    for region in regions:
        for match in compiled(_SEED).finditer(text, *region):
            if is_seed(match[0]):
                yield *match.span(), "seed-phrase"
