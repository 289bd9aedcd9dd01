"""Fingerprints of attempts: marks of the lines of an edit, or of the words of a command.

Two attempts are similar if they share most of their marks; spacing, quotes and comments are ignored.
"""

from __future__ import annotations

import re
from functools import lru_cache
from zlib import crc32

from rum.text.shell import launchers, segments

# How the reason of an attempt begins that did not fail, but was not what the user wanted.
REJECTED_BY_USER = "rejected by the user"
# The same for one that was replaced after the user had said what they want.
REPLACED_FOR_USER = "replaced after the user said"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Tried:
    """A key to find it by, and the marks that distinguish it from others with that key."""

    def __init__(self, key: str, marks: frozenset[int]) -> None:
        self.key = key
        self.marks = marks

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tried) and (self.key, self.marks) == (other.key, other.marks)

    def __hash__(self) -> int:
        return hash((self.key, self.marks))


VERSION = 7  # Raise it when marks, keys or what counts as an attempt change: stored ones must be rebuilt

MAX_LENGTH = 16_000  # Maximum number of characters of an edit that are used
_SHINGLE = 3
_TOKEN = r"[A-Za-z_$][\w$]*|\d[\w.]*|[^\w\s]"  # noqa: S105
# `//` divides in some languages: after code it begins a comment only if words follow.
_COMMENT = (
    r"(?:^|\s)(?:#(?![!\[{]|include|define|if|else|endif|pragma)|--\s).*$"
    r"|^//.*$|\s//\s*[^\W\d]+(?:['’,.:!]*\s+[^\W\d]['’\w-]*)+[.!?]?\s*$|(?<=[;{}])\s*//.*$"
)
_BLANK = r'"(\s+)"'
_SAYING = r"[\w$]"


def edit_marks(added: str, removed: str = "") -> frozenset[int]:
    """The marks of the lines that an edit adds; of those that it removes if it adds none."""
    new, old = _lines(added), _lines(removed)
    gone = set(old)
    fresh = [line for line in new if line not in gone]
    if fresh:
        return _marks(fresh, "+")
    kept = set(new)
    return _marks([line for line in old if line not in kept], "-")


def edit_shapes(text: str) -> frozenset[str]:
    """The lines of code with `$` for each name of a value, so that other names make no difference.

    Names of what is called or accessed stay. Lines that then say little are left out.
    """
    from rum.text.shorten import LINE_BREAK  # noqa: PLC0415 (few edits replace what worked)

    found: set[str] = set()
    for line in _lines(text.replace(LINE_BREAK, "\n")):
        tokens = line.split()
        shape: list[str] = []
        known = 0
        for at, token in enumerate(tokens):
            after, before = tokens[at + 1 : at + 2], tokens[at - 1 : at] if at else []
            is_name = re.match(r"[A-Za-z_$]", token) is not None
            if is_name and token not in _KEYWORDS and after != ["("] and before != ["."]:
                shape.append("$")
                continue
            known += is_name and token not in _KEYWORDS
            shape.append(token)
        if known > 1:
            found.add(" ".join(shape))
    return frozenset(found)


def diff_marks(diff: str) -> frozenset[int]:
    """The marks of a diff, with + or - before each line; empty for any other text."""
    signs: dict[str, list[str]] = {"+": [], "-": []}
    for line in diff[:MAX_LENGTH].splitlines():
        if line[:1] in signs and not line.startswith(("+++ ", "--- ")):
            signs[line[0]].append(line[1:])
    return edit_marks("\n".join(signs["+"]), "\n".join(signs["-"]))


def _lines(text: str) -> list[str]:
    """The meaningful lines, without spacing and comments, and with one kind of quotes."""
    found: list[str] = []
    for line in text[:MAX_LENGTH].splitlines():
        bare = re.sub(_COMMENT, "", line.strip()).replace("'", '"').replace("`", '"')
        # The number of blanks in a text of blanks matters.
        bare = re.sub(_BLANK, lambda blank: f'"_{len(blank[1])}"', bare)
        if re.search(_SAYING, bare):
            found.append(" ".join(re.findall(_TOKEN, bare)).rstrip(" ;,"))
    return found


def _marks(lines: list[str], sign: str) -> frozenset[int]:
    marks: set[int] = set()
    for line in lines:
        tokens = line.split()
        # The line as a whole, and its parts: a line may be repeated as part of a longer one.
        parts = [" ".join(tokens[at : at + _SHINGLE]) for at in range(len(tokens) - _SHINGLE + 1)]
        marks.update(crc32(f"{sign} {part}".encode("utf-8", "replace")) for part in (f"^{line}$", *parts))
    return frozenset(marks)


# Lines beside a change: what it needs, opens or closes, or says about itself.
_BESIDE = (
    r"(?:import|from|using|use|require|require_once|include|#include|package|namespace|mod|module)\b(?!.*=\s*\w+\()"
    r"|(?:const|let|var)\s+[\w{}, ]+=\s*require\(|(?:#(?![!\[])|//|/\*|\*|--\s|\"\"\"|\'\'\')"
)
# What a line of a change is, from what most likely carries the change to what least does.
_CARRIES = (
    r"@\w",
    r"(?:\}\s*)?(?:else )?(?:if|elif|elsif|while|for|foreach|switch|match|case|when|unless|until|with|except"
    r"|catch|rescue|assert|raise|throw)\b",
    r".*\w[)\]]?\s*\(|.*\w!\(",
    r".*[=:]\s*\S|return\b",
)
_HEADS = (
    r"(?:export |public |private |protected |static |async |pub |abstract )*"
    r"(?:def|class|func|function|fn|fun|struct|impl|interface|trait|enum)\b|(?:try|else|finally|do|begin|end)\b"
)


def is_beside(line: str) -> bool:
    """Whether a line only stands beside a change: an import or a comment."""
    return re.match(_BESIDE, line.strip()) is not None


def carrying_line(lines: Iterable[str]) -> str:
    """The line that carries a change: rather a decorator or a condition than a call, an import last."""
    found, best = "", len(_CARRIES) + 3
    for line in map(str.strip, lines):
        if not re.search(_SAYING, line):
            continue
        if is_beside(line):
            rank = len(_CARRIES) + 2
        elif re.match(_HEADS, line):
            rank = len(_CARRIES)
        else:
            rank = next((at for at, one in enumerate(_CARRIES) if re.match(one, line)), len(_CARRIES) + 1)
        if rank < best:
            found, best = line, rank
    return found


# Words that every program has.
_KEYWORDS = frozenset(
    (
        "return", "if", "else", "elif", "for", "in", "not", "and", "or", "is", "while", "def", "class",
        "with", "as", "try", "except", "raise", "yield", "await", "async", "lambda", "const", "let", "var",
        "new", "function", "func", "fn", "throw", "case", "switch", "None", "null", "nil", "True", "False",
        "true", "false", "this", "self"
    )
)  # fmt: skip
# Options that only change how much a command prints.
_NEUTRAL = frozenset(
    (
        "-v", "-vv", "-vvv", "-q", "-s", "-x", "--verbose", "--quiet", "--silent", "--debug",
        "--no-color", "--color", "--yes", "-y", "--progress", "--no-progress", "--colour", "--no-input",
        "--tb", "--stacktrace", "--trace"
    )
)  # fmt: skip
# Programs that only read or prepare: a failure is an answer.
_LOOKS = frozenset(
    (
        "ls", "cat", "bat", "head", "tail", "less", "more", "nl", "wc", "pwd", "echo", "printf", "which",
        "type", "whoami", "date", "tree", "find", "fd", "rg", "grep", "egrep", "ag", "stat", "file", "du",
        "df", "ps", "jq", "awk", "cd", "true", "false", "test", "[", "sleep", "column", "sort", "uniq",
        "cut", "xxd", "od", "diff", "cmp", "realpath", "basename", "dirname", "id", "uname", "hostname",
        "history", "man", "help", "tr", "tee", "rum", "sed", "readlink", "md5sum", "sha256sum", "export",
        "set", "source", ".", "exit", "pushd", "popd", "dir", "pgrep", "kill", "pkill", "lsof",
        "Get-Content", "Get-ChildItem", "Select-String"
    )
)  # fmt: skip
# Words after a program that make it a query: a failure is an answer, and may differ each time.
_ASKS = {
    "git": frozenset(
        (
            "status", "log", "diff", "show", "grep", "blame", "rev-parse", "ls-files", "ls-tree", "ls-remote",
            "describe", "show-ref", "merge-base", "check-ignore", "cat-file", "symbolic-ref", "config",
            "rev-list", "shortlog", "reflog"
        )
    ),
    "docker": frozenset(("ps", "images", "inspect", "logs", "info", "version", "port", "top")),
    "npm": frozenset(("ls", "list", "view", "info", "outdated")),
    "pip": frozenset(("show", "list", "check", "freeze", "index")),
}  # fmt: skip
_CHECKS = frozenset(
    (
        "pytest", "unittest", "tox", "nox", "jest", "vitest", "mocha", "ava", "rspec", "phpunit", "ctest",
        "ruff", "mypy", "pyright", "eslint", "tsc", "flake8", "pylint", "black", "prettier",
        "golangci-lint", "pre-commit", "biome", "clippy-driver", "playwright", "cypress", "stylelint",
        "rubocop"
    )
)  # fmt: skip
# Words after a program that make it a check: a failure is about the code, not about the command.
_CHECKING = frozenset(
    (
        "test", "t", "tests", "check", "lint", "typecheck", "type-check", "types", "build", "all",
        "verify", "vet", "clippy", "compile", "e2e", "unit", "ci"
    )
)  # fmt: skip
_INTERPRETERS = frozenset(
    (
        "python", "py", "node", "deno", "bun", "ruby", "perl", "php", "bash", "sh", "zsh",
        "pwsh", "Rscript"
    )
)  # fmt: skip
# Options that name the folder in which a command is run.
_ELSEWHERE = ("-C", "--prefix", "--directory", "--cwd")
# Programs whose second plain word describes the action as much as the first.
_RUNNERS = frozenset(
    (
        "npm", "pnpm", "yarn", "bun", "docker", "docker-compose", "php", "rails", "mix", "gh", "aws",
        "gcloud", "az", "kubectl", "just"
    )
)  # fmt: skip
_MISUSED = (
    r"(?i)command not found|not recogni[sz]ed as|unrecogni[sz]ed (?:arg|option)|missing script"
    r"|(?:unknown|invalid|no such|unexpected) (?:option|command|flag|choice|arg)|is not an? \w+ command"
    r"|no tests? (?:ran|found|collected)|no rule to make|file or directory not found"
)
_UNKNOWN = (
    r"(?i)(?:unrecogni[sz]ed|unknown|invalid|no such|unexpected|undefined|illegal) (?:command[- ]line )?"
    r"(?:arg\w*|options?|flags?|command|subcommand|choice|switch)\b|missing script|is not an? \w+ command"
)
# Errors of a check itself if they contain a word of its command; otherwise they are about the code.
_NAMED = (
    r"(?i)no such file|permission denied|can(?:no|')t (?:find|open)|could not find|not found|no module named"
    r"|not installed|enoent"
)
_RAN = r"\b[1-9]\d* (?:failed|passed|failing|passing|failures?|errors?|problems?)\b"
# Names of scripts that check.
_CHECK = r"(?i)(?:run[_-]?)?(?:tests?|checks?|lint|verify|spec)(?:[._-].*)?$"
_REDIRECT = r"\d?&?>{1,2}.*|<.*|\d+>&\d+"
_HERE = r"^(?:https?://)?(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])\b"
_NAMELESS = r"[0-9a-f]{7,40}|[0-9a-f]{8}-[0-9a-f-]{27}"


@lru_cache(maxsize=256)  # the same few commands are run again and again
def command_tried(command: str) -> Tried | None:
    """The key and marks of a command line; None if it only reads."""
    acting = _acting(command)
    if not acting:
        return None
    key, marks = _key(acting[0]), set[int]()
    for number, words in enumerate(acting):
        salient = _salient(words)
        for at, word in enumerate(salient):
            times = salient[:at].count(word)
            marks.add(crc32(f"{number} {times} {word}".encode("utf-8", "replace")))
    return Tried(key, frozenset(marks))


def _acting(command: str) -> list[list[str]]:
    """The simple commands that do more than read, without versions and folders."""
    acting = [words for words in segments(command) if words[0] not in _LOOKS]
    found = [[words[0], *words[3:]] if words[1:2] and words[1] in _ELSEWHERE else words for words in acting]
    plain = [[re.sub(r"^(python|pip)[\d.]+$", r"\1", first), *rest] for first, *rest in found]
    return [words for words in plain if not _asks(words)]


def _asks(words: list[str]) -> bool:
    if words[0] in ("curl", "wget"):  # they only test whether a server is up
        return any(re.search(_HERE, word) for word in words[1:]) and not any(
            word in ("-d", "--data", "-X", "--request", "-F", "--form", "-T") for word in words
        )
    return any(word in _ASKS.get(words[0], ()) for word in words[1:2])


def started_by(command: str) -> str:
    """How the first simple command that does more than read is started; empty for its bare name."""
    pairs = zip(segments(command), launchers(command), strict=False)
    return next((launcher for words, launcher in pairs if words[0] not in _LOOKS and not _asks(words)), "")


def is_check(command: str) -> bool:
    """Whether a command line checks the code, so that a failure is an answer."""
    return any(_checks(words) for words in _acting(command))


def has_run_tests(output: str) -> bool:
    """Whether an output counts tests, so that a failure is about the code."""
    return re.search(_RAN, output) is not None


def is_misuse(command: str, error: str) -> bool:
    """Whether a check failed because the command itself was wrong, or could not be run."""
    if has_run_tests(error):
        return False
    if re.search(_MISUSED, error):
        return True
    names = {_bare(word) for words in _acting(command) for word in words if not word.startswith("-")}
    mentioned = set(re.findall(r"[\w.-]+", error.replace("\\", "/")))
    return re.search(_NAMED, error) is not None and bool(names & mentioned)


def misused_words(command: str, error: str) -> frozenset[int]:
    """The marks of the options, or of the words, of a command that its error says it does not know."""
    said = re.search(_UNKNOWN, error)
    acting = _acting(command) if said else []
    if not said or not acting:
        return frozenset()
    named = set(re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*|[\w.:/@-]+", error[said.end() :][:80]))
    known = [word for word in _salient(acting[0])[1:] if word in named]
    options = [word for word in known if word.startswith("-")]
    return frozenset(crc32(f"0 0 {word}".encode("utf-8", "replace")) for word in options or known)


def _checks(words: list[str]) -> bool:
    if words[0] in _CHECKS or re.match(_CHECK, _bare(words[0])):
        return True
    plain = [word for word in words[1:4] if not word.startswith("-")]
    if words[0] in _INTERPRETERS and any(
        re.match(_CHECK, _bare(word)) for word in (*plain[:1], *_runs(words))
    ):
        return True
    return any(word.split(":")[0] in _CHECKING for word in plain[:2])


def _runs(words: list[str]) -> list[str]:
    """The leading options of a program without their dashes: `node --test`."""
    return [word.lstrip("-") for word in words[1:3] if word.startswith("--")]


def _key(words: list[str]) -> str:
    """The program with the one or two words that describe its action."""
    first = next((at for at, word in enumerate(words) if at and not word.startswith("-")), len(words))
    plain = [_bare(word) for word in words[first : first + 2]]
    if words[0] in _INTERPRETERS:
        return " ".join(["$", words[0], *plain[:1]])
    # A word after an option may be its value.
    second = words[0] in _RUNNERS and first == 1 < len(words) and not plain[-1].startswith("-")
    return " ".join(["$", words[0], *plain[: 2 if second else 1]])


def _salient(words: list[str]) -> list[str]:
    """The normalised words that describe the action; `--name=value` counts as two."""
    found = [words[0]]
    for word in words[1:]:
        for part in word.split("=", 1) if word.startswith("-") else [word]:
            if part and part not in _NEUTRAL and not re.fullmatch(_REDIRECT, part):
                found.append(_bare(part))
    return found


def _bare(word: str) -> str:
    """A word without quotes and folders; generated names become `#`."""
    plain = word.strip("'\"").replace("\\", "/")
    if not plain.startswith("-") and "://" not in plain:
        plain = plain.rstrip("/").rpartition("/")[2] or plain
    return "#" if re.fullmatch(_NAMELESS, plain) and re.search(r"\d", plain) else plain


def sample(marks: Iterable[int], limit: int) -> bytes:
    """At most `limit` of the marks as bytes; the same ones for equal marks."""
    return b"".join(mark.to_bytes(4, "big") for mark in sorted(marks)[:limit])


def sampled(data: bytes) -> list[int]:
    """The marks of a sample."""
    return [int.from_bytes(data[at : at + 4], "big") for at in range(0, len(data), 4)]


def shared(data: bytes, size: int, marks: frozenset[int]) -> float:
    """The estimated number of common marks, from the sample of an attempt with `size` marks."""
    some = sampled(data)
    return size * sum(mark in marks for mark in some) / len(some) if some else 0.0
