"""The commits of a history, which of them name each other, and which were reverted."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from rum.capture.git.ids import memory_id
from rum.capture.git.message import MAX_MESSAGE, Mention, Naming, cut, mentions, parse_message, reason_of
from rum.capture.git.revert_words import Extent, reverted_numbers, says_revert
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
_REASON_IN_SUBJECT = re.compile(
    r"\b(?:because|since|due to|as (?:it|this|that|the)|broke|breaks|until|turned out|so that)\b"
    r"|, (?:it|this|that) (?:is|was) ",
    re.IGNORECASE,
)
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
    extent: Extent | None = None  # How much of the target is reverted


class Revert(NamedTuple):
    """The commit that reverted another, why if it says so, and how much of it."""

    by: Entry
    why: str
    extent: Extent = Extent.WHOLE

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
    """The parts of a message about other commits.

    `reverts` is the subject of the one it reverts, `numbers` those of pull requests and issues.
    """

    mentions: tuple[Mention, ...]
    reverts: str | None
    numbers: dict[str, Extent]
    reason: str
    is_vague: bool = False  # Whether the subject says that it reverts something

    @property
    def is_revert(self) -> bool:
        """Whether it reverts anything."""
        named = any(one.naming is Naming.REVERTS for one in self.mentions)
        return named or bool(self.reverts or self.numbers or self.is_vague)


class Ledger:
    """The commits of a history, oldest first."""

    def __init__(
        self,
        history: Iterable[Commit],
        known: Mapping[str, str],
        merged: Callable[[str], list[str]],
        undone_by: Callable[[str], tuple[str, bool] | None] = lambda _: None,
    ) -> None:
        """`known`: ids of existing memories, by commit.

        `merged` returns the commits that a merge added; `undone_by` the one that another undoes exactly, and
        whether only in part.
        """
        self.entries: dict[str, Entry] = {}
        self.reverted: dict[str, Revert] = {}
        self._merged = merged
        self._undone_by = undone_by
        self._references: dict[str, list[Reference]] = {}
        self._by_authorship: dict[Authorship, list[str]] = {}
        self._by_number: dict[str, list[Entry]] = {}
        messages: dict[str, _References] = {}
        for commit in history:
            self._enter(commit, known.get(commit.sha))
            if words := _references_in(commit.message, self.entries[commit.sha].subject):
                messages[commit.sha] = words
            self._by_authorship.setdefault(self.authorship(commit), []).append(commit.sha)
            for number in own_numbers(commit.message):
                self._by_number.setdefault(number, []).append(self.entries[commit.sha])
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
                yield from self._reverts_merged(source, target, mention.extent)
            has_revert |= naming is Naming.REVERTS
            yield Reference(source, target, naming, mention.extent)
        if has_revert:
            return
        for number, extent in words.numbers.items():
            # Several commits with one number: it does not say which of them.
            earlier = [one for one in self._by_number.get(number, []) if one.place < source.place]
            if len(earlier) == 1:
                has_revert = True
                if earlier[0].noise is Noise.MERGE:
                    yield from self._reverts_merged(source, earlier[0], extent)
                yield Reference(source, earlier[0], Naming.REVERTS, extent)
        if words.is_vague and not has_revert:
            undone = self._undone_by(source.sha)
            if undone and (target := self.entries.get(undone[0])):
                extent = Extent.PARTLY if undone[1] else Extent.WHOLE
                yield Reference(source, target, Naming.REVERTS, extent)
                return
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

    def _reverts_merged(self, source: Entry, merge: Entry, extent: Extent | None) -> Iterable[Reference]:
        """The references of a commit that reverts a merge to the commits that the merge brought in."""
        for entry in map(self.entries.get, self._merged(merge.sha)):
            if entry and entry is not source:
                yield Reference(source, entry, Naming.REVERTS, extent)

    def _find_reverted(self, messages: dict[str, _References]) -> None:
        """Find the commits that stay reverted: newest first, as a revert that was reverted does not count."""
        for sha in sorted(messages, key=lambda other: -self.entries[other].place):
            is_undone = sha in self.reverted and self.reverted[sha].extent is not Extent.PARTLY
            targets = {} if is_undone else self._reverted_by(sha)
            is_merge = bool(targets) and self.entries[sha].noise is Noise.MERGE
            merged = [other for other in self._merged(sha) if other in messages] if is_merge else []
            for target, extent in targets.items():
                # A merge often repeats the messages of the commits that it adds; then those count.
                reverting = [other for other in merged if target in self._reverted_by(other)] or [sha]
                valid = [other for other in reverting if other not in self.reverted]
                known = self.reverted.get(target)
                # The newest counts, but a whole one more than one in part.
                if valid and (not known or (known.extent is Extent.PARTLY and extent is not Extent.PARTLY)):
                    why = messages[sha].reason or messages[valid[0]].reason
                    self.reverted[target] = Revert(self.entries[valid[0]], why, extent)

    def _reverted_by(self, sha: str) -> dict[str, Extent]:
        """The commits that one reverts, and how much of each."""
        return {
            reference.target.sha: reference.extent or Extent.WHOLE
            for reference in self.references(sha)
            if reference.source.sha == sha and reference.naming is Naming.REVERTS
        }


def named_in(message: str) -> tuple[list[str], list[str]]:
    """The ids of commits that a message names, and subject and numbers of what it reverts without one."""
    words = _references_in(message, _subject(message))
    if not words:
        return [], []
    has_id = any(mention.naming is Naming.REVERTS for mention in words.mentions)
    others = [_PULL_REQUEST.sub("", words.reverts)] if words.reverts else []
    others += [f"#{number}" for number in words.numbers]
    return [mention.sha for mention in words.mentions], [] if has_id else others


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
    numbers = reverted_numbers(message[:MAX_MESSAGE])
    is_vague = says_revert(subject)
    if not (mentioned or reverts or numbers or is_vague):
        return None
    words = _References(mentioned, reverts, numbers, "", is_vague)
    if not words.is_revert:
        return words
    ids = [one.sha for one in mentioned if one.naming is Naming.REVERTS]
    reason = reason_of(parse_message(message).body, [*ids, *(f"#{number}" for number in numbers)])
    if not reason and _REASON_IN_SUBJECT.search(subject):
        reason = subject
    return words._replace(reason=cut(reason, _MAX_REASON))


_OWN_NUMBER = re.compile(
    r"\(#(\d{1,7})\)[ \t]*$"  # a squashed pull request
    r"|^Merge pull request #(\d{1,7}) "
    r"|^Merged in .{1,200}\(pull request #(\d{1,7})\)"
    r"|^Auto merge of #(\d{1,7}) "
    r"|^Merged PR (\d{1,7}): "
    r"|\bSee merge request \S{0,200}!(\d{1,7})$"
    r"|^(?:Close[sd]?|Fix(?:e[sd])?|Resolve[sd]?):? (?:issue |bug )?#(\d{1,7})\b",
    re.MULTILINE | re.IGNORECASE,
)


def own_numbers(message: str) -> set[str]:
    """The numbers of the pull request and issues whose work a commit is."""
    head = message[:MAX_MESSAGE]
    if not ("#" in head or "!" in head or head.startswith("Merged PR")):
        return set()
    return {number for match in _OWN_NUMBER.finditer(head) for number in match.groups() if number}


def _may_be_same(subject: str, quoted: str) -> bool:
    """Whether similar subjects may be of one commit: their pull requests do not contradict each other."""
    ours, theirs = set(_PULL_REQUEST.findall(subject)), set(_PULL_REQUEST.findall(quoted))
    return ours <= theirs or theirs <= ours
