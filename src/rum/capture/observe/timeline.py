"""The timeline of a turn: baselines, edits, checks and undoings in their order.

A check says something only about the changes that were there when it ran. What it proves, what it refutes and
what was undone is read off here; `success` and `attempts` draw their conclusions from it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from rum.capture.observe.checks import Check, checks_of
from rum.capture.observe.errors import Fault, frames_in, is_shown, problems_in
from rum.capture.observe.steps import Step
from rum.capture.observe.undoing import Effect, effect_of, files_written, is_file_named
from rum.store.attempt_fingerprint import edit_marks
from rum.text.shell import chain

if TYPE_CHECKING:
    from rum.capture.events.event import FileAccess
    from rum.capture.observe.errors import Frame

# Texts for people. Other `.txt` files are read by programs: requirements.txt, CMakeLists.txt.
_PROSE = re.compile(
    r".*(?:\.(?:md|rst|adoc)|\.gitignore)"
    r"|(?:.*/)?(?:LICEN[CS]E|CHANGE(?:S|LOG)|README|NOTES?|TODO|AUTHORS|COPYING|HISTORY|NEWS)(?:\.\w+)?"
    r"|(?:.*/)?(?:docs?|notes)/.*\.txt",
    re.IGNORECASE,
)
# Lines that only show what a program does: taking them out again undoes no work.
_SHOWS = re.compile(
    r"(?:print|console\.\w+|dbg!|debugger|breakpoint|import pdb|pdb\.|_?log(?:g?er|ging)?\.\w+|fmt\.Print\w*"
    r"|e?println!|System\.(?:out|err)\.print\w*|var_dump|print_r|dd|puts|pp?|Debug\.\w+|std::cerr|printf)\b"
    r"|.*\b(?:it|test|describe)\.only\("
)
_DEFINES = re.compile(
    r"\b(?:def|func|function|fn|fun|sub|class|struct|impl|void|int|public|private|static)\s+(\w+)"
)
_REFUSED = re.compile(r"(?m)^(?:error|fatal): |nothing (?:added )?to commit|no changes added to commit")
_COMMITTED = re.compile(r"(?m)^\[[^\]\n]{1,200} ([0-9a-f]{7,40})\] ")
UNDONE = "undone by"  # How the reason of a change that was undone begins
_NOTHING_STASHED = "No local changes to save"
_TEST_FILE = re.compile(
    # A folder far above the file may be called so for other reasons.
    r"(?:^|/)(?:tests?|specs?|__tests__)/(?:[^/]+/){0,2}[^/]+$|(?:^|/)test_[^/]*$|[._-](?:test|spec)\.\w+$"
    r"|Tests?\.\w+$"
)


FileReader = Callable[[str], str | None]  # Gives what is in a file now; None if that is not known


class ChangePosition(NamedTuple):
    """The position of one file's change: the index of the step, and of the file in it."""

    step: int
    file: int


class Gone(NamedTuple):
    """Lines of a change that were taken out again: when, and by which change; None for a command."""

    lines: frozenset[str]
    at: int
    by: Change | None
    is_undone: bool


@dataclass(eq=False, slots=True)
class Change:
    """One change of a file, and what became of the lines that it added."""

    position: ChangePosition
    at: int
    path: str
    added: frozenset[str]
    removed: frozenset[str]
    lines: str = ""
    functions: frozenset[str] = frozenset()  # The functions whose heads are in it
    text: str = ""  # What it adds, as written
    net: Counter[str] = field(default_factory=Counter[str])  # How many more there are of each line
    is_new_file: bool = False
    is_known: bool = True  # False for a change by a command, whose lines are not seen
    is_undoing: bool = False  # It only puts back what other changes took out
    left: set[str] = field(default_factory=set[str])
    gone: list[Gone] = field(default_factory=list[Gone])
    commit: int | None = None  # The number of the commit that it is part of
    undone: str = ""  # How it was undone; empty if it was not
    is_away: bool = False  # Put away by `git stash`

    @property
    def counts(self) -> bool:
        """Whether a check could say something about it: it is neither prose nor output for debugging."""
        if self.is_prose or self.is_undoing:
            return False
        if not self.is_known:
            return True
        only_showed = self.only_shows and bool(self.undone)
        return not only_showed and bool(edit_marks("\n".join(self.added), "\n".join(self.removed)))

    @property
    def is_prose(self) -> bool:
        """Whether it changes a text for people."""
        return _PROSE.fullmatch(self.path) is not None

    @property
    def is_test(self) -> bool:
        """Whether it changes a test, which says what is wanted."""
        return is_test_file(self.path)

    @property
    def only_shows(self) -> bool:
        """Whether it only adds output for debugging."""
        return bool(self.added) and not self.removed and all(map(_SHOWS.match, self.added))

    @property
    def is_there(self) -> bool:
        """Whether something of it is in the file."""
        if self.undone or self.is_away:
            return False
        return not self.is_known or bool(self.left) or not self.added

    def is_named_by(self, frames: Iterable[Frame], output: str) -> bool:
        """Whether a traceback leads through it: by line, by function, or by quoting a line that it adds."""
        own = [frame for frame in frames if _is_one_of(self.path, [frame.file])]
        if not own:
            return False
        if any(frame.function.rpartition(".")[2] in self.functions for frame in own if frame.function):
            return True
        if any(first <= frame.line <= last for frame in own for first, last in _spans(self.lines)):
            return True
        shown = {line.strip("> \t") for line in output.splitlines()}
        return bool(shown & self.added)


def _spans(lines: str) -> list[tuple[int, int]]:
    """The line ranges of a change, as `12-20, 31`."""
    found = re.findall(r"(\d+)(?:-(\d+))?", lines)
    return [(int(first), int(last or first)) for first, last in found]


class Run(NamedTuple):
    """One run of a check, and the changes that it ran with."""

    at: int
    check: Check
    there: dict[Change, frozenset[str]]  # The changes that were there, with their lines in the file
    with_stash: bool  # The changes were put away for it

    @property
    def is_baseline(self) -> bool:
        """Whether it ran without the work; output for debugging that went again is none."""
        return self.with_stash or not any(change.counts for change in self.there)

    @property
    def frames(self) -> tuple[Frame, ...]:
        """The places in the project's own code, tests left out, that its output names."""
        return tuple(one for one in frames_in(self.check.output) if not is_test_file(one.file))


class Timeline:
    """The changes and the runs of checks of a turn, played in their order."""

    def __init__(self, steps: Sequence[Step], read: FileReader = lambda _: None) -> None:
        self._read = read
        self.changes: list[Change] = []
        self.runs: list[Run] = []
        self._touched: list[tuple[int, list[Change]]] = []  # When which changes were made or undone
        self._clock = 0
        self._commits: list[str] = []
        self._reverts: dict[int, list[Change]] = {}  # What the commits took back that revert others
        self._stashes: list[list[Change]] = []
        self._shown_before: list[str] = []  # What commands printed without the changes
        for number, step in enumerate(steps):
            self._play(number, step)
        for stash in self._stashes:
            self._undo(stash, "`git stash`")
        self._settle()

    def _play(self, number: int, step: Step) -> None:
        for index, file in enumerate(step.changes if not step.failed else ()):
            self._clock += 1
            self._change(self._read_change(ChangePosition(number, index), file))
        if step.tool != "run":
            return
        checks = {check.place: check for check in checks_of(step)}
        links = chain(step.command)
        written = _written(step, links, max(checks, default=-1))
        if not written and not any(one.is_there and one.counts for one in self.changes):
            self._shown_before.append(step.output)
        refused = bool(step.failed) and _REFUSED.search(step.output) is not None
        worked = True
        for place, (sign, words) in enumerate(links):
            if (sign == "&&" and not worked) or (sign == "||" and worked):
                continue
            self._clock += 1
            worked = True
            if check := checks.get(place):
                worked = check.passed is not False
                self._check(check)
            elif effect := effect_of(words):
                worked = not refused
                if worked:
                    self._apply(effect, " ".join(words)[:80], step.output)
            for path in written.get(place, ()):
                self._clock += 1
                position = ChangePosition(number, -1)
                none = frozenset[str]()
                self._change(Change(position, self._clock, path, none, none, is_known=False))

    def _read_change(self, position: ChangePosition, file: FileAccess) -> Change:
        new, old = file.get("added", ""), file.get("removed", "")
        added, removed = significant_lines(new), significant_lines(old)
        return Change(
            position,
            self._clock,
            file["path"],
            added - removed,
            removed - added,
            file.get("lines", ""),
            frozenset(_DEFINES.findall(f"{old}\n{new}")),
            new,
            _net(new, old),
            is_new_file=file["operation"] == "create",
            left=set(added - removed),
        )

    def _change(self, new: Change) -> None:
        earlier = [one for one in self.changes if one.path == new.path and not one.undone and not one.is_away]
        undone = _undone_by(new, [one for one in earlier if not one.is_undoing]) if new.is_known else []
        new.is_undoing = bool(undone)
        for one in earlier:
            lines = frozenset(one.left if one in undone else one.left & new.removed)
            if lines:
                one.left -= lines
                one.gone.append(Gone(lines, new.at, new, one in undone))
            if one in undone:
                one.undone = "a later edit"
        self._bring_back(undone)
        self.changes.append(new)
        self._touched.append((new.at, undone or [new]))

    def _check(self, check: Check) -> None:
        if check.passed is None:
            return
        there = {one: frozenset(one.left) for one in self.changes if one.is_there and one.counts}
        with_stash = any(self._stashes) and all(one.is_new_file for one in there)
        self.runs.append(Run(self._clock, check, there, with_stash))

    def _apply(self, effect: Effect, command: str, output: str) -> None:
        if effect.kind == "commit":
            for one in self.changes:
                if one.commit is None and not one.is_away and not one.undone:
                    one.commit = len(self._commits)
            made = _COMMITTED.search(output)
            self._commits.append(made[1] if made else "")
        elif effect.kind == "stash":
            if _NOTHING_STASHED not in output:
                away = self._affected(effect)
                for one in away:
                    one.is_away = True
                self._stashes.append(away)
        elif effect.kind == "unstash" and self._stashes:
            for one in self._stashes.pop():
                one.is_away = False
        elif effect.kind == "drop" and self._stashes:
            self._undo(self._stashes.pop(), f"`{command}`")
        elif effect.kind in ("restore", "delete", "revert"):
            undone = self._affected(effect)
            self._undo(undone, f"`{command}`")
            if effect.kind == "revert":
                self._redo(effect)
                made = _COMMITTED.search(output)
                self._reverts[len(self._commits)] = undone
                self._commits.append(made[1] if made else "")

    def _redo(self, effect: Effect) -> None:
        """Bring back the changes of which the revert is reverted."""
        for number in [one for one in self._reverts if self._is_reverted(effect, one)]:
            for change in self._reverts.pop(number):
                change.undone = ""
                change.left |= change.gone.pop().lines
                change.commit = len(self._commits)

    def _affected(self, effect: Effect) -> list[Change]:
        """The changes that a command takes back or puts away."""
        new_files = {one.path for one in self.changes if one.is_new_file and one.commit is None}
        found: list[Change] = []
        for one in self.changes:
            if one.undone or one.is_away:
                continue
            if effect.files and not any(is_file_named(one.path, name) for name in effect.files):
                continue
            is_new = one.path in new_files
            if effect.kind == "revert":
                is_meant = one.commit is not None and self._is_reverted(effect, one.commit)
            elif effect.kind == "delete":
                is_meant = is_new
            else:
                is_meant = (one.commit is None or effect.with_commits) and (
                    not is_new or effect.with_new_files or bool(effect.files)
                )
            if is_meant:
                found.append(one)
        return found

    def _is_reverted(self, effect: Effect, commit: int) -> bool:
        """`git revert` without a commit of its own, or of HEAD, takes back the last one."""
        back = next((len(name) - 4 for name in effect.commits if re.fullmatch(r"HEAD\^*", name)), None)
        numbered = next(
            (int(match[1]) for name in effect.commits if (match := re.fullmatch(r"HEAD~(\d+)", name))), back
        )
        sha = self._commits[commit]
        named = bool(sha) and any(name.startswith(sha) or sha.startswith(name) for name in effect.commits)
        return named or (numbered is not None and commit == len(self._commits) - 1 - numbered)

    def _undo(self, changes: Iterable[Change], how: str) -> None:
        undone = [one for one in changes if not one.undone]
        for one in undone:
            one.gone.append(Gone(frozenset(one.left), self._clock, None, is_undone=True))
            one.left.clear()
            one.undone = how
            one.is_away = False
        self._bring_back(undone)
        self._touched.append((self._clock, undone))

    def _bring_back(self, undone: list[Change]) -> None:
        """What undone changes had taken out of others is there again."""
        for one in self.changes:
            back = [gone for gone in one.gone if gone.by in undone] if not one.undone else []
            for gone in back:
                one.left |= gone.lines
                one.gone.remove(gone)

    def _settle(self) -> None:
        """What other changes replaced before those were undone is undone too."""
        for path in {one.path for one in self.changes if one.undone}:
            same = [one for one in self.changes if one.path == path]
            if not any(one.is_there and not one.is_undoing for one in same):
                for one in same:
                    one.undone = one.undone or "a later edit"

    @cached_property
    def work(self) -> list[Change]:
        """The changes that count."""
        return [one for one in self.changes if one.counts]

    @cached_property
    def last_change(self) -> int:
        """When the work was last changed; -1 if there is none."""
        return max((at for at, made in self._touched if any(one.counts for one in made)), default=-1)

    @property
    def all_undone(self) -> str:
        """How the last of the changes was undone if nothing of the work is left; empty if something is."""
        if not self.work or any(one.is_there for one in self.work):
            return ""
        return next((one.undone for one in reversed(self.work) if one.undone), "")

    @cached_property
    def baselines(self) -> list[Run]:
        """The runs without the changes that tell what failed before."""
        return [run for run in self.runs if run.is_baseline] if self.work else []

    def failed_before(self, run: Run) -> bool:
        """Whether all that fails in a run failed without the changes too."""
        if run.check.passed is not False:
            return False
        before = [one.check for one in self.baselines if one.check.passed is False and one is not run]
        if run.check.failing and any(check.failing for check in before):
            return run.check.failing <= {name for check in before for name in check.failing}
        fault = run.check.fault
        if fault is None:
            return False
        if any(check.fault and check.fault.fingerprint == fault.fingerprint for check in before):
            return True
        # Of several checks in one command line it may not be known which one printed it.
        shown = "\n".join(self._shown_before)
        return is_shown(fault, shown) and problems_in(run.check.output) <= problems_in(shown)

    def is_elsewhere(self, run: Run) -> bool:
        """Whether all that fails in a run is in files that have nothing to do with those changed.

        Such a file is neither changed nor names one that is. What cannot be read may have to do with them.
        """
        files = {frame.file for frame in frames_in(run.check.output)}
        changed = [one.path for one in self.work if one.is_there]
        if not files or any(_is_one_of(path, files) for path in changed):
            return False
        names = {path.replace("\\", "/").rpartition("/")[2].partition(".")[0] for path in changed}
        texts = [self._read(file) for file in files]
        return bool(names) and all(
            text is not None and not any(re.search(rf"\b{re.escape(name)}\b", text) for name in names)
            for text in texts
        )

    def names(self, run: Run, change: Change) -> bool:
        """Whether the output of a run leads through a change."""
        return change.is_named_by(run.frames, run.check.output)

    def refutation(self, change: Change, until: int) -> Run | None:
        """The failed run before which a change was made and after which it went; None if there is none."""
        runs = [run for run in self.runs if run.at < until and change in run.there and not run.is_baseline]
        for index in range(len(runs) - 1, -1, -1):
            run = runs[index]
            if run.check.passed or any(one.check.passed and one.check.covers(run.check) for one in runs):
                continue
            if self._is_innocent(run, change):
                continue
            return run
        return None

    def _is_innocent(self, run: Run, change: Change) -> bool:
        """Whether the error is in code that it did not touch, and failed before or was fixed there."""
        if self.names(run, change):
            return False
        if self.failed_before(run):
            return True
        passed = (one.at for one in self.runs if one.at > run.at and one.check.passed)
        end = next(passed, self._clock)
        fixed = [one for one in self.changes if run.at < one.at < end and one is not change]
        others = [one for one in fixed if not one.removed & change.added]
        if any(self.names(run, one) for one in others):
            return True
        # A change that the output names went too, or the file that it names was changed.
        gone = (one for one in run.there if any(run.at < lost.at < end for lost in one.gone))
        files = {frame.file for frame in run.frames}
        is_elsewhere = bool(files) and not _is_one_of(change.path, files)
        return any(self.names(run, one) for one in gone if one is not change) or (
            is_elsewhere and any(_is_one_of(one.path, files) for one in others)
        )

    def is_still_there(self, change: Change, line: str) -> bool:
        """Whether a line of a change is in the file at the end, maybe written differently."""
        there = [one for one in self.changes if one.path == change.path and one.is_there]
        if any(line in one.left for one in there):
            return True
        now = self._read(change.path) or ""
        if any(_squeezed(line) == _squeezed(one) for one in now.splitlines()):
            return True
        return any(_squeezed(line) in _squeezed(one.text) for one in there if not one.gone)


def _written(step: Step, links: list[tuple[str, list[str]]], last_check: int) -> dict[int, list[str]]:
    """The files that each simple command of a line writes; if the line failed, only before its last check."""
    found: dict[int, list[str]] = {}
    for path in files_written(step.command) if not step.only_looks else ():
        named = (at for at, (_, words) in enumerate(links) if any(word.endswith(path) for word in words))
        place = next(named, 0)
        if not step.failed or place < last_check:
            found.setdefault(place, []).append(path)
    return found


def _net(new: str, old: str) -> Counter[str]:
    """How many more there are of each line with letters or digits; negative for what is gone."""
    found = Counter(line for text in new.splitlines() for line in significant_lines(text))
    found.subtract(line for text in old.splitlines() for line in significant_lines(text))
    return Counter({line: count for line, count in found.items() if count})


def _undone_by(new: Change, earlier: Sequence[Change]) -> list[Change]:
    """The changes of the same file, one or several in a row, after which a new one leaves nothing of them."""
    for start in range(len(earlier) - 1, -1, -1):
        left = new.net.copy()
        for end in range(start, len(earlier)):
            left.update(earlier[end].net)
            if new.net and not any(left.values()):
                return list(earlier[start : end + 1])
    return []


def _is_one_of(path: str, files: Iterable[str]) -> bool:
    return any(is_file_named(file, path) or is_file_named(path, file) for file in files)


def _squeezed(code: str) -> str:
    """Code without what formatters change: blanks, the kind of quotes, trailing commas."""
    return re.sub(r",(?=[)\]}])", "", re.sub(r"\s+", "", code).replace("'", '"'))


def is_test_file(path: str) -> bool:
    """Whether a file is a test, by its name or folder."""
    return _TEST_FILE.search(path) is not None


def undone_fault(how: str) -> Fault:
    """The reason of a change that was undone without an error that is known."""
    return Fault("", f"{UNDONE} {how}")


def significant_lines(text: str) -> frozenset[str]:
    """The lines of a text that have a letter or a digit, without their indentation."""
    stripped = (line.strip() for line in text.splitlines())
    return frozenset(line for line in stripped if any(character.isalnum() for character in line))
