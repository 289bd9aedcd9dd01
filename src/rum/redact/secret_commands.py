"""Find secrets in command lines: values of flags, positional passwords, pipes, and what a command printed."""

from __future__ import annotations

from functools import cache

from rum.redact.secret_names import STEMS, kind_of_name
from rum.redact.secret_plausibility import (
    FLAG,
    LINE,
    QUOTED,
    as_words,
    compiled,
    is_chosen,
    is_code,
    is_filler,
    is_placeholder,
    is_plausible,
    is_random,
    is_strong,
    limited,
    looking,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

# A value: in double quotes, in single quotes, or without a space.
_VALUE = r"(?:\\?\"([^\"\n\\]{3,200}+)|\\?'([^'\n\\]{3,200}+)|([^\s\"'|;<>`\\()-][^\s\"'|;<>`\\]{2,200}+))"

# Commands whose short flag is followed by a password: in the same word, or as the next word.
_ATTACHED = {
    "p": r"(?:mysql|mariadb|mongo)[\w-]*|my(?:dumper|loader|cli)|7z[a-z]*|rar|unrar|sshpass",
    "hp": "rar|unrar|7z[a-z]*",
    "P": "zip|unzip|curl|sqlcmd|osql|isql|bcp",
    "w": r"ldap[a-z]+",
    "N": "ssh-keygen",
}
_SEPARATE = {
    "p": (
        r"az|(?:docker|podman|nerdctl)\b.* login|buildah|skopeo|helm|oc|cf|mongo[\w-]*|sshpass|twine|cqlsh"
        r"|psexec\w*|winrs|rdesktop"
        r"|evil-winrm|crackmapexec|netexec|nxc|hydra|useradd|usermod|altool|security|beeline|hdbsql|rabbitmqadmin"
        r"|couchbase-cli|cbq|cbimport|cbexport|nodetool|jfrog|jf|argocd|ibmcloud|bx|pulsar-admin|solr|xcrun|7z[a-z]*"
        r"|steghide|racadm|esxcli|xfreerdp|flyway|liquibase|ncftp\w*|svn|mcli|pgcli|mycli|impacket-\w+|smbmap|snowsql|dropdb|wpscan|kinit"
    ),
    "P": (
        r"sqlcmd|osql|isql|tsql|bcp|freebcp|zip|unzip|ipmitool|mosquitto_\w+|ssh-keygen|fisql|usql|bsqldb|mssql-cli"
        r"|security|zipcloak|iscsiadm|rar"
    ),
    "pw": r"plink|pscp|psftp|pageant|puttygen|nodetool|nzsql|tmsh|winscp|kitty|\S+",
    "hp": "rar|unrar|7z[a-z]*",
    "w": r"ldap\w+|vsql|security|ipa|kadmin|dbaccess|etcdctl",
    "W": r"gsql|kadmin|sipp",
    "c": r"snmp\w+",
    "s": r"ldappasswd",
    "xp": r"sendemail",
    "a": r"redis-cli|redis-benchmark|keydb-cli|valkey-cli|redis-\w+",
    "A": r"snmp\w+",
    "X": r"snmp\w+",
    "k": "openssl|monit|security|nuget|dotnet",
    "K": "openssl|ccrypt|ccencrypt|ccdecrypt",
    "N": "ssh-keygen",
    "S": "s3cmd",
    "t": r"doctl|snyk|ngrok|netlify|vercel|wrangler|hcloud|linode-cli|surge",
}
# Flags with `user:password`, and the commands for which it can be nothing else.
_PAIRS = {
    "u": r"curl|ab|hey|wget|http|https|xh|etcdctl|nuclei",
    "U": r"curl",
    "a": r"http|https|xh|hey",
    "A": r"ab",
}

_SHORT = rf" -((?:pw|xp)(?=[ =:])|hp|[pPwWaAkKuUNXStscx])([ =:]{{1,2}}|){_VALUE}"
# -storepass X, -srcstorepass X, -password X, -Dsonar.login=X
_LONG = rf" -([A-Za-z][\w.-]{{3,40}}+)[ =:]{{1,2}}+{_VALUE}"
_SLASHED = rf" /(?i:(p|pass|password|rp|pwd)(:| )){_VALUE}"
_USER_FLAG = r" (?:-{1,2}(?:u|U|user|username|usr|login|l|D)\b|/u\b|/user\b)"
_NOT_ALONE = ("c", "s", "x", "t", "N", "S", "X", "a", "A")  # Flags that many commands use for something else
_FLAGS = frozenset("pPwWaAuUhNXStscx")
_MAX_COMMAND = 400
_MAX_FLAGS = 300  # A text with more is searched without looking at each of them first

# Strings of which one must be in the lower-case text, and a pattern whose last three groups are a `_VALUE`:
# for commands that have no word about secrets.
_POSITIONAL = (
    (("add_user ",), rf"add_user [^\s-]\S{{0,80}} {_VALUE}"),
    (
        ("--user", "--proxy-user", "--auth", "--cred", "--basic"),
        rf"--(?:user|proxy-user|auth|creds|credentials|basic(?:-auth)?)[ =][\"']?[^\s:\"'/$]{{1,60}}"
        rf":{_VALUE}",
    ),
    ((" /user:",), rf" /user:\S{{1,80}} {_VALUE}"),
    (("net user ",), rf"net user [^\s/]\S{{0,80}} {_VALUE}"),
    (
        ("smb", "rpc", "cifs", "winexe", "wmic", "net "),
        rf"(?:smb|rpc|net |cifs|winexe|wmic)[^\n|;]{{0,120}}? (?:-U|--user)"
        rf"[ =]?[\"']?[\w\\/.-]{{1,60}}%{_VALUE}",
    ),
    (("pass:",), rf"-(?:ks-|key-)?pass(?:in|out|word)?[ =:][\"']?pass:{_VALUE}"),
    (("--cert",), rf"--cert[ =][\"']?[\w./-]{{1,80}}:{_VALUE}"),
    (("samba-tool user",), rf"samba-tool user (?:create|add) \S{{1,40}} {_VALUE}"),
    (
        ("-setairportnetwork",),
        rf"-setairportnetwork \S{{1,20}} (?:\"[^\"]{{1,40}}\"|\S{{1,40}}) {_VALUE}",
    ),
    (("net use ",), rf"net use \S{{1,80}}(?: \S{{1,80}})? {_VALUE} /user"),
    (("http-basic.",), rf"http-basic\.\S{{1,80}} \S{{1,80}} {_VALUE}"),
    (
        ("expdp ", "impdp ", "exp ", "imp ", "sqlplus ", "conn ", "connect "),
        rf"(?i)(?:expdp|impdp|exp|imp|sqlplus|conn(?:ect)?) (?:-s )?[a-z]\w{{0,30}}/{_VALUE}",
    ),
    (
        ("mc alias set", "mc config host"),
        rf"mc (?:alias set|config host add) \S{{1,80}} \S{{1,80}} \S{{1,80}} {_VALUE}",
    ),
    (("lftp ",), rf"lftp [^\n|;]{{0,80}}?-u [\"']?[^\s,]{{1,60}},{_VALUE}"),
    ((" using ",), rf"user \S{{1,40}} using {_VALUE}"),
    (("to-securestring",), rf"(?i)ConvertTo-SecureString (?:-String )?{_VALUE}"),
    (
        ("auth ",),
        rf"AUTH (?:(?<![^\n]AUTH )|(?<=> AUTH )|(?<=cli AUTH ))(?:[a-z]\w{{0,40}} )?{_VALUE}(?=\s|\Z)",
    ),
    (("put-parameter ",), rf"put-parameter [^\n]{{0,200}}?--value[ =]{_VALUE}"),
)
# Of these, whose strings are common, what else must be there.
_ALSO = {"smb": "%", "expdp ": "/", " using ": "user ", "auth ": "AUTH "}

# `user/password@database` after one of Oracle's tools or words.
_ORACLE = (
    r"(?:sql(?:plus|cl|ldr)?|rman|expdp|impdp|exp|imp|conn(?:ect)?|userid|target|catalog|jdbc:oracle:\w+|oracle)"
    r"\b(?:[^\n/@]{0,40}?[ =:\"'])?[A-Za-z_][\w$#.-]{0,40}/\Z"
)
_ORACLE_WORDS = as_words(
    "sql sqlplus sqlcl sqlldr rman expdp impdp exp imp conn connect userid target catalog oracle"
)

# Commands that read a password from a pipe, a here-string or a here-document.
_READS = (
    r"(?:--(?:password|token|pass|secret|with)[\w-]*-?(?:stdin|token|fd)\b|--stdin\b"
    r"|sudo(?: -\w+)* (?:-\w*S|--stdin)|cryptsetup|passwd\b|-pass(?:in|out)? (?:stdin|fd)|kinit"
    r"|htpasswd [^\n]{0,30}-\w*i|secrets? (?:put|set|create|add)|env add|pass insert|ssh-add"
    r"|su (?:-|root|\w+ -c)|su$|encrypt_string|wpa_passphrase|--passphrase-fd|auth login|secret-tool"
    r"|\blogin\b|mysql_config_editor|keyring set|wg pubkey|openssl passwd|private-key|base64 -[dD]"
    r"|\bftp\b|read -\w*s)"
)
# What is written into the pipe, and one word of it.
_WRITES = r"(?:echo|printf|yes)\b((?:[ ;)(]+(?:echo )?[^\s|;]{1,200}){1,6}?)[ )]{0,4}\|(?! ?\|)"
_WRITTEN = r"(?:[^\s\"'\\();|]|\\(?![nr\"]))[^\s\"'\\();|]{3,200}"
_HERE_DOCUMENT = r"<<-?[ ]?[\"']?(\w{2,20})[\"']?([^\n]{0,100})(?:\r?\n|\\n)((?:(?!\1)[^\n]{0,200}\n){1,10})"
_HERE_STRING = rf"<<<[ ]?\$?{_VALUE}"
_READER = rf"{_READS}|stdin|sudo|secret|passphrase|auth|\bsu\b|token"
_WRITERS = as_words("echo printf yes")
# A command that prints a secret: its first words, what may follow them, and the line that it printed.
_READS_FILE = r"\s{1,3}(?:-\w+ ){0,2}(?P<file>\S{3,120})"
_PRINTS_VARIABLE = r"\s{1,2}[\"']?\$?(?:env:)?\{?(?P<name>\w{3,60})\}?[\"']?"
_ANYTHING = r"(?P<rest>[^\n]{0,200})"
_PRINTERS = (
    *((word, _READS_FILE) for word in ("cat ", "get-content ")),
    *((word, _PRINTS_VARIABLE) for word in ("echo ", "printenv ", "output -raw ", "config:get ")),
    *(
        (word, _ANYTHING)
        for word in (
            "pass show",
            "op read",
            "lpass show",
            "openssl rand",
            "pwgen",
            "wg gen",
            "-field=",
            "base64 -d",
        )
    ),
)
_PRINTED = r"[ ]*\r?\n(?P<printed>\S{6,400}+)[ ]*(?=\r?\n|\Z)"
_PROMPT = r"(?:^|[\n$#>%|] ?|sudo |-- )[\w./:@~-]{0,30}\Z"
_FILE = (
    r"(?i)(?:pass(?:word|wd|phrase)?|pw|secret|token|credentials?|master|api[_-]?key)(?:\.(?:key|txt|enc))?$"
)


def find_in_commands(text: str, lower: str, words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, kind) of every secret in a command line; `words` are those of the text."""
    flags = text.split(" -", _MAX_FLAGS)[1:]
    if any(map(_may_be_short, flags)) or len(flags) == _MAX_FLAGS:
        yield from _in_short_flags(text)
    if any(map(_may_be_long, flags)) or len(flags) == _MAX_FLAGS:
        yield from _in_long_flags(text)
    if any(flag in lower for flag in (" /p:", " /p ", " /pass", " /rp", " /pwd")):
        yield from _in_slashed_flags(text)
    for marks, source in _POSITIONAL:
        if any(mark in lower for mark in marks) and _ALSO.get(marks[0], "") in text:
            yield from _in_matches(text, source)
    if "@" in text and not _ORACLE_WORDS.isdisjoint(words):
        yield from _in_oracle(text)
    if "|" in text and not _WRITERS.isdisjoint(words):
        yield from _in_pipes(text)
    if "<<" in text:
        yield from _in_here_strings(text)
    if "\n" in text:
        yield from _printed(text, lower, words)


def _value(match: re.Match[str]) -> tuple[int, int]:
    """The span of the value, which is one of the last three groups."""
    groups = match.re.groups
    return next(match.span(group) for group in range(groups - 2, groups + 1) if match.start(group) >= 0)


def _is_password(value: str) -> bool:
    """Whether a value in the place of a password is one, and no variable or placeholder."""
    return (
        is_plausible("password", value, QUOTED)
        and not is_code(value)
        and not (value.isupper() and value.isalpha())
        and not (value.isdigit() and len(value) < 6)
    )


def _is_likely(value: str) -> bool:
    return is_chosen(value) or (is_random(value, 8) and not is_placeholder(value) and not is_code(value))


def _in_matches(text: str, source: str) -> Iterator[tuple[int, int, str]]:
    for match in limited(compiled(source).finditer(text)):
        start, end = _value(match)
        value = text[start:end]
        if _is_password(value) and (not value.isalpha() or len(value) > 15 or text[start - 1] in "\"'"):
            yield start, end, "password"
        elif ":" in value:
            start += value.index(":") + 1
            if _is_password(text[start:end]):
                yield start, end, "password"


def _may_be_short(flag: str) -> bool:
    """Whether a password can follow; cheaper than the pattern, as most flags are others."""
    if flag[:1] in ("k", "K"):
        return compiled("[0-9]").search(flag[:60].partition("\n")[0]) is not None
    return flag[:1] in _FLAGS


def _may_be_long(flag: str) -> bool:
    name = flag[:44].partition(" ")[0].lower()
    return len(name) > 3 and (name.endswith("login") or any(stem in name for stem in STEMS))


def _in_short_flags(text: str) -> Iterator[tuple[int, int, str]]:
    for match in limited(compiled(_SHORT).finditer(text)):
        start, end = _value(match)
        found = _short_flag(text, match, start, end)
        if found:
            yield found


def _in_long_flags(text: str) -> Iterator[tuple[int, int, str]]:
    for match in limited(compiled(_LONG).finditer(text)):
        name = match[1]
        start, end = _value(match)
        kind = kind_of_name(name) or ("password" if name.lower().endswith(_PASSWORD_ENDINGS) else None)
        kind = kind or ("token" if name.startswith("D") and name.endswith("login") else None)
        if kind and is_plausible(kind, text[start:end], FLAG) and not is_code(text[start:end]):
            yield start, end, kind


_PASSWORD_ENDINGS = ("storepass", "keypass", "passwd", "userpass", "-pw", "-pass")


def _command_before(text: str, at: int) -> str:
    """The beginning of the command whose flag is at this place."""
    head = text[max(0, at - _MAX_COMMAND) : at].replace("\\\n", "  ").replace("\\\r\n", "   ")
    cut = max(map(head.rfind, ("\n", "|", ";", "&&", "$(", "`")))
    return head[cut + 1 :]


def _short_flag(text: str, match: re.Match[str], start: int, end: int) -> tuple[int, int, str] | None:
    flag, separator, value = match[1], match[2], text[start:end]
    if not separator and value[:3] in ("ass", "swd", "ort", "rof", "rin"):
        return None
    head = _command_before(text, match.start())
    if flag in _PAIRS and (separator or flag == "u"):
        user, _, password = value.partition(":")
        if user and password and not user.startswith(("$", "http", "/")):
            strong = compiled(rf"(?:^|[\s/(\"'])(?:{_PAIRS[flag]})(?:\.exe)?[\s\"']").search(head)
            if _is_password(password) if strong else _is_likely(password):
                return start + len(user) + 1, end, "password"
        if flag in "uU":
            return None
    if separator and flag not in _NOT_ALONE and is_strong(value) and not _is_path(value):
        return start, end, "password"
    commands = (_SEPARATE if separator else _ATTACHED).get(flag)
    if not commands:
        return None
    if compiled(rf"(?:^|[\s/\\(\"'])(?:{commands})(?:\.exe)?[\s\"']").search(f"{head} "):
        strong = flag != "pw" or _is_likely(value)
        return (start, end, "password") if strong and _is_password(value) and not _is_path(value) else None
    if (
        separator
        and flag in "pPwW"
        and compiled(_USER_FLAG).search(text, match.start() - len(head), end + 100)
    ):
        return (start, end, "password") if _is_likely(value) and not _is_path(value) else None
    return None


def _is_path(value: str) -> bool:
    return (
        compiled(r"[a-z_.-]{4,}=.*|[~.]{0,2}/[^\s]*|[\w.-]+/[\w./-]+|[0-9:.]+|[0-9]+[:/-].*").fullmatch(value)
        is not None
    )


def _in_slashed_flags(text: str) -> Iterator[tuple[int, int, str]]:
    for match in limited(compiled(_SLASHED).finditer(text)):
        start, end = _value(match)
        if _is_likely(text[start:end]) and (match[2] == ":" or " /" in _command_before(text, match.start())):
            yield start, end, "password"


def _in_oracle(text: str) -> Iterator[tuple[int, int, str]]:
    looked = looking(text)
    at = text.find("@")
    while at >= 0:
        slash = text.rfind("/", max(0, at - 100), at)
        if slash > 0 and text[slash - 1].isalnum() and _is_password(text[slash + 1 : at]):
            looked.spend(at)
            if compiled(_ORACLE).search(text, max(0, slash - 100), slash + 1):
                yield slash + 1, at, "password"
        at = text.find("@", at + 1)


def _in_pipes(text: str) -> Iterator[tuple[int, int, str]]:
    for match in limited(compiled(_WRITES).finditer(text)):
        line = text.find("\n", match.end(), match.end() + 200)
        if compiled(_READS).search(text, match.end(), line if line >= 0 else match.end() + 200):
            for word in compiled(_WRITTEN).finditer(text, *match.span(1)):
                value = word[0]
                start = word.start() + (value.index(":") + 1 if ":" in value else 0)
                if _is_password(text[start : word.end()]):
                    yield start, word.end(), "password"


def _in_here_strings(text: str) -> Iterator[tuple[int, int, str]]:
    for match in limited(compiled(_HERE_STRING).finditer(text)):
        start, end = _value(match)
        if _is_password(text[start:end]) and compiled(_READER).search(_command_before(text, match.start())):
            start += text[start:end].find(":") + 1
            yield start, end, "password"
    for match in limited(compiled(_HERE_DOCUMENT).finditer(text)):
        if compiled(_READS).search(_command_before(text, match.start()) + match[2]):
            for word in compiled(r"(\S{6,100})[ ]?(?:\n|\Z)").finditer(text, *match.span(3)):
                if _is_likely(word[1]):
                    yield *word.span(1), "password"


def _printed(text: str, lower: str, words: frozenset[bytes]) -> Iterator[tuple[int, int, str]]:
    looked = looking(text)
    for word, arguments in _PRINTERS:
        at = lower.find(word) if not _longest(word).isdisjoint(words) else -1
        while at >= 0:
            looked.spend(at)
            match = compiled(arguments + _PRINTED).match(text, at + len(word.rstrip()))
            if match and _prints_secret(text, at, match, arguments):
                yield *match.span("printed"), "secret"
            at = lower.find(word, at + len(word))


@cache
def _longest(phrase: str) -> frozenset[bytes]:
    return as_words(max(compiled("[a-z]+").findall(phrase), key=len))


def _prints_secret(text: str, at: int, match: re.Match[str], arguments: str) -> bool:
    value = match["printed"]
    if not is_plausible("password", value, LINE) or is_code(value) or is_filler(value):
        return False
    if arguments is _ANYTHING:
        return True
    if not compiled(_PROMPT).search(text, max(0, at - 40), at):
        return False
    if arguments is _READS_FILE:
        return compiled(_FILE).search(match["file"].rstrip("\"'").rpartition("/")[2]) is not None
    return kind_of_name(match["name"]) is not None
