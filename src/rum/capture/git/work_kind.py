"""What kind of work a commit was, and which part of the project it was about."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from rum.model.memory_layers import TaskType

SCOPES = 3
FOLDERS = 4

_HEAD = re.compile(
    r"(?P<type>[A-Za-z][\w.+/ -]{0,40}?)\s*(?:\((?P<scope>[^()]{1,60})\))?(?P<breaking>!)?:\s+(?P<rest>\S.*)"
)
_BRACKET = re.compile(r"\[(?P<scope>[^\[\]]{1,40})\]\s*(?P<rest>\S.*)")
_SCOPE = re.compile(r"[a-z0-9][a-z0-9_.+-]{1,29}")
_TYPES = {
    "feat": TaskType.FEATURE_ADD,
    "feature": TaskType.FEATURE_ADD,
    "fix": TaskType.BUG_FIX,
    "bugfix": TaskType.BUG_FIX,
    "hotfix": TaskType.BUG_FIX,
    "revert": TaskType.BUG_FIX,
    "docs": TaskType.DOCUMENTATION,
    "doc": TaskType.DOCUMENTATION,
    "style": TaskType.REFACTOR,
    "refactor": TaskType.REFACTOR,
    "cleanup": TaskType.REFACTOR,
    "perf": TaskType.OPTIMIZATION,
    "test": TaskType.TEST_WRITE,
    "tests": TaskType.TEST_WRITE,
    "build": TaskType.CONFIGURATION,
    "ci": TaskType.CONFIGURATION,
    "config": TaskType.CONFIGURATION,
    "deps": TaskType.DEPENDENCY_UPDATE,
    "security": TaskType.SECURITY_FIX,
    "chore": TaskType.OTHER,
}
"""The first word of a subject such as `fix(parser)!: …`."""
_SUBSYSTEMS = {
    TaskType.DOCUMENTATION: r"docs?|documentation|man(ual|page)?s?|readme|changelog|release-?notes|news|faq",
    TaskType.TEST_WRITE: r"tests?|testing|unit ?tests?|runtests|spec",
    TaskType.CONFIGURATION: (
        r"ci|gha|github|gitlab|workflows?|appveyor|azure|travis|circleci|cirrus|cmake|meson|make(file)?|"
        r"configure|autotools|packaging|docker(file)?|tox|nox|pre-commit|pyproject"
    ),
}
_WORDS = {
    task_type: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for task_type, words in (
        (TaskType.SECURITY_FIX, r"cve-\d+|security|vulnerab\w*|exploit\w*"),
        (
            TaskType.DEPENDENCY_UPDATE,
            r"(bump|upgrade|update|pin|unpin)s? .*\b(from|to) v?\d\S*|dependenc(y|ies)|requirements\.txt",
        ),
        (
            TaskType.DOCUMENTATION,
            r"typos?|spelling|readme|docs?|documentation|docstrings?|changelog|man ?pages?",
        ),
        (
            TaskType.BUG_FIX,
            r"fix(es|ed|up|ing)?|bugs?|revert(s|ed)?|avoids?|prevents?|corrects?|crash\w*|leaks?|regressions?|"
            r"broken|repairs?|wrong|segfault\w*|overflow\w*|race|deadlock|mistak\w*|don't|do not|invalid",
        ),
        (TaskType.OPTIMIZATION, r"optimi[sz]\w*|faster|speed ?up|speeds?|perf\w*|slow\w*|cach(e|es|ing)"),
        (TaskType.TEST_WRITE, r"tests?|testing|coverage|test ?cases?"),
        (
            TaskType.REFACTOR,
            r"refactor\w*|clean(s|ed)?[- ]?ups?|renam\w*|mov(e|es|ed|ing)|split\w*|simplif\w*|extract\w*|"
            r"reorgani[sz]\w*|restructur\w*|deduplicat\w*|remov\w*|drop\w*|delet\w*|unused|dead code|"
            r"re-?format\w*|whitespace|indent\w*|lint\w*|style|convert\w*|replac\w*|factor out|get rid",
        ),
        (
            TaskType.CONFIGURATION,
            r"ci|builds?|config(ure|uration)?|workflow|makefile|cmake|meson|docker\w*|travis",
        ),
        (
            TaskType.FEATURE_ADD,
            r"add(s|ed|ing)?|introduc\w*|implement\w*|support\w*|allow\w*|enabl\w*|new|provid\w*|creat\w*|extend\w*|"
            r"teach\w*|learn\w*|initial|first",
        ),
    )
}
"""The words of a subject, those that say most first."""
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc", ".1", ".3", ".html")
_SETUP = (".yml", ".yaml", ".toml", ".cfg", ".ini", ".cmake", ".mk", ".am", ".ac")
_CONTAINERS = frozenset(
    ("src", "lib", "libs", "packages", "apps", "crates", "pkg", "internal", "cmd", "modules")
)


class Kind(NamedTuple):
    """What kind of work, and the parts of the project that the subject names."""

    task_type: TaskType
    scopes: tuple[str, ...] = ()
    breaking: bool = False


def kind_of(subject: str, paths: Sequence[str]) -> Kind:
    """The kind of a commit: as a conventional subject says, else by its words, else by its files."""
    head = _HEAD.fullmatch(subject) or _BRACKET.fullmatch(subject)
    if not head:
        return Kind(_by_words(subject) or _by_files(paths))
    parts = head.groupdict()
    first = (parts.get("type") or "").strip().lower()
    scope = parts["scope"] or ("" if first in _TYPES else first)
    scopes = tuple(_scopes(scope))
    told = _TYPES.get(first)
    if told in (TaskType.OTHER, TaskType.CONFIGURATION) and "deps" in scope.lower():
        told = TaskType.DEPENDENCY_UPDATE
    if told is TaskType.BUG_FIX and _WORDS[TaskType.SECURITY_FIX].search(subject):
        told = TaskType.SECURITY_FIX
    if told in (None, TaskType.OTHER):
        told = _by_subsystem(scope) or _by_words(parts["rest"]) or told or _by_files(paths)
    return Kind(told, scopes, bool(parts.get("breaking")))


def folders(paths: Iterable[str]) -> list[str]:
    """The parts of the project that most of the files lie in, by the first folder that says something."""
    found = Counter(folder for path in paths if (folder := _folder(path)))
    return [folder for folder, _ in sorted(found.items(), key=lambda one: (-one[1], one[0]))[:FOLDERS]]


def _folder(path: str) -> str | None:
    parts = path.lower().split("/")[:-1]
    if len(parts) > 1 and parts[0] in _CONTAINERS:
        del parts[0]
    return parts[0] if parts and _SCOPE.fullmatch(parts[0]) else None


def _scopes(scope: str) -> list[str]:
    words = (word.strip().lower() for word in re.split(r"[,/&|]| and ", scope))
    return list(dict.fromkeys(word for word in words if _SCOPE.fullmatch(word)))[:SCOPES]


def _by_subsystem(scope: str) -> TaskType | None:
    names = re.split(r"[/, ]", scope.lower())
    for task_type, pattern in _SUBSYSTEMS.items():
        if any(re.fullmatch(pattern, name) for name in names[:2]):
            return task_type
    return None


def _by_words(text: str) -> TaskType | None:
    return next((task_type for task_type, words in _WORDS.items() if words.search(text)), None)


def _by_files(paths: Sequence[str]) -> TaskType:
    """The kind that all files agree on."""
    kinds = {_of_file(path.lower()) for path in paths}
    return kinds.pop() if len(kinds) == 1 else TaskType.OTHER


def _of_file(path: str) -> TaskType:
    folders, name = posixpath.split(path)
    if re.search(r"(^|/)(tests?|spec|__tests__)(/|$)", folders) or re.match(r"test_|.*[._]test\.", name):
        return TaskType.TEST_WRITE
    if path.startswith(("doc/", "docs/")) or name.endswith(_DOCUMENTS):
        return TaskType.DOCUMENTATION
    if path.startswith(".") or name.endswith(_SETUP) or name in ("makefile", "dockerfile"):
        return TaskType.CONFIGURATION
    return TaskType.OTHER
