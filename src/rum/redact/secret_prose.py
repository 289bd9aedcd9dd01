"""Find secrets that sentences, dialogues and calls announce: credentials, recovery phrases, answers to prompts."""

from __future__ import annotations

from rum.redact.secret_plausibility import (
    MOST_JUDGED,
    PROSE,
    QUOTED,
    UNSEARCHED,
    compiled,
    is_chosen,
    is_plausible,
    is_random,
    is_seed,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# `admin / password` or `admin:password` after a word about logging in.
_CREDENTIALS = (
    r"(?:credentials?|creds|log(?:ged|ging)? ?in|log ?on|sign(?:ed)? ?in|accounts?|users?(?:name)?|auth)\b"
    r"[^\n]{0,48}?[\s>\"'(`:=]([\w.@+\\-]{2,60})(?: ?/ |[:/]| \| | with | - )"
    r"[\"'`]?([^\s\"'`/]{5,64})"
)
_CREDENTIAL_WORDS = ("cred", "login", "log in", "logon", "sign in", "signin", "account", "user", "auth", "logged in")

_SEED_WORDS = ("phrase", "mnemonic", "seed word", "recovery word", "bip39", "bip-39", "bip 39", "wallet", "backup word")
_WORD = r"(?:\(?[0-9]{1,2}[.):]{0,2}[ \t]{0,3})?[\"']?[a-z]{3,8}\b[\"']?"
_SEED = rf"(?<![\w'-])(?:{_WORD}(?:[ \t]{{0,2}},)?\s{{1,6}}|{_WORD},){{11,23}}{_WORD}"
_MOST_SEEDS = 200

# A prompt for a password, and what a script sends or a person types next.
_ASKED = (
    r"(?i)(?:assword|assphrase|passwd|passcode|\bpin)\b[^\n\"']{0,40}[\"'*]{0,2}[\s:;,{)\]}]{0,20}"
    r"(?:\w{1,20}[.\]]){0,2}(?:\w{0,20}\.)?(?:exp_)?(?:send_?(?:line|keys)?|write(?:line)?|respond)\b[\s(]{1,3}(?:-\w* ?|-- ?|\w, ?){0,2}"
    r"(?:[bfr]?\\?([\"']))([^\"'\n]{3,100}?)(?:\\?[rn])*\s?\\?\1"
)

# A call that takes user and password one after the other.
_CALLS = (
    r"(?:(?:basic_?auth|http_?basic_?auth|auth|login|log_in|sign_?in|authenticate|credentials?|connect|getconnection"
    r"|set_?auth|set_?basic_?auth|create_?user|create_?superuser|add_?user|register|mysqli|pdo|setcredentials"
    r"|with_?credentials|with_?basic_?auth|with_?auth|login_?as)"
    r"(?:=| = |\": ?|: )?|\bhttpbasicauth|credentials?|networkcredential)[(\[]"
)
_ARGUMENTS = r"[^()\n\"']{0,40}(?:([\"'])[^\"'\n]{1,200}\1,\s{0,20}){1,3}(?:some\()?\s{0,20}([\"'])([^\"'\n]{3,100})\2"
_CALL_WORDS = ("auth", "login", "sign", "cred", "connect", "mysqli", "pdo(", "user(", "register(")

# The calls whose one text or last text is a key.
_KEYED = (
    r"(?i)(?:jwt\.(?:sign|verify|encode|decode)\([^\n\"']{1,80}, ?|createhmac\([\"'][\w-]+[\"'], ?|hmac\.new\(b?|fernet\(b?"
    r"|(?:generate_password_hash|hashpw|hash_?password|make_password|password_hash|bcrypt\.hash(?:sync)?|check_password"
    r"|set_?password|argon2\.hash|setpassword|walletpassphrase|unlock)\(b?)[\"']([^\"'\n]{6,100})[\"']"
)
_KEYED_WORDS = ("jwt.", "hmac", "fernet(", "hash", "passw")

# Text typed into a field for passwords.
_TYPED = (
    r"(?i)[#\"'\[=.(](?:\w*[_-]?)?(?:password|passwd|pwd|passphrase)[\w\"'\])\s-]{0,12}"
    r"(?:\)?\.(?:type|fill|send_?keys|sendkeys|settext|set_?value|setvalue|val|press_?sequentially|entertext)\(|, ?(?:with: ?|text: ?)?)"
    r"[\"']([^\"'\n]{3,80})[\"']"
)

# Passwords in other languages: what announces them, and the value.
_FOREIGN = (
    r"(?i)(?:mot de passe|contraseña|contrasena|senha|wachtwoord|lösenord|hasło|haslo|heslo|jelszó|şifre|parola|adgangskode"
    r"|salasana|пароль|密码|密碼|パスワード|비밀번호|kennwort|passwort|код доступа|lozinka)"
    r"[^\n:：=]{0,30}?(?:\s?[:：=]\s?|是|は| ist(?: jetzt)?:? | est:? | es:? | é:? | is:? | to:? | — | - )[\"'`«]?([^\s\"'`»，。]{5,64})"
)
_FOREIGN_WORDS = (
    *("mot de passe", "contrase", "senha", "wachtwoord", "lösenord", "hasło", "haslo", "heslo", "jelszó", "şifre", "parola"),
    *("adgangskode", "salasana", "пароль", "密码", "密碼", "パスワード", "비밀번호", "kennwort", "passwort", "код доступа", "lozinka"),
)

# Codes to get back into an account, one after another.
_CODES = r"(?i)(?:recovery|backup|scratch|2fa|emergency) codes?\b[^\n]{0,40}[:\n]((?:\s{0,8}(?:[-*] |[0-9]{1,2}[.)] )?[`\"']?[A-Za-z0-9]{4,10}(?:[- ]?[A-Za-z0-9]{4,10}){1,4}[`\"']?,?(?=\s|\Z)){2,20})"

_COMMON = frozenset(("content-type", "utf-8"))


def find_in_prose(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret that the words around it announce."""
    if any(word in lower for word in _CREDENTIAL_WORDS):
        yield from _in_credentials(text, lower)
    for word in _SEED_WORDS:
        if word in lower:
            yield from _seeds_after(text, lower, word)
    if "assw" in lower or "assp" in lower or "pin" in lower:
        if "send" in lower or "write" in lower:
            for match in compiled(_ASKED).finditer(text):
                if is_plausible("password", match[2], QUOTED):
                    yield *match.span(2), "password"
        if ".type(" in text or "fill" in lower or "send" in lower or "with:" in text or "set" in lower:
            for match in compiled(_TYPED).finditer(text):
                if is_chosen(match[1]):
                    yield *match.span(1), "password"
    if any(word in lower for word in _CALL_WORDS):
        yield from _in_calls(text, lower)
    if any(word in lower for word in _KEYED_WORDS):
        for match in compiled(_KEYED).finditer(text):
            if is_chosen(match[1]) or is_random(match[1], 16):
                yield *match.span(1), "secret"
    if any(word in lower for word in _FOREIGN_WORDS):
        for match in compiled(_FOREIGN).finditer(text):
            value = match[1].rstrip(".,;)")
            if is_plausible("password", value, PROSE):
                yield match.start(1), match.start(1) + len(value), "password"
    if " code" in lower:
        for match in compiled(_CODES).finditer(text):
            if compiled("[0-9]").search(match[1]):
                yield *match.span(1), "recovery-codes"


def _in_credentials(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    judged = 0
    for match in compiled(_CREDENTIALS).finditer(lower):
        judged += 1
        if judged > MOST_JUDGED:
            yield match.start(), len(text), UNSEARCHED
            return
        value = text[match.start(2) : match.end(2)].rstrip(".,;:)]}")
        if is_chosen(value) and "://" not in match[0] and match[1] not in _COMMON:
            yield match.start(2), match.start(2) + len(value), "password"


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


def _in_calls(text: str, lower: str) -> Iterator[tuple[int, int, str]]:
    for call in compiled(_CALLS).finditer(lower):
        match = compiled(_ARGUMENTS).match(text, call.end())
        if match and (is_chosen(match[3]) or is_random(match[3], 12)):
            yield *match.span(3), "password"
