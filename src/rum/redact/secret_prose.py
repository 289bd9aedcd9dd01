"""Find secrets that sentences, dialogues and calls announce: credentials, recovery phrases, answers to prompts."""

from __future__ import annotations

from rum.redact.secret_plausibility import (
    MOST_JUDGED,
    PROSE,
    QUOTED,
    compiled,
    is_chosen,
    is_plausible,
    is_random,
    is_seed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# `admin / password` or `admin:password` after a word about logging in.
_CREDENTIALS = (
    r"[a-z]{0,9}\b[^\n]{0,48}?[\s>\"'(`:=]([\w.@+\\-]{2,60}+)(?: ?/ |[:/]| \| | - )[\"'`]?([^\s\"'`/]{5,64})"
)
_CREDENTIAL_WORDS = ("cred", "login", "log in", "logon", "logged in", "sign in", "account", "username")

_SEED_WORDS = ("phrase", "mnemonic", "seed word", "recovery word", "bip39", "bip-39", "wallet")
_WORD = r"(?:\(?[0-9]{1,2}[.):]{0,2}[ \t]{0,3})?[\"']?[a-z]{3,8}\b[\"']?"
_SEED = rf"(?<![\w'-])(?:{_WORD}(?:[ \t]{{0,2}},)?\s{{1,6}}|{_WORD},){{11,23}}{_WORD}"
_MOST_SEEDS = 200

# A prompt for a password, and what a script sends next.
_ASKED = (
    r"(?i)ass(?:word|phrase|wd|code)\b[^\n\"']{0,40}[\"'*]{0,2}[\s:;,{)\]}]{0,20}"
    r"(?:\w{1,20}[.\]]){0,2}(?:exp_)?(?:send_?(?:line|keys)?|write(?:line)?|respond)\b[\s(]{1,3}(?:-\w{0,9} ?|-- ?|\w, ?){0,2}"
    r"(?:[bfr]?\\?([\"']))([^\"'\n]{3,100}?)(?:\\?[rn])*\s?\\?\1"
)

# A call that takes user and password one after the other: from the word in its name to the password.
_CALL = (
    r"\w{0,16}(?:=| = |\\?[\"']: ?|: )?[(\[][^()\n\"']{0,40}(?:([\"'])[^\"'\n]{1,200}\1,\s{0,20}){1,3}"
    r"(?:Some\()?([\"'])([^\"'\n]{3,100})\2"
)
_CALL_WORDS = ("auth", "login", "cred", "connect", "mysqli(", "pdo(", "user(")

# A call with a key or a password: from the word in its name to the value.
_KEYED = r"(?:sign|verify|encode|decode)?\w{0,12}\((?:[^\n\"'()]{1,80}, ?|[\"'][\w-]{1,20}[\"'], ?)?b?[\"']([^\"'\n]{6,100})[\"']"
_KEYED_WORDS = ("jwt.", "hmac", "fernet(", "hashpw(", "crypt.hash")
_KEYED_PASSWORDS = (
    "password_hash",
    "hash_password",
    "hashpassword",
    "make_password",
    "_password(",
    "setpassword(",
)

# Text typed into a field for passwords.
_TYPED = (
    r"(?i)ass(?:word|wd|phrase)[\w\"'\])\s-]{0,12}"
    r"(?:\)?\.(?:type|fill|send_?keys|sendkeys|settext|set_?value|setvalue|val|press_?sequentially|entertext)\(|, ?(?:with: ?|text: ?)?)"
    r"[\"']([^\"'\n]{3,80})[\"']"
)

# Passwords in other languages: what follows their name, and the value.
_FOREIGN = (
    r"[^\n:：=]{0,30}?(?:\s?[:：=]\s?|是|は| (?:ist|est|es|é|is|to|jest|je|är|er|это)(?: jetzt)?:? | — | - )"
    r"[\"'`«]?([^\s\"'`»，。]{5,64})"
)
_FOREIGN_WORDS = (
    *(
        "mot de passe",
        "contraseña",
        "senha",
        "wachtwoord",
        "lösenord",
        "hasło",
        "jelszó",
        "şifre",
        "kennwort",
    ),
    *("пароль", "密码", "密碼", "パスワード", "비밀번호", "passwort"),
)

# Codes to get back into an account, one after another.
_CODES = (
    r"s?\b[^\n]{0,40}[:\n]((?:\s{0,8}(?:[-*] |[0-9]{1,2}[.)] )?[`\"']?[A-Za-z0-9]{4,10}(?:[- ]?[A-Za-z0-9]{4,10}){1,4}"
    r"[`\"']?,?(?=\s|\Z)){2,20})"
)
_CODE_WORDS = ("recovery code", "backup code", "2fa code")


def find_in_prose(text: str, lower: str, words: frozenset[str]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret that others announce; `words` are those of `WORDS` in the text."""
    for match in _after(_CREDENTIAL_WORDS, _CREDENTIALS, text, lower):
        value = match[2].rstrip(".,;:)]}")
        if is_chosen(value) and "://" not in match[0]:
            yield match.start(2), match.start(2) + len(value), "password"
    for word in _SEED_WORDS:
        if word in lower:
            yield from _seeds_after(text, lower, word)
    if "pass" in words or "assword" in text:
        for match in _after(("assw", "assph"), _ASKED, text, lower):
            if is_plausible("password", match[2], QUOTED):
                yield *match.span(2), "password"
        for match in _after(("assw", "assph"), _TYPED, text, lower):
            if is_chosen(match[1]):
                yield *match.span(1), "password"
    for match in _after(_CALL_WORDS, _CALL, text, lower):
        if is_chosen(match[3]) or is_random(match[3], 12):
            yield *match.span(3), "password"
    keyed = _KEYED_WORDS + _KEYED_PASSWORDS if "pass" in words else _KEYED_WORDS
    for match in _after(keyed, _KEYED, text, lower):
        if is_chosen(match[1]) or is_random(match[1], 16):
            yield *match.span(1), "secret"
    for match in _after(_FOREIGN_WORDS, _FOREIGN, text, lower):
        value = match[1].rstrip(".,;)")
        if is_plausible("password", value, PROSE):
            yield match.start(1), match.start(1) + len(value), "password"
    for match in _after(_CODE_WORDS, _CODES, text, lower):
        if compiled("[0-9]").search(match[1]):
            yield *match.span(1), "recovery-codes"


def _after(words: tuple[str, ...], source: str, text: str, lower: str) -> Iterator[re.Match[str]]:
    """Every match of the pattern right at one of the words; at most so many are tried."""
    pattern = None
    tried = 0
    for word in words:
        at = lower.find(word)
        if at >= 0 and pattern is None:
            pattern = compiled(source)
        while at >= 0 and pattern:
            tried += 1
            if tried > MOST_JUDGED:
                return
            match = pattern.match(text, at if word.startswith("ass") else at + len(word))
            if match:
                yield match
            at = lower.find(word, match.end() if match else at + len(word))


def _seeds_after(text: str, lower: str, word: str) -> Iterator[tuple[int, int, str]]:
    at = lower.find(word)
    for _ in range(_MOST_SEEDS):
        if at < 0:
            return
        match = compiled(_SEED).search(text, at + len(word), at + 500)
        if match and match.start() < at + 120 and is_seed(match[0]):
            yield *match.span(), "seed-phrase"
            at = match.end()
        at = lower.find(word, at + 1)
