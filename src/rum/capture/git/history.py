"""The commits of a history, which of them name each other, and which were reverted."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from rum.capture.git.ids import memory_id
from rum.capture.git.message import Mention, Naming, cut, mentions, parse_message, reason_of
from rum.capture.git.work_kind import Noise, noise_by_author
from rum.model.memory_layers import FailureCategory
from rum.repo.history import Commit

_MAX_REASON = 1000

# The author of a commit, the time it was written, and its subject: a rebase changes none of them.
Authorship = tuple[str, int, str]

_REVERT_SUBJECT = re.compile(
    r'(?P<word>Revert|Reapply|revert:) "(?P<quoted>.+?)"(?: \(#\d+\))*|revert: (?P<plain>.+)'
)
# The number that a forge adds to the subject of a squashed pull request.
_PULL_REQUEST = re.compile(r" \(#(\d+)\)")
_BREAKS = r"(?:fail|break|broke|error|flak)\w*"
# The words of a reason for each category; the first category that matches wins.
_CATEGORIES = {
    category: re.compile(rf"\b(?:{words})\b", re.IGNORECASE)
    for category, words in (
        (FailureCategory.RACE_CONDITION, r"race|races|racy|race conditions?|deadlocks?"),
        (
            FailureCategory.BUILD_FAILURE,
            r"(?:to|doesn't|not|can't|cannot|won't) (?:build|compile|link)"
            rf"|(?:builds?|compil\w+|link\w*) {_BREAKS}|{_BREAKS} (?:\w+ ){{0,2}}(?:builds?|compil\w+)",
        ),
        (
            FailureCategory.TEST_FAILURE,
            rf"(?:tests?|ci|checks?) (?:\w+ ){{0,2}}{_BREAKS}|{_BREAKS} (?:\w+ ){{0,3}}(?:tests?|ci|checks?)",
        ),
        (FailureCategory.TYPE_ERROR, r"type errors?|type ?check\w*|mypy"),
        (
            FailureCategory.RUNTIME_ERROR,
            r"crash\w*|segfaults?|segv|exceptions?|panics?|assert\w*|leaks?|abort\w*|hangs?|out of memory|"
            r"overflow\w*|use-after-free",
        ),
        (
            FailureCategory.MISSING_DEPENDENCY,
            r"missing (?:dependenc\w+|packages?|modules?|librar\w+)|not installed",
        ),
        (
            FailureCategory.INCORRECT_ASSUMPTION,
            r"assum\w+|turn(?:s|ed) out|misunderst\w+|mistak\w*|accident\w*|wrongly|not needed|unnecessary|"
            r"premature\w*|not ready|too early",
        ),
        (
            FailureCategory.UNEXPECTED_SIDE_EFFECT,
            r"regress\w*|break\w*|broke|side[- ]effects?|caus(?:e|es|ed|ing)|incompatib\w+|no longer|slow\w*|"
            r"problems?|issues?|unintended|introduc\w+|fail\w*",
        ),
        (
            FailureCategory.LOGIC_ERROR,
            r"wrong|incorrect\w*|bugs?|buggy|invalid|bad|logic|(?:not|n't) work\w*",
        ),
    )
}


class Entry(NamedTuple):
    """A commit in the ledger: its memory's id, why it may be noise, and its place in the history.

    `step` counts the commits before it in the same second.
    """

    sha: str
    at: int
    step: int
    memory_id: str
    noise: Noise | None
    subject: str
    place: int


class Reference(NamedTuple):
    """A commit that names another."""

    source: Entry
    target: Entry
    naming: Naming


class Revert(NamedTuple):
    """The commit that reverted another, and why if it says so."""

    by: Entry
    why: str

    @property
    def reason(self) -> str:
        """Why the commit was reverted; never empty."""
        return self.why or f"Reverted without a reason given: {self.by.subject}"

    @property
    def category(self) -> FailureCategory:
        """The category of the reason."""
        fitting = (category for category, words in _CATEGORIES.items() if words.search(self.why))
        return next(fitting, FailureCategory.OTHER)


class _References(NamedTuple):
    """The parts of a message about other commits; `reverts` is the subject of the one it reverts."""

    mentions: tuple[Mention, ...]
    reverts: str | None
    reason: str

    @property
    def is_revert(self) -> bool:
        """Whether it reverts anything."""
        return bool(self.reverts) or any(one.naming is Naming.REVERTS for one in self.mentions)


class Ledger:
    """The commits of a history, oldest first."""

    def __init__(
        self, history: Iterable[Commit], known: Mapping[str, str], merged: Callable[[str], list[str]]
    ) -> None:
        """`known`: ids of existing memories, by commit; `merged` returns the commits that a merge added."""
        self.entries: dict[str, Entry] = {}
        self.reverted: dict[str, Revert] = {}
        self._merged = merged
        self._references: dict[str, list[Reference]] = {}
        self._by_authorship: dict[Authorship, list[str]] = {}
        messages: dict[str, _References] = {}
        for commit in history:
            self._enter(commit, known.get(commit.sha))
            if words := _references_in(commit.message, self.entries[commit.sha].subject):
                messages[commit.sha] = words
            self._by_authorship.setdefault(self.authorship(commit), []).append(commit.sha)
        self._sorted = sorted(self.entries)
        self._add_references(messages)
        self._find_reverted(messages)

    def _enter(self, commit: Commit, known: str | None) -> None:
        parents = (self.entries.get(parent) for parent in commit.parents)
        step = max((parent.step + 1 for parent in parents if parent and parent.at == commit.at), default=0)
        self.entries[commit.sha] = Entry(
            commit.sha,
            commit.at,
            step,
            known or memory_id(commit.sha, commit.at, step),
            noise_by_author(len(commit.parents), commit.author),
            _subject(commit.message),
            len(self.entries),
        )

    def references(self, sha: str) -> list[Reference]:
        """The references of a commit to others, and of others to it."""
        return self._references.get(sha, [])

    @property
    def times(self) -> set[int]:
        """The times at which commits were written."""
        return {at for _, at, _ in self._by_authorship}

    def authorship(self, commit: Commit) -> Authorship:
        """Author, time and subject of a commit."""
        return commit.author, commit.authored_at, self.entries[commit.sha].subject

    def alike(self, commit: Commit) -> list[Entry]:
        """Other commits with the same author, time and subject: possible copies.

        None if one of them was reverted: then the other one may have added it again.
        """
        shas = self._by_authorship.get(self.authorship(commit), [])
        if any(sha in self.reverted for sha in shas):
            return []
        return [self.entries[sha] for sha in shas if sha != commit.sha]

    def reverted_through(self, sha: str) -> list[Entry]:
        """The commits whose outcome depends on a commit: those it reverts, those they reverted, and so on."""
        found: dict[str, Entry] = {}
        waiting = [sha]
        while waiting:
            new = [other for other in self._reverted_by(waiting.pop()) if other not in found]
            found.update((other, self.entries[other]) for other in new)
            waiting += new
        return list(found.values())

    def find(self, prefix: str) -> Entry | None:
        """The commit whose id begins with `prefix`; None if there is none, or more than one."""
        index = bisect_left(self._sorted, prefix)
        candidates = self._sorted[index : index + 2]
        matching = [sha for sha in candidates if sha.startswith(prefix)]
        return self.entries[matching[0]] if len(matching) == 1 else None

    def _add_references(self, messages: dict[str, _References]) -> None:
        subjects: dict[str, list[Entry]] = {}
        if any(words.reverts for words in messages.values()):
            for entry in self.entries.values():
                # A revert need not quote the numbers of pull requests.
                subjects.setdefault(_PULL_REQUEST.sub("", entry.subject), []).append(entry)
        for sha, words in messages.items():
            source = self.entries[sha]
            targets: dict[str, Reference] = {}
            for reference in self._references_of(source, words, subjects):
                targets.setdefault(reference.target.sha, reference)
            for reference in targets.values():
                self._references.setdefault(source.sha, []).append(reference)
                self._references.setdefault(reference.target.sha, []).append(reference)

    def _references_of(
        self, source: Entry, words: _References, subjects: dict[str, list[Entry]]
    ) -> Iterable[Reference]:
        """The references of one message; a commit can only revert or fix earlier ones."""
        has_revert = False
        for mention in sorted(words.mentions, key=lambda mention: list(Naming).index(mention.naming)):
            target = self.find(mention.sha)
            if target is None or target is source:
                continue
            naming = mention.naming if target.place < source.place else Naming.NAMES
            if target.noise is Noise.MERGE and naming is Naming.REVERTS:
                for entry in map(self.entries.get, self._merged(target.sha)):
                    if entry and entry is not source:
                        yield Reference(source, entry, naming)
            has_revert |= naming is Naming.REVERTS
            yield Reference(source, target, naming)
        if words.reverts and not has_revert:
            same_subject = subjects.get(_PULL_REQUEST.sub("", words.reverts), [])
            before = bisect_left(same_subject, source.place, key=lambda entry: entry.place)
            earlier = same_subject[:before][::-1]
            similar = [entry for entry in earlier if _may_be_same(entry.subject, words.reverts)]
            target = next((entry for entry in similar if entry.subject == words.reverts), None)
            if target := target or next(iter(similar), None):
                inside = self._merged(target.sha) if target.noise is Noise.MERGE else ()
                same = [entry for entry in similar if entry.sha in inside]
                yield from (Reference(source, entry, Naming.REVERTS) for entry in (target, *same))

    def _find_reverted(self, messages: dict[str, _References]) -> None:
        """Find the commits that stay reverted: newest first, as a revert that was reverted does not count."""
        for sha in sorted(messages, key=lambda other: -self.entries[other].place):
            targets = [] if sha in self.reverted else self._reverted_by(sha)
            is_merge = bool(targets) and self.entries[sha].noise is Noise.MERGE
            merged = [other for other in self._merged(sha) if other in messages] if is_merge else []
            for target in targets:
                # A merge often repeats the messages of the commits that it adds; then those count.
                reverting = [other for other in merged if target in self._reverted_by(other)] or [sha]
                valid = [other for other in reverting if other not in self.reverted]
                if valid:
                    why = messages[sha].reason or messages[valid[0]].reason
                    self.reverted.setdefault(target, Revert(self.entries[valid[0]], why))

    def _reverted_by(self, sha: str) -> list[str]:
        """The commits that one reverts."""
        own_references = (reference for reference in self.references(sha) if reference.source.sha == sha)
        return [reference.target.sha for reference in own_references if reference.naming is Naming.REVERTS]


def named_in(message: str) -> tuple[list[str], list[str]]:
    """The ids of commits that a message names, and the subject that it quotes if it reverts without an id."""
    words = _references_in(message, _subject(message))
    if not words:
        return [], []
    has_id = any(mention.naming is Naming.REVERTS for mention in words.mentions)
    subjects = [_PULL_REQUEST.sub("", words.reverts)] if words.reverts and not has_id else []
    return [mention.sha for mention in words.mentions], subjects


def is_revert(message: str) -> bool:
    """Whether a message says that it reverts a commit."""
    words = _references_in(message, _subject(message))
    return words is not None and words.is_revert


def _subject(message: str) -> str:
    # Cut first: a message may be very long, and a subject is short.
    return " ".join(message[:1000].strip().partition("\n")[0].split())


def _references_in(message: str, subject: str) -> _References | None:
    """What a message says about other commits; None if nothing."""
    mentioned, reverts = mentions(message), None
    # Git and GitHub quote the subject of the commit that is reverted.
    if match := _REVERT_SUBJECT.fullmatch(subject):
        quoted = match["quoted"] or match["plain"]
        reverts = f'Revert "{quoted}"' if match["word"] == "Reapply" else quoted
    if not mentioned and not reverts:
        return None
    words = _References(mentioned, reverts, "")
    reason = cut(reason_of(parse_message(message).body), _MAX_REASON) if words.is_revert else ""
    return words._replace(reason=reason)


def _may_be_same(subject: str, quoted: str) -> bool:
    """Whether similar subjects may be of one commit: their pull requests do not contradict each other."""
    ours, theirs = set(_PULL_REQUEST.findall(subject)), set(_PULL_REQUEST.findall(quoted))
    return ours <= theirs or theirs <= ours
