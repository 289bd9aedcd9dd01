"""What every backend derives from a memory: index terms, renames of files, and attempts.

An attempt is an edit or a command that is known to have worked or failed; warnings compare new ones with it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from rum.model.memory import Memory, has_worked
from rum.model.memory_layers import Action, ActionType
from rum.store.attempt_fingerprint import (
    REJECTED_BY_USER,
    REPLACED_FOR_USER,
    carrying_line,
    command_tried,
    diff_marks,
    edit_marks,
    has_run_tests,
    is_beside,
    is_check,
    is_misuse,
    sample,
    started_by,
)
from rum.text.shorten import LINE_BREAK, shorten
from rum.text.terms import terms


def indexed_text(memory: Memory) -> tuple[str, ...]:
    """The terms of a memory in the order of the index's fields, each as one string."""
    intent, outcome, reasoning, perception = (
        memory.intent,
        memory.outcome,
        memory.reasoning,
        memory.perception,
    )
    fields: tuple[Iterable[str | None], ...] = (
        (intent.goal,),
        (intent.context, *intent.constraints),
        (memory.full_summary, outcome.failure_reason, outcome.failure_category, *_verification_texts(memory)),
        (*outcome.learnings, *outcome.follow_up_needed),
        (
            reasoning.approach_chosen,
            reasoning.why_chosen,
            *(
                text
                for other in reasoning.alternatives_considered
                for text in (other.approach, other.why_rejected)
            ),
            *reasoning.assumptions,
            *reasoning.risks_identified,
        ),
        (
            *(
                text
                for observation in perception.observations
                for text in (observation.what, observation.significance)
            ),
            *(text for file in perception.relevant_files for text in (file.relevance, file.state_summary)),
            *perception.patterns_noticed,
            *perception.anomalies,
        ),
        # The whole message counts as little as actions do: what matters of it is in the fields above.
        (*_action_texts(memory), outcome.full_text),
        memory.tags,
        (file.path for file in memory.files),
    )
    return tuple(" ".join(terms(" \n ".join(filter(None, field)))) for field in fields)


def _verification_texts(memory: Memory) -> tuple[str | None, ...]:
    verified = memory.outcome.verified_by
    return (verified.command, verified.result) if verified else ()


def _action_texts(memory: Memory) -> Iterable[str | None]:
    for action in memory.actions:
        details = action.details
        yield from (details.diff_summary, details.command, details.query)
        if action.result:
            yield from (action.result.output_summary, action.result.error)


RENAMED_TO = "renamed to "  # How the summary of a deletion says that the file has another name now
MAX_RENAMES = 1000  # Limit for one memory

_MAX_COMMAND_LENGTH = 4096
# Patterns here are not compiled on import: recall imports this module and needs none of them.
_COMMAND_SEPARATORS = r"&&|\|\||[;|\n]"
_SHELL_SYNTAX = r"[*?\[\]{}$`<>()]"
_OUTSIDE_PREFIXES = ("/", "~", "..")


def recorded_renames(actions: Iterable[Action]) -> list[tuple[str, str]]:
    """(earlier name, new name) of the files that actions renamed, by a deletion or a plain `mv`."""
    found = (pair for action in actions for pair in _renames_by(action))
    return list(islice(dict.fromkeys(found), MAX_RENAMES))


def _renames_by(action: Action) -> Iterator[tuple[str, str]]:
    details = action.details
    if action.type is ActionType.FILE_DELETE and details.file_path and details.diff_summary:
        prefix, _, path = details.diff_summary.partition(RENAMED_TO)
        if path and not prefix:
            yield details.file_path, path
    worked = action.result is None or action.result.success
    if action.type is ActionType.COMMAND_RUN and worked and "mv" in (details.command or ""):
        yield from _renames_by_command(details.command or "", details.working_directory or "")


def _renames_by_command(command: str, folder: str) -> Iterator[tuple[str, str]]:
    """The renames by those steps of a command that move one file to one place without wildcards."""
    for step in re.split(_COMMAND_SEPARATORS, command[:_MAX_COMMAND_LENGTH]):
        words = _shell_words(step)
        if words[:1] == ["git"]:
            del words[0]
        names = [word for word in words[1:] if not word.startswith("-")]
        if words[:1] == ["mv"] and len(names) == 2:
            before, after = names
            after = after + posixpath.basename(before) if after.endswith("/") else after
            pair = tuple(posixpath.normpath(posixpath.join(folder, name)) for name in (before, after))
            if pair[0] != pair[1] and not any(name.startswith(_OUTSIDE_PREFIXES) for name in pair):
                yield pair[0], pair[1]


def _shell_words(step: str) -> list[str]:
    """The words of one step; none if a shell would expand them."""
    if re.search(_SHELL_SYNTAX, step):
        return []
    import shlex  # noqa: PLC0415 (slow to load, and hardly any command moves a file)

    try:
        return shlex.split(step)
    except ValueError:  # an unclosed quote
        return []


_SAMPLE_SIZE = 128  # Marks stored per attempt: enough to estimate how many of them a new one shares
MAX_ATTEMPTS = 60  # Limit for one memory

_EDITS = (ActionType.FILE_EDIT, ActionType.FILE_CREATE, ActionType.FILE_DELETE)
_SHORT_CHANGE = 64  # Characters of a change that is quoted whole
_QUOTE_LENGTH, _REASON_LENGTH, _QUOTED_REASON_LENGTH = 90, 140, 300
_MAX_SUSPECT_EDITS = 3  # In a failure with at most this many edits, those of unknown result count as failed
# Errors that mean that an edit was not applied; they do not show that it was wrong.
_NOT_APPLIED = (
    r"(?i)not found in (?:the )?file|has not been read|string to replace|old_string|matches of the string"
    r"|modified since|failed to (?:find|apply)|no changes|does not exist|patch (?:failed|does not)|hunk"
)


class Attempt(NamedTuple):
    """An edit or a command: the key to find it by, the marks to recognise it by, and the outcome."""

    number: int
    key: str
    at: int
    worked: bool
    size: int
    marks: bytes
    tried: str = ""
    why: str = ""
    instead: str = ""


# Errors that come rather from how a check was started than from the code.
_NOT_FOUND = r"(?i)no module named|cannot find module|not found|no such file|could not find|enoent"


_IN_CODE = r"(?:Error|Exception|panic)\b.* in (?:\S+ \()?[\w.-]+\.[a-z]{1,5}\)?$"


# Errors of networks, accounts, locks and the state of a repository: they pass, and the command was right.
_OUTSIDE = r"""(?ix)
    (?:not|n't|unable\ to|cannot|failed\ to)\ (?:resolve\ host|connect|reach|access|download|fetch
      |(?:get\ )?lock|read\ (?:from\ remote|username|password))
    | name\ resolution | name\ or\ service\ not\ known | no\ route\ to\ host | tls\ handshake | certificate
    | (?:network|host|connection)\ (?:is\ )?(?:unreachable|down|error|timeout|refused|reset|closed|aborted)
    | timed\ out | timeout\ (?:was\ )?(?:reached|exceeded|expired|awaiting) | deadline\ exceeded
    | \bE(?:TIMEDOUT|CONNREFUSED|CONNRESET|NOTFOUND|AI_AGAIN|HOSTUNREACH|NETUNREACH|ACCES|PERM|BUSY|NOSPC)\b
    | rate\ limit | too\ many\ (?:requests|open\ files) | temporarily\ unavailable | service\ unavailable
    | bad\ gateway | \b(?:40[13]|429|50[234])\b | permission\ denied | access\ (?:is\ )?denied
    | not\ permitted | insufficient\ (?:permission|privilege|scope) | (?:not\ |un)auth(?:ori[sz]|enticat)ed
    | forbidden | authentication | credentials | auth\ login | (?:log|sign|logged|signed)[\ -]?in\b
    | prompts\ disabled
    | (?:token|session|password|api\ key)\ (?:has\ |is\ )?(?:expired|invalid|required|missing|revoked)
    | host\ key\ verification | repository\ not\ found | does\ not\ appear\ to\ be\ a\ git
    | no\ space\ left | disk\ quota | (?:allocate|out\ of)\ memory | docker\ daemon
    | \.lock\b.*exists | is\ locked | another\ (?:\w+\ )?process | already\ (?:running|in\ use|allocated)
    | \[(?:remote\ )?rejected\] | non-fast-forward | fetch\ first | updates\ were\ rejected
    | protected\ branch | nothing\ to\ commit | no\ changes\ added | would\ be\ overwritten
    | (?:unstaged|uncommitted|local)\ changes | unmerged | merge\ (?:conflict|failed) | could\ not\ apply
    | no\ upstream\ branch
    """


def attempts_of(memory: Memory) -> list[Attempt]:
    """The attempts of a memory, in the order of its actions."""
    return list(_attempts(memory))[:MAX_ATTEMPTS]


def _attempts(memory: Memory) -> Iterator[Attempt]:
    suspects = _suspects(memory)
    for number, action in enumerate(memory.actions):
        right = _right_command(memory, number)
        worked = False if number in suspects or right else _worked(memory, action)
        if worked is None or (found := _key_and_marks(action)) is None:
            continue
        key, marks = found
        row = Attempt(number, key, action.timestamp, worked, len(marks), sample(marks, _SAMPLE_SIZE))
        if worked:
            # Of a command that worked it matters how it was started.
            yield row._replace(tried=_started(action) if action.type is ActionType.COMMAND_RUN else "")
        else:
            instead = _in_one_line(right) if right else _instead(memory, number, key)
            if not instead and _is_outside(action):
                continue
            yield row._replace(tried=_in_one_line(action), why=_reason(memory, action), instead=instead)


def _is_outside(action: Action) -> bool:
    """Whether a command failed for a reason outside the project, which may be gone the next time."""
    if action.type is not ActionType.COMMAND_RUN or action.result is None:
        return False
    return is_outside(f"{action.result.error or ''}\n{action.result.output_summary or ''}")


def is_outside(error: str) -> bool:
    """Whether an error is of a network, an account, a lock or the like, and not of the work."""
    return re.search(_OUTSIDE, error) is not None


def _suspects(memory: Memory) -> set[int]:
    """The indexes of the edits of unknown result, if the memory is a failure with few edits."""
    if memory.outcome.success:
        return set()
    edits = [n for n, action in enumerate(memory.actions) if action.type in _EDITS]
    unknown = {n for n in edits if memory.actions[n].result is None}
    return unknown if len(edits) <= _MAX_SUSPECT_EDITS else set()


def _right_command(memory: Memory, number: int) -> Action | None:
    """The check that passed after one that did not find something, with no edit between."""
    action = memory.actions[number]
    if action.type is not ActionType.COMMAND_RUN or action.result is None or action.result.success:
        return None
    if not is_check(action.details.command or "") or not re.search(_NOT_FOUND, action.result.error or ""):
        return None
    key = _way(action)
    for later in memory.actions[number + 1 :]:
        if later.type in _EDITS:
            return None
        if is_check(later.details.command or "") and later.result and _way(later) != key:
            return later if later.result.success else None
    return None


def _way(action: Action) -> tuple[object, str]:
    """What a command does, and how it is started."""
    return _key_and_marks(action), _started(action)


def _worked(memory: Memory, action: Action) -> bool | None:
    """Whether an action worked; None if unknown, or if the result says nothing about the action itself."""
    result = action.result
    if result is None:
        return None
    if action.type in _EDITS:
        if result.success:
            return True if has_worked(memory) else None
        return None if re.search(_NOT_APPLIED, result.error or "") else False
    if action.type is not ActionType.COMMAND_RUN:
        return None
    command, error = action.details.command or "", f"{result.error or ''}\n{result.output_summary or ''}"
    if not result.success and (is_check(command) or has_run_tests(error)) and not is_misuse(command, error):
        return None
    # An error in a file of the project is about the code.
    return None if not result.success and re.search(_IN_CODE, result.error or "") else result.success


def _key_and_marks(action: Action) -> tuple[str, frozenset[int]] | None:
    details = action.details
    if action.type is ActionType.COMMAND_RUN:
        found = command_tried(details.command or "")
        return (found.key, found.marks) if found else None
    if not details.file_path:
        return None
    marks = diff_marks(details.diff_summary or "")
    return (details.file_path, marks) if marks else None


def _in_one_line(action: Action) -> str:
    if action.type is ActionType.COMMAND_RUN:
        return _line(action.details.command or "", _QUOTE_LENGTH)
    return first_changed_line(action.details.diff_summary or "")


def first_changed_line(diff: str) -> str:
    """A short diff, or the line that carries it: what it adds; if it adds nothing, what it removes."""
    for sign, prefix in (("+", ""), ("-", "removing ")):
        lines = [line for line in _lines_of(diff, sign) if edit_marks(line)]
        whole = LINE_BREAK.join(line for line in lines if not is_beside(line))
        # A short change is quoted whole: one of its lines may say little.
        if line := whole if 0 < len(whole) <= _SHORT_CHANGE else carrying_line(lines):
            return prefix + _line(line, _QUOTE_LENGTH)
    return ""


def _lines_of(diff: str, sign: str) -> list[str]:
    return [line[1:].strip() for line in diff.splitlines() if line.startswith(sign)]


def _reason(memory: Memory, action: Action) -> str:
    result = action.result
    texts: Sequence[str | None] = ((result.error, result.output_summary) if result else ()) or (
        memory.outcome.failure_reason,
        memory.full_summary,
    )
    reason = next(filter(None, texts), memory.outcome.failure_reason or "")
    return _line(
        reason,
        _QUOTED_REASON_LENGTH if reason.startswith((REJECTED_BY_USER, REPLACED_FOR_USER)) else _REASON_LENGTH,
    )


def _instead(memory: Memory, number: int, key: str) -> str:
    """What worked in place of an action, later in the same memory."""
    failed, later = memory.actions[number], memory.actions[number + 1 :]
    if failed.type is not ActionType.COMMAND_RUN:
        if not has_worked(memory):
            return ""
        edits = [action for action in later if action.type in _EDITS and action.details.file_path == key]
        worked = [action for action in _successes(edits) if _in_one_line(action)]
        # What took the failed lines out, and what took that out again.
        chosen, lines = failed, _lines_of(failed.details.diff_summary or "", "+")
        for one in worked:
            if not set(lines).isdisjoint(_lines_of(one.details.diff_summary or "", "-")):
                chosen, lines = one, _lines_of(one.details.diff_summary or "", "+")
        if chosen is failed:
            # Else, as after `git checkout`, what then changed the same lines.
            same = set(_lines_of(failed.details.diff_summary or "", "-"))
            others = [one for one in worked if same & set(_lines_of(one.details.diff_summary or "", "-"))]
            # Where nothing was taken out, the only later edit has its place.
            others = others or (worked if not same and len(worked) == 1 else [])
            chosen = others[-1] if others else failed
        return "" if chosen is failed else _in_one_line(chosen)
    commands = _successes(action for action in later if action.type is ActionType.COMMAND_RUN)
    alike = (action for action in commands if _same_purpose(failed, action))
    return next((_in_one_line(action) for action in alike), "")


def _successes(actions: Iterable[Action]) -> list[Action]:
    return [action for action in actions if action.result and action.result.success]


def _same_purpose(failed: Action, other: Action) -> bool:
    """Whether two commands run the same program with other arguments, or share half of their words."""
    one, two = _key_and_marks(failed), _key_and_marks(other)
    if one is None or two is None:
        return False
    if one[1] == two[1]:
        # `python -m pytest` in place of `pytest`, which was not found.
        return _started(failed) != _started(other)
    # `git pull` does something else than `git push`, whatever words they share.
    if one[0] == two[0] or (one[0].startswith("$ git ") and two[0].startswith("$ git ")):
        return one[0] == two[0]
    return len(one[1] & two[1]) * 2 >= min(len(one[1]), len(two[1]))


def _started(action: Action) -> str:
    return started_by(action.details.command or "")


def _line(text: str, max_length: int) -> str:
    return shorten(" ".join(text.split()), max_length)
