"""Weigh what stands around a value: words before, after and above it, flags, calls, prompts."""

from __future__ import annotations

from rum.redact.secret_names import kind_of_name
from rum.redact.secret_plausibility import (
    HASH,
    MARK,
    MARKED,
    Budget,
    compiled,
    is_familiar,
    is_random,
    strength,
)
from rum.redact.secret_roles import (
    ABOUT,
    AUTH,
    HARMLESS,
    KEY,
    LINK,
    PASSWORD,
    SERVICE,
    TOOL,
    VAGUE,
    cues_in,
    role_of,
)
from rum.redact.secret_tools import command_before, names_user, takes_pair, takes_password
from rum.text.lexicon import word_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A run of characters that may be a secret: no space, quote, bracket, colon or comma in it.
_IN_VALUE = "A-Za-z0-9!#$%*+./?@^_~-"
_CANDIDATE = rf"(?=[&{_IN_VALUE}]{{6}})(?>(?:[{_IN_VALUE}]++|&(?!\w+=))+)={{0,2}}"
# Words, names, flags, signs between a name and its value, signs that end a phrase.
_WORD = (
    r"(?:(?<![^\s\"'])-{1,2}|(?<![^\s\"'])/(?=\w+[: ]))?(?:[^\W\d_]|[^\x00-\x7f：→—，。、；（])"
    r"(?:[\w-]|'(?=[a-z]{1,4}\b)|\\(?=\w{2})|[^\x00-\x7f：→—，。、；（]|\.(?=\w))*|[=:：→—]|[,;{(\[|&]|\d\w+"
)
# A link to a project, a person or a commit: that it names a service says nothing about the text.
_PAGE = r"https?://(?:github|gitlab|bitbucket)\.\w{2,6}/[^\s\"'`<>)\]]{0,200}+(?=[\s\"'`<>)\]])"
_SEPARATORS = str.maketrans("", "", "_.-/")
_HEAD, _TAIL = 160, 110  # Characters before and after a value that are read
_ENOUGH = 8.5
_OPERATORS = "=:：→—"

# Points for a word about secrets: right at the value, a few words before it, after it, on a line above.
_DIRECT = {PASSWORD: 8, KEY: 7, VAGUE: 5, ABOUT: 5, AUTH: 4, TOOL: 5, SERVICE: 3.2}
_NEAR = {PASSWORD: 5.5, KEY: 3.7, VAGUE: 2, ABOUT: 3.3, AUTH: 2.5, TOOL: 5.5, SERVICE: 3.2}
_ABOVE = {PASSWORD: 6, KEY: 4, VAGUE: 2, ABOUT: 4, AUTH: 2.5, TOOL: 4, SERVICE: 3}
_AFTER = {PASSWORD: 5.5, KEY: 5.4, VAGUE: 1, ABOUT: 2, AUTH: 1, TOOL: 4, SERVICE: 2}
_FAR = 10  # Words
_SHORTEST, _LONGEST = 6, 200  # Characters of a value, and those that are judged
_MORE = 2  # For each further sort of words
_WORDS_ONLY = 1.5  # Points of a value that looks like a name with a number: openSesame1

_ECHO = r"(?:\b(?:echo|printf|yes|print)\b[^|]*|<<<\s*\S{0,3}|<\((?:echo )?)\Z"
_FLAG_CUES = (
    *(f" {sign}{letter}" for sign in "-/" for letter in "pwkatxhnsucr"),
    *(" base64", "chararray", " --cert", "hash", " p:", " p="),
)
_WITH_EQUAL = r"(?<!\S)-{1,2}(\w{1,4}) [\"']?([^\s\"'=-][^\s\"'=]{0,63}=[^\s\"']{1,64})"
_IS_NEXT = r"[\"'`]?\s+(?:/user:|-u\s|--user)|\"\.[tT]oCharArray"
_LINKED = (
    r"[\"'`)]?,? (?:is|was|as|=|for|als|ist|comme|est|como|es|jako|jest|com|è|é|som|är)\b|\s?>{1,2}\s?\S"
)
_USED = r"(?i)\b(?:use|try|enter|type|with) [\"'`]?\Z"
_PAIRED = r"(?<![\w/])[\w.@+\\-]{2,40}(?::| ?/ ?| \| |, )[\"'`]?\Z"
_CODE = (
    r"\w\(|[{}]|;\s*\Z| = \0|^\s*(?:return|from|import|def|class|if|elif|for|while|assert|var|let|const)\b"
)


def find_by_context(text: str, lower: str, words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every value that looks like a secret among words about secrets."""
    hits = _cue_places(lower, cues_in(words))
    if not hits:
        return
    judged, looked = Budget(text, 0.8), Budget(text, 10)
    place = 0  # Of the first cue that is near enough to a value
    # A candidate ends at a sign of equality; a password that follows a flag may have one in it.
    for match in compiled(_WITH_EQUAL).finditer(text) if "=" in text else ():
        looked.spend(match.start())
        if match[2][0] not in "$<{%" and takes_password(match[1], command_before(text, match.start())):
            yield *match.span(2), "password"
    for match in compiled(_CANDIDATE).finditer(text):
        value = match[0]
        letters = value.translate(_SEPARATORS)
        if letters.isalpha() and (letters[1:].islower() or letters.isupper()):
            continue  # words
        start, end = match.span()
        while place < len(hits) and hits[place] < start - _HEAD:
            place += 1
        if place == len(hits) or hits[place] > end + _TAIL or _in_address(text, start):
            continue
        looked.spend(start)
        found = _candidate(text, start, value, judged)
        if found:
            yield found


def _line_start(text: str, at: int, reach: int) -> int:
    """Where the line begins that this place belongs to; an escaped end of a line is one too."""
    low = max(0, at - reach)
    return max(
        text.rfind("\n", low, at) + 1, text.rfind("\\n", low, at) + 2 if "\\n" in text[low:at] else 0, low
    )


def _words(text: str) -> list[str]:
    """The words and signs of a text, without links to pages and marks of earlier redactions."""
    text = compiled(_PAGE).sub(" ", text) if "://" in text else text
    return compiled(_WORD).findall(compiled(MARKED).sub(" ", text) if MARK in text else text)


def _in_address(text: str, start: int) -> bool:
    """Whether the run of characters before this place is the beginning of a URL, and no parameter of it."""
    scheme = text.rfind("://", max(0, start - 200), start)
    return (
        scheme >= 0 and text[start - 1] != "=" and compiled(r"\S*").fullmatch(text, scheme, start) is not None
    )


def _cue_places(lower: str, cues: list[str]) -> list[int]:
    places: list[int] = []
    for cue in (*cues, *_FLAG_CUES):
        at = lower.find(cue)
        while at >= 0:
            places.append(at)
            at = lower.find(cue, at + len(cue))
    places.sort()
    return places


def _candidate(text: str, start: int, value: str, judged: Budget) -> tuple[int, int, str] | None:
    value = value.rstrip(".?") or value
    if "\x1b" in text[max(0, start - 24) : start]:  # the end of a colour's code is no part of the value
        rest = compiled(r"[0-9;]*m").match(value)
        start, value = (start + rest.end(), value[rest.end() :]) if rest else (start, value)
        if len(value) < _SHORTEST:
            return None
    if value.startswith("**") and len(value.strip("*.?")) > 5:  # bold in Markdown
        start, value = start + 2, value[2:].rstrip("*.?")
    end = start + len(value)
    if value[0] == "-" and text[start - 1 : start] == ":":  # ${NAME:-value}
        start, value = start + 1, value[1:]
    if value[0] == "-":  # the flag and its value in one word
        rest = compiled(r"[^\s\"'`;|)\\]{0,200}").match(text, end)
        end = rest.end() if rest else end
        for at in (start + 2, start + 3):
            password = text[at:end]
            flag = text[start + 1 : at] if strength(password) or is_random(password, 8) else ""
            if flag and takes_password(flag, command_before(text, start)):
                return at, end, "password"
        end = start + len(value)
        if strength(value) < 7 or value[-1] == "=":
            return None
    labelled, pair = (
        start,
        compiled(_PAIR).fullmatch(value)
        if len(value) < _LONGEST and value[0].isalpha() and ("/" in value or "%" in value)
        else None,
    )
    spans = [(start, end)] + ([(start + pair.start(1), start + pair.end(1))] if pair else [])
    for start, end in spans:  # the value itself, or the password of a name and a password
        value = text[start : min(end, start + _LONGEST)]
        points = strength(value) or (_WORDS_ONLY if is_familiar(value) else 0)
        if points and not (points in (HASH, 7) and _is_labelled(text, labelled)):
            judged.spend(start)
            kind = _judge(text, start, end, points)
            if kind:
                equal = text[start - 1 : start] == "="
                more = compiled(_MORE_BEFORE).search(text, max(0, start - 60), start) if equal else None
                return more.start() if more and strength(more[0].rstrip("=")) else start, end, kind
    return None


def _is_labelled(text: str, start: int) -> bool:
    """Whether the value is called a checksum or a public key."""
    return compiled(_NO_VALUE).search(text, max(0, start - 12), start) is not None


_MORE_BEFORE = r"(?<=[:\"'])[\w!#$%*+./?@^~-]{6,}={1,2}\Z"  # A sign of equality within a password
_PAIR = r"[A-Za-z][\w.$-]{0,30}(?:/|%(?![2-7][0-9A-F]))([^/@]{6,64})(?:@.*)?"


class _Evidence:
    """The best of each sort of words about secrets."""

    def __init__(self) -> None:
        self.best: dict[int, float] = {}
        self.kind = ""
        self._most = 0.0

    def add(self, role: int, kind: str, points: float) -> None:
        self.best[role] = max(points, self.best.get(role, 0))
        if points > self._most:
            self._most, self.kind = points, kind

    def total(self) -> float:
        return self._most + _MORE * (len(self.best) - 1) if self.best else 0


def _judge(text: str, start: int, end: int, points: float) -> str | None:
    """The kind of secret that the words around a value make it, if any."""
    line = _line_start(text, start, _HEAD)
    head, tail = text[line:start], text[end : end + _TAIL].partition("\n")[0]
    if "printf" not in head:
        tail = tail.partition("\\n")[0]
    if "\x1b" in head + tail:
        head, tail = compiled(_COLOUR).sub("", head), compiled(_COLOUR).sub("", tail)
    in_parts = tail[:1] in (":", "=") and tail[1:2].isalnum() and points in (HASH, 7)
    if (tail[:1] in ("(", "[", ":", "=") and not in_parts) or tail[:2] in ('":', "':") or MARK in head[-40:]:
        return None
    if (head[-1:] == "<" and tail[:1] == ">") or (head[-1:] == "\\" and text[start] in "fu"):
        return None
    evidence = _Evidence()
    words = _words(compiled(r"\([^()]{0,40}\)(?=\s?[:=])").sub("", head) if ")" in head else head)
    if points == HASH and _names_other(words):
        return None
    quoted = head[-1:] in ("'", '"', "`") and tail[:1] == head[-1:]
    owned = _before(text, start, words, evidence, quoted)
    if owned and points == 7 and compiled(_KEPT).search(text, max(0, start - 600), end + 300):
        evidence.add(KEY, "secret", 5)
    elif owned == HARMLESS:
        return None
    if not _BRACKETS.isdisjoint(head):
        _inside(head, evidence)
    _after(tail, head, evidence)
    if head.rstrip("\"'` ")[-1:] in (":", "/", "|", ",") and compiled(_PAIRED).search(head[-48:]):
        for role in {AUTH, PASSWORD, ABOUT} & evidence.best.keys():
            evidence.add(role, "password", min(8, evidence.best[role] + (4.2 if tail[:1] == "@" else 2.7)))
    if "<<<" in head[-5:]:
        for role, some in [*evidence.best.items()]:
            evidence.add(role, "password", some + 4)
    if not tail.strip(_CLOSING) and len(_said(words)) < 2:
        _above(text, line, evidence)
    if owned:
        _parents(text, line, head, evidence)
    if (
        points not in (HASH, 7)
        and tail[:1] not in ("'", '"', "`", "@")
        and text[start:end].isidentifier()
        and compiled(_CODE).search(head + "\0" + tail)
    ):
        points -= 3
    if points == _WORDS_ONLY and evidence.kind != "password":
        return None
    return evidence.kind if points + evidence.total() + quoted >= _ENOUGH else None


_NO_VALUE = r"(?:\bh1|sha[0-9]{1,3}|md5|ssh-\w+)[:=\s-]\Z"
_COLOUR = r"\x1b\[[0-9;]*m"
_KEPT = r"(?i)\bkind[\"']?:\s?[\"']?Secret\b"
_CLOSING = " \t\"'`,.;)]}|\r\\rn"


def _inside(head: str, evidence: _Evidence) -> None:
    """Weigh the names of what a value is inside of: the call, and the lists and tables around it."""
    depth = calls = 0
    for at in range(len(head) - 1, 0, -1):
        depth += (head[at] in ")]}") - (head[at] in "([{")
        if depth < 0:
            depth = 0
            before = head[:at].rstrip() if head[at] == "(" else head[:at].rstrip(_ASSIGNED)
            name = before[len(before.rstrip(_NAME)) :]
            if head[at] == "(" and name and not calls:
                calls += 1
                _weigh_call(name, evidence)
            elif head[at] != "(" and before != head[:at]:
                role, kind = role_of(name.removesuffix("s"))
                if role in (PASSWORD, KEY, AUTH):
                    evidence.add(role, kind, 6 if role != AUTH else 4)


def _weigh_call(call: str, evidence: _Evidence) -> None:
    last = call.rpartition(".")[2]
    for name in (last, call):
        role, kind = role_of(name)
        if role in (HARMLESS, 0) and any(part in name.lower() for part in _CRYPTOGRAPHY):
            role, kind = ABOUT, "password"
        if role in _DIRECT and role != VAGUE and (role != ABOUT or name == last or kind == "password"):
            evidence.add(role, kind, 6 if role != AUTH else 5)


_BRACKETS = frozenset("([{")
_ASSIGNED = " \t=:>\"'"  # Between a name and the list or table that it is given
_NAME = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:>$-"
_CRYPTOGRAPHY = (
    "crypt",
    "passw",
    "hash",
    "hmac",
    "aes.",
    "cipher",
    "fernet",
    "pbkdf",
    "derive",
    "ecdsa",
    "ed25519",
)


def _said(words: list[str]) -> list[str]:
    """The words that are more than links and signs."""
    return [word for word in words if word[:1].isalpha() and role_of(word)[0] != LINK]


def _names_other(words: list[str]) -> bool:
    """Whether the words before a hash say that it is one of something else: `commit`, `sha256`."""
    for number, word in enumerate(reversed(words)):
        role = role_of(word)[0]
        if role == HARMLESS:
            return True
        if word in ",;{([|&" or role in _DIRECT or number > 4:
            return False
    return False


def _before(text: str, start: int, words: list[str], evidence: _Evidence, quoted: bool) -> int:
    """Weigh the words before a value; HARMLESS, or 1 where the value has a name that says nothing."""
    operator = owned = distance = broken = gap = 0
    for place in range(len(words) - 1, -1, -1):
        word = words[place]
        if word in _OPERATORS:
            operator += not distance
            continue
        if word == "|" and not distance and not gap:
            operator += 1
            continue
        if word in ",;{([|&":
            broken += distance > 0
            gap += not distance
            continue
        if gap and not distance and word.lower().endswith(_DECODERS):
            gap = 0  # key = bytes.fromhex("..."): the name before the call is that of the value
            continue
        role, kind = role_of(word)
        name = word.strip("-/")
        if word[0] in "-/":
            _weigh_flag(text, start, word, distance, operator, evidence)
            if len(name) < 3:
                distance += 1
                continue
        if not role and strength(word) > 4:  # another value of a list
            continue
        if not distance and operator and word in "pP" and not _USER_LABELS.isdisjoint(words[:place]):
            evidence.add(PASSWORD, "password", 6)
        if role == LINK:
            operator += not distance and name in _SAYS
            continue
        if role == VAGUE and kind == "api-key" and place and kind_of_name(f"{words[place - 1]}_{name}"):
            role = KEY
        if not distance:
            paired = place and takes_pair(words[place - 1].strip("-/"))
            if role == HARMLESS and operator and words[place + 1] in _OPERATORS and not paired:
                if "<(" not in text[max(0, start - 9) : start] or "pass" not in word:
                    return HARMLESS
                evidence.add(PASSWORD, "password", 5)
            if role in _DIRECT:
                points = _direct(role, kind, word, operator, gap, quoted, len(words))
                evidence.add(role, kind, points)
            owned = int(operator > 0 and not role)
        elif role == VAGUE and operator and not broken:
            evidence.add(role, kind, 5.4 - distance / 20)
        elif role in _NEAR:
            near = _NEAR[role] - (2 if owned and broken else 0) - distance / 20
            if operator and not broken and distance < 4 and role in (PASSWORD, KEY):
                near = 7 - distance / 20
            evidence.add(role, kind, near)
        if (
            not operator
            and distance < 3
            and (name.lower().endswith("login") or (name == "user" and distance == 1))
        ):
            evidence.add(TOOL, "password", 5.5)
        distance += 1
        if distance > _FAR:
            break
    return owned


def _weigh_flag(text: str, start: int, word: str, distance: int, operator: int, evidence: _Evidence) -> None:
    """Weigh a flag of a command before a value: `-p`, `/p:`, `-u user:`."""
    name, before = word.strip("-/"), text[start - 1]
    if distance == 1 and takes_pair(name) and (operator or before in ",%/ "):
        evidence.add(PASSWORD, "password", 8 if operator or before != " " else 5)
    elif not distance and operator and name[0] == "u" and len(name) > 1 and word[:2] == "-u":
        evidence.add(PASSWORD, "password", 6)
    elif not distance and len(name) < 5:
        command = command_before(text, start)
        if takes_password(name, command):
            evidence.add(PASSWORD, "password", 8)
        elif name in ("p", "P", "w", "W", "pw", "pass") and names_user(command):
            evidence.add(PASSWORD, "password", 5)


def _direct(role: int, kind: str, word: str, operator: int, gap: int, quoted: bool, words: int) -> float:
    """Points for the word right before a value."""
    if role == VAGUE and (operator or word[0] == "-"):
        return 8 if kind == "password" else 5.5
    if role == VAGUE and kind == "password":
        return 4.3
    if operator:
        return 7 if word.endswith("login") else _DIRECT[role]
    if gap:
        return _DIRECT[role] - 1 if quoted and role in (PASSWORD, KEY) else _NEAR[role] - (role == ABOUT)
    loose = word[0] != "-" and (role == AUTH or (role == ABOUT and words > 1))
    return _DIRECT[role] - loose


_DECODERS = (
    "fromhex",
    "from_hex",
    "unhexlify",
    "hex2bin",
    "buffer.from",
    "b64decode",
    "base64_decode",
    "atob",
)
_USER_LABELS = word_set("u U user User username Username login Login usr")
_SAYS = word_set("is was are c'est ist lautet heißt es est è é jest je är это 是 は je to")


def _after(tail: str, head: str, evidence: _Evidence) -> None:
    """Weigh the words after a value: `X is the password`, `echo X | sudo -S`."""
    piped = compiled(_ECHO).search(head) if "|" in tail or "<<<" in head or "<(" in head else None
    if compiled(_IS_NEXT).match(tail):
        evidence.add(PASSWORD, "password", 5)
    if piped and "base64 -" in tail:
        evidence.add(ABOUT, "secret", 4)
    words = _words(tail)[:9]
    linked = 3 if compiled(_LINKED).match(tail) or compiled(_USED).search(head[-12:]) else 0
    for number, word in enumerate(words):
        role, kind = role_of(word)
        if role == VAGUE and kind == "api-key" and number and kind_of_name(f"{words[number - 1]}_{word}"):
            role = KEY
        if role in _AFTER:
            evidence.add(
                role, kind, _AFTER[role] + (4 if piped else (linked if role != VAGUE else 0) - number / 6)
            )


def _above(text: str, line: int, evidence: _Evidence) -> None:
    """Weigh the lines above a value that stands alone on its line."""
    weight = 1.0
    for _ in range(4):
        end = line - (2 if text.startswith("\\n", line - 2) else 1)
        if end <= 0:
            return
        line = _line_start(text, end, 200)
        above = compiled(_COLOUR).sub("", text[line:end]).strip(" \t\r\"'")
        words = _words(above)
        said = _said(words)
        if not said:
            continue
        leads = above[-1] in ":?=|>-`" or above[:1] in "$#>" or "<<" in above
        prompt = 3 if compiled(_PROMPT).search(above) else 1 if above[-1] in ":?" else 0
        for number, word in enumerate(reversed(words)):
            role, kind = role_of(word)
            if role in _ABOVE:
                points = _DIRECT[role] if len(said) < 3 and above[-1] in ":=|>-" else _ABOVE[role]
                evidence.add(role, kind, weight * (points + prompt - (0 if leads or number < 3 else 2.5)))
        if evidence.best:
            return
        weight *= 0.85


_PROMPT = r"(?:^|\s)[$#>] |<<|(?:^|\s)(?:cat|echo|printenv|get-content) "


def _parents(text: str, line: int, head: str, evidence: _Evidence) -> None:
    """Weigh the keys above a value: `credentials:`, `[auth]`."""
    indent = len(head) - len(head.lstrip(" \t-"))
    for _ in range(12):
        end = line - 1
        if end <= 0:
            return
        line = _line_start(text, end, 120)
        above = text[line:end]
        depth = len(above) - len(above.lstrip(" \t-"))
        if above.strip() and (depth < indent or above[:1] == "["):
            if above.rstrip()[-1:] in ":{[]>|=(" and len(above) < 80:
                for word in _words(above):
                    role, kind = role_of(word)
                    if role in (KEY, PASSWORD, ABOUT, AUTH):
                        evidence.add(role, kind, 6)
            indent = depth
            if not indent:
                return
