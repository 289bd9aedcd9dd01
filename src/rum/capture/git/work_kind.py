"""What kind of work a commit was, which part of the project it changed, and whether it is noise."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import NamedTuple

from rum.model.memory_layers import TaskType
from rum.text.lexicon import COMMIT, CONVENTIONAL_TYPES, SUBSYSTEMS, mentions_security, task_type_in, word_set

MAX_SCOPES = 3
MAX_FOLDERS = 4

_HEAD = re.compile(
    r"(?P<type>[A-Za-z][\w.+/ -]{0,40}?)\s*(?:\((?P<scope>[^()]{1,60})\))?(?P<breaking>!)?:\s+(?P<rest>\S.*)"
)
_BRACKET = re.compile(r"\[(?P<scope>[^\[\]]{1,40})\]\s*(?P<rest>\S.*)")
_SCOPE = re.compile(r"[a-z0-9][a-z0-9_.+-]{1,29}")
_DOCUMENTS = (".md", ".rst", ".txt", ".adoc", ".1", ".3", ".html")
_SETUP = (".yml", ".yaml", ".toml", ".cfg", ".ini", ".cmake", ".mk", ".am", ".ac")
# Folders that most projects have; the one below them says more.
_CONTAINERS = frozenset(
    ("src", "lib", "libs", "packages", "apps", "crates", "pkg", "internal", "cmd", "modules")
)


class WorkKind(NamedTuple):
    """The type of task, and the parts of the project that the subject names."""

    task_type: TaskType
    scopes: tuple[str, ...] = ()
    breaking: bool = False


def work_kind(subject: str, paths: Sequence[str]) -> WorkKind:
    """The kind of a commit: by a conventional subject, else by its words, else by its files."""
    head = _HEAD.fullmatch(subject) or _BRACKET.fullmatch(subject)
    if not head:
        return WorkKind(_by_words(subject) or _by_files(paths))
    parts = head.groupdict()
    first = (parts.get("type") or "").strip().lower()
    scope = parts["scope"] or ("" if first in CONVENTIONAL_TYPES else first)
    words = (word.strip().lower() for word in re.split(r"[,/&|]| and ", scope))
    scopes = tuple(dict.fromkeys(word for word in words if _SCOPE.fullmatch(word)))[:MAX_SCOPES]
    task_type = TaskType(CONVENTIONAL_TYPES[first]) if first in CONVENTIONAL_TYPES else None
    # `chore(deps)` and `build(deps)`, as bots for dependencies write.
    if task_type in (TaskType.OTHER, TaskType.CONFIGURATION) and "deps" in scope.lower():
        task_type = TaskType.DEPENDENCY_UPDATE
    if task_type is TaskType.BUG_FIX and mentions_security(subject):
        task_type = TaskType.SECURITY_FIX
    if task_type in (None, TaskType.OTHER):
        task_type = _by_subsystem(scope) or _by_words(parts["rest"]) or task_type or _by_files(paths)
    return WorkKind(task_type, scopes, bool(parts.get("breaking")))


def folders(paths: Iterable[str]) -> list[str]:
    """The folders that hold most of the files: the first one of each path that is not a mere container."""
    found: Counter[str] = Counter()
    for path in paths:
        parts = path.lower().split("/")[:-1]
        if len(parts) > 1 and parts[0] in _CONTAINERS:
            del parts[0]
        if parts and _SCOPE.fullmatch(parts[0]):
            found[parts[0]] += 1
    return sorted(found, key=lambda folder: (-found[folder], folder))[:MAX_FOLDERS]


def _by_subsystem(scope: str) -> TaskType | None:
    names = re.split(r"[/, ]", scope.lower())
    for task_type, pattern in SUBSYSTEMS.items():
        if any(re.fullmatch(pattern, name) for name in names[:2]):
            return TaskType(task_type)
    return None


def _by_words(text: str) -> TaskType | None:
    found = task_type_in(text, COMMIT)
    return TaskType(found) if found else None


def _by_files(paths: Sequence[str]) -> TaskType:
    """The type that all files have in common; OTHER if they differ."""
    kinds = {_file_type(path.lower()) for path in paths}
    return kinds.pop() if len(kinds) == 1 else TaskType.OTHER


def _file_type(path: str) -> TaskType:
    folders, name = posixpath.split(path)
    if re.search(r"(^|/)(tests?|spec|__tests__)(/|$)", folders) or re.match(r"test_|.*[._]test\.", name):
        return TaskType.TEST_WRITE
    if path.startswith(("doc/", "docs/")) or name.endswith(_DOCUMENTS):
        return TaskType.DOCUMENTATION
    if path.startswith(".") or name.endswith(_SETUP) or name in ("makefile", "dockerfile"):
        return TaskType.CONFIGURATION
    return TaskType.OTHER


_BOT = re.compile(
    r".*\[bot\]|.*[-_ ]bot|(?:dependabot|renovate|greenkeeper|pyup|snyk|mergify|imgbot|allcontributors|"
    r"semantic-release|pre-commit[- ]ci|github[- ]actions?|weblate|transifex|crowdin|release-please|"
    r"copybara|travis ci|circleci|jenkins|buildbot|hosted weblate)\b.*",
    re.IGNORECASE,
)
_NUMBER = r"v?\d+(?:\.\d+)+[\w.+-]*"
_RELEASE = re.compile(
    r"(?:chore\(release\)|chore: release|\[maven-release-plugin\]).*"
    rf"|(?:chore: |build: )?(?:bump|bumping|update|set|increase|increment)(?:ed|s)? (?:the )?version\b.*"
    rf"|(?:chore: |build: )?(?:version bump|release|releasing|bump to|version|tag|prepare(?: for)?|preparing)"
    rf"(?: (?:release|version|of|for))*:? {_NUMBER}\W*"
    rf"|(?:[\w.-]+ )?(?:release )?{_NUMBER}(?: release(?:d)?)?\W*"
    r"|(?:start|begin|back to|open|prepare(?: for)?)(?: the)? (?:next )?dev(?:elopment)?"
    r"(?: (?:cycle|iteration|version))?\W*",
    re.IGNORECASE,
)
_RELEASE_FILES = 5
_LOCKS = word_set(
    """
    package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb deno.lock poetry.lock
    pdm.lock uv.lock pipfile.lock cargo.lock gemfile.lock composer.lock go.sum go.work.sum flake.lock mix.lock
    pubspec.lock podfile.lock packages.lock.json gradle.lockfile cartfile.resolved package.resolved conan.lock
    pixi.lock conda-lock.yml
    """
)


class Noise(StrEnum):
    """Why a commit makes no memory."""

    MERGE = "merge"
    BOT = "bot"
    RELEASE = "release"
    LOCK_FILE = "lock_file"
    EMPTY = "empty"
    COPY = "copy"  # The same work on another branch, which has a memory already
    CUT_OFF = "cut_off"
    UNREADABLE = "unreadable"  # Git cannot read its objects


def noise_by_author(parents: int, author: str) -> Noise | None:
    """Why a commit is noise, as far as parents and author tell; its changes need not be read for this."""
    if parents > 1:
        return Noise.MERGE
    return Noise.BOT if _BOT.fullmatch(author.strip()) else None


def noise_by_change(subject: str, body: str, paths: Sequence[str]) -> Noise | None:
    """Why a commit is noise, as far as its message and its changes tell."""
    if not paths:
        return None if body else Noise.EMPTY
    names = {path.rpartition("/")[2].lower() for path in paths}
    if names <= _LOCKS:
        return Noise.LOCK_FILE
    # A release that changes many files is more than a new version number.
    if len(paths) <= _RELEASE_FILES and not body and _RELEASE.fullmatch(subject):
        return Noise.RELEASE
    return None
