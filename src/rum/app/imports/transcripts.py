"""Transcripts of earlier sessions into memories, as if hooks had captured them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache, partial
from typing import TYPE_CHECKING

from rum.app.caller import Caller
from rum.app.capture.events import as_event, is_valid
from rum.app.capture.intake import QUIET, clean_events, conclude, intake
from rum.app.capture.turns import TurnSource
from rum.app.capture.words import keep_words
from rum.app.imports.batch import Imported, Tally, import_pieces
from rum.app.project import Progress, Project
from rum.capture.observe.rejection import changed_files
from rum.capture.observe.stories import stories_of
from rum.capture.observe.turns import Turn, parents, split_turns, with_turns
from rum.capture.transcripts import READERS, SAME_NAMES
from rum.model.errors import InvalidQuery, NotFound
from rum.repo.location import find_root
from rum.store.captured_events import CapturedTurn

if TYPE_CHECKING:
    from rum.capture.events.event import Event

VERSION = 1  # Increased when transcripts have to be read again


class TranscriptImport(Imported, frozen=True, kw_only=True):
    """What an import did, in turns of sessions.

    `sessions` were read, `known` were read before and are as they were, `elsewhere` are of other projects;
    `pending` turns wait for review.
    """

    sessions: int = 0
    known: int = 0
    elsewhere: int = 0
    pending: int = 0


Session = list[str]  # A transcript, and those of its subagents after it


def sessions(client: str, path: str | None) -> list[Session]:
    """The sessions in a client's own folders, or at a path: a folder, or one file."""
    if client not in READERS:
        allowed = list(READERS)
        raise InvalidQuery(f"`{client}`: give one of {', '.join(allowed)}.", field="client", allowed=allowed)
    module = READERS[client]
    if path is None:
        places: list[str] = module.folders(os.path.expanduser("~"))
        return [session for place in places for session in module.files(place)]
    whole = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(whole):
        return list(module.files(whole))
    if not os.path.isfile(whole):
        raise NotFound(f"There is no file or folder {whole}.", path=whole)
    beside = (one for one in module.files(os.path.dirname(whole)) if one[0] == whole)
    return [next(beside, [whole])]


def by_folder(client: str, found: Iterable[Session]) -> dict[str, list[Session]]:
    """Sessions by the folder that each was about; those that do not say under an empty name."""
    folders: dict[str, list[Session]] = {}
    for session in found:
        folders.setdefault(_cwd(client, session), []).append(session)
    return folders


def _cwd(client: str, session: Session) -> str:
    try:
        return READERS[client].cwd_of(session[0])
    except OSError:
        return ""


def import_transcripts(
    caller: Caller, client: str, path: str | None, found: Sequence[Session] | None, progress: Progress
) -> TranscriptImport:
    """Make memories of a client's sessions: of those that are about this project, or of those given."""
    own = sessions(client, path) if found is None else list(found)
    intake(caller, 1.0)
    tally = Tally()
    is_here = cache(partial(_is_here, caller.project, named=path is not None))
    stamps = caller.store.captured.transcript_stamps(session[0] for session in own)
    progress(0, len(own))
    for done, session in enumerate(own, start=1):
        stamp = _stamp(session)
        if stamps.get(session[0]) == stamp:
            tally.counts["known"] += 1
        elif found is None and not is_here(_cwd(client, session)):
            tally.counts["elsewhere"] += 1
        else:
            tally.counts["sessions"] += 1
            if _import_session(caller, client, session, tally):
                caller.store.captured.set_transcript_stamp(session[0], stamp, caller.project.now())
        progress(done, len(own))
    return tally.answer(TranscriptImport)


def _stamp(session: Session) -> str:
    """What a session's files look like from outside."""
    parts = [str(VERSION)]
    for path in session:
        with suppress(OSError):
            state = os.stat(path)
            parts.append(f"{state.st_size}:{state.st_mtime_ns}")
    return " ".join(parts)


def _import_session(caller: Caller, client: str, session: Session, tally: Tally) -> bool:
    """Import one session; False if it is not over, so that it has to be read again."""
    read: Iterator[Event] = READERS[client].events(session)
    events = clean_events(caller.project, [one for one in read if is_valid(one)])
    whole_turns = split_turns(with_turns(sorted(events, key=lambda one: one["at"])))
    turns = [_with_captured(caller.project, turn) for turn in whole_turns]
    related = parents([(turn.key, turn.began) for turn in turns])
    finished, whole = list[Turn](), True
    for turn in stories_of(turns):
        row = next(iter(caller.store.captured.turns(turn.key)), None)
        if not turn.is_finished and turn.ended > caller.project.now() - QUIET:
            whole = False
            tally.skipped["not over"] += 1
        elif _is_done(caller.project, row, turn):
            tally.counts["forgotten" if row and row.outcome == "forgotten" else "unchanged"] += 1
        else:
            finished.append(turn)
    source = TurnSource(caller, finished, related, imported=True)
    import_pieces(caller, source, tally)
    spans = {turn.key: (turn.began, turn.ended) for turn in turns}
    for key in [key for story in finished for key in (story.members or (story.key,))]:
        row = CapturedTurn(key, *spans[key], is_open=False)
        conclude(caller.project, row, source.outcomes[key])
    _keep_words(caller, turns, source)
    return whole


def _keep_words(caller: Caller, turns: Sequence[Turn], source: TurnSource) -> None:
    """Keep what the prompts of a session's main agent say that the user wants."""
    before: tuple[Event, ...] = ()
    about: str | None = None
    for turn in turns:
        if turn.key.agent:
            continue
        prompt = next((event for event in turn.events if event["kind"] == "prompt"), None)
        # A prompt without an answer is a command, or not over yet.
        if prompt is not None and turn.is_finished and turn.key in source.outcomes:
            keep_words(
                caller,
                prompt,
                turn.events,
                before,
                author=lambda turn=turn: source.agent_of(turn).id,
                about=about,
            )
        if changed_files(turn.events):
            before = turn.events
            about = source.outcomes[turn.key].memory_id if turn.key in source.outcomes else None


def _with_captured(project: Project, turn: Turn) -> Turn:
    """A turn with the events that hooks captured of it."""
    if turn.key.client not in SAME_NAMES:
        return turn
    events = [as_event(row) for row in project.store.captured.events(turn.key)]
    if not events:
        return turn
    both = next((one for one in split_turns([*events, *turn.events]) if one.key == turn.key), turn)
    return turn._replace(events=both.events)


def _is_done(project: Project, row: CapturedTurn | None, turn: Turn) -> bool:
    """Whether a turn needs no second look: it is forgotten, or what it was made of is gone by now."""
    if row is None or row.is_open or not row.outcome:
        return False
    if row.outcome == "forgotten" or turn.key.client not in SAME_NAMES:
        return True
    return not project.store.captured.events(turn.key) and row.outcome != "nothing"


def _is_here(project: Project, cwd: str, *, named: bool) -> bool:
    """Whether a folder is part of the open project; none becomes a project by being looked at."""
    location = project.location
    if not cwd or not os.path.isdir(cwd):
        root = os.path.join(location.root or "", "")
        inside = bool(location.root) and os.path.join(cwd, "").startswith(root)
        # A caller who names a file whose folder is gone wants it imported here.
        return inside or named
    root = find_root(cwd, project.settings.home)
    if root is None or root == location.root:
        return root is not None
    return project.is_at(root)
