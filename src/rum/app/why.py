"""Say why code is as it is: who changed the lines, and the reasons that commits and memories give.

Everything is quoted from a commit's message or a memory, or seen in git; where nothing is known, it says so.
"""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher, get_close_matches
from typing import NamedTuple

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.capture.reverts import commits_of
from rum.app.freshness.branches import unmerged
from rum.app.freshness.check import check_anchors
from rum.app.project import Project
from rum.capture.git.commit_memory import SHORT_SHA
from rum.capture.git.message import parse_message
from rum.model.anchors import CHANGED, FRESH, MOVED
from rum.model.code import MAX_LINES, Target, WhyRequest, WhyResult, WhySource, parse_target
from rum.model.errors import InvalidQuery, NotFound
from rum.model.memory import LinkType, Memory, OriginKind
from rum.repo.blame import BlamedLines, blame
from rum.repo.git_process import ask_git, run_git
from rum.repo.history import named_commits
from rum.repo.symbols import Symbol, enclosing_symbol, named_symbol, symbols
from rum.settings.home import read_bounded
from rum.store.base import ReadMode
from rum.store.filters import Filters
from rum.text.fence import defused
from rum.text.lexicon import word_set
from rum.text.sentences import split_sentences
from rum.text.shorten import one_line
from rum.text.tokens import estimate_tokens

MAX_FILE = 16 * 1024 * 1024  # Bytes of a file that is read
MAX_NAMES = 10  # Symbols that are listed instead of an unknown one
MAX_COMMITS = 3  # Commits that are told of
MAX_MEMORIES = 40  # Memories of the file that are looked at
AROUND = 15  # Lines on both sides that help to follow moved ones
MAX_EARLIER = 2  # Steps back from commits without a reason
ENOUGH_TIME = 1.0  # Seconds after which no further question is asked of git
ALIKE = 0.6  # From 0 to 1; less alike, a line is not said to have been another one before
MAX_COMPARED = 200  # Characters of a line
MAX_FAILURES = 2
MAX_WORKS = 2  # Memories of work on the lines
MAX_CAUSES = 2
MAX_SENTENCE = 400  # Characters of a goal, a failure or another single text
MAX_RANGES = 40  # Characters of a list of lines; a longer one is told by its length
SOURCE = 14  # Tokens of a source in the answer
# A commit that changes how code looks or where it stands: what it stands for is older.
_MECHANICAL = re.compile(
    r"(?i)\b(?:re-?format\w*|formatting|code style|black|prettier|gofmt|rustfmt|clang-format|isort|"
    r"ruff format|whitespace|(?:re-?)?indent\w*|lint(?:er|ing)?|pyupgrade|trailing commas?)\b"
)
# A commit that may have brought lines from elsewhere.
_MOVE = re.compile(
    r"(?i)\b(?:mov(?:e|es|ed|ing)|split\w*|extract\w*|renam\w*|relocat\w*|refactor\w*|reorgani[sz]\w*|restructur\w*|"
    r"copy|copied|import(?:ed)? from|into (?:modules?|files?|packages?|classes)|layout)\b"
)
# Words by which a sentence gives a reason.
_REASON = re.compile(
    r"(?i)\b(?:because|since|so that|in order to|otherwise|instead|avoid\w*|prevent\w*|ensur\w*|due to|"
    r"caus\w*|reason|why|need\w*|must|require\w*|fail\w*|broke\w*|break\w*|crash\w*|wrong\w*|bug\w*|incorrect\w*|"
    r"leak\w*|race\w*|slow\w*|faster|deadlock\w*|overflow\w*|problem\w*|issue\w*|regression\w*|unsafe|secur\w*|"
    r"deprecat\w*|no longer|without|allow\w*|support\w*|compat\w*|thus|therefore|hence)\b"
)
_PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=\s*[-*•] )")
_POINT = re.compile(r"^\s*[-*•] +")
_SHORT_LINE = 45  # A shorter line is not wrapped text, so the next one begins another sentence
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{2,}")
_ANY_WORD = re.compile(r"\w")
_COMMON = word_set(
    "the and for not with this that from import return def class self none true false int void char const "
    "static if else while struct let var function new null str bool"
)


class _Code(NamedTuple):
    """The lines that are asked about, in the file as it is now."""

    path: str  # As memories store it
    in_repository: str | None  # Relative to the repository's root; None outside of one
    first: int
    last: int
    symbol: Symbol | None
    content: bytes | None  # None if the file is read from HEAD
    names: frozenset[str]  # The identifiers of the lines
    empty: str = ""  # What is said of lines without code, such as a blank one


class _Part(NamedTuple):
    """A sentence of the answer, with its source if it has one."""

    text: str
    source: WhySource | None = None


def why(caller: Caller, request: WhyRequest) -> WhyResult:
    """The commits of the lines with their reasons, then causes, failures, and what is not known."""
    code = _find_code(caller, parse_target(request.target))
    parts = _fit(_parts(caller.project, code, request.max_tokens), request.max_tokens)
    lines = _ranges(range(code.first, code.last + 1))
    text = "\n".join(part.text for part in parts)
    return WhyResult(
        code.path,
        lines,
        text,
        estimate_tokens(text),
        [part.source for part in parts if part.source],
        symbol=code.symbol.name if code.symbol else UNSET,
    )


def _find_code(caller: Caller, target: Target) -> _Code:
    project = caller.project
    path = caller.relative(target.path)
    repository = project.repository()
    root = project.location.root or (repository.root if repository else None)
    if root is None:
        raise InvalidQuery("This project has no folder on this machine, so its code cannot be read.")
    absolute = os.path.join(root, path)
    if not _is_below(absolute, root):
        raise InvalidQuery(f"`{path}` is outside of the project.", field="target")
    within = None
    if repository and _is_below(absolute, repository.root):
        within = os.path.relpath(absolute, repository.root).replace(os.sep, "/")
    # Somebody with a token sees what was committed: other files of the server's machine are not theirs.
    content = _read(absolute) if caller.role is None else None
    text = content
    if content is None and repository and within:
        text = ask_git(repository.git_dir, "cat-file", "blob", f"HEAD:{within}")
    if text is None:
        raise NotFound(f"There is no file `{path}` here. {_past(project, path, within)}")
    if b"\0" in text[:8000]:
        raise InvalidQuery(f"`{path}` is not a text file.", field="target")
    decoded = text.decode("utf-8", "replace")
    count = decoded.count("\n") + (not decoded.endswith("\n"))
    found = symbols(decoded, path)
    symbol = named_symbol(found, target.symbol) if target.symbol else None
    if target.symbol and symbol is None:
        missing = f"No declaration of `{target.symbol[:100]}` was found in `{path}`."
        raise NotFound(f"{missing} {_others(target.symbol, found)}")
    first, last = (symbol.first, min(symbol.last, symbol.first + MAX_LINES)) if symbol else target[1:3]
    if first > count:
        raise InvalidQuery(f"`{path}` has only {count} lines.", field="target")
    last = min(last, count)
    symbol = symbol or enclosing_symbol(found, first, last)
    lines = decoded.split("\n")
    empty = _emptiness(lines, first, last)
    if empty and symbol:
        first, last = symbol.first, min(symbol.last, symbol.first + MAX_LINES, count)
    names = frozenset(word.casefold() for word in _WORD.findall("\n".join(lines[first - 1 : last]))) - _COMMON
    return _Code(path, within, first, last, symbol, content, names, empty)


def _emptiness(lines: Sequence[str], first: int, last: int) -> str:
    """What is said of lines without any word: their commits tell nothing. Empty if there is one."""
    span = "".join(lines[first - 1 : last])
    if _ANY_WORD.search(span):
        return ""
    what = "only punctuation" if span.strip() else "blank"
    return f"Line {first} is {what}" if first == last else f"Lines {first}-{last} are {what}"


def _others(name: str, found: Sequence[Symbol]) -> str:
    """What to ask for instead of a symbol that was not found."""
    names = list(dict.fromkeys(one.name for one in found))
    short = name.rpartition(".")[2][:100]
    if close := get_close_matches(short, names[:2000], n=3, cutoff=0.7):
        return f"Did you mean {' or '.join(close)}?"
    if not names:
        return "Give a line instead."
    more = f", and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f"Found: {', '.join(names[:MAX_NAMES])}{more}."


def _past(project: Project, path: str, within: str | None) -> str:
    """What git and memories know of a file that is not there."""
    said: list[str] = []
    repository = project.repository()
    if repository and within:
        # A record of the commit that deleted it, if HEAD's history has one.
        options = ("-1", "--diff-filter=D", "--no-renames", "--format=%H%x00%ct%x00%s", "HEAD")
        printed = run_git(repository.git_dir, "log", *options, "--", f":(top,literal){within}") or ""
        found = printed.strip().split("\0")
        was = f"{found[0]}^:{within}"  # A folder is no file, though files in it were deleted.
        if len(found) == 3 and run_git(repository.git_dir, "cat-file", "-t", was) == "blob\n":
            subject = _quoted(project, found[2]).rstrip(".")
            said.append(f"Commit {found[0][:SHORT_SHA]} of {_day(int(found[1]))} removed it: {subject}.")
    [(_, count)], _ = project.store.search.by_paths([[path]], Filters(), 1)
    if count:
        names = "memory names" if count == 1 else "memories name"
        said.append(f"{count} {names} it: `rum recall --file {shlex.quote(path)}`.")
    return " ".join(said) or "Give its path from the root of the project."


def _is_below(path: str, root: str) -> bool:
    """Whether a path stays within a folder, also when symbolic links are followed."""
    real, real_root = os.path.realpath(path), os.path.realpath(root)
    return real.startswith(real_root.rstrip(os.sep) + os.sep)


def _read(path: str) -> bytes | None:
    try:
        return read_bounded(path, MAX_FILE)[0]
    except (OSError, ValueError):
        return None


def _parts(project: Project, code: _Code, budget: int) -> Iterator[_Part]:
    """The answer: the commits with their reasons, then causes and failures, and that no reason is known."""
    place = f"{code.path}:{_ranges(range(code.first, code.last + 1))}"
    yield _Part(f"{place}, in {code.symbol.name}:" if code.symbol else f"{place}:")
    if code.empty and not code.symbol:
        yield _Part(f"{code.empty}. Ask about a line of code.")
        return
    if code.empty and code.symbol:
        yield _Part(f"{code.empty}, so this is about all of {code.symbol.name}.")
    began = time.monotonic()
    blamed = _blame(project, code)
    memories = _memories_of_file(project, code)
    touching, elsewhere = _places(project, code, memories)
    told = set[str]()
    has_reason = False
    quotes = budget // 2  # Tokens of the sentences of the first commit; others get a part of it
    for one in blamed[:MAX_COMMITS]:
        if not one.committed:
            yield _Part(f"{_label(one)}: not committed yet.")
            continue
        others = [memory for memory in memories if memory.id not in touching | elsewhere]
        for part in _commit_parts(project, code, one, others, told, quotes):
            has_reason = has_reason or part.text.startswith("  ")
            yield part
        quotes = budget // 8
    if len(blamed) > MAX_COMMITS:
        left = sum(len(one.lines) for one in blamed[MAX_COMMITS:])
        others = len(blamed) - MAX_COMMITS
        by = "another commit" if others == 1 else f"{others} other commits"
        yield _Part(f"{left} more line is by {by}." if left == 1 else f"{left} more lines are by {by}.")
    if not blamed:
        known = project.repository() is not None
        yield _Part(
            "Git could not tell who changed these lines." if known else "There is no git repository here."
        )
    here = touching - unmerged(project).keys()
    for memory in [one for one in memories if one.id in here and one.outcome.success][:MAX_WORKS]:
        if memory.id not in told:
            told.add(memory.id)
            has_reason = True
            yield from _memory_parts(project, memory, "Work on these lines:")
    yield from _causes(project, told)
    for part in _failures(project, code, memories, told, touching):
        has_reason = True
        yield part
    if has_reason:
        return
    others = [memory for memory in memories if memory.id not in touching | elsewhere]
    instead = _instead(project, code, blamed, others, told, budget // 4, began + ENOUGH_TIME)
    if instead:
        yield from instead
    else:
        yield _Part("No reason is recorded." if blamed else "No memory tells of this code.")


def _instead(
    project: Project,
    code: _Code,
    blamed: Sequence[BlamedLines],
    memories: Sequence[Memory],
    told: set[str],
    budget: int,
    until: float,
) -> list[_Part]:
    """The reasons of further commits, else of what stood there before, else of the symbol around."""
    seen = {one.sha for one in blamed[:MAX_COMMITS] if one.committed}

    def with_reasons(code: _Code, place: str, found: Iterable[BlamedLines]) -> Iterator[_Part]:
        new = [one for one in found if one.committed and one.sha not in seen]
        for one in new[:MAX_COMMITS]:
            seen.add(one.sha)
            first, *reasons = _commit_parts(project, code, one, memories, told, budget)
            if any(part.text.startswith("  ") for part in reasons):
                yield from (
                    _Part(f"{place}, {first.text[0].lower()}{first.text[1:]}", first.source),
                    *reasons,
                )

    if parts := [*with_reasons(code, "Also here", blamed[MAX_COMMITS:])]:
        return [_Part("No reason is recorded for these commits."), *parts]
    seen.update(one.sha for one in blamed if one.committed)
    for _ in range(MAX_EARLIER):
        known = len(seen)
        if not seen or time.monotonic() > until:
            break
        found = [one for one in _blame(project, code, [*seen]) if one.committed and one.sha not in seen]
        earlier = [alike for one in found[:MAX_COMMITS] if (alike := _alike(project, one)).lines]
        if parts := [*with_reasons(code, "Before that", earlier)]:
            return [_Part("No reason is recorded for the last change."), *parts]
        if len(seen) == known:
            break
    symbol = code.symbol
    if not blamed or symbol is None or time.monotonic() > until:
        return []
    around = code._replace(first=symbol.first, last=min(symbol.last, symbol.first + MAX_LINES))
    parts = [*with_reasons(around, f"In {symbol.name}", _blame(project, around))]
    return [_Part("No reason is recorded for this."), *parts] if parts else []


def _alike(project: Project, one: BlamedLines) -> BlamedLines:
    """Those of the lines that were much the same in the commit: git may pair a new line with any old one."""
    repository = project.repository()
    data = ask_git(repository.git_dir, "cat-file", "blob", f"{one.sha}:{one.path}") if repository else None
    old = (data or b"").decode("utf-8", "replace").split("\n")

    def is_alike(number: int, text: str) -> bool:
        if not _ANY_WORD.search(text):
            return False
        then, now = old[number - 1].strip()[:MAX_COMPARED], text.strip()[:MAX_COMPARED]
        return SequenceMatcher(None, then, now).ratio() >= ALIKE

    pairs = zip(one.lines, one.numbers, one.texts, strict=True)
    return one._replace(
        lines=tuple(line for line, number, text in pairs if number <= len(old) and is_alike(number, text))
    )


def _blame(project: Project, code: _Code, ignored: Sequence[str] = ()) -> list[BlamedLines]:
    """The commits of the lines, without the `ignored` ones and those that only moved or formatted them."""
    repository = project.repository()
    if repository is None or code.in_repository is None:
        return []
    asked = (repository, code.in_repository, code.first, code.last, code.content)
    blamed = blame(*asked, ignored=ignored) or []
    first = [one for one in blamed[:MAX_COMMITS] if one.committed]
    mechanical = [one.sha for one in first if _MECHANICAL.search(one.subject)]
    moved = any(_MOVE.search(one.subject) for one in first)
    if not (mechanical or moved):
        return blamed
    return blame(*asked, ignored=[*ignored, *mechanical], around=AROUND if moved else 0) or blamed


def _memories_of_file(project: Project, code: _Code) -> list[Memory]:
    """The memories of the file that are not commits, newest first; commits are found by blame."""
    [(rows, _)], _ = project.store.search.by_paths([[code.path]], Filters(), MAX_MEMORIES)
    found = project.store.memories.get([row.id for row in rows], ReadMode.SKIP_DAMAGED)
    return [one for one in found if one.origin.kind is not OriginKind.COMMIT]


def _places(project: Project, code: _Code, memories: Sequence[Memory]) -> tuple[set[str], set[str]]:
    """The memories whose code is among these lines today, and those whose code is only elsewhere."""
    here: set[str] = set()
    elsewhere: set[str] = set()
    for one, anchors in check_anchors(project, [memory.id for memory in memories]).items():
        places = [now for _, now in anchors if now.start and now.state in (FRESH, MOVED, CHANGED)]
        if any(now.path == code.path and now.start <= code.last and now.end >= code.first for now in places):
            here.add(one)
        elif places:
            elsewhere.add(one)
    return here, elsewhere


def _commit_parts(
    project: Project,
    code: _Code,
    one: BlamedLines,
    memories: Sequence[Memory],
    told: set[str],
    budget: int,
) -> Iterator[_Part]:
    memory, subject, body = _message(project, one)
    found = [other for other in memories if _belongs(other, one.sha) and other.id not in told]
    told.update(other.id for other in (*found, *([memory] if memory else [])))
    by = f"{one.sha[:SHORT_SHA]}, {_day(one.at)}, {_quoted(project, one.author)}"
    source = WhySource(memory.id if memory else None, one.sha[:SHORT_SHA], f"{one.lines[0]}-{one.lines[-1]}")
    yield _Part(f"{_label(one)}: {subject} [{by}]", source)
    if memory and memory.reverted_by:
        extent = " in part" if memory.reverted_by.in_part else ""
        because = f": {_quoted(project, memory.reverted_by.reason)}" if memory.reverted_by.reason else "."
        yield _Part(f"  Reverted{extent} by {memory.reverted_by.label}{because}")
    if reasons := _reasons(_clean(project, body), code.names, subject, budget):
        yield _Part(f"  {reasons}")
    if memory and memory.version > 1:
        pairs = ((memory.intent.goal, subject), (memory.intent.context, body))
        edited = [
            text for text, own in pairs if not _quoted(project, text).startswith(_quoted(project, own)[:200])
        ]
        if edited:
            yield _Part(f"  Noted later: {': '.join(_quoted(project, text) for text in edited)}")
    for other in found:
        made = other.origin.kind is not OriginKind.AGENT
        yield from _memory_parts(project, other, "Made by" if made else "Stored at this commit:")


def _message(project: Project, one: BlamedLines) -> tuple[Memory | None, str, str]:
    """The memory of a commit if there is one, and the commit's own subject and body."""
    rows = project.store.search.by_commit(one.sha, Filters(), 1)
    found = project.store.memories.get([row.id for row in rows], ReadMode.SKIP_DAMAGED)
    memory = next(iter(found), None)
    if memory and memory.version == 1:  # nobody edited it
        return memory, memory.intent.goal, memory.intent.context
    repository = project.repository()
    commit = next(iter(named_commits(repository, [one.sha])), None) if repository else None
    message = parse_message(commit.message) if commit else None
    return (
        memory,
        _quoted(project, message.subject if message else one.subject),
        message.body if message else "",
    )


def _belongs(memory: Memory, sha: str) -> bool:
    """Whether the work of a memory made this commit, or was stored when it was the newest."""
    if any(made and sha.startswith(made) for made in commits_of(memory)):
        return True
    return memory.origin.kind is OriginKind.AGENT and memory.commit == sha and memory.outcome.success


def _memory_parts(project: Project, memory: Memory, label: str) -> Iterator[_Part]:
    reasoning, outcome = memory.reasoning, memory.outcome
    goal = f"  {label} {_quoted(project, memory.intent.goal)} ({_day(memory.created_at)})"
    yield _Part(goal, WhySource(memory.id))
    for text in (reasoning.why_chosen, *outcome.learnings):
        yield from (_Part(f"  {_quoted(project, sentence)}") for sentence in split_sentences(text)[:3])
    for other in reasoning.alternatives_considered:
        against = f": {_quoted(project, other.why_rejected)}" if other.why_rejected else ""
        yield _Part(f"  Decided against {_quoted(project, other.approach)}{against}")


def _causes(project: Project, told: set[str]) -> Iterator[_Part]:
    """What led to the work that was told of, by its links."""
    edges = project.store.links.of(told) if told else {}
    causes = [
        edge.target_id for edge in edges if edge.link_type is LinkType.CAUSED_BY and edge.source_id in told
    ]
    causes = [one for one in dict.fromkeys(causes) if one not in told][:MAX_CAUSES]
    for memory in project.store.memories.get(causes, ReadMode.SKIP_DAMAGED):
        told.add(memory.id)
        reason = memory.outcome.failure_reason if not memory.outcome.success else None
        because = f": {_quoted(project, reason)}" if reason else ""
        text = f"Caused by {_quoted(project, memory.intent.goal)} ({_day(memory.created_at)}){because}"
        yield _Part(text, WhySource(memory.id))


def _failures(
    project: Project, code: _Code, memories: Sequence[Memory], told: set[str], touching: set[str]
) -> Iterator[_Part]:
    """Failed work on these lines, or on the file if it names something of them."""
    shown = 0
    symbol = code.symbol.name.rpartition(".")[2].casefold() if code.symbol else ""
    for memory in memories:
        outcome = memory.outcome
        if outcome.success or memory.id in told or not outcome.failure_reason:
            continue
        text = f"{memory.intent.goal} {outcome.failure_reason} {outcome.summary}"
        # Identifiers, not plain words: `refresh_token`, `getUser`, or the name of the symbol itself.
        named = {word.casefold() for word in _WORD.findall(text)}
        is_named = symbol in named or any("_" in word for word in named & code.names)
        if not is_named and memory.id not in touching:
            continue
        told.add(memory.id)
        goal, reason = _quoted(project, memory.intent.goal), _quoted(project, outcome.failure_reason)
        yield _Part(
            f"Failed in this file on {_day(memory.created_at)}: {goal}: {reason}", WhySource(memory.id)
        )
        shown += 1
        if shown == MAX_FAILURES:
            return


def _reasons(body: str, names: frozenset[str], subject: str, budget: int) -> str:
    """The sentences of a message that fit: those that give a reason or name something of the lines first.

    They stand in the order of the message; `[…]` is where others were left out.
    """
    sentences = [
        one
        for paragraph in _PARAGRAPHS.split(body)
        for text in _unwrapped(paragraph)
        for one in split_sentences(text)
        if _WORD.search(one) and one.casefold().rstrip(".") != subject.casefold().rstrip(".")
    ]

    def weight(at: int) -> float:
        words = {word.casefold() for word in _WORD.findall(sentences[at])}
        return 2 * bool(_REASON.search(sentences[at])) + min(3, len(words & names)) + (at == 0) - at / 100

    chosen = set[int]()
    for at in sorted(range(len(sentences)), key=lambda at: -weight(at)):
        if (size := _size(sentences[at])) <= budget:
            chosen.add(at)
            budget -= size
    text = ""
    for at in sorted(chosen):
        between = ";" if text and text[-1] not in ".!?:;,…" else ""
        text += f"{between}{' ' if at == 0 or at - 1 in chosen else ' […] '}{sentences[at]}"
    return text.strip() + (" […]" if chosen and len(sentences) - 1 not in chosen else "")


def _unwrapped(paragraph: str) -> Iterator[str]:
    """The texts of a paragraph, each on one line."""
    text = ""
    for line in paragraph.splitlines():
        text = f"{text} {' '.join(_POINT.sub('', line).split())}".strip()
        if len(line) < _SHORT_LINE:
            yield text
            text = ""
    if text:
        yield text


def _fit(parts: Iterable[_Part], budget: int) -> list[_Part]:
    """The parts that fit into a number of tokens; a part that is too long is left out."""
    kept = list[_Part]()
    for part in parts:
        size = _size(part.text) + (SOURCE if part.source else 0)
        if size <= budget or not kept:
            budget -= size
            kept.append(part)
    return kept


def _size(text: str) -> int:
    return estimate_tokens(text) + 1


def _quoted(project: Project, text: str) -> str:
    """Text of others on one line of limited length."""
    return _clean(project, one_line(text, MAX_SENTENCE))


def _clean(project: Project, text: str) -> str:
    """Text of others without secrets, and without imitations of a prompt's tags."""
    return defused(project.redactor.redact(text))


def _label(one: BlamedLines) -> str:
    lines = _ranges(one.lines)
    if len(lines) > MAX_RANGES:
        return f"{len(one.lines)} lines from {one.lines[0]} to {one.lines[-1]}"
    return f"{'Line' if lines.isdecimal() else 'Lines'} {lines}"


def _ranges(numbers: Iterable[int]) -> str:
    """Line numbers as `3-7, 12`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{first}-{last}" if last > first else str(first) for first, last in runs)


def _day(at: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(at))
