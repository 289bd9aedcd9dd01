"""Stories: turns that only go on with earlier work are joined to it, and work on one task is linked."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from rum.capture.observe.checks import check_of, is_check_result
from rum.capture.observe.goals import PromptKind, asks_back, offer_in, read_prompt
from rum.capture.observe.messages import gave_up, rejects, without_client_tags
from rum.capture.observe.steps import Step, steps_of
from rum.capture.observe.timeline import UNDONE, is_test_file
from rum.capture.observe.turn_memory import failure_of_line
from rum.capture.observe.undoing import effect_of, is_file_named
from rum.model.memory import LinkType, Memory, Operation, has_worked, is_unfinished, is_verified
from rum.model.memory_layers import Action, ActionResult, ActionType, FailureCategory
from rum.store.attempt_fingerprint import REPLACED_FOR_USER
from rum.text.guidance_cues import says_still_fails
from rum.text.prompt_words import BEGUN, any_of
from rum.text.sentences import split_sentences
from rum.text.shell import segments
from rum.text.terms import content_words

if TYPE_CHECKING:
    from rum.capture.events.event import Event
    from rum.capture.observe.timeline import FileReader
    from rum.capture.observe.turns import Turn

_REPORT, _REPORT_SENTENCES = 300, 2  # Characters and sentences of a prompt that may report a failure
_EDITS = (ActionType.FILE_EDIT, ActionType.FILE_CREATE, ActionType.FILE_DELETE)
_MIN_SHARED_WORDS = 2  # Words that the goals of one task have in common
_DONE_SHARE = 0.65  # Of the words of a follow-up
# Words that only say that something is left to do.
_LEFT = re.compile(
    r"\b(?:still|yet|missing|left|open|todo|to do|needs?|needed|remains?|pending|later|should|must|not)\b",
    re.IGNORECASE,
)
# A sentence about work that was going on when it was written.
_PROGRESS = re.compile(
    r"\b(?:(?:still|currently) (?:running|working|searching|looking|going|busy)|in progress|under way"
    r"|waiting (?:for|on)|läuft (?:noch|gerade)|en cours|(?:sigue|está) (?:en marcha|trabajando|buscando))\b"
    r"|还在|正在|実行中",
    re.IGNORECASE,
)
# A name that only code has.
_CODE_NAME = re.compile(r"\w+(?=\(\))|\b[A-Za-z]+_\w+|\b[a-z]+[A-Z]\w+|\b[\w/]+\.[a-z]{1,4}\b")
TAKEN_BACK = "Taken back or replaced later"  # How a learning begins that work is not there any more
_MIN_SHARE = 0.5  # Or this share of the words of the shorter goal


def join_stories(turns: Iterable[Turn]) -> list[Turn]:
    """Join each turn that only goes on to the turn it goes on with; `turns` are a main agent's, in order.

    A commit, thanks or a test run belong to the last turn that changed something. An answer to the agent's
    question that leads to changes begins a story of its own: it does what was only proposed before.
    """
    stories: list[list[Turn]] = []
    for turn in turns:
        kind, decision = read_prompt(turn.prompt, turn.said)
        steps = steps_of(turn.events)
        # "good, next" answers nothing if nothing was asked or proposed.
        has_asked = asks_back(turn.said) or bool(offer_in(turn.said))
        is_answer = kind is PromptKind.ANSWER and (bool(decision) or has_asked)
        if not stories or kind is PromptKind.TASK or (is_answer and _changes(steps)):
            stories.append([turn])
            continue
        changed = [story for story in stories if any(_changes(steps_of(part.events)) for part in story)]
        (changed[-1] if kind is PromptKind.RECORD and changed else stories[-1]).append(turn)
    joined = [_joined(parts) for parts in stories]
    return [_with_later_checks(story, later) for story, later in _pairs(joined)]


def stories_of(turns: Sequence[Turn]) -> list[Turn]:
    """The stories of a whole session, and the turns of its subagents."""
    joined = join_stories(turn for turn in turns if not turn.key.agent)
    return [*joined, *(turn for turn in turns if turn.key.agent)]


def _changes(steps: Iterable[Step]) -> bool:
    return any(step.changes and not step.failed for step in steps)


def _pairs(stories: Sequence[Turn]) -> Iterator[tuple[Turn, Turn | None]]:
    return zip(stories, [*stories[1:], None], strict=True)


def _joined(parts: Sequence[Turn]) -> Turn:
    """One turn of several; the newest state stands."""
    head, *more = parts
    if not more:
        return head
    kinds = [read_prompt(part.prompt, part.said).kind for part in more]
    worked = [part for part, kind in zip(more, kinds, strict=True) if kind is not PromptKind.RECORD]
    told = [part for part in (head, *worked) if part.last_words.strip()]
    # Words about a failure that was overcome later are not the outcome.
    while len(told) > 1 and gave_up(told[0].last_words):
        told.pop(0)
    last_said = told[-1].last_words if told else ""
    last = worked[-1] if worked else head
    return head._replace(
        events=tuple(sorted((event for part in parts for event in part.events), key=lambda one: one["at"])),
        members=tuple(part.key for part in parts),
        then=tuple(part.prompt for part in worked if part.prompt.strip()),
        words="\n\n".join((*(_without_progress(part.last_words) for part in told[:-1]), last_said)),
        finished=last.is_finished,
        reply=parts[-1].reply,
        answer=parts[-1].answer,
        after=parts[-1].after,
        reports=tuple(report for part in parts for report in part.reports),
    )


def _without_progress(words: str) -> str:
    """What was said without the sentences about work that was still going on: it has gone on since."""
    parts = re.split(r"(?<=[.!?])(?=\s)|(?<=[。\n])", words)
    return "".join(part for part in parts if not _PROGRESS.search(part)).strip()


def _with_later_checks(story: Turn, later: Turn | None) -> Turn:
    """A story with the checks that the next one began with, if nothing has checked its changes before."""
    steps = steps_of(story.events)
    changed = max((at for at, step in enumerate(steps) if step.changes and not step.failed), default=None)
    if later is None or changed is None or any(map(check_of, steps[changed + 1 :])):
        return story
    return story._replace(events=(*story.events, *_first_checks(later)))


def _first_checks(turn: Turn) -> Iterator[Event]:
    """The events of the checks before the first change."""
    for event in turn.events:
        steps = steps_of([event])
        if _changes(steps):
            return
        if event.get("tool") == "run" and any(map(check_of, steps)):
            yield event


def story_link(older: Memory, newer: Memory, prompt: str = "") -> LinkType | None:
    """How two memories of captured work hang together: `newer` was made later, from this prompt.

    `caused_by`: they are parts of one story, and the later one shows how it went on. `related_to`: the same
    files, but it is not known whether the task is the same.
    """
    shared = changed_paths(older) & changed_paths(newer)
    same_session = older.session_id == newer.session_id
    same_goal = older.intent.goal.casefold() == newer.intent.goal.casefold()
    if same_goal and (shared or same_session or not changed_paths(older)):
        return LinkType.CAUSED_BY
    if same_session:
        refers = read_prompt(prompt).kind is not PromptKind.TASK or rejects(prompt)
        if refers or (shared and (not is_unfinished(older) or _continues(older, newer))):
            return LinkType.CAUSED_BY
        return LinkType.RELATED_TO if shared else None
    refers = _touches(older, newer) or any_of(BEGUN).search(prompt) is not None
    if is_unfinished(older) and (
        (shared and _continues(older, newer)) or (refers and _are_alike(older, newer))
    ):
        return LinkType.CAUSED_BY
    if is_unfinished(older) and _only_checks(older, newer, prompt):
        return LinkType.CAUSED_BY
    if newer.outcome.success and any(is_done_by(left, newer) for left in older.outcome.follow_up_needed):
        return LinkType.CAUSED_BY
    is_related = _are_alike(older, newer) or any(
        _lines_with(older, path, "+") & _removed_lines(newer, path) for path in shared
    )
    return LinkType.RELATED_TO if shared and is_related else None


def _touches(older: Memory, newer: Memory) -> bool:
    """Whether one of them changed a file that the other one read or changed."""
    first, second = ({file.path for file in one.files} for one in (older, newer))
    return bool(changed_paths(older) & second or first & changed_paths(newer))


def _continues(older: Memory, newer: Memory) -> bool:
    """Whether later work on the same files is about what was left open."""
    before, after = older.outcome.verified_by, newer.outcome.verified_by
    passes_now = before is not None and after is not None and newer.outcome.success
    same_check = passes_now and before and after and before.type is after.type
    return bool(same_check) or _are_alike(older, newer)


def _only_checks(older: Memory, newer: Memory, prompt: str) -> bool:
    """Whether later work changed nothing, but a check of what was left passed."""
    passed = any(
        action.type is ActionType.COMMAND_RUN
        and action.result is not None
        and is_check_result(action.details.command or "", action.result.output_summary)
        and action.result.success
        for action in newer.actions
    )
    names = [posixpath.basename(path) for path in changed_paths(older)]
    named = any(name in prompt for name in names) and _shared_words(older, newer) > 0
    return (
        not changed_paths(newer) and passed and newer.outcome.success and (named or _are_alike(older, newer))
    )


def _shared_words(older: Memory, newer: Memory) -> int:
    first, second = (set(content_words(one.intent.goal)) for one in (older, newer))
    parts = {part for word in second for part in word}
    return sum(not parts.isdisjoint(word) for word in first)


def _code_names(goal: str) -> set[str]:
    return set(_CODE_NAME.findall(goal))


def _are_alike(older: Memory, newer: Memory) -> bool:
    if not _code_names(older.intent.goal).isdisjoint(_code_names(newer.intent.goal)):
        return True
    first, second = (set(content_words(one.intent.goal)) for one in (older, newer))
    shared = _shared_words(older, newer)
    return shared >= _MIN_SHARED_WORDS or (shared > 0 and shared >= _MIN_SHARE * min(len(first), len(second)))


def with_replaced_lines(older: Memory, newer: Memory) -> Memory:
    """Failed or unverified work, with the lines marked as failed that later, proven work replaced.

    A check must have failed with them, in either work. Each such line is taken out of its change and stands
    in an action of its own, with the error. A change of unknown result that was not replaced has worked.
    """
    before, after = older.outcome.verified_by, newer.outcome.verified_by
    if after is None or is_unfinished(newer) or (older.outcome.success and is_verified(older)):
        return older
    if not older.outcome.success and before is not None:
        error = (older.outcome.failure_reason or "").removeprefix(f"{before.command}: ")
    elif (seen := _error_before_edit(newer)) is not None:
        error = seen
    else:
        return older
    gone = {path: _removed_lines(newer, path) for path in changed_paths(older)}
    blamed = _with_blamed(older, gone, error)
    if not newer.outcome.success:
        return blamed
    worked = ActionResult(success=True)
    actions = (
        replace(one, result=one.result or worked) if one.details.file_path else one for one in blamed.actions
    )
    return replace(blamed, actions=tuple(actions))


def with_undone_lines(older: Memory, newer: Memory, wish: str) -> Memory:
    """Work of an earlier session, with the lines marked that later, proven work took out again.

    They are undone if a file is then as it was before the earlier work. If other lines took their place, this
    counts only after a `wish` of the user that forbids something.
    """
    if not has_worked(newer) or older.session_id == newer.session_id:
        return older
    learnings: list[str] = []
    for path in sorted(changed_paths(older) & changed_paths(newer)):
        added, removed = (_lines_with(older, path, sign) for sign in "+-")
        gone = added & _removed_lines(newer, path)
        if gone and gone == added and _lines_with(newer, path, "+") <= removed:
            older = _with_blamed(older, {path: gone}, f"{UNDONE} later work: “{newer.intent.goal}”")
            learnings.append(f"{TAKEN_BACK}: “{newer.intent.goal}”")
        elif gone and wish:
            older = _with_blamed(older, {path: gone}, f"{REPLACED_FOR_USER}: “{wish}”")
            learnings.append(f"{TAKEN_BACK}, as the user said: “{wish}”")
    known = older.outcome.learnings
    told = replace(older.outcome, learnings=tuple(dict.fromkeys((*learnings, *known))))
    return _failed_if_undone(replace(older, outcome=told), newer)


def with_restored_lines(older: Memory, newer: Memory, read: FileReader) -> Memory:
    """Work of an earlier session, with the lines marked that later work took back with a command of git.

    The file must be as it was before: without the lines that the earlier work added, with those it removed.
    """
    if older.session_id == newer.session_id:
        return older
    commands = (
        one.details.command or "" for one in newer.actions if one.result is None or one.result.success
    )
    effects = [
        effect
        for command in commands
        for words in segments(command)
        if (effect := effect_of(words)) and effect.kind == "restore"
    ]
    for path in sorted(changed_paths(older)):
        added, removed = (_lines_with(older, path, sign) for sign in "+-")
        named = any(not one.files or any(is_file_named(path, name) for name in one.files) for one in effects)
        text = read(path) if added and named else None
        if text is not None:
            now = {line.strip() for line in text.splitlines()}
            if added.isdisjoint(now) and removed <= now:
                older = _with_blamed(older, {path: added}, f"{UNDONE} later work: “{newer.intent.goal}”")
    return _failed_if_undone(older, newer)


def _failed_if_undone(older: Memory, newer: Memory) -> Memory:
    """Work as a failure if later work took back all that it changed."""
    edits = [one for one in older.actions if one.type in _EDITS]
    error = f"{UNDONE} later work: “{newer.intent.goal}”"
    if (
        not edits
        or not older.outcome.success
        or any(one.result is None or one.result.error != error for one in edits)
    ):
        return older
    reason = f"Taken back later: “{newer.intent.goal}”"
    failed = replace(
        older.outcome, success=False, failure_reason=reason, failure_category=FailureCategory.OTHER
    )
    return replace(older, outcome=failed)


def with_reported_failure(older: Memory, newer: Memory, prompt: str) -> Memory:
    """Work as a failure if the prompt of later work on the same files says that the same still fails."""
    if not older.outcome.success or not _touches(older, newer) or not _are_alike(older, newer):
        return older
    typed = split_sentences(without_client_tags(prompt)[:_REPORT])
    if not any(map(says_still_fails, typed[:_REPORT_SENTENCES])):
        return older
    said = f"{older.outcome.summary} {older.outcome.full_text or ''}"
    failed = replace(
        older.outcome,
        success=False,
        failure_reason=f"The user reported later: {newer.intent.goal}",
        failure_category=FailureCategory.INCORRECT_ASSUMPTION,
        # The cause that the agent named then is in doubt too.
        learnings=tuple(one for one in older.outcome.learnings if one.rstrip(".") not in said),
    )
    return replace(older, outcome=failed)


def _lines_with(memory: Memory, path: str, sign: str) -> set[str]:
    """The lines with letters that the work of a memory added to (+) or removed from (-) a file."""
    return {
        line[1:].strip()
        for action in memory.actions
        if action.details.file_path == path and (action.result is None or action.result.success)
        for line in (action.details.diff_summary or "").splitlines()
        if line[:1] == sign and any(character.isalpha() for character in line)
    }


def _with_blamed(memory: Memory, gone: dict[str, set[str]], error: str) -> Memory:
    """A memory in which each of these added lines stands in an action of its own, with the error."""
    actions: list[Action] = []
    for action in memory.actions:
        diff = (action.details.diff_summary or "").splitlines()
        has_failed = action.result is not None and not action.result.success
        lines = gone.get(action.details.file_path or "", set()) if not has_failed else set[str]()
        failed = [line for line in diff if line[:1] == "+" and line[1:].strip() in lines]
        if not failed:
            actions.append(action)
            continue
        rest = [line for line in diff if line not in failed]
        if any(line[:1] == "+" for line in rest):
            kept = replace(action.details, diff_summary="\n".join(rest))
            actions.append(replace(action, details=kept))
        blamed = replace(action.details, diff_summary="\n".join(failed), diff_hash=None)
        result = ActionResult(success=False, error=error or None)
        actions.append(replace(action, details=blamed, result=result))
    return replace(memory, actions=tuple(actions))


def without_disproved(older: Memory, newer: Memory) -> Memory:
    """Earlier work without the learnings that a line failed which proven work has used since."""
    if not older.outcome.learnings or not has_worked(newer):
        return older
    works = {(path, line) for path, line, _ in _added_lines(newer, has_failed=False)}
    failed = list(_added_lines(older, has_failed=True))
    disproved = [one for one in failed if one[:2] in works]
    if not disproved:
        return older
    lines = tuple(failure_of_line(path, line) for path, line, _ in disproved)
    # What else was taken back stays so; the error of its lines quotes the same.
    still = {_quoted(error) for *_, error in failed} - {_quoted(error) for *_, error in disproved}
    kept = tuple(
        one
        for one in older.outcome.learnings
        if not one.startswith(lines) and (not one.startswith(TAKEN_BACK) or _quoted(one) in still)
    )
    return replace(older, outcome=replace(older.outcome, learnings=kept))


def _quoted(text: str) -> str:
    """What a learning or an error quotes after its first colon."""
    return text.partition(": ")[2]


def _added_lines(memory: Memory, *, has_failed: bool) -> Iterator[tuple[str, str, str]]:
    """The file, text and error of each line that work added: of those that failed, or of the others."""
    for action in memory.actions:
        path, result = action.details.file_path, action.result
        if path and result and result.success is not has_failed:
            lines = (action.details.diff_summary or "").splitlines()
            yield from ((path, line[1:].strip(), result.error or "") for line in lines if line[:1] == "+")


def _error_before_edit(memory: Memory) -> str | None:
    """The error of a check that failed before the first change of code; None if there was none."""
    for action in memory.actions:
        path, result = action.details.file_path, action.result
        if path and action.type is not ActionType.FILE_READ and not is_test_file(path):
            return None
        if result is None or result.success:
            continue
        if is_check_result(action.details.command or "", result.output_summary):
            return result.error or ""
    return None


def _removed_lines(memory: Memory, path: str) -> set[str]:
    """The lines with letters that the work of a memory removed from a file and did not put back."""
    return _lines_with(memory, path, "-") - _lines_with(memory, path, "+")


def is_done_by(follow_up: str, memory: Memory) -> bool:
    """Whether the goal and summary of later work have most words of a follow-up."""
    wanted = set(content_words(_LEFT.sub(" ", follow_up)))
    words = set(content_words(f"{memory.intent.goal} {memory.outcome.summary}"))
    return len(wanted) > 1 and len(wanted & words) >= _DONE_SHARE * len(wanted)


def changed_paths(memory: Memory) -> set[str]:
    """The files that the work of a memory changed."""
    return {file.path for file in memory.files if file.operation is not Operation.READ}
