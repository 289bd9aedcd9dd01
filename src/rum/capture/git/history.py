"""All commits of a history with what they say of each other: who names whom, and what was undone."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, islice
from typing import NamedTuple

from rum.capture.git.ids import memory_id
from rum.capture.git.message import Mention, Naming, cut, mentions, parted, reason_of
from rum.capture.git.work_kind import Noise, noise_by_author
from rum.model.memory_layers import FailureCategory
from rum.repo.history import Commit

REASON = 1000

Writing = tuple[str, int, str]
"""Who wrote a commit, when, and its subject."""

_QUOTED = re.compile(
    r'(?P<word>Revert|Reapply|revert:) "(?P<quoted>.+?)"(?: \(#\d+\))*|revert: (?P<plain>.+)'
)
_SQUASHED = re.compile(r" \(#(\d+)\)")
"""What a forge adds to the subject of a commit when it squashes a pull request."""
_BREAKS = r"(?:fail|break|broke|error|flak)\w*"
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
"""The words of a reason, those that say most first."""


class Entry(NamedTuple):
    """A commit in the ledger: its memory's id, why it may be left out, and its place in the history.

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
    """One commit that speaks of another."""

    source: Entry
    target: Entry
    naming: Naming


class Undoing(NamedTuple):
    """What became of a commit that was taken back: by which one, and why if it says so."""

    by: Entry
    why: str

    @property
    def reason(self) -> str:
        """Why, in words."""
        return self.why or f"Reverted without a reason given: {self.by.subject}"

    @property
    def category(self) -> FailureCategory:
        """The same in a word."""
        fitting = (category for category, words in _CATEGORIES.items() if words.search(self.why))
        return next(fitting, FailureCategory.OTHER)


class _Said(NamedTuple):
    """What a message says of other commits."""

    mentions: tuple[Mention, ...]
    undoes: str | None
    reason: str


class Ledger:
    """The commits of a history, oldest first."""

    def __init__(
        self, history: Iterable[Commit], known: Mapping[str, str], merged: Callable[[str], list[str]]
    ) -> None:
        """`known` are the ids of memories that are here, by commit; `merged` tells what a merge brought."""
        self.entries: dict[str, Entry] = {}
        self.undone: dict[str, Undoing] = {}
        self._merged = merged
        self._references: dict[str, list[Reference]] = {}
        self._alike: dict[Writing, list[str]] = {}
        said: dict[str, _Said] = {}
        for commit in history:
            entry = self._enter(commit, known.get(commit.sha))
            if words := _words(commit.message, entry.subject):
                said[commit.sha] = words
            self._alike.setdefault(_written(commit, entry.subject), []).append(commit.sha)
        self._sorted = sorted(self.entries)
        self._refer(said)
        self._undo(said)

    def _enter(self, commit: Commit, known: str | None) -> Entry:
        parents = (self.entries.get(parent) for parent in commit.parents)
        step = max((one.step + 1 for one in parents if one and one.at == commit.at), default=0)
        entry = Entry(
            commit.sha,
            commit.at,
            step,
            known or memory_id(commit.sha, commit.at, step),
            noise_by_author(len(commit.parents), commit.author),
            " ".join(commit.message[:1000].strip().partition("\n")[0].split()),
            len(self.entries),
        )
        self.entries[commit.sha] = entry
        return entry

    def references(self, sha: str) -> list[Reference]:
        """What a commit says of others, and others of it."""
        return self._references.get(sha, [])

    @property
    def times(self) -> set[int]:
        """When commits were written."""
        return {at for _, at, _ in self._alike}

    def writing(self, commit: Commit) -> Writing:
        """By whom a commit was written, when, and under which subject."""
        return _written(commit, self.entries[commit.sha].subject)

    def alike(self, commit: Commit) -> list[Entry]:
        """The other commits that somebody wrote at the same time with the same subject: copies, it may be.

        None where one of them was taken back: then the other may be what brought it in again.
        """
        shas = self._alike.get(self.writing(commit), [])
        if any(sha in self.undone for sha in shas):
            return []
        return [self.entries[sha] for sha in shas if sha != commit.sha]

    def undone_through(self, sha: str) -> list[Entry]:
        """The commits whose outcome hangs on a commit: what it undoes, what that undid, and so on."""
        found: dict[str, Entry] = {}
        waiting = [sha]
        while waiting:
            fresh = [one for one in self._undoes(waiting.pop()) if one not in found]
            found.update((one, self.entries[one]) for one in fresh)
            waiting += fresh
        return list(found.values())

    def named(self, start: str) -> Entry | None:
        """The one commit whose id begins so."""
        place = bisect_left(self._sorted, start)
        found = self._sorted[place : place + 2]
        matching = [sha for sha in found if sha.startswith(start)]
        return self.entries[matching[0]] if len(matching) == 1 else None

    def _refer(self, said: dict[str, _Said]) -> None:
        subjects: dict[str, list[Entry]] = {}
        if any(words.undoes for words in said.values()):
            for entry in self.entries.values():
                subjects.setdefault(_bare(entry.subject), []).append(entry)
        for sha, words in said.items():
            source = self.entries[sha]
            targets: dict[str, Reference] = {}
            for reference in self._meant(source, words, subjects):
                targets.setdefault(reference.target.sha, reference)
            for reference in targets.values():
                self._references.setdefault(source.sha, []).append(reference)
                self._references.setdefault(reference.target.sha, []).append(reference)

    def _meant(self, source: Entry, words: _Said, subjects: dict[str, list[Entry]]) -> Iterable[Reference]:
        """The references of one message; a commit can only undo or mend what was there before it."""
        undoes = False
        for mention in sorted(words.mentions, key=lambda one: list(Naming).index(one.naming)):
            target = self.named(mention.sha)
            if target is None or target is source:
                continue
            naming = mention.naming if target.place < source.place else Naming.NAMES
            if target.noise is Noise.MERGE and naming is Naming.REVERTS:
                brought = (self.entries.get(sha) for sha in self._merged(target.sha))
                yield from (Reference(source, one, naming) for one in brought if one and one is not source)
            undoes |= naming is Naming.REVERTS
            yield Reference(source, target, naming)
        if words.undoes and not undoes:
            alike = subjects.get(_bare(words.undoes), [])
            earlier = alike[: bisect_left(alike, source.place, key=lambda one: one.place)][::-1]
            exact = (one for one in earlier if one.subject == words.undoes)
            nearly = (one for one in earlier if _same(one.subject, words.undoes))
            for target in islice(chain(exact, nearly), 1):
                inside = self._merged(target.sha) if target.noise is Noise.MERGE else ()
                brought = [one for one in earlier if one.sha in inside and _same(one.subject, words.undoes)]
                yield from (Reference(source, one, Naming.REVERTS) for one in (target, *brought))

    def _undo(self, said: dict[str, _Said]) -> None:
        """Find what stays undone: newest first, as an undoing that was undone itself does not count."""
        for sha in sorted(said, key=lambda one: -self.entries[one].place):
            targets = [] if sha in self.undone else self._undoes(sha)
            is_merge = bool(targets) and self.entries[sha].noise is Noise.MERGE
            brought = [one for one in self._merged(sha) if one in said] if is_merge else []
            for target in targets:
                # A merge often repeats what the commits say that it brings in; then it speaks for them.
                inside = [one for one in brought if target in self._undoes(one)] or [sha]
                standing = [one for one in inside if one not in self.undone]
                if standing:
                    why = said[sha].reason or said[standing[0]].reason
                    self.undone.setdefault(target, Undoing(self.entries[standing[0]], why))

    def _undoes(self, sha: str) -> list[str]:
        """The commits that one takes back."""
        told = self.references(sha)
        return [one.target.sha for one in told if one.naming is Naming.REVERTS and one.source.sha == sha]


def _written(commit: Commit, subject: str) -> Writing:
    return commit.author, commit.authored_at, subject


def _words(message: str, subject: str) -> _Said | None:
    """What a message says of others, if anything."""
    found = mentions(message)
    undoes = _undoes(subject)
    if not found and not undoes:
        return None
    takes_back = undoes or any(mention.naming is Naming.REVERTS for mention in found)
    reason = cut(reason_of(parted(message).body), REASON) if takes_back else ""
    return _Said(found, undoes, reason)


def _undoes(subject: str) -> str | None:
    """The subject of the commit that this one takes back, as git and GitHub quote it."""
    found = _QUOTED.fullmatch(subject)
    if not found:
        return None
    quoted = found["quoted"] or found["plain"]
    return f'Revert "{quoted}"' if found["word"] == "Reapply" else quoted


def _bare(subject: str) -> str:
    """A subject without the numbers of pull requests, which a revert may quote or not."""
    return _SQUASHED.sub("", subject)


def _same(subject: str, quoted: str) -> bool:
    """Whether two subjects that are alike may be one commit's: their numbers do not contradict each other."""
    ours, theirs = set(_SQUASHED.findall(subject)), set(_SQUASHED.findall(quoted))
    return ours <= theirs or theirs <= ours
