"""Decide whether a value is a plausible secret, or a placeholder, a reference or plain words."""

from __future__ import annotations

import codecs
import re
from functools import cache, lru_cache

from rum.text.lexicon import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@cache
def compiled(source: str) -> re.Pattern[str]:
    """Compile a pattern at its first use: most texts need few of them, and importing must stay cheap."""
    return re.compile(source)


@cache
def as_words(words: str) -> frozenset[bytes]:
    """Words as `words_in` returns them."""
    return frozenset(words.encode().split())


_LETTERS = bytes(code if chr(code).isalpha() or code > 127 else 32 for code in range(256))


def words_in(lower: str) -> frozenset[bytes]:
    """All words of a lower-case text, in one pass: rules for rare words need not search for each of them."""
    return frozenset(lower.encode("utf-8", "replace").translate(_LETTERS).split())


MARKED = r"\[REDACTED:[a-z]{1,20}(?:-[a-z]{1,20}){0,3}\]"
MARK = "[REDACTED:"  # The beginning of the mark that replaces a secret; its kind and `]` follow

UNSEARCHED = "unsearched"


_ALWAYS_JUDGED = 2_000
_LOOKED_AT = 4  # Places that are looked at for each one that is judged


class TooMany(Exception):
    """The text from `at` on is not searched, as there is too much to judge."""

    def __init__(self, at: int) -> None:
        super().__init__(at)
        self.at = at


class Budget:
    """How many places of one sort in a text are judged.

    A text with more of them is no ordinary text: judging the rest would take too long, so it is cut out. It
    is cut so early that what is left is within the budget of the shorter text.
    """

    def __init__(self, text: str, times: float = 1) -> None:
        self._early = times * _ALWAYS_JUDGED
        self._most = times * (_ALWAYS_JUDGED + len(text) // 1000)
        self._spent = 0
        self._cut = 0

    def spend(self, at: int) -> None:
        """Count one place; `TooMany` if there are more than the text may have."""
        self._spent += 1
        if self._spent <= self._early:
            self._cut = at
        elif self._spent > self._most:
            raise TooMany(self._cut)


def looking(text: str) -> Budget:
    """A budget for places that are looked at, most of which need not be judged."""
    return Budget(text, _LOOKED_AT)


def limited(matches: Iterator[re.Match[str]]) -> Iterator[re.Match[str]]:
    """The matches, or `TooMany`."""
    budget = None
    for match in matches:
        budget = budget or Budget(match.string)
        budget.spend(match.start())
        yield match


# How a value was written decides how much it must look like a secret:
# QUOTED  a string literal, or a place that can hold nothing but a secret (the password of a URL)
# ENV     UPPER_CASE=value
# LINE    a line of a configuration file: `key: value`
# FLAG    --key value
QUOTED, ENV, LINE, FLAG = "quoted", "env", "line", "flag"

_MIN_LENGTH = {QUOTED: 8, ENV: 6, LINE: 8, FLAG: 8}

# Characters: the beginning of a longer value is enough.
_MAX_VALUE = 128

_WORDS = r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+"

_TEMPLATE = (
    r"\$[{(]|\{\{|\}\}|[#%]\{|<%|%[sr](?![A-Za-z0-9])|\{[\w.]*[!:}]|\.\.\.|\u2026|\[?REDACTED"
    r"|^--|![rsa]$|^[+.&].*[+.&]$|\.\$|\$\w+(?:\[|->)"
    r"|^(?:\$\w+|%\w+%|%[-+#0-9.]*[a-z]|%\(\w+\)s|@[A-Za-z_.]+|<.*|\{.*|\[.*\]?|\*+|:\w+|&\w+;)$"
    r"|^(?:env|vault|op|ssm|file|ref|arn|keyring|secretsmanager|secrets?|var|vars|aws|kv|process)[:./]"
    r"|^[A-Za-z][\w+.-]{0,20}://"
)

_PLACEHOLDER_WORDS = word_set(
    """
    a abc access account actual admins always an any api apikey app ask auth authorization auto bar baz
    bearer bool boolean change changeit changeme client code cred credential credentials creds database
    db default dummy empty enter env example expired fake false field file fixme foo go goes has hash
    hashed header here hidden id incorrect insert int interactive invalid is it key label login mask
    masked me missing must my name never new nil no none not null number object off old on optional or
    pass passphrase passwd password passwort placeholder please private prod production prompt put pw
    pwd qux redacted refresh removed replace required reset sample secret session set some stdin str
    string super tbd test tested testing text the this to todo token true undefined unknown unset use
    user username value var very with wrong xxx xxxx yes you your yours
    """
)
# Those that are no words about secrets: they are found in passwords of people too.
_PLAIN_WORDS = word_set(
    """
    a abc actual an any auto bar baz change code empty enter false field file foo go goes has here hidden is
    it me must my never new no none not number object off old on or please put qux some super test tested
    testing text the this to todo true unknown use very with wrong yes you
    """
)
_ABOUT_SECRETS = _PLACEHOLDER_WORDS - _PLAIN_WORDS
_MARKERS = frozenset(("your", "placeholder", "changeme", "replace", "redacted", "insert"))
_EXAMPLES = frozenset(("example", "dummy", "fake", "sample", "test"))

_SEPARATORS = r"[-_./:|@#~ ]"
_SMALL_NUMBER = r"(?:128|256|384|512|1024|2048|4096|25519|(?:19|20)[0-9]{2}|[0-9]{1,2})(?![0-9])"
_WORDY = (
    rf"{_SEPARATORS}*+(?>(?:(?:(?:[A-Z]?[a-z]++|[A-Z]++)(?>(?:{_SMALL_NUMBER})?)|(?<={_SEPARATORS})[0-9]{{1,4}}(?![0-9]))"
    rf"{_SEPARATORS}*+)+)"
)

# A letter, and those that often follow it in words of English and of programs.
_FOLLOWERS = word_set(
    """
    abcdgilmnprstuy baeilosu caehiklortu dadeilosu eacdefglmnprstvx faefiloru gehinrs haeio
    iabcdefglmnoprstvz jaeosu kei ladeilostuy maeimops nacdefgiknostuv obcdgklmnoprstuvw paeiloprstuy qu
    racdegimnorstuy sacehilopstu tacehilorstuy uabceilmnprst vaei waeir xpt yp ze
    """
)
_COMMON_PAIRS = frozenset(row[0] + letter for row in _FOLLOWERS for letter in row[1:])

# Names of types and algorithms, and names of variables, that end in a number.
_NUMBERED = (
    r"(?i)(?:u?int|float|sha|md|aes|utf|base|ed|argon|oauth|pbkdf|s?crypt|bcrypt|ecdsa|rsa|http|ipv|python|bytes"
    r"|hmac|secp|curve|totp|web|nistp|latin|iso|win|blake|pkcs|ecma|es|py|urllib|sqlite|mysql|httpx|imap|cp|xxhash|issue|bug"
    r"|[a-z]{1,6}[-_]?i|amd|arm|mips)[-_]?[0-9]+[-\w]{0,16}"
    r"|(?:level|type|step|line|row|col|arg|param|field|user|test|new|old|pass|passwd|password|passphrase|pwd|pw|str"
    r"|string|val|value|var|tmp|temp|key|token|secret|item|node|id|num|part|data|res|result)_?[0-9]{1,2}"
)

_NUMERIC = r"v?[0-9][0-9.,:/+TZ-]*[a-z%]{0,3}|v?[0-9]+(?:\.[0-9]+)+[-+.\w]*|0x[0-9a-fA-F]{1,16}"

_CODE = (
    r"\w[(\[]|[)\]]\.|::|->|=>|[{}]|^[&*!\\@(]|^\$\w"
    r"|^(?![sbr]\.[A-Za-z0-9]{24,}$|[a-z]+\.[A-Z][a-z]+[0-9]+$)[A-Za-z_]\w*(?:\??\.[A-Za-z_][\w$]*)+(?:[;,?!=]|$)"
    r"|[=!]=(?!$)|:$"
)


def words_of(text: str) -> list[str]:
    """Split an identifier or a value into its lower-case words and numbers."""
    return [word.lower() for word in compiled(_WORDS).findall(text)]


def is_filler(value: str) -> bool:
    """Whether the value is nothing but padding: xxxx, ****."""
    return set(value) <= set("xX*.-_#?\u2022 ")


@lru_cache(maxsize=1024)
def is_placeholder(value: str) -> bool:
    """Whether the value is a placeholder for a secret: a template, a reference, `changeme`."""
    words = words_of(value)
    if is_filler(value) or len(set(value)) == 1 or all(word in _PLACEHOLDER_WORDS for word in words):
        return True
    if not (value.isalnum() and "REDACTED" not in value) and compiled(_TEMPLATE).search(value):
        return True
    return not _MARKERS.isdisjoint(words) or (not _EXAMPLES.isdisjoint(words) and _reads_as_words(value))


@lru_cache(maxsize=1024)
def _reads_as_words(value: str) -> bool:
    """Whether the value reads as words of a language: an identifier, a path, a kebab-case name.

    Judged by its form, and by the share of common pairs among its pairs of letters.
    """
    is_word = value.isascii() and value.isalpha() and value[1:].islower()  # most parts of paths
    if not is_word and not compiled(_WORDY).fullmatch(value):
        return False
    words = words_of(value)
    if 2 * sum(char.isalpha() for char in value) < 5 * sum(word.isalpha() for word in words):
        return False
    return _share_of_common_pairs(words) >= 0.65


def _share_of_common_pairs(words: list[str]) -> float:
    """The share of common pairs of letters among all; random letters have far fewer than words."""
    common = units = 0
    for word in words:
        if word.isdigit() or len(word) == 1:
            units += 1
        else:
            units += len(word) - 1
            common += sum(word[at : at + 2] in _COMMON_PAIRS for at in range(len(word) - 1))
    return common / max(1, units)


def is_random(value: str, least: int) -> bool:
    """Whether the value looks random: long, of mixed classes of characters, neither words nor a number."""
    return _is_random(value[:_MAX_VALUE], least)


@lru_cache(maxsize=1024)
def _is_random(value: str, least: int) -> bool:
    if len(value) < least or _reads_as_words(value):
        return False
    if not value.isascii() and any(char.isalnum() and not char.isascii() for char in value):
        return False  # words of other languages
    letters, digits = compiled("[A-Za-z]").search(value), compiled("[0-9]").search(value)
    if not letters or compiled(_NUMERIC).fullmatch(value):
        return False
    if not digits:
        return len(value) >= (12 if value.lower() != value != value.upper() else 20)
    return len(set(value)) >= 5


_VERSION = (
    r"(?:[0-9]+:)?[0-9]+(?:\.[0-9]+)+|[\w.+-]+:(?:amd64|arm64|i386|all)$"
    r"|0x[0-9a-fA-F]{1,16}(?:[.UuLlPp]|$)|sha[0-9]{1,3}[-:]|h1:"
)
_GENERATED = r"[A-Za-z0-9_+/=.~!#%*@:$&^-]{16,}"
_HASH = (
    r"(?i)(?:0x)?(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{56}|[0-9a-f]{64}|[0-9a-f]{96}|[0-9a-f]{128})"
    r"|(?:[a-z]{1,8}-)?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
)
_TO_SLASHES = str.maketrans(".:@", "///")
_SWITCHES = r"(?=[a-z][A-Z0-9]|[A-Z][a-z0-9]|[0-9][A-Za-z])"
_DIGITS_INSIDE = r"(?<=[A-Za-z])[0-9]+(?=[A-Za-z])"


@lru_cache(maxsize=1024)
def is_generated(value: str) -> bool:
    """Whether the value looks made by a generator: long, and its classes of characters alternate."""
    value = value[:_MAX_VALUE]
    if len(value) < 16:
        return False
    # Paths and addresses first: most values are some, and this needs the fewest patterns.
    parts = value.translate(_TO_SLASHES).split("/")
    if len(parts) > 1 and all(len(part) < 8 or _reads_as_words(part) or is_hash(part) for part in parts):
        return False
    if not compiled(_GENERATED).fullmatch(value) or is_code(value) or is_placeholder(value):
        return False
    if _reads_as_words(value) or compiled(_NUMERIC).fullmatch(value) or compiled(_VERSION).match(value):
        return False
    switches = len(compiled(_SWITCHES).findall(value)) / len(value)
    if len(compiled("[0-9]").findall(value)) < 2:
        return switches >= 0.35
    if switches >= 0.25 or len(compiled(_DIGITS_INSIDE).findall(value)) > 3:
        return True
    return value.isalnum() and _share_of_common_pairs(words_of(value)) < 0.45


def is_hash(value: str) -> bool:
    """Whether the value has the length and the alphabet of a hash, a commit's id or a UUID."""
    return (
        len(value) >= 32 and value.replace("-", "").isalnum() and compiled(_HASH).fullmatch(value) is not None
    )


def is_basic_auth(value: str) -> bool:
    """Whether the value is base64 of `user:password`."""
    try:
        plain = codecs.decode(f"{value}{'=' * (-len(value) % 4)}".encode("ascii"), "base64")
    except ValueError:
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()


@lru_cache(maxsize=1024)
def is_code(value: str) -> bool:
    """Whether an unquoted value is an expression: a call, an attribute, an operator."""
    call = value.find("(")
    if "::" in value or (call > 0 and (value[call - 1].isalnum() or value[call - 1] == "_")):
        return True  # most values in code, without compiling the pattern
    if value.isalnum() or not compiled(_CODE).search(value):
        return False
    parts = value.split(".")  # a part of a token in parts may look like an attribute's name
    return not (compiled(r"[\w.-]+").fullmatch(value) and any(map(is_generated, parts)) and len(parts) > 1)


def is_plausible(kind: str, value: str, form: str) -> bool:
    """Whether a value written in this form, under a name of this kind, is a secret."""
    return _is_plausible(kind, value[:_MAX_VALUE].strip(), form)


@lru_cache(maxsize=1024)
def _is_plausible(kind: str, value: str, form: str) -> bool:
    if len(value) < 3 or is_placeholder(value):
        return False
    if any(map(str.isspace, value)):
        if kind == "seed-phrase":
            return is_seed(value)
        return (kind == "password" and _is_phrase(value, form)) or _is_salt(value, form)
    if kind == "basic-auth":
        return is_basic_auth(value)
    if kind == "password":
        return _is_plausible_password(value, form)
    if value.isdigit() and len(value) > 16:
        return form != FLAG
    if kind == "secret":
        return is_random(value, 6) or (form in (QUOTED, ENV) and _is_chosen_secret(value)) or is_chosen(value)
    return is_random(value, _MIN_LENGTH[form]) or (form == ENV and kind == "api-key" and is_chosen(value))


def _is_chosen_secret(value: str) -> bool:
    return len(value) >= 8 and value.isascii() and value.isalpha() and value.islower()


_STRANGE = "[0-9!#$%^&*@?~+=]|[a-z][A-Z].*[-_.]"
# Names, addresses, standards, amounts and words with a number or a mark, which are no passwords.
_TECHNICAL = (
    r"[\w./+-]+@[~^]?[\w-]+(?:\.[\w-]+)+|[A-Za-z_]\w*\$[0-9]{1,2}(?:\.\w+)*|[\w.-]+@[\w.-]+:[0-9]+|\w[\w-]*(?:\.[\w-]+)*\.(?:[a-z]{2,4}|[jt]sx?|class|local|conf)"
    r"|[A-Z]{2,}(?:[-_.]?[0-9]+)+|[a-z]{1,3}[0-9]{1,3}|(?:rfc|RFC|CVE|cve)\S*|[A-Za-z]+[0-9]+\.[0-9.]+"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|.*[A-Za-z][\u2019'][a-z].*|[@#][\w/.-]+|.*[:/].*/.*|.*\\.*"
    r"|[0-9]+-?[A-Za-z]{1,9}|[a-z]+(?:-[a-z]+)+-?[0-9]?|[a-z]{1,5}-[0-9]{1,2}|[A-Za-z_-]+[!?=+*#&~^$%]{1,2}"
    r"|[\w-]+[=].*|[\w-]+@|[^\w].*|(?:[A-Z][a-z]+){2,}[0-9]?|[a-z]+(?:[A-Z][a-z]+)+[0-9]?"
    r"|[a-z]+(?:_[a-z]+)+[0-9]{0,3}|[a-z]+(?:_[a-z]+)+_[0-9]|[A-Za-z]+(?:[&+*/%][A-Za-z]+)+|.*%[0-9.]*[sdrif]"
    r"|.*(?:SHA|MD[245]|AES|RSA|HMAC|PSK|DES|CBC|GCM|DSA|X509|Gost).*|\w*With[A-Z]\w*|id-.*|fk_.*|pkcs.*|PKCS.*"
    r"|.*\*\*.*|[0-9]\*.*|[A-Z]?[a-z]+-[0-9]|[A-Z]+-[A-Z]+[0-9]+|[A-Z][a-z]+(?:-[A-Z][a-z]+)+[0-9]|_.*|[0-9]\.\w.*|.*%[0-9]\..*"
    r"|[0-9]{1,2}[A-Z][a-z]{2}[0-9]{2,4}|[a-z.-]+#[0-9]+|[\w./-]+#[A-Z_]+|[\w.-]+/[\w.-]+#.*|[a-z]+(?:[|:,][a-z0-9]+)+|(?:ssh|ecdsa|sk)-[\w@.-]+|.*\s.*|email\.[0-9]"
    r"|PKCS#[0-9]+\S*|[A-Za-z]+v?/[0-9.]+\w*|\w+v[0-9]/\w+|\w+:!?[0-9]|.*\.\w{2,4}#.*|\w*[Uu]tf8\w*|[A-Z0-9]+_\w+"
    r"|[a-z_]+#[a-z_]+|[A-Za-z]+-[0-9]+(?:\.[0-9]+)+\S*|[A-Za-z_.]+\*|mailto:.*|[\w.-]+[<>=]{1,2}[0-9.]+"
    r"|[a-z0-9]+(?:[-_][a-z0-9]+){2,}|[A-Za-z]{1,4}[0-9]|[0-9a-f]{6}|[0-9a-f-]{36}|[\w.-]+:[0-9]+|[A-Z][a-z]{1,3}[0-9]{1,2}"
)


@lru_cache(maxsize=1024)
def is_chosen(value: str) -> bool:
    """Whether the value looks like a password of a person: summer2024, blue-Falcon7, hunter2!

    It can stand among words and in code, so words, names, versions and addresses are none.
    """
    if not 6 <= len(value) <= 64 or not value.isascii() or not compiled(_STRANGE).search(value):
        return False
    if is_code(value) or is_placeholder(value) or not compiled("[A-Za-z].*[A-Za-z]").search(value):
        return False
    return not any(compiled(form).fullmatch(value) for form in (_NUMERIC, _NUMBERED, _TECHNICAL))


_STRONG = r"(?=.*[0-9])(?=.*[A-Za-z]{2})(?:.*[!@#$%^&*?].*|(?=.*[a-z])(?=.*[A-Z]).*)"


# What is no secret, however strange: hashes, alphabets, patterns, expressions, formats, keys of known hosts.
_NONE = (
    r"[0-9a-f]{6,12}|.*(?:A-Z|a-z|0-9|&&|\|\||\.\*|[_-]\?|\*-|[Uu][Tt][Ff]-?8|ISO-?8859|U\+[0-9A-F]{4}).*|AAAA[BCE]3Nza.*|\w+(?:\.\w+)*\.[0-9]{1,2}"
    r"|(?i:.*(?:abcdefgh|01234567).*)|(?:.*[^A-Za-z0-9])?%0?[0-9]*[dsx](?:[^A-Za-z0-9].*)?|//.*|return![01]|[a-z]+[#!][0-9]{3,}|[A-Za-z]+#[0-9]{5,}|[\w-]+\.[a-z]{1,4}|[A-Za-z]+_|[a-z][a-z.-]*@[a-z]+|[0-9a-z]{2,4}/[0-9a-f]{64,}|[0-9]{1,2}-[A-Z][a-z]{2}-[0-9]{2,4}|[A-Za-z]+(?:-|_-?)[0-9]{5,}|[\w.$]+@[0-9a-f]{5,8}|[A-Z]\w+\$[A-Z][a-z]\w+@[0-9]{1,5}"
    r"|(?:[A-Za-z_]\w*\.\w[\w.]*|[a-z]{1,5})[+*][a-z_]*[0-9]{0,2}|[a-z_]+[+*][0-9]{0,2}"
)
_GROUPS_OF_FOUR = r"(?=.*[0-9])[a-z0-9]{4}(?:-[a-z0-9]{4}){2,4}"
HASH = 3.2


@lru_cache(maxsize=4096)
def strength(value: str) -> float:
    """How much the value looks like a secret by itself: 0 for what is none, 7 for what a generator made."""
    if len(value) < 6 or value.isdigit():
        return 0
    if value.isalpha() and _share_of_common_pairs([value.lower()]) >= 0.5:
        return 0
    if is_hash(value):
        return HASH
    if "%" in value and _reads_as_words(compiled("[+]|%[0-9A-Fa-f]{2}").sub("-", value)):
        return 0
    words = [word for word in compiled(_WORDS).findall(value) if len(word) > 2 and word.isalpha()]
    plain = value.replace("_", "").replace("-", "").isalnum()
    wordy = plain and len(words) > 1 and 10 * sum(map(len, words)) >= 7 * len(value)
    wordy = wordy and len(compiled(_DIGITS_INSIDE).findall(value)) < 4
    if wordy and _share_of_common_pairs([word.lower() for word in words]) >= 0.62:
        if len(words) > 2 or value.isalpha():
            return 0
        return 4.6 if not compiled(_NONE).fullmatch(value) and is_chosen(value) else 0
    if "/" in value:
        random = _share_of_common_pairs(words_of(value)) < 0.5
        points = 7 if is_generated(value) else 3 if random and is_random(value, 10) else 0
        return 0 if not points or compiled(_NONE).fullmatch(value) else points
    if compiled(_NONE).fullmatch(value):
        return 0
    if compiled(_GROUPS_OF_FOUR).fullmatch(value):
        return 5
    if is_generated(value):
        return 5.4 if value.isalnum() and value.islower() and compiled("[0-9a-f]+").fullmatch(value) else 7
    if is_chosen(value):
        if compiled("[A-Za-z][a-z]{2,7}[0-9]|[a-z]{3,}[0-9][a-z]+").fullmatch(value):
            return 4.6
        return 6 if compiled(_STRONG).fullmatch(value) else 5
    if value.isalpha() and len(value) >= 8 and len(compiled("[a-z][A-Z]|[A-Z][a-z]").findall(value)) > 2:
        return 5
    if is_placeholder(value) or is_code(value) or not is_random(value, 10) or compiled(_VERSION).match(value):
        return 0
    random = _share_of_common_pairs(words_of(value)) < 0.5
    if compiled(_TECHNICAL).fullmatch(value) and not (
        random and compiled(r"[A-Za-z]+[+*%&!#_-][A-Za-z]+").fullmatch(value)
    ):
        return 0
    return 5 if random else 4


_FAMILIAR = r"[A-Za-z]{3,}(?:[._#-]?[A-Za-z]{2,}){0,3}[._#-]?[0-9]{1,4}[!.]?"


@lru_cache(maxsize=1024)
def is_familiar(value: str) -> bool:
    """Whether the value is words with a number, a password or a name: openSesame1, pepper_mill3."""
    if not 8 <= len(value) <= 40 or not value[:3].isalpha() or not compiled(_FAMILIAR).fullmatch(value):
        return False
    if not _ABOUT_SECRETS.isdisjoint(words_of(value)) or is_placeholder(value):
        return False
    if compiled(_NONE).fullmatch(value):
        return False
    return not compiled(_NUMBERED).fullmatch(value) and not compiled(r"[\w.-]+\.[a-z]{1,3}[0-9]?").fullmatch(
        value
    )


_NO_SEED = word_set(
    "the and for are was were has had have but not with from its be of to in it as by or we at if"
)


def is_seed(value: str) -> bool:
    """Whether the value is the words of a wallet's recovery phrase."""
    words = compiled("[a-z]+").findall(value)
    while words and words[0] in _NO_SEED:
        del words[0]
    return (
        11 < len(words) < 26
        and len(words) % 3 == 0
        and all(2 < len(word) < 9 for word in words)
        and _NO_SEED.isdisjoint(words)
        and not compiled(r"[A-Z(){}=<>]").search(value)
    )


def _is_salt(value: str, form: str) -> bool:
    """Whether the value is a long run of all kinds of characters, which may include a space."""
    if (
        form not in (QUOTED, ENV, LINE)
        or len(value) < 30
        or len(compiled("[^A-Za-z0-9 ,.'-]").findall(value)) < 8
    ):
        return False
    return bool(compiled("[0-9]").search(value)) and not compiled(r"[a-z]{5}").search(value)


def _is_phrase(value: str, form: str) -> bool:
    """Whether several words are a passphrase; under an UPPER_CASE name, any that aren't about passwords."""
    words = value.split()
    if not _ABOUT_SECRETS.isdisjoint(words_of(value)):
        return False
    if form == ENV:
        return len(words) < 6
    return (
        form in (QUOTED, LINE)
        and len(words) > 3
        and all(word.isalpha() and word.islower() and 3 <= len(word) <= 9 for word in words)
    )


def _is_plausible_password(value: str, form: str) -> bool:
    if (compiled("[0-9]").search(value) and compiled(_NUMBERED).fullmatch(value)) or _is_name(value):
        return False
    plain = value.isalpha()
    if form in (QUOTED, ENV):
        return value.isascii() or not plain
    return len(value) >= 5 and (not plain or is_random(value, 8)) and not (value.isdigit() and len(value) < 6)


def _is_name(value: str) -> bool:
    """Whether the value names a thing: a path, a dotted key, or words about secrets joined by hyphens."""
    first = compiled(r"(?:[~.]{0,2}/|[A-Za-z]:[/\\])([^/\\]+)").match(value)
    if first and _reads_as_words(first[1]):
        return True
    if compiled(r"[A-Z]+(?:_[A-Z]+)+").fullmatch(value):
        return True
    if not _reads_as_words(value):
        return False
    if compiled(r"[a-zA-Z0-9][./:|][a-zA-Z]").search(value):
        return not compiled(r"[a-z]\.[A-Za-z]+[0-9]+$").search(value)
    return bool(compiled("[-_]").search(value)) and not _ABOUT_SECRETS.isdisjoint(words_of(value))
