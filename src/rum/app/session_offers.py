"""Offers for clients without hooks: warnings in the answers of calls, and the offers of the session."""

from __future__ import annotations

import posixpath
from collections.abc import Container, Iterable, Sequence
from threading import get_ident
from typing import TYPE_CHECKING

from msgspec import UNSET, UnsetType

from rum.app.caller import Caller
from rum.app.calls import PYTHON, load
from rum.capture.events.event import new_event
from rum.inject.offers import is_allowed, is_old_enough, offer_limits, offers_for, touching
from rum.inject.offers.context import OfferContext
from rum.inject.offers.warning import KIND as WARNING
from rum.model.answers import OfferView
from rum.model.ids import new_id
from rum.store.activity import OfferQuery, OfferRow
from rum.store.base import ReadMode

if TYPE_CHECKING:
    from rum.inject.offers.text import Offer

MAX_FILES = 5  # Files of one call in which failures are looked for
MAX_LISTED = 20


def file_warning(caller: Caller, files: Iterable[str], shown: Container[str] = ()) -> str | UnsetType:
    """What failed in one of these files and did not work later: once in a session, and not to a person.

    A failure whose memory is `shown` anyway is left out. Folders and patterns have no warning.
    """
    if caller.owner:
        return UNSET
    new = [path for path in files if path not in caller.looked.files and _is_file(path)][:MAX_FILES]
    limits = offer_limits(caller.project.settings)
    if not new or WARNING not in (limits.kinds or ()):
        return UNSET
    caller.looked.files.update(new)
    context = _context(caller, "before")
    for path in new:
        found = touching.failure(context, path)
        if (
            found is not None
            and found.memory_ids[0] not in shown
            and is_old_enough(context, found.memory_ids, limits)
            and not _was_offered(caller, found.memory_ids[0])
            and is_allowed(context, limits)
        ):
            found.kind = WARNING
            _record(caller, [found])
            return found.text
    return UNSET


def session_offers(caller: Caller) -> list[OfferView]:
    """What was offered in this session, newest first; the first time also what the start of one offers."""
    project, looked = caller.project, caller.looked
    if not looked.at_start and not caller.owner:
        looked.at_start = True
        context = _context(caller, "start")
        limits = offer_limits(project.settings)
        found = offers_for(context.event, context.folder, context.root, limits, context)
        _record(caller, [one for one in found if _is_news(caller, one.memory_ids)])
    return _offers(caller, MAX_LISTED)


def newest_offer(caller: Caller) -> object:
    """Something that differs when there is a new offer in this session."""
    found = _offers(caller, 1)
    return (found[0].at, found[0].text) if found else None


def _offers(caller: Caller, limit: int) -> list[OfferView]:
    # Slow to load, and warnings do not need it.
    return load(PYTHON["offers"])(caller.project, caller.session_id, None, None, None, limit).offers


def _is_file(path: str) -> bool:
    return bool(posixpath.basename(path)) and not any(sign in path for sign in "*?[")


def _context(caller: Caller, kind: str) -> OfferContext:
    project = caller.project
    event = new_event(caller.client, caller.session_id, kind, project.clock(), caller.cwd, (new_id("event"),))
    # Opening the files takes longer than reading them; a connection is for one thread.
    thread = get_ident()
    server = None if project.store.offer_rows is None else project.store
    context = OfferContext(
        event, project.location.directory, project.location.root, project.offer_readers.get(thread), server
    )
    project.offer_readers[thread] = context.store
    return context


def _was_offered(caller: Caller, memory_id: str) -> bool:
    query = OfferQuery(client=caller.client, session=caller.session_id, memory=memory_id)
    return any(row.kind != "brief" for row in caller.store.activity.find_offers(query))


def _is_news(caller: Caller, memory_ids: Sequence[str]) -> bool:
    """Whether none of the memories is of this session or was offered in it."""
    own = caller.store.memories.get(memory_ids, ReadMode.BEST_EFFORT)
    return all(one.session_id != caller.session_id for one in own) and not any(
        _was_offered(caller, one) for one in memory_ids
    )


def _record(caller: Caller, found: Sequence[Offer]) -> None:
    """Record offers, unless that would make the agent wait."""
    event, now = new_id("event"), caller.project.clock()
    rows = [
        OfferRow(
            *(event, number, memory_id, caller.client, caller.session_id, "", "", one.kind, now, one.text)
        )
        for number, one in enumerate(found)
        for memory_id in one.memory_ids or ("",)
    ]
    if rows:
        caller.store.activity.add_offers(rows, wait=False)
