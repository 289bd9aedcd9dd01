"""The history of offers: what agents were offered automatically, its outcome, and feedback."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, cast

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.capture.events import as_event, spooled_events
from rum.app.capture.reverts import commits_of
from rum.app.freshness.branches import known_commits, unmerged
from rum.app.freshness.check import freshness_of
from rum.app.project import Project
from rum.inject.offers.warning import KIND as WARNING
from rum.inject.offers.warning import is_alike
from rum.model.anchors import UNKNOWN, Freshness
from rum.model.answers import (
    RATED,
    FeedbackRequest,
    FeedbackResult,
    OfferFigures,
    OffersResult,
    OfferView,
    ledger_id,
)
from rum.model.errors import InvalidQuery, RumError
from rum.model.ids import new_id
from rum.model.layers import Rule
from rum.model.memory import Memory, Operation
from rum.repo.anchors.commits import KnownCommits
from rum.store.activity import OfferQuery, OfferRow, WorkOutcome
from rum.store.attempt_fingerprint import command_tried, edit_marks
from rum.store.base import ReadMode
from rum.store.captured_events import SessionKey
from rum.store.derived import Attempt, attempts_of
from rum.text.tokens import estimate_tokens

if TYPE_CHECKING:
    from rum.capture.events.event import Event

MOST = 1000
JUDGED = 90 * 86_400  # Seconds for which the work after an offer is looked at again
STAYED = 86_400  # Seconds after which work that is still there has stayed
OWNER = "owner"
# Why something is offered, by its kind.
WHY = {
    "warning": "the agent was about to repeat what failed",
    "guidance": "the user said it in an earlier session",
    "touching": "the agent touched a file that it is about",
    "intent": "the prompt is like earlier work",
    "task": "the task is like earlier ones",
    "session": "a session began",
    "trouble": "capture had trouble",
    "brief": "the agent asked for a brief",
    "store": "a turn ended, and the agent was asked to store it",
}


def record(caller: Caller, events: Sequence[Event], work: Memory | None) -> None:
    """Record what was offered in a session up to the end of a turn, and the outcome in that turn.

    `work` is the memory that was made of the turn.
    """
    if not events:
        return
    activity = caller.store.activity
    client, session = events[0]["client"], events[0]["session"]
    until = max(event["at"] for event in events)
    said = (as_event(one) for one in caller.store.captured.events(SessionKey(client, session), ("offered",)))
    if new := [row for event in said if event["at"] <= until for row in _rows(event)]:
        activity.add_offers(new)
    offered = activity.find_offers(OfferQuery(client=client, session=session, until=until))
    if offered:
        activity.set_outcomes(_with_outcomes(caller, offered, events, work))


def _rows(event: Event) -> Iterator[OfferRow]:
    """A row for each memory of each offer; an offer of none has one too."""
    for number, one in enumerate(event.get("offers", [])):
        ids = cast("list[object]", one.get("memories") or [""])
        turn, call = event.get("turn", ""), event.get("call", "")
        text = str(one.get("text", ""))
        for memory_id in ids:
            yield OfferRow(
                *(event["id"], number, str(memory_id), event["client"], event["session"], turn, call),
                *(str(one.get("kind", "")), event["at"], text),
                tokens=estimate_tokens(text),
            )


def _with_outcomes(
    caller: Caller, offered: Sequence[OfferRow], events: Sequence[Event], work: Memory | None
) -> Iterator[OfferRow]:
    """The offers with the outcome in this turn; what was found in an earlier turn stays."""
    success = work.outcome.success if work else None
    ids = list(dict.fromkeys(row.memory_id for row in offered if row.memory_id))
    memories = {memory.id: memory for memory in caller.store.memories.get(ids, ReadMode.BEST_EFFORT)}
    rules = {
        rule.id: rule for rule in caller.store.rules.get([one for one in ids if one.startswith("rule_")])
    }
    turn = events[0].get("turn", "")

    def relative(path: str) -> str:
        with suppress(InvalidQuery):
            return caller.relative(path)
        return path

    for row in offered:
        memory, rule = memories.get(row.memory_id), rules.get(row.memory_id)
        after = [event for event in events if event["at"] >= row.at]
        if memory is not None:
            found = judge_offer(row.kind, memory, after, success, relative)
        elif rule is not None:
            found = OfferOutcome(fetched=False, followed=_is_followed(rule, after), contradicted=False)
        else:
            continue
        own = row.turn == turn or (not row.turn and row.success is None)
        yield row._replace(
            fetched=row.fetched or found.fetched,
            followed=row.followed or found.followed,
            contradicted=row.contradicted or found.contradicted,
            success=success if own or found.followed else row.success,
            work=work.id if work and found.followed else row.work,
        )


def judge_work(project: Project) -> None:
    """Find out what became of the work in which offers were followed, and change their usefulness by it."""
    activity = project.store.activity
    known = activity.followed_work(project.now() - JUDGED)
    outside = unmerged(project) if known else {}
    commits, changed = known_commits(project), dict[str, WorkOutcome]()
    for work in project.store.memories.get(list(known), ReadMode.BEST_EFFORT):
        before = known[work.id]
        kept = _is_kept(project, work, outside.get(work.id), commits)
        if project.repository() is None and kept is not False:
            kept = before and before.kept  # from elsewhere, nothing can be said of commits
        outcome = WorkOutcome(work.outcome.success, kept)
        if outcome != before:
            changed[work.id] = outcome
    if changed:
        activity.set_work_outcomes(changed)


def _is_kept(project: Project, work: Memory, branch: str | None, commits: KnownCommits) -> bool | None:
    """Whether work stayed: its commit is part of the checkout after a day. None while that is open."""
    if (work.reverted_by and not work.reverted_by.in_part) or branch == "abandoned":
        return False
    is_old = work.created_at < project.now() - STAYED
    if not is_old or branch or not work.commit or not commits_of(work):
        return None
    return True if commits.has(work.commit) else None


def offers(
    project: Project,
    session: str | None,
    memory: str | None,
    kind: str | None,
    since: float | None,
    limit: int,
) -> OffersResult:
    """What was offered, newest first, with reason and outcome."""
    if not 1 <= limit <= MOST:
        raise InvalidQuery(f"offers: `limit` is 1 to {MOST}.", field="limit")
    if kind is not None and kind not in WHY:
        raise InvalidQuery(
            f"offers: `kind` must be one of {', '.join(WHY)}.", field="kind", allowed=list(WHY)
        )
    memory_id = project.memory(memory).id if memory else None
    activity = project.store.activity
    query = OfferQuery(limit, session=session, memory=memory_id, kind=kind, since=since or 0)
    rows = [*_spooled(project, query), *activity.find_offers(query)][:limit]
    useful = activity.usefulness({row.memory_id for row in rows})
    figures = [OfferFigures(**one._asdict()) for one in activity.offer_counts()]
    hint = UNSET if figures or rows else "No offers yet. Run `rum install` to register hooks."
    fresh = freshness_of(project, {row.memory_id for row in rows if row.memory_id})
    views = [_view(row, useful.get(row.memory_id, 0.0), fresh.get(row.memory_id)) for row in rows]
    return OffersResult(offers=views, figures=figures, hint=hint)


def _spooled(project: Project, query: OfferQuery) -> list[OfferRow]:
    """What was offered in turns that are not over, newest first."""
    wanted = (
        row
        for event in spooled_events(project)
        if event["kind"] == "offered"
        for row in _rows(event)
        if query.session in (None, row.session)
        and query.memory in (None, row.memory_id)
        and query.kind in (None, row.kind)
        and row.at >= query.since
    )
    return sorted(wanted, key=lambda row: row.at, reverse=True)


def _view(row: OfferRow, usefulness: float, fresh: Freshness | None) -> OfferView:
    return OfferView(
        at=row.at,
        kind=row.kind,
        why=WHY.get(row.kind, row.kind),
        session=row.session,
        client=row.client,
        memory_id=row.memory_id or None,
        text=row.text,
        outcome=", ".join(row.outcomes) or "nothing",
        success=row.success,
        usefulness=round(usefulness, 2),
        freshness=fresh.state if fresh and fresh.state != UNKNOWN else None,
    )


def feedback(caller: Caller, request: FeedbackRequest) -> FeedbackResult:
    """Record whether something was useful; the last feedback of each agent and of the owner counts."""
    if request.kind and request.kind not in RATED:
        allowed = list(RATED)
        raise InvalidQuery(
            f"feedback: `kind` must be one of {', '.join(allowed)}.", field="kind", allowed=allowed
        )
    found = load("app.memories.forget:find_items")(caller, request.id, request.kind, RATED)
    names = list(
        dict.fromkeys(ledger_id(kind.name, one) for kind, one in found)
    )  # A note has several entries
    name = caller.project.single_id(request.kind or " or ".join(RATED), request.id, names)
    kind: str = found[0][0].name
    if request.still_true:
        load("app.freshness.verify:confirm")(caller, [name.removeprefix(f"{kind}:")], kind)
    agent = caller.current_agent()
    rated_by = OWNER if caller.owner or agent is None else agent.id
    activity = caller.store.activity
    evidence = activity.add_feedback(name, rated_by, caller.project.now(), useful=request.useful)
    return FeedbackResult(
        id=name.removeprefix(f"{kind}:"),
        kind=kind,
        useful=request.useful,
        usefulness=round(evidence.value, 2),
    )


def record_brief(caller: Caller, pieces: Iterable[tuple[str, str]]) -> None:
    """Record what a brief gave an agent, by kind and id, unless that would make the agent wait."""
    if caller.owner:
        return
    event, now = new_id("event"), caller.project.clock()
    rows = [
        OfferRow(
            event, number, ledger_id(kind, one), caller.client, caller.session_id, "", "", "brief", now, ""
        )
        for number, (kind, one) in enumerate(pieces)
    ]
    caller.store.activity.add_offers(rows, wait=False)


def record_fetched(caller: Caller, kind: str, one: str) -> None:
    """Record that an agent fetched something that was offered in its session."""
    name, activity = ledger_id(kind, one), caller.store.activity
    query = OfferQuery(1, client=caller.client, session=caller.session_id, memory=name)
    if not caller.owner and (offered := activity.find_offers(query)) and not offered[0].fetched:
        with suppress(RumError):  # Where nothing can be written, it is fetched all the same
            activity.set_outcomes([offered[0]._replace(fetched=True)])


_IN_BACKTICKS = re.compile(r"`([^`]+)`")
_FORBIDS = re.compile(r"(?:please )?(?:never|do not|don['’]t|avoid|no)\b", re.IGNORECASE)
# Kinds of offers that come before any file is touched, so that touching the memory's files follows them.
ABOUT_FILES = ("intent", "task", "session")


class OfferOutcome(NamedTuple):
    """Whether an offered memory was fetched, followed or contradicted."""

    fetched: bool
    followed: bool
    contradicted: bool


class Attempted(NamedTuple):
    """A command or an edit after an offer."""

    key: str
    marks: frozenset[int]
    worked: bool | None
    is_command: bool


def judge_offer(
    kind: str, memory: Memory, events: Sequence[Event], success: bool | None, relative: Callable[[str], str]
) -> OfferOutcome:
    """The outcome of an offer, by the events after it and the success of their turn."""
    fetched = any(
        event.get("tool") == "rum" and event.get("memories", [])[:1] == [memory.id] for event in events
    )
    done = list(_attempted(events, relative))
    edits = {one.key: one for one in done if not one.is_command}  # the last of each file
    attempts = attempts_of(memory)
    worked = [one for one in attempts if one.worked]
    # What was tried again in the same work, and then worked, did not fail.
    later = {(one.key, one.marks): one.number for one in worked}
    failed = [one for one in attempts if not one.worked and later.get((one.key, one.marks), -1) <= one.number]
    followed = any(one.worked is not False and _is_one_of(one, worked) for one in done)
    if kind != WARNING:
        changed = {file.path for file in memory.files if file.operation is not Operation.READ}
        touches = kind in ABOUT_FILES and not changed.isdisjoint(edits)
        return OfferOutcome(fetched, followed or touches, contradicted=False)
    again = [one for one in done if _is_one_of(one, failed)]
    # The last edit of a file is one that had failed there.
    stands = any(_is_one_of(one, failed) for one in edits.values())
    contradicted = any(one.worked for one in again) or (bool(success) and stands)
    keys = {one.key for one in failed}
    other = bool(success) and any(one.key in keys and one not in again for one in done)
    return OfferOutcome(fetched, not contradicted and (followed or other), contradicted)


def _is_followed(rule: Rule, events: Sequence[Event]) -> bool:
    """Whether a command that a rule asks for was run; what a rule forbids does not show in commands."""
    if _FORBIDS.match(rule.action):
        return False
    named = (command_tried(text) for text in _IN_BACKTICKS.findall(rule.action))
    keys = {command.key for command in named if command}
    return any(one.is_command and one.key in keys and one.worked for one in _attempted(events, str))


def _attempted(events: Iterable[Event], relative: Callable[[str], str]) -> Iterable[Attempted]:
    for event in events:
        if event["kind"] not in ("after", "failed"):
            continue
        code = event.get("exit")
        failed = event["kind"] == "failed" or bool(code)
        command = command_tried(event.get("command", "")) if event.get("tool") == "run" else None
        if command is not None:
            yield Attempted(
                command.key, command.marks, False if failed else (True if code == 0 else None), True
            )
        for file in event.get("files", []):
            if file["operation"] != "read" and not failed:
                marks = edit_marks(file.get("added", ""), file.get("removed", ""))
                yield Attempted(relative(file["path"]), marks, None, False)


def _is_one_of(done: Attempted, attempts: Iterable[Attempt]) -> bool:
    return any(
        one.key == done.key and is_alike(done.marks, one.marks, one.size, is_command=done.is_command)
        for one in attempts
    )
