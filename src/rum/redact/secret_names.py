"""Which names announce a secret: `DB_PASSWORD`, `clientSecret`, `x-api-key`, but not `max_tokens`."""

from __future__ import annotations

from functools import lru_cache

from rum.redact.secret_plausibility import MARK, words_of
from rum.text.lexicon import word_set

# Every name that announces a secret contains one of these, in lower case.
STEMS = ("pass", "pwd", "secret", "token", "key", "auth", "cred", "mnemonic", "phrase")

_PASSWORDS = frozenset(("password", "passwd", "passphrase", "passcode", "pwd", "passwort", "pswd"))

# Words after the noun that do not change its meaning: SECRET_KEY_BASE, password_confirmation, API_KEY_PROD.
_SUFFIXES = word_set(
    """
    again base confirm confirmation dev live local plain plaintext prod production raw repeat staging
    string test v value
    """
)

# First words that make the name a flag, a count, a function or a message about a secret.
_PREFIXES = word_set(
    """
    allow ask bad change check count disable empty enable expired forgot forgotten generate get has hash
    hide if invalid is max min missing n need needs no not num prompt require required requires reset
    show skip total update use validate verify with without wrong
    """
)

# A short `pass` or `pw` is a password only after one of these words.
_PASS_OF = word_set(
    """
    account admin api app auth basic bind client database db default docker email ftp http imap jenkins
    key keystore ldap login mail master mongo mongodb my mysql pg postgres proxy rabbitmq redis registry
    root server service sftp smtp ssh sudo truststore user vault wifi
    """
)

# Tokens of parsers, models, paging and concurrency.
_TOKEN_NOT_OF = word_set(
    """
    bos cancel cancellation cls continuation current cursor delimiter design end eos first identifier
    keyword last lexer lookahead mask next operator pad page pagination peek prev previous punctuation
    sep special start stop string sync syntax unk word
    """
)

_KEY_OF = word_set(
    """
    access account admin aes algolia anthropic api app application auth aws azure client cohere consumer
    cookie datadog dd deploy encrypt encryption firebase functions gcp gemini github gitlab google groq
    hmac integration license machine mailgun master mistral newrelic openai pinecone private project
    replicate rsa secret sendgrid server service session shared sign signing slack ssh storage stripe
    subscription supabase symmetric telegram twilio webhook wireguard write
    """
)

_COMPOUNDS = (
    ("password", ("password", "passwd", "passphrase", "pwd")),
    ("secret", ("secret",)),
    ("token", ("token",)),
    (
        "api-key",
        tuple(f"{of}key" for of in ("api", "secret", "access", "private", "auth", "account", "master")),
    ),
    ("api-key", tuple(f"{of}key" for of in ("signing", "encryption", "subscription", "license"))),
)


@lru_cache(maxsize=2048)
def kind_of_name(name: str) -> str | None:
    """The kind of secret that this name announces, if any."""
    if len(name) > 100 or MARK in name:
        return None
    words = [word for word in words_of(name) if not word.isdigit()]
    while len(words) > 1 and words[-1] in _SUFFIXES:
        words.pop()
    if not words or (len(words) > 1 and words[0] in _PREFIXES):
        return None
    return _kind_of_noun(words[-1], words[-2] if len(words) > 1 else "", words)


def _kind_of_noun(noun: str, of: str, words: list[str]) -> str | None:
    if noun in _PASSWORDS or (noun in ("pass", "pw") and of in _PASS_OF):
        return "password"
    if noun == "key":
        if of == "secret":
            return "secret"
        return ("aws-key" if "aws" in words else "api-key") if of in _KEY_OF else None
    if noun == "token":
        return None if of in _TOKEN_NOT_OF else "token"
    if noun == "secret" or (noun == "id" and of == "secret"):
        return "secret"
    if noun in ("credential", "credentials", "creds"):
        return "credential"
    if noun == "auth":
        return "basic-auth"
    if noun == "authorization":
        return "authorization"
    if noun == "mnemonic" or (noun == "phrase" and of in ("seed", "recovery", "pass")):
        return "seed-phrase"
    return _kind_of_compound(noun)


def _kind_of_compound(noun: str) -> str | None:
    for kind, endings in _COMPOUNDS:
        if noun.endswith(endings):
            return kind
    if noun.endswith(("pass", "pw")):
        return "password" if noun.removesuffix("pass").removesuffix("pw") in _PASS_OF else None
    return None
