"""Import the spool: store captured events, and make memories of turns that are over."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from rum.app.caller import Caller
from rum.app.capture.events import as_event, as_row, is_valid
from rum.app.capture.turns import TurnOutcome, TurnSource
from rum.app.capture.words import keep_words, propose_candidates
from rum.app.imports.batch import Tally, import_pieces
from rum.app.memories.trash import delete_expired, finish_forgetting
from rum.app.offers import judge_work
from rum.app.offers import record as record_offers
from rum.app.project import Project
from rum.capture.events import problems, spool
from rum.capture.events.cleaning import clean
from rum.capture.events.event import from_line, to_line
from rum.capture.events.ignored_paths import read_ignored
from rum.capture.events.pause import is_paused
from rum.capture.observe.goals import sets_task
from rum.capture.observe.messages import reports_failure, takes_report_back
from rum.capture.observe.rejection import changed_files, may_correct, undoes
from rum.capture.observe.stories import join_stories
from rum.capture.observe.turns import (
    CLOSING,
    Report,
    Turn,
    key_of,
    merge_event,
    merge_events,
    parents,
    reports_of,
    tasks,
    with_neighbours,
    with_turns,
)
from rum.capture.transcripts import READERS, SAME_NAMES
from rum.model.errors import RumError, StorageError
from rum.repo.location import find_root
from rum.settings.home import file_lock
from rum.store.captured_events import (
    CapturedEvent,
    CapturedTurn,
    EventQuery,
    SessionKey,
    TurnKey,
)

if TYPE_CHECKING:
    from rum.capture.events.event import Event

KEPT = 14 * 86400  # Seconds for which events are kept after a memory was made of them, and texts of offers
_LOCK = "intake.lock"
_AT_ONCE = 50  # Turns concluded in one batch: a process that is killed repeats no more than these
_ALL = 10**9
_TOO_OLD = 30 * 86400  # Seconds after which lines without a known project are dropped


class Intake(Struct, frozen=True, kw_only=True):
    """How many events were imported, and the outcome of finished turns."""

    events: int = 0
    memories: int = 0
    updated: int = 0
    completed: int = 0
    nothing: int = 0
    forgotten: int = 0
    pending: int = 0  # Turns whose memory waits for review
    open: int = 0  # Turns that are not over
    dropped: int = 0  # Events deleted because of their age
    busy: bool = False  # Another process is importing; nothing was done


def intake(caller: Caller, patience: float = 0.0) -> Intake:
    """Import the spool and conclude finished turns; one process at a time for each project."""
    project, captured = caller.project, caller.store.captured
    if not os.path.isdir(project.location.directory):
        unclaimed = spool.unclaimed_folders(project.settings.home)
        if not any(map(spool.spools, (*project.spool_folders, *unclaimed))):
            return Intake()  # nothing is stored for this project yet, and nothing is about to be
        with caller.store.transaction():
            pass  # makes the folder
    try:
        with file_lock(os.path.join(project.location.directory, _LOCK), patience):
            _claim(project)
            propose_candidates(project)
            new = _import_spool(project)
            counts = _conclude_turns(caller)
            judge_work(project)
            dropped = captured.drop(project.now() - KEPT)
            finish_forgetting(project)
            delete_expired(project)
            problems.delete_problems(project.spool_folders, project.now() - problems.RECENT)
            return Intake(
                events=new, open=captured.counts().open_turns, dropped=dropped, busy=False, **counts
            )
    except TimeoutError:
        return Intake(busy=True)


def _claim(project: Project) -> None:
    """Move lines that were captured without a known project into the spool of theirs, maybe this one."""
    for folder in spool.unclaimed_folders(project.settings.home):
        for path in spool.spools(folder):
            with suppress(OSError):
                _claim_file(project, path)


def _claim_file(project: Project, path: str) -> None:
    lines, end = spool.complete_lines(path)
    placed: list[tuple[tuple[str, ...], Event]] = []
    for event in (event for line in lines if (event := from_line(line)) and is_valid(event)):
        try:
            settings, location = project.find_at(event["cwd"], project.settings.home, True)
        except (RumError, OSError):
            if event["at"] > project.now() - _TOO_OLD:
                return  # the file is tried again as a whole: no line may be moved twice
            continue
        places = spool.folders(settings.home, location.id, location.directory)
        placed.append((places, {**event, "project": location.id}))
    if all(spool.write_line(places, event["session"], to_line(event))[0] for places, event in placed):
        spool.remove(path, end)


def _import_spool(project: Project) -> int:
    """Store all lines of the spool as events and delete its files; the number of new events."""
    new = 0
    for path in [path for folder in project.spool_folders for path in spool.spools(folder)]:
        # A file that cannot be read now waits for the next time.
        with suppress(OSError):
            lines, end, offset = *spool.complete_lines(path), 0
            while end != offset:
                new += _store_events(project, [event for line in lines if (event := from_line(line))])
                offset = end
                lines, end = spool.complete_lines(path, offset)
            # Removed only when all is stored: lines read again after a crash have ids that are known.
            spool.remove(path, offset)
    return new


def _store_events(project: Project, events: Sequence[Event]) -> int:
    """Store events, each once, with the names of their turns; the number of new ones."""
    sessions: dict[SessionKey, list[Event]] = {}
    for event in events:
        if is_valid(event):
            sessions.setdefault(SessionKey(event["client"], event["session"]), []).append(event)
    captured, new = project.store.captured, 0
    for key, received in sessions.items():
        prompts = captured.events(key, ("prompt",))
        known = [(one.at, one.key.turn) for one in prompts if not one.key.agent]
        there = {one.id for one in prompts}
        named = with_turns([event for event in received if event["id"] not in there], known)
        fresh = set(captured.add([as_row(event) for event in named], project.now()))
        new += len(fresh)
        for event in named:
            if event["id"] in fresh and event["kind"] == "prompt":
                _note_reaction(project, key, event)
        for event in named:
            if event["kind"] in CLOSING:
                _extend_ended(project, event)
    return new


def _extend_ended(project: Project, event: Event) -> None:
    """A turn that was continued has two ends with the same id; the text of the later one counts."""
    captured, key = project.store.captured, key_of(event)
    known = next((as_event(row) for row in captured.events(key) if row.id == event["id"]), None)
    if known and event["at"] > known["at"] and event.get("text", "") not in ("", known.get("text")):
        captured.add([as_row(merge_event(known, event))], project.now(), replace=True)
        captured.reopen(key)


def _note_reaction(project: Project, key: SessionKey, prompt: Event) -> None:
    """Reopen the turn that a prompt rejects, or about which it takes back what the prompt before it said."""
    captured, text, turn = project.store.captured, prompt.get("text", ""), prompt.get("turn", "")
    earlier = [
        one
        for one in captured.events(key, ("prompt",))
        if one.at < prompt["at"] and not one.key.agent and one.key.turn != turn
    ]
    if earlier and (may_correct(text) or reports_failure(text)):
        captured.reopen(earlier[-1].key)
    if len(earlier) > 1 and takes_report_back(text):
        captured.reopen(earlier[-2].key)


def _conclude_turns(caller: Caller) -> Counter[str]:
    """Create memories from the finished turns; return the number of each outcome."""
    open_turns, counts = _OpenTurns(caller.project), Counter[str]()
    done: set[TurnKey] = set()
    while rows := [row for row in open_turns.finished() if row.key not in done][:_AT_ONCE]:
        done.update(row.key for row in rows)
        related = parents([(one.key, one.first) for row in rows for one in open_turns.session_turns(row.key)])
        # The report of a subagent is part of its caller's memory, which may be there already.
        told = [*(row.key for row in rows), *(related[row.key] for row in rows if row.key in related)]
        stories = {story.key: story for key in told for story in open_turns.stories(key)}
        source, tally = TurnSource(caller, list(stories.values()), related, imported=False), Tally()
        import_pieces(caller, source, tally)
        counts["updated"] += tally.counts["updated"]
        counts["memories"] += tally.counts["added"]
        for row in rows:
            outcome = source.outcomes.get(row.key, TurnOutcome("nothing", None, "no events"))
            if outcome.kind != "memory":  # those are counted as updated or added
                counts[outcome.kind] += 1
            # The offers need the events, which concluding a forgotten turn deletes.
            events = [as_event(one) for one in caller.store.captured.events(row.key)]
            made = caller.store.memories.get([outcome.memory_id] if outcome.memory_id else [])
            record_offers(caller, events, made[0] if made else None)
            conclude(caller.project, row, outcome)
        for row in rows:
            _keep_words(caller, row, source, done)
    return counts


def _keep_words(caller: Caller, row: CapturedTurn, source: TurnSource, done: set[TurnKey]) -> None:
    """Keep what the prompt of a turn says that the user wants; a turn that it rejects is made anew."""
    captured = caller.store.captured
    events = [as_event(one) for one in captured.events(row.key)]
    prompt = next((event for event in events if event["kind"] == "prompt"), None)
    if prompt is None or row.key.agent:
        return
    session = captured.turns(SessionKey(row.key.client, row.key.session))
    earlier = [one for one in session if not one.key.agent and one.first < row.first]
    before: list[Event] = []
    about: str | None = None
    for one in reversed(earlier[-_TURNS_BEFORE:]):
        before, about = [as_event(found) for found in captured.events(one.key)], one.memory_id
        if changed_files(before):
            break
    if earlier and earlier[-1].key not in done:
        last = [as_event(found) for found in captured.events(earlier[-1].key)]
        if may_correct(prompt.get("text", "")) or undoes(last, events):
            captured.reopen(earlier[-1].key)
    turn = Turn(row.key, tuple(events))
    keep_words(
        caller,
        prompt,
        events,
        before,
        author=lambda: source.agent_of(turn).id,
        about=about if changed_files(before) else None,
    )


def conclude(project: Project, row: CapturedTurn, outcome: TurnOutcome) -> None:
    """Record the outcome of a turn, after its memory is stored."""
    done = row._replace(outcome=outcome.kind, memory_id=outcome.memory_id, why=outcome.why)
    project.store.captured.conclude(done, project.now())
    if outcome.kind == "forgotten" and outcome.memory_id:
        project.store.captured.forget(outcome.memory_id)


def import_spool(project: Project, patience: float = 10.0) -> None:
    """Store the lines of the spool, before something is forgotten that they may be about."""
    if not any(map(spool.spools, project.spool_folders)):
        return
    try:
        with file_lock(os.path.join(project.location.directory, _LOCK), patience):
            _import_spool(project)
    except TimeoutError:
        raise StorageError(
            "Another process is taking in what hooks left; try again in a moment. Nothing was forgotten."
        ) from None


def clear_spool(project: Project) -> None:
    """Delete what hooks left of a project."""
    import_spool(project)
    for path in [path for folder in project.spool_folders for path in spool.spools(folder)]:
        with suppress(OSError):
            os.unlink(path)  # lines that were not complete


def memory_events(project: Project, memory_id: str) -> tuple[list[CapturedTurn], list[CapturedEvent]]:
    """The turns and the events of a memory."""
    captured = project.store.captured
    events = [found.event for found in captured.find(EventQuery(limit=_ALL, memory=memory_id))]
    turns = [turn for key in dict.fromkeys(event.key for event in events) for turn in captured.turns(key)]
    return turns, events


def restore_events(project: Project, turns: Iterable[CapturedTurn], events: Iterable[CapturedEvent]) -> None:
    """Put back what `memory_events` returned."""
    captured, now = project.store.captured, project.now()
    captured.add(reversed(list(events)), now, replace=True)  # they were found newest first
    for turn in turns:
        captured.conclude(turn, now)


QUIET = 30 * 60  # Seconds without an event after which a turn counts as finished
_TAIL = 8 * 1024 * 1024  # Bytes at the end of a transcript that are searched for a turn that just ended
_MOST = 1000
_STORIES_BEFORE = 4  # Tasks of a session among which the one that a commit or thanks belongs to is searched
_TURNS_BEFORE = 5  # Turns before a prompt among which the work is that it corrects
_ENDS = ("stop", "agent_stop")


class _OpenTurns:
    """The open turns of a project; the events of each session are read once."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._sessions: dict[SessionKey, list[CapturedEvent]] = {}
        self._turns: dict[SessionKey, list[CapturedTurn]] = {}

    def finished(self) -> Iterator[CapturedTurn]:
        """The finished turns that are not yet concluded, oldest first."""
        for row in self._project.store.captured.turns(limit=_MOST):
            if self._is_over(row):
                yield row

    def _is_over(self, row: CapturedTurn) -> bool:
        if row.last < self._project.now() - QUIET:
            return True
        for event in self._session_events(row.key):
            if event.kind in _ENDS and event.key == row.key:
                return True
            if event.kind == "end" and event.at >= row.last:
                return True
            later = event.kind == "prompt" and event.at > row.first and event.key.turn != row.key.turn
            if later and not row.key.agent and not event.key.agent:
                return True
        return False

    def _session_events(self, key: TurnKey) -> list[CapturedEvent]:
        """The events that begin and end the turns of a session."""
        session = SessionKey(key.client, key.session)
        if session not in self._sessions:
            self._sessions[session] = self._project.store.captured.events(session, ("prompt", "end", *_ENDS))
        return self._sessions[session]

    def session_turns(self, key: TurnKey) -> list[CapturedTurn]:
        """All turns of the session of a turn, in their order."""
        session = SessionKey(key.client, key.session)
        if session not in self._turns:
            self._turns[session] = self._project.store.captured.turns(session)
        return self._turns[session]

    def stories(self, key: TurnKey) -> list[Turn]:
        """The story that a turn belongs to, with all events, and the one before if this turn checks it."""
        rows = self.session_turns(key)
        if key.agent:
            row = next((one for one in rows if one.key == key), None)
            events = self._events(key, row)
            return [Turn(key, tuple(events), task=self._task(key, rows))] if events else []
        main = [row for row in rows if not row.key.agent]
        at = next((number for number, row in enumerate(main) if row.key == key), None)
        if at is None:
            return []
        around = self._stories_around(main, at)
        own = next((story for story in around if key in (story.key, *story.members)), None)
        checked = (
            story for story in around if story is not own and any(key_of(one) == key for one in story.events)
        )
        return [*checked, *([own] if own else [])]

    def _stories_around(self, main: list[CapturedTurn], at: int) -> list[Turn]:
        """The stories around one turn of a session: those that it may continue, or that continue it."""
        turns = self._with_neighbours(main)
        tasks_set = [number for number, turn in enumerate(turns) if sets_task(turn.prompt, turn.said)]
        first = ([0, *(number for number in tasks_set if number <= at)])[-_STORIES_BEFORE:][0]
        after = [number for number in tasks_set if number > at]
        # The next task is needed too: it may begin with a check of the work before.
        last = after[0] + 1 if after else len(turns)
        found: list[Turn] = []
        for row, turn in zip(main[first:last], turns[first:last], strict=True):
            if events := self._events(row.key, row):
                after = self._events_after(main, row) if turn.after else ()
                whole = turn._replace(events=tuple(events), words="", after=after)
                found.append(whole._replace(reports=self._reports(row.key)))
        return join_stories(found)

    def _events_after(self, main: list[CapturedTurn], row: CapturedTurn) -> tuple[Event, ...]:
        """The events of the turn after another one, both of the main agent."""
        later = main[main.index(row) + 1 :]
        return tuple(self._captured(later[0].key)) if later else ()

    def _with_neighbours(self, main: list[CapturedTurn]) -> list[Turn]:
        """The main agent's turns with only the events that begin and end them, and what was said around."""
        events: dict[TurnKey, list[Event]] = {row.key: [] for row in main}
        for one in self._session_events(main[0].key):
            if one.key in events:
                events[one.key].append(as_event(one))
        return with_neighbours([Turn(key, tuple(found)) for key, found in events.items()])

    def _task(self, key: TurnKey, turns: list[CapturedTurn]) -> str:
        related = parents([(one.key, one.first) for one in turns])
        parent = related.get(key)
        if parent is None:
            return ""
        calls = [event for event in self._captured(parent) if event.get("tool") == "agent"]
        begun = [(one.key, one.first) for one in turns if related.get(one.key) == parent]
        return tasks(calls, begun).get(key, "")

    def _reports(self, key: TurnKey) -> tuple[Report, ...]:
        """What the subagents that a turn started have reported."""
        rows = self.session_turns(key)
        related = parents([(one.key, one.first) for one in rows])
        own = [one for one in rows if related.get(one.key) == key]
        found = [Turn(one.key, tuple(self._captured(one.key)), task=self._task(one.key, rows)) for one in own]
        return reports_of(found)

    def _captured(self, key: TurnKey) -> list[Event]:
        return [as_event(row) for row in self._project.store.captured.events(key)]

    def _events(self, key: TurnKey, row: CapturedTurn | None) -> list[Event]:
        """The captured events of a turn, completed by the client's transcript and stored again if so."""
        captured = self._captured(key)
        if not captured or (row is not None and not row.is_open and row.outcome):
            return captured  # completed when the turn was concluded
        whole = merge_events([*captured, *self._transcript_events(key, captured)])
        known = {event["id"]: event for event in captured}
        if added := [as_row(event) for event in whole if known.get(event["id"]) != event]:
            self._project.store.captured.add(added, self._project.now(), replace=True)
        return whole

    def _transcript_events(self, key: TurnKey, captured: list[Event]) -> list[Event]:
        """The events of a turn in the client's transcript: hooks do not receive all of them."""
        if key.client not in SAME_NAMES:
            return []
        paths = dict.fromkeys(path for event in captured if (path := event.get("transcript")))
        for path in paths:
            # A subagent has a transcript of its own, which is named after it.
            is_own = not key.agent or key.agent in os.path.basename(path)
            if is_own and os.path.isabs(path) and os.path.isfile(path):
                with suppress(OSError):
                    events = READERS[key.client].events([path], _TAIL)
                    return clean_events(self._project, [one for one in events if key_of(one) == key])
                break
        return []


def clean_events(project: Project, events: list[Event]) -> list[Event]:
    """Events as a hook would have captured them: nothing private, ignored or secret, none of a pause."""
    home = project.settings.home
    roots: dict[str, str | None] = {}
    kept: list[Event] = []
    for event in events:
        cwd = event["cwd"]
        if cwd not in roots:
            roots[cwd] = find_root(cwd, home) if os.path.isdir(cwd) else project.location.root
        if not is_paused(home, project.location.id, event["at"]):
            kept.append(clean(event, project.redactor, read_ignored(roots[cwd])))
    return kept
