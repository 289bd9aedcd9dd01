"""The review queue, the trash, sharing and settings, as the page shows them."""

from __future__ import annotations

import os
import threading
from typing import Any

from msgspec import UNSET
from msgspec.structs import asdict

from rum._version import __version__
from rum.app.access import AccessTokens
from rum.app.caller import Caller
from rum.app.calls import load
from rum.app.memories.store import similar_to
from rum.app.memories.trash import Trash
from rum.app.pages.lists import cut_after
from rum.app.project import Project
from rum.app.review.pending import SYNC, PendingMemory, decoded
from rum.app.review.review import Review
from rum.app.sync.sync import target_states
from rum.model.answers import Diagnosis, ForgottenItem
from rum.model.errors import InvalidQuery, NotFound, PermissionDenied, RateLimited
from rum.model.pages import (
    Me,
    Page,
    Paging,
    ProjectName,
    ReviewItem,
    ReviewPage,
    ReviewRequest,
    SettingRow,
    SimilarItem,
    SyncStatus,
    SyncTarget,
    TeamMember,
)
from rum.settings.home import ensure_private_dir
from rum.settings.table import AGENT_SETTINGS, SETTINGS, Setting
from rum.store.files.toml_edit import edit_file
from rum.text.terms import terms

API = 1
_SIMILAR = 5
_LIKE = 0.5  # The share of common words from which two labels are alike
_HIDDEN = "(set, not shown)"
# What a page may change: nothing that sends data elsewhere, moves files or shows secrets.
EDITABLE = frozenset(
    {
        "recall_limit",
        "recall_depth",
        "min_confidence",
        "capture_by_agent",
        "review",
        "auto_chapters",
        "import_git",
        "archive_after",
        "archive_importance",
        "archive_uses",
        "idle_after",
    }
)


def me(caller: Caller) -> Me:
    """Who asks, and what they may do."""
    project, location = caller.project, caller.project.location
    is_local = caller.role is None
    return Me(
        version=__version__,
        api=API,
        role=caller.role or "owner",
        name=caller.client.removeprefix("http:"),
        may_write=caller.role != "reader",
        may_review=caller.owner and not project.settings.agent,
        is_local=is_local,
        csrf="",
        project=ProjectName(id=location.id, name=location.name, root=location.root if is_local else None),
        memories=project.store.memories.count(),
        now=project.now(),
        warnings=list(project.warnings()) if is_local else [],
    )


def review(caller: Caller, request: ReviewRequest) -> ReviewPage:
    """What waits for review, the last proposed first."""
    items = Review(caller).list(request.kind or None)
    page, after = cut_after(items, request.cursor, lambda item: str(item.number), request.limit)
    by_kind = caller.store.trash.count(pending=True)
    return ReviewPage(items=page, next=after, total=len(items), by_kind=by_kind)


def review_item(caller: Caller, kind: str, item_id: str) -> ReviewItem:
    """A pending item with its evidence, and what says almost the same."""
    shown = Review(caller).show(item_id, kind)
    return ReviewItem(**asdict(shown), similar=_similar(caller.project, kind, shown.id))


def _similar(project: Project, kind: str, item_id: str) -> list[SimilarItem]:
    items = [item for item in project.store.trash.find(item_id, kind, pending=True) if item.id == item_id]
    if not items:
        return []
    found: list[SimilarItem] = []
    proposed = decoded(items[0])
    if isinstance(proposed, PendingMemory):
        found = [
            SimilarItem(id=one.id, goal=one.goal, likeness=one.likeness, pending=False)
            for one in similar_to(project, proposed.memory)
            if one.id != item_id
        ]
    words = set(terms(items[0].label))
    for other in project.store.trash.items(pending=True):
        theirs = set(terms(other.label))
        share = len(words & theirs) / max(1, len(words | theirs))
        if other.kind == kind and other.id != item_id and share >= _LIKE:
            found.append(SimilarItem(id=other.id, goal=other.label, likeness=round(share, 2), pending=True))
    return sorted(found, key=lambda one: -one.likeness)[:_SIMILAR]


def trash(caller: Caller, request: Paging) -> Page[ForgottenItem]:
    """What was forgotten, the last first."""
    items = Trash(caller).list()
    page, after = cut_after(
        items, request.cursor, lambda item: f"{item.kind} {item.forgotten_at} {item.id}", request.limit
    )
    return Page(items=page, next=after, total=len(items))


def sync_status(caller: Caller) -> SyncStatus:
    """What is shared, with whom, and what stands in the way."""
    project, store = caller.project, caller.project.store
    project.reload_settings()  # they may have changed since this process started
    conflicts = sum(item.forgotten_by == SYNC for item in store.trash.items(pending=True))
    return SyncStatus(
        share=project.settings.share,
        targets=[
            SyncTarget(target=name, share=state.share, auto=state.auto, pending=len(store.sync.changes(name)))
            for name, state in target_states(project).items()
        ]
        if caller.role in (None, "owner")
        else [],
        conflicts=conflicts,
        team=_team(caller),
    )


def _team(caller: Caller) -> list[TeamMember]:
    if caller.role not in (None, "owner"):
        return []
    project = caller.project
    return [
        TeamMember(name=one.name, role=one.role, created_at=one.created_at)
        for one in AccessTokens(project.settings.home).all()
        if one.project == project.location.id and one.revoked_at is None
    ]


_checking = threading.Lock()


def doctor(caller: Caller) -> Diagnosis:
    """Check the memory through files of its own: in a large one this takes many seconds."""
    caller.check_unconfined("check the files")
    location, home = caller.project.location, caller.project.settings.home
    if not _checking.acquire(blocking=False):
        raise RateLimited("A check is running. Try again when it has ended.", retry_after=5)
    try:
        with load("app.rum:Rum").open(
            location.root or home, project=location.id if location.exists else None, home=home, owner=True
        ) as own:
            return own.doctor()
    finally:
        _checking.release()


def settings(caller: Caller) -> list[SettingRow]:
    """Every setting with its value and where that came from."""
    if caller.role is not None:
        raise PermissionDenied("The settings of a server are shown on its own machine: `rum config`.")
    caller.project.reload_settings()
    rows = [_setting_row(caller.project, setting) for setting in SETTINGS]
    known = caller.project.settings
    for agent in known.agents():
        own = known.for_agent(agent)._asdict()
        rows += [
            _row(setting, own[setting.name], known.origin(name), editable=False, name=name)
            for setting in AGENT_SETTINGS
            if (name := f"agents.{agent}.{setting.name}")
        ]
    return rows


def _setting_row(project: Project, setting: Setting) -> SettingRow:
    value, origin = getattr(project.settings, setting.name), project.settings.origin(setting.name)
    if setting.secret and value:
        value = _HIDDEN
    own_file = origin == "default" or origin.startswith(project.settings.home)
    return _row(setting, value, origin, editable=setting.name in EDITABLE and own_file)


def _row(setting: Setting, value: Any, origin: str, *, editable: bool, name: str | None = None) -> SettingRow:
    choices = setting.kind.allowed.removeprefix("one of ")
    return SettingRow(
        name=name or setting.name,
        value=value,
        default=setting.default,
        origin=origin,
        about=setting.help,
        allowed=setting.kind.allowed,
        editable=editable,
        choices=tuple(choices.split(", ")) if choices != setting.kind.allowed else UNSET,
    )


def change_setting(caller: Caller, name: str, value: object) -> SettingRow:
    """Set a harmless setting in the user's config file; None removes it, so that the default applies."""
    if caller.role is not None or not caller.owner:
        raise PermissionDenied("Only the user of this machine may change settings.")
    setting = next((one for one in SETTINGS if one.name == name), None)
    if setting is None:
        raise NotFound(f"There is no setting `{name}`.", id=name)
    if name not in EDITABLE:
        raise PermissionDenied(f"`{name}` cannot be changed here. Edit it in config.toml.", field=name)
    before = _setting_row(caller.project, setting)
    if not before.editable:
        raise InvalidQuery(f"`{name}` is set by {before.origin}. Change it there.", field=name)
    if value is not None:
        try:
            value = setting.kind.check(value)
        except ValueError:
            raise InvalidQuery(f"`{name}` must be {setting.kind.allowed}.", field=name) from None
    home = caller.project.settings.home
    ensure_private_dir(home)
    edit_file(os.path.realpath(os.path.join(home, "config.toml")), (name,), value, new_mode=0o600)
    caller.project.reload_settings()
    return _setting_row(caller.project, setting)
