"""Find secrets that sentences, dialogues and calls announce: credentials, recovery phrases, answers."""

from __future__ import annotations

from rum.redact.secret_plausibility import (
    PROSE,
    QUOTED,
    TooMany,
    as_words,
    compiled,
    is_chosen,
    is_plausible,
    is_random,
    is_seed,
    most_looked_at,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# `admin / password` or `admin:password` after a word about logging in.
_CREDENTIALS = (
    r"[a-z]{0,9}\b[^\n]{0,48}?[\s>\"'(`:=]([\w.@+\\-]{2,60}+)(?: ?/ |[:/]| \| | - )[\"'`]?([^\s\"'`/]{5,64})"
)
_CREDENTIAL_PHRASES = {
    "cred": "credentials credential creds cred",
    "login": "login logins",
    "log in": "log",
    "logon": "logon",
    "logged in": "logged",
    "sign in": "sign",
    "account": "account accounts",
    "username": "username",
}

_SEED_NAME = (
    r"(?:seed|recovery|secret|backup|wallet|word)[\w -]{0,20}(?:phrase|words?)\b|mnemonic|bip-?39|wallet"
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

# A call that takes user and password one after the other: from the word in its name, all its texts.
_CALL = (
    r"(?!or(?:s|ed|ity)?\b)\w{0,16}(?:=| = |\\?[\"']: ?|: )?[(\[][^()\n\"']{0,40}"
    r"((?:([\"'])[^\"'\n]{1,200}\2,?\s{0,20}(?:Some\()?){2,5}+)"
)
_TEXT = r"([\"'])([^\"'\n]{1,200})\1"
_CALL_PHRASES = {
    "auth": "auth basicauth httpbasicauth setbasicauth authenticate",
    "login": "login",
    "cred": "credentials credential networkcredential setcredentials usernamepasswordcredentials",
    "connect": "connect getconnection",
    "mysqli": "mysqli",
    "pdo": "pdo",
    "_user": "user",
    "createuser": "createuser",
    "adduser": "adduser",
}

# A call with a key or a password: from the word in its name to the value.
_KEYED = r"[\w.]{0,16}\((?:[^\n\"'()]{1,80}, ?|[\"'][\w-]{1,20}[\"'], ?)?b?[\"']([^\"'\n]{6,100})[\"']"
_KEYED_PHRASES = {
    "jwt.": "jwt",
    "hmac": "hmac createhmac",
    "fernet(": "fernet",
    "hashpw(": "hashpw",
    "crypt.hash": "bcrypt crypt",
    "password_hash": "hash",
    "hash_password": "hash",
    "hashpassword": "hashpassword",
    "_password(": "password",
    "setpassword(": "setpassword",
}

# Text typed into a field for passwords.
_TYPED = (
    r"(?i)ass(?:word|wd|phrase)[\w\"'\])\s-]{0,12}"
    r"(?:\)?\.(?:type|fill|send_?keys|settext|set_?value|val|press_?sequentially|entertext)\("
    r"|, ?(?:with: ?|text: ?)?)"
    r"[\"']([^\"'\n]{3,80})[\"']"
)

# Passwords in other languages: what follows their name, and the value.
_FOREIGN = (
    r"[^\n:：=]{0,30}?(?:\s?[:：=]\s?|是|は| (?:ist|est|es|é|is|to|jest|je|är|er|это)(?: jetzt)?:? | — | - )"
    r"[\"'`«]?([^\s\"'`»，。]{5,64})"
)
_FOREIGN_PHRASES = {
    "mot de passe": "passe",
    **{word: word for word in ("contraseña", "contrasena", "senha", "wachtwoord", "lösenord", "jelszó")},
    **{word: word for word in ("kennwort", "passwort", "hasło", "şifre", "пароль")},
    **dict.fromkeys(("密码", "密碼", "パスワード", "비밀번호"), ""),
}

# Codes to get back into an account, one after another.
_CODES = (
    r"s?\b[^\n]{0,40}[:\n]((?:\s{0,8}(?:[-*] |[0-9]{1,2}[.)] )?[`\"']?"
    r"[A-Za-z0-9]{4,10}(?:[- ]?[A-Za-z0-9]{4,10}){1,4}[`\"']?,?(?=\s|\Z)){2,20})"
)
_CODE_PHRASES = {"recovery code": "recovery", "backup code": "backup", "2fa code": "fa"}


_PROMPTED = "password passwd passphrase assword passcode"
_PROMPTS = {"assw": "", "assph": ""}
_ANSWER = "send sendline sendkeys write writeline respond keys type fill with val set value settext text"


def find_in_prose(text: str, lower: str, words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret that others announce; `words` are those of the text."""

    def has(some: str) -> bool:
        return not as_words(some).isdisjoint(words)

    for match in _after(_CREDENTIAL_PHRASES, _CREDENTIALS, text, lower, words):
        value = match[2].rstrip(".,;:)]}")
        if is_chosen(value) and not compiled(r"://|/[a-z-]+#[0-9]+\Z").search(match[0]):
            yield match.start(2), match.start(2) + len(value), "password"
    if has("mnemonic wallet bip") or (has("phrase word words") and has("seed recovery backup secret")):
        yield from _seeds(text, lower)
    if has(_PROMPTED) and has(_ANSWER):
        for match in _after(_PROMPTS, _ASKED, text, lower, words):
            if is_plausible("password", match[2], QUOTED):
                yield *match.span(2), "password"
        for match in _after(_PROMPTS, _TYPED, text, lower, words):
            if is_chosen(match[1]):
                yield *match.span(1), "password"
    for call in _after(_CALL_PHRASES, _CALL, text, lower, words):
        for match in list(compiled(_TEXT).finditer(text, *call.span(1)))[1:]:
            if _is_credential(match[2]):
                yield *match.span(2), "password"
    for match in _after(_KEYED_PHRASES, _KEYED, text, lower, words):
        if is_chosen(match[1]) or is_random(match[1], 16):
            yield *match.span(1), "secret"
    for match in _after(_FOREIGN_PHRASES, _FOREIGN, text, lower, words):
        value = match[1].rstrip(".,;)")
        if is_plausible("password", value, PROSE):
            yield match.start(1), match.start(1) + len(value), "password"
    for match in _after(_CODE_PHRASES, _CODES, text, lower, words):
        if compiled("[0-9]").search(match[1]):
            yield *match.span(1), "recovery-codes"


def _is_credential(value: str) -> bool:
    return is_chosen(value) or (is_random(value, 12) and not compiled(r"://|\s|^[\w.-]+[@:/]").search(value))


def _after(
    phrases: dict[str, str], source: str, text: str, lower: str, words: frozenset[bytes]
) -> Iterator[re.Match[str]]:
    """Every match of the pattern right after a phrase that goes with words of the text.

    `ass` is a part of the pattern.
    """
    tried, most = 0, most_looked_at(text)
    for phrase, needed in phrases.items():
        at = lower.find(phrase) if not needed or not as_words(needed).isdisjoint(words) else -1
        while at >= 0:
            tried += 1
            if tried > most:
                raise TooMany(at)
            match = compiled(source).match(text, at if phrase.startswith("ass") else at + len(phrase))
            if match:
                tried += 11  # a match is judged
                yield match
            at = lower.find(phrase, at + len(phrase))


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
