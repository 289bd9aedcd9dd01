"""Sessions: what was captured, what was offered in them at what cost, and the outcomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import UNSET

from rum.app.caller import Caller
from rum.app.capture.events import CapturedEventView, as_event, view_event
from rum.app.offers import WHY
from rum.app.pages.lists import cut_page, decode_cursor, entries_by_id, moment
from rum.app.project import Project
from rum.model.errors import InvalidQuery, NotFound
from rum.model.pages import (
    Entry,
    OfferedItem,
    OfferItem,
    OfferListRequest,
    Page,
    Paging,
    SessionEntry,
    SessionPage,
    SessionsRequest,
    SessionTurn,
)
from rum.store.activity import OfferPlace, OfferQuery, OfferRow
from rum.store.captured_events import CapturedTurn, FoundEvent, SessionKey
from rum.text.shorten import one_line
from rum.text.tokens import estimate_tokens

_MAX_TURNS = 200
_PROMPT = 300  # Characters of a prompt that are shown
_SEE = "see the sessions"  # They have the prompts of the user of the server's machine


def sessions(caller: Caller, request: SessionsRequest) -> Page[SessionEntry]:
    """Sessions with captured turns, the last active first."""
    caller.check_unconfined(_SEE)
    store = caller.project.store
    place = decode_cursor(request.cursor, tuple[float, str, str])
    after = (place[0], SessionKey(*place[1:])) if place else None
    found = store.captured.sessions(request.limit + 1, after, request.client or None)
    page, following = cut_page(found, request.limit, lambda one: (one.last, *one.key))
    return Page(
        items=[
            SessionEntry(
                **one.key._asdict(),
                **{name: getattr(one, name) for name in ("first", "last", "turns", "open_turns", "memories")},
                **_cost(_offers_of(caller.project, one.key))._asdict(),
                about=_about(caller.project, one.key) or UNSET,
            )
            for one in page
        ],
        next=following,
    )


def _about(project: Project, key: SessionKey) -> str:
    """The first prompt of a session; where it is no longer kept, the goal of its first memory."""
    prompts = project.store.captured.events(key, ("prompt",))
    if text := next((text for one in prompts if (text := as_event(one).get("text", "").strip())), ""):
        return one_line(text, _PROMPT)
    ids = [turn.memory_id for turn in project.store.captured.turns(key) if turn.memory_id]
    return next((entry.goal for entry in entries_by_id(project, ids).values()), "")


class _Cost(NamedTuple):
    """The texts that were offered in a session, their tokens, and how many were followed."""

    offers: int
    tokens: int
    followed: int


def _offers_of(project: Project, key: SessionKey) -> list[OfferRow]:
    return project.store.activity.find_offers(OfferQuery(client=key.client, session=key.session))


def _cost(rows: Sequence[OfferRow]) -> _Cost:
    texts = {(row.event, row.number): _tokens(row) for row in rows}
    followed = {(row.event, row.number) for row in rows if row.followed}
    return _Cost(len(texts), sum(texts.values()), len(followed))


def _tokens(row: OfferRow) -> int:
    return row.tokens or estimate_tokens(row.text)


def session_page(caller: Caller, client: str, session: str) -> SessionPage:
    """A session with its newest turns."""
    caller.check_unconfined(_SEE)
    project = caller.project
    key = SessionKey(client, session)
    turns = project.store.captured.turns(key)
    if not turns:
        raise NotFound(f"No session `{session}` of {client} was captured.", id=session)
    shown = sorted(turns, key=lambda turn: turn.last, reverse=True)[:_MAX_TURNS]
    goals = entries_by_id(project, [turn.memory_id for turn in shown if turn.memory_id])
    events = project.store.captured.events(key)
    counts = Counter((event.key.agent, event.key.turn) for event in events)
    prompts = {
        (event.key.agent, event.key.turn): one_line(as_event(event).get("text", ""), _PROMPT)
        for event in reversed(events)
        if event.kind == "prompt"
    }
    return SessionPage(
        client=client,
        session=session,
        first=min(turn.first for turn in turns),
        last=max(turn.last for turn in turns),
        turns=[_turn(turn, counts, prompts, goals) for turn in shown],
        left_out=len(turns) - len(shown),
        **_cost(_offers_of(project, key))._asdict(),
    )


def _turn(
    turn: CapturedTurn,
    counts: Counter[tuple[str, str]],
    prompts: dict[tuple[str, str], str],
    goals: dict[str, Entry],
) -> SessionTurn:
    place = (turn.key.agent, turn.key.turn)
    entry = goals.get(turn.memory_id or "")
    return SessionTurn(
        turn=turn.key.turn,
        agent=turn.key.agent,
        first=turn.first,
        last=turn.last,
        is_open=turn.is_open,
        outcome="open" if turn.is_open and not turn.outcome else turn.outcome,
        events=counts[place],
        memory_id=turn.memory_id or UNSET,
        goal=entry.goal if entry else UNSET,
        why=turn.why or UNSET,
        prompt=prompts.get(place) or UNSET,
    )


def session_events(caller: Caller, client: str, session: str, request: Paging) -> Page[CapturedEventView]:
    """The captured events of a session, newest first; they are deleted after two weeks."""
    caller.check_unconfined(_SEE)
    captured, key = caller.project.store.captured, SessionKey(client, session)
    turns = {turn.key: turn for turn in captured.turns(key)}
    if not turns:
        raise NotFound(f"No session `{session}` of {client} was captured.", id=session)
    place = decode_cursor(request.cursor, tuple[float, str])
    found = sorted(captured.events(key), key=lambda event: (event.at, event.id), reverse=True)
    if place is not None:
        found = [event for event in found if (event.at, event.id) < place]
    page, after = cut_page(found, request.limit, lambda event: (event.at, event.id))
    views: list[CapturedEventView] = []
    for event in page:
        turn = turns.get(event.key)
        outcome = (turn.outcome, turn.memory_id, turn.why, turn.is_open) if turn else ("", None, "", False)
        views.append(view_event(FoundEvent(event, *outcome)))
    return Page(items=views, next=after)


def offers(caller: Caller, request: OfferListRequest) -> Page[OfferItem]:
    """Offers of all sessions, newest first."""
    caller.check_unconfined(_SEE)
    if request.kind and request.kind not in WHY:
        raise InvalidQuery(f"`kind` must be one of {', '.join(WHY)}.", field="kind", allowed=list(WHY))
    since = moment(caller.project, request.since, "since") or 0
    return _offer_page(caller.project, request, OfferQuery(kind=request.kind or None, since=since))


def session_offers(caller: Caller, client: str, session: str, request: Paging) -> Page[OfferItem]:
    """The offers of a session, newest first."""
    caller.check_unconfined(_SEE)
    return _offer_page(caller.project, request, OfferQuery(client=client, session=session))


def memory_offers(caller: Caller, memory_id: str, request: Paging) -> Page[OfferItem]:
    """The offers of a memory, newest first."""
    memory = caller.project.memory(memory_id)
    return _offer_page(caller.project, request, OfferQuery(memory=memory.id))


def _offer_page(project: Project, request: Paging, query: OfferQuery) -> Page[OfferItem]:
    place = decode_cursor(request.cursor, tuple[float, str, int, str])
    after = OfferPlace(*place) if place else None
    found = project.store.activity.find_offers(query._replace(limit=request.limit + 1, after=after))
    page, following = cut_page(
        found, request.limit, lambda row: (row.at, row.event, row.number, row.memory_id)
    )
    return Page(items=_offer_items(project, page), next=following)


def _offer_items(project: Project, rows: Sequence[OfferRow]) -> list[OfferItem]:
    """The offers of rows, of which each names one memory of an offer."""
    known = entries_by_id(project, [row.memory_id for row in rows if row.memory_id])
    offered: dict[tuple[str, int], list[OfferRow]] = {}
    for row in rows:
        offered.setdefault((row.event, row.number), []).append(row)
    return [_offer_item(same, known) for same in offered.values()]


def _offer_item(rows: Sequence[OfferRow], known: Mapping[str, Entry]) -> OfferItem:
    first, ids = rows[0], [row.memory_id for row in rows if row.memory_id]
    outcomes = dict.fromkeys(name for row in rows for name in row.outcomes)
    return OfferItem(
        at=first.at,
        kind=first.kind,
        why=WHY.get(first.kind, first.kind),
        session=first.session,
        client=first.client,
        text=first.text,
        tokens=_tokens(first),
        outcome=", ".join(outcomes) or "nothing",
        names=[OfferedItem(id=one, goal=known[one].goal if one in known else UNSET) for one in ids],
        success=UNSET if first.success is None else first.success,
    )
