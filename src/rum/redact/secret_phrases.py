"""Find secrets of several words or lines: recovery phrases, codes, groups of characters, columns."""

from __future__ import annotations

from rum.redact.secret_plausibility import (
    LINE,
    Budget,
    as_words,
    compiled,
    is_code,
    is_plausible,
    is_seed,
    limited,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SEED_NAME = (
    r"(?:seed|recovery|secret|backup|wallet|word|1[258]|2[14])[\w -]{0,20}(?:phrase|words?)\b"
    r"|mnemonic|bip-?39|wallet|\bseed\b|metamask|ledger|trezor|phantom|keygen|paper ?key|slip-?39"
)
_WORD = r"(?:\(?[0-9]{1,2}[.):]{0,2}[ \t]{0,3})?[\"']?[a-z]{3,8}\b[\"']?"
_SEED_REACH = 400  # Characters from the announcement to the end of the last word
_SEED = rf"(?<![\w'-])(?:{_WORD}(?:[ \t]{{0,2}},)?\s{{1,6}}|{_WORD},){{11,23}}{_WORD}"

# Codes to get back into an account, one after another.
_CODES = (
    r"(?i)\b(?:recovery|backup|2fa|mfa|scratch|emergency|rescue)[ _-]?(?:codes?|keys?)\b"
    r"[^\n\[]{0,40}?[:=\[\n ]"
    r"((?:[\s\[]{0,8}(?:[-*] |[0-9]{1,2}[.)] )?[`\"']?"
    r"[a-z0-9]{4,80}+(?:[- ][a-z0-9]{4,80}+){0,7}[`\"']?,?(?=[\s\]]|\Z)){2,20})"
)
_ONE_CODE = (
    r"(?i)\b(?:recovery|backup|2fa|mfa|scratch|emergency|rescue) (?:codes?|keys?|recovery)\b"
    r"[^\n]{0,30}?[: ][`\"']?"
    r"((?=[a-z-]{0,20}[0-9])[a-z0-9]{4,10}(?:-[a-z0-9]{4,10}){1,8}"
    r"|(?=[a-z]{0,20}[0-9])(?=[0-9]{0,20}[a-z])[a-z0-9]{8,32})"
    r"(?=[\s`\"'.,]|\Z)"
)
# Four or more groups of characters: the password of an application, the key of a licence, a one-time secret.
_GROUPED = (
    r"(?! ?fingerprint)[^\n]{0,48}?(?<![A-Za-z0-9-])(?P<groups>(?:[a-z0-9]{4}(?: [a-z0-9]{4}){3,15}"
    r"|[A-Za-z0-9]{4}(?: [A-Za-z0-9]{4}){5}|[A-Z0-9]{4}(?: [A-Z0-9]{4}){3,15}"
    r"|[A-Z0-9]{4,7}(?:-[A-Z0-9]{4,7}){3,8}))(?![\w ][\w-]{2})"
)
_MAY_BE_GROUPED = r"\w{4} \w{4} \w{4} \w{4}|[A-Z0-9]{4,7}-[A-Z0-9]{4,7}-[A-Z0-9]{4,7}-"
_GROUP_NAMES = ("assw", "user", "code", "licen", "key", "serial", "otp", "mfa", "2fa", "secret")
# The first line of a table, with a column of passwords.
_CELL = r"[ ]?[A-Za-z][\w-]{0,24}(?: [\w-]{1,16}){0,2}"
_COLUMNS = rf"[ \t]*[|]?{_CELL}(?:(?:[ ]?[|]|\t|,|;){_CELL}){{1,12}}[ |\r]*"
_COLUMN = ("passw", "pwd", "secret", "token", "api key", "api_key", "apikey")


def find_phrases(text: str, lower: str, words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret of several words or lines; `words` are those of the text."""

    def has(some: str) -> bool:
        return not as_words(some).isdisjoint(words)

    if has("mnemonic wallet bip seed metamask ledger trezor phantom keygen paperkey slip39") or (
        has("phrase word words") and has("seed recovery backup secret words")
    ):
        yield from _seeds(text, lower)
    yield from _quoted_seeds(text)
    if has("recovery backup 2fa mfa scratch emergency rescue backupcodes recoverycodes"):
        for source in (_CODES, _ONE_CODE):
            for match in limited(compiled(source).finditer(text)):
                if compiled("[0-9]").search(match[1]):
                    yield *match.span(1), "recovery-codes"
    looked = Budget(text, 4)
    for name in _GROUP_NAMES:
        at = lower.find(name)
        while at >= 0:
            looked.spend(at)
            at += len(name)
            may = text.count(" ", at, at + 60) > 2 or text.count("-", at, at + 60) > 2
            if may and compiled(_MAY_BE_GROUPED).search(text, at, at + 80):
                match = compiled(_GROUPED).match(text, at)
                groups = match["groups"] if match else ""
                if match and (
                    name == "assw" or len(compiled(r"[A-Za-z]*[0-9]\w*").findall(groups)) > (" " in groups)
                ):
                    yield *match.span("groups"), "password"
            at = lower.find(name, at)
    if "\n" in text and has("password passwd pwd secret token passwords key"):
        yield from _in_columns(text, lower)


def _quoted_seeds(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield quoted texts that are nothing but the words of a recovery phrase."""
    for quote in "\"'`":
        before, *parts = text.split(quote)
        at = len(before) + 1
        for part in parts[:-1]:
            words = part.count(" ") + 1
            may = 11 < words < 25 and len(part) < 9 * words
            if may and compiled("[a-z]+(?: [a-z]+)+").fullmatch(part) and is_seed(part):
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


def _in_columns(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield the cells of a column whose first line names a secret."""
    judged, looked = Budget(text), Budget(text, 4)
    done = -1
    for name in _COLUMN:
        at = lower.find(name)
        while at >= 0:
            looked.spend(at)
            start = text.rfind("\n", max(0, at - 200), at) + 1
            stop = text.find("\n", at, at + 200)
            at = lower.find(name, at + len(name))
            separator = next((sign for sign in "|\t,;" if sign in text[start:stop]), "")
            if (
                start <= done
                or stop < 0
                or not separator
                or not compiled(_COLUMNS).fullmatch(text, start, stop)
            ):
                continue
            done = start
            names = lower[start:stop].split(separator)
            columns = [number for number, cell in enumerate(names) if any(word in cell for word in _COLUMN)]
            for _ in range(30):
                start, stop = stop + 1, text.find("\n", stop + 1, stop + 400)
                stop = stop if stop >= 0 else min(len(text), start + 400)
                cells = text[start:stop].split(separator)
                if len(cells) != len(names):
                    break
                for number in columns:
                    value = cells[number].strip(" `\"'\r")
                    judged.spend(start)
                    if " " not in value and is_plausible("password", value, LINE) and not is_code(value):
                        first = start + sum(map(len, cells[:number])) + number + cells[number].index(value)
                        yield first, first + len(value), "password"
